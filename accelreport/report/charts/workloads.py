"""Workloads down, rates of work across: measured (●) and published (◇), over one base or absolute.

The base of a relative chart is at 1×, in every row the same device of the same machine. A label
that would lie on a mark or on another label is left to the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
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
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.place import Box, place
from accelreport.report.charts.scales import (
    Axis,
    Scale,
    decades,
    factor_text,
    fitting,
    percent_text,
    plain,
    ticked,
    wrapped,
)
from accelreport.report.text import cut, lines_within, text_width
from accelreport.report.theme import HALO, series

Kind = Literal["base", "measured", "published", "beyond"]
"""What a mark is: the base itself, measured beside it, published, or beyond the chip's peak."""
PUBLISHED: frozenset[Kind] = frozenset({"published", "beyond"})
"""Those that somebody else published."""


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
        hollow: whether it is less than a whole measurement with an interval.
    """

    name: str
    text: str
    device: DeviceStyle
    value: float
    low: float
    high: float
    kind: Kind
    hollow: bool = False

    @property
    def label(self) -> str:
        """What stands beside it."""
        return " ".join(part for part in (self.name, self.text) if part)


@dataclass(frozen=True)
class Workload:
    """A row.

    Attributes:
        title: of the workload.
        details: its sweep point and whatever else its title says, the most telling first; those
            without room are left out.
        rate: of the base.
        unit: of the rate.
        caveats: signs of all that the row shows.
        marks: its rates.
        note: why a mark lies far from the others, in the words of its source.
    """

    title: str
    details: tuple[str, ...]
    rate: str
    unit: str
    caveats: str
    marks: tuple[RateMark, ...]
    note: str = ""


PlacedLabel = tuple[RateMark, float, float]
"""A label's mark, where it begins, and how far below its row's line it is, in pixels."""
Ends = tuple[float, float]
_TOP, _TEXTS, _AXIS = 34.0, 384.0, 44.0
_CAVEATS = 40.0
"""The width of the column of signs, before the axis."""
_NOTE, _NOTE_WIDTH = 11.0, 300.0
"""The size of letters of a note, and its largest width."""
_STEP, _NARROW_STEP = 36.0, 86.0
"""The height of a row on a page and on a telephone, where texts are above its marks."""
_TICKS, MOST_ON_A_SLIDE = 24.0, 6
"""The height of a slide's axis, which has no title, and a slide's rows."""
_NARROW_LINE = 58.0
"""Where the line of the marks is in such a row."""
_MARK, _LETTERS, _SIZE, _GAP = 8.0, 13.5, 12.5, 6.0
"""Half a mark's width, letters of a title and of all else, and the air between a mark and its
label."""
_LINE = 15.0
"""Pixels from one line of a title to the next."""
_BESIDE = 13.0
"""How far a label above or below a line is from it."""
_HALF = 6.5
"""Half the height of a label's letters."""
MOST_NAMED = 6
"""Labels of a row."""


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
        low, high = map(math.log, self.ends)
        share = (math.log(rate) - low) / (high - low)
        return self.left + share * (self.right - self.left)

    def rate(self, at: float) -> float:
        """The rate that lies there."""
        share = (at - self.left) / (self.right - self.left)
        return self.ends[0] * math.exp(share * math.log(self.ends[1] / self.ends[0]))


@dataclass(frozen=True)
class _Layout:
    """Where everything stands.

    Attributes:
        width: of all, in pixels.
        span: where the rates lie.
        tops: of the rows, and the bottom of the last one.
        step: from one row to the next.
        axis: of the rates.
    """

    width: float
    span: RateSpan
    tops: tuple[float, ...]
    step: float
    axis: Axis

    @property
    def narrow(self) -> bool:
        """Whether texts stand over their row instead of at its left."""
        return self.span.left == 0

    @property
    def lines(self) -> list[float]:
        """Where the line of the marks of each row is."""
        below = _NARROW_LINE if self.narrow else self.step / 2
        return [top + below for top in self.tops[:-1]]

    def x(self, field: str) -> alt.X:
        """The channel of a rate, the same in all layers."""
        ends, range_ = list(self.span.ends), [self.span.left, self.span.right]
        scale = Scale(type="log", domain=ends, range=range_, nice=False)
        return alt.X(f"{field}:Q", scale=scale, axis=self.axis)


