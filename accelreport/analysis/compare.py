"""Two results folders: which of their processes may be compared with which.

OLD and NEW are compared place by place: the processes of one spec and profile, at one sweep
point, on one device of one machine. `accelreport.report.comparison` says what came of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import chain
from math import isnan, log1p, nan
from statistics import fmean
from typing import NamedTuple

from accelreport.analysis.learning import WITHIN, Quality
from accelreport.analysis.noise import Noise, nearest
from accelreport.analysis.results import ENERGY, PROCESSOR_TIME, Result, results_of_plans
from accelreport.analysis.speedup import (
    Group,
    Rules,
    alike,
    inputs_differ,
    seed_of,
    speedup,
    spreads,
)
from accelreport.analysis.stats import NOTHING, Contrast, Interval, processes_to_reach
from accelreport.analysis.warnings import REFUSED
from accelreport.results.plan_document import Document, PlanDocument
from accelreport.results.record import OTHER_LOAD, Record
from accelreport.spec.base import Scalar, dotted_values
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY

QUIET = ("Python", "operating system")
"""Facts that seldom change a steady step by themselves."""

ABSENT = "absent"
"""The value of a fact that a record does not have."""
GPU, VECTOR = "GPU and driver", "vector extensions"

ONE_HOST = 1.25
"""Two measurements of a roof on one idle host differ by at most this factor."""

_PORT = re.compile(r"(?<=[\w\]]):\d+(?=\")")
"""Ports of a cluster's addresses, which differ from run to run."""


def facts(record: Record) -> dict[str, str]:
    """Fact → value of the machine and the software of a record; empty where it names none."""
    if record.environment is None:
        return {}
    environment = record.environment
    gpus = [f"{g.name}, driver {g.driver}" if g.driver else g.name for g in environment.gpus]
    commit = f" {environment.commit[:12]}" if environment.commit else ""
    dirty = " with changes" if environment.dirty else ""
    values = {
        "machine": environment.machine,
        "CPU": environment.cpu,
        "threads": str(environment.threads),
        GPU: "; ".join(gpus) or "none",
        "operating system": environment.os,
        "Python": environment.python,
        "accelreport": f"{environment.accelreport}{commit}{dirty}",
    }
    if environment.vector:
        values[VECTOR] = " ".join(environment.vector)
    if environment.cpu_limit is not None:
        values["CPU limit"] = f"{environment.cpu_limit:g}"
    values |= {f"package {name}": value for name, value in environment.packages.items()}
    values |= {
        f"variable {name}": _PORT.sub(":…", value) if name == "TF_CONFIG" else value
        for name, value in environment.variables.items()
    }
    own = environment.runtime.get("framework", "TensorFlow").partition(" ")[0]
    for name, value in environment.runtime.items():
        if name != "onednn" or "kernels" not in environment.runtime:  # which says the same
            values[f"{own} {name}"] = value
    return values


GroupName = tuple[str, str, str, str]
"""Spec, profile, device and sweep point, which groups of two folders share."""


@dataclass(frozen=True)
class MeasuredProcess:
    """A measured process, and what was asked of it and of its machine.

    Attributes:
        result: what became of it.
        conditions: dotted key → value of everything that was asked for.
        code: path → text of each Python file of the spec that it ran.
        imported: path → SHA-256 of each file that it imported from elsewhere.
        environment: fact → value of machine and software.
        roofs: 10¹² operations per second of a core, and 10⁹ bytes per second; empty where other
            programs kept the machine busy.
        started_at: when it was launched, UTC in ISO 8601.
    """

    result: Result
    conditions: Mapping[str, str]
    code: Mapping[str, str]
    imported: Mapping[str, str]
    environment: Mapping[str, str]
    roofs: Sequence[float]
    started_at: str

    @property
    def measurement(self) -> tuple[str, str, float]:
        """What identifies a measurement: no two have the same machine, start and seconds."""
        return self.result.machine, self.started_at, self.result.seconds


