"""A field of measured points, each in the colour of the fastest device, under a model's boundary.

A panel for each kind of net on one pair of axes: the batch across, the work of a step up. What was
measured is a mark; what a model says is a dotted line with the word beside it, and a tint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    ROOMY,
    THUMBNAIL,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    halo,
    rows,
    told,
)
from accelreport.report.charts.scales import Scale, decades, log_domain, plain
from accelreport.report.text import cut, text_width
from accelreport.report.theme import series

UNDECIDED, MODEL = "undecided", "model"
HELD_OUT = "ringed: not seen by the model"
DOTTED = [1.5, 3.0]
BETWEEN = 14.0
"""Pixels between two panels."""
MARGIN = 20.0
"""Pixels between the side of a panel and its first batch."""
ROW = 17.0
"""Pixels of a row of the key."""


@dataclass(frozen=True)
class MapMark:
    """A measured point.

    Attributes:
        batch: examples in a step.
        operations: of a step.
        device: the fastest; None where that is undecided.
        fitted: whether the model was fitted to it.
        text: what pointing at it tells.
    """

    batch: float
    operations: float
    device: DeviceStyle | None
    fitted: bool
    text: str


@dataclass(frozen=True)
class MapLine:
    """A boundary of the model: the work at which two devices are equal, and the words beside it."""

    operations: float
    text: str


@dataclass(frozen=True)
class MapTint:
    """Where the model has one device as the fastest, whatever the depth."""

    least: float
    most: float
    device: DeviceStyle


@dataclass(frozen=True)
class MapPanel:
    """One kind of net."""

    title: str
    marks: tuple[MapMark, ...]
    lines: tuple[MapLine, ...]
    tints: tuple[MapTint, ...]


def work_text(operations: float) -> str:
    """A tick's operations: "10 M"."""
    for sign, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if round(operations / scale, 6) >= 1:  # a tick may lie a rounding error below its unit
            return f"{plain(round(operations / scale, 6))} {sign}"
    return plain(operations)


def decision_map_chart(
    panels: Sequence[MapPanel], devices: Sequence[DeviceStyle], *, width: int, height: int
) -> Chart:
    """The chart.

    Args:
        panels: never none, side by side.
        devices: all that are compared.
        width: pixels in all.
        height: pixels in all.
    """
    return _Drawn(panels, devices, width, height).chart()


