"""What the swept number does: rate against it, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accelreport.report import formatting
from accelreport.report.charts.drawing import draw, panel, panel_width
from accelreport.report.charts.scales import plain
from accelreport.report.charts.sweep import End, SweepAxes, SweepLine, sweep_axes, sweep_lines
from accelreport.report.metrics import axis_title
from accelreport.report.model import (
    Column,
    Entry,
    Figure,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.badges import absence, kind_text, number_badges
from accelreport.report.pages.panels import MOST_PANELS, keys, loud_badges
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, median, present


@dataclass(frozen=True)
class Rate:
    """A rate at a point with the interval of its time, in things per second or TFLOPS."""

    value: float
    low: float
    high: float


def sweep_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no number is swept over at least two measured values."""
    axis = swept_number(bench)
    if axis is None:
        return None
    held = [name for name in bench.axes if name != axis]
    shown = _held_values(bench, held)[:MOST_PANELS]
    made = [_drawn(bench, axis, fixed) for fixed in shown]
    drawn = [each for each in made if any(len(line.x) > 1 for line in each.lines)]
    if not drawn:
        return None
    quantity = _quantity(bench)
    axes = sweep_axes(
        [line for each in drawn for line in each.lines],
        [end for each in drawn for end in each.ends],
        x_title=axis_title(axis),
        y_title=quantity,
    )
    across = f"{axis_title(axis)} (log scale)" if axes.log else axis_title(axis)
    table = _table(bench)
    figure = Figure(
        id="sweep-lines",
        title=f"{sentence(quantity)} by {axis_title(axis)}",
        subtitle=f"Up: {quantity} (log scale). Across: {across}.",
        caption=(
            f"Marks are {quantity} from the geometric mean of the steady time over processes, "
            "bars its 95 % interval (Student’s t on logarithms). A cross ends a line where the "
            "device failed; it stands at the height of the nearest measured value."
        ),
        panels=tuple(_panel(bench, each, axes, len(drawn)) for each in drawn),
        keys=keys(bench.shown_series),
        badges=loud_badges(bench),
        table=table,
    )
    return Section("sweep", f"By {axis_title(axis)}", (figure,), finding=_finding(bench, axis))


def swept_number(bench: BenchmarkView) -> str | None:
    """The first axis with at least two numeric values, all positive."""
    for axis, values in bench.plan.axes.items():
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(values) >= 2 and min(numbers) > 0:
            return axis
    return None


def _held_values(bench: BenchmarkView, held: Sequence[str]) -> list[dict[str, Any]]:
    found = {}
    for point in bench.points:
        values = dict(zip(bench.axes, point, strict=True))
        fixed = {name: values[name] for name in held}
        found[tuple(fixed.values())] = fixed
    return list(found.values())


def _quantity(bench: BenchmarkView) -> str:
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
class _Drawn:
    """What one panel shows: where the other axes stand, its lines and their ends."""

    fixed: dict[str, Any]
    first: Point
    lines: list[SweepLine]
    ends: list[End]


def _drawn(bench: BenchmarkView, axis: str, fixed: dict[str, Any]) -> _Drawn:
    points = [p for p in bench.points if _matches(bench, p, fixed)]
    number = bench.axes.index(axis)
    points.sort(key=lambda point: point[number])
    found = _Drawn(fixed, points[0], [], [])
    for series in bench.shown_series:
        rates = [(p, r) for p in points if (r := rate(bench, series, p))]
        if rates:
            found.lines.append(_line(series, rates, number))
            found.ends.extend(_ends(bench, series, points, rates, number))
    return found


def _panel(bench: BenchmarkView, drawn: _Drawn, axes: SweepAxes, panels: int) -> Panel:
    make = sweep_lines(drawn.lines, drawn.ends, axes)
    where = " · ".join(f"{axis_title(k)} {label(v, 40)}" for k, v in drawn.fixed.items())
    title = f"{axes.y_title} by {axes.x_title}" + (f", {where}" if where else "")
    said = "; ".join(
        f"{line.device.title} from {formatting.number(line.y[0])} at {plain(line.x[0])} to "
        f"{formatting.number(line.y[-1])} at {plain(line.x[-1])}"
        for line in drawn.lines
    )
    prefix = f"sl{bench.points.index(drawn.first)}"
    if panels == 1:
        return panel(make, prefix=prefix, title=title, description=f"{said}.")
    drawing = draw(make, panel_width(panels), prefix=prefix, title=title, description=f"{said}.")
    return Panel(wide=drawing, title=where)


def _matches(bench: BenchmarkView, point: Point, fixed: dict[str, Any]) -> bool:
    values = dict(zip(bench.axes, point, strict=True))
    return all(values[name] == value for name, value in fixed.items())


def _line(series: Series, rates: Sequence[tuple[Point, Rate]], number: int) -> SweepLine:
    return SweepLine(
        device=series,
        x=tuple(float(point[number]) for point, _ in rates),
        y=tuple(each.value for _, each in rates),
        low=tuple(each.low for _, each in rates),
        high=tuple(each.high for _, each in rates),
    )


def _ends(
    bench: BenchmarkView,
    series: Series,
    points: Sequence[Point],
    rates: Sequence[tuple[Point, Rate]],
    number: int,
) -> list[End]:
    """Marks where every process of a device failed."""
    known = {point for point, _ in rates}
    ends = []
    for point in points:
        failed = [row for row in bench.planned(series, point) if row.status == "failed"]
        if point in known or not failed:
            continue
        nearest = min(rates, key=lambda each: abs(each[0][number] - point[number]))
        text = kind_text(failed[0])
        ends.append(End(series, float(point[number]), nearest[1].value, text))
    return ends


def _finding(bench: BenchmarkView, axis: str) -> str:
    number = bench.axes.index(axis)
    best = None
    for series in bench.shown_series:
        for point in bench.points:
            found = rate(bench, series, point)
            if found and (best is None or found.value > best[2].value):
                best = (series, point, found)
    if best is None:
        return ""
    series, point, found = best
    if bench.words.kernel:
        amount = f"{formatting.number(found.value, found.low, found.high)} TFLOPS"
    else:
        amount = formatting.rate(found.value, bench.words.sample)
    return f"The most was {amount}, on {series.title} at {axis_title(axis)} {label(point[number])}."


def _table(bench: BenchmarkView) -> Table:
    rows = tuple(
        Row(
            Entry((Line(bench.point_header(point)),)),
            tuple(_entry(bench, series, point) for series in bench.series),
        )
        for point in bench.points
    )
    quantity = _quantity(bench)
    return Table(
        id="sweep-data",
        title=sentence(quantity),
        corner=bench.points_heading,
        columns=tuple(Column(s.title, number=True, device=s.colour) for s in bench.series),
        groups=(RowGroup(rows),),
    )


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    found = rate(bench, series, point)
    if found is None:
        gone = absence(bench, series, point)
        return Entry((Line(gone.lines[1].text, "reason"),), href=gone.href)
    lines = [Line(formatting.number(found.value, found.low, found.high))]
    if found.low < found.high:
        places = formatting.decimals(found.value, found.low, found.high)
        low, high = formatting.fixed(found.low, places), formatting.fixed(found.high, places)
        lines.append(Line(f"{low}{formatting.EN_DASH}{high}", "interval"))
    badges = number_badges(bench.planned(series, point))
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges)
