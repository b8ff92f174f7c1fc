"""What is said before any number: synthetic data, runs cut short, repeats that were added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.report import quantity
from accelreport.report.model import Notice
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView


def notices_of(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """Notices of one benchmark's page, or of the front page for all of them."""
    notices = (_data_notice(benches), _partial(benches), _added(benches))
    return tuple(notice for notice in notices if notice)


def data_notices(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """Of those, what is said of the data: the first slide of a deck has it."""
    notice = _data_notice(benches)
    return (replace(notice, text=""),) if notice else ()


def _among(benches: Sequence[BenchmarkView], affected: Sequence[BenchmarkView]) -> str:
    """Which benchmarks, where a page speaks of several and not all."""
    if len(affected) == len(benches):
        return ""
    if len(affected) > 3:
        return f" in {len(affected)} of {quantity.plural(len(benches), 'benchmark')}"
    titles = [f"“{label(b.plan.title)}” ({label(b.plan.profile, 40)})" for b in affected]
    return f" in {quantity.listed(titles)}"


def _data_notice(benches: Sequence[BenchmarkView]) -> Notice | None:
    """What is said of samples of the data and of stand-ins for them; None where none was read."""
    sample, synthetic = _sample(benches), _synthetic(benches)
    if sample and synthetic:
        counts = [len(_reading(benches, origin)) for origin in ("sample", "synthetic")]
        return Notice(
            "Samples and stand-ins.",
            (
                f"{quantity.plural(counts[0], 'benchmark')} read samples of the real data sets, "
                "a few thousand examples that come with accelreport, and "
                f"{quantity.count(counts[1])} read generated stand-ins of the same shapes. "
                "Times are comparable. Accuracies and losses are not, and no published figure "
                "is judged by them."
            ),
        )
    return sample or synthetic


def _reading(benches: Sequence[BenchmarkView], origin: str) -> list[BenchmarkView]:
    return [bench for bench in benches if any(row.origin == origin for row in bench.results)]


def _synthetic(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = _reading(benches, "synthetic")
    if not affected:
        return None
    measured = [row for b in affected for row in b.results if row.measured]
    every = all(row.origin == "synthetic" for row in measured)
    which = "Every number" if every else "Numbers marked so"
    return Notice(
        "Synthetic data.",
        (
            f"{which}{_among(benches, affected)} came from a generated stand-in of the same "
            "shapes, not from the real data set. Times are comparable; accuracies say "
            "nothing about the real task."
        ),
    )


def _sample(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = _reading(benches, "sample")
    if not affected:
        return None
    return Notice(
        "Samples of the data.",
        (
            f"Numbers{_among(benches, affected)} were measured on samples of the real data "
            "sets, a few thousand examples that come with accelreport. Times are "
            "comparable. Accuracies and losses are those of a small training set, and no "
            "published figure is judged by them."
        ),
    )


def _partial(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = [b for b in benches if any(row.status == "partial" for row in b.results)]
    if not affected:
        return None
    cut = [row for b in affected for row in b.results if row.status == "partial"]
    among, timed = _among(benches, affected), sum(row.timed for row in cut)
    measured = sum(row.timed for bench in benches for row in bench.results)
    text = (
        f"The time budget stopped {quantity.count(timed)} of "
        f"{quantity.plural(measured, 'measured cell')}{among}. Totals of partial runs are "
        "extrapolated and marked so."
    )
    early = len(cut) - timed
    cells = quantity.plural(early, "more cell" if timed else "cell")
    whose, so = ("its", "it has") if early == 1 else ("their", "they have")
    untimed = (
        f"The time budget stopped {cells}{among} before {whose} first steady step, so {so} no time."
    )
    return Notice("Partial runs.", " ".join([text] * (timed > 0) + [untimed] * (early > 0)))


def _added(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = [b for b in benches if b.plan.until_decided]
    schedules = {
        (tuple(looks.at), looks.level) for b in affected if (looks := b.plan.until_decided)
    }
    if not schedules:
        return None
    times = [
        f"after {quantity.listed([str(n) for n in at])} repeats, each time at "
        f"{quantity.short(100 * level)}{quantity.SPACE}%"
        for at, level in sorted(schedules)
    ]
    return Notice(
        "Repeated until decided.",
        (
            f"Processes were added{_among(benches, affected)} where a comparison with the "
            f"baseline was undecided. Verdicts were looked at {'; or '.join(times)}. "
            "Intervals and verdicts are widened accordingly, and hold at "
            f"95{quantity.SPACE}% over all looks together."
        ),
    )
