"""Named rows on one logarithmic axis: what was measured (●), and what was published (◇).

A row may have a limit, such as a chip's peak: a grey bar that ends there, and what lies beyond
it in red.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    THUMBNAIL,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    distinct,
    rows,
    told,
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

LARGE, SMALL = 13.5, 11.0
"""Sizes of letters of a figure and of a thumbnail, in pixels."""
MOST_SMALL = 5
"""Rows of a thumbnail: more have no room beside the other cards of their row."""
PHONE = 400
"""One that is not wider may be as high as its rows need."""


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
        limit: what it can be at most; None where that is not known.
        limit_text: the same with what it is.
        share: how much of that the value is.
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
    limit: float | None = None
    limit_text: str = ""
    share: str = ""


def dot_plot(
    dots: Sequence[Dot], *, axis_title: str, tick: Callable[[float], str], width: int, height: int
) -> Chart:
    """The chart.

    Args:
        dots: rows from the top; never none.
        axis_title: what the axis counts.
        tick: the text of a value at the axis.
        width: pixels in all.
        height: pixels in all.
    """
    small = width <= THUMBNAIL
    dots = [_with_share(dot, width) for dot in dots]
    if small and len(dots) > MOST_SMALL:
        axis_title += f" · {len(dots) - MOST_SMALL} more"
        dots = _most_telling(dots)
    phone = THUMBNAIL < width <= PHONE
    letters, share = (SMALL, 0.42) if small else (12.5, 0.46) if phone else (LARGE, 0.38)
    below = 20 if small else 46
    crowded = width > PHONE and height - below - 6 < _DETAILED * len(dots)
    if crowded:
        dots = [replace(dot, detail="") for dot in dots]
    # Below the name of a larger chart stands its detail: further lines of it need more room.
    roomy = height - below - 6 >= _row_height(2) * len(dots)
    most = 4 if phone else 2 if small or roomy else 1
    told = [_lines(dot.name, width * share, letters, most) for dot in dots]
    names = _told_apart(told, dots)
    room = max(text_width(line, letters, bold=True) for name in names for line in name.split("\n"))
    if not small:
        longest = max(text_width(dot.detail, letters - 2) for dot in dots)
        room = max(room, min(longest, width * 0.38))
    inner = round(width - room - 16, 1)
    beside = [text_width(dot.text, letters, bold=True) + 14 for dot in dots]
    scale, axis = _across(dots, axis_title, tick, inner, beside, small=small)
    beneath = min(320, room + 6), letters - 2, 3 if phone else 1
    details = [_lines(dot.detail, *beneath) for dot in dots]
    # In low rows a detail is nearer to its own name than to that of the next row.
    apart = 8 if height - below - 6 >= _LOW * len(dots) else 6.5
    drawn = _DotLayers(
        dots, names, details, letters, room + 6, Scale(**scale), axis, small=small, apart=apart
    )
    lines = max(name.count("\n") for name in told) + 1
    least = (22 if lines == 1 else _TWO_LINES) if small else _row_height(lines)
    least = _NAMED if crowded and lines == 1 else least
    further = max(detail.count("\n") for detail in details)
    if further:
        least = max(least, _row_height(2)) + 12 * further
    return alt.layer(
        *drawn.layers(), width=inner, height=max(height - below - 6, least * len(dots))
    )


def _told_apart(names: Sequence[str], dots: Sequence[Dot]) -> list[str]:
    """The names, with a number behind those that the detail does not tell from an earlier one."""
    whole = distinct([f"{name}\0{dot.detail}" for name, dot in zip(names, dots, strict=True)])
    numbers = [
        each.partition("\0")[2][len(dot.detail) :] for each, dot in zip(whole, dots, strict=True)
    ]
    return [name + number for name, number in zip(names, numbers, strict=True)]


def _with_share(dot: Dot, width: int) -> Dot:
    """The row with its share of its limit: beside the mark, or below the name on a telephone."""
    if not dot.share or width <= THUMBNAIL:
        return dot
    if width <= PHONE:
        return replace(dot, detail=f"{dot.detail} · {dot.share}")
    text, detail = f"{dot.text} · {dot.share}", f"{dot.detail} · {dot.limit_text}"
    return replace(dot, text=text, detail=detail)


def _most_telling(dots: Sequence[Dot]) -> list[Dot]:
    """The first row, those that cannot be, the fastest others and the slowest, in their order."""
    ranked = sorted(dots, key=lambda dot: (dot is dots[0], _excess(dot), dot.value), reverse=True)
    kept = {id(dot) for dot in (*ranked[: MOST_SMALL - 1], ranked[-1])}
    return [dot for dot in dots if id(dot) in kept]


def _excess(dot: Dot) -> bool:
    """Whether it is beyond what it can be at most."""
    return dot.limit is not None and dot.value > dot.limit


_TWO_LINES = 24
"""Pixels of a thumbnail's row whose name has two lines."""