def work_rates(
    workloads: Sequence[Workload], *, base: str, axis_title: str, limit: str = ""
) -> Callable[[float, float], Chart]:
    """A function from width and height in pixels to the chart.

    A chart of no height has all rows; one with a height is a slide, whose first rows have their
    titles and numbers alone.

    Args:
        workloads: the rows from the top; at least one, each with at least one mark.
        base: what is at 1×, in the colour of the first mark; rates are absolute when empty.
        axis_title: what is counted.
        limit: what no rate can exceed, where rates are shares of it.
    """

    def make(width: float, height: float = 0) -> Chart:
        some = _on_a_slide(workloads[:MOST_ON_A_SLIDE]) if height else workloads
        layout = _layout(some, width, base, axis_title, height, limit)
        layers = _ground(some, layout, base, limit)
        layers += _marks(some, layout)
        layers += _texts(some, layout)
        named = [_joined(workload, layout) for workload in some] if height else some
        layers += _labels(named, layout, limit)
        return Chart(layers, layout.width, layout.tops[-1])

    return make


def _on_a_slide(workloads: Sequence[Workload]) -> list[Workload]:
    """Rows without rates and names of marks, whose colours a legend explains."""
    titles = [row.title for row in workloads]
    shown = []
    for row in workloads:
        alike = titles.count(row.title) > 1
        title = ", ".join((row.title, *row.details[:1])) if alike else row.title
        marks = tuple(replace(mark, name="") for mark in row.marks)
        title = f"{title} {row.caveats}".strip()
        shown.append(replace(row, title=title, details=(), rate="", unit="", caveats="",
                             marks=marks, note=""))  # fmt: skip
    return shown


def _joined(row: Workload, layout: _Layout) -> Workload:
    """The row with each label that has no place before that of the next mark at its right."""
    placed = {id(mark) for mark, *_ in placed_labels(row.marks, layout.span, layout.step)}
    texts, waiting = dict[int, str](), list[str]()
    for mark in sorted(row.marks, key=lambda mark: mark.value):
        if mark.text and id(mark) not in placed:
            waiting.append(mark.text)
            texts[id(mark)] = ""
        elif mark.text and waiting:
            texts[id(mark)] = ", ".join(dict.fromkeys((*waiting, mark.text)))
            waiting.clear()
    marks = tuple(replace(mark, text=texts.get(id(mark), mark.text)) for mark in row.marks)
    kept = sum(bool(mark.text) for mark in marks)
    whole = not waiting and len(placed_labels(marks, layout.span, layout.step)) == kept
    return replace(row, marks=marks) if whole else row


def unnamed(workloads: Sequence[Workload], *, base: str, width: float) -> int:
    """How many labels have no place in a chart of that width."""
    span = _span(workloads, width, base)
    labels = [mark for workload in workloads for mark in workload.marks if mark.label]
    return len(labels) - sum(map(len, labels_of_rows(workloads, span, _STEP)))


def _layout(
    workloads: Sequence[Workload],
    width: float,
    base: str,
    axis_title: str,
    height: float,
    limit: str,
) -> _Layout:
    inner, roomy = width - LEFT - RIGHT, width > ROOMY
    span = _span(workloads, width, base or limit, slide=bool(height))
    left, right = span.left, span.right
    text = factor_text if base else percent_text if limit else plain
    shown = [1.0] * bool(base) + [m.value for workload in workloads for m in workload.marks]
    inside = decades(*span.ends, 9 if roomy else 4)
    inside = [tick for tick in inside if min(shown) <= tick <= max(shown)] or inside
    ticks = fitting(inside, text, span.ends, right - left, log=True)
    title = None if height else wrapped(f"{axis_title} (log scale)", int(right - left))
    axis = ticked(
        ticks, text, title=title,
        titleAnchor="start", titleX=left, titleAlign="left", domain=False, ticks=False,
    )  # fmt: skip
    top, step = _TOP if base or limit else 6.0, _STEP if roomy else _NARROW_STEP
    if height:
        step = min(step, (height - _TICKS - top) / len(workloads))
    tops = (top + step * number for number in range(len(workloads) + 1))
    return _Layout(inner, span, tuple(tops), step, axis)


