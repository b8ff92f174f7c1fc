"""The heroes of one swept number: rates against it, or times of a call with their tails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from accelreport.analysis.stats import percentile
from accelreport.report import formatting
from accelreport.report.charts.drawing import Chart, Named
from accelreport.report.charts.scales import plain
from accelreport.report.charts.sweep import End, SweepAxes, SweepLine, sweep_axes, sweep_lines
from accelreport.report.heroes.general import ALONE, devices_title, paired_title, several_kinds
from accelreport.report.heroes.hero import MOST_NUMBERS, Hero, HeroFigure, Size
from accelreport.report.heroes.rates import (
    NamedRate,
    baseline_series,
    claims_number,
    device_number,
    first_step_number,
    named,
    printed_once,
    quantity,
    rate,
    usual_numbers,
)
from accelreport.report.metrics import axis_title
from accelreport.report.model import Entry, LargeNumber, Line, Table, entry
from accelreport.report.pages.badges import (
    absence,
    kind_text,
    loud_badges,
    measured_entry,
    number_badges,
    points_by_devices,
)
from accelreport.report.pages.headline import compared, headline, with_origin
from accelreport.report.pages.sections.steps import Times, percentile_table, step_times
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series

LEVEL = 1.05
"""A factor nearer to 1 is told as none."""
MOST_TEXTS = 5
"""Marks of a line that have their numbers beside them."""


def sweep_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None unless one number is swept over at least two measured values."""
    axis = swept_number(bench)
    if axis is None or len(bench.axes) != 1:
        return None
    lines = [*_measured(bench), *_published(bench, axis)]
    if not any(len(line.x) > 1 and not line.published for line in lines):
        return None
    figure = sweep_figure(bench, axis, lines)
    title = _title(bench, axis, lines)
    return Hero(
        title=title,
        answer=_answer(bench, axis, lines),
        figures=(figure,),
        note="◇, dashed: published by the sources, as printed, and part of no statistic."
        * any(line.published for line in lines),
        numbers=usual_numbers(bench),
        brief=_title(bench, axis, lines, brief=True),
    )


def swept_number(bench: BenchmarkView) -> str | None:
    """The first axis with at least two numeric values, all positive."""
    for axis, values in bench.plan.axes.items():
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(values) >= 2 and min(numbers) > 0:
            return axis
    return None


def _measured(bench: BenchmarkView) -> list[SweepLine]:
    lines = []
    points = sorted(bench.points, key=lambda point: point[0])
    for series in bench.shown_series:
        found = [(point, each) for point in points if (each := rate(bench, series, point))]
        if found:
            texts = tuple(formatting.number(each.value) for _, each in found)
            lines.append(
                SweepLine(
                    name=series.title,
                    detail="measured, 95 %"
                    if any(e.low < e.high for _, e in found)
                    else "measured",
                    device=series,
                    x=tuple(float(point[0]) for point, _ in found),
                    y=tuple(each.value for _, each in found),
                    low=tuple(each.low for _, each in found),
                    high=tuple(each.high for _, each in found),
                    pattern=series.pattern,
                    texts=texts if len(found) <= MOST_TEXTS and series.baseline else (),
                )
            )
    return lines


def _published(bench: BenchmarkView, axis: str) -> list[SweepLine]:
    """A line for each thing that sources measured.

    What cannot be or is unlike is left to the table of published figures, which says why. What
    was derived stands beside nothing that was printed.
    """
    found: dict[str, list[NamedRate]] = {}
    for each in printed_once(bench):
        if each.comparable and axis in each.where and not each.flags:
            made = named(bench, each)
            found.setdefault(made.name, []).append(made)
    lines = []
    for name, rows in found.items():
        values = {float(each.found.where[axis]): each.found.rate for each in reversed(rows)}
        x = tuple(sorted(values))
        y = tuple(values[place] for place in x)
        device = rows[0].found.row.device
        worn = Named(bench.label_of(device), bench.colours[device])
        lines.append(SweepLine(name, rows[0].detail, worn, x, y, y, y, published=True))
    return lines


def sweep_figure(bench: BenchmarkView, axis: str, lines: Sequence[SweepLine]) -> HeroFigure:
    """Rates over one swept number."""
    ends = _ends(bench)
    axes = sweep_axes(lines, ends, x_title=axis_title(axis))
    return HeroFigure(
        id="sweep-lines",
        title=sentence(f"{quantity(bench)} by {axis_title(axis)}"),
        description=ends_in_words(lines, formatting.number),
        chart=drawn_lines(lines, ends, axes),
        caption="On a log scale; bars: 95 % intervals over processes (Student’s t on logarithms).",
        badges=loud_badges(bench),
        table=_table(bench),
        points=max(len(line.x) for line in lines),
        up=quantity(bench),
    )


def ends_in_words(lines: Sequence[SweepLine], text: Callable[[float], str]) -> str:
    """The first and the last value of each line in a sentence, for a screen reader."""
    said = "; ".join(
        f"{line.name}, {line.detail}: {text(line.y[0])} at {plain(line.x[0])}, "
        f"{text(line.y[-1])} at {plain(line.x[-1])}"
        for line in lines
    )
    return f"{said}."


def drawn_lines(
    lines: Sequence[SweepLine], ends: Sequence[End], axes: SweepAxes
) -> Callable[[Size], Chart]:
    """The lines as a chart of any size."""
    return lambda size: sweep_lines(lines, ends, axes, width=size.width, height=size.height)


