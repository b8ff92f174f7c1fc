"""Lines over a swept number, measured (solid, with their bands) and published (dashed).

Each line is named at its end, and a failure ends its line with a mark, so that no legend is
needed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt

from accelreport.report.charts.curves import moved_apart
from accelreport.report.charts.drawing import (
    THUMBNAIL,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    halo,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    Scale,
    decades,
    fitting,
    log_domain,
    plain,
    quality_ticks,
    swept_on_log,
    ticked,
)
from accelreport.report.text import cut, lines_within, text_width
from accelreport.report.theme import DASHES

LETTERS, SMALL = 13.0, 10.5
"""Sizes of letters of a figure and of a thumbnail, in pixels."""
LARGEST_SHARE, LARGEST_SMALL = 0.42, 0.52
"""Of the width of a figure and of a thumbnail, which names at the ends of lines may take."""
PUBLISHED = [4.0, 3.0]
"""The dash of a published line."""


@dataclass(frozen=True)
class SweepLine:
    """One line: the swept values, and what was found there with its intervals.

    Attributes:
        name: what stands at its end.
        detail: under it: "measured", "published 2018".
        device: from which its colour and its mark follow.
        x: swept values, ascending.
        y: positive.
        low: ends of the intervals; `y` itself where there is none.
        high: the other ends.
        published: whether somebody else printed it.
        pattern: which of the theme's dashes a measured line has.
        texts: what stands at its marks; none where they are empty.
    """

    name: str
    detail: str
    device: DeviceStyle
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    published: bool = False
    pattern: int = 0
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class End:
    """A device that failed at a swept value: where the mark stands and what it says."""

    device: DeviceStyle
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class SweepAxes:
    """What all panels of a figure share.

    Attributes:
        x_title: what is swept.
        swept: every swept value, ascending.
        heights: ends of the vertical axis.
        tick: the text of a value at it.
        share: whether it is linear, for shares; else it is logarithmic.
    """

    x_title: str
    swept: tuple[float, ...]
    heights: tuple[float, float]
    tick: Callable[[float], str]
    share: bool = False

    @property
    def ticks(self) -> list[float]:
        """Values with a label at the vertical axis."""
        low, high = self.heights
        return quality_ticks(low, high, share=True) if self.share else decades(low, high, 6)

    def height(self, value: float) -> float:
        """How high a value stands, in units of the axis."""
        return value if self.share else math.log(value)


def sweep_axes(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    *,
    x_title: str,
    tick: Callable[[float], str] = plain,
    share: bool = False,
) -> SweepAxes:
    """The axes that hold all lines and marks; linear ones end at their first and last tick."""
    swept = sorted({x for line in lines for x in line.x} | {end.x for end in ends})
    heights = [v for line in lines for v in (*line.low, *line.high, *line.y)]
    heights += [end.y for end in ends]
    if share:
        ticks = quality_ticks(min(heights), max(heights), share=True)
        return SweepAxes(x_title, tuple(swept), (ticks[0], ticks[-1]), tick, share=True)
    return SweepAxes(x_title, tuple(swept), log_domain(heights, 1.35), tick)


def sweep_lines(
    lines: Sequence[SweepLine], ends: Sequence[End], axes: SweepAxes, *, width: int, height: int
) -> Chart:
    """The chart.

    Args:
        lines: never none.
        ends: failures.
        axes: of all panels.
        width: pixels in all.
        height: pixels in all.
    """
    return _SweepPanel(lines, ends, axes, width, height).chart()


BELOW, ABOVE = 17.0, -17.0
"""Pixels from a mark to the middle of its number."""
BESIDE = 9.0
"""Pixels from a band to a number that stands at its side."""

Way = Sequence[tuple[float, float]]
"""The corners of a line, in pixels."""


def _crosses(way: Way, middle: tuple[float, float], size: tuple[float, float]) -> int:
    """How many parts of a line come into a box, or nearer to it than two pixels."""
    (x, y), (width, height) = middle, size
    found = 0
    for (left, start), (right, end) in pairwise(way):
        first, last = max(left, x - width / 2), min(right, x + width / 2)
        slope = (end - start) / (right - left or 1.0)
        upright = left == right  # an interval's band
        ends = [start, end] if upright else [start + slope * (at - left) for at in (first, last)]
        near = min(ends) - 2 <= y + height / 2 and max(ends) + 2 >= y - height / 2
        found += first <= last and near
    return found


class _SweepPanel:
    """One panel."""

    def __init__(
        self,
        lines: Sequence[SweepLine],
        ends: Sequence[End],
        axes: SweepAxes,
        width: int,
        height: int,
    ) -> None:
        self._lines, self._ends, self._axes = lines, ends, axes
        self._small = width <= THUMBNAIL
        self._letters = SMALL if self._small else LETTERS
        low, high = axes.heights
        ticks = [] if self._small else axes.ticks
        left = max((text_width(axes.tick(tick), self._letters) for tick in ticks), default=0) + 6
        self._inner = round(width - left - 8, 1)
        self._height = height - (24 if self._small else 46)
        self._said = self._words()
        self._room = self._named_room()
        self._devices = Devices([*(line.device for line in lines), *(end.device for end in ends)])
        self._x_scale, self._x_axis = self._across()
        kind = {"type": "linear", "zero": False} if axes.share else {"type": "log"}
        scale = Scale(**kind, domain=[low, high], nice=False)
        axis = ticked(ticks, axes.tick, title=None, domain=False, ticks=False,
                      minExtent=left, maxExtent=left)  # fmt: skip
        self._y_scale, self._y_axis = scale, axis

    def _words(self) -> list[tuple[str, str]]:
        """What stands at the end of each line, and under it; nothing that all have alike.

        Where names have little room, hardware that several share gives way to what tells them
        apart.
        """
        heads = Counter(line.name.partition(" (")[0] for line in self._lines)
        room = LARGEST_SHARE * self._inner - 16
        wide = any(text_width(e.name, self._letters, bold=True) > room for e in self._lines)
        alike = self._small or (len(self._lines) > 1 and len({e.detail for e in self._lines}) == 1)
        said = []
        for line in self._lines:
            name, detail = line.name, "" if alike else line.detail
            head, _, own = name.removesuffix(")").partition(" (")
            said.append(
                (own if (self._small or wide) and own and heads[head] > 1 else name, detail)
            )
        return said

    def _named_room(self) -> float:
        """Pixels for the names at the right."""
        widths = [text_width(name, self._letters, bold=True) for name, _ in self._said]
        widths += [text_width(detail, self._letters - 2) for _, detail in self._said]
        share = LARGEST_SMALL if self._small else LARGEST_SHARE
        return min(max(widths) + 20, share * self._inner)

    def _across(self) -> tuple[Scale, dict[str, Any]]:
        swept = self._axes.swept
        end = self._inner - self._room
        margin = min(24.0, end / 8)
        if len(swept) > 1 and swept_on_log(swept):
            scale = {"type": "log", "domain": [swept[0], swept[-1]], "base": 2}
        else:
            scale = {"domain": [swept[0], swept[-1]]}
        self._between, self._log = (margin, end), "type" in scale
        scale |= {"range": [margin, end], "nice": False} | ({} if self._log else {"zero": False})
        shown = fitting(list(swept), plain, (swept[0], swept[-1]), end, log=self._log)
        axis = ticked(shown, plain, title=None if self._small else self._axes.x_title, grid=False,
                      domain=False, ticks=False, titleAnchor="start",
                      labelFontSize=self._letters)  # fmt: skip
        return Scale(**scale), axis

    def _up(self, field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=self._y_scale, axis=self._y_axis)

    def _along(self) -> alt.X:
        return alt.X("x:Q", scale=self._x_scale, axis=self._x_axis)

    def _points(self, *, published: bool) -> Layer:
        found = [
            {
                "device": self._devices.name(line.device), "line": str(number), "x": x, "y": y,
                "low": low, "high": high, "label": line.name,
            }
            for number, line in enumerate(self._lines)
            if line.published is published
            for x, y, low, high in zip(line.x, line.y, line.low, line.high, strict=True)
        ]  # fmt: skip
        made: Layer = Layer(rows(found)).encode(x=self._along())
        return made

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        colour = self._devices.channels("color")
        theirs, ours = self._points(published=True), self._points(published=False)
        dash = self._dashes()
        size = 34 if self._small else 72
        tips = told(label="line", device="device", x=self._axes.x_title, y="value")
        layers = [
            theirs.mark_line(strokeDash=PUBLISHED, strokeWidth=2).encode(
                y=self._up("y"), detail=alt.Detail("line:N"), **colour
            ),
            ours.mark_line().encode(y=self._up("y"), detail=alt.Detail("line:N"), **dash, **colour),
            ours.mark_rule(strokeWidth=7, opacity=0.35).encode(
                y=self._up("low"), y2=alt.Y2("high"), **colour
            ),
            theirs.mark_point(
                shape="diamond", filled=False, fill="var(--paper)", size=size * 1.4, strokeWidth=2
            ).encode(y=self._up("y"), tooltip=tips, **colour),
            ours.mark_point(size=size).encode(
                y=self._up("y"), tooltip=tips, **colour, **self._devices.channels("shape")
            ),
        ]
        layers += [*self._numbers(), *self._failures(), *self._names()]
        shown = [layer for layer in layers if layer.data.values]
        return alt.layer(*shown, width=self._inner, height=self._height)

    def _numbers(self) -> list[Layer]:
        """Numbers at the marks, each where it lies on fewer lines and bands.

        One that has room on no side of its mark, beside other numbers and the marks of other
        lines, is left to the table.
        """
        if self._small:
            return []
        size = self._letters - 1
        ways = [
            [(self._right_of(x), self._down(y)) for x, y in zip(line.x, line.y, strict=True)]
            for line in self._lines
        ]
        ways += [
            [(self._right_of(x), self._down(low)), (self._right_of(x), self._down(high))]
            for line in self._lines
            for x, low, high in zip(line.x, line.low, line.high, strict=True)
            if low < high
        ]
        found: dict[tuple[float, float], list[dict[str, Any]]] = {}
        numbers: list[tuple[float, float, float]] = []
        for line in self._lines:
            marks = [
                (self._right_of(x), self._down(y), 30.0)
                for other in self._lines
                for x, y in zip(other.x, other.y, strict=True)
                if other is not line
            ]
            for x, y, text in zip(line.x, line.y, line.texts, strict=False):
                width = text_width(text, size, bold=True)
                # The last number ends before the names begin.
                last = x == self._axes.swept[-1]
                near, far = 8 - width / 2 if last else 0.0, BESIDE + width / 2
                shifts = (near, -far) if last else (near, far, -far)
                across, down = self._right_of(x), self._down(y)
                costs = {
                    (dy, dx): self._cost(ways, (across + dx, down + dy), (width, size))
                    for dx in shifts
                    for dy in (BELOW, ABOVE)
                    if not any(
                        abs(across + dx - a) < (width + wide) / 2 and abs(down + dy - b) < size
                        for a, b, wide in [*numbers, *marks]
                    )
                }
                if not costs:
                    continue
                side, shift = min(costs, key=costs.__getitem__)
                numbers.append((across + shift, down + side, width))
                found.setdefault((side, shift), []).append({"x": x, "y": y, "text": text})
        layers: list[Layer] = []
        for (side, shift), values in found.items():
            made = Layer(rows(values)).encode(x=self._along(), y=self._up("y"))
            layers += halo(
                made.encode(text=alt.Text("text:N")),
                dx=shift, dy=side, fontWeight="bold", fontSize=size,
            )  # fmt: skip
        return layers

    def _cost(
        self, ways: Sequence[Way], middle: tuple[float, float], box: tuple[float, float]
    ) -> float:
        """What speaks against a number there: lines through it, and the ends of the plot."""
        (x, y), (wide, high) = middle, box
        outside = max(high / 2 - y, y + high / 2 - self._height, wide / 2 - BESIDE - x, 0.0)
        return outside + sum(_crosses(way, middle, box) for way in ways)

    def _right_of(self, x: float) -> float:
        """Where a swept value lies, in pixels from the left."""
        low, high = self._axes.swept[0], self._axes.swept[-1]
        if self._log:
            x, low, high = math.log(x), math.log(low), math.log(high)
        first, last = self._between
        return first + (last - first) * (x - low) / (high - low or 1.0)

    def _down(self, y: float) -> float:
        """Where a value lies, in pixels from the top."""
        low, high = map(self._axes.height, self._axes.heights)
        return self._height * (high - self._axes.height(y)) / (high - low)

    def _value(self, height: float) -> float:
        return height if self._axes.share else math.exp(height)

    def _dashes(self) -> dict[str, Any]:
        measured = [(str(i), line) for i, line in enumerate(self._lines) if not line.published]
        if not any(line.pattern for _, line in measured):
            return {}
        looks = [list(DASHES[line.pattern % len(DASHES)]) for _, line in measured]
        scale = Scale(domain=[name for name, _ in measured], range=looks)
        return {"strokeDash": alt.StrokeDash("line:N", scale=scale)}

    def _failures(self) -> list[Layer]:
        if not self._ends:
            return []
        found = [
            {"device": self._devices.name(end.device), "x": end.x, "y": end.y, "label": end.text}
            for end in self._ends
        ]
        crosses = Layer(rows(found)).encode(x=self._along(), y=self._up("y"))
        marks = crosses.mark_point(shape="cross", angle=45, size=110)
        texts = halo(
            crosses.encode(text=alt.Text("label:N")), dy=17, fill="var(--alert)",
            fontSize=self._letters - 2,
        )  # fmt: skip
        return [marks.encode(**self._devices.channels("color")), *([] if self._small else texts)]

    def _within(self, name: str, detail: str) -> tuple[str, str]:
        """A name and what stands under it, in the room there is for them."""
        room, letters = self._room - 16, self._letters
        # On a thumbnail it is a second line of the name, and as bold.
        under = letters * 1.07 if self._small else letters - 2
        if text_width(name, letters, bold=True) > room:
            if " (" in name and not self._small:
                # What stands in brackets tells devices apart: it takes the second line.
                name, _, detail = name.removesuffix(")").partition(" (")
            elif not detail:
                name, *rest = lines_within(name, room, letters, bold=True)
                detail = " ".join(rest)
        return cut(name, room, letters * 1.07), cut(detail, room, under)

    def _names(self) -> list[Layer]:
        """Names at the ends of the lines, moved apart where lines end together.

        One that had to be moved is tied to its line.
        """
        low, high = map(self._axes.height, self._axes.heights)
        ends = sorted(
            (
                (line, *self._within(*said))
                for line, said in zip(self._lines, self._said, strict=True)
            ),
            key=lambda each: each[0].y[-1],
        )
        told = any(detail for _, _, detail in ends)
        step = (11.5 if self._small else 15.5) * (2 if told else 1) + (0 if told else 1.5)
        unit = (high - low) / max(self._height, 1)
        heights = [self._axes.height(line.y[-1]) - low for line, *_ in ends]
        places = moved_apart(heights, step * unit, high - low)
        last = self._axes.swept[-1]
        found = [
            {
                "at": self._value(low + at), "far": line.x[-1] < last,
                "moved": abs(at - height) > 3 * unit, "end": line.y[-1],
                "device": self._devices.name(line.device), "published": line.published,
                "label": name, "detail": detail,
            }
            for (line, name, detail), height, at in zip(ends, heights, places, strict=True)
        ]  # fmt: skip
        layers = self._ties([row for row in found if row["moved"] and not row["far"]])
        place = alt.XValue(self._inner - self._room + 14)
        for two in (False, True):
            own = Layer(rows([row for row in found if bool(row["detail"]) is two]))
            base = own.encode(x=place, y=self._up("at"))
            shift = (-5.5 if self._small else -6) if two else 0
            bold = {"align": "left", "fontWeight": "bold", "fontSize": self._letters}
            layers.append(base.mark_text(dy=shift, **bold).encode(text=alt.Text("label:N")))
            if two and self._small:
                layers.append(base.mark_text(dy=5.5, **bold).encode(text=alt.Text("detail:N")))
            elif two:
                soft = {"fontSize": self._letters - 2, "dy": 8, "fill": "var(--soft)"}
                layers.append(
                    base.mark_text(align="left", **soft).encode(text=alt.Text("detail:N"))
                )
            layers += self._keys([row for row in own.data.values if row["far"]], shift)
        return layers

    def _ties(self, moved: Sequence[dict[str, Any]]) -> list[Layer]:
        """Thin lines from the last marks to the names that could not stand beside them."""
        begin = self._inner - self._room
        ties = Layer(rows(moved)).mark_rule(strokeWidth=1, opacity=0.6)
        return [
            ties.encode(
                x=alt.XValue(begin + 5), x2=alt.XValue(begin + 12), y=self._up("end"),
                y2=alt.Y2("at"), **self._devices.channels("color"),
            )
        ]  # fmt: skip

    def _keys(self, ended: Sequence[dict[str, Any]], shift: float) -> list[Layer]:
        """Marks before the names of lines that end earlier than those begin."""
        layers = []
        for published, worn in (
            (False, {"filled": True}),
            (True, {"shape": "diamond", "filled": False, "strokeWidth": 2}),
        ):
            own = [row for row in ended if row["published"] is published]
            key = Layer(rows(own)).mark_point(size=34, yOffset=shift, **worn)
            channels = ("color",) if published else ("color", "shape")
            layers.append(
                key.encode(
                    x=alt.XValue(self._inner - self._room + 7), y=self._up("at"),
                    **self._devices.channels(*channels),
                )
            )  # fmt: skip
        return layers
