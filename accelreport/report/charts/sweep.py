"""Lines over a swept number, measured (solid, with their bands) and published (dashed).

Each line is named at its end, with a leader where names are moved apart, else in a legend beside
the drawing, and a failure ends its line with a mark. Texts have the colour of their line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import altair as alt

from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    COLOUR,
    LABEL_SIZE,
    NARROW,
    Chart,
    DeviceStyle,
    Layer,
    dashed,
    distinct,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.place import Box, along, moved_apart, place
from accelreport.report.charts.scales import (
    TICKS,
    Scale,
    decades,
    fitting,
    log_domain,
    nice_ticks,
    plain,
    plain_duration,
    round_times,
    swept_on_log,
    ticked,
)
from accelreport.report.model import Key
from accelreport.report.text import text_width
from accelreport.report.theme import COLOURS, HALO, letters, line_key

LETTERS = 13.0
"""Size of letters, in pixels."""
LARGEST_SHARE = 0.5
"""Of the width, which names at the ends of lines may take."""
MOST_NAMES = 6
"""Lines that are named at their ends; the legend names more."""
FROM_ZERO = 8.0
"""The largest rate over the smallest, below which a linear axis shows both."""
GREY, OFFSET = "var(--soft)", 5
"""Colour of lines that the title is not of, and pixels by which they are moved."""
PUBLISHED = [4.0, 3.0]
"""The dash of a published line."""


@dataclass(frozen=True)
class SweepLine:
    """One line: the swept values, and what was measured there with its intervals.

    Attributes:
        name: at its end.
        detail: what the legend adds: "measured", "published 2018".
        device: from which its colour and its mark follow.
        x: swept values, ascending.
        y: positive.
        low: ends of the intervals; `y` itself where there is none.
        high: the other ends.
        published: whether a source printed it.
        texts: at its marks; empty where they have none.
        hollow: why each of its marks is hollow; empty where none is.
        beside: whether the title is of others, beside which it is thin and grey.
        is_base: whether it is what the title is over: as thick as that line, and black where it
            is beside it.
        bare: whether it has a mark only where it has a text.
        digits: how many each of its numbers has at most, 0 for as many as any; empty of all that.
    """

    name: str
    detail: str
    device: DeviceStyle
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    published: bool = False
    texts: tuple[str, ...] = ()
    hollow: tuple[tuple[str, ...], ...] = ()
    beside: bool = False
    is_base: bool = False
    bare: bool = False
    digits: tuple[int, ...] = ()

    @property
    def ink(self) -> str:
        """Colour of its letters."""
        return self.aside or letters(self.device.colour)

    @property
    def aside(self) -> str:
        """Its colour where that is not its device's: ink of a base, grey of others, published."""
        if self.is_base and self.beside:
            return "var(--ink)"
        return GREY * (self.beside or self.published)

    def digits_at(self, number: int) -> int:
        """How many digits the number of a point has at most; 0 for as many as any."""
        return self.digits[number] if self.digits else 0

    def is_solid(self, number: int) -> bool:
        """Whether the mark of a point is solid."""
        return not any(self.hollow[number : number + 1])

    def has_mark(self, number: int) -> bool:
        """Whether a point has a mark."""
        return not self.bare or any(self.texts[number : number + 1])