def _span(
    workloads: Sequence[Workload], width: float, base: str, *, slide: bool = False
) -> RateSpan:
    """Where the rates lie: right of the texts, or under them on a telephone."""
    inner = width - LEFT - RIGHT
    left, right = (min(_TEXTS, 0.4 * inner) if width > ROOMY else 0.0), inner - 6
    if slide:
        titles = max(text_width(workload.title, _LETTERS, bold=True) for workload in workloads)
        left = min(titles + 14, 0.45 * inner)
    return RateSpan(_domain(workloads, right - left, relative=bool(base)), left, right)


def _domain(workloads: Sequence[Workload], room: float, *, relative: bool) -> Ends:
    """Every band and the base; where marks end, the axis ends."""
    marks = [mark for workload in workloads for mark in workload.marks]
    low = min(min(mark.low, mark.value) for mark in marks)
    high = max(max(mark.high, mark.value) for mark in marks)
    if relative:
        low, high = min(low, 0.5), max(high, 2.0)
    span = math.log(high / low) or 1.0
    # A label stands left of the last mark, unless the base or another mark is there.
    last = max(marks, key=lambda mark: mark.value)
    label = text_width(last.label, _SIZE, bold=True) + 2 * _MARK + _GAP
    beside = sorted(
        mark.value for workload in workloads if last in workload.marks for mark in workload.marks
    )
    free = room * math.log(high / beside[-2]) / span if len(beside) > 1 else 0.0
    needed = 0.0 if free > 1.3 * label else min(label, 0.45 * room)
    return low / math.exp(0.04 * span), high * math.exp(
        0.03 * span + span * needed / (room - needed)
    )


def _y(field: str = "y") -> alt.Y:
    # Pixels from the top: every layer says where it stands.
    return alt.Y(f"{field}:Q", scale=Scale(domain=[0, 1], range=[0, 1]), axis=None)


def _ground(workloads: Sequence[Workload], layout: _Layout, base: str, limit: str) -> list[Layer]:
    """Lines between rows; the line of a base or a limit, and the side that is slower or beyond."""
    top, bottom = layout.tops[0], layout.tops[-1]
    between = Layer(rows([{"y": y} for y in layout.tops])).mark_rule(stroke="var(--grid)")
    layers = [between.encode(y=_y(), x=alt.XValue(0), x2=alt.X2Value(layout.width))]
    if not (base or limit):
        return layers
    at = layout.span.at(1.0)
    name, edge = (f"{base} = 1×", layout.span.left) if base else (limit, layout.width)
    one = rows([{"said": top - 9.0, "named": 8.0}])
    # On a telephone, where texts stand over the marks of their row, the line leaves them free.
    parts = [(line - 18, line + 22) for line in layout.lines]
    if not layout.narrow:
        parts = [(top, bottom)]
    beside = rows([{"y": first, "end": last} for first, last in parts])
    shaded = Layer(beside).mark_rect(fill="var(--wash)")
    layers.insert(
        0, shaded.encode(y=_y(), y2=alt.Y2("end"), x=alt.XValue(edge), x2=alt.X2Value(at))
    )
    colour = series(workloads[0].marks[0].device.colour) if base else "var(--soft)"
    line = Layer(beside).mark_rule(stroke=colour, strokeWidth=2.5 if base else 1.5)
    layers.append(line.encode(y=_y(), y2=alt.Y2("end"), x=alt.XValue(at)))
    half = text_width(name, _SIZE, bold=True) / 2
    side = "left" if at < half else "right" if at + half > layout.width else "center"
    named = Layer(one).mark_text(text=name, fontWeight="bold", align=side)
    layers.append(named.encode(y=_y("named"), x=alt.XValue(at)))
    words = (("right", "← slower", -8), ("left", "faster →", 8))
    for align, text, dx in words if base else (("left", "exceeds →", 8),):
        word = Layer(one).mark_text(
            text=text, align=align, dx=dx, fill="var(--soft)", fontSize=_SIZE
        )
        layers.append(word.encode(y=_y("said"), x=alt.XValue(at)))
    return layers


