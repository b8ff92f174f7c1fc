"""What is said of two results folders: plain values, and the sentences that all formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Literal

from accelreport.analysis.words import counted
from accelreport.results.plan_document import Document
from accelreport.spec.base import Scalar


class Gate(StrEnum):
    """Whether NEW is slower than the gate allows."""

    FAILS = "FAILS"
    """The whole interval of NEW's time over OLD's lies above 1 + gate: it is slower."""
    PASSES = "PASSES"
    """The whole interval lies at or below 1 + gate: it is not."""
    OPEN = "OPEN"
    """The interval holds 1 + gate, or there is none: too few processes to tell."""


class OverallOutcome(StrEnum):
    """What a comparison of two folders comes to, the gravest first."""

    SLOWER = "slower"
    """Something is slower than the gate allows."""
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


class Difference(Document):
    """A fact of machine or software that is not the same in both folders."""

    fact: str
    """What differs, such as `package tensorflow`."""
    old: list[str]
    """What OLD was measured with."""
    new: list[str]
    """What NEW was measured with."""
    grave: bool
    """Whether it can change a measurement by itself: machine, framework, driver, settings."""
    comparisons: int
    """How many of the comparisons it concerns."""


class ComparisonRow(Document):
    """One spec and profile at one sweep point, on one device of one machine."""

    spec: str
    """Name of the spec."""
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
    ratio: float | None = None
    """NEW's time over OLD's, the geometric mean over pairs of seeds or over processes."""
    low: float | None = None
    """Lower end of its 95 % interval; absent where there is none."""
    high: float | None = None
    """Upper end."""
    verdict: str = ""
    """FASTER, SLOWER, SAME or UNDECIDED, of NEW against OLD; empty where nothing was compared."""
    needed: int | None = None
    """Processes that each side needs in addition to decide an UNDECIDED row, with probability
    0.8; absent where that is unknown or beyond a thousand."""
    gate: Gate | None = None
    """Whether NEW is slower than the gate allows."""
    gate_needed: int | None = None
    """The same for a gate that is OPEN."""
    nothing_new: bool = False
    """Whether both folders hold the very same measurements, as when results were copied and
    nothing was run since."""
    failed_in_new: bool = False
    """Whether OLD has times and in NEW every process failed."""


class Comparison(Document):
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
    apart: str
    """Where all that was compared of one folder was measured before all of the other: when each
    was measured. No interval holds what changed about the machine in between."""
    differences: list[Difference]
    """What differs of machine and software, the grave ones first."""
    rows: list[ComparisonRow]
    """Everything that either folder holds."""

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

HEAD = ("device", "point", "OLD", "NEW", "NEW ÷ OLD time", "processes", "verdict")
"""The columns of a table, without the gate's."""


def percent(share: float) -> str:
    """A fraction as `5 %`, `2.5 %`."""
    return f"{100 * share:.4g} %"


def duration(seconds: float | None) -> str:
    """Seconds of a step in a fitting unit; a dash where there are none."""
    if seconds is None:
        return "–"
    for below, unit, name in ((1e-6, 1e-9, "ns"), (1e-3, 1e-6, "µs"), (1.0, 1e-3, "ms")):
        if seconds < below:
            return f"{seconds / unit:.4g} {name}"
    return f"{seconds:.4g} s"


def place(row: ComparisonRow) -> str:
    """A sweep point: `batch_size=256 units=4`; a dash where there are no axes."""
    return " ".join(f"{key}={value}" for key, value in row.point.items()) or "–"


def benchmark(row: ComparisonRow) -> str:
    """A spec, with its profile where it is not the spec as it stands."""
    return row.spec if row.profile == "full" else f"{row.spec} ({row.profile})"


def ratio(row: ComparisonRow) -> str:
    """The ratio with its interval: `1.08 (1.05 to 1.11)`."""
    if row.ratio is None:
        return "–"
    if row.low is None or row.high is None:
        return f"{row.ratio:.3f}, no interval"
    return f"{row.ratio:.3f} ({row.low:.3f} to {row.high:.3f})"


def processes(row: ComparisonRow) -> str:
    """How many processes were compared, and how."""
    if row.pairs:
        return counted(row.pairs, "pair")
    return f"{row.old_processes} and {row.new_processes}"