@dataclass(frozen=True)
class End:
    """A device that failed at a swept value: the place of the mark and its text."""

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
        text: a value as its mark shows it when it is pointed at.
        linear: whether the vertical axis is linear, from 0.
    """

    x_title: str
    swept: tuple[float, ...]
    heights: tuple[float, float]
    tick: Callable[[float], str]
    text: Callable[[float], str] = quantity.number
    linear: bool = False

    @property
    def ticks(self) -> list[float]:
        """Values with a label at the vertical axis."""
        low, high = self.heights
        if self.linear:
            return [tick for tick in nice_ticks(low, high) if tick <= high]
        return (round_times if self.tick is plain_duration else decades)(low, high, 6)

    def share(self, y: float) -> float:
        """Where a value is between the ends of the vertical axis: 0 at the lower one, 1 above."""
        low, high = self.heights
        if self.linear:
            return (y - low) / (high - low)
        return math.log(y / low) / math.log(high / low)

    def at(self, share: float) -> float:
        """The value that is at such a share of the height."""
        low, high = self.heights
        return low + (high - low) * share if self.linear else low * (high / low) ** share


def from_zero(lines: Sequence[SweepLine]) -> bool:
    """Whether an axis of rates begins at 0: all differ by a factor below `FROM_ZERO`."""
    values = [value for line in lines for value in line.y]
    return max(values) < FROM_ZERO * min(values)


def sweep_axes(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    *,
    x_title: str,
    tick: Callable[[float], str] = plain,
    text: Callable[[float], str] = quantity.number,
    linear: bool = False,
) -> SweepAxes:
    """The axes that hold all lines and marks."""
    swept = {x for line in lines for x in line.x} | {end.x for end in ends}
    heights = [v for line in lines for v in (*line.low, *line.high, *line.y)]
    heights += [end.y for end in ends]
    # The number below the lowest mark needs as many pixels of a long axis as of a short one.
    pad = 1.0 if linear else 1.35 * (max(heights) / min(heights)) ** 0.05
    ends_of = (0.0, 1.08 * max(heights)) if linear else log_domain(heights, pad)
    return SweepAxes(x_title, tuple(sorted(swept)), ends_of, tick, text, linear)


def keys_of_lines(lines: Sequence[SweepLine]) -> tuple[Key, ...]:
    """The legend: every line with its dash, or its device's mark."""
    alike = len({line.detail for line in lines}) == 1
    return tuple(
        Key(
            line.name if alike or not line.detail else f"{line.name}, {line.detail}",
            "soft" if line.beside or line.published else f"s{line.device.colour % COLOURS}",
            ("dashed" if len(line.x) > 1 else "diamond")
            if line.published
            else line_key(line.device.pattern),
            line.device.colour,
        )
        for line in lines
    )


BELOW, ABOVE, FAR_ABOVE = 17.0, -17.0, -28.0
"""Pixels from a mark to the middle of its number, the last above its interval."""
BESIDE = 12.0
"""Pixels from a mark to what is written at its side."""
NAME_SHIFTS = (0.0, -6.0, 6.0)
"""Pixels by which a name may be lower than the last mark of its line."""
LEADER = 24.0
"""Pixels from a mark to a name that a leader joins to it."""
FREE = 60.0
"""Pixels that are free above a measured mark whose number is there."""
TICK = 15.0
"""The least distance of two ticks of an upright axis, in pixels."""
MARK = 12.0
FIRST = 40.0
"""Pixels from an upright axis to the first marks, so that no number there is taken for a tick."""
FLOOR = 14.0
"""Pixels below an axis for the number of its lowest mark."""
INK = alt.Fill("ink:N", scale=None)
_FOLD = re.compile(r"(?<=,) ")


def _wide(texts: Sequence[str]) -> float:
    """Pixels of the widest line of a name."""
    return max(text_width(text, LETTERS, bold=True) for text in texts)


