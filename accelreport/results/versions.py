"""Measurements of other versions of the specs, which a report of the current specs does not show.

A cell's key is a hash of everything that affects its measurement, so an edited key of a spec
creates other cells. The earlier measurements stay in the results folder.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.spec.base import dotted_values, same
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell


@dataclass(frozen=True)
class OtherVersions:
    """Measurements in a results folder that no current plan names.

    Attributes:
        measurements: their number, without failures and skips.
        unplanned: those that no stored plan names, because a later run replaced it.
        specs: names of their specs, in alphabetical order.
        differs: keys that have another value in the current specs, the most frequent first.
        first: when the first of them began.
        last: when the last of them began.
    """

    measurements: int
    unplanned: int
    specs: tuple[str, ...]
    differs: tuple[str, ...]
    first: str
    last: str


def other_versions(store: Store) -> OtherVersions | None:
    """The measurements that the plans of a store leave out; None without any.

    This excludes what the user left out, such as trials, and specs without any plan, of which no
    other version is known.

    Raises:
        ResultsError: the folder cannot be read.
    """
    stored = store.stored_plans()
    now = stored | store.instead
    asked = {cell.key for plan in now.values() for cell in plan.cells}
    hidden = {key: on for key, on in store.machines().items() if key not in asked}
    planned = {cell.key: name for name, plan in stored.items() for cell in plan.cells}
    shown = {spec for spec, profile in now if (spec, profile) not in store.left_out}
    records: list[Record] = []
    specs: set[str] = set()
    differs: Counter[str] = Counter()
    for record in (store.get(key, machine) for key in hidden for machine in hidden[key]):
        if record is None or not record.measured:
            continue
        name = planned.get(record.key)
        spec = name[0] if name else record.cell.spec
        if spec in shown:
            versions = [now[name]] if name else [plan for plan in now.values() if plan.spec == spec]
            records.append(record)
            specs.add(spec)
            nearest = min((_differing(record.cell, plan) for plan in versions), key=len)
            differs.update(nearest)
    if not records:
        return None
    return OtherVersions(
        measurements=len(records),
        unplanned=sum(record.key not in planned for record in records),
        specs=tuple(sorted(specs)),
        differs=tuple(sorted(differs, key=lambda key: (-differs[key], key))),
        first=min(record.started_at for record in records),
        last=max(record.started_at for record in records),
    )


def _differing(cell: Cell, plan: PlanDocument) -> list[str]:
    """The keys in which a cell differs from the cells of a plan."""
    if cell.workload.get("kind") != plan.workload.get("kind"):
        return ["kind"]
    # That of `optimizer.name` by `optimizer`.
    was, now = (
        {key.removesuffix(".name"): value for key, value in dotted_values(workload) if value != {}}
        for workload in (cell.workload, plan.workload)
    )
    keys = [
        key
        for key in {**now, **was}
        if not any(same(was.get(key), value) for value in plan.axes.get(key, [now.get(key)]))
    ]
    device = plan.devices.get(cell.device)
    if device is None:
        keys.append("devices")
    else:
        asked = device.model_dump(exclude=PRESENTATION_ONLY)
        keys += [key for key, value in asked.items() if getattr(cell.device_spec, key) != value]
    keys += [key for key in MEASURED_BY if getattr(cell.measure, key) != getattr(plan.measure, key)]
    if not keys and cell.seed not in {planned.seed for planned in plan.cells}:
        keys.append("seed")
    return keys
