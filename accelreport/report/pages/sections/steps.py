"""Step times as distributions, because a mean hides stalls and two modes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.stats import percentile
from accelreport.report import formatting
from accelreport.report.charts.drawing import draw, panel, panel_width
from accelreport.report.charts.ecdf import (
    QUANTILES,
    Distribution,
    quantiles,
    starts_late,
    step_ecdf,
)
from accelreport.report.heroes.rates import quantity, rate
from accelreport.report.model import (
    Download,
    Figure,
    Panel,
    Row,
    Section,
    Table,
    number_columns,
)
from accelreport.report.pages.badges import (
    groups_by_point,
    keys,
    loud_badges,
    measured_row,
    panel_points,
    panels_note,
)
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint

FEWEST = 8
"""Timed steps below which a distribution is not drawn."""

Times = dict[SeriesPoint, NDArray[np.float64]]


def steps_section(bench: BenchmarkView) -> Section | None:
    """The section; None where too few steps were timed one by one."""
    times, exact = step_times(bench)
    times = {place: values for place, values in times.items() if len(values) >= FEWEST}
    if not times:
        return None
    figure = _figure(bench, times, exact=exact)
    return Section(
        "steps", f"{sentence(bench.words.step)} times", (figure,), _finding(bench, times)
    )


def step_times(bench: BenchmarkView) -> tuple[Times, bool]:
    """Steady step times by device and point, in seconds, and whether each is one step's."""
    single: dict[tuple[str, str], list[float]] = {}
    means: dict[tuple[str, str], list[float]] = {}
    for record in bench.shown_records:
        place = record.key, record.machine
        for block in record.blocks:
            if block.steady:
                one = block.stamped_s or [block.wall_s] * (block.steps == 1)
                mean = [block.wall_s / block.steps] if block.steps else []
                single.setdefault(place, []).extend(one)
                means.setdefault(place, []).extend(one or mean)
    exact = any(single.values())
    by_cell = single if exact else means
    times: Times = {}
    for series in bench.shown_series:
        for point in bench.points:
            seconds = [
                each
                for row in bench.measured(series, point)
                for each in by_cell.get((row.key, row.machine), ())
            ]
            if seconds:
                times[series, point] = np.array(seconds)
    return times, exact


def _finding(bench: BenchmarkView, times: Times) -> str:
    tails = {place: late for place, values in times.items() if (late := _tail(values))}
    if not tails:
        return (
            f"No device has a hundred {bench.words.step}s that were timed one by one, so that no "
            "99th percentile is told."
        )
    worst = max(tails, key=lambda place: tails[place])
    where = bench.at(worst[1])
    return (
        f"The longest tail is that of {worst[0].title}{where}: one {bench.words.step} in a "
        f"hundred takes at least {formatting.number(tails[worst])} times the median."
    )


def _tail(values: NDArray[np.float64]) -> float | None:
    late = percentile(values, 0.99)
    return None if late is None else late / float(np.median(values))


def _figure(bench: BenchmarkView, times: Times, *, exact: bool) -> Figure:
    points = panel_points([p for p in bench.points if any(place[1] == p for place in times)])
    shown = [s for s in bench.shown_series if any(place[0] == s for place in times)]
    panels = {point: _curves(times, point) for point in points}
    unit = f"single {bench.words.step}s" if exact else f"blocks of {bench.words.step}s"
    return Figure(
        id="step-ecdf",
        title=f"How {bench.words.step} times are distributed",
        subtitle=f"Up: share of {bench.words.step}s up to that time. Across: time.",
        caption=(
            f"Empirical distribution of {unit} after the warm-up, over all processes, drawn "
            f"through {QUANTILES} quantiles. The steeper, the steadier. The axis ends a little "
            "beyond the 99th percentile of the slowest; the table gives the longest."
            + _cut(list(panels.values()))
            + panels_note(len(points), len(bench.points))
        ),
        panels=tuple(
            _panel(bench, curves, shown, point, len(points)) for point, curves in panels.items()
        ),
        keys=keys(shown),
        badges=loud_badges(bench),
        table=percentile_table(bench, times),
    )


def _panel(
    bench: BenchmarkView,
    curves: Sequence[Distribution],
    shown: Sequence[Series],
    point: Point,
    panels: int,
) -> Panel:
    make = step_ecdf(curves, shown=shown, axis_title=f"{bench.words.step} time")
    title = f"Distribution of {bench.words.step} times, {bench.point_title(point)}"
    said = "; ".join(
        f"{each.device.title}: median {formatting.duration(each.median)}" for each in curves
    )
    prefix = f"se{bench.points.index(point)}"
    if panels == 1:
        return panel(make, prefix=prefix, title=title, description=f"{said}.")
    drawn = draw(make, panel_width(panels), prefix=prefix, title=title, description=f"{said}.")
    return Panel(wide=drawn, title=bench.point_title(point))


def _curves(times: Times, point: Point) -> list[Distribution]:
    return [Distribution(s, quantiles(found)) for (s, at), found in times.items() if at == point]


def _cut(panels: Sequence[Sequence[Distribution]]) -> str:
    """What is said where an axis leaves 0 out without being logarithmic, which its title says."""
    late = [starts_late(curves) for curves in panels]
    if not any(late):
        return ""
    if all(late):
        return " It starts near the fastest, not at 0."
    return f" {sum(late)} of the {len(late)} axes start near the fastest, not at 0."


def percentile_table(bench: BenchmarkView, times: Times) -> Table:
    """Percentiles of the steps of every device and point, each with the number of its steps.

    A percentile stands there only where enough steps were timed to know it (`percentile`).
    """
    titles = [f"{bench.words.step}s", "p5", "median", "p95", "p99", "longest"]
    titles += [quantity(bench)] if bench.words.calls else []
    return Table(
        id="step-table",
        title=f"Percentiles of {bench.words.step} times",
        corner="device",
        columns=number_columns(titles),
        groups=groups_by_point(
            bench,
            lambda point: (_row(bench, each, times[each]) for each in times if each[1] == point),
        ),
        download=Download(f"{bench.slug}/steps.csv", "CSV", "every timed step"),
    )


def _row(bench: BenchmarkView, place: SeriesPoint, values: NDArray[np.float64]) -> Row:
    shown = [percentile(values, share) for share in (0.05, 0.5, 0.95, 0.99, 1)]
    texts = [formatting.count(len(values)), *map(formatting.duration, shown)]
    if bench.words.calls:
        found = rate(bench, *place)
        texts.append(formatting.number(found.value) if found else formatting.MISSING)
    return measured_row(bench, place, texts)