def _marks(workloads: Sequence[Workload], layout: _Layout) -> list[Layer]:
    values: list[dict[str, Any]] = [
        {
            "x": mark.value, "low": mark.low, "high": mark.high, "y": line, "kind": mark.kind,
            "inside": "var(--paper)" if mark.hollow else series(mark.device.colour),
            **marked(
                mark.device,
                f"{workload.title}: {mark.label or f'{workload.rate} {workload.unit}'}",
                published=mark.kind in PUBLISHED,
            ),
        }
        for workload, line in zip(workloads, layout.lines, strict=True)
        for mark in workload.marks
    ]  # fmt: skip
    own: dict[str, Any] = {"scale": None, "legend": None}
    worn = alt.Stroke("colour:N", **own)

    def of(*kinds: Kind) -> Layer:
        kept = [row for row in values if row["kind"] in kinds]
        return Layer(rows(kept)).encode(x=layout.x("x"), y=_y())

    bands = Layer(rows([row for row in values if row["low"] < row["high"]]))
    layers = [
        bands.mark_rule(strokeWidth=7, opacity=0.35).encode(
            x=layout.x("low"), x2=alt.X2("high"), y=_y(), stroke=worn
        ),
        of(*PUBLISHED).mark_point(
            filled=False, shape="diamond", size=120, fill="var(--paper)", strokeWidth=2
        ).encode(stroke=worn),
        of("base", "measured").mark_point(size=100, strokeWidth=2).encode(
            stroke=worn, fill=alt.Fill("inside:N", **own), shape=alt.Shape("shape:N", **own),
        ),
    ]  # fmt: skip
    if any(row["kind"] == "beyond" for row in values):
        cross = of("beyond").mark_point(shape="cross", angle=45, size=110, fill="var(--alert)")
        layers.append(cross)
    return layers


