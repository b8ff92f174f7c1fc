"""The processes of a results folder, by what they measured and on which machine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accelreport.analysis.comparison_environment import facts
from accelreport.analysis.steadiness import findings
from accelreport.analysis.steady import steady
from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.results.record import Record
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY
from accelreport.spec.models import Scalar

Name = tuple[str, str, str, str]
"""Spec, profile, device and sweep point: what groups of two folders have in common."""


@dataclass(frozen=True)
class Process:
    """What one record says that matters to a comparison.

    Attributes:
        key: the cell's key.
        machine: fingerprint of its machine.
        status: status of the record.
        problem: why it has no time; empty when it has one.
        seconds: seconds of a steady step; 0 when it has none.
        fingerprint: of the data.
        conditions: dotted key → value of everything that was asked for.
        environment: fact → value of machine and software.
        warnings: kinds of its warnings.
        final: final metrics of a complete run.
        started_at: when it was launched, UTC in ISO 8601.
    """

    key: str
    machine: str
    status: str
    problem: str
    seconds: float
    fingerprint: str
    conditions: Mapping[str, str]
    environment: Mapping[str, str]
    warnings: tuple[str, ...]
    final: Mapping[str, float]
    started_at: str

    @property
    def measurement(self) -> tuple[str, str, float]:
        """What no other measurement has in common with it."""
        return self.machine, self.started_at, self.seconds


@dataclass
class Group:
    """The processes of one device at one sweep point on one machine.

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
    processes: dict[int, Process] = field(default_factory=dict)
    not_run: int = 0

    @property
    def seconds(self) -> dict[int, float]:
        """Seed → seconds of a steady step, of the processes that have one."""
        return {seed: one.seconds for seed, one in self.processes.items() if one.seconds > 0}

    @property
    def failed(self) -> bool:
        """Whether it has no time because its processes failed."""
        return not self.seconds and any(one.status == "failed" for one in self.processes.values())

    @property
    def problems(self) -> list[str]:
        """Why processes have no time, each with how many it befell."""
        said = Counter(one.problem for one in self.processes.values() if one.problem)
        said += Counter({"not run": self.not_run})
        planned = len(self.processes) + self.not_run
        return [f"{count} of {planned} processes: {problem}" for problem, count in said.items()]

    @property
    def facts(self) -> set[str]:
        """The facts that its processes say something of."""
        return {name for one in self.processes.values() for name in one.environment}

    def values(self, name: str) -> list[str]:
        """What its processes say of a fact of their environment, each value once."""
        said = {one.environment.get(name, "absent") for one in self.processes.values()}
        return sorted(said)


@dataclass(frozen=True)
class Groups:
    """A results folder, sorted.

    Attributes:
        groups: name → its groups, one for each machine.
        records: records in the folder.
        unplanned: records that no plan asks for.
    """

    groups: Mapping[Name, Sequence[Group]]
    records: int
    unplanned: int


def groups_of(plans: Iterable[PlanDocument], records: Iterable[Record]) -> Groups:
    """Sorts a folder; each record is looked at once and let go."""
    by_key: dict[str, list[Process]] = {}
    count = 0
    for record in records:
        by_key.setdefault(record.key, []).append(process_of(record))
        count += 1
    found: dict[Name, list[Group]] = {}
    planned: set[str] = set()
    for plan in sorted(plans, key=lambda each: (each.spec, each.profile)):
        planned |= {cell.key for cell in plan.cells}
        places: dict[Name, list[PlannedCell]] = {}
        for cell in plan.cells:
            name = (plan.spec, plan.profile, cell.device, json.dumps(cell.point, sort_keys=True))
            places.setdefault(name, []).append(cell)
        for name, cells in places.items():
            found[name] = _by_machine(plan, cells, by_key)
    unplanned = sum(len(found) for key, found in by_key.items() if key not in planned)
    return Groups(found, count, unplanned)


def _by_machine(
    plan: PlanDocument, cells: Sequence[PlannedCell], by_key: Mapping[str, Sequence[Process]]
) -> list[Group]:
    groups: dict[str, Group] = {}
    for cell in cells:
        for one in by_key.get(cell.key, ()):
            empty = Group(plan.spec, plan.profile, cell.device, cell.point, one.machine)
            groups.setdefault(one.machine, empty).processes[cell.seed] = one
    if not groups:
        first = cells[0]
        groups[""] = Group(plan.spec, plan.profile, first.device, first.point, "")
    for group in groups.values():
        group.not_run = len(cells) - len(group.processes)
    # A machine without the device says nothing where another one has it.
    present = [group for group in groups.values() if not _only_skipped(group)]
    return sorted(present or groups.values(), key=lambda group: group.machine)


def _only_skipped(group: Group) -> bool:
    return all(one.status == "skipped" for one in group.processes.values())


def process_of(record: Record) -> Process:
    """What a comparison needs of a record."""
    seconds, problem = _seconds(record)
    warned = [warned.kind for warned in record.warnings]
    if record.measured:
        warned += [found.kind for found in findings(record)]
    return Process(
        key=record.key,
        machine=record.machine,
        status=record.status,
        problem=problem,
        seconds=seconds,
        fingerprint=record.data.fingerprint if record.data else "",
        conditions=_conditions(record),
        environment=facts(record),
        warnings=tuple(dict.fromkeys(warned)),
        final=record.final if record.status == "ok" else {},
        started_at=record.started_at,
    )


def _seconds(record: Record) -> tuple[float, str]:
    if record.measured:
        seconds = steady(record).step_s
        return (seconds, "") if seconds > 0 else (0.0, "ended before its first steady step")
    failure = record.failure
    if failure is None:
        return 0.0, record.status
    return 0.0, f"{record.status} ({failure.kind}): {failure.message}"


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
