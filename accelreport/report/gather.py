"""From a results folder to benches: who belongs to which plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelreport.errors import AccelReportError
from accelreport.report.bench import Bench
from accelreport.report.results import Results
from accelreport.report.theme import device_colours
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.spec.device import Device


def gather(results: Results) -> list[Bench]:
    """Every plan with its records, by the name of the spec and of the profile.

    Raises:
        AccelReportError: there is none.
    """
    plans = sorted(results.plans(), key=lambda plan: (plan.spec, plan.profile))
    if not plans:
        which = "that can be read" if results.problems else ""
        raise AccelReportError(
            "There is nothing to build a report from.",
            why=f"The results folder holds no plan {which}".rstrip() + ".",
            remedy="Run `accelreport run specs/` first.",
        )
    by_key: dict[str, list[Record]] = {}
    for record in sorted(results.records(), key=lambda each: (each.key, each.machine)):
        by_key.setdefault(record.key, []).append(record)
    colours = device_colours(_devices(plans))
    return [_bench(plan, by_key, colours) for plan in plans]


def _devices(plans: Sequence[PlanDocument]) -> dict[str, Device]:
    return {name: device for plan in plans for name, device in plan.devices.items()}


def _bench(
    plan: PlanDocument, by_key: Mapping[str, Sequence[Record]], colours: Mapping[str, int]
) -> Bench:
    keys = dict.fromkeys(cell.key for cell in plan.cells)
    records = [record for key in keys for record in by_key.get(key, ())]
    return Bench(plan, {(record.key, record.machine): record for record in records}, colours)
