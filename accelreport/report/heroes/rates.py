"""How many examples each device trains in a second (TFLOPS of a kernel), at a sweep point."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from accelreport.analysis.rates import PublishedRate, published_rates
from accelreport.analysis.results import matches
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot
from accelreport.report.charts.drawing import Named
from accelreport.report.published_text import flag_text
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, median, present

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
class Published:
    """A published rate as a reader meets it: on what, and when.

    Attributes:
        name: what it was measured on, without the year: "Colab TPU v2".
        detail: "published 2018".
        found: the rate.
    """

    name: str
    detail: str
    found: PublishedRate


def published_at(bench: BenchmarkView, point: Point) -> list[Published]:
    """The published rates of a sweep point, one for each thing they were measured on."""
    values = dict(zip(bench.axes, point, strict=True))
    found: dict[str, Published] = {}
    for each in printed_once(bench):
        if matches(values, each.where):
            made = named(bench, each)
            alike = (each.row.device, round(each.rate, 6))
            if alike not in {(o.found.row.device, round(o.found.rate, 6)) for o in found.values()}:
                found.setdefault(made.name, made)
    return list(found.values())


def printed_once(bench: BenchmarkView) -> list[PublishedRate]:
    """Published rates without those that were derived from a row that stands beside them."""
    rates = published_rates(bench.plan)
    printed = {_place(each) for each in rates if each.row.mark != "D"}
    return [each for each in rates if each.row.mark != "D" or _place(each) not in printed]


def _place(found: PublishedRate) -> tuple[str, tuple[tuple[str, str], ...]]:
    return found.row.device, tuple(sorted((axis, repr(at)) for axis, at in found.where.items()))


def named(bench: BenchmarkView, found: PublishedRate) -> Published:
    """A published rate with the year of its label, or of its source, apart from its name."""
    text = label(found.row.label, 60)
    year = _YEAR.search(text)
    source = found.row.source or bench.plan.source
    when = year[1] if year else str(source.year or "") if source else ""
    name = _YEAR.sub("", text, count=1).replace("()", "").strip(" ,") if year else text
    detail = f"published {when}".strip()
    return Published(
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
        device = Named(bench.title_of(each.found.row.device), bench.colours[each.found.row.device])
        flagged = "; ".join(map(flag_text, each.found.flags))
        text = formatting.number(value)
        dots.append(Dot(each.name, each.detail, device, value, text, value, value,
                        published=True, flagged=flagged))  # fmt: skip
    return dots


def fullest_point(bench: BenchmarkView) -> Point | None:
    """The sweep point with the most rows, of these the middle one; None where none was timed."""
    points = [p for p in bench.points if any(rate(bench, s, p) for s in bench.shown_series)]
    if not points:
        return None
    counts = {point: len(dots_at(bench, point)) for point in points}
    most = [point for point in points if counts[point] == max(counts.values())]
    return most[len(most) // 2]


def fastest_published(found: Sequence[Published]) -> Published | None:
    """The fastest of those that can be and did the same work a step; None without any."""
    sound = [each for each in found if not each.found.flags and each.found.comparable]
    return max(sound, key=lambda each: each.found.rate, default=None)
