"""What is said before any number: synthetic data, runs cut short, repeats that were added."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Notice
from accelreport.report.text import label


def notices_of(benches: Sequence[Bench]) -> tuple[Notice, ...]:
    """Notices of one benchmark's page, or of the front page for all of them."""
    found = (_synthetic(benches), _partial(benches), _added(benches))
    return tuple(notice for notice in found if notice)


def _among(benches: Sequence[Bench], affected: Sequence[Bench]) -> str:
    """Which benchmarks, where a page speaks of several and not all."""
    if len(affected) == len(benches):
        return ""
    if len(affected) > 3:
        return f" in {len(affected)} of {formatting.plural(len(benches), 'benchmark')}"
    titles = [f"“{label(b.plan.title)}” ({label(b.plan.profile, 40)})" for b in affected]
    return f" in {formatting.listed(titles)}"


def _synthetic(benches: Sequence[Bench]) -> Notice | None:
    affected = [b for b in benches if any(row.origin == "synthetic" for row in b.rows)]
    if not affected:
        return None
    measured = [row for b in affected for row in b.rows if row.measured]
    every = all(row.origin == "synthetic" for row in measured)
    which = "Every number" if every else "Numbers marked so"
    return Notice(
        "Synthetic data.",
        f"{which}{_among(benches, affected)} came from a generated stand-in of the same shapes, "
        "not from the real data set. Times are comparable; accuracies say nothing about the "
        "real task.",
    )


def _partial(benches: Sequence[Bench]) -> Notice | None:
    affected = [b for b in benches if any(row.status == "partial" for row in b.rows)]
    if not affected:
        return None
    count = sum(row.status == "partial" for b in affected for row in b.rows)
    cells = f"{formatting.plural(count, 'cell was', 'cells were')}"
    return Notice(
        "Partial runs.",
        f"{cells} ended by the time budget{_among(benches, affected)}. Their steady steps were "
        "measured; their totals are extrapolated and marked so.",
    )


def _added(benches: Sequence[Bench]) -> Notice | None:
    affected = [b for b in benches if b.plan.until_decided]
    schedules = {
        (tuple(looks.at), looks.level) for b in affected if (looks := b.plan.until_decided)
    }
    if not schedules:
        return None
    told = [
        f"after {formatting.listed([str(n) for n in at])} repeats, each time at "
        f"{formatting.short(100 * level)}{formatting.SPACE}%"
        for at, level in sorted(schedules)
    ]
    return Notice(
        "Repeated until decided.",
        f"Processes were added{_among(benches, affected)} where a comparison with the baseline was "
        f"undecided. Verdicts were looked at {'; or '.join(told)}. Intervals and verdicts are as "
        f"wide as that takes, and hold at 95{formatting.SPACE}% over all looks together.",
    )
