"""Named rows on one axis: bars from zero, or marks on a logarithmic axis (● measured, ◇ published).

Bars are for values of which the largest is less than 20 times the smallest. No stem joins
a mark to a logarithmic axis, where lengths mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from operator import itemgetter
from typing import Any

import altair as alt

from accelreport.report import quantity
from accelreport.report.charts.dots import (
    Base,
    Dot,
    Line,
    Row,
    from_zero,
    lanes,
)
from accelreport.report.charts.drawing import (
    COLOUR,
    LEFT,
    RIGHT,
    Chart,
    Layer,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.scales import (
    Scale,
    bar_ticks,
    decades,
    fitting,
    log_domain,
    plain_duration,
    round_times,
    ticked,
    wrapped,
)
from accelreport.report.text import cut, folded, text_width
from accelreport.report.theme import HALO, ON_WASH, series

LETTERS, SMALLER = 13.5, 12.5
"""Sizes of letters of a name, and of its detail, in pixels."""
LEAST_LEFT = 4.0
"""Pixels at the left of bars."""
PHONE = 430
"""In a chart that is not wider the name of a row is above its marks."""
FOOT, TICKS, HEAD = 52, 24, 34
"""Pixels of the axis with its title, of the axis without one, and of the name of a base."""
LINE = 14.0
"""Pixels from one line of a name to the next."""
LEAST, DETAILED, LANE = 18.0, 30.0, 13.5
"""Pixels of a row with its name alone, with a detail below it, and of each mark with a text, where
the height of the chart is given."""
ROOMY_LANE, NAME, MOST_LINES = 19.0, 25.0, 3
"""Where it is not: pixels of each mark, of a name above its marks, and lines of a name."""
GREY = {"fontWeight": "normal", "fontSize": SMALLER, "fill": "var(--soft)"}
"""The look of a detail."""
GROUP = 26.0
"""Pixels of the name of a group of rows."""
LARGEST_SHARE, LARGEST_SHARE_OF_BARS = 0.42, 0.36
"""Of the width, which names at the left may take; beside bars on a page, and a limit, less."""
FREE = sorted(
    ((left / 20, right / 20) for left in range(11) for right in range(11 - left)), key=sum
)
"""Of a logarithmic axis, what may be free for texts at its left and right, the least first."""
LARGEST_LEFT = 420.0
"""Pixels that they may take at most."""
BESIDE, END, RADIUS = 10.0, 8.0, 5.0
"""Pixels from a name or a column to what is beside it, from a mark or its interval to its text and
to the edge, and from the middle of a mark to its edge."""
THICK, SHORTEST, CAP = 47.0, 6.0, 3.0
"""Pixels of the thickest bar, of the shortest one, and of half the cap of an interval."""
TALL, TALLEST = 132.0, 56.0
"""Pixels that the bars of a page fill at least, and of the highest row of bars."""
LONGEST_INTERVAL = 2.5
"""Multiples of the longest bar at which an interval leaves the chart, with its end in words."""
BESIDE_TITLE = "var(--p1)"
"""Colour of bars that the title is not of, beside those in their own colour that it is of."""


def dot_plot(
    dots: Sequence[Dot],
    *,
    axis_title: str,
    tick: Callable[[float], str],
    width: int,
    height: int,
    base: Base | None = None,
) -> Chart:
    """The chart.

    Args:
        dots: rows from the top; never none.
        axis_title: what the axis counts; empty where the page says it.
        tick: the text of a value at the axis.
        width: pixels in all.
        height: pixels in all, or more where the rows need more; 0 for as many as they need.
        base: what the values are compared with.
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
        base: Base | None,
    ) -> None:
        if base and not any(dot.high < base.value for dot in dots):
            base = replace(base, below="")
        self._base = base
        self._bars = base is None and from_zero(dots)
        self._phone = width <= PHONE
        alone = not any(dot.owner or dot.joined for dot in dots)
        self._apart = self._bars or (base is None and alone)
        if self._apart:
            # Their axis has the unit.
            dots = [d.short if self._phone else replace(d.short, beside=d.beside) for d in dots]
        limit = base is not None and base.limit
        # Names are above the marks of a telephone, where ground at one side would be a track.
        self._shaded = base is not None and bool(base.below) and not self._phone
        # The text of a row's only mark is in a column.
        self._alone = alone
        self._width = width - LEFT - RIGHT
        widths = [text_width(dot.name, LETTERS, bold=not dot.quiet) for dot in dots]
        widths += [text_width(dot.detail, SMALLER) for dot in dots]
        widths += [text_width(dot.group, SMALLER) - LINE for dot in dots if not limit]
        most = LARGEST_SHARE if (height or base) and not limit else LARGEST_SHARE_OF_BARS
        # The rows of a group begin below its name.
        self._indent = LINE * (any(dot.group for dot in dots) and not self._phone)
        widest = min(self._indent + max(widths), width * most, LARGEST_LEFT)
        self._room = 0.0 if self._phone else widest
        # Half of the axis' 0 is at its left.
        self._left = self._room + BESIDE if self._room else LEAST_LEFT * self._bars
        # On a telephone the texts of single marks are beside the names, and the axis is below both.
        self._above = self._phone and (self._bars or alone)
        rest = max(text_width(dot.rest, SMALLER) for dot in dots)
        self._edge = self._width - (rest + BESIDE if rest else 0.0)
        cells = zip(*map(self._cells, dots), strict=True)
        widths = [max(text_width(text, LETTERS, bold=True) for text in own) for own in cells]
        self._filled = [bool(width) for width in widths]
        self._columns = [width + BESIDE for width in widths if width]
        # A detail is beside its name on a telephone if all of them have room there.
        room = self._width - sum(self._columns) * self._above
        self._inline = self._phone and all(
            self._details_at(dot) + LINE / 2 + text_width(dot.detail, SMALLER) <= room
            for dot in dots
        )
        beside = 0.0 if self._above else sum(self._columns)
        # The last tick of bars that end at the edge has half of its label beyond them.
        self._right = self._edge - beside - (2 * END * self._above if self._bars else END)
        self._last = LONGEST_INTERVAL * max(dot.value for dot in dots) if self._bars else math.inf
        self._ends = self._domain(dots)
        self._last = min(self._last, self._ends[1])
        most = min(max(dot.high for dot in dots), self._last)
        if base:
            most = max(most, *base.held)
        timed, inner = tick is plain_duration, self._right - self._left
        self._tick = tick
        if self._bars:
            unit = quantity.time_unit(most)[0] if timed else 1.0
            ticks = [unit * value for value in bar_ticks(most / unit)]
            self._ends = 0.0, max(self._ends[1], ticks[-1])
        else:
            ticks = (round_times if timed else decades)(self._ends[0], most * 1.001, 8)
            powers = [tick for tick in ticks if math.log10(tick) % 1 in {0.0, 1.0}]
            ticks = powers if limit and len(powers) > 1 else ticks
        ticks = fitting(ticks, tick, self._ends, inner, log=not self._bars, inside=False,
                        held=base.value if base else 0.0)  # fmt: skip
        half = {value: (text_width(tick(value), SMALLER) - END) / 2 for value in ticks}
        # On a slide the numbers beside bars are enough.
        edge = 0.0 if self._bars and height else self._width + limit * inner
        self._ticks = [t for t in ticks if half[t] - RADIUS <= self._at(t) <= edge - half[t]]
        title = axis_title and wrapped(axis_title + " (log scale)" * (not self._bars), int(inner))
        self._axis = ticked(
            self._ticks, tick, title=title or None, domain=False, grid=False, labelFlush=False,
            tickSize=4 * self._bars, tickColor="var(--soft)",
        )  # fmt: skip
        self._scale = Scale(
            type="linear" if self._bars else "log",
            domain=list(self._ends),
            range=[self._left, self._right],
            nice=False,
        )
        room = height and height - (FOOT if axis_title else TICKS)
        self._rows = self._placed(dots, room)
        self._marks = self._marked(inner, timed=timed)

    def _marked(self, inner: float, *, timed: bool) -> list[dict[str, Any]]:
        """The marks as rows of data."""
        every = [dot for row in self._rows for dot in row.dots if self._bars]
        strong = {series(d.device.colour) for d in every if not (d.quiet or d.published)}
        # The outline of a shorter bar would close.
        least = self._bars * SHORTEST * self._ends[1] / inner
        # An interval that is narrower than its disc shows above and below it.
        cap = CAP if self._bars else RADIUS + 1
        return [
            _mark(dot, y, row, (self._ends[0], self._last), strong)
            | {"cap": y - cap, "cap_end": y + cap}
            | {"label": f"{(quantity.duration if timed else quantity.number)(dot.high)} →"}
            | {"value": max(dot.value, least)}
            for row in self._rows
            for dot, y in zip(row.dots, row.lines, strict=True)
        ]

    def _placed(self, dots: Sequence[Dot], height: float) -> list[Row]:
        """The rows, as high as they need to be; what is left of the height is shared out."""
        grouped: list[list[Dot]] = []
        for dot in dots:
            if dot.joined and grouped:
                grouped[-1].append(dot)
            else:
                grouped.append([dot])
        heads = [self._head(own[0], MOST_LINES, detailed=True) for own in grouped]
        names = [0.0] * len(grouped)
        if self._phone:
            names = [NAME + LINE * (1 if self._inline else len(head)) - LINE for head in heads]
            lane = LANE if self._above else ROOMY_LANE
            least = [above + lane * lanes(own) for own, above in zip(grouped, names, strict=True)]
        elif height:
            least = [max(LEAST, LANE * lanes(own)) for own in grouped]
        else:
            least = [
                max(LINE * len(head) + LINE / 2, ROOMY_LANE * lanes(own))
                for own, head in zip(grouped, heads, strict=True)
            ]
            roomy = min(TALL / len(grouped), TALLEST) * self._bars
            least = [max(own, roomy) for own in least]
        top = self._above_rows
        spare = max(0.0, height - top - sum(least)) / len(grouped)
        placed, group = list[Row](), ""
        for own, head, high, above in zip(grouped, heads, least, names, strict=True):
            begun = own[0].group if own[0].group != group else ""
            group, top = own[0].group, top + GROUP * bool(begun)
            bottom = top + high + spare
            if height and not self._phone:
                lines, detailed = int((high + spare) // LINE), min(least) + spare >= DETAILED
                head = self._head(
                    own[0], lines - (detailed and own[0].detail != ""), detailed=detailed
                )
            placed.append(Row(own, head, top, bottom, top + above, begun))
            top = bottom
        return placed

    @property
    def _above_rows(self) -> float:
        """Pixels above the rows: of the name of the base, and of what is below and above it."""
        base = self._base
        if base is None or not (base.name or base.below or base.above):
            return 0.0
        if not (base.name and (base.below or base.above)):
            return ROOMY_LANE
        at, (first, last) = self._at(base.value), self._span_of_name(base)
        fits = not base.below or text_width(base.below, SMALLER) + BESIDE <= at + first
        fits &= text_width(base.above, SMALLER) + BESIDE <= self._width - at - last
        return ROOMY_LANE if fits else HEAD

    def _span_of_name(self, base: Base) -> tuple[float, float]:
        """From where to where the name of the base is, in pixels from its line."""
        at, wide = self._at(base.value), text_width(base.name, SMALLER, bold=True)
        first = min(max(-wide / 2, -at), self._width - at - wide)
        return first, first + wide

    def _head(self, dot: Dot, most: int, *, detailed: bool) -> list[Line]:
        """The lines of a name, then of its detail, of each at most so many."""
        room = (self._room or self._width) - self._indent
        beside = sum(self._columns) * self._above
        weight = "normal" if dot.quiet else "bold"
        names = folded(dot.name, room - beside, LETTERS, max(1, most), bold=not dot.quiet) or [""]
        details = folded(dot.detail, room, SMALLER, max(1, most)) if detailed else []
        look = {"fontWeight": weight, "fontSize": LETTERS, "fill": "var(--ink)"}
        soft = dict(GREY)
        if self._inline:
            soft["dx"] = round(self._details_at(dot), 1)
        return [*((text, look) for text in names), *((text, soft) for text in details)]

    def _details_at(self, dot: Dot) -> float:
        """Pixels from the beginning of a name to its detail beside it."""
        return text_width(dot.name, LETTERS, bold=not dot.quiet) + LINE / 2

    def _domain(self, dots: Sequence[Dot]) -> tuple[float, float]:
        """The ends of the axis, with room for the texts that need it."""
        if self._bars:
            return 0.0, max(min(dot.high, self._last) for dot in dots)
        held = self._base.held if self._base else ()
        ends = [
            *held,
            *(value for dot in dots for value in (dot.value, dot.low, dot.high)),
        ]
        low, high = log_domain(ends, 1.0)
        low /= 1.1
        named = [
            (dot, text_width(self._own_text(dot), LETTERS, bold=True))
            for dot in dots
            if self._own_text(dot) and not dot.is_base
        ]
        best = 0, (low, high)
        for left, right in FREE:
            span = math.log(high / low) / (1 - left - right)
            self._ends = low * math.exp(-left * span), high * math.exp(right * span)
            beside = (max(room for *_, room in self._places([d], self._right)) for d, _ in named)
            whole = sum(room >= width for room, (_, width) in zip(beside, named, strict=True))
            best = max(best, (whole, self._ends), key=itemgetter(0))
            if whole == len(named):
                break
        return best[1]

    def _at(self, value: float) -> float:
        """Where a value is, in pixels; what no logarithmic axis holds is at its left end."""
        if self._bars:
            return self._left + (self._right - self._left) * value / self._ends[1]
        low, high = map(math.log, self._ends)
        at = math.log(max(value, self._ends[0]))
        return self._left + (self._right - self._left) * (at - low) / (high - low)

    def _places(self, dots: Sequence[Dot], right_edge: float) -> list[tuple[float, str, float]]:
        """Where the text of marks on one line may be: a value, the alignment there, and the room.

        It is at the right or left of them, off the line of the base, or beyond that line.
        """
        # The edge of a mark, where its interval does not leave it.
        edge = (self._ends[1] / self._ends[0]) ** (RADIUS / (self._right - self._left))
        first = max(min(min(mark.low, mark.value / edge) for mark in dots), self._ends[0])
        last = min(max(max(mark.high, mark.value * edge) for mark in dots), self._last)
        left, right = self._at(first) - END, self._at(last) + END
        base = self._base.value if self._base else 0.0
        line = self._at(base) if self._base else self._left
        after, before = self._at(last) < line, self._base is not None and line < self._at(first)
        sides = [
            (last, "left", (line if after else right_edge) - right),
            (first, "right", left - (line if before else self._left)),
        ]
        return [
            *sides,
            *[(base, "left", right_edge - line - END)] * after,
            *[(base, "right", line - END - self._left)] * before,
        ]

    def _cells(self, dot: Dot) -> tuple[str, ...]:
        """Its texts in the columns at the right."""
        if self._apart:
            return dot.text, dot.beside
        if not self._alone:
            return ()
        return dot.beside, dot.text

    def _own_text(self, dot: Dot) -> str:
        """Its text beside its mark."""
        return "" if self._apart or self._alone else dot.whole_text

    def _beside(self, dots: Sequence[Dot], right_edge: float) -> tuple[str, float, str]:
        """The text of the last of some marks on one line, the value at its side, and its alignment.

        Where it has no room as a whole it is where there is most, and is brief or says less of its
        owner.
        """
        dot, places = dots[-1], self._places(dots, right_edge)
        whole = self._own_text(dot)
        width = text_width(whole, LETTERS, bold=True)
        free = (place for place in places if place[2] >= width)
        value, align, room = next(free, None) or max(places, key=itemgetter(2))
        if room >= width:
            return whole, value, align
        text = dot.text if dot.owner else dot.short.whole_text
        left = (room - text_width(f" {text}", LETTERS, bold=True)) / 1.07
        owner = cut(dot.owner, left, LETTERS) if dot.owner else ""
        return f"{owner} {text}".strip(), value, align

    def _of(self, **wanted: bool) -> Layer:
        chosen = [
            row for row in self._marks if all(row[name] == value for name, value in wanted.items())
        ]
        return Layer(rows(chosen)).encode(y=_y())

    def _x(self, field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=self._scale, axis=self._axis)

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        layers = self._bar_layers() if self._bars else self._mark_layers()
        layers += [*self._texts(), *self._names()]
        return Chart(layers, round(self._width, 1), round(self._rows[-1].bottom, 1))

    def _bar_layers(self) -> list[Layer]:
        """Bars with their intervals: an outline is published, and pale is what is not whole."""
        lines = [
            {"tick": tick, "y": row.marks_top, "end": row.bottom}
            for tick in self._ticks
            for row in self._rows * (not self._phone)  # names would cut them into stubs
        ]
        grid = Layer(rows(lines)).mark_rule(stroke="var(--grid)")
        end, value = {"x2": alt.X2Value(self._left)}, self._x("value")
        known, cap = self._of(has_interval=True), {"strokeWidth": 1.5, "stroke": "var(--ink)"}
        layers = [
            self._between(),
            grid.encode(x=self._x("tick"), y=_y(), y2=alt.Y2("end")),
            self._of(pale=True)
            .mark_rect(fill="var(--paper)")
            .encode(x=value, y=_y("over"), y2=alt.Y2("under"), **end),
            *(
                self._of(published=False, hollow=hollow)
                .mark_rect(opacity=0.35 if hollow else 1)
                .encode(x=value, y=_y("over"), y2=alt.Y2("under"), **end, **COLOUR)
                for hollow in (False, True)
            ),
        ]
        layers.append(
            self._of(pale=True)
            .mark_rect(filled=False, strokeWidth=2)
            .encode(x=value, y=_y("over"), y2=alt.Y2("under"), **end,
                    stroke=alt.Stroke("colour:N", scale=None))
        )  # fmt: skip
        layers += [
            known.mark_rule(**look).encode(x=self._x("low"), x2=alt.X2("high"))
            for look in ({"strokeWidth": 2.5, "stroke": "var(--paper)"}, cap)
        ]
        layers += [
            self._of(has_interval=True, **within)
            .mark_rule(**cap)
            .encode(x=self._x(side), y=_y("cap"), y2=alt.Y2("cap_end"))
            for side, within in (("low", {}), ("high", {"ends": True}))
        ]
        layers += [
            self._of(has_interval=True, ends=False)
            .mark_text(**HALO | {"align": "right", "fontSize": SMALLER})
            .encode(x=self._x("high"), text=alt.Text("label:N")),
            self._of(flagged=True)
            .mark_point(shape="cross", angle=45, size=110, fill="var(--alert)")
            .encode(x=value),
        ]
        return layers

    def _mark_layers(self) -> list[Layer]:
        size, value = 56, self._x("value")
        # What leads to the mark of a limit is no interval: a pale bar without caps.
        limit = self._base is not None and self._base.limit
        colour = {} if limit else COLOUR
        band = {"strokeWidth": 7, "opacity": 0.25} if limit else {"strokeWidth": 2.5}
        base = self._of(is_base=True)
        bands = self._of(is_base=False, has_interval=True)
        partial = self._of(is_base=False, published=False, hollow=True)
        return [
            *self._ground(),
            base.mark_rect(opacity=0.35).encode(
                x=self._x("low"), x2=alt.X2("high"), y=_y("top"), y2=alt.Y2("bottom"), **COLOUR
            ),
            *(
                self._of(is_base=True, hollow=hollow)
                .mark_rule(strokeWidth=3, opacity=0.45 if hollow else 1)
                .encode(x=value, y=_y("top"), y2=alt.Y2("bottom"), **COLOUR)
                for hollow in (False, True)
            ),
            bands.mark_rule(stroke="var(--soft)", **band).encode(
                x=self._x("low"), x2=alt.X2("high"), **colour
            ),
            *(
                bands.mark_rule(strokeWidth=1.5, stroke="var(--soft)").encode(
                    x=self._x(side), y=_y("cap"), y2=alt.Y2("cap_end"), **colour
                )
                for side in ("low", "high") * (not limit)
            ),
            self._of(is_base=False, published=False, hollow=False).mark_point(size=size).encode(
                x=value, **COLOUR
            ),
            partial.mark_point(
                filled=False, size=size, fill="var(--paper)", strokeWidth=2
            ).encode(x=value, **COLOUR),
            self._of(published=True).mark_point(
                shape="diamond", filled=False, size=size * 1.1, fill="var(--paper)", strokeWidth=2,
            ).encode(x=value, **COLOUR),
            self._of(flagged=True).mark_point(
                shape="cross", angle=45, size=size * 1.1, fill="var(--alert)"
            ).encode(x=value),
        ]  # fmt: skip

    def _between(self) -> Layer:
        """Lines between groups of rows, or between rows of several marks."""
        edges = [row.top - GROUP + CAP for row in self._rows[1:] if row.group]
        if any(lanes(row.dots) > 1 for row in self._rows):
            edges = [self._rows[0].top, *(row.bottom for row in self._rows)]
        between: Layer = Layer(rows([{"y": y} for y in edges])).mark_rule(stroke="var(--grid)")
        return between.encode(y=_y(), x=alt.XValue(0), x2=alt.X2Value(self._width))

    def _ground(self) -> list[Layer]:
        """The line of the base with its name above it, and what parts rows."""
        layers = [self._between()]
        top, end = self._rows[0].top - GROUP * bool(self._rows[0].group), self._rows[-1].bottom
        parts = [{"y": row.marks_top, "end": row.bottom} for row in self._rows]
        # No line goes through the names above the marks of a telephone.
        whole = parts if self._phone else [{"y": top, "end": end}]
        lines = [part | {"tick": tick} for part in whole for tick in self._ticks]
        grid = Layer(rows(lines)).mark_rule(stroke="var(--grid)")
        layers.append(grid.encode(x=self._x("tick"), y=_y(), y2=alt.Y2("end")))
        base = self._base
        if base is None:
            return layers
        row = {"base": base.value}
        if self._shaded:
            shade = Layer(rows(whole)).mark_rect(fill="var(--wash)")
            shade = shade.encode(y=_y(), y2=alt.Y2("end"), x=alt.XValue(self._left))
            layers.insert(0, shade.encode(x2=alt.X2Value(self._at(base.value))))
        bare = [
            part | row
            for part, own in zip(parts, self._rows, strict=True)
            if not any(dot.is_base for dot in own.dots)
        ]
        bare = [part | row for part in whole] if len(bare) == len(parts) else bare
        line = Layer(rows(bare)).mark_rule(stroke="var(--soft)")
        layers.append(line.encode(y=_y(), y2=alt.Y2("end"), x=self._x("base")))
        (first, last), one = self._span_of_name(base), self._above_rows < HEAD
        bold = {"align": "left", "fontWeight": "bold", "fontSize": SMALLER}
        soft = {"fill": "var(--soft)", "fontSize": SMALLER}
        before, after = (first - BESIDE, last + BESIDE) if one and base.name else (-END, END)
        low = 8.0 if one else HEAD - 9.0
        headings = [
            (base.name, 8.0, {"dx": first, **bold}),
            (base.below, low, {"align": "right", "dx": before, **soft}),
            (base.above, low, {"align": "left", "dx": after, **soft}),
        ]
        texts = [(row | {"label": text, "y": y}, look) for text, y, look in headings if text]
        # Where a screen ends within a high chart, its ticks are above the rows as well.
        beyond = self._at(base.value) + after + text_width(base.above, SMALLER) + 2 * BESIDE
        texts += [
            ({"base": tick, "label": self._tick(tick), "y": low}, {"align": "center", **soft})
            for tick in self._ticks * (end - top > 2 * TALL and not self._phone)
            if self._at(tick) > beyond
        ]
        return [*layers, *text_layers(texts, x=self._x("base"), y=_y())]

    def _texts(self) -> list[Layer]:
        """The text of each mark beside it or in columns, and what a row leaves out at its end."""
        texts, left_out = [], []
        # Before its number a row over a base has in grey what tells it from the others.
        grey = GREY if self._columns[1:] and not self._apart else {}
        looks: list[dict[str, Any]]
        looks = [{"align": "right", **grey}, {"align": "left" if self._apart else "right"}]
        columns: list[list[tuple[Mapping[str, Any], Mapping[str, Any]]]]
        columns = [[] for _ in self._columns]
        for row in self._rows:
            rest = "".join(dot.rest for dot in row.dots)
            edge = self._width - (text_width(rest, SMALLER) + BESIDE if rest else 0.0)
            edge -= sum(self._columns)
            middle = (row.marks_top + row.bottom) / 2
            if rest:
                place: dict[str, Any] = {"y": middle, "label": rest}
                left_out.append((place, {"align": "right", "fill": "var(--soft)"}))
            on_line: list[Dot] = []
            for dot, y in zip(row.dots, row.lines, strict=True):
                on_line += [] if dot.is_base else [dot]
                if not dot.has_text or dot.is_base:
                    continue
                line = row.top + NAME - LINE / 2 if self._above else y
                place = {"y": line} | marked(dot.device, "")
                look = HALO | {
                    "fontWeight": "normal" if dot.published or dot.quiet else "bold",
                    "fontSize": LETTERS,
                    "fill": "var(--alert)" if dot.flagged else "var(--ink)",
                }
                own = compress(self._cells(dot), self._filled)
                for column, text, its in zip(columns, own, looks, strict=False):
                    column.append((place | {"label": text}, look | its))
                if self._own_text(dot):
                    text, at, align = self._beside(on_line, edge)
                    look |= {"align": align, "dx": END if align == "left" else -END}
                    shaded = self._shaded and self._base and self._base.shades(at, align)
                    look |= ON_WASH if shaded else {}
                    texts.append((place | {"edge": at, "label": text}, look))
                on_line = []
        # Numbers end together, and ratios begin together.
        first = self._edge - sum(self._columns[1:])
        ends = [first, first + BESIDE if self._apart else self._edge]
        in_columns = [
            layer
            for own, end in zip(columns, ends, strict=False)
            for layer in text_layers(own, x=alt.XValue(end), y=_y())
        ]
        return [
            *in_columns,
            *text_layers(texts, x=self._x("edge"), y=_y()),
            *text_layers(left_out, x=alt.XValue(self._width), y=_y()),
        ]

    def _names(self) -> list[Layer]:
        """Names over their details: at the left, or on a telephone above their marks."""
        written = []
        align = "left" if self._phone or self._indent else "right"
        for row in self._rows:
            first = (row.top + row.bottom - LINE * (len(row.head) - 1)) / 2
            first = row.top + NAME - LINE / 2 if self._phone else first
            for number, (text, look) in enumerate(row.head):
                y = first + LINE * number * (not self._inline)
                written.append(({"y": y, "label": text}, HALO | {"align": align, **look}))
        at = self._indent or self._room or self._left
        soft = HALO | {"align": "left", "fontSize": SMALLER, "fill": "var(--soft)"}
        groups = [
            ({"y": row.top - (CAP if self._phone else GROUP / 2 - CAP), "label": row.group}, soft)
            for row in self._rows
            if row.group
        ]
        return [
            *text_layers(written, x=alt.XValue(at), y=_y()),
            *text_layers(groups, x=alt.XValue(0), y=_y()),
        ]


def _y(field: str = "y") -> alt.Y:
    """The channel of pixels from the top."""
    return alt.Y(f"{field}:Q", scale=Scale(domain=[0, 1], range=[0, 1]), axis=None)


def _mark(
    dot: Dot, y: float, row: Row, ends: tuple[float, float], strong: Collection[str]
) -> dict[str, Any]:
    """A mark as a row of data; an interval that leaves the axis ends with it.

    Published ones have no device's colour, nor have those beside a title in a `strong` one.
    """
    colour = series(dot.device.colour)
    colour = BESIDE_TITLE if dot.quiet and colour in strong else colour
    whose = ", ".join(filter(None, (dot.name, dot.detail)))
    half = min(THICK, 0.6 * (row.bottom - row.marks_top)) / 2
    return {
        "y": y,
        "over": y - half,
        "under": y + half,
        "pale": bool(dot.hollow) or dot.published,
        "ends": dot.high <= ends[1],
        "top": row.marks_top,
        "bottom": row.bottom,
        "value": dot.value,
        "low": max(dot.low, ends[0]),
        "high": min(dot.high, ends[1]),
        "has_interval": dot.low < dot.high,
        "published": dot.published,
        "flagged": bool(dot.flagged),
        "hollow": bool(dot.hollow),
        "is_base": dot.is_base,
        **marked(dot.device, f"{whose}: {dot.whole_text}"),
        "colour": "var(--soft)" if dot.published else colour,
    }