@dataclass(frozen=True)
class FolderGroup:
    """The processes of one device at one sweep point on one machine, in one folder.

    Attributes:
        title: of the spec.
        machine: its fingerprint; empty where nothing was run.
        processes: seed → process.
        not_run: planned processes of which that machine has no record.
    """

    spec: str
    title: str
    profile: str
    device: str
    point: dict[str, Scalar]
    machine: str
    processes: Mapping[int, MeasuredProcess]
    not_run: int

    def group(self, without: Collection[int] = ()) -> Group:
        """Its processes, some seeds left out, to be compared."""
        kept = (one.result for seed, one in self.processes.items() if seed not in without)
        return Group(self.device, self.machine, self.point, tuple(kept))

    @property
    def timed(self) -> dict[int, MeasuredProcess]:
        """Seed → process, of those that have a time."""
        return {seed: one for seed, one in self.processes.items() if one.result.timed}

    @property
    def failed(self) -> bool:
        """Whether it has no time because its processes failed, or their numbers are none."""
        results = [one.result for one in self.processes.values()]
        return not self.timed and any(result.status in {"failed", REFUSED} for result in results)

    @property
    def stopped(self) -> bool:
        """Whether the time budget ended one of its processes."""
        return any(one.result.status == "partial" for one in self.timed.values())

    @property
    def facts(self) -> set[str]:
        """The facts that any of its processes has."""
        return {name for one in self.processes.values() for name in one.environment}

    def values(self, name: str) -> list[str]:
        """The values of a fact in its processes' environments, each once."""
        values = {one.environment.get(name, ABSENT) for one in self.processes.values()}
        return sorted(values)


@dataclass(frozen=True)
class SortedFolder:
    """A results folder by what is compared.

    Attributes:
        groups: name → its places, one for each machine.
        records: records in the folder.
        unplanned: records that no plan asks for.
    """

    groups: Mapping[GroupName, Sequence[FolderGroup]]
    records: int
    unplanned: int


Facts = tuple[
    Mapping[str, str],
    Mapping[str, str],
    Mapping[str, str],
    Mapping[str, str],
    Sequence[float],
    str,
]
"""What a `MeasuredProcess` has beside its result, in the same order."""


def sorted_folder(plans: Iterable[PlanDocument], records: Iterable[Record]) -> SortedFolder:
    """Sorts a folder; each record is looked at once and let go."""
    ordered = sorted(plans, key=lambda document: (document.spec, document.profile))
    known: dict[tuple[str, str], Facts] = {}
    keys: list[str] = []

    def noted() -> Iterator[Record]:
        for record in records:
            keys.append(record.key)
            code, holding = _code(record)
            roofs = record.environment.roofs if record.environment else None
            quiet = roofs is not None and roofs.other_cores <= OTHER_LOAD
            known[record.key, record.machine] = (
                _conditions(record, holding),
                code,
                {imported.file: imported.sha256 for imported in record.imported},
                facts(record),
                (roofs.core_tflops, roofs.gbps) if roofs and quiet else (),
                record.started_at,
            )
            yield record

    groups: dict[GroupName, list[FolderGroup]] = {}
    planned: set[str] = set()
    for plan, results in zip(ordered, results_of_plans(ordered, noted()), strict=True):
        planned |= {cell.key for cell in plan.cells}
        by_name: dict[GroupName, list[Result]] = {}
        for result in results:
            point = json.dumps(dict(result.point), sort_keys=True)
            by_name.setdefault((plan.spec, plan.profile, result.device, point), []).append(result)
        for name, own in by_name.items():
            groups[name] = _by_machine(plan, own, known)
    return SortedFolder(groups, len(keys), sum(key not in planned for key in keys))


def _by_machine(
    plan: PlanDocument,
    results: Sequence[Result],
    known: Mapping[tuple[str, str], Facts],
) -> list[FolderGroup]:
    cells = {measured.key for measured in results}
    machines: dict[str, dict[int, MeasuredProcess]] = {}
    for result in results:
        if result.machine:
            process = MeasuredProcess(result, *known[result.key, result.machine])
            machines.setdefault(result.machine, {})[result.seed] = process
    first = results[0]
    point = {axis: value for axis, value in first.point.items() if value is not None}
    places = [
        FolderGroup(
            plan.spec,
            plan.title,
            plan.profile,
            first.device,
            point,
            machine,
            of,
            len(cells) - len(of),
        )
        for machine, of in (machines or {"": {}}).items()
    ]
    # A machine without the device says nothing where another one has it.
    present = [
        place
        for place in places
        if any(one.result.status != "skipped" for one in place.processes.values())
    ]
    return sorted(present or places, key=lambda place: place.machine)


CODE_KEYS = {
    "file": ("document", "modules"),
    "model": ("document", "modules"),
    "data": ("data_document", "data_modules"),
}
"""Keys that may name a file of Python, each with those that hold its text and its modules'."""


