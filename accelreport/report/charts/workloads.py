"""Workloads down, rates of work across: measured (●) and published (◇), over one base or absolute.

The base of a relative chart stands at 1×, in every row the same device of the same machine. Texts
are placed in Python, where no letter of one lies on another or on a mark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import altair as alt

from accelreport.report.charts.drawing import (
    LEFT,
    RIGHT,
    ROOMY,
    Chart,
    DeviceStyle,
    Layer,
    halo,
    rows,
)
from accelreport.report.charts.scales import (
    Axis,
    Scale,
    decades,
    factor_text,
    fitting,
    plain,
    ticked,
    wrapped,
)
from accelreport.report.text import cut, lines_within, text_width
from accelreport.report.theme import series, shape

Kind = Literal["base", "measured", "published", "beyond"]
"""What a mark is: the base itself, measured beside it, published, or beyond the chip's peak."""


@dataclass(frozen=True)
class RateMark:
    """A rate in a row.

    Attributes:
        name: what it is the rate of; empty for the base, which is named once for all rows.
        text: the rate as its label gives it.
        device: from which its colour and its mark follow.
        value: the rate, over the base or absolute.
        low, high: the ends of its band; those of a published figure are how it was rounded.
        kind: what it is.
    """

    name: str
    text: str
    device: DeviceStyle
    value: float
    low: float
    high: float
    kind: Kind

    @property
    def label(self) -> str:
        """What stands beside it."""
        return " ".join(part for part in (self.name, self.text) if part)


@dataclass(frozen=True)
class Workload:
    """A row: a workload, its sweep point, the base's rate with its unit, and its marks."""

    title: str
    detail: str
    rate: str
    unit: str
    marks: tuple[RateMark, ...]


Ends = tuple[float, float]
_TOP, _TEXTS, _AXIS = 34.0, 350.0, 44.0
_STEP, _LOW_STEP = 44.0, 35.0
"""The height of a row, and of one whose labels all stand beside their marks."""
_NARROW_STEP, _NARROW_LINE = 86.0, 58.0
"""The height of a row on a telephone, and where the line of its marks is."""
_MARK, _SIZE, _GAP = 8.0, 12.5, 6.0
"""Half a mark's width, the size of letters, and the air between a mark and its label."""
_DETAIL, _MOST_DETAILS = 14.0, 2
"""Pixels from one line of a detail to the next, and how many it may have."""
_LINE, _FEW, _FEW_NARROW = 13.0, 4, 2
"""Pixels from one line of labels to the next, and how many labels of a row find
room on one line above and one below their marks: on a page, and on a telephone."""
MOST_NAMED = 6
"""Labels of a row beyond which only its slowest and its fastest are written."""


@dataclass(frozen=True)
class RateSpan:
    """Where rates lie: from one end to the other, on a log scale, in pixels.

    Attributes:
        ends: the least and the largest rate.
        left, right: where they lie.
    """

    ends: Ends
    left: float
    right: float

    def at(self, rate: float) -> float:
        """Where a rate lies."""
        share = math.log(rate / self.ends[0]) / math.log(self.ends[1] / self.ends[0])
        return self.left + share * (self.right - self.left)

    def rate(self, at: float) -> float:
        """The rate that lies there."""
        share = (at - self.left) / (self.right - self.left)
        return self.ends[0] * math.exp(share * math.log(self.ends[1] / self.ends[0]))


@dataclass(frozen=True)
class _RowPlace:
    """Where a row stands.

    Attributes:
        top, bottom: its edges, in pixels.
        y: the line of its marks.
        lines: lines of labels above the marks, and below.
        title: what is written of it.
        details: lines below the title.
    """

    top: float
    bottom: float
    y: float
    lines: int
    title: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """Where everything stands.

    Attributes:
        width: of all, in pixels.
        span: where the rates lie.
        places: of the rows.
        axis: of the rates.
    """

    width: float
    span: RateSpan
    places: tuple[_RowPlace, ...]
    axis: Axis

    @property
    def narrow(self) -> bool:
        """Whether texts stand over their row instead of at its left."""
        return self.span.left == 0

    def x(self, field: str) -> alt.X:
        """The channel of a rate, the same in all layers."""
        ends, range_ = list(self.span.ends), [self.span.left, self.span.right]
        scale = Scale(type="log", domain=ends, range=range_, nice=False)
        return alt.X(f"{field}:Q", scale=scale, axis=self.axis)


