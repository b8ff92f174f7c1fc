"""Two and more swept axes: time and quality in each cell of a grid.

Every sweep point of every measured device has its cell. One without a number says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from accelreport.analysis.findings import Finding, Unit
from accelreport.report import quantity
from accelreport.report.charts.drawing import Chart
from accelreport.report.charts.heat_map import HeatAxes, HeatCell, HeatPanel, heat_map
from accelreport.report.metrics import axis_title, is_share, metric_title, settings_text
from accelreport.report.model import (
    Entry,
    Line,
    Row,
    RowGroup,
    Table,
    entry,
    under,
)
from accelreport.report.openings.opening import Plot, Scene, Size
from accelreport.report.pages.badges import device_columns, kind_text, loud_badges
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, mean, median, present


@dataclass(frozen=True)
class Layout:
    """Which axis is across, which down, and which make panels of their own."""

    across: str
    down: str
    apart: tuple[str, ...]


def layout_of(bench: BenchmarkView) -> Layout | None:
    """The longest axis across, the next one down, of equals the later; None without two."""
    several = [axis for axis in reversed(bench.axes) if len(_values(bench, axis)) > 1]
    if len(several) < 2:
        return None
    across, down = sorted(several, key=lambda axis: -len(_values(bench, axis)))[:2]
    return Layout(across, down, tuple(axis for axis in bench.axes if axis not in {across, down}))


def _values(bench: BenchmarkView, axis: str) -> list[Any]:
    number = bench.axes.index(axis)
    return list(dict.fromkeys(point[number] for point in bench.points))


def _times(bench: BenchmarkView) -> list[tuple[Series, Point, float]]:
    """Seconds of an example, where they are known."""
    return [
        (series, point, seconds)
        for series in bench.shown_series
        for point in bench.points
        if (seconds := example_seconds(bench, series, point)) is not None
    ]


def example_seconds(bench: BenchmarkView, series: Series, point: Point) -> float | None:
    """Seconds of a step for each example in it (of a step, where nobody counted them)."""
    found = bench.speedup(series, point)
    if found is None:
        return None
    counts = [row.timings.samples_per_step for row in bench.measured(series, point)]
    count = median(counts)
    return found.seconds.value / (count if present(count) else 1.0)


def quality_at(bench: BenchmarkView, series: Series, point: Point) -> float | None:
    """The mean final quality of complete trainings; None without any."""
    rows = [row for row in bench.measured(series, point) if row.complete]
    value = mean([row.final.get(bench.quality, float("nan")) for row in rows])
    return value if present(value) else None


def _apart(bench: BenchmarkView, layout: Layout) -> list[dict[str, Any]]:
    """Values of the axes that make panels, every combination that was planned."""
    numbers = [bench.axes.index(axis) for axis in layout.apart]
    found = dict.fromkeys(tuple(point[number] for number in numbers) for point in bench.points)
    return [dict(zip(layout.apart, values, strict=True)) for values in found]


def _where(held: dict[str, Any], series: Series, *, several: bool) -> str:
    return " · ".join([*([series.title] if several else []), *_held(held)])


def _held(held: dict[str, Any]) -> list[str]:
    return [settings_text({axis: value}) for axis, value in held.items()]


def _name(value: Any) -> str:
    return label(quantity.setting(value), 40)


def _point(bench: BenchmarkView, values: dict[str, Any]) -> Point:
    return tuple(values[axis] for axis in bench.axes)


def _panels(bench: BenchmarkView, layout: Layout) -> list[HeatPanel]:
    several, apart = len(bench.shown_series) > 1, _apart(bench, layout)
    panels = []
    for series, held in product(bench.shown_series, apart):
        cells = tuple(
            tuple(
                _cell(bench, series, _point(bench, {**held, layout.down: y, layout.across: x}))
                for x in _values(bench, layout.across)
            )
            for y in reversed(_values(bench, layout.down))
        )
        # What is the same in all panels tells none of several devices from another.
        told = {} if several and len(apart) == 1 else held
        panels.append(HeatPanel(_where(told, series, several=several), cells))
    return panels


def _cell(bench: BenchmarkView, series: Series, point: Point) -> HeatCell:
    planned = bench.planned(series, point)
    seconds = example_seconds(bench, series, point)
    if seconds is None:
        return HeatCell(None, kind_text(planned[0]) if planned else "not planned")
    quality = quality_at(bench, series, point)
    partial_run = any(row.status == "partial" for row in bench.measured(series, point))
    under = _quality_text(bench.quality, quality) if quality is not None else ""
    if not under and partial_run:
        under = "cut short"
    return HeatCell(seconds, quantity.duration(seconds), under)


def _quality_text(metric: str, value: float) -> str:
    if is_share(metric):
        places = 0 if value < 0.99 else 1
        return (
            f"{quantity.percent(value, places)} right"
            if "accuracy" in metric
            else quantity.percent(value, places)
        )
    return quantity.number(value)


def grid_scene(bench: BenchmarkView, finding: Finding) -> Scene | None:
    """Time and quality in each cell of a grid; None with fewer than two axes of several values."""
    layout = layout_of(bench)
    if layout is None:
        return None
    panels, speaker = _panels(bench, layout), Speaker(bench)
    axes = HeatAxes(
        columns=tuple(_name(value) for value in _values(bench, layout.across)),
        rows=tuple(
            f"{axis_title(layout.down)} {_name(value)}"
            for value in reversed(_values(bench, layout.down))
        ),
        title=axis_title(layout.across),
    )
    slowest, fastest = finding.values[0], finding.values[-1]
    plot = Plot(
        id="grid",
        title=f"Time for one {_example(bench)}",
        description=" to ".join(
            f"{speaker.number(value, quantity.TABLE)} ({bench.point_title(value.of.point)})"
            for value in (fastest, slowest)
        ),
        chart=partial(_chart, panels, axes),
        brief="dashed: without a time",
        caption=_note(bench),
        badges=loud_badges(bench),
        table=_table(bench),
        values=finding.values,
    )
    return Scene(finding, plot)


def _chart(panels: Sequence[HeatPanel], axes: HeatAxes, size: Size) -> Chart:
    """The grid; on a slide the panels of its slowest and its fastest cell, with bare numbers."""
    if size.most:
        times = {id(panel): _times_of(panel) for panel in panels}
        every = [seconds for own in times.values() for seconds in own]
        ends = {min(every), max(every)}
        scale, sign = quantity.time_unit(max(every))
        panels = [_bare(panel, scale) for panel in panels if ends & set(times[id(panel)])]
        axes = replace(axes, title=f"{axes.title}; times in {sign}")
    return heat_map(panels, axes, width=size.width, height=size.height)


def _times_of(panel: HeatPanel) -> list[float]:
    return [cell.value for row in panel.cells for cell in row if cell.value is not None]


def _bare(panel: HeatPanel, scale: float) -> HeatPanel:
    """The numbers of a panel without their unit, and without words."""
    cells = (
        tuple(
            HeatCell(cell.value, quantity.write(cell.value / scale, Unit.NUMBER))
            if cell.value is not None
            else HeatCell(None, "")
            for cell in row
        )
        for row in panel.cells
    )
    return HeatPanel(panel.title, tuple(cells))


def _example(bench: BenchmarkView) -> str:
    if bench.words.kernel:
        return "call"
    return "training example" if bench.words.trains else "example"


def _table(bench: BenchmarkView) -> Table:
    def made(series: Series, point: Point) -> Entry:
        cell = _cell(bench, series, point)
        href = bench.evidence(series, point)
        if cell.value is None:
            return entry(Line(cell.text, "reason"), href=href)
        return entry(cell.text, *under(cell.under, "detail"), href=href)

    rows = tuple(
        Row(
            entry(bench.point_header(point)),
            tuple(made(series, point) for series in bench.shown_series),
        )
        for point in bench.points
    )
    return Table(
        id="grid-data",
        title=f"Time for one {_example(bench)}, by sweep point",
        corner=bench.points_heading,
        columns=device_columns(bench.shown_series),
        groups=(RowGroup(rows),),
    )


def _note(bench: BenchmarkView) -> str:
    note = (
        f"Time for one {_example(bench)}, longer in stronger colours, on a logarithmic scale"
        + (f"; under it the {metric_title(bench.quality)}" if bench.quality else "")
        + ". A cell without a number says why."
    )
    if any(row.status == "partial" for row in bench.results):
        note += " Where the budget cut a run short, its quality is not comparable and is left out."
    return note
