"""Two and more swept axes: time and quality in each cell of a grid.

Every sweep point of every measured device has its cell, but a panel, row or column without any
number is left out. The note says how many, and why a cell has no number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import altair as alt

from accelreport.analysis.findings import Finding, Unit
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.charts.drawing import Chart, Layer, rows, text_layers
from accelreport.report.charts.scales import Scale
from accelreport.report.metrics import axis_title, metric_title, settings_text
from accelreport.report.model import (
    Entry,
    Line,
    RowGroup,
    Table,
    entry,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Scene, Size
from accelreport.report.pages.badges import device_columns, kind_text, loud_badges
from accelreport.report.say import Speaker
from accelreport.report.text import cut, label, lines_within, sentence, text_width
from accelreport.report.view import BenchmarkView, Point, Series, mean, median, present


@dataclass(frozen=True)
class Layout:
    """Which axis is across, which down, and which make panels of their own."""

    across: str
    down: str
    apart: tuple[str, ...]


def layout_of(bench: BenchmarkView) -> Layout | None:
    """The longest axis across, the next one down, of equals the later; None without two.

    Axes that advance together are one.
    """
    longest = [*reversed(bench.axes)]
    longest.sort(key=lambda axis: -len(_values(bench, axis)))
    diagonal = len(longest) > 1 and len(_values(bench, longest[1])) > 1
    if len(longest) < 2 or (diagonal and len(_values(bench, longest[0])) == len(bench.points)):
        return None
    across, down = longest[:2]
    return Layout(across, down, tuple(axis for axis in bench.axes if axis not in {across, down}))


def _values(bench: BenchmarkView, axis: str) -> list[Any]:
    number = bench.axes.index(axis)
    return list(dict.fromkeys(point[number] for point in bench.points))


def example_seconds(bench: BenchmarkView, series: Series, point: Point) -> float | None:
    """Seconds of a step for each example in it (of a step, where nobody counted them)."""
    speedup = bench.speedup(series, point)
    if speedup is None:
        return None
    count = median([row.timings.samples_per_step for row in bench.measured(series, point)])
    return speedup.seconds.value / (count if present(count) else 1.0)


def quality_at(bench: BenchmarkView, series: Series, point: Point) -> float | None:
    """The mean final quality of complete trainings; None without any."""
    rows = [row for row in bench.measured(series, point) if row.complete]
    value = mean([row.final.get(bench.quality, float("nan")) for row in rows])
    return value if present(value) else None


def _name(value: Any) -> str:
    return label(quantity.setting(value), 40)


def _panels(bench: BenchmarkView, layout: Layout) -> list[HeatPanel]:
    """A panel for each device and each planned combination of the axes that make panels."""
    numbers = [bench.axes.index(axis) for axis in layout.apart]
    settings = dict.fromkeys(tuple(point[number] for number in numbers) for point in bench.points)
    apart = [dict(zip(layout.apart, values, strict=True)) for values in settings]
    several = len(bench.shown_series) > 1
    panels = []
    for series, held in product(bench.shown_series, apart):
        cells = []
        for y in reversed(_values(bench, layout.down)):
            row = (
                {**held, layout.down: y, layout.across: x} for x in _values(bench, layout.across)
            )
            points = [tuple(at[axis] for axis in bench.axes) for at in row]
            cells.append(tuple(_cell(bench, series, point) for point in points))
        # A value that all panels share distinguishes none of several devices.
        named = settings_text({} if several and len(apart) == 1 else held, " · ")
        title = " · ".join(filter(None, (series.title if several else "", named)))
        panels.append(HeatPanel(title, tuple(cells)))
    return panels


def _cell(bench: BenchmarkView, series: Series, point: Point) -> HeatCell:
    planned = bench.planned(series, point)
    seconds = example_seconds(bench, series, point)
    if seconds is None:
        return HeatCell(None, kind_text(planned[0]) if planned else "not planned")
    quality = quality_at(bench, series, point)
    under = _quality_text(bench.quality, quality) if quality is not None else ""
    return HeatCell(seconds, quantity.duration(seconds), under)


def _quality_text(metric: str, value: float) -> str:
    if is_share(metric):
        text = quantity.percent(value, 0 if value < 0.99 else 1)
        return f"{text} accuracy" if "accuracy" in metric else text
    return quantity.number(value)


def grid_scene(bench: BenchmarkView, finding: Finding) -> Scene | None:
    """Time and quality in each cell of a grid; None with fewer than two axes of several values."""
    layout = layout_of(bench)
    if layout is None:
        return None
    every, speaker = _panels(bench, layout), Speaker(bench)
    axes = HeatAxes(
        columns=tuple(_name(value) for value in _values(bench, layout.across)),
        rows=tuple(
            f"{axis_title(layout.down)} {_name(value)}"
            for value in reversed(_values(bench, layout.down))
        ),
        title=axis_title(layout.across),
    )
    panels, axes = _with_numbers(every, axes)
    slowest, fastest = finding.values[0], finding.values[-1]
    scale, sign = quantity.time_unit(max(seconds for panel in panels for seconds in panel.times))
    bare = [_bare(panel, scale) for panel in _without_words(panels)]
    plot = Plot(
        id="grid",
        title=f"Time for one {_example(bench)} ({sign})",
        description=" to ".join(
            f"{speaker.number(value)} ({bench.point_title(value.of.point)})"
            for value in (fastest, slowest)
        ),
        chart=partial(_chart, bare, axes),
        brief=" · ".join(filter(None, (f"times in {sign}", _brief(every, panels)))),
        caption=_note(bench, every, panels),
        badges=loud_badges(bench),
        table=_table(bench),
        values=finding.values,
    )
    return Scene(finding, plot)


def _chart(panels: Sequence[HeatPanel], axes: HeatAxes, size: Size) -> Chart:
    """The grid; on a slide the panels of its slowest and its fastest cell, with times alone."""
    if size.most:
        panels = [panel.changed(lambda cell: replace(cell, under="")) for panel in _of_ends(panels)]
    return heat_map(panels, axes, width=size.width, height=size.height)


def _of_ends(panels: Sequence[HeatPanel]) -> list[HeatPanel]:
    """The panels of the slowest and the fastest cell: a slide has no others."""
    every = [seconds for panel in panels for seconds in panel.times]
    return [panel for panel in panels if {min(every), max(every)} & {*panel.times}]


def _brief(every: Sequence[HeatPanel], panels: Sequence[HeatPanel]) -> str:
    """What hatched cells of a slide are, and what it leaves out."""
    shown = _of_ends(panels)
    parts = ["hatched: without a time"] * bool(_untimed(shown))
    parts += [f"{len(shown)} of {len(panels)} panels"] * (len(shown) < len(panels))
    return " · ".join(filter(None, (*parts, _left_out(every, panels))))


def _untimed(panels: Sequence[HeatPanel]) -> Counter[str]:
    """Why cells have no time → how many."""
    cells = (cell for panel in panels for row in panel.cells for cell in row)
    return Counter(cell.text for cell in cells if cell.value is None)


def _left_out(every: Sequence[HeatPanel], panels: Sequence[HeatPanel]) -> str:
    """What is planned and not drawn, and why: "batch size 64 left out: not run"."""
    sizes = [(len(some), len(some[0].cells), len(some[0].cells[0])) for some in (every, panels)]
    left_out = [
        f"{planned - drawn} of {planned} {what}"
        for what, planned, drawn in zip(("panels", "rows", "columns"), *sizes, strict=True)
        if drawn < planned
    ]
    lost = [panel.title for panel in every if not panel.times]
    if len(lost) == 1:
        left_out[0] = lost[0]
    why = ", ".join(sorted(_untimed(every) - _untimed(panels)))
    return f"{quantity.listed(left_out)} left out: {why}" if left_out else ""


def _with_numbers(panels: Sequence[HeatPanel], axes: HeatAxes) -> tuple[list[HeatPanel], HeatAxes]:
    """The panels, rows and columns that have a number somewhere."""
    known = [
        (number, row, column)
        for number, panel in enumerate(panels)
        for row, cells in enumerate(panel.cells)
        for column, cell in enumerate(cells)
        if cell.value is not None
    ]
    numbers, down, across = (sorted(set(places)) for places in zip(*known, strict=True))
    kept = [
        HeatPanel(
            panels[number].title,
            tuple(tuple(panels[number].cells[row][column] for column in across) for row in down),
        )
        for number in numbers
    ]
    columns, rows = tuple(axes.columns[n] for n in across), tuple(axes.rows[n] for n in down)
    return kept, replace(axes, columns=columns, rows=rows)


def _without_words(panels: Sequence[HeatPanel]) -> list[HeatPanel]:
    """The panels with nothing in a cell that has no number: the caption says why, once.

    Qualities are there where most cells have one: those of a few compare nothing.
    """
    cells = [cell for panel in panels for row in panel.cells for cell in row if cell.value]
    most = 2 * sum(bool(cell.under) for cell in cells) > len(cells)
    return [panel.changed(lambda cell: replace(cell, under=cell.under * most)) for panel in panels]


def _bare(panel: HeatPanel, scale: float) -> HeatPanel:
    """The numbers of a panel without their unit, which its title has."""

    def bare(cell: HeatCell) -> HeatCell:
        return replace(cell, text=quantity.write((cell.value or 0.0) / scale, Unit.NUMBER))

    return panel.changed(bare)


def _example(bench: BenchmarkView) -> str:
    if bench.words.kernel:
        return "call"
    return "training example" if bench.words.trains else "example"


def _table(bench: BenchmarkView) -> Table:
    def cell_entry(series: Series, point: Point) -> Entry:
        cell = _cell(bench, series, point)
        href = bench.evidence(series, point)
        if cell.value is None:
            return entry(Line(cell.text, "reason"), href=href)
        return entry(cell.text, *under(cell.under, "detail"), href=href)

    rows = tuple(
        table_row(bench.point_header(point), *(cell_entry(s, point) for s in bench.shown_series))
        for point in bench.points
    )
    return Table(
        id="grid-data",
        title=f"Time for one {_example(bench)}, by sweep point",
        corner=bench.points_heading,
        columns=device_columns(bench.shown_series),
        groups=(RowGroup(rows),),
    )


def _note(bench: BenchmarkView, every: Sequence[HeatPanel], panels: Sequence[HeatPanel]) -> str:
    """How to read it, and how many cells have no time and why, once for all of them."""
    drawn = (cell for panel in _without_words(panels) for row in panel.cells for cell in row)
    quality = f"; below: {metric_title(bench.quality)}" * any(cell.under for cell in drawn)
    absent, cells = _untimed(panels), sum(len(row) for panel in panels for row in panel.cells)
    why = ", ".join(sorted(absent))
    dashed = f" Hatched ({absent.total()} of {cells}): {why}." if absent else ""
    gone = f" {sentence(left_out)}." if (left_out := _left_out(every, panels)) else ""
    return f"Colour: log scale{quality}.{dashed}{gone}"


# The drawing ------------------------------------------------------------------------------------

SHADE, PALEST = "var(--c4)", 0.3
"""Colour of the longest time, and how much of it the shortest has; the colours of a speedup mean
slower or faster, and those of devices a device."""
GAP = 3
HEADING, COLUMNS, BETWEEN = 22, 18, 34
"""Pixels of a panel's name, of the names of columns, and between panels."""
TALLEST = 90
"""Pixels of the highest cell."""
LETTERS = 13.0
"""Pixels of the letters."""
LEAST_CELL = 56
"""Pixels of a cell that needs words below its number, or instead of it."""
LEAST = 10.5
"""Pixels of the letters of a heading that has little room."""