class SweepPanel:
    """One panel.

    Args:
        lines: never none.
        ends: failures.
        axes: of all panels.
        width: pixels in all.
        height: pixels in all.

    Attributes:
        named: whether the names of all lines have room at their last marks: it needs no legend.
    """

    def __init__(
        self,
        lines: Sequence[SweepLine],
        ends: Sequence[End],
        axes: SweepAxes,
        width: int,
        height: int,
    ) -> None:
        self._lines, self._ends, self._axes = lines, ends, axes
        left = max((text_width(axes.tick(tick), LETTERS) for tick in axes.ticks), default=0) + 6
        self._inner = round(width - left - 8, 1)
        self._height = height - 46
        least = min(axes.share(y) for line in lines for y in line.y)
        self._floor = self._height - FLOOR * (least * self._height < BELOW + FLOOR / 2)
        swept = axes.swept
        self._log = len(swept) > 1 and swept_on_log(swept)
        pairs = [(line.name, *filter(None, line.texts[-1:])) for line in lines]
        # The last number is behind the name, or below it where there is too little room.
        joined, alone = [(" · ".join(own),) for own in pairs], [own[:1] for own in pairs]
        # What is behind the first comma of a name may be below it.
        folded = [tuple(_FOLD.split(name)) for (name,) in alone]
        options = [(own, max(map(_wide, own)) + BESIDE) for own in (joined, pairs, alone, folded)]
        # On a telephone it may be above or below the last mark.
        for names, longest in (*options, *[(joined, 0.0)] * (width <= NARROW)):
            self._names = names
            self._name_boxes = self._boxes_of_names(longest)
            self.named = longest <= LARGEST_SHARE * self._inner and bool(self._name_boxes)
            if self.named:
                break
        if not self.named:
            self._span(0.0)
        self._keys = distinct([key.text for key in keys_of_lines(lines)])
        x_scale, x_axis = self._across()
        kind = "linear" if axes.linear else "log"
        y_scale = Scale(type=kind, domain=list(axes.heights), range=[self._floor, 0], nice=False)
        y_axis = ticked(self._ticks(axes.ticks), axes.tick, title=None, domain=False, ticks=False,
                        minExtent=left, maxExtent=left)  # fmt: skip
        # Each is one object for all layers: a chart writes every object once.
        self._x = alt.X("x:Q", scale=x_scale, axis=x_axis)
        self._y = alt.Y("y:Q", scale=y_scale, axis=y_axis)
        self._low = alt.Y("low:Q", scale=y_scale, axis=y_axis)
        self._at = alt.Y("at:Q", scale=y_scale, axis=y_axis)

    def _ticks(self, ticks: Sequence[float]) -> Sequence[float]:
        """The ticks of the upright axis, or every second, third … where they would touch."""
        for step in range(1, len(ticks)):
            heights = [self._down(tick) for tick in ticks[::step]]
            if all(abs(one - other) >= TICK for one, other in pairwise(heights)):
                return ticks[::step]
        return ticks[:1]

    def _span(self, right: float) -> None:
        """Sets the first and the last pixel of the swept values, with some free at their right."""
        last = self._inner - max(right, 24.0)
        self._between = (min(FIRST, last / 6), last)

    @property
    def _edges(self) -> Box:
        """Within which labels are written."""
        return Box(-BESIDE, -4.0, self._inner + 4, self._height)

    def _drawn(self) -> list[Box]:
        """Lines, marks and intervals."""
        boxes = [
            Box.around(self._right_of(end.x), self._down(end.y), MARK, MARK) for end in self._ends
        ]
        for line in self._lines:
            marks = [
                (self._right_of(x), self._down(y)) for x, y in zip(line.x, line.y, strict=True)
            ]
            boxes += along(marks)
            boxes += (Box.around(x, y, MARK, MARK) for x, y in marks)
            for x, low, high in zip(line.x, line.low, line.high, strict=True):
                if low < high:
                    at = self._right_of(x)
                    boxes.append(Box(at - 4, self._down(high), at + 4, self._down(low)))
        return boxes

    def _boxes_of_names(self, longest: float) -> list[Box]:
        """Where names are: beside the last marks, or in a column in the order of these.

        Without room at their right they are above or below them. None where there is too little
        for all of them.
        """
        self._span(longest)
        aside = max(map(self._aside_of, self._lines))
        boxes, halves = [], [len(own) * (LETTERS / 2 + 2) - 1 for own in self._names]
        for line, own, half in zip(self._lines, self._names, halves, strict=True):
            x, y = self._right_of(line.x[-1]) + aside + BESIDE - 3, self._down(line.y[-1])
            width, shifts = _wide(own), [*NAME_SHIFTS]
            if not longest:
                # Numbers of measured marks are above them.
                x, shifts = x + BESIDE - width, [ABOVE, BELOW][:: 1 if line.published else -1]
            boxes.append([Box(x, y + dy - half, x + width, y + dy + half) for dy in shifts])
        places = place(boxes, self._drawn(), self._edges, MOST_NAMES)
        if None not in places:
            return [own[at or 0] for own, at in zip(boxes, places, strict=True)]
        ends, half = {line.x[-1] for line in self._lines}, max(halves)
        full = 2 * half * (len(boxes) - 1) > self._height or len(boxes) > MOST_NAMES
        if full or len(ends) > 1 or not longest:
            return []
        self._span(longest + LEADER - BESIDE)
        x = self._right_of(*ends) + LEADER - 3
        order = sorted(range(len(boxes)), key=lambda number: boxes[number][0].top)
        wanted = [self._down(self._lines[number].y[-1]) for number in order]
        moved = dict(zip(order, moved_apart(wanted, 2 * half, self._height), strict=True))
        return [
            Box(
                x,
                moved[number] - own_half,
                x + own[0].right - own[0].left,
                moved[number] + own_half,
            )
            for number, (own, own_half) in enumerate(zip(boxes, halves, strict=True))
        ]

    def _across(self) -> tuple[Scale, dict[str, Any]]:
        swept = self._axes.swept
        scale: dict[str, Any] = {"domain": [swept[0], swept[-1]], "range": list(self._between)}
        scale |= {"type": "log", "base": 2} if self._log else {"zero": False}
        first, last = self._between
        room, ends = (last - first) * TICKS / LETTERS, (swept[0], swept[-1])
        shown = fitting(list(swept), plain, ends, room, log=self._log, inside=False)
        axis = ticked(shown, plain, title=self._axes.x_title, grid=False,
                      domain=False, ticks=False, labelFlush=False,
                      labelFontSize=LETTERS)  # fmt: skip
        return Scale(**scale, nice=False), axis

    def _points(self, lines: Iterable[SweepLine], which: Callable[[SweepLine, int], bool]) -> Layer:
        """Those points of some lines of which `which` is true."""
        x_title, text = self._axes.x_title, self._axes.text
        keys = dict(zip(map(id, self._lines), self._keys, strict=True))
        points = []
        for line in lines:
            values = zip(line.x, line.y, line.low, line.high, strict=True)
            for number, (x, y, low, high) in enumerate(values):
                if which(line, number):
                    description = f"{line.name}, {x_title} {plain(x)}: "
                    description += text(quantity.significant(y, line.digits_at(number)))
                    description += "".join(f", {why}" for why in chain(*line.hollow[number:][:1]))
                    points.append(
                        {
                            "label": keys[id(line)],
                            "x": x,
                            "y": y,
                            "low": low,
                            "high": high,
                            "aside": self._aside_of(line),
                        }
                        | marked(line.device, description, line.name)
                        | ({"colour": line.aside} if line.aside else {})
                    )
        return Layer(rows(points)).encode(x=self._x)

    def _aside_of(self, line: SweepLine) -> int:
        """Pixels by which a line of others than the title is at the right of its places."""
        return OFFSET * (line.beside and not line.is_base)

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        published = self._points((line for line in self._lines if line.published), lambda *_: True)
        own = [line for line in self._lines if not line.published]
        open_marks = self._points(
            own, lambda line, number: line.has_mark(number) and not line.is_solid(number)
        )
        solid = self._points(
            own, lambda line, number: line.has_mark(number) and line.is_solid(number)
        )
        dash = dashed(line.device for line in own)
        up = {"y": self._y, "detail": alt.Detail("label:N")} | COLOUR
        size, moved = 72, {"xOffset": {"expr": "datum.aside"}}
        hollow = {"filled": False, "fill": "var(--paper)", "strokeWidth": 2}
        # Of measured and published lines the eye meets the measured ones first.
        thick = {"strokeWidth": 3} if 0 < len(own) < len(self._lines) else {}
        layers = [published.mark_line(strokeDash=PUBLISHED, strokeWidth=1.5).encode(**up)]
        for beside in (True, False):
            some = [line for line in own if (line.beside and not line.is_base) == beside]
            if not some:
                continue
            thin = {"strokeWidth": 1.5} if beside else thick
            every = self._points(some, lambda *_: True)
            upright = every.mark_rule(strokeWidth=1.5, **moved)
            layers.append(every.mark_line(**thin, **moved).encode(**dash, **up))
            layers.append(upright.encode(y=self._low, y2=alt.Y2("high"), **COLOUR))
        layers += [
            published.mark_point(shape="diamond", size=size * 1.4, **hollow).encode(**up),
            open_marks.mark_point(size=size, **hollow, **moved).encode(**up),
            solid.mark_point(size=size, **moved).encode(**up),
        ]
        layers += [*self._texts(), *self._failures()]
        bold = {"align": "left", "fontWeight": "bold", "fontSize": LETTERS}
        names = []
        named = zip(self._lines, self._name_boxes, self._names, strict=True)
        for line, box, texts in named if self.named else ():
            across = box.left + 3 - self._right_of(line.x[-1])
            middle = (box.top + box.bottom) / 2
            at = self._axes.at(1 - middle / self._floor)
            row = {"x": line.x[-1], "y": line.y[-1], "at": at, "label": line.name}
            row |= {"ink": line.ink} | marked(line.device, "")
            row |= {"colour": line.aside} if line.aside else {}
            for number, text in enumerate(texts):
                down = (number - (len(texts) - 1) / 2) * (LETTERS + 2)
                names.append((row | {"label": text}, bold | {"dx": across, "dy": down}))
            if across > LEADER - OFFSET:
                ends = {"x": self._x, "x2": alt.X2("x"), "y": self._y, "y2": alt.Y2("at")}
                leader = Layer(rows([row])).encode(**ends, **COLOUR)
                layers.append(leader.mark_rule(strokeWidth=1, xOffset=8, x2Offset=across - 3))
        layers += text_layers(names, x=self._x, y=self._at, fill=INK)
        return Chart(layers, self._inner, self._height)

    def _texts(self) -> list[Layer]:
        """Why a line ended, and numbers at marks: below or above, else beside, else nowhere.

        Those of measured marks are above them where there is nothing else.
        """
        failed = [(end.x, end.y, end.text, "var(--alert)", end.device, True) for end in self._ends]
        numbers = [
            (x, y, self._owner(line, x, y) + text, line.ink, line.device, line.published)
            for line, names in zip(self._lines, self._names, strict=True)
            for n, (x, y, text) in enumerate(zip(line.x, line.y, line.texts, strict=False), 1)
            if text and not (self.named and n == len(line.x) and text in names[-1])
        ]
        texts, size = [*failed, *numbers], LABEL_SIZE
        shifts: list[list[tuple[float, float]]] = []
        boxes: list[list[Box]] = []
        for own_number, (x, y, text, *_, published) in enumerate(texts):
            wide = text_width(text, size, bold=True)
            across = (0.0, BESIDE + wide / 2, -BESIDE - wide / 2)
            at = self._right_of(x), self._down(y)
            # Of marks that are near each other the upper one has the upper text.
            lower = {
                (self._down(other[1]), n) > (at[1], own_number)
                for n, other in enumerate(texts)
                if n != own_number
                and other[0] == x
                and abs(self._down(other[1]) - at[1]) <= 2 * BELOW
            }
            above = [ABOVE, FAR_ABOVE] * (False not in lower)
            down = [BELOW] * (True not in lower)
            heights = [self._down(other[1]) for other in texts if other[0] == x]
            near = any(0 < at[1] - height < FREE for height in heights)
            down = down + above if published or near else above + down
            own = [(dx, dy) for dx in across for dy in down]
            shifts.append(own or [(dx, 0.0) for dx in across[1:]])
            boxes.append([Box.around(at[0] + dx, at[1] + dy, wide, size) for dx, dy in shifts[-1]])
        taken = self._drawn() + self._name_boxes * self.named
        written: list[tuple[dict[str, Any], dict[str, Any]]] = []
        places = place(boxes, taken, self._edges, len(texts))
        for (x, y, text, fill, device, _), own, number in zip(texts, shifts, places, strict=True):
            if number is not None:
                row = {"x": x, "y": y, "label": text, "ink": fill} | marked(device, "")
                dx, dy = own[number]
                look = {"dx": dx, "dy": dy, "fontWeight": "bold", "fontSize": size}
                written.append((row, HALO | look))
        return text_layers(written, x=self._x, y=self._y, fill=INK)

    def _owner(self, line: SweepLine, x: float, y: float) -> str:
        """The name before the number of a mark that one of the same ink touches."""
        near = [
            own.name
            for own in self._lines
            for at, other in zip(own.x, own.y, strict=True)
            if at == x and own.ink == line.ink and abs(self._down(other) - self._down(y)) < MARK
        ]
        words = enumerate(zip(*map(str.split, near), strict=False))
        first = next((number for number, own in words if len({*own}) > 1), 0)
        return " ".join([*line.name.split()[first:], ""]) * (len(near) > 1)

    def _right_of(self, x: float) -> float:
        """Where a swept value lies, in pixels from the left."""
        low, high = self._axes.swept[0], self._axes.swept[-1]
        if self._log:
            x, low, high = math.log(x), math.log(low), math.log(high)
        first, last = self._between
        return first + (last - first) * (x - low) / (high - low or 1.0)

    def _down(self, y: float) -> float:
        """Where a value lies, in pixels from the top."""
        return self._floor * (1 - self._axes.share(y))

    def _failures(self) -> list[Layer]:
        failures = [
            {"x": end.x, "y": end.y} | marked(end.device, f"{end.device.title}: {end.text}")
            for end in self._ends
        ]
        crosses = Layer(rows(failures)).encode(x=self._x, y=self._y)
        marks = crosses.mark_point(shape="cross", angle=45, size=110)
        return [marks.encode(stroke=alt.Stroke("colour:N", scale=None))]