def _code(record: Record) -> tuple[dict[str, str], set[str]]:
    """The text of each Python file of the spec that a process ran, and the keys that hold it.

    Returns:
        The texts by path; the keys of the workload.
    """
    workload = record.cell.workload
    texts: dict[str, str] = {}
    holding: set[str] = set()
    for key, (text, modules) in CODE_KEYS.items():
        file = str(workload.get(key, "")).partition(":")[0]
        if file.endswith(".py"):
            texts |= {file: workload[text], **workload.get(modules, {})}
            holding |= {text, modules}
    return texts, holding


def _conditions(record: Record, without: Collection[str]) -> dict[str, str]:
    """Dotted key → value of a cell's identity, without its seed and its code."""
    cell = record.cell
    asked = {
        "workload": {name: value for name, value in cell.workload.items() if name not in without},
        "device": cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        "measure": cell.measure.model_dump(mode="json", include=MEASURED_BY),
    }
    return {
        key: json.dumps(value, sort_keys=True, ensure_ascii=False)
        for key, value in dotted_values(asked)
    }


def copied(old: FolderGroup, new: FolderGroup) -> set[int]:
    """Seeds of which both folders hold the same measurement."""
    return {
        seed
        for seed in old.timed.keys() & new.timed.keys()
        if old.timed[seed].measurement == new.timed[seed].measurement
    }


def measured_apart(old: FolderGroup, new: FolderGroup) -> tuple[Group, Group]:
    """The timed processes that are compared: of the seeds that both have, where there are any.

    What both folders hold is left out: a measurement compared with itself would draw the ratio
    to 1. Where a side has no other, nothing is, so that a folder can be compared with itself.
    """
    both, sides = copied(old, new), (old, new)
    own = [side.timed.keys() - both for side in sides]
    own = own if all(own) else [set(side.timed) for side in sides]
    kept = [set.intersection(*own) or seeds for seeds in own]
    return old.group(old.processes.keys() - kept[0]), new.group(new.processes.keys() - kept[1])


class Condition(NamedTuple):
    """A condition that differs: its dotted key, OLD's value and NEW's as JSON."""

    key: str
    old: str
    new: str


@dataclass(frozen=True)
class Unlike:
    """Why comparing two places would be comparing two different things.

    Attributes:
        conditions: the conditions that differ.
        input: whether the fingerprints of the data differ.
        cells: whether two versions of accelreport give the same conditions different keys.
    """

    conditions: tuple[Condition, ...] = ()
    input: bool = False
    cells: bool = False

    def __bool__(self) -> bool:
        return bool(self.conditions or self.input or self.cells)


def unlike(old: FolderGroup, new: FolderGroup) -> Unlike:
    """The conditions that differ; none where a side has no processes."""
    if not (old.processes and new.processes):
        return Unlike()
    one, other = (next(iter(side.processes.values())).conditions for side in (old, new))
    conditions = tuple(
        Condition(key, one.get(key, "absent"), other.get(key, "absent"))
        for key in dict.fromkeys([*one, *other])
        if one.get(key) != other.get(key)
    )
    data = inputs_differ(old.group().timed, new.group().timed)
    shared = old.timed.keys() & new.timed.keys()
    cells = any(old.timed[seed].result.key != new.timed[seed].result.key for seed in shared)
    return Unlike(conditions, data, cells and not (conditions or data or edited(old, new)))


class CodeChange(Document):
    """A Python file that is not the same in both folders."""

    file: str
    """Its path in the spec's folder; of a file outside it, its path in its package."""
    lines: int | None
    """How many lines were changed, added or deleted; unknown of a file outside the spec's folder,
    of which a record has only the checksum."""
    comparisons: int = 1
    """How many of the comparisons it concerns."""


def edited(old: FolderGroup, new: FolderGroup) -> list[CodeChange]:
    """The files of code that differ: what the comparison is about, and no condition of it."""
    if not (old.processes and new.processes):
        return []
    first, second = (next(iter(side.processes.values())) for side in (old, new))
    one, other, changes = first.code, second.code, []
    for name in dict.fromkeys([*one, *other]):
        before, after = (side.get(name, "").splitlines() for side in (one, other))
        if one.get(name) != other.get(name):
            blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            # A line and what takes its place are one.
            lines = sum(max(b - a, d - c) for tag, a, b, c, d in blocks if tag != "equal")
            changes.append(CodeChange(file=name, lines=lines))
    here, there = first.imported, second.imported
    if here and there:  # a record without any may be older than their checksums
        names = sorted(here.keys() | there.keys())
        differing = (name for name in names if here.get(name) != there.get(name))
        changes += [CodeChange(file=name, lines=None) for name in differing]
    return changes


