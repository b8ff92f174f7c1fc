"""What a comparison of two results folders holds, and how it is come by.

OLD and NEW are compared group by group: the processes of one spec and profile, at one sweep
point, on one device of one machine. Nothing that is in either folder is dropped; what cannot
be compared is a row with its reasons.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan, log1p
from pathlib import Path
from typing import Any, Literal, Protocol

from accelreport.analysis.comparison import (
    Comparison,
    ComparisonRow,
    Difference,
    Gate,
    OverallOutcome,
    SideSummary,
)
from accelreport.analysis.invalid_results import REFUSED
from accelreport.analysis.parity import WITHIN, Parity, Quality
from accelreport.analysis.results import Result, results_of_plans
from accelreport.analysis.speedup import (
    Group,
    Rules,
    Speedup,
    alike,
    inputs_differ,
    seed_of,
    speedup,
    spreads,
)
from accelreport.analysis.stats import LEVEL, MARGIN, Contrast, processes_to_reach
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Environment, Record
from accelreport.spec.base import Scalar
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY

QUIET = ("accelreport", "Python", "operating system")
"""Facts that are told but are not loud: they seldom change a steady step by themselves."""

GPU = "GPU and driver"

_PORT = re.compile(r"(?<=[\w\]]):\d+(?=\")")
"""Ports of a cluster's addresses, which are others in every run."""


class Measured(Protocol):
    """A group of processes."""

    def values(self, name: str) -> list[str]:
        """What they say of a fact, each value once."""

    @property
    def facts(self) -> set[str]:
        """The facts that they say something of."""


def facts(record: Record) -> dict[str, str]:
    """Fact → value of the machine and the software of a record; empty where it names none."""
    if record.environment is None:
        return {}
    environment = record.environment
    found = {
        "machine": environment.machine,
        "CPU": environment.cpu,
        "threads": str(environment.threads),
        GPU: "; ".join(_gpus(environment)) or "none",
        "operating system": environment.os,
        "Python": environment.python,
        "accelreport": _version(environment),
    }
    if environment.cpu_limit is not None:
        found["CPU limit"] = f"{environment.cpu_limit:g}"
    found |= {f"package {name}": value for name, value in environment.packages.items()}
    found |= {
        f"variable {name}": _PORT.sub(":…", value) if name == "TF_CONFIG" else value
        for name, value in environment.variables.items()
    }
    own = environment.runtime.get("framework", "TensorFlow").partition(" ")[0]
    return found | {f"{own}'s {name}": value for name, value in environment.runtime.items()}


def _gpus(environment: Environment) -> Iterable[str]:
    for gpu in environment.gpus:
        yield f"{gpu.name}, driver {gpu.driver}" if gpu.driver else gpu.name


def _version(environment: Environment) -> str:
    commit = f" {environment.commit[:12]}" if environment.commit else ""
    return f"{environment.accelreport}{commit}{' with changes' if environment.dirty else ''}"


def differences(pairs: Sequence[tuple[Measured, Measured]]) -> list[Difference]:
    """Every fact that is not the same on both sides of some pair, the grave ones first."""
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], int] = {}
    for old, new in pairs:
        if not (old.facts and new.facts):
            continue
        for name in sorted(old.facts | new.facts):
            values = tuple(old.values(name)), tuple(new.values(name))
            if values[0] != values[1]:
                found[name, *values] = found.get((name, *values), 0) + 1
    told = [
        Difference(
            fact=name, old=list(old), new=list(new), grave=name not in QUIET, comparisons=count
        )
        for (name, old, new), count in found.items()
    ]
    return sorted(told, key=lambda each: (not each.grave, each.fact != "machine", each.fact))


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


def alone(group: Place, side: Literal["old", "new"], elsewhere: Sequence[str]) -> ComparisonRow:
    """The row of a group that only one folder has.

    Args:
        group: the group.
        side: the folder.
        elsewhere: machines on which the other folder has the same, where it has it.
    """
    other = "NEW" if side == "old" else "OLD"
    reason = f"{other} has nothing like it"
    if group.machine and elsewhere:
        reason = (
            f"measured on {group.machine}, which {other} has not; it has {', '.join(elsewhere)}"
        )
    own: dict[str, Any] = {
        f"{side}_machine": group.machine,
        f"{side}_processes": len(group.timed),
        f"{side}_seconds": _mean(group.group()),
    }
    return ComparisonRow(
        **_named(group),
        outcome="only-old" if side == "old" else "only-new",
        reasons=[reason, *group.problems],
        **own,
    )