def work_rates(
    workloads: Sequence[Workload], *, base: str, axis_title: str
) -> Callable[[float, float], Chart]:
    """A function from width and height in pixels to the chart.

    Rows take what room they need, and those that the height has no room for are left out, as are
    labels between a row's slowest and its fastest where they crowd it. A chart of no height has
    all rows, and the labels of those with at most `MOST_NAMED`.

    Args:
        workloads: the rows from the top; at least one, each with at least one mark.
        base: what stands at 1×, in the colour of the first mark; rates are absolute when empty.
        axis_title: what is counted.
    """

    def make(width: float, height: float = 0) -> Chart:
        span = _span(workloads, width, base)

        # A slide has one line of labels a row, a page two, and a telephone all of them.
        lines = 1 if height else 2 if span.left else 0

        def crowded(marks: Sequence[RateMark]) -> bool:
            return bool(lines) and any(cost for *_, cost in _placed(marks, span, lines))

        some = [
            _ends_named(each) if unnamed(each.marks) or crowded(each.marks) else each
            for each in workloads
        ]
        layout = _layout(some, width, base, axis_title, height)
        some = some[: len(layout.places)]
        layers = _ground(some, layout, base)
        layers += _marks(some, layout)
        layers += _texts(some, layout)
        layers += _labels(some, layout)
        return alt.layer(*layers, width=layout.width, height=layout.places[-1].bottom)

    return make


def unnamed(marks: Sequence[RateMark]) -> bool:
    """Whether a row has more labels than find room, so that some stay without."""
    return sum(bool(mark.label) for mark in marks) > MOST_NAMED


def _ends_named(row: Workload) -> Workload:
    """The row with labels on its slowest mark and its fastest: a hall reads no more of them."""
    named = sorted((mark for mark in row.marks if mark.label), key=lambda mark: mark.value)
    kept = {id(mark) for mark in (*named[:1], *named[-1:])}
    return replace(
        row,
        marks=tuple(
            mark if mark.kind == "base" or id(mark) in kept else replace(mark, name="", text="")
            for mark in row.marks
        ),
    )


def _layout(
    workloads: Sequence[Workload], width: float, base: str, axis_title: str, height: float
) -> _Layout:
    inner, roomy = width - LEFT - RIGHT, width > ROOMY
    span = _span(workloads, width, base)
    left, right = span.left, span.right
    text = factor_text if base else plain
    ticks = fitting(decades(*span.ends, 9 if roomy else 4), text, span.ends, right - left, log=True)
    axis = ticked(
        ticks, text, title=wrapped(f"{axis_title} (log scale)", int(right - left)),
        titleAnchor="start", titleX=left, titleAlign="left", domain=False, ticks=False,
    )  # fmt: skip
    places: list[_RowPlace] = []
    for each in workloads:
        top = places[-1].bottom if places else _TOP if base else 6.0
        found = _place(each, top, span, left - 14 if left else inner)
        if places and height and found.bottom > height - _AXIS:
            break
        places.append(found)
    return _Layout(inner, span, tuple(places), axis)


def _span(workloads: Sequence[Workload], width: float, base: str) -> RateSpan:
    """Where the rates lie: right of the texts, or under them on a telephone."""
    inner = width - LEFT - RIGHT
    left, right = (min(_TEXTS, 0.4 * inner) if width > ROOMY else 0.0), inner - 6
    return RateSpan(_domain(workloads, right - left, relative=bool(base)), left, right)


