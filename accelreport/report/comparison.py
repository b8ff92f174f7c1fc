"""What is said of two results folders: the document, and the sentences that all formats share.

Nothing that is in either folder is dropped; what cannot be compared is a row with its reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from math import isfinite, nan
from pathlib import Path
from typing import Any, Literal, Protocol

from accelreport.analysis.compare import (
    ABSENT,
    VECTOR,
    CodeChange,
    EnvironmentDifference,
    FolderGroup,
    Gate,
    SortedFolder,
    Unlike,
    alike_places,
    code_changes,
    copied,
    differences,
    edited,
    energy_of_both,
    gated,
    hosts_differ,
    least_slowdown_shown,
    measured_apart,
    partners,
    processor_time_of_both,
    quality_gap,
    quality_of_both,
    sorted_folder,
    spreads_of,
    unlike,
)
from accelreport.analysis.findings import MOST_SEPARATE, Caveat
from accelreport.analysis.noise import Noise
from accelreport.analysis.speedup import Group, Rules, Speedup, seed_of, speedup
from accelreport.analysis.stats import LEVEL, MARGIN, Interval, grouped
from accelreport.report import quantity
from accelreport.report.forms import SIGNS, signs_text
from accelreport.report.frames import needed_text, no_interval_text, of_processes, problems_of
from accelreport.report.quantity import percent_at_best, percentage_points, ratio_of
from accelreport.report.site.options import ResultsSource
from accelreport.report.view import VECTORS
from accelreport.results.plan_document import Document
from accelreport.results.privacy import alone_published, without_names
from accelreport.spec.base import Scalar
from accelreport.spec.problems import counted


class OverallOutcome(StrEnum):
    """What a comparison of two folders comes to, the gravest first."""

    SLOWER = "slower"
    """Something is slower than the gate allows, or less accurate."""
    UNREADABLE = "unreadable"
    """Files of a folder could not be read, so something may be missing here."""
    FAILED = "failed"
    """With a gate: something that OLD measured failed in NEW."""
    NOTHING = "nothing"
    """Nothing could be compared."""
    DONE = "done"
    """Everything else."""


class SideSummary(Document):
    """One of the two folders."""

    name: str
    """Its path, as it was given."""
    records: int
    """Records in it."""
    unplanned: int
    """Records that no plan in it asks for, such as those of an earlier wording of a spec."""
    unreadable: list[str]
    """Files that could not be read, and why."""


class ComparisonRow(Document):
    """One spec and profile at one sweep point, on one device of one machine."""

    spec: str
    """Name of the spec."""
    title: str = ""
    """Its title."""
    profile: str
    """Name of the profile, as the plan bears it."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    outcome: Literal["compared", "withheld", "not-measured", "only-old", "only-new"]
    """compared; withheld: the conditions differ; not-measured: a side has no time;
    only-old, only-new: the other folder has nothing like it."""
    reasons: list[str]
    """Why it was not compared; of a comparison, what a reader must know."""
    old_machine: str = ""
    """Fingerprint of the machine in OLD."""
    new_machine: str = ""
    """Fingerprint of the machine in NEW."""
    old_processes: int = 0
    """Processes with a time in OLD."""
    new_processes: int = 0
    """Processes with a time in NEW."""
    pairs: int = 0
    """Seeds that were compared pair by pair; 0 when processes were not paired."""
    old_seconds: float | None = None
    """Seconds of a steady step in OLD, the geometric mean over processes."""
    new_seconds: float | None = None
    """The same in NEW."""
    stopped: list[Literal["OLD", "NEW"]] = []
    """The folders in which the time budget ended a process."""
    speedup: float | None = None
    """How many times as fast NEW is, the geometric mean over pairs of seeds or over processes."""
    low: float | None = None
    """Lower end of its 95 % interval; absent where there is none."""
    high: float | None = None
    """Upper end."""
    verdict: str = ""
    """FASTER, SLOWER, SAME or UNDECIDED, of NEW against OLD; WITHHELD where the two do not reach
    the same accuracy or ran on two hosts; empty where nothing was compared."""
    quality: str = ""
    """The accuracy that is not the same; empty where it is, or where too few processes tell."""
    quality_change: float | None = None
    """By how much it is higher in NEW, as a fraction."""
    quality_open: bool = False
    """Whether the accuracies lie further apart than what counts as the same, and too few
    processes tell whether they are: such a row passes no gate."""
    energy: float | None = None
    """How many times the energy per example NEW takes, by the sensor of what computes; absent
    where a side has no such sensor."""
    energy_low: float | None = None
    """Lower end of its 95 % interval; absent where there is none."""
    energy_high: float | None = None
    """Upper end."""
    needed: int | None = None
    """Processes that each side needs in addition to decide an UNDECIDED row, with probability
    0.8; absent where that is unknown or beyond a thousand."""
    gate: Gate | None = None
    """Whether NEW is slower than the gate allows, or less accurate."""
    gate_needed: int | None = None
    """The same for a gate that is OPEN."""
    sees: float | None = None
    """The smallest slowdown, as a fraction, that so many processes show on NEW's machine with a
    probability of 0.8, by what `accelreport noise` found of it; absent where it was not asked."""
    nothing_new: bool = False
    """Whether both folders hold the very same measurements, as when results were copied and
    nothing was run since."""
    hosts_differ: bool = False
    """Whether OLD and NEW ran on two hosts of one fingerprint: such a row has no verdict and passes
    no gate."""
    failed_in_new: bool = False
    """Whether OLD has times and in NEW every process failed."""

    @property
    def interval(self) -> Interval:
        """The speedup with its interval, where it has them."""
        value, low, high = (nan if x is None else x for x in (self.speedup, self.low, self.high))
        return Interval(value, low, high, self.pairs)