def compared(old: Place, new: Place, gate: float | None, spread: float = 0.0) -> ComparisonRow:
    """The row of a group that both folders have.

    Args:
        old: what was before.
        new: what is now.
        gate: how much longer a step may take, as a fraction; None when nothing is gated.
        spread: what other sweep points tell of the spread of such comparisons.
    """
    row = _named(new) | {
        "old_machine": old.machine,
        "new_machine": new.machine,
        "old_processes": len(old.timed),
        "new_processes": len(new.timed),
        "old_seconds": _mean(old.group()),
        "new_seconds": _mean(new.group()),
    }
    sides = (("OLD", old), ("NEW", new))
    told = [f"{name}: {said}" for name, side in sides for said in side.problems]
    differing = _differing(old, new)
    if differing:
        return ComparisonRow(**row, outcome="withheld", reasons=[*differing, *told])
    if not (old.timed and new.timed):
        failed = bool(old.timed) and new.failed
        return ComparisonRow(**row, outcome="not-measured", reasons=told, failed_in_new=failed)
    before, after = _measured_apart(old, new)
    rules = Rules(quality=_quality(before, after), pair=seed_of, spread=spread)
    faster, longer = speedup(after, before, rules), speedup(before, after, rules)
    notes = [*_no_interval(longer), *told, *_learns(faster), *_warned(old, new)]
    row |= _said(longer, faster, gate)
    if copied := _copied(old, new):
        row["nothing_new"] = len(before.timed) == len(old.timed)
        notes.insert(0, NOTHING_NEW if row["nothing_new"] else f"{len(copied)} left out: {BOTH}")
        if row["nothing_new"] and gate is not None:
            row["gate"] = Gate.OPEN
    if row["pairs"]:
        shared = _seeds(before) & _seeds(after)
        row["old_seconds"] = _mean(old.group(old.processes.keys() - shared))
        row["new_seconds"] = _mean(new.group(new.processes.keys() - shared))
        notes += [*_unpaired("OLD", before, shared), *_unpaired("NEW", after, shared)]
    return ComparisonRow(**row, outcome="compared", reasons=notes)


BOTH = "both folders hold the very same measurements"
NOTHING_NEW = f"nothing was measured anew: {BOTH}"


def _copied(old: Place, new: Place) -> set[int]:
    """Seeds of which both folders hold the same measurement."""
    return {
        seed
        for seed in old.timed.keys() & new.timed.keys()
        if old.timed[seed].measurement == new.timed[seed].measurement
    }


def _measured_apart(old: Place, new: Place) -> tuple[Group, Group]:
    """The processes of both, without the measurements that both folders hold.

    Such a measurement beside itself would draw the ratio to 1. Where a side has no other,
    nothing is left out, so that a folder can be compared with itself.
    """
    copied = _copied(old, new)
    before, after = old.group(copied), new.group(copied)
    return (before, after) if before.timed and after.timed else (old.group(), new.group())


def _seeds(group: Group) -> set[int]:
    return {each.seed for each in group.timed}


def _named(place: Place) -> dict[str, Any]:
    return {
        "spec": place.spec,
        "profile": place.profile,
        "device": place.device,
        "point": place.point,
    }


def _mean(group: Group) -> float | None:
    return _finite(group.seconds().value)


def _unpaired(name: str, group: Group, shared: set[int]) -> list[str]:
    left = len(group.timed) - len(shared)
    return [f"{name}: {left} without a partner of the same seed left out"] if left else []


def _differing(old: Place, new: Place) -> list[str]:
    """The conditions under which comparing would be comparing two different things."""
    if not (old.processes and new.processes):
        return []
    one, other = (next(iter(side.processes.values())) for side in (old, new))
    found = [
        f"{key} is {one.conditions.get(key, 'absent')} in OLD and "
        f"{other.conditions.get(key, 'absent')} in NEW"
        for key in dict.fromkeys([*one.conditions, *other.conditions])
        if one.conditions.get(key) != other.conditions.get(key)
    ]
    if inputs_differ(old.group(), new.group()):
        found.append("the data are not the same: their fingerprints differ")
    shared = old.timed.keys() & new.timed.keys()
    if not found and any(
        old.timed[seed].result.key != new.timed[seed].result.key for seed in shared
    ):
        found.append("the two versions of accelreport take these for different cells")
    return found