def _place(workload: Workload, top: float, span: RateSpan, edge: float) -> _RowPlace:
    """The place of a row below its upper edge: with many or long texts, these have more lines."""
    roomy = span.left > 0
    title, details = _written(workload, edge)
    labels = [mark.label for mark in workload.marks if mark.label]
    long = sum(text_width(each, _SIZE, bold=True) for each in labels) / (span.right - span.left)
    few = _FEW if roomy else _FEW_NARROW
    lines = min(max(1, -(-len(labels) // few), math.ceil(long) if roomy else 1), 3)
    costs = [sum(cost for *_, cost in _placed(workload.marks, span, n)) for n in (1, 2, 3)]
    while lines < 3 and min(costs[lines:]) < costs[lines - 1]:
        lines += 1
    more, below = _LINE * (lines - 1), max(0, len(details) - 1)
    beside = lines == 1 and not any(dy for *_, dy, _ in _placed(workload.marks, span, 1))
    wide = _LOW_STEP if beside else _STEP
    step = (wide if roomy else _NARROW_STEP) + 2 * more + _DETAIL * below
    line = (wide + _DETAIL * below) / 2 if roomy else _NARROW_LINE + _DETAIL * below
    return _RowPlace(top, top + step, top + line + more, lines, title, details)


def _written(workload: Workload, edge: float) -> tuple[str, tuple[str, ...]]:
    """The title, and the lines of the detail below it."""
    rate = text_width(workload.rate, 13.5, bold=True)
    room = edge - 12 - max(rate, text_width(workload.unit, 11.5))
    # What a title has no room for stands before its detail, and is not cut off.
    title, *more = lines_within(workload.title, room, 13.5, bold=True) or [""]
    lines = lines_within(" · ".join(filter(None, (" ".join(more), workload.detail))), room, 11.5)
    if len(lines) > _MOST_DETAILS:
        lines[_MOST_DETAILS - 1 :] = [" ".join(lines[_MOST_DETAILS - 1 :])]
    return cut(title, room / 1.07, 13.5), tuple(cut(line, room, 11.5) for line in lines)


def _domain(workloads: Sequence[Workload], room: float, *, relative: bool) -> Ends:
    """Every band, the base, and room for the label beside the last mark."""
    marks = [mark for each in workloads for mark in each.marks]
    low = min(min(mark.low, mark.value) for mark in marks)
    high = max(max(mark.high, mark.value) for mark in marks)
    if relative:
        low, high = min(low, 0.5), max(high, 2.0)
    span = math.log(high / low) or 1.0
    last = max(marks, key=lambda mark: mark.value)
    needed = min(text_width(last.label, _SIZE, bold=True) + 2 * _MARK + _GAP, 0.45 * room)
    return low / math.exp(0.04 * span), high * math.exp(span * needed / (room - needed))


def _y(field: str = "y") -> alt.Y:
    # Pixels from the top: every layer says where it stands.
    return alt.Y(f"{field}:Q", scale=Scale(domain=[0, 1], range=[0, 1]), axis=None)


def _ground(workloads: Sequence[Workload], layout: _Layout, base: str) -> list[Layer]:
    """Lines between rows, and, where there is a base, its line and the side that is slower."""
    top, bottom = layout.places[0].top, layout.places[-1].bottom
    lines = [{"y": top}, *({"y": each.bottom} for each in layout.places)]
    between = Layer(rows(lines)).mark_rule(stroke="var(--grid)")
    found = [between.encode(y=_y(), x=alt.XValue(0), x2=alt.X2Value(layout.width))]
    if not base:
        return found
    at = layout.span.at(1.0)
    one = rows([{"said": top - 9.0, "named": 8.0}])
    # On a telephone, where texts stand over the marks of their row, the line leaves them free.
    parts = [(place.y - 18, place.y + 22) for place in layout.places]
    if not layout.narrow:
        parts = [(top, bottom)]
    beside = rows([{"y": first, "end": last} for first, last in parts])
    slower = Layer(beside).mark_rect(fill="var(--wash)")
    found.insert(
        0,
        slower.encode(y=_y(), y2=alt.Y2("end"), x=alt.XValue(layout.span.left), x2=alt.X2Value(at)),
    )
    colour = series(workloads[0].marks[0].device.colour)
    line = Layer(beside).mark_rule(stroke=colour, strokeWidth=2.5)
    found.append(line.encode(y=_y(), y2=alt.Y2("end"), x=alt.XValue(at)))
    half = text_width(f"{base} = 1×", _SIZE, bold=True) / 2
    side = "left" if at < half else "right" if at + half > layout.width else "center"
    named = Layer(one).mark_text(text=f"{base} = 1×", fontWeight="bold", align=side)
    found.append(named.encode(y=_y("named"), x=alt.XValue(at)))
    for align, said, dx in (("right", "← slower", -8), ("left", "faster →", 8)):
        word = Layer(one).mark_text(text=said, align=align, dx=dx, fill="var(--soft)", fontSize=12)
        found.append(word.encode(y=_y("said"), x=alt.XValue(at)))
    return found


def _marks(workloads: Sequence[Workload], layout: _Layout) -> list[Layer]:
    values: list[dict[str, Any]] = [
        {
            "x": mark.value, "low": mark.low, "high": mark.high, "label": mark.label,
            "row": each.title, "y": place.y, "kind": mark.kind,
            "colour": series(mark.device.colour), "shape": shape(mark.device.colour),
        }
        for each, place in zip(workloads, layout.places, strict=True)
        for mark in each.marks
    ]  # fmt: skip
    own: dict[str, Any] = {"scale": None, "legend": None}
    worn = alt.Stroke("colour:N", **own)
    tips = [alt.Tooltip("row:N", title="workload"), alt.Tooltip("label:N", title="rate")]

    def of(*kinds: Kind) -> Layer:
        kept = [row for row in values if row["kind"] in kinds]
        made: Layer = Layer(rows(kept)).encode(x=layout.x("x"), y=_y())
        return made

    bands = Layer(rows([row for row in values if row["low"] < row["high"]]))
    layers = [
        bands.mark_rule(strokeWidth=7, opacity=0.35).encode(
            x=layout.x("low"), x2=alt.X2("high"), y=_y(), stroke=worn
        ),
        of("published", "beyond").mark_point(
            filled=False, shape="diamond", size=120, fill="var(--paper)", strokeWidth=2
        ).encode(stroke=worn, tooltip=tips),
        of("base", "measured").mark_point(size=120).encode(
            fill=alt.Fill("colour:N", **own), shape=alt.Shape("shape:N", **own), tooltip=tips
        ),
    ]  # fmt: skip
    if any(row["kind"] == "beyond" for row in values):
        cross = of("beyond").mark_point(shape="cross", angle=45, size=110, fill="var(--alert)")
        layers.append(cross)
    return layers


def _texts(workloads: Sequence[Workload], layout: _Layout) -> list[Layer]:
    """Titles at the left and the base's rates before the axis; on a telephone over their rows."""
    edge = layout.width if layout.narrow else layout.span.left - 14
    texts: dict[tuple[str, bool], list[dict[str, Any]]] = {}

    def write(said: str, x: float, y: float, *, strong: bool = False, align: str = "left") -> None:
        row = {"x": layout.span.rate(x), "y": y, "text": said}
        texts.setdefault((align, strong), []).append(row)

    for each, place in zip(workloads, layout.places, strict=True):
        shift = _DETAIL * max(0, len(place.details) - 1) / 2
        first = place.top + 14 if layout.narrow else place.y - 6 - shift
        write(place.title, 0, first, strong=True)
        for number, line in enumerate(place.details):
            write(line, 0, first + 16 + _DETAIL * number)
        write(each.rate, edge, first, strong=True, align="right")
        write(each.unit, edge, first + 16, align="right")
    layers: list[Layer] = []
    for (align, strong), values in texts.items():
        looks = {"fontWeight": "bold", "fontSize": 13.5}
        if not strong:
            looks = {"fill": "var(--soft)", "fontSize": 11.5}
        made = Layer(rows(values)).mark_text(align=align, **looks)
        layers.append(made.encode(x=layout.x("x"), y=_y(), text=alt.Text("text:N")))
    return layers


def _labels(workloads: Sequence[Workload], layout: _Layout) -> list[Layer]:
    looks: dict[tuple[float, str, str], list[dict[str, Any]]] = {}
    for each, place in zip(workloads, layout.places, strict=True):
        for mark, said, left, dy in placed_labels(each.marks, layout.span, place.lines):
            weight = "normal" if mark.kind in {"published", "beyond"} else "bold"
            ink = "var(--alert)" if mark.kind == "beyond" else "var(--ink)"
            row = {"x": layout.span.rate(left), "y": place.y, "label": said}
            looks.setdefault((dy, weight, ink), []).append(row)
    layers: list[Layer] = []
    # How far a text is shifted is a property of its mark: those that share it are a layer.
    for (dy, weight, ink), values in looks.items():
        made = Layer(rows(values)).encode(x=layout.x("x"), y=_y(), text=alt.Text("label:N"))
        layers += halo(made, align="left", dy=dy, fontWeight=weight, fill=ink)
    return layers


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        """Square pixels that both have."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)


def shortened_label(mark: RateMark, room: float) -> str:
    """The label of a mark in at most so many pixels: its name gives way, its rate does not."""
    left = room - text_width(f" {mark.text}", _SIZE, bold=True)
    name = cut(mark.name, left / 1.07, _SIZE) if mark.name else ""
    return " ".join(part for part in (name, mark.text) if part)


def placed_labels(
    marks: Sequence[RateMark], span: RateSpan, lines: int = 1
) -> list[tuple[RateMark, str, float, float]]:
    """The labels of a row, where they begin, and how far below its line they stand, in pixels."""
    return [each[:4] for each in _placed(marks, span, lines)]


def _placed(
    marks: Sequence[RateMark], span: RateSpan, lines: int
) -> list[tuple[RateMark, str, float, float, float]]:
    """The same, and how much of each lies on something else.

    Each takes the first place in which it lies on no mark, no band, no other label and not on the
    base's line, within the row: right of its mark or its band, left of them, above it, below it.
    """
    at = {id(mark): span.at(mark.value) for mark in marks}
    taken = [_Box(x - _MARK, -_MARK, x + _MARK, _MARK) for x in at.values()]
    taken += [_Box(span.at(each.low), -3, span.at(each.high), 3) for each in marks]
    # The line of the base stands over its whole row.
    over = [at[id(mark)] for mark in marks if mark.kind == "base" and not mark.label]
    taken += [_Box(x - 3, -60, x + 3, 60) for x in over if span.left]
    found = []
    for mark in sorted((each for each in marks if each.label), key=lambda each: -at[id(each)]):
        said = shortened_label(mark, 0.7 * (span.right - span.left))
        x, width = at[id(mark)], text_width(said, _SIZE, bold=True)
        beside, low, high = _MARK + _GAP / 2, span.at(mark.low), span.at(mark.high)
        right, left = max(x + beside, high + _GAP), min(x - beside, low - _GAP)
        starts: tuple[tuple[float, float], ...] = (
            (right, 0.0), (left - width, 0.0), (x - width / 2, -15.0),
            (x - width / 2, 15.0), (x - _MARK, -15.0), (x + _MARK - width, -15.0),
            (x - _MARK, 15.0), (x + _MARK - width, 15.0),
        )  # fmt: skip
        # Where the base's line is near, a label may begin with the axis, above its mark.
        if span.left + width > x - _MARK:
            starts += ((span.left, -15.0), (span.left, 15.0))
        further = (_LINE * number for number in range(1, lines))
        starts += tuple(
            (start, math.copysign(abs(dy) + more, dy))
            for more in further
            for start, dy in starts[2:8]
        )
        boxes = [_Box(start, dy - 6, start + width, dy + 6) for start, dy in starts]
        costs = [
            sum(box.overlap(other) for other in taken)
            + 20 * (max(0.0, span.left - box.left) + max(0.0, box.right - span.right))
            for box in boxes
        ]
        best = costs.index(min(costs))
        taken.append(boxes[best])
        found.append((mark, said, *starts[best], costs[best]))
    return found