def decided(row: ComparisonRow) -> str:
    """The verdict, and what an undecided one still needs."""
    if row.verdict != "UNDECIDED":
        return row.verdict
    return f"UNDECIDED{_more(row.needed)}"


def gated(row: ComparisonRow) -> str:
    """What the gate says, and what an open one still needs."""
    if row.gate is None:
        return ""
    return f"{row.gate.value}{_more(row.gate_needed) if row.gate is Gate.OPEN else ''}"


def _more(needed: int | None) -> str:
    return f", {needed} more would tell" if needed else ""


def alarms(comparison: Comparison) -> Iterator[str]:
    """What is said loudly before any number."""
    for each in comparison.differences:
        if each.grave:
            yield f"{each.fact} differs: {changed(each)} ({_concerns(each, comparison)})"
    if same := [row for row in comparison.rows if row.nothing_new]:
        every = counted(len(comparison.of("compared")), "comparison")
        yield f"nothing was measured anew in {len(same)} of {every}: NEW holds OLD's measurements"
    for name, side in (("OLD", comparison.old), ("NEW", comparison.new)):
        for file in side.unreadable:
            yield f"{name} has a file that cannot be read, and what it holds is missing: {file}"


def asides(comparison: Comparison) -> Iterator[str]:
    """What is said quietly."""
    if comparison.apart:
        yield (
            f"measured one after the other: {comparison.apart}; what changed about the machine "
            "in between is in no interval"
        )
    for each in comparison.differences:
        if not each.grave:
            yield f"{each.fact}: {changed(each)}"
    for name, side in (("OLD", comparison.old), ("NEW", comparison.new)):
        if side.unplanned:
            yield (
                f"{counted(side.unplanned, 'record')} in {name} "
                f"{'belongs' if side.unplanned == 1 else 'belong'} to no plan in that folder, "
                "and no comparison uses them"
            )


def changed(difference: Difference) -> str:
    """Both sides of a difference."""
    return f"{', '.join(difference.old)} in OLD, {', '.join(difference.new)} in NEW"


def _concerns(difference: Difference, comparison: Comparison) -> str:
    every = len(comparison.of("compared", "withheld", "not-measured"))
    return f"in {difference.comparisons} of {counted(every, 'comparison')}"


def verdicts(comparison: Comparison) -> str:
    """How often each verdict was given."""
    rows = comparison.of("compared")
    count = Counter(row.verdict for row in rows)
    names = ("SLOWER", "FASTER", "SAME", "UNDECIDED")
    told = ", ".join(f"{count[name]} {name}" for name in names if count[name])
    return f"{counted(len(rows), 'comparison')}: {told}" if rows else "Nothing could be compared."


def conclusions(comparison: Comparison) -> Iterator[str]:
    """What it comes to: the verdicts, then the gate in sentences."""
    yield verdicts(comparison)
    if comparison.gate is None:
        return
    limit = percent(comparison.gate)
    fails, still = comparison.gated(Gate.FAILS), comparison.gated(Gate.OPEN)
    passes = comparison.gated(Gate.PASSES)
    for row in fails:
        yield (
            f"FAILED: {_named(row)} takes {ratio(row)} times as long: slower than the gate of "
            f"{limit} beyond doubt"
        )
    if passes:
        yield f"{_rows(passes)} not slower by more than {limit}, beyond doubt"
    if still:
        yield f"{_rows(still)} undecided about the gate: a slowdown beyond {limit} is not excluded"
    broken = [row for row in comparison.rows if row.failed_in_new]
    for row in broken:
        yield f"FAILED: {_named(row)} was measured in OLD and failed in NEW"
    if comparison.result is OverallOutcome.DONE and still:
        every = counted(len(comparison.of("compared")), "comparison")
        yield f"The gate is not closed, and not passed either: {len(still)} of {every} cannot tell."
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
    point = f" at {place(row)}" if row.point else ""
    return f"{benchmark(row)} on {row.device}{point}"


def _rows(rows: Sequence[ComparisonRow]) -> str:
    return f"{len(rows)} is" if len(rows) == 1 else f"{len(rows)} are"