def _said(longer: Speedup, faster: Speedup, gate: float | None) -> dict[str, Any]:
    """Ratio, interval, verdict and gate; `longer` is OLD's rate of work over NEW's.

    A difference in quality stands beside the ratio and does not take it away: whoever changed
    the code asks for it.
    """
    found, other = (each.estimate or each.qualified for each in (longer, faster))
    if found is None or other is None:
        return {}
    row: dict[str, Any] = {
        "pairs": found.interval.n if found.paired else 0,
        "ratio": _finite(found.interval.value),
        "low": _finite(found.interval.low),
        "high": _finite(found.interval.high),
        "verdict": other.verdict.value,
        "needed": other.needed,
    }
    return row if gate is None else row | _gated(found.contrast, gate)


def _gated(longer: Contrast, gate: float) -> dict[str, Any]:
    """FAILS when the whole interval lies above 1 + gate, PASSES when none of it does.

    Logarithms are compared, so that a wider gate never fails what a narrower one passes.
    """
    limit, half = log1p(gate), longer.half_width()
    if isnan(half):
        return {"gate": Gate.OPEN}
    if longer.value - half > limit:
        return {"gate": Gate.FAILS}
    if longer.value + half <= limit:
        return {"gate": Gate.PASSES}
    enough = processes_to_reach(abs(longer.value - limit), longer.spread, LEVEL)
    return {"gate": Gate.OPEN, "gate_needed": _more(enough, longer)}


def _more(enough: int | None, longer: Contrast) -> int | None:
    return None if enough is None else max(enough - longer.n, 1)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _no_interval(longer: Speedup) -> list[str]:
    found = longer.estimate or longer.qualified
    if found is None or found.interval.known or longer.base is None:
        return []
    sides = (("OLD", longer.own), ("NEW", longer.base))
    lone = [name for name, side in sides if len(side.timed) == 1]
    return [f"one process in {' and in '.join(lone)} gives no interval"]


def _quality(old: Group, new: Group) -> Quality | None:
    """The accuracy of which both have complete runs."""
    for metric in ("val_accuracy", "accuracy"):
        have = (
            {each.seed for each in side.results if each.complete and metric in each.final}
            for side in (old, new)
        )
        if set.intersection(*have):
            return Quality(metric, WITHIN)
    return None


def _learns(faster: Speedup) -> list[str]:
    """Whether NEW trains to another quality: a faster step that learns less is no gain."""
    agreed = faster.agreement
    if agreed is None or agreed.verdict is not Parity.DIFFERENT:
        return []
    return [f"{agreed.quality.metric} is not the same: {agreed.difference.value:+.4f} in NEW"]


def _warned(old: Place, new: Place) -> list[str]:
    """Warnings beside the times, which weaken what they say."""
    kinds = [side.warnings for side in (old, new)]
    if kinds[0] == kinds[1]:
        return [f"both were warned of: {_counted(kinds[0])}"] if kinds[0] else []
    pairs = zip(("OLD", "NEW"), kinds, strict=True)
    return [f"{name} was warned of: {_counted(found)}" for name, found in pairs if found]


def _counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} ×{count}" for kind, count in sorted(kinds.items()))


