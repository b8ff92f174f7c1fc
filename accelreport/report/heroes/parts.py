"""What all heroes say: the line above the title, and the numbers that are set large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from accelreport.analysis.claims import ClaimVerdict
from accelreport.datasets.catalogue import BUILT_IN
from accelreport.report import formatting
from accelreport.report.heroes.rates import fastest_published, fullest_point, published_at, rate
from accelreport.report.model import LargeNumber
from accelreport.report.pages.badges import number_badges
from accelreport.report.pages.headline import duration_of
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Series, median, present


def kicker(bench: BenchmarkView) -> str:
    """The benchmark, its parameters, its data and its source, in one line."""
    parts = [label(bench.plan.title, 90)]
    counts = sorted({r.parameters for r in bench.records.values() if r.parameters})
    if counts:
        low, high = formatting.count(counts[0]), formatting.count(counts[-1])
        span = low if low == high else f"{low} to {high}"
        parts.append(f"{span} parameters")
    # What is trained on no data set of the catalogue is told by its family.
    about = _data(bench) or ("" if bench.words.kernel else bench.words.family)
    parts += [about] if about else []
    source = bench.plan.source
    if source:
        who = label(source.authors, 40) or label(source.title, 60)
        parts.append(f"after {who} {source.year or ''}".rstrip())
    if bench.plan.profile != "full":
        parts.append(f"{label(bench.plan.profile, 40)} profile")
    return " · ".join(parts)


STAND_INS = {"synthetic": "synthetic stand-in", "sample": "sample"}
"""Origin of data that are no whole real set → what a reader calls them."""


def of_stand_ins(title: str, origins: Collection[str]) -> str:
    """A finding about quality, which says so where its data were no whole real set."""
    for origin, words in STAND_INS.items():
        if origin in origins:
            return f"On a {words}: {title[:1].lower()}{title[1:]}"
    return title


def origins_of(bench: BenchmarkView) -> set[str]:
    """Where the data of what was measured are from."""
    return {row.origin for row in bench.rows if row.measured}


def _data(bench: BenchmarkView) -> str:
    name = str(bench.plan.workload.get("dataset") or "")
    known = BUILT_IN.get(name)
    title = known.title if known else label(name, 60)
    said = [text for origin, text in STAND_INS.items() if origin in origins_of(bench)]
    return f"{title} ({said[0]})" if title and said else title


def baseline_series(bench: BenchmarkView) -> Series | None:
    """The baseline where it was measured, else the first device that was; None without any."""
    shown = bench.shown_series
    return next((each for each in shown if each.baseline), shown[0] if shown else None)


def step_number(bench: BenchmarkView) -> LargeNumber | None:
    """The time of a step of the baseline."""
    series, point = baseline_series(bench), fullest_point(bench)
    found = bench.speedup(series, point) if series and point is not None else None
    if series is None or point is None or found is None:
        return None
    count = formatting.plural(len(bench.measured(series, point)), "process", "processes")
    where = f" at {bench.point_title(point)}" if bench.axes else ""
    return LargeNumber(
        duration_of(found.seconds),
        f"a {bench.words.step}{where} on {series.title}, {count}",
        number_badges(bench.planned(series, point)),
    )


def published_number(bench: BenchmarkView) -> LargeNumber | None:
    """How much faster the fastest published device is than the measured baseline."""
    series, point = baseline_series(bench), fullest_point(bench)
    if series is None or point is None:
        return None
    own, theirs = rate(bench, series, point), fastest_published(published_at(bench, point))
    if own is None or theirs is None:
        return None
    factor = formatting.ratio(theirs.found.rate / own.value)
    return LargeNumber(factor, f"{theirs.name}, {theirs.detail}, over {series.title} here")


def first_step_number(bench: BenchmarkView) -> LargeNumber | None:
    """How many steady steps the first one takes."""
    series, point = baseline_series(bench), fullest_point(bench)
    if series is None or point is None:
        return None
    timings = [row.timings for row in bench.measured(series, point)]
    factor = median([each.first_step_s / each.steady_step_s for each in timings])
    if not present(factor):
        return None
    what = f"{bench.words.first} over a later one: tracing and compiling"
    return LargeNumber(formatting.ratio(factor), what)


def claims_number(bench: BenchmarkView) -> LargeNumber | None:
    """How many of the claims are decided here, and what became of the others."""
    verdicts = Counter(each.verdict for each in bench.tested)
    total = verdicts.total()
    if not total:
        return None
    confirmed = verdicts[ClaimVerdict.CONFIRMED]
    rest = {
        "refuted": verdicts[ClaimVerdict.REFUTED],
        "undecided": verdicts[ClaimVerdict.UNDECIDED] + verdicts[ClaimVerdict.WITHHELD],
        "need another device": verdicts[ClaimVerdict.NOT_TESTED],
    }
    said = ", ".join(f"{count} {what}" for what, count in rest.items() if count)
    text = "claims confirmed here" + (f"; {said}" if said else "")
    return LargeNumber(f"{confirmed} of {total}", text)


def usual_numbers(bench: BenchmarkView) -> tuple[LargeNumber, ...]:
    """The numbers of a benchmark whose form has none of its own."""
    makers = (step_number, published_number, first_step_number, claims_number)
    return tuple(number for make in makers if (number := make(bench)) is not None)