class FolderComparison(Document):
    """Two results folders against each other."""

    result: OverallOutcome
    """What it comes to."""
    old: SideSummary
    """What was before."""
    new: SideSummary
    """What is now."""
    level: float
    """Confidence level of each interval."""
    margin: float
    """Ratios from 1/(1 + margin) to 1 + margin are the SAME."""
    gate: float | None
    """How much longer a step may take, as a fraction; absent when nothing is gated."""
    differences: list[EnvironmentDifference]
    """What differs of machine and software, the grave ones first; last when each folder was
    measured, where all of one was before all of the other."""
    code: list[CodeChange] = []
    """What differs of somebody's own code: what the comparison is about."""
    rows: list[ComparisonRow]
    """Everything that either folder holds."""

    @property
    def sides(self) -> tuple[tuple[str, SideSummary], ...]:
        """Both folders by their names."""
        return ("OLD", self.old), ("NEW", self.new)

    def of(self, *outcomes: str) -> list[ComparisonRow]:
        """The rows with one of these outcomes."""
        return [row for row in self.rows if row.outcome in outcomes]

    def gated(self, gate: Gate) -> list[ComparisonRow]:
        """The rows of which the gate says so."""
        return [row for row in self.rows if row.gate is gate]


OUTCOMES = {
    "withheld": "Not compared, because the conditions differ",
    "not-measured": "Not compared, because a side has no time",
    "only-old": "Only in OLD",
    "only-new": "Only in NEW",
}
"""Headings over the rows that were not compared."""

HEAD = ("device", "point", "OLD", "NEW", "times as fast", "processes", "verdict")
"""The columns of a table, without the gate's."""


def percentage(share: float) -> str:
    """A fraction as `5 %`, `2.5 %`."""
    return f"{100 * share:.4g} %"


def where_text(row: ComparisonRow) -> str:
    """A sweep point: `batch_size=256 units=4`; a dash where there are no axes."""
    return " ".join(f"{key}={value}" for key, value in row.point.items()) or "–"