class Folder(Protocol):
    """A results folder; `accelreport.results.store.Store` is one."""

    @property
    def root(self) -> Path:
        """Where it is."""

    @property
    def problems(self) -> Sequence[object]:
        """Files that could not be read so far, each with a sentence as its text."""

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan that can be read."""

    def records(self) -> Iterable[Record]:
        """Every record that can be read."""


def compare_folders(old: Folder, new: Folder, gate: float | None = None) -> Comparison:
    """Compare everything that two results folders hold.

    Args:
        old: what was before.
        new: what is now.
        gate: how much longer a step may take, as a fraction; None when nothing is gated.
    """
    before, after = (places_of(each.plans(), each.records()) for each in (old, new))
    rows: list[ComparisonRow] = []
    partners: dict[Name, tuple[list[tuple[Place, Place]], list[Place], list[Place]]] = {}
    for name in dict.fromkeys([*after.groups, *before.groups]):
        old_groups, new_groups = before.groups.get(name, []), after.groups.get(name, [])
        partners[name] = _partners(old_groups, new_groups)
    together = [pair for pairs, _, _ in partners.values() for pair in pairs]
    known = _spreads(together)
    for name, (pairs, only_old, only_new) in partners.items():
        old_groups, new_groups = before.groups.get(name, []), after.groups.get(name, [])
        rows += [
            compared(one, other, gate, known.get(_alike(one, other), 0.0)) for one, other in pairs
        ]
        rows += [alone(group, "old", _machines(new_groups)) for group in only_old]
        rows += [alone(group, "new", _machines(old_groups)) for group in only_new]
    sides = _summary(old, before), _summary(new, after)
    return Comparison(
        result=_result(rows, sides, gate),
        old=sides[0],
        new=sides[1],
        level=LEVEL,
        margin=MARGIN,
        gate=gate,
        apart=_apart(together),
        differences=differences(together),
        rows=rows,
    )


def _spreads(pairs: Iterable[tuple[Place, Place]]) -> dict[tuple[str, ...], float]:
    """What is known of the spread of comparisons from all sweep points of a spec."""
    by_plan: dict[tuple[str, str], list[tuple[Group, Group]]] = {}
    for old, new in pairs:
        if not _differing(old, new):
            apart = _measured_apart(old, new)
            by_plan.setdefault((new.spec, new.profile), []).append(apart[::-1])
    return {
        (*plan, *place): spread
        for plan, groups in by_plan.items()
        for place, spread in spreads(groups, Rules(pair=seed_of)).items()
    }


def _alike(old: Place, new: Place) -> tuple[str, ...]:
    return (new.spec, new.profile, *alike(new.group(), old.group()))


def _summary(folder: Folder, groups: Places) -> SideSummary:
    return SideSummary(
        name=str(folder.root),
        records=groups.records,
        unplanned=groups.unplanned,
        unreadable=[str(problem) for problem in folder.problems],
    )


def _result(
    rows: Sequence[ComparisonRow], sides: Sequence[SideSummary], gate: float | None
) -> OverallOutcome:
    """What it comes to; of several things the gravest."""
    if any(row.gate is Gate.FAILS for row in rows):
        return OverallOutcome.SLOWER
    if any(side.unreadable for side in sides):
        return OverallOutcome.UNREADABLE
    if gate is not None and any(row.failed_in_new for row in rows):
        return OverallOutcome.FAILED
    compared = [row for row in rows if row.outcome == "compared"]
    # A gate that looks at old results only must not look as if it had been passed.
    told = [row for row in compared if not row.nothing_new] if gate is not None else compared
    return OverallOutcome.DONE if told else OverallOutcome.NOTHING


def _apart(pairs: Sequence[tuple[Place, Place]]) -> str:
    """When each folder was measured, where that was not at the same time; empty otherwise."""
    times = [
        sorted(one.started_at for pair in pairs for one in pair[side].timed.values())
        for side in (0, 1)
    ]
    if not all(times) or not (times[0][-1] < times[1][0] or times[1][-1] < times[0][0]):
        return ""
    old, new = (f"{each[0][:19]} to {each[-1][:19]}" for each in times)
    return f"OLD from {old}, NEW from {new} (UTC)"


def _machines(groups: Sequence[Place]) -> list[str]:
    return [group.machine for group in groups if group.machine]


def _partners(
    old: Sequence[Place], new: Sequence[Place]
) -> tuple[list[tuple[Place, Place]], list[Place], list[Place]]:
    """Places of one name by machine: those to be compared, and what is in one folder only.

    A machine is compared with itself. Where one machine is left on each side, these two are
    compared; where more are left, it would be arbitrary which.
    """
    known = {group.machine: group for group in old}
    pairs = [(known[group.machine], group) for group in new if group.machine in known]
    shared = {group.machine for _, group in pairs}
    left_old = [group for group in old if group.machine not in shared]
    left_new = [group for group in new if group.machine not in shared]
    if len(left_old) == len(left_new) == 1:
        return [*pairs, (left_old[0], left_new[0])], [], []
    return pairs, left_old, left_new