@dataclass(frozen=True)
class HeatCell:
    """A cell.

    Attributes:
        value: what its colour shows, positive; None where there is no number.
        text: the value; or in a few words why there is none.
        under: below the text.
    """

    value: float | None
    text: str
    under: str = ""


@dataclass(frozen=True)
class HeatPanel:
    """One grid: its name, and its cells by row, from the top, and column."""

    title: str
    cells: tuple[tuple[HeatCell, ...], ...]

    def changed(self, change: Callable[[HeatCell], HeatCell]) -> HeatPanel:
        """The same with other cells, and without words in those that have no value."""
        cells = (
            tuple(change(cell) if cell.value else HeatCell(None, "") for cell in row)
            for row in self.cells
        )
        return HeatPanel(self.title, tuple(cells))

    @property
    def times(self) -> list[float]:
        """The values of its cells."""
        return [cell.value for row in self.cells for cell in row if cell.value is not None]


@dataclass(frozen=True)
class HeatAxes:
    """Names of columns and rows, and what columns are."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    title: str


def heat_map(panels: Sequence[HeatPanel], axes: HeatAxes, *, width: int, height: int) -> Chart:
    """The chart: as many panels side by side as there is room for, the others below.

    Args:
        panels: all with as many rows and columns as the axes name.
        axes: shared by all.
        width: pixels in all.
        height: pixels in all, at least; rows have a least height.
    """
    left = max(text_width(name, LETTERS) for name in (axes.title, *axes.rows)) + 8
    cells = [cell for panel in panels for row in panel.cells for cell in row]
    bare = not any(cell.under or (cell.value is None and cell.text) for cell in cells)
    widest = max(text_width(cell.text, LETTERS + 2, bold=True) for cell in cells)
    least = len(axes.columns) * (widest + GAP + 8 if bare else LEAST_CELL)
    most = int((width - left + BETWEEN) // (least + BETWEEN))
    across = max(1, min(len(panels), most))
    down = -(-len(panels) // across)
    panel = (width - 10 - left - (across - 1) * BETWEEN) / across
    cell = panel / len(axes.columns)
    above = (HEADING if any(p.title for p in panels) else 0) + COLUMNS
    row = max(height / down - above - 8, len(axes.rows) * (LETTERS + GAP if bare else 38))
    row = min(row / len(axes.rows), TALLEST)
    logarithms = [math.log(cell.value) for cell in cells if cell.value] or [0.0]
    drawn = _HeatLayers(axes, (min(logarithms), max(logarithms)))
    for number, heat_panel in enumerate(panels):
        x = left + (number % across) * (panel + BETWEEN)
        y = (number // across) * (above + row * len(axes.rows) + 8)
        drawn.panel(heat_panel, x, y + above, cell, row, first=number % across == 0)
    return drawn.chart(width - 8, down * (above + row * len(axes.rows) + 8))


class _HeatLayers:
    """Rectangles and words in pixels.

    Args:
        axes: names of columns and rows.
        ends: the logarithms of the smallest and the largest value.
    """

    def __init__(self, axes: HeatAxes, ends: tuple[float, float]) -> None:
        self._axes, self._ends = axes, ends
        self._words: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._cells: list[dict[str, Any]] = []

    def word(
        self, text: str, x: float, y: float, size: float, fill: str, *, align: str = "left",
        bold: bool = False,
    ) -> None:  # fmt: skip
        """Write something."""
        look = {"align": align, "fontWeight": "bold" if bold else "normal", "fontSize": size,
                "baseline": "middle", "fill": fill}  # fmt: skip
        self._words.append(({"x": x, "y": y, "label": text}, look))

    def panel(
        self, panel: HeatPanel, x: float, y: float, cell: float, row: float, *, first: bool
    ) -> None:
        """One grid with the names around it."""
        if panel.title:
            size = LETTERS + 1
            room = cell * len(self._axes.columns) + BETWEEN - 8
            size = min(size, max(LEAST, size * room / text_width(panel.title, size, bold=True)))
            title = cut(panel.title, room / 1.07, size)
            self.word(title, x, y - COLUMNS - 10, size, "var(--ink)", bold=True)
        if first:
            self.word(self._axes.title, x - 7, y - 9, LETTERS, "var(--soft)", align="right")
        for number, name in enumerate(self._axes.columns):
            at = x + (number + 0.5) * cell
            self.word(name, at, y - 9, LETTERS, "var(--soft)", align="center")
        for number, (name, cells) in enumerate(zip(self._axes.rows, panel.cells, strict=True)):
            middle = y + (number + 0.5) * row
            if first:
                self.word(name, x - 7, middle, LETTERS, "var(--soft)", align="right")
            for place, heat_cell in enumerate(cells):
                self._cell(heat_cell, x + place * cell, y + number * row, cell, row)

    def _cell(self, cell: HeatCell, x: float, y: float, width: float, height: float) -> None:
        known, (low, high) = cell.value is not None, self._ends
        share = (math.log(cell.value or 1.0) - low) / (high - low) if high > low else 0.0
        self._cells.append(
            {
                "x": x, "x2": x + width - GAP, "y": y, "y2": y + height - GAP,
                "known": known, "shade": round(PALEST + (1 - PALEST) * share, 3),
            }
        )  # fmt: skip
        middle, centre = x + (width - GAP) / 2, y + (height - GAP) / 2
        room, letters = width - GAP - 6, LETTERS
        under = cell.under if known and height > 34 else ""
        if known:
            size = min(letters + 2, letters * room / text_width(cell.text, letters, bold=True))
            up = centre - (8 if under else 0)
            self.word(cell.text, middle, up, size, "var(--ink)", align="center", bold=True)
        else:
            lines = lines_within(cell.text, room, letters - 2)[: max(1, int(height // letters))]
            for number, line in enumerate(lines):
                at = centre + (number - (len(lines) - 1) / 2) * letters
                text = cut(line, room, letters - 2)
                self.word(text, middle, at, letters - 2, "var(--soft)", align="center")
        if under:
            # A narrow cell has "39 %" for "39 % accuracy", and no half of a word.
            fits = text_width(under, letters - 1) <= room
            text = cut(under if fits else under.split(" ")[0], room, letters - 1)
            self.word(text, middle, centre + 9, letters - 1, "var(--ink)", align="center")

    def chart(self, width: float, height: float) -> Chart:
        """What was placed, on axes that are pixels."""
        across = Scale(domain=[0, width], range=[0, width], nice=False, zero=False)
        down = Scale(domain=[0, height], range=[0, height], nice=False, zero=False)
        x = alt.X("x:Q", scale=across, axis=None)
        y = alt.Y("y:Q", scale=down, axis=None)
        known = [cell for cell in self._cells if cell["known"]]
        absent = [cell for cell in self._cells if not cell["known"]]
        ends = {"x": x, "x2": alt.X2("x2"), "y": y, "y2": alt.Y2("y2")}
        hatched = {"stroke": "var(--soft)", "strokeWidth": 1, "opacity": 0.6}
        lines = [line for cell in absent for line in _hatching(*(cell[k] for k in CORNERS))]
        layers = [
            Layer(rows(known))
            .mark_rect(fill=SHADE)
            .encode(fillOpacity=alt.FillOpacity("shade:Q", scale=None), **ends),
            Layer(rows(absent)).mark_rect(fill="none", **hatched).encode(**ends),
            Layer(rows(lines)).mark_rule(**hatched).encode(**ends),
        ]
        return Chart([*layers, *text_layers(self._words, x=x, y=y)], width, height)


CORNERS = ("x", "x2", "y", "y2")
HATCH = 9
"""Pixels between two lines of a hatched cell, along its edges."""


def _hatching(left: float, right: float, top: float, bottom: float) -> Iterator[dict[str, float]]:
    """Lines at 45° across a cell, which end at its edges."""
    wide, high = right - left, bottom - top
    for at in range(HATCH, int(wide + high), HATCH):
        yield {
            "x": left + max(0.0, at - high), "y": top + min(at, high),
            "x2": left + min(at, wide), "y2": top + max(0.0, at - wide),
        }  # fmt: skip