def benchmark(row: ComparisonRow) -> str:
    """A spec, with its profile where it is not the spec as it stands."""
    return row.spec if row.profile == "full" else f"{row.spec} ({row.profile})"


def time_texts(row: ComparisonRow) -> tuple[str, str]:
    """Both times, that of the only side that the budget stopped with its sign."""
    only = row.stopped if len(row.stopped) == 1 else []
    old, new = (
        quantity.duration(seconds) + f"{quantity.SPACE}{SIGNS[Caveat.BUDGET]}" * (name in only)
        for name, seconds in (("OLD", row.old_seconds), ("NEW", row.new_seconds))
    )
    return old, new


def signs_of(rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """What the sign of a time means, where one has it."""
    return (signs_text({Caveat.BUDGET}),) * any(len(row.stopped) == 1 for row in rows)


def speedup_text(row: ComparisonRow) -> str:
    """How many times as fast NEW is, with the interval: `1.08× (1.05–1.11×)`."""
    if row.speedup is None:
        return "–"
    return f"{ratio_of(row.interval)}{'' if row.interval.known else ', no interval'}"


def processes_compared(row: ComparisonRow) -> str:
    """How many processes were compared, and how."""
    if row.pairs:
        return counted(row.pairs, "pair")
    return f"{row.old_processes} and {row.new_processes}"


def decided(row: ComparisonRow) -> str:
    """The verdict, and what an undecided one still needs."""
    return ", ".join(filter(None, (row.verdict, more_text(row, row.needed))))


def gate_text(row: ComparisonRow) -> str:
    """What the gate says, and what an open one still needs."""
    return ", ".join(filter(None, (row.gate and row.gate.value, more_text(row, row.gate_needed))))


def more_text(row: ComparisonRow, needed: int | None) -> str:
    """What would decide a row that lacks so many processes of each side."""
    n = row.pairs or min(row.old_processes, row.new_processes)
    return needed_text(needed, n, paired=bool(row.pairs))


def alarms(comparison: FolderComparison, *, machines: bool = True) -> Iterator[str]:
    """What is said loudly before any number; a page has machines and software in a table."""
    yield from map(code_text, comparison.code)
    for aspect in comparison.differences:
        if aspect.grave and machines:
            yield f"different {changed_text(aspect)}"
    if same := [row for row in comparison.rows if row.nothing_new]:
        every = counted(len(comparison.of("compared")), "comparison")
        yield f"nothing new was measured in {len(same)} of {every}: NEW holds OLD's measurements"
    for name, side in comparison.sides:
        for file in side.unreadable:
            yield f"{name} has a file that cannot be read, and what it holds is missing: {file}"


def asides(comparison: FolderComparison) -> Iterator[str]:
    """What is said quietly."""
    yield from (changed_text(row) for row in comparison.differences if not row.grave)
    yield from unplanned(comparison)


def unplanned(comparison: FolderComparison) -> Iterator[str]:
    """How many records no comparison uses."""
    for name, side in comparison.sides:
        if side.unplanned:
            yield (
                f"{counted(side.unplanned, 'record')} in {name} "
                f"{'belongs' if side.unplanned == 1 else 'belong'} to no plan in that folder, "
                "and no comparison uses them"
            )


def changed_text(difference: EnvironmentDifference) -> str:
    """Both sides of a difference: "CPU: AMD EPYC in OLD, Intel Xeon in NEW"."""
    old, new = values_of(difference)
    return f"{difference.fact}: {old} in OLD, {new} in NEW"


MOST_VALUES = 3
"""Values of a fact that are named; more are counted."""


def values_of(difference: EnvironmentDifference) -> tuple[str, str]:
    """What OLD had and what NEW had, of many values the first ones."""
    sides = []
    for side in (difference.old, difference.new):
        named = (next((VECTORS[key] for key in VECTORS if key in own.split()), own) for own in side)
        shown = dict.fromkeys(named if difference.fact == VECTOR else side)
        every = [value for value in shown if value != ABSENT] or [ABSENT]
        more = [f"{len(every) - MOST_VALUES} others"] * (len(every) > MOST_VALUES)
        sides.append(quantity.listed([*every[:MOST_VALUES], *more]))
    return sides[0], sides[1]


def code_text(change: CodeChange) -> str:
    """What was edited: `code changed: step.py, 3 lines`."""
    lines = "" if change.lines is None else f", {counted(change.lines, 'line')}"
    return f"code changed: {change.file}{lines}"


VERDICTS = {
    "SLOWER": "slower",
    "FASTER": "faster",
    "SAME": "the same",
    "UNDECIDED": "undecided",
    "WITHHELD": "withheld",
}
"""Verdict → its words in a sentence."""
ALONE = "each by its own interval"


def verdicts(comparison: FolderComparison) -> str:
    """How often each verdict was given."""
    rows = comparison.of("compared")
    if not rows:
        return "Nothing could be compared."
    counts = ", ".join(verdict_counts(rows, in_words=False))
    alone = f", {ALONE}" * (len(rows) > MOST_SEPARATE)
    return f"{counted(len(rows), 'comparison')}{alone}: {counts}"


def verdict_counts(rows: Iterable[ComparisonRow], *, in_words: bool) -> list[str]:
    """How many rows have which verdict: "3 the same", "1 undecided"."""
    count = Counter(row.verdict for row in rows)
    known = ((name, words) for name, words in VERDICTS.items() if count[name])
    return [f"{count[name]} {words if in_words else name}" for name, words in known]


def quality_text(metric: str, change: float) -> str:
    """By how much NEW's accuracy differs: `val_accuracy is 44 percentage points lower in NEW`."""
    points = percentage_points(float(f"{abs(change):.3g}"))
    return f"{metric} is {points} {'lower' if change < 0 else 'higher'} in NEW"


def conclusions(comparison: FolderComparison) -> Iterator[str]:
    """What it comes to: the verdicts, then the gate in sentences."""
    yield verdicts(comparison)
    if comparison.gate is None:
        return
    limit = percentage(comparison.gate)
    fails, still, passes = map(comparison.gated, (Gate.FAILS, Gate.OPEN, Gate.PASSES))
    for row in fails:
        why = f"slower than the gate of {limit} beyond doubt"
        if row.quality_change is not None:
            why = quality_text(row.quality, row.quality_change)
        yield f"FAILED: {_named(row)} is {speedup_text(row)} as fast: {why}"
    if passes:
        yield f"{_rows(passes)} not slower by more than {limit}, beyond doubt"
    if learns := [row for row in still if row.quality_open]:
        yield f"{_rows(learns)} undecided about the gate: the accuracies differ, see the notes"
    if known := [row.sees for row in still if row.sees is not None]:
        best = percent_at_best(min(known))
        yield f"This gate sees {best} at best, by the noise of this machine (accelreport noise)"
    if unsure := [row for row in still if not row.quality_open]:
        yield f"{_rows(unsure)} undecided about the gate: a slowdown beyond {limit} is not excluded"
    for row in (row for row in comparison.rows if row.failed_in_new):
        yield f"FAILED: {_named(row)} was measured in OLD and failed in NEW"
    if comparison.result is OverallOutcome.DONE and still:
        every = counted(len(comparison.of("compared")), "comparison")
        open_ones = f"{len(still)} of {every} {'is' if len(still) == 1 else 'are'} undecided"
        yield f"The gate is neither closed nor passed: {open_ones}."
    elif comparison.result is OverallOutcome.SLOWER and any(row.quality for row in fails):
        yield "The gate is closed: something is slower than it allows, or less accurate."
    else:
        yield CONCLUSION[comparison.result]


CONCLUSION = {
    OverallOutcome.SLOWER: "The gate is closed: something is slower than it allows.",
    OverallOutcome.UNREADABLE: "The gate cannot be trusted: files could not be read.",
    OverallOutcome.FAILED: "The gate is closed: something that OLD measured failed in NEW.",
    OverallOutcome.NOTHING: "The gate says nothing: there is nothing new to compare.",
    OverallOutcome.DONE: "The gate is passed: nothing that was compared is slower than it allows.",
}
"""The last sentence, with a gate."""


def _named(row: ComparisonRow) -> str:
    point = f" at {where_text(row)}" if row.point else ""
    return f"{benchmark(row)} on {row.device}{point}"


def _rows(rows: Sequence[ComparisonRow]) -> str:
    return f"{len(rows)} is" if len(rows) == 1 else f"{len(rows)} are"


def _alone(
    group: FolderGroup, side: Literal["old", "new"], elsewhere: Sequence[FolderGroup]
) -> ComparisonRow:
    """The row of a group of one folder; `elsewhere` are those of its name in the other."""
    other, reasons = "NEW" if side == "old" else "OLD", _problems(group)
    machines = ", ".join(own.machine for own in elsewhere if own.machine)
    if group.machine and machines:
        reasons.insert(0, f"measured on {group.machine}; {other} has {machines}")
    own: dict[str, Any] = {
        f"{side}_machine": group.machine,
        f"{side}_processes": len(group.timed),
        f"{side}_seconds": _mean(group.group()),
    }
    return ComparisonRow(
        **_identity(group),
        outcome="only-old" if side == "old" else "only-new",
        reasons=reasons,
        **own,
    )


def _compared_row(
    old: FolderGroup,
    new: FolderGroup,
    gate: float | None,
    spread: float,
    noises: Sequence[Noise],
    mixed: Collection[str],
) -> ComparisonRow:
    """The row of a group that both folders have.

    Args:
        old: what was before.
        new: what is now.
        gate: as in `compare_folders`.
        spread: what other sweep points tell of the spread of such comparisons.
        noises: as in `compare_folders`.
        mixed: facts of which a folder has several values, so that a row names its own.
    """
    row = _identity(new) | {
        "old_machine": old.machine,
        "new_machine": new.machine,
        "old_processes": len(old.timed),
        "new_processes": len(new.timed),
        "old_seconds": _mean(old.group()),
        "new_seconds": _mean(new.group()),
        "stopped": [name for name, side in (("OLD", old), ("NEW", new)) if side.stopped],
    }
    gaps = [f"{sides}: {why}" for why, sides in _on_sides(_problems(old), _problems(new))]
    if differing := unlike(old, new):
        return ComparisonRow(**row, outcome="withheld", reasons=[*_unlike_text(differing), *gaps])
    if not (old.timed and new.timed):
        failed = bool(old.timed) and new.failed
        return ComparisonRow(**row, outcome="not-measured", reasons=gaps, failed_in_new=failed)
    before, after = measured_apart(old, new)
    rules = Rules(quality=quality_of_both(before, after), pair=seed_of, spread=spread)
    faster = speedup(after, before, rules)
    row |= _speedup_fields(faster, gate)
    takes = energy_of_both(before, after)
    ends = {"energy": takes.value, "energy_low": takes.low, "energy_high": takes.high}
    row |= {name: _finite(value) for name, value in ends.items()}
    notes = [*map(code_text, edited(old, new)), *_no_interval(faster, old, new), *gaps]
    if "quality" in row:
        notes.insert(0, quality_text(row["quality"], row["quality_change"]))
    if (gap := quality_gap(before, after)) and "quality" not in row:
        row["quality_open"] = True
        notes.insert(0, f"{quality_text(*gap)}, but too few processes ran to decide it")
        if row.get("gate") is Gate.PASSES:
            row |= {"gate": Gate.OPEN, "gate_needed": None}
    if isfinite(takes.value):
        notes.append(f"NEW takes {ratio_of(takes)} the energy per example")
    unsure = row["verdict"] == "UNDECIDED" or row.get("gate") is Gate.OPEN
    work = processor_time_of_both(before, after)
    if unsure and work.known and not work.low <= 1 <= work.high:
        notes.append(f"NEW takes {ratio_of(work)} the processor time per step")
    seeds = [{one.seed for one in side.timed} for side in (before, after)]
    if both := copied(old, new):
        row["nothing_new"] = seeds[0] <= both
        notes.insert(0, NOTHING_NEW if row["nothing_new"] else f"{len(both)} left out: {BOTH}")
        if row["nothing_new"] and gate is not None:
            row["gate"] = Gate.OPEN
    if hosts := hosts_differ(old, new):
        row |= {"hosts_differ": True, "verdict": "WITHHELD", "needed": None}
        what = "; ".join(f"{fact} {one} in OLD, {other} in NEW" for fact, one, other in hosts)
        notes.insert(0, f"no verdict, because two hosts have this fingerprint ({what})")
        if gate is not None and "quality" not in row:
            row |= {"gate": Gate.OPEN, "gate_needed": None}
    else:
        notes[:0] = [changed_text(own) for own in differences([(old, new)]) if own.fact in mixed]
    row["sees"] = least_slowdown_shown(new, min(map(len, seeds)), noises)
    row |= {"old_seconds": _mean(before), "new_seconds": _mean(after)}
    if seeds[0] == seeds[1]:
        row["pairs"] = len(seeds[0])
        for name, side in (("OLD", old), ("NEW", new)):
            if left := len(side.timed.keys() - seeds[0] - both):
                notes.append(f"{name}: {left} without a partner of the same seed left out")
    return ComparisonRow(**row, outcome="compared", reasons=notes)


BOTH = "both folders hold the very same measurements"
NOTHING_NEW = f"nothing new was measured: {BOTH}"


def _identity(place: FolderGroup) -> dict[str, Any]:
    return {
        "spec": place.spec,
        "title": place.title,
        "profile": place.profile,
        "device": place.device,
        "point": place.point,
    }


def _mean(group: Group) -> float | None:
    return _finite(group.seconds().value)


def _unlike_text(differing: Unlike) -> Iterator[str]:
    """The conditions under which comparing would be comparing two different things."""
    for key, old, new in differing.conditions:
        yield f"{key} is {old} in OLD and {new} in NEW"
    if differing.input:
        yield "the data are not the same: their fingerprints differ"
    if differing.cells:
        yield "the two versions of accelreport take these for different cells"


def _problems(place: FolderGroup) -> list[str]:
    """Why processes have no time, each with how many it befell."""
    problems = problems_of(place.group()) + Counter({"not run": place.not_run})
    return of_processes(problems, len(place.processes) + place.not_run)


def _speedup_fields(faster: Speedup, gate: float | None) -> dict[str, Any]:
    """Speedup, interval, verdict and gate.

    Where the two do not reach the same accuracy the speedup stays, since whoever changed the code
    asks for it; it has no verdict and passes no gate.
    """
    estimate, agreed = faster.computed, faster.agreement
    if estimate is None:
        return {}
    row: dict[str, Any] = {
        "speedup": _finite(estimate.interval.value),
        "low": _finite(estimate.interval.low),
        "high": _finite(estimate.interval.high),
        "verdict": "WITHHELD" if faster.withheld else estimate.verdict.value,
        "needed": None if faster.withheld else estimate.needed,
    }
    if gate is not None:
        row["gate"], row["gate_needed"] = gated(estimate.contrast, gate)
    if faster.withheld and agreed:
        change = agreed.difference.value
        row |= {"quality": agreed.quality.metric, "quality_change": change}
        if gate is not None and (change < 0 or row["gate"] is Gate.PASSES):
            row |= {"gate": Gate.FAILS if change < 0 else Gate.OPEN, "gate_needed": None}
    return row


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _no_interval(faster: Speedup, old: FolderGroup, new: FolderGroup) -> list[str]:
    estimate = faster.computed
    if estimate is None or estimate.interval.known:
        return []
    n, sides = estimate.interval.n, {"OLD": old, "NEW": new}
    lone = [name for name, side in sides.items() if len(side.timed) == n] or sides
    return [no_interval_text(" and in ".join(lone), n, "in")]


def _on_sides(old: Iterable[str], new: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each text with the sides of which it is said: "OLD", "NEW" or "OLD and NEW"."""
    every = [*((text, "OLD") for text in old), *((text, "NEW") for text in new)]
    for text, own in grouped(every, lambda one: one[0]).items():
        yield text, " and ".join(side for _, side in own)


class Folder(ResultsSource, Protocol):
    """A results folder; `accelreport.results.store.Store` is one."""

    @property
    def root(self) -> Path:
        """Where it is."""


def compare_folders(
    old: Folder, new: Folder, gate: float | None = None, noises: Sequence[Noise] = ()
) -> FolderComparison:
    """Compare everything that two results folders hold.

    Args:
        old: what was before.
        new: what is now.
        gate: how much longer a step may take, as a fraction; None when nothing is gated.
        noises: what is known of the noise of machines.
    """
    before, after = (
        sorted_folder(folder.plans(), map(alone_published, folder.records()))
        for folder in (old, new)
    )
    rows: list[ComparisonRow] = []
    paired = {
        name: partners(before.groups.get(name, []), after.groups.get(name, []))
        for name in dict.fromkeys([*after.groups, *before.groups])
    }
    all_pairs = [pair for pairs, _, _ in paired.values() for pair in pairs]
    known, differing = spreads_of(all_pairs), differences(all_pairs)
    mixed = {
        row.fact
        for row in differing
        if row.grave and any(len({*side} - {ABSENT}) > 1 for side in (row.old, row.new))
    }
    for name, (pairs, only_old, only_new) in paired.items():
        rows += [
            _compared_row(one, other, gate, known.get(alike_places(one, other), 0.0), noises, mixed)
            for one, other in pairs
        ]
        rows += [_alone(group, "old", after.groups.get(name, [])) for group in only_old]
        rows += [_alone(group, "new", before.groups.get(name, [])) for group in only_new]
    sides = _summary(old, before), _summary(new, after)
    return FolderComparison(
        result=_result(rows, sides, gate),
        old=sides[0],
        new=sides[1],
        level=LEVEL,
        margin=MARGIN,
        gate=gate,
        differences=[*differing, *_apart(all_pairs)],
        code=code_changes(all_pairs),
        rows=rows,
    )


def _summary(folder: Folder, groups: SortedFolder) -> SideSummary:
    return SideSummary(
        name=without_names(str(folder.root)),
        records=groups.records,
        unplanned=groups.unplanned,
        unreadable=[without_names(str(problem)) for problem in folder.problems],
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
    relevant = [row for row in compared if not row.nothing_new] if gate is not None else compared
    return OverallOutcome.DONE if relevant else OverallOutcome.NOTHING


def _apart(pairs: Sequence[tuple[FolderGroup, FolderGroup]]) -> Iterator[EnvironmentDifference]:
    """When each folder was measured, where all of one was before all of the other."""
    old, new = (
        sorted(one.started_at for pair in pairs for one in pair[side].timed.values())
        for side in (0, 1)
    )
    if old and new and (old[-1] < new[0] or new[-1] < old[0]):
        sides = [quantity.days((own[0], own[-1])) for own in (old, new)]
        if sides[0] == sides[1]:
            sides = [quantity.moment(own[0]) for own in (old, new)]
        yield EnvironmentDifference(
            fact="measured apart", old=sides[:1], new=sides[1:], grave=False, comparisons=len(pairs)
        )