def code_changes(pairs: Iterable[tuple[FolderGroup, FolderGroup]]) -> list[CodeChange]:
    """Every file of code that differs between the sides of a pair, each change once."""
    count = Counter((edit.file, edit.lines) for old, new in pairs for edit in edited(old, new))
    return [
        CodeChange(file=file, lines=lines, comparisons=comparisons)
        for (file, lines), comparisons in count.items()
    ]


def hosts_differ(old: FolderGroup, new: FolderGroup) -> list[Condition]:
    """What shows that the fingerprint of both is that of two hosts, as clones of an image have it.

    Other fingerprints are no condition: two machines may be what is compared.
    """
    if old.machine != new.machine or not (old.timed and new.timed):
        return []
    known = [one.environment for side in (old, new) for one in side.timed.values()]

    def differs(fact: str) -> bool:
        return len({facts[fact] for facts in known if fact in facts}) > 1

    names = sorted({name for facts in known for name in facts})
    asked = any(differs(name) for name in names if name.startswith(("package ", "variable ")))
    shown = [
        VECTOR,
        *(name for name in names if name.endswith((" onednn", " kernels")) and not asked),
    ]
    differing = [
        Condition(fact, " and ".join(old.values(fact)), " and ".join(new.values(fact)))
        for fact in filter(differs, shown)
    ]
    for number, name in enumerate(("TFLOP/s of a core", "GB/s of the memory")):
        sides = [
            [one.roofs[number] for one in side.timed.values() if one.roofs] for side in (old, new)
        ]
        every = [*sides[0], *sides[1]]
        if all(sides) and max(every) > ONE_HOST * min(every):
            ends = (dict.fromkeys(f"{end(side):.3g}" for end in (min, max)) for side in sides)
            differing.append(Condition(name, *map(" to ".join, ends)))
    return differing


def quality_of_both(old: Group, new: Group) -> Quality | None:
    """The accuracy of which both have complete runs."""
    common = (metric for metric, before, after in _accuracies(old, new) if before.keys() & after)
    return next((Quality(metric, WITHIN) for metric in common), None)


def _accuracies(
    old: Group, new: Group
) -> Iterator[tuple[str, Mapping[int, float], Mapping[int, float]]]:
    """Each accuracy, with its value in every complete run of either side by seed."""
    for metric in ("val_accuracy", "accuracy"):
        before, after = (
            {
                result.seed: result.final[metric]
                for result in side.results
                if result.complete and metric in result.final
            }
            for side in (old, new)
        )
        yield metric, before, after


def quality_gap(old: Group, new: Group) -> tuple[str, float] | None:
    """The accuracy that lies further apart than what counts as the same, and by how much.

    NEW minus OLD, of means over complete runs: of the same seeds, where there are any. None where
    a side has none; few processes may not decide whether the gap is real.
    """
    both = ((metric, one, other) for metric, one, other in _accuracies(old, new) if one and other)
    for metric, before, after in both:
        shared = before.keys() & after.keys()
        one, other = (
            fmean(value for seed, value in side.items() if seed in shared or not shared)
            for side in (before, after)
        )
        return (metric, other - one) if abs(other - one) > WITHIN else None
    return None


ENERGY_RULES = Rules(pair=seed_of, by=ENERGY)


def energy_of_both(old: Group, new: Group) -> Interval:
    """How many times the energy per example NEW takes; `NOTHING` where a side has none."""
    return speedup(new, old, ENERGY_RULES).interval


ONE_CORE = 1.1
"""Cores that a process keeps busy, at most, whose steps compute on one; a runtime's own threads
take a little."""

PROCESSOR_RULES = Rules(pair=seed_of, by=PROCESSOR_TIME)


def processor_time_of_both(old: Group, new: Group) -> Interval:
    """How many times the processor time per step NEW takes, where steps compute on one core.

    Other programs take turns on that core, which lengthens the time by the clock and hardly this
    one. `NOTHING` where a side keeps more cores busy: more of them may make a step shorter.
    """
    busy = [result.timings.cpu_per_wall for group in (old, new) for result in group.timed]
    alone = max(busy, default=nan) <= ONE_CORE
    return speedup(new, old, PROCESSOR_RULES).interval if alone else NOTHING


class Gate(StrEnum):
    """Whether NEW is slower than the gate allows, or less accurate."""

    FAILS = "FAILS"
    """It is: it is less than 1/(1 + gate) times as fast, with the whole interval, or its accuracy
    is lower."""
    PASSES = "PASSES"
    """It is not: it is at least so fast, with the whole interval, and as accurate."""
    OPEN = "OPEN"
    """The interval contains 1/(1 + gate), there is none, or the accuracy differs, or may differ
    and has too few processes."""


