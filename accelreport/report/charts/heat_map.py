"""A grid of numbers on colours, one for each panel: columns and rows are two swept axes.

A cell without a number says why; none is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import LABEL_SIZE, Chart, Layer, rows
from accelreport.report.charts.scales import Scale
from accelreport.report.text import cut, lines_within, text_width

RAMP = ("h4", "h5", "h6", "h7", "h8")
"""Colours of five bins, little to much: all of them carry ink."""
GAP = 3
HEADING, COLUMNS, BETWEEN, FOOT = 22, 18, 34, 22
"""Pixels of a panel's name, of the names of columns, between panels, and below all of them."""
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
        value: what its colour tells, positive; None where there is no number.
        text: the value; or in a few words why there is none.
        under: what stands under it.
    """

    value: float | None
    text: str
    under: str = ""


@dataclass(frozen=True)
class HeatPanel:
    """One grid: its name, and its cells by row, from the top, and column."""

    title: str
    cells: tuple[tuple[HeatCell, ...], ...]


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
    left = max(text_width(name, LETTERS) for name in axes.rows) + 8
    cells = [cell for panel in panels for row in panel.cells for cell in row]
    bare = not any(cell.under or (cell.value is None and cell.text) for cell in cells)
    widest = max(text_width(cell.text, LETTERS + 2, bold=True) for cell in cells)
    across = _across(len(panels), len(axes.columns) * (widest + GAP + 8 if bare else LEAST_CELL),
                     width - left)  # fmt: skip
    down = -(-len(panels) // across)
    panel = (width - 10 - left - (across - 1) * BETWEEN) / across
    cell = panel / len(axes.columns)
    above = (HEADING if any(p.title for p in panels) else 0) + COLUMNS
    row = max((height - FOOT) / down - above - 8, len(axes.rows) * (LETTERS + GAP if bare else 38))
    row /= len(axes.rows)
    drawn = _HeatLayers(axes, _bins(panels))
    for number, each in enumerate(panels):
        x = left + (number % across) * (panel + BETWEEN)
        y = (number // across) * (above + row * len(axes.rows) + 8)
        drawn.panel(each, x, y + above, cell, row, first=number % across == 0)
    total = down * (above + row * len(axes.rows) + 8)
    drawn.words.append(_word(axes.title, left, total + 12, LABEL_SIZE, "var(--soft)"))
    return drawn.chart(width - 8, total + FOOT)


def _across(panels: int, least: float, width: float) -> int:
    most = int((width + BETWEEN) // (least + BETWEEN))
    return max(1, min(panels, most))


def _bins(panels: Sequence[HeatPanel]) -> tuple[float, float]:
    """The smallest and the largest logarithm of a value."""
    found = [
        math.log(cell.value)
        for panel in panels
        for row in panel.cells
        for cell in row
        if cell.value
    ]
    return (min(found), max(found)) if found else (0.0, 1.0)


def _word(
    text: str,
    x: float,
    y: float,
    size: float,
    fill: str,
    *,
    align: str = "left",
    bold: bool = False,
) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "size": size, "fill": fill, "align": align, "bold": bold}


class _HeatLayers:
    """Rectangles and words in pixels."""

    def __init__(self, axes: HeatAxes, bins: tuple[float, float]) -> None:
        self._axes, self._bins = axes, bins
        self.words: list[dict[str, Any]] = []
        self._cells: list[dict[str, Any]] = []

    def panel(
        self, panel: HeatPanel, x: float, y: float, cell: float, row: float, *, first: bool
    ) -> None:
        """One grid with the names around it."""
        if panel.title:
            size = LETTERS + 1
            room = cell * len(self._axes.columns) + BETWEEN - 8
            size = min(size, max(LEAST, size * room / text_width(panel.title, size, bold=True)))
            title = cut(panel.title, room / 1.07, size)
            self.words.append(_word(title, x, y - COLUMNS - 10, size, "var(--ink)", bold=True))
        for number, name in enumerate(self._axes.columns):
            at = x + (number + 0.5) * cell
            self.words.append(_word(name, at, y - 9, LETTERS, "var(--soft)", align="center"))
        for number, (name, cells) in enumerate(zip(self._axes.rows, panel.cells, strict=True)):
            middle = y + (number + 0.5) * row
            if first:
                self.words.append(_word(name, x - 7, middle, LETTERS, "var(--soft)", align="right"))
            for place, each in enumerate(cells):
                self._cell(each, x + place * cell, y + number * row, cell, row)

    def _cell(self, each: HeatCell, x: float, y: float, width: float, height: float) -> None:
        known = each.value is not None
        self._cells.append(
            {
                "x": x, "x2": x + width - GAP, "y": y, "y2": y + height - GAP,
                "known": known, "fill": f"var(--{self._colour(each)})" if known else "none",
                "label": each.text,
            }
        )  # fmt: skip
        middle, centre = x + (width - GAP) / 2, y + (height - GAP) / 2
        room, letters = width - GAP - 6, LETTERS
        under = each.under if known and height > 34 else ""
        if known:
            size = min(letters + 2, letters * room / text_width(each.text, letters, bold=True))
            up = centre - (8 if under else 0)
            self.words.append(
                _word(each.text, middle, up, size, "var(--ink)", align="center", bold=True)
            )
        else:
            lines = lines_within(each.text, room, letters - 2)[: max(1, int(height // letters))]
            for number, line in enumerate(lines):
                at = centre + (number - (len(lines) - 1) / 2) * letters
                text = cut(line, room, letters - 2)
                self.words.append(
                    _word(text, middle, at, letters - 2, "var(--soft)", align="center")
                )
        if under:
            # A narrow cell has "39 %" for "39 % right", and no half of a word.
            fits = text_width(under, letters - 2) <= room
            text = cut(under if fits else under.split(" ")[0], room, letters - 2)
            self.words.append(
                _word(text, middle, centre + 9, letters - 2, "var(--ink)", align="center")
            )

    def _colour(self, each: HeatCell) -> str:
        low, high = self._bins
        share = (math.log(each.value or 1.0) - low) / (high - low) if high > low else 0.0
        return RAMP[min(int(share * len(RAMP)), len(RAMP) - 1)]

    def chart(self, width: float, height: float) -> Chart:
        """What was placed, on axes that are pixels."""
        across = Scale(domain=[0, width], range=[0, width], nice=False, zero=False)
        down = Scale(domain=[0, height], range=[0, height], nice=False, zero=False)
        x = alt.X("x:Q", scale=across, axis=None)
        y = alt.Y("y:Q", scale=down, axis=None)
        fill = alt.Fill("fill:N", scale=None)
        known = [cell for cell in self._cells if cell["known"]]
        absent = [cell for cell in self._cells if not cell["known"]]
        ends = {"x": x, "x2": alt.X2("x2"), "y": y, "y2": alt.Y2("y2")}
        layers = [Layer(rows(known)).mark_rect().encode(fill=fill, **ends)] if known else []
        if absent:
            dashed = Layer(rows(absent)).mark_rect(
                fill="none", stroke="var(--rule)", strokeDash=[3, 3]
            )
            layers.append(dashed.encode(**ends))
        by_look: dict[tuple[str, bool, float], list[dict[str, Any]]] = {}
        for word in self.words:
            by_look.setdefault((word["align"], word["bold"], word["size"]), []).append(word)
        for (align, bold, size), some in by_look.items():
            weight = "bold" if bold else "normal"
            look = {"align": align, "fontWeight": weight, "fontSize": size, "baseline": "middle"}
            text = Layer(rows(some)).mark_text(**look)
            layers.append(text.encode(x=x, y=y, text=alt.Text("text:N"), fill=fill))
        return Chart(layers, width, height)
