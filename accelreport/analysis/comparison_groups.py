"""The processes of a results folder, by what they measured and on which machine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.comparison_environment import facts
from accelreport.analysis.refusals import REFUSED
from accelreport.analysis.results import Result, results_of_plans
from accelreport.analysis.speedup import Group
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.spec.base import Scalar
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY

Name = tuple[str, str, str, str]
"""Spec, profile, device and sweep point: what groups of two folders have in common."""


@dataclass(frozen=True)
class Process:
    """A measured process, and what was asked of it and of its machine.

    Attributes:
        result: what became of it.
        conditions: dotted key → value of everything that was asked for.
        environment: fact → value of machine and software.
        started_at: when it was launched, UTC in ISO 8601.
    """

    result: Result
    conditions: Mapping[str, str]
    environment: Mapping[str, str]
    started_at: str

    @property
    def measurement(self) -> tuple[str, str, float]:
        """What no other measurement has in common with it."""
        return self.result.machine, self.started_at, self.result.seconds


@dataclass(frozen=True)
class Place:
    """The processes of one device at one sweep point on one machine, in one folder.

    Attributes:
        machine: its fingerprint; empty where nothing was run.
        processes: seed → process.
        not_run: planned processes of which that machine has no record.
    """

    spec: str
    profile: str
    device: str
    point: dict[str, Scalar]
    machine: str
    processes: Mapping[int, Process]
    not_run: int

    def group(self, without: Collection[int] = ()) -> Group:
        """Its processes, some seeds left out, to be compared."""
        kept = (one.result for seed, one in self.processes.items() if seed not in without)
        return Group(self.device, self.machine, self.point, tuple(kept))

    @property
    def timed(self) -> dict[int, Process]:
        """Seed → process, of those that have a time."""
        return {seed: one for seed, one in self.processes.items() if not one.result.problem}

    @property
    def failed(self) -> bool:
        """Whether it has no time because its processes failed, or their numbers are none."""
        results = [one.result for one in self.processes.values()]
        return not self.timed and any(each.status in {"failed", REFUSED} for each in results)

    @property
    def problems(self) -> list[str]:
        """Why processes have no time, each with how many it befell."""
        said = Counter(one.result.problem for one in self.processes.values() if one.result.problem)
        said += Counter({"not run": self.not_run})
        planned = len(self.processes) + self.not_run
        return [f"{count} of {planned} processes: {problem}" for problem, count in said.items()]

    @property
    def warnings(self) -> Counter[str]:
        """Kinds of warnings → how many processes have one."""
        return Counter(
            kind
            for one in self.processes.values()
            for kind in dict.fromkeys(found.kind for found in one.result.warnings)
        )

    @property
    def facts(self) -> set[str]:
        """The facts that its processes say something of."""
        return {name for one in self.processes.values() for name in one.environment}

    def values(self, name: str) -> list[str]:
        """What its processes say of a fact of their environment, each value once."""
        said = {one.environment.get(name, "absent") for one in self.processes.values()}
        return sorted(said)


@dataclass(frozen=True)
class Places:
    """A results folder, sorted.

    Attributes:
        groups: name → its places, one for each machine.
        records: records in the folder.
        unplanned: records that no plan asks for.
    """

    groups: Mapping[Name, Sequence[Place]]
    records: int
    unplanned: int


Circumstances = tuple[Mapping[str, str], Mapping[str, str], str]
"""Conditions, environment and start of a process."""


def places_of(plans: Iterable[PlanDocument], records: Iterable[Record]) -> Places:
    """Sorts a folder; each record is looked at once and let go."""
    ordered = sorted(plans, key=lambda each: (each.spec, each.profile))
    known: dict[tuple[str, str], Circumstances] = {}
    keys: list[str] = []

    def noted() -> Iterator[Record]:
        for record in records:
            keys.append(record.key)
            seen = _conditions(record), facts(record), record.started_at
            known[record.key, record.machine] = seen
            yield record

    found: dict[Name, list[Place]] = {}
    planned: set[str] = set()
    for plan, results in zip(ordered, results_of_plans(ordered, noted()), strict=True):
        planned |= {cell.key for cell in plan.cells}
        by_name: dict[Name, list[Result]] = {}
        for each in results:
            point = json.dumps(dict(each.point), sort_keys=True)
            by_name.setdefault((plan.spec, plan.profile, each.device, point), []).append(each)
        for name, own in by_name.items():
            found[name] = _by_machine(plan, own, known)
    return Places(found, len(keys), sum(key not in planned for key in keys))


def _by_machine(
    plan: PlanDocument,
    results: Sequence[Result],
    known: Mapping[tuple[str, str], Circumstances],
) -> list[Place]:
    cells = {each.key for each in results}
    machines: dict[str, dict[int, Process]] = {}
    for each in results:
        if each.machine:
            process = Process(each, *known[each.key, each.machine])
            machines.setdefault(each.machine, {})[each.seed] = process
    first = results[0]
    point = {axis: value for axis, value in first.point.items() if value is not None}
    places = [
        Place(plan.spec, plan.profile, first.device, point, machine, of, len(cells) - len(of))
        for machine, of in (machines or {"": {}}).items()
    ]
    # A machine without the device says nothing where another one has it.
    present = [place for place in places if not _only_skipped(place)]
    return sorted(present or places, key=lambda place: place.machine)


def _only_skipped(place: Place) -> bool:
    return all(one.result.status == "skipped" for one in place.processes.values())


def _conditions(record: Record) -> dict[str, str]:
    """Everything that belongs to a cell's identity but the seed, by dotted key."""
    cell = record.cell
    asked = {
        "workload": cell.workload,
        "device": cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        "measure": cell.measure.model_dump(mode="json", include=MEASURED_BY),
    }
    return dict(_leaves(asked, ""))


def _leaves(value: Any, path: str) -> Iterable[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, json.dumps(value, sort_keys=True, ensure_ascii=False)
