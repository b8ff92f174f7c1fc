"""The hero of inference: how long a call takes, and what is answered in a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from accelreport.analysis.stats import percentile
from accelreport.report import formatting
from accelreport.report.charts.scales import plain
from accelreport.report.charts.sweep import SweepLine, sweep_axes
from accelreport.report.heroes.hero import MOST_NUMBERS, Hero, HeroFigure
from accelreport.report.heroes.rates import (
    claims_number,
    device_number,
    first_step_number,
    kicker,
    quantity,
    rate,
)
from accelreport.report.heroes.sweep import drawn_lines, ends_in_words, swept_number
from accelreport.report.metrics import axis_title
from accelreport.report.model import LargeNumber
from accelreport.report.pages.badges import loud_badges, number_badges
from accelreport.report.pages.headline import headline, with_origin
from accelreport.report.pages.sections.steps import Times, percentile_table, step_times
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series


def latency_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None unless a model is called at two values of one swept number at least."""
    axis = swept_number(bench)
    if not bench.words.calls or axis is None or len(bench.axes) != 1:
        return None
    times, _ = step_times(bench)
    lines = _lines(bench, times)
    if not any(len(line.x) > 1 for line in lines):
        return None
    figure = _figure(bench, axis, lines, times)
    title = _title(bench, axis, times)
    return Hero(
        kicker=kicker(bench),
        title=title,
        answer=_answer(bench, times),
        figures=(figure,),
        note=(
            "Each call begins when the outputs of the one before are on the host. Bars: from the "
            "median up to the 99th percentile, where a hundred calls or more were timed."
        ),
        numbers=_numbers(bench, times),
        thumbnail=figure,
        sentence=f"{title.partition('; ')[0]}.",
    )


def _lines(bench: BenchmarkView, times: Times) -> list[SweepLine]:
    lines = []
    for series in bench.shown_series:
        points = sorted((p for s, p in times if s == series), key=lambda point: float(point[0]))
        if not points:
            continue
        found = [times[series, point] for point in points]
        middle = tuple(float(np.median(each)) for each in found)
        late = (percentile(each, 0.99) for each in found)
        lines.append(
            SweepLine(
                name=series.title,
                detail="median of a call",
                device=series,
                x=tuple(float(point[0]) for point in points),
                y=middle,
                low=middle,
                high=tuple(p99 or p50 for p99, p50 in zip(late, middle, strict=True)),
                pattern=series.pattern,
                texts=tuple(map(formatting.duration, middle)) if series.baseline else (),
            )
        )
    return lines


def _figure(
    bench: BenchmarkView, axis: str, lines: Sequence[SweepLine], times: Times
) -> HeroFigure:
    axes = sweep_axes(lines, [], x_title=axis_title(axis), tick=formatting.duration)
    return HeroFigure(
        id="latency-lines",
        title=sentence(f"time of a call by {axis_title(axis)}"),
        description=ends_in_words(lines, formatting.duration),
        chart=drawn_lines(lines, [], axes),
        caption="On a log scale; calls of all processes together, the warm-up apart.",
        badges=loud_badges(bench),
        table=percentile_table(bench, times),
        points=max(len(line.x) for line in lines),
        up="time of a call",
    )


def _title(bench: BenchmarkView, axis: str, times: Times) -> str:
    """The shortest call at the least value, and the most examples in a second at any."""
    quick, least = _shortest(times)
    said = (
        f"At {axis_title(axis)} {plain(float(least[0]))}, {quick.title} answers in "
        f"{formatting.duration(float(np.median(times[quick, least])))}"
    )
    rates = {place: found.value for place in times if (found := rate(bench, *place))}
    if not rates:
        return said
    most = max(rates, key=lambda place: rates[place])
    who = "it" if most[0] is quick else most[0].title
    at = "there" if most[1] == least else f"at {plain(float(most[1][0]))}"
    return f"{said}; {at} {who} gives {formatting.number(rates[most])} {quantity(bench)}"


def _shortest(times: Times) -> tuple[Series, Point]:
    """The device with the shortest call at the least value."""
    least = min((point for _, point in times), key=lambda point: float(point[0]))
    own = [place for place in times if place[1] == least]
    return min(own, key=lambda place: float(np.median(times[place])))


def _numbers(bench: BenchmarkView, times: Times) -> tuple[LargeNumber, ...]:
    """The shortest call by its median, as the figure has it, and by its 99th percentile."""
    series, point = _shortest(times)
    where, badges = bench.point_title(point), number_badges(bench.planned(series, point))
    calls = times[series, point]
    told = {
        f"median of a call at {where} on {series.title}": float(np.median(calls)),
        "or longer is what one such call in a hundred takes": percentile(calls, 0.99),
    }
    own = [LargeNumber(formatting.duration(s), text, badges) for text, s in told.items() if s]
    makers = (device_number, first_step_number, claims_number)
    others = (number for make in makers if (number := make(bench)) is not None)
    return (*own, *others)[:MOST_NUMBERS]


def _answer(bench: BenchmarkView, times: Times) -> str:
    """The longest tail that enough calls tell, and how the devices compare."""
    tails = _tails(times)
    if not tails:
        return headline(bench)
    worst = max(tails, key=lambda place: tails[place] / float(np.median(times[place])))
    calls = formatting.plural(len(times[worst]), "call")
    said = (
        f"one call in a hundred takes {worst[0].title} {formatting.duration(tails[worst])} or more "
        f"at {bench.point_title(worst[1])} (of {calls}), where the median is "
        f"{formatting.duration(float(np.median(times[worst])))}."
    )
    compared = f" {headline(bench)}" if len(bench.shown_series) > 1 else ""
    return with_origin(bench, said) + compared


def _tails(times: Times) -> Mapping[tuple[Series, Point], float]:
    found = {place: percentile(values, 0.99) for place, values in times.items()}
    return {place: late for place, late in found.items() if late is not None}