def gated(faster: Contrast, gate: float) -> tuple[Gate, int | None]:
    """Whether NEW is slower than a gate allows, and how many more processes would decide it.

    FAILS when the whole interval lies below 1/(1 + gate), PASSES when none of it does. Logarithms
    are compared, so that a wider gate never fails what a narrower one passes.

    Args:
        faster: the logarithm of how many times as fast NEW is.
        gate: how much longer a step may take, as a fraction.
    """
    limit, half = -log1p(gate), faster.half_width()
    if isnan(half):
        return Gate.OPEN, None
    if faster.value + half < limit:
        return Gate.FAILS, None
    if faster.value - half >= limit:
        return Gate.PASSES, None
    enough = processes_to_reach(abs(faster.value - limit), faster.spread)
    return Gate.OPEN, None if enough is None else max(enough - faster.n, 1)


def read_margin(text: str) -> float:
    """A gate as a fraction: `5%`, `5 %` and `0.05` are 0.05.

    Raises:
        ValueError: it is none, negative, or more than 100 % without saying percent.
    """
    number, sign, rest = text.strip().partition("%")
    try:
        value = float(number) / (100 if sign else 1)
    except ValueError:
        value = -1.0
    if rest.strip() or not 0 <= value <= (10 if sign else 1):
        raise ValueError(f"{text!r} is no margin; write 5% or 0.05")
    return value


def least_slowdown_shown(new: FolderGroup, processes: int, noises: Sequence[Noise]) -> float | None:
    """The smallest slowdown that so many processes show where NEW was measured."""
    workload = f"{new.spec}:{new.profile.partition('+')[0]}"
    noise = nearest(noises, new.machine, workload, new.device, new.point)
    return noise.shown_by(processes) if noise and processes > 1 else None


class EnvironmentDifference(Document):
    """A fact of machine or software that is not the same in both folders."""

    fact: str
    """What differs, such as `package tensorflow`."""
    old: list[str]
    """What OLD was measured with, in any of the comparisons."""
    new: list[str]
    """What NEW was measured with."""
    grave: bool
    """Whether it can change a measurement by itself: machine, framework, driver, settings."""
    comparisons: int
    """How many of the comparisons it concerns."""


def differences(pairs: Sequence[tuple[FolderGroup, FolderGroup]]) -> list[EnvironmentDifference]:
    """Every fact that is not the same on both sides of some pair, the grave ones first.

    Commits of accelreport are none: each record has its own.
    """
    known = [pair for pair in pairs if all(side.facts for side in pair)]
    differing = []
    for name in sorted(set[str]().union(*(side.facts for pair in known for side in pair))):
        sides = [tuple(side.values(name)) for pair in known for side in pair]
        old, new = (sorted(set(chain(*own))) for own in (sides[::2], sides[1::2]))
        unlike_ones = sum(one != other for one, other in zip(sides[::2], sides[1::2], strict=True))
        if unlike_ones and name != "accelreport":
            differing.append(EnvironmentDifference(
                fact=name, old=old, new=new, grave=name not in QUIET, comparisons=unlike_ones,
            ))  # fmt: skip
    return sorted(differing, key=lambda row: (not row.grave, row.fact != "machine", row.fact))


def spreads_of(pairs: Iterable[tuple[FolderGroup, FolderGroup]]) -> dict[tuple[str, ...], float]:
    """What is known of the spread of comparisons from all sweep points of a spec."""
    by_plan: dict[tuple[str, str], list[tuple[Group, Group]]] = {}
    for old, new in pairs:
        if not unlike(old, new):
            apart = measured_apart(old, new)
            by_plan.setdefault((new.spec, new.profile), []).append(apart[::-1])
    return {
        (*plan, *place): spread
        for plan, groups in by_plan.items()
        for place, spread in spreads(groups, Rules(pair=seed_of)).items()
    }


def alike_places(old: FolderGroup, new: FolderGroup) -> tuple[str, ...]:
    """The key of comparisons whose spread is pooled: spec, profile, devices and machines."""
    return (new.spec, new.profile, *alike(new.group(), old.group()))


def partners(
    old: Sequence[FolderGroup], new: Sequence[FolderGroup]
) -> tuple[list[tuple[FolderGroup, FolderGroup]], list[FolderGroup], list[FolderGroup]]:
    """Groups of one name by machine: the pairs to be compared, and what is in one folder only.

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
