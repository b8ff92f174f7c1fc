"""Published times of one task beside the same task today: a ratio that changes with its base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.dot_plot import Dot
from accelreport.report.charts.drawing import (
    COLOUR,
    LABEL_SIZE,
    ROOMY,
    Chart,
    Layer,
    device_fields,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.place import Box, along, place
from accelreport.report.charts.scales import Scale
from accelreport.report.text import cut, lines_within, text_width

LINE = 16.0
"""Pixels from one line of text to the next."""
HEAD = 26.0
"""Pixels above the slowest mark, for the names of the columns."""
LARGE, LARGE_ON_A_PHONE = 30.0, 20.0
"""Letters of the two ratios."""
MARK = 7.0
"""Pixels that a mark takes to each side of its middle."""
BRACKET = 14.0
"""Pixels from a column to the bracket of its ratio."""


@dataclass(frozen=True)
class Slope:
    """Two columns of times.

    Attributes:
        published: times, the slowest first; the first is the base of the stated ratio.
        today: the same work measured here, which takes the base's place; its detail, such as that
            it is extrapolated, is below its time.
        fastest: place in `published` of the device that both ratios are of.
        stated: the published ratio as it is written: "110×".
        again: the same ratio over today's base: "14×".
        headings: names of the two columns.
    """

    published: Sequence[Dot]
    today: Dot
    fastest: int
    stated: str
    again: str
    headings: tuple[str, str]


def slope_chart(slope: Slope, width: int, height: int) -> Chart:
    """The chart; up is slower, on a log scale.

    Args:
        slope: what is drawn.
        width: pixels in all.
        height: pixels in all.
    """
    return _Drawn(slope, width - 10.0, float(height)).chart()


class _Drawn:
    """Marks and texts of one chart, in pixels from its upper left corner."""

    def __init__(self, slope: Slope, width: float, height: float) -> None:
        self._slope = slope
        self._width, self._height = width, height
        self._wide = width > ROOMY
        self._large = LARGE if self._wide else LARGE_ON_A_PHONE
        every = [*slope.published, slope.today]
        self._ends = min(t.value for t in every), max(t.value for t in every)
        names = max(text_width(self._label(t), LABEL_SIZE, bold=True) for t in slope.published)
        ratio = text_width(slope.stated, self._large, bold=True)
        self._left = min(max(names, ratio) + 2 * BRACKET + 8, width * (0.3 if self._wide else 0.45))
        today = max(
            text_width(line, LABEL_SIZE, bold=True)
            for line in (
                slope.again + " as fast",
                slope.today.name,
                slope.today.text,
                slope.today.detail,
            )
        )
        self._right = width - min(today + BRACKET + 16, width * 0.36)
        self._room = width - self._right - BRACKET - 6
        self._texts: list[dict[str, Any]] = []

    @staticmethod
    def _label(timed: Dot) -> str:
        return f"{timed.name} {timed.text}"

    def _y(self, seconds: float) -> float:
        low, high = self._ends
        share = math.log(high / seconds) / math.log(high / low) if high > low else 0.5
        return HEAD + 8 + share * (self._height - HEAD - 24)

    def _text(self, x: float, y: float, label: str, role: str) -> None:
        own = role in {"to-right", "right", "note", "ratio-right"}
        self._texts.append(
            {"x": x, "y": y, "label": label, "role": role, **marked(None, "", published=not own)}
        )

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        slope = self._slope
        base, fastest = slope.published[0], slope.published[slope.fastest]
        kept = [
            {"x": self._left, "x2": self._right, "y": self._y(t.value), **device_fields(t.device)}
            for t in slope.published[1:]
        ]
        line = [
            {"x": x, "y": self._y(timed.value)} | marked(slope.today.device, "", published=False)
            for x, timed in ((self._left, base), (self._right, slope.today))
        ]
        columns = [{"x": x, "y": HEAD, "y2": self._height - 4} for x in (self._left, self._right)]
        marks = [self._mark(t, self._left, published=True) for t in slope.published]
        today = [self._mark(slope.today, self._right, published=False)]
        brackets = [
            *self._bracket(self._left, -1, base.value, fastest.value),
            *self._bracket(self._right, 1, slope.today.value, fastest.value),
        ]
        self._write()
        x = alt.X("x:Q", scale=Scale(domain=[0, self._width], nice=False), axis=None)
        y = alt.Y("y:Q", scale=Scale(domain=[self._height, 0], nice=False), axis=None)
        layers = [
            Layer(rows(columns)).mark_rule(color="var(--rule)").encode(x=x, y=y, y2=alt.Y2("y2")),
            Layer(rows(kept)).mark_rule(strokeDash=[2, 4], strokeWidth=1.5).encode(
                x=x, x2=alt.X2("x2"), y=y, **COLOUR
            ),
            Layer(rows(line)).mark_line(strokeWidth=2.5).encode(x=x, y=y, **COLOUR),
            Layer(rows(brackets)).mark_line(color="var(--ink)", strokeWidth=1.2).encode(
                x=x, y=y, detail=alt.Detail("side:N"), order=alt.Order("n:Q")
            ),
            Layer(rows(marks)).mark_point(
                shape="diamond", size=120, filled=False, fill="var(--paper)", strokeWidth=2
            ).encode(x=x, y=y, **COLOUR),
            Layer(rows(today)).mark_point(
                size=110, filled=not slope.today.hollow, strokeWidth=2,
                **({"fill": "var(--paper)"} if slope.today.hollow else {}),
            ).encode(x=x, y=y, **COLOUR),
            *self._text_layers(x, y),
        ]  # fmt: skip
        return Chart(layers, round(self._width, 1), round(self._height, 1))

    def _mark(self, timed: Dot, x: float, *, published: bool) -> dict[str, Any]:
        where = self._slope.headings[0 if published else 1]
        return {
            "x": x, "y": self._y(timed.value),
            **marked(
                timed.device, f"{timed.name}, {where}: {timed.text}", published=published
            ),
        }  # fmt: skip

    def _bracket(self, x: float, side: int, slow: float, fast: float) -> list[dict[str, Any]]:
        near, far = x + side * (BRACKET - 6), x + side * BRACKET
        ends = self._y(slow), self._y(fast)
        corners = [(near, ends[0]), (far, ends[0]), (far, ends[1]), (near, ends[1])]
        origin = marked(None, "", published=side < 0)
        return [{"x": a, "y": b, "side": side, "n": n, **origin}
                for n, (a, b) in enumerate(corners)]  # fmt: skip

    def _write(self) -> None:
        """Names of the columns, then times, then ratios where they meet none of them."""
        slope = self._slope
        ends = (self._left + MARK, self._right - MARK)
        for x, heading, role in zip(ends, slope.headings, ("to-left", "to-right"), strict=True):
            self._text(x, HEAD / 2, heading, role)
        taken = []
        for timed in slope.published:
            at, label = self._y(timed.value), self._label(timed)
            edge = self._left - BRACKET - 6
            label = cut(label, edge / 1.07, LABEL_SIZE)
            self._text(edge, at, label, "left")
            width = text_width(label, LABEL_SIZE, bold=True)
            taken.append(Box(edge - width, at - LINE / 2, edge, at + LINE / 2))
        at, edge = self._y(slope.today.value), self._right + BRACKET + 6
        self._text(edge, at, slope.today.name, "right")
        below = (slope.today.text, slope.today.detail)
        lines = [line for text in below for line in lines_within(text, self._room, LABEL_SIZE)]
        for number, line in enumerate(lines, 1):
            self._text(edge, at + LINE * number, line, "note")
        taken.append(Box(edge, at - LINE / 2, self._width, at + LINE * (len(lines) + 0.5)))
        fastest = slope.published[slope.fastest].value
        self._ratio(slope.stated, self._left - BRACKET - 8, -1, slope.published[0].value, fastest,
                    taken)  # fmt: skip
        self._ratio(slope.again, edge, 1, slope.today.value, fastest, taken)

    def _ratio(
        self, text: str, x: float, side: int, slow: float, fast: float, taken: Sequence[Box]
    ) -> None:
        """A ratio beside its bracket, nearest to the middle where it meets no label."""
        width, high = text_width(text, self._large, bold=True), self._large * 1.1
        top, bottom = self._y(slow), self._y(fast)
        middle = (top + bottom) / 2
        places = sorted(
            {box.top for box in along([(0.0, top), (0.0, bottom)])}, key=lambda y: abs(y - middle)
        )
        boxes = [
            Box(min(x, x + side * width), y - high / 2, max(x, x + side * width), y + high / 2)
            for y in places
        ]
        (at,) = place([boxes], taken, Box(0, 0, self._width, self._height), 1)
        if at is not None:
            self._text(x, places[at], text, "ratio-left" if side < 0 else "ratio-right")

    def _text_layers(self, x: Any, y: Any) -> list[Layer]:
        looks: dict[str, dict[str, Any]] = {
            "to-left": {"align": "right", "fill": "var(--soft)"},
            "to-right": {"align": "left", "fill": "var(--soft)"},
            "left": {"align": "right", "fontWeight": "bold"},
            "right": {"align": "left", "fontWeight": "bold"},
            "note": {"align": "left", "fill": "var(--soft)"},
            "ratio-left": {"align": "right", "fontWeight": "bold", "fontSize": self._large},
            "ratio-right": {"align": "left", "fontWeight": "bold", "fontSize": self._large},
        }
        texts = ((text, {"fontSize": LABEL_SIZE, **looks[text["role"]]}) for text in self._texts)
        return text_layers(texts, x=x, y=y)