class _Drawn:
    """Everything in pixels from the top left."""

    def __init__(
        self, panels: Sequence[MapPanel], devices: Sequence[DeviceStyle], width: int, height: int
    ) -> None:
        self._panels, self._devices = panels, Devices(devices)
        self._shown = devices
        self._small = width <= THUMBNAIL
        self._letters = 10.0 if self._small else 12.5 if width > ROOMY else 11.0
        self._width = width - 10.0
        self._words: list[dict[str, Any]] = []
        work = [mark.operations for panel in panels for mark in panel.marks]
        self._low, self._high = log_domain(work, 2.2)
        self._ticks = decades(self._low, self._high, 4 if self._small else 6)
        self._left = 8 + max(text_width(work_text(t), self._letters) for t in self._ticks)
        self._keys: list[dict[str, Any]] = []
        key = 0.0 if self._small else self._key()
        self._top = key + 20.0
        self._bottom = height - (20.0 if self._small else 46.0)
        self._height = height - (4.0 if self._small else 8.0)
        inner = self._width - self._left - BETWEEN * (len(panels) - 1)
        self._panel = inner / len(panels)

    def _key(self) -> float:
        """The key over the panels, in as many rows as it needs; its height."""
        x, y = self._left, ROW / 2
        entries = [(self._devices.name(each), each.title) for each in self._shown]
        for name, text in [*entries, *((w, w) for w in (UNDECIDED, HELD_OUT, MODEL))]:
            room = 26 + text_width(text, self._letters)
            if x > self._left and x + room > self._width:
                x, y = self._left, y + ROW
            self._keys.append({"device": name, "x": x + 8, "x2": x - 1, "x3": x + 16, "y": y})
            self._word(cut(text, self._width - x - 22, self._letters), x + 20, y)
            x += room + 8
        return y + ROW / 2 + 4

    def _word(self, text: str, x: float, y: float, **look: Any) -> None:
        kind = {"align": "left", "fill": "var(--ink)", "bold": False, "halo": False, **look}
        self._words.append({"text": text, "x": x, "y": y, **kind})

    def _across(self, number: int, batch: float) -> float:
        every = self._every_batch()
        begin = self._left + number * (self._panel + BETWEEN)
        if len(every) == 1:
            return begin + self._panel / 2
        margin = min(MARGIN, self._panel / 6)
        share = math.log(batch / every[0]) / math.log(every[-1] / every[0])
        return begin + margin + share * (self._panel - 2 * margin)

    def _down(self, operations: float) -> float:
        share = math.log(operations / self._low) / math.log(self._high / self._low)
        return self._bottom - min(max(share, 0.0), 1.0) * (self._bottom - self._top)

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        tints, grid, marks, lines = self._placed()
        x_scale = Scale(domain=[0, self._width], range=[0, self._width], nice=False)
        y_scale = Scale(domain=[0, self._height], range=[0, self._height], nice=False)

        def at(**fields: str) -> dict[str, Any]:
            kinds = {"x": (alt.X, x_scale), "y": (alt.Y, y_scale)}
            return {
                n: kinds[n][0](f"{f}:Q", scale=kinds[n][1], axis=None) for n, f in fields.items()
            }

        ends = {"x2": alt.X2("x2")}
        layers = []
        if tints:
            fill = alt.Fill("fill:N", scale=None)
            area = Layer(rows(tints)).mark_rect(opacity=0.16)
            layers.append(area.encode(**at(x="x", y="y"), **ends, y2=alt.Y2("y2"), fill=fill))
        ruled = Layer(rows(grid)).mark_rule(stroke="var(--grid)", strokeWidth=1)
        layers.append(ruled.encode(**at(x="x", y="y"), **ends))
        dotted = {"strokeDash": DOTTED, "strokeWidth": 2.25, "stroke": "var(--ink)"}
        drawn = [*lines, *self._model_key()]
        if drawn:
            layers.append(Layer(rows(drawn)).mark_rule(**dotted).encode(**at(x="x", y="y"), **ends))
        # No word hides a mark.
        layers += [*self._texts(at), *self._marks(marks, at)]
        return alt.layer(*layers, width=self._width, height=self._height)

    def _model_key(self) -> list[dict[str, Any]]:
        own = [key for key in self._keys if key["device"] == MODEL]
        return [{"x": key["x2"], "x2": key["x3"], "y": key["y"]} for key in own]

    def _placed(self) -> tuple[list[dict[str, Any]], ...]:
        """Tints, lines of the grid, marks and boundaries; words are noted on the way."""
        tints, grid, marks, lines = [], [], [], []
        for tick in self._ticks:
            y = self._down(tick)
            look = {"align": "right", "fill": "var(--soft)"}
            self._word(work_text(tick), self._left - 6, y, **look)
        for number, panel in enumerate(self._panels):
            begin = self._left + number * (self._panel + BETWEEN)
            end = begin + self._panel
            self._word(self._title(panel.title), begin, self._top - 10, bold=True)
            grid += [{"x": begin, "x2": end, "y": self._down(tick)} for tick in self._ticks]
            tints += [
                {"x": begin, "x2": end, "y": self._down(max(tint.least, self._low)),
                 "y2": self._down(min(tint.most, self._high)),
                 "fill": series(tint.device.colour)}
                for tint in panel.tints
            ]  # fmt: skip
            marks += [self._mark(number, mark) for mark in panel.marks]
            lines += self._lines(number, begin, end)
            self._batches(number, panel, begin)
        return tints, grid, marks, lines

    def _mark(self, number: int, mark: MapMark) -> dict[str, Any]:
        name = UNDECIDED if mark.device is None else self._devices.name(mark.device)
        return {
            "device": name, "x": self._across(number, mark.batch),
            "y": self._down(mark.operations), "label": mark.text, "ringed": not mark.fitted,
        }  # fmt: skip

    def _lines(self, number: int, begin: float, end: float) -> list[dict[str, Any]]:
        """Boundaries, with words at the lowest and, where there is room, at the highest.

        Words stand between the last two batches, where no mark is.
        """
        ordered = sorted(self._panels[number].lines, key=lambda line: line.operations)
        places = [self._across(number, batch) for batch in self._every_batch()]
        x = (places[-1] + places[-2]) / 2 if len(places) > 1 else (places[0] + end) / 2
        room = places[-1] - places[-2] if len(places) > 1 else end - places[0]
        if ordered and not self._small:
            low, high = ordered[0], ordered[-1]
            apart = self._down(low.operations) - self._down(high.operations)
            look = {"align": "center", "halo": True, "bold": True}
            text, other = (self._short(line, room - 16) for line in (high, low))
            self._word(text, x, self._down(high.operations) - 9, **look)
            if low is not high and apart > 2:
                self._word(other, x, self._down(low.operations) + 10, **look)
        return [{"x": begin, "x2": end, "y": self._down(line.operations)} for line in ordered]

    def _every_batch(self) -> list[float]:
        return sorted({mark.batch for panel in self._panels for mark in panel.marks})

    def _short(self, line: MapLine, room: float) -> str:
        """As many of the words beside a line as there is room for: without the layers, or bare."""
        whole, _, amount = line.text.rpartition(": ")
        for text in (line.text, f"{whole.partition(',')[0]}: {amount}"):
            if text_width(text, self._letters, bold=True) <= room:
                return text
        return amount

    def _title(self, title: str) -> str:
        """The name of a panel, or its beginning."""
        fits = text_width(title, self._letters, bold=True) <= self._panel
        return title if fits else f"{title[:4]}."

    def _batches(self, number: int, panel: MapPanel, begin: float) -> None:
        """Numbers of the batches below a panel, and under the first one what they are."""
        for batch in sorted({mark.batch for mark in panel.marks}):
            look = {"align": "center", "fill": "var(--soft)"}
            self._word(plain(batch), self._across(number, batch), self._bottom + 11, **look)
        if number == 0 and not self._small:
            self._word("batch size", begin, self._bottom + 29, fill="var(--soft)")

    def _marks(self, marks: list[dict[str, Any]], at: Any) -> list[Layer]:
        """Filled in the colour of the fastest device, hollow where undecided; rings around some."""
        keys = [key | {"label": "", "ringed": False} for key in self._keys]
        known = [m for m in (*marks, *keys) if m["device"] not in (UNDECIDED, HELD_OUT, MODEL)]
        open_ = [m for m in (*marks, *keys) if m["device"] == UNDECIDED]
        ringed = [m for m in (*marks, *keys) if m["ringed"] or m["device"] == HELD_OUT]
        size = 26 if self._small else 70
        tips = told(label="place", device="fastest")
        looks = self._devices.channels("color", "shape")
        layers = []
        if known:
            dots = Layer(rows(known)).mark_point(size=size)
            layers.append(dots.encode(**at(x="x", y="y"), tooltip=tips, **looks))
        if open_:
            hollow = {"filled": False, "fill": "var(--paper)", "stroke": "var(--soft)"}
            dots = Layer(rows(open_)).mark_point(size=size, strokeWidth=1.75, **hollow)
            layers.append(dots.encode(**at(x="x", y="y"), tooltip=tips))
        if ringed and not self._small:
            rings = Layer(rows(ringed)).mark_point(
                size=3.2 * size, filled=False, stroke="var(--ink)", strokeWidth=1.25
            )
            layers.append(rings.encode(**at(x="x", y="y")))
        return layers

    def _texts(self, at: Any) -> list[Layer]:
        layers: list[Layer] = []
        by_look: dict[tuple[str, bool, bool, str], list[dict[str, Any]]] = {}
        for word in self._words:
            look = (word["align"], word["bold"], word["halo"], word["fill"])
            by_look.setdefault(look, []).append(word)
        for (align, bold, with_halo, fill), some in by_look.items():
            mark = {
                "align": align, "fontSize": self._letters, "baseline": "middle",
                "fontWeight": "bold" if bold else "normal",
            }  # fmt: skip
            text = Layer(rows(some)).encode(**at(x="x", y="y"), text=alt.Text("text:N"))
            if with_halo:
                layers += halo(text, **mark)
            else:
                layers.append(text.mark_text(fill=fill, **mark))
        return layers
