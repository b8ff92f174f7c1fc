"""What a comparison of two results folders says, as the sentences that all formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from accelreport.analysis.comparison_values import Comparison, Difference, Gate, Result, Row
from accelreport.analysis.words import counted

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


def place(row: Row) -> str:
    """A sweep point: `batch_size=256 units=4`; a dash where there are no axes."""
    return " ".join(f"{key}={value}" for key, value in row.point.items()) or "–"


def benchmark(row: Row) -> str:
    """A spec, with its profile where it is not the spec as it stands."""
    return row.spec if row.profile == "full" else f"{row.spec} ({row.profile})"


def ratio(row: Row) -> str:
    """The ratio with its interval: `1.08 (1.05 to 1.11)`."""
    if row.ratio is None:
        return "–"
    if row.low is None or row.high is None:
        return f"{row.ratio:.3f}, no interval"
    return f"{row.ratio:.3f} ({row.low:.3f} to {row.high:.3f})"


def processes(row: Row) -> str:
    """How many processes were compared, and how."""
    if row.pairs:
        return counted(row.pairs, "pair")
    return f"{row.old_processes} and {row.new_processes}"


def decided(row: Row) -> str:
    """The verdict, and what an undecided one still needs."""
    if row.verdict != "UNDECIDED":
        return row.verdict
    return f"UNDECIDED{_more(row.needed)}"


def gated(row: Row) -> str:
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
    if comparison.result is Result.DONE and still:
        every = counted(len(comparison.of("compared")), "comparison")
        yield f"The gate is not closed, and not passed either: {len(still)} of {every} cannot tell."
    else:
        yield CONCLUSION[comparison.result]


CONCLUSION = {
    Result.SLOWER: "The gate is closed: something is slower than it allows.",
    Result.UNREADABLE: "The gate cannot be trusted: files could not be read.",
    Result.FAILED: "The gate is closed: something that OLD measured failed in NEW.",
    Result.NOTHING: "The gate says nothing: there is nothing new to compare.",
    Result.DONE: "The gate is passed: nothing that was compared is slower than it allows.",
}
"""The last sentence, with a gate."""


def _named(row: Row) -> str:
    point = f" at {place(row)}" if row.point else ""
    return f"{benchmark(row)} on {row.device}{point}"


def _rows(rows: Sequence[Row]) -> str:
    return f"{len(rows)} is" if len(rows) == 1 else f"{len(rows)} are"