def _ends(bench: BenchmarkView) -> list[End]:
    """Marks where every process of a device failed."""
    ends = []
    for series in bench.shown_series:
        rates = [(p, r) for p in bench.points if (r := rate(bench, series, p))]
        known = {point for point, _ in rates}
        for point in bench.points:
            failed = [row for row in bench.planned(series, point) if row.status == "failed"]
            if failed and rates and point not in known:
                nearest = min(rates, key=lambda each: abs(each[0][0] - point[0]))
                ends.append(End(series, float(point[0]), nearest[1].value, kind_text(failed[0])))
    return ends


def _gain(line: SweepLine) -> float | None:
    """The last rate over the first; None where neither is shown to be the larger.

    Two 95 % intervals that lie apart differ at a level well below 5 %, so that several devices
    may be looked at. What sources printed has no interval and is told as it is printed.
    """
    factor = line.y[-1] / line.y[0]
    if line.published:
        return factor
    sure = all(line.low[end] < line.high[end] for end in (0, -1))
    apart = line.low[-1] > line.high[0] or line.high[-1] < line.low[0]
    return factor if sure and apart else None


def _title(
    bench: BenchmarkView, axis: str, lines: Sequence[SweepLine], *, brief: bool = False
) -> str:
    """What the swept number does for who gains most, and, unless brief, for the baseline."""
    told = _sharing(bench, axis) or devices_title(bench)
    if told:
        return told
    swept = [line for line in lines if len(line.x) > 1]
    base = baseline_series(bench)
    own = next((line for line in swept if line.device is base), None)
    best = max(swept, key=lambda line: _gain(line) or 1.0)
    first, last = best.x[0], best.x[-1]
    span = f"From {axis_title(axis)} {plain(first)} to {plain(last)}"
    if not any(map(_gain, swept)):
        return f"{span}, no rate is shown to change"
    if own is None or own is best or brief:
        return f"{span}, {best.name} {_gained(best)}"
    same = (own.x[0], own.x[-1]) == (first, last)
    ours = _gained(own) + ("" if same else f" from {plain(own.x[0])} to {plain(own.x[-1])}")
    return f"{span}, {best.name} {_gained(best)}, {own.name} {ours}"


def _sharing(bench: BenchmarkView, axis: str) -> str:
    """What replicas and workers do at the largest value with any; empty without them."""
    for point in sorted(bench.points, key=lambda point: -float(point[0])):
        where = f"At {axis_title(axis)} {plain(float(point[0]))}, "
        if told := paired_title(bench, point, ALONE, where):
            return told
    return ""


def _gained(line: SweepLine) -> str:
    factor = _gain(line)
    if factor is None:
        return "shows no change"
    if 1 / LEVEL < factor < LEVEL:
        return "stays level"
    return f"{'gains' if factor > 1 else 'falls to'} {formatting.ratio(factor)}"


def _answer(bench: BenchmarkView, axis: str, lines: Sequence[SweepLine]) -> str:
    """What each reaches at the largest value that it shares with the baseline."""
    if compared(bench) and (several_kinds(bench) or not any(map(_gain, lines))):
        return headline(bench)
    base = baseline_series(bench)
    own = next((line for line in lines if line.device is base), None)
    if own is None:
        return headline(bench)
    told: list[tuple[str, str, str]] = []
    places: set[float] = set()
    for line in lines:
        shared = sorted(set(line.x) & set(own.x))
        if line.published and shared:
            factor = line.y[line.x.index(shared[-1])] / own.y[own.x.index(shared[-1])]
            places.add(shared[-1])
            told.append((line.name, formatting.ratio(factor), f" at {plain(shared[-1])}"))
    begin = (
        f"{own.name} {bench.words.verb} "
        f"{formatting.number(own.y[-1])} {quantity(bench)} at {axis_title(axis)} {plain(own.x[-1])}"
    )
    if not told:
        return with_origin(bench, f"{begin}.")
    said = [f"the {name} {factor}{at if len(places) > 1 else ''}" for name, factor, at in told]
    where = told[0][2] if len(places) == 1 and next(iter(places)) != own.x[-1] else ""
    return with_origin(bench, f"{begin}; as published, {formatting.listed(said)} as many{where}.")


def _table(bench: BenchmarkView) -> Table:
    title = sentence(quantity(bench))
    return points_by_devices(bench, _entry, id="sweep-data", title=title, style="plain")


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    found = rate(bench, series, point)
    if found is None:
        gone = absence(bench, series, point)
        return entry(Line(gone.lines[1].text, "reason"), href=gone.href)
    lines = [Line(formatting.number(found.value, found.low, found.high))]
    if found.low < found.high:
        places = formatting.decimals(found.value, found.low, found.high)
        low, high = formatting.fixed(found.low, places), formatting.fixed(found.high, places)
        lines.append(Line(f"{low}{formatting.EN_DASH}{high}", "interval"))
    return measured_entry(bench, (series, point), lines)


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
    title = _latency_title(bench, axis, times)
    return Hero(
        title=title,
        answer=_latency_answer(bench, times),
        figures=(figure,),
        note=(
            "Each call begins when the outputs of the one before are on the host. Bars: from the "
            "median up to the 99th percentile, where a hundred calls or more were timed."
        ),
        numbers=_numbers(bench, times),
        brief=title.partition("; ")[0],
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


def _latency_title(bench: BenchmarkView, axis: str, times: Times) -> str:
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


def _latency_answer(bench: BenchmarkView, times: Times) -> str:
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