_LOW = 32
"""Pixels of a row below which a detail would touch the next name."""
_DETAILED, _NAMED = 25, 18
"""Pixels of a row with a detail below its name, without which names stand alone, and of those."""


def _row_height(lines: int) -> int:
    """Pixels of a row whose name has so many lines, with a detail below more than one."""
    return 22 if lines == 1 else 14 + 16 * lines


def _lines(name: str, width: float, letters: float, most: int) -> str:
    """A name in as many lines as it needs, up to some: only what has no room there is cut."""
    if most == 1:
        return cut(name, width, letters)
    lines = lines_within(name, width, letters, bold=True)
    lines[most - 1 :] = [" ".join(lines[most - 1 :])] if len(lines) >= most else []
    return "\n".join(cut(line, width / 1.07, letters) for line in lines)


def _across(
    dots: Sequence[Dot],
    title: str,
    tick: Callable[[float], str],
    inner: float,
    beside: Sequence[float],
    *,
    small: bool,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axis, with room at its right end for the text beside each mark."""
    ends = [v for d in dots for v in (d.value, d.low, d.high, d.limit) if v is not None]
    low, high = log_domain(ends, 1.0)
    low /= 1.6 if high / low > 3 else 2.5
    for dot, width in zip(dots, beside, strict=True):
        at = max(dot.value, dot.limit or 0.0, dot.high)
        high = max(high, low * (at / low) ** (1 / (1 - min(width / inner, 0.6))))
    scale = {"type": "log", "domain": [low, high], "nice": False}
    if small:
        axis = ticked([], tick, title=title, labels=False, ticks=False, domain=False, grid=False,
                      titleFontSize=SMALL - 0.5, titleAnchor="start", titlePadding=2)  # fmt: skip
        return scale, axis
    most = max(d.high for d in dots) * 1.001
    most = max([most, *(d.limit for d in dots if d.limit is not None)])
    round_values = round_times if tick is plain_duration else decades
    ticks = fitting(round_values(low, most, 8), tick, (low, high), inner, log=True)
    return scale, ticked(ticks, tick, title=f"{title} (log scale)", domain=False, tickSize=0)


class _DotLayers:
    """The layers of one chart."""

    def __init__(
        self,
        dots: Sequence[Dot],
        names: Sequence[str],
        details: Sequence[str],
        letters: float,
        room: float,
        scale: Scale,
        axis: dict[str, Any],
        *,
        small: bool,
        apart: float,
    ) -> None:
        self._dots, self._letters, self._small, self._apart = dots, letters, small, apart
        self._devices = Devices([dot.device for dot in dots])
        self._scale, self._axis, self._room = scale, axis, room
        left = {"title": None, "domain": False, "ticks": False, "labels": False, "grid": False,
                    "minExtent": room, "maxExtent": room}  # fmt: skip
        places = [str(number) for number in range(len(dots))]
        bands = Scale(domain=places, paddingInner=0.2, paddingOuter=0.1)
        self._y = alt.Y("place:N", sort=None, scale=bands, axis=left)
        self._start = scale.domain[0]
        rows_of = zip(dots, names, details, places, strict=True)
        self._data = [self._row(*row) for row in rows_of]

    def _row(self, dot: Dot, name: str, detail: str, place: str) -> dict[str, Any]:
        return {
            "place": place,
            "row": name,
            "lines": name.count("\n") + 1,
            "device": self._devices.name(dot.device),
            "detail": detail,
            "value": dot.value,
            "low": dot.low,
            "high": dot.high,
            "start": self._start,
            "text": dot.text,
            "published": dot.published,
            "flagged": bool(dot.flagged),
            "limit": dot.limit,
            "limit_text": dot.limit_text,
            "beyond": max(dot.value, dot.limit or 0.0, dot.high),
        }

    def _of(self, **wanted: bool) -> Layer:
        chosen = [
            row for row in self._data if all(row[name] == value for name, value in wanted.items())
        ]
        made: Layer = Layer(rows(chosen)).encode(y=self._y)
        return made

    def _x(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=self._scale, axis=self._axis)

    def layers(self) -> list[Layer]:
        """From the back to the front."""
        colour = self._devices.channels("color")
        every = Layer(rows(self._data)).encode(y=self._y)
        size = 60 if self._small else 110
        tips = told(row="row", device="device", value="value", low="from", high="to")
        layers = [*self._limits()]
        for published, dash in ((False, [1, 0]), (True, [4, 3])):
            some = self._of(published=published)
            layers.append(
                some.mark_rule(strokeWidth=1.75, strokeDash=dash, opacity=0.8).encode(
                    x=self._x("start"), x2=alt.X2("value"), **colour
                )
            )
        layers += [
            self._of(published=False).mark_rule(strokeWidth=7, opacity=0.35).encode(
                x=self._x("low"), x2=alt.X2("high"), **colour
            ),
            *self._excess(),
            self._of(published=False).mark_point(size=size).encode(
                x=self._x("value"), tooltip=tips, **colour
            ),
            self._of(published=True).mark_point(
                shape="diamond", filled=False, size=size * 1.1, fill="var(--paper)", strokeWidth=2
            ).encode(x=self._x("value"), tooltip=tips, **colour),
            self._of(flagged=True).mark_point(
                shape="cross", angle=45, size=size * 1.1, fill="var(--alert)"
            ).encode(x=self._x("value")),
            every.mark_text(
                align="left", dx=10, fontWeight="bold", fontSize=self._letters
            ).encode(x=self._x("beyond"), text=alt.Text("text:N")),
            *self._names(),
        ]  # fmt: skip
        return [layer for layer in layers if layer.data.values]

    def _names(self) -> list[Layer]:
        at = alt.XValue(-6)
        layers: list[Layer] = []
        soft = {"align": "right", "fontSize": self._letters - 2, "fill": "var(--soft)",
                "lineBreak": "\n", "lineHeight": self._letters - 1}  # fmt: skip
        higher = 6 * max(row["detail"].count("\n") for row in self._data)
        alone = self._small or not any(row["detail"] for row in self._data)
        for more in sorted({row["lines"] - 1 for row in self._data}):
            own = [row for row in self._data if row["lines"] == 1 + more]
            # Further lines move the first one up, and what stands below all of them down.
            up = -self._letters / 2 * more
            if not alone:
                up = -self._apart - self._letters * 0.75 * more
            bold = {
                "align": "right",
                "fontWeight": "bold",
                "fontSize": self._letters,
                "dy": up - higher,
            }
            some = Layer(rows(own)).encode(y=self._y)
            named = some.mark_text(**bold, lineBreak="\n", lineHeight=self._letters)
            layers.append(named.encode(x=at, text=alt.Text("row:N")))
            if not alone:
                down = self._apart + self._letters * 0.35 * more - higher
                below = some.mark_text(**soft, dy=down)
                layers.append(below.encode(x=at, text=alt.Text("detail:N")))
        return layers

    def _limits(self) -> list[Layer]:
        limited = [row for row in self._data if row["limit"] is not None]
        if not limited:
            return []
        base = Layer(rows(limited)).encode(y=self._y)
        thick = 8 if self._small else 14
        return [
            base.mark_rule(strokeWidth=thick, stroke="var(--grid)").encode(
                x=self._x("start"), x2=alt.X2("limit")
            ),
            base.mark_tick(thickness=2, size=thick + 8, color="var(--ink)").encode(
                x=self._x("limit")
            ),
        ]

    def _excess(self) -> list[Layer]:
        above = [row for row, dot in zip(self._data, self._dots, strict=True) if _excess(dot)]
        if not above:
            return []
        base = Layer(rows(above)).encode(y=self._y)
        red = base.mark_rule(strokeWidth=4, stroke="var(--alert)")
        return [red.encode(x=self._x("limit"), x2=alt.X2("value"))]
