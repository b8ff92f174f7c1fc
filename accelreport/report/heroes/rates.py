"""What heroes are made of: the line above the title, rates at a sweep point, large numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.overview import PublishedRate, published_rates
from accelreport.analysis.results import matches
from accelreport.analysis.stats import DECIDED
from accelreport.datasets.catalogue import BUILT_IN
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot
from accelreport.report.charts.drawing import Named
from accelreport.report.model import LargeNumber
from accelreport.report.pages.badges import number_badges
from accelreport.report.pages.headline import (
    baseline_of,
    compared,
    duration_of,
    together,
    unrivalled,
)
from accelreport.report.pages.sections.claims import absent_devices
from accelreport.report.pages.sections.cold_start import start_of, unit_of
from accelreport.report.published_text import flag_text
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, median, once, present

_YEAR = re.compile(r",?\s*\b((?:19|20)\d\d)\b")


@dataclass(frozen=True)
class Rate:
    """A rate at a point with the interval of its time, in things per second or TFLOPS."""

    value: float
    low: float
    high: float


def quantity(bench: BenchmarkView) -> str:
    """What rates count."""
    return "TFLOPS" if bench.words.kernel else f"{bench.words.sample} each second"


def rate(bench: BenchmarkView, series: Series, point: Point) -> Rate | None:
    """The rate at a point; None where there is no steady time."""
    found = bench.speedup(series, point)
    if found is None:
        return None
    timings = [cell.timings for cell in bench.measured(series, point)]
    kernel = bench.words.kernel
    work = median([each.flops_per_step if kernel else each.samples_per_step for each in timings])
    work *= 1e-12 if bench.words.kernel else 1
    if not present(work):
        return None
    seconds = found.seconds
    value = work / seconds.value
    if not seconds.known:
        return Rate(value, value, value)
    return Rate(value, work / seconds.high, work / seconds.low)


@dataclass(frozen=True)
class NamedRate:
    """A published rate as a reader meets it: on what, and when.

    Attributes:
        name: what it was measured on, without the year: "Colab TPU v2".
        detail: "published 2018".
        found: the rate.
    """

    name: str
    detail: str
    found: PublishedRate


def published_at(bench: BenchmarkView, point: Point) -> list[NamedRate]:
    """The published rates of a sweep point, one for each thing they were measured on."""
    values = bench.values(point)
    found: dict[str, NamedRate] = {}
    for each in printed_once(bench):
        if matches(values, each.where):
            made = named(bench, each)
            alike = (each.row.device, round(each.rate, 6))
            if alike not in {(o.found.row.device, round(o.found.rate, 6)) for o in found.values()}:
                found.setdefault(made.name, made)
    return list(found.values())


def printed_once(bench: BenchmarkView) -> list[PublishedRate]:
    """NamedRate rates without those that were derived from a row that stands beside them."""
    rates = published_rates(bench.plan)
    printed = {_place(each) for each in rates if each.row.mark != "D"}
    return [each for each in rates if each.row.mark != "D" or _place(each) not in printed]


def _place(found: PublishedRate) -> tuple[str, tuple[tuple[str, str], ...]]:
    return found.row.device, tuple(sorted((axis, repr(at)) for axis, at in found.where.items()))


def named(bench: BenchmarkView, found: PublishedRate) -> NamedRate:
    """A published rate with the year of its label, or of its source, apart from its name."""
    text = label(found.row.label, 60)
    year = _YEAR.search(text)
    source = found.row.source or bench.plan.source
    when = year[1] if year else str(source.year or "") if source else ""
    name = _YEAR.sub("", text, count=1).replace("()", "").strip(" ,") if year else text
    detail = f"published {when}".strip()
    return NamedRate(
        name or text, detail if found.comparable else f"{detail}, other conditions", found
    )


def dots_at(bench: BenchmarkView, point: Point) -> list[Dot]:
    """A row for each device that was measured at a point, then for each that was published."""
    dots = []
    for series in bench.shown_series:
        found = rate(bench, series, point)
        if found:
            count = len(bench.measured(series, point))
            dots.append(
                Dot(
                    series.title,
                    f"measured, {formatting.plural(count, 'process', 'processes')}",
                    series,
                    found.value,
                    formatting.number(found.value),
                    found.low,
                    found.high,
                )
            )
    for each in published_at(bench, point):
        value = each.found.rate
        device = Named(bench.label_of(each.found.row.device), bench.colours[each.found.row.device])
        flagged = "; ".join(map(flag_text, each.found.flags))
        text = formatting.number(value)
        dots.append(Dot(each.name, each.detail, device, value, text, value, value,
                        published=True, flagged=flagged))  # fmt: skip
    return dots


@once
def fullest_point(bench: BenchmarkView) -> Point | None:
    """The sweep point with the most rows, of these the middle one; None where none was timed."""
    points = [p for p in bench.points if any(rate(bench, s, p) for s in bench.shown_series)]
    if not points:
        return None
    counts = {point: len(dots_at(bench, point)) for point in points}
    most = [point for point in points if counts[point] == max(counts.values())]
    return most[len(most) // 2]


def fastest_published(found: Sequence[NamedRate]) -> NamedRate | None:
    """The fastest of those that can be and did the same work a step; None without any."""
    sound = [each for each in found if not each.found.flags and each.found.comparable]
    return max(sound, key=lambda each: each.found.rate, default=None)


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
        # What stands behind a semicolon, such as whose notebook it is, is told below.
        who = label(source.authors.partition(";")[0], 40) or label(source.title, 60)
        parts.append(f"after {who} {source.year or ''}".rstrip())
    if bench.plan.profile != "full":
        parts.append(f"{label(bench.plan.profile, 40)} profile")
    return " · ".join(parts)


STAND_INS = {"synthetic": "synthetic stand-in", "sample": "sample"}
"""Origin of data that are no whole real set → what a reader calls them."""


def stand_in(origins: Collection[str]) -> str:
    """What a reader calls such data; empty where all are a whole real set."""
    return next((words for origin, words in STAND_INS.items() if origin in origins), "")


def of_stand_ins(title: str, origins: Collection[str]) -> str:
    """A finding about quality, which says so where its data were no whole real set."""
    on = stand_in(origins)
    start = 2 if title.startswith("“") else 1
    return f"On a {on}: {title[:start].lower()}{title[start:]}" if on else title


def origins_of(bench: BenchmarkView) -> set[str]:
    """Where the data of what was measured are from."""
    return {row.origin for row in bench.results if row.measured}


def _data(bench: BenchmarkView) -> str:
    name = str(bench.plan.workload.get("dataset") or "")
    known = BUILT_IN.get(name)
    title = known.title if known else label(name, 60)
    said = stand_in(origins_of(bench))
    return f"{title} ({said})" if title and said else title


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
    return LargeNumber(
        duration_of(found.seconds),
        f"a {bench.words.step}{bench.at(point)} on {series.title}, {count}",
        number_badges(bench.planned(series, point)),
    )


def device_number(bench: BenchmarkView, printed: LargeNumber | None = None) -> LargeNumber | None:
    """How many times as fast the fastest other kind of device is, measured or else published.

    One whose interval holds 1 is no number to set large.

    Args:
        bench: the benchmark.
        printed: of a published one; that of its rate unless given.
    """
    kinds, point = bench.plan.devices, fullest_point(bench)
    other = [
        each
        for each in compared(bench)
        if each.point == point
        and not each.found.withheld
        and kinds[each.series.device].kind != kinds[bench.plan.baseline].kind
    ]
    told = unrivalled(together(other, len(other)))
    if not told:
        return printed or _published_number(bench)
    best = max(told, key=lambda each: each.speedup)
    if best.between and best.estimate.verdict not in DECIDED:
        return None
    beside = baseline_of(bench, best)
    slower = best.speedup < 1
    return LargeNumber(
        best.longer if slower else best.text,
        (f"as long on {best.series.title} as on" if slower else f"{best.series.title} over")
        + f" {beside}{bench.at(best.point)}",
        number_badges(bench.planned(best.series, best.point)),
    )


def _published_number(bench: BenchmarkView) -> LargeNumber | None:
    """How much faster the fastest published device is than the measured baseline."""
    series, point = baseline_series(bench), fullest_point(bench)
    if series is None or point is None:
        return None
    own, theirs = rate(bench, series, point), fastest_published(published_at(bench, point))
    if own is None or theirs is None:
        return None
    factor = theirs.found.rate / own.value
    return beside_number(factor, f"{theirs.name}, {theirs.detail},", series.title)


def beside_number(factor: float, name: str, here: str) -> LargeNumber:
    """How many times as fast something is as a device here; what is slower by its time."""
    if factor < 1:
        return LargeNumber(formatting.ratio(1 / factor), f"as long on {name} as on {here} here")
    return LargeNumber(formatting.ratio(factor), f"{name} over {here} here")


def first_step_number(bench: BenchmarkView) -> LargeNumber | None:
    """How many steady steps the first one takes."""
    series, point = baseline_series(bench), fullest_point(bench)
    if series is None or point is None:
        return None
    start = start_of(bench, series, point)
    factor = start.first_s / unit_of(bench, (series, point), start) if start else math.nan
    if not present(factor):
        return None
    what = f"{bench.words.first} over a later one: tracing and compiling"
    return LargeNumber(formatting.ratio(factor), what)


def claims_number(bench: BenchmarkView) -> LargeNumber | None:
    """How many claims are decided here, and what became of the others; None where none is."""
    verdicts = Counter(each.verdict for each in bench.tested)
    total = verdicts.total()
    confirmed, refuted = verdicts[ClaimVerdict.CONFIRMED], verdicts[ClaimVerdict.REFUTED]
    if not confirmed and not refuted:
        return None
    elsewhere = sum(bool(absent_devices(each)) for each in bench.tested)
    rest = {
        "refuted": refuted if confirmed else 0,
        "undecided": verdicts[ClaimVerdict.UNDECIDED] + verdicts[ClaimVerdict.WITHHELD],
        "not tested": verdicts[ClaimVerdict.NOT_TESTED] - elsewhere,
        f"need{'s' * (elsewhere == 1)} another device": elsewhere,
    }
    said = ", ".join(f"{count} {what}" for what, count in rest.items() if count)
    text = f"claims {'confirmed' if confirmed else 'refuted'} here" + (f"; {said}" if said else "")
    return LargeNumber(f"{confirmed or refuted} of {total}", text)


def usual_numbers(
    bench: BenchmarkView, printed: LargeNumber | None = None
) -> tuple[LargeNumber, ...]:
    """The numbers of a benchmark whose form has none of its own; `printed` as above."""
    beside = device_number(bench, printed)
    made = (step_number(bench), beside, first_step_number(bench), claims_number(bench))
    return tuple(filter(None, made))