def _texts(workloads: Sequence[Workload], layout: _Layout) -> list[Layer]:
    """Titles at the left and the base's rates before the axis; on a telephone over their rows."""
    edge = layout.width if layout.narrow else layout.span.left - 14 - _CAVEATS
    texts: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def write(words: str, x: float, y: float, *, strong: bool = False, align: str = "left") -> None:
        look = {"align": align, "fill": "var(--soft)", "fontSize": _SIZE}
        if strong:
            look = {"align": align, "fontWeight": "bold", "fontSize": _LETTERS}
        texts.append(({"x": layout.span.rate(x), "y": y, "label": words}, look))

    for workload, top, line in zip(workloads, layout.tops, layout.lines, strict=False):
        first = top + 14 if layout.narrow else line - 6
        if not workload.details:
            room, most = (layout.span.left - 14) / 1.07, max(1, int(layout.step // _LINE))
            lines = lines_within(workload.title, room, _LETTERS)
            if len(lines) > most:
                lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
            for number, text in enumerate(lines):
                at = line + _LINE * (number - (len(lines) - 1) / 2)
                write(cut(text, room, _LETTERS), 0, at, strong=True)
            continue
        wide = text_width(f"{workload.rate} {workload.caveats}", _LETTERS, bold=True)
        room = edge - 12 - max(wide, text_width(workload.unit, _SIZE))
        write(cut(workload.title, room / 1.07, _LETTERS), 0, first, strong=True)
        details = [" · ".join(workload.details[:n]) for n in range(len(workload.details), 0, -1)]
        short = [text for text in details if text_width(text, _SIZE) <= room]
        write(short[0] if short else cut(details[-1], room, _SIZE), 0, first + 16)
        rate = f"{workload.rate} {workload.caveats}".strip() if layout.narrow else workload.rate
        write(rate, edge, first, strong=True, align="right")
        if not layout.narrow:
            write(workload.caveats, edge + _CAVEATS / 2 + 4, line + 5, align="center")
        write(workload.unit, edge, first + 16, align="right")
    return text_layers(texts, x=layout.x("x"), y=_y())


def _labels(workloads: Sequence[Workload], layout: _Layout, limit: str) -> list[Layer]:
    texts: list[tuple[dict[str, Any], dict[str, Any]]] = []
    small = {"align": "right", "fill": "var(--soft)", "fontSize": _NOTE}
    labels_of = labels_of_rows(workloads, layout.span, layout.step, limited=bool(limit))
    for workload, line, labels in zip(workloads, layout.lines, labels_of, strict=True):
        for mark, left, dy in labels:
            weight = "normal" if mark.kind in PUBLISHED else "bold"
            ink = "var(--alert)" if mark.kind == "beyond" else "var(--ink)"
            row = {"x": layout.span.rate(left), "y": line, "label": mark.label}
            row |= marked(mark.device, "", published=mark.kind in PUBLISHED)
            look = {"align": "left", "dy": dy, "fontWeight": weight, "fill": ink}
            texts.append((row, HALO | look))
        ends = [left + text_width(mark.label, _SIZE, bold=True) for mark, left, _ in labels]
        ends += [layout.span.at(max(mark.high, mark.value)) + _MARK for mark in workload.marks]
        room = min(layout.width - max(ends) - 2 * _GAP, _NOTE_WIDTH)
        lines = lines_within(workload.note, room, _NOTE) if room > 0 and not layout.narrow else []
        if len(lines) <= 2 and all(text_width(text, _NOTE) <= room for text in lines):
            first = line - 7 * (len(lines) - 1)
            x = layout.span.rate(layout.width)
            rows_of = ({"x": x, "y": first + 14 * n, "label": s} for n, s in enumerate(lines))
            texts += [(row, small) for row in rows_of]
    return text_layers(texts, x=layout.x("x"), y=_y())


def labels_of_rows(
    workloads: Sequence[Workload], span: RateSpan, step: float, *, limited: bool = False
) -> Iterator[list[PlacedLabel]]:
    """The labels of each row; none meets one of the row above."""
    labels = list[PlacedLabel]()
    for workload in workloads:
        above = [_label_box(mark, left, dy - step) for mark, left, dy in labels]
        labels = placed_labels(workload.marks, span, step, above, limited=limited)
        yield labels


def placed_labels(
    marks: Sequence[RateMark],
    span: RateSpan,
    step: float,
    above: Sequence[Box] = (),
    *,
    limited: bool = False,
) -> list[PlacedLabel]:
    """The labels of a row, where they begin, and how far below its line they are, in pixels.

    Each is right of its mark and its band, left of them, above or below the mark, or nowhere. The
    slowest and the fastest choose first. None crosses the line of a base, nor that of a limit at 1,
    nor a label of the row above.
    """
    taken = [Box.around(span.at(mark.value), 0.0, 2 * _MARK, 1.5 * _MARK) for mark in marks]
    taken += [Box(span.at(mark.low), -3, span.at(mark.high), 3) for mark in marks]
    over = [span.at(mark.value) for mark in marks if mark.kind == "base" and not mark.label]
    over += [span.at(1.0)] * limited
    taken += [Box.around(x, 0.0, 6, 2 * step) for x in over]
    taken += above
    named = sorted((mark for mark in marks if mark.label), key=lambda mark: mark.value)
    named = [*named[:1], *reversed(named[1:])]
    places: list[list[tuple[float, float]]] = []
    boxes: list[list[Box]] = []
    for mark in named:
        x, width = span.at(mark.value), text_width(mark.label, _SIZE, bold=True)
        right = max(x + _MARK + _GAP / 2, span.at(mark.high) + _GAP)
        left = min(x - _MARK - _GAP / 2, span.at(mark.low) - _GAP)
        across = [x - width / 2, x - _MARK, x + _MARK - width]
        across += [span.left] if span.left + width > x - _MARK else []
        places.append(
            [
                (right, 0.0),
                (left - width, 0.0),
                *((at, dy) for dy in (-_BESIDE, _BESIDE) for at in across),
            ]
        )
        boxes.append([_label_box(mark, at, dy) for at, dy in places[-1]])
    half = max(_BESIDE + _HALF, (step if span.left else _NARROW_STEP - _NARROW_LINE + 14) / 2)
    within = Box(span.left, -half, span.right + 6, half)
    chosen = place(boxes, taken, within, MOST_NAMED)
    return [
        (mark, *own[at])
        for mark, own, at in zip(named, places, chosen, strict=True)
        if at is not None
    ]


def _label_box(mark: RateMark, left: float, dy: float) -> Box:
    """What a label covers that begins there, from its row's line."""
    width = text_width(mark.label, _SIZE, bold=True)
    return Box(left, dy - _HALF, left + width, dy + _HALF)
