"""Named rows on one logarithmic axis: what was measured (●), and what was published (◇).

No stem joins a mark to the axis, because lengths on a logarithmic axis mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    COLOUR,
    Chart,
    DeviceStyle,
    Layer,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.scales import (
    Scale,
    decades,
    fitting,
    log_domain,
    plain_duration,
    round_times,
    ticked,
)
from accelreport.report.text import cut, lines_within, text_width

LETTERS, SMALLER = 13.5, 12.5
"""Sizes of letters of a name, and of what is written below or behind it, in pixels."""
PHONE = 400
"""In a chart that is not wider the name of a row is above its mark, and rows are as high as that
needs."""
FOOT = 52
"""Pixels of the axis."""
LINE = 14.0
"""Pixels from one line of a name to the next."""
LEAST, DETAILED, OVER = 18.0, 30.0, 38.0
"""Pixels of a row: with its name alone, with a detail below it, and with both above its mark."""
HELD = (0.5, 2.0)
"""Multiples of a base that its axis always holds, so that nearly equal values look so."""
LARGEST_SHARE, LARGEST_TEXT = 0.38, 0.75
"""Of the width, which names at the left may take; of the rest, which the text beside a mark may."""


@dataclass(frozen=True)
class Dot:
    """A row.

    Attributes:
        name: what it is the number of.
        detail: where that is from: "measured", "published 2018".
        device: from which its colour follows.
        value: positive.
        text: the value with its unit, as it stands beside the mark.
        low: of its interval; the value itself where there is none.
        high: of its interval.
        published: whether somebody else printed it.
        flagged: why it cannot be; empty where it can.
        hollow: whether it is less than a whole measurement with an interval.
        joined: whether it stands in the row of the one before it, whose name it shares.
        brief: what a slide has beside the mark: the number without its unit; empty where that is
            the text.
    """

    name: str
    detail: str
    device: DeviceStyle
    value: float
    text: str
    low: float
    high: float
    published: bool = False
    flagged: str = ""
    hollow: bool = False
    joined: bool = False
    brief: str = ""


def dot_plot(
    dots: Sequence[Dot],
    *,
    axis_title: str,
    tick: Callable[[float], str],
    width: int,
    height: int,
    base: float | None = None,
) -> Chart:
    """The chart.

    Args:
        dots: rows from the top; never none.
        axis_title: what the axis counts.
        tick: the text of a value at the axis.
        width: pixels in all.
        height: pixels in all.
        base: a value that the others are compared with, at which a line is drawn.
    """
    return _DotPlot(dots, axis_title, tick, width, height, base).chart()


class _DotPlot:
    """The layers of one chart."""

    def __init__(
        self,
        dots: Sequence[Dot],
        axis_title: str,
        tick: Callable[[float], str],
        width: int,
        height: int,
        base: float | None,
    ) -> None:
        self._base = [] if base is None else [base]
        self._phone = width <= PHONE
        self._dots = list(dots)
        least = OVER if self._phone else LEAST
        count = sum(not dot.joined for dot in dots)
        self._height = max(height - FOOT, least * count)
        self._detailed = (
            not self._phone and any(dot.detail for dot in dots) and self._height >= DETAILED * count
        )
        widths = [text_width(dot.name, LETTERS, bold=True) for dot in dots]
        widths += [text_width(dot.detail, SMALLER) for dot in self._dots if self._detailed]
        room = 0.0 if self._phone else min(max(widths), width * LARGEST_SHARE)
        self._room = room
        self._inner = round(width - room - 16, 1)
        held = [times * value for value in self._base for times in HELD]
        ends = [*held, *(value for dot in dots for value in (dot.value, dot.low, dot.high))]
        low, high = log_domain(ends, 1.0)
        low /= 1.1 if high / low > 3 else 1.3
        # The axis has room at its right end for the text beside each mark.
        for dot in dots:
            at, beside = max(dot.value, dot.high), text_width(dot.text, LETTERS, bold=True) + 14
            share = min(beside / self._inner, LARGEST_TEXT)
            high = max(high, low * (at / low) ** (1 / (1 - share)))
        most = max([*held, *(dot.high for dot in dots)]) * 1.001
        round_values = round_times if tick is plain_duration else decades
        ticks = fitting(round_values(low, most, 8), tick, (low, high), self._inner, log=True)
        title = f"{axis_title} (log scale)"
        self._axis = ticked(ticks, tick, title=title, domain=False, tickSize=0)
        self._scale = Scale(type="log", domain=[low, high], nice=False)
        left = {"title": None, "domain": False, "ticks": False, "labels": False, "grid": False,
                "minExtent": room + 6, "maxExtent": room + 6}  # fmt: skip
        places = [str(n - 1) for n in accumulate(int(not dot.joined) for dot in dots)]
        bands = Scale(domain=list(dict.fromkeys(places)), paddingInner=0.2, paddingOuter=0.1)
        self._y = alt.Y("place:N", sort=None, scale=bands, axis=left)
        self._data = [self._row(*row) for row in zip(self._dots, places, strict=True)]

    def _row(self, dot: Dot, place: str) -> dict[str, Any]:
        detail = cut(dot.detail, self._room, SMALLER) if self._detailed else ""
        # Names without details have as many lines as a row has room for.
        room, most = self._room / 1.07, 1
        if not (detail or self._phone):
            most = max(1, int(self._height / len(self._dots) // LINE))
        names = lines_within(dot.name, room, LETTERS) or [""]
        if len(names) > most:
            names = [*names[: most - 1], " ".join(names[most - 1 :])]
        names = [cut(name, room, LETTERS) for name in names]
        if self._phone:
            whole = " · ".join(filter(None, (dot.name, dot.detail)))
            names, detail = [cut(whole, self._inner, SMALLER)], ""
        return {
            "place": place,
            "row": names[0],
            "more": names[1:],
            "detail": detail,
            "value": dot.value,
            "low": dot.low,
            "high": dot.high,
            "text": dot.text,
            "published": dot.published,
            "flagged": bool(dot.flagged),
            "hollow": dot.hollow,
            "named": not dot.joined,
            "beyond": max(dot.value, dot.high),
            **marked(
                dot.device,
                f"{', '.join(filter(None, (dot.name, dot.detail)))}: {dot.text}",
                published=dot.published,
            ),
        }

    def _of(self, **wanted: bool) -> Layer:
        chosen = [
            row for row in self._data if all(row[name] == value for name, value in wanted.items())
        ]
        return Layer(rows(chosen)).encode(y=self._y)

    def _x(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=self._scale, axis=self._axis)

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        every = Layer(rows(self._data)).encode(y=self._y)
        size = 110
        at_base = Layer(rows([{"base": base} for base in self._base]))
        layers = [
            at_base.mark_rule(stroke="var(--soft)").encode(x=self._x("base")),
            self._of(published=False).mark_rule(strokeWidth=7, opacity=0.35).encode(
                x=self._x("low"), x2=alt.X2("high"), **COLOUR
            ),
            self._of(published=False, hollow=False).mark_point(size=size).encode(
                x=self._x("value"), **COLOUR
            ),
            self._of(published=False, hollow=True).mark_point(
                filled=False, size=size, fill="var(--paper)", strokeWidth=2
            ).encode(x=self._x("value"), **COLOUR),
            self._of(published=True).mark_point(
                shape="diamond", filled=False, size=size * 1.1, fill="var(--paper)", strokeWidth=2
            ).encode(x=self._x("value"), **COLOUR),
            self._of(flagged=True).mark_point(
                shape="cross", angle=45, size=size * 1.1, fill="var(--alert)"
            ).encode(x=self._x("value")),
            every.mark_text(
                align="left", dx=10, fontWeight="bold", fontSize=LETTERS
            ).encode(x=self._x("beyond"), text=alt.Text("text:N")),
            *self._names(),
        ]  # fmt: skip
        return Chart(layers, self._inner, self._height)

    def _names(self) -> list[Layer]:
        """Names at the left over their details; on a telephone in one line above their marks."""
        named = self._of(named=True)
        if self._phone:
            text = named.mark_text(align="left", dy=-OVER / 2 + 5, fontSize=SMALLER)
            return [text.encode(x=alt.XValue(0), y=self._y, text=alt.Text("row:N"))]
        written = []
        for row in named.rows:
            texts = [(text, True) for text in (row["row"], *row["more"])]
            texts += [(row["detail"], False)] * bool(row["detail"])
            size = SMALLER if row["more"] else LETTERS
            for number, (text, bold) in enumerate(texts):
                dy = LINE * (number - (len(texts) - 1) / 2)
                look = {"fontWeight": "bold", "fontSize": size, "fill": "var(--ink)"}
                if not bold:
                    look = {"fontWeight": "normal", "fontSize": SMALLER, "fill": "var(--soft)"}
                line = {"place": row["place"], "label": text}
                written.append((line, {"align": "right", "dy": dy, **look}))
        return text_layers(written, x=alt.XValue(-6), y=self._y)
