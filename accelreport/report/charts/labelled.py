"""Rows with their names at the left: speedups as dots, cold starts and ceilings as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    LONGEST_HEADING,
    ROOMY,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    Make,
    Rows,
    distinct,
    extent,
    halo,
    inner_width,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    Scale,
    decades,
    factor_text,
    fitting,
    powers_of_two,
    quoted,
    shortened,
    ticked,
    time_axis,
    wrapped,
)
from accelreport.report.text import cut, lines_within, text_width

Values = dict[str, object]


@dataclass(frozen=True)
class Heading:
    """A sweep point and the names of its rows; nothing stands above them if it is empty."""

    title: str
    names: tuple[str, ...]


def row_key(point: int, name: int) -> str:
    """The key of a row: the numbers of its heading and of its name."""
    return f"{point}.{name}"


LABEL_LINE = 14
"""Pixels that a line of a name takes."""


def _in_lines(name: str, limit: int) -> list[str]:
    """A name in up to two lines; only what has no room there either is cut."""
    first, *more = lines_within(name, limit, LABEL_SIZE) or [""]
    lines = [first, " ".join(more)] if more else [first]
    return [cut(line, limit, LABEL_SIZE) for line in lines]


class LabelledRows:
    """The vertical axis of a chart of rows.

    Args:
        headings: from the top.
        width: of the chart, in pixels.
        longest: pixels that a name may take where there is room.
    """

    def __init__(self, headings: Sequence[Heading], width: int, longest: int = 220) -> None:
        self._groups = dict(zip(distinct([each.title for each in headings]), headings, strict=True))
        self._places: dict[str, Values] = {}
        for number, (group, heading) in enumerate(self._groups.items()):
            for i, name in enumerate(distinct(heading.names)):
                self._places[row_key(number, i)] = {"group": group, "row": name}
        self._names = list(dict.fromkeys(str(place["row"]) for place in self._places.values()))
        self._alike = len({heading.names for heading in headings}) == 1
        """Whether all headings stand over the same names."""
        self._limit = longest if width > ROOMY else 128
        self._lines = [_in_lines(name, self._limit) for name in self._names]
        self.inner = inner_width(width, self._names, self._limit)
        """Pixels between the axes."""

    @property
    def axis(self) -> alt.Y:
        """The names of the rows, in order."""
        room = extent(self._names, self._limit)
        broken = {name: lines for name, lines in zip(self._names, self._lines, strict=True)
                  if lines != [name]}  # fmt: skip
        labels: dict[str, object] = {"labelLimit": 0}
        if broken:
            tests = [
                f"datum.label == {quoted(name)} ? [{', '.join(map(quoted, lines))}]"
                for name, lines in broken.items()
            ]
            labels["labelExpr"] = " : ".join([*tests, "datum.label"])
            # Lines go down from the first one, which is the upper half of a name in two.
            two = [f"datum.label == {quoted(name)}" for name in broken if broken[name][1:]]
            if two:
                upper = {"test": " || ".join(two), "value": "bottom"}
                labels["labelBaseline"] = {"condition": upper, "value": "middle"}
        domain = self._names if self._alike else alt.Undefined
        return alt.Y(
            "row:N",
            sort=None,
            scale=Scale(paddingInner=0.3, paddingOuter=0.1, domain=domain),
            axis=dict(
                title=None, domain=False, ticks=False, labelColor="var(--ink)",
                **labels, **room,
            ),
        )  # fmt: skip

    def data(self, values: Sequence[tuple[str, Values]]) -> Rows:
        """Rows of a chart, in the order of their keys; a name that has none keeps its place."""
        own: dict[str, list[Values]] = {key: [] for key in self._places}
        for key, each in values:
            own[key].append(each)
        return rows(
            [{**place, **each} for key, place in self._places.items() for each in own[key] or [{}]]
        )

    def chart(self, data: Rows, layers: Sequence[Layer], step: int) -> Chart:
        """The layers, once under each heading.

        Args:
            data: what all layers show.
            layers: without data of their own.
            step: pixels from one row to the next, where no name has two lines.
        """
        step = max(step, max(map(len, self._lines), default=1) * LABEL_LINE + 4)
        size = {"width": self.inner, "height": alt.Step(step)}
        if len(self._groups) == 1 and not next(iter(self._groups)):
            return alt.layer(*layers, data=data, **size)
        cut = shortened(self._groups, LONGEST_HEADING, LABEL_SIZE)
        header = cut if "labelExpr" in cut else alt.Undefined
        row = alt.Row("group:N", sort=list(self._groups), title=None, header=header)
        facets = alt.layer(*layers, **size).facet(row=row, data=data, spacing=4)
        return facets if self._alike else facets.resolve_scale(y="independent")


ROOM = 60
"""Pixels kept free at the right for the value printed beside each interval."""


@dataclass(frozen=True)
class Mark:
    """One device at one sweep point; ends that are not numbers make no interval."""

    row: str
    device: DeviceStyle
    value: float
    low: float
    high: float
    text: str

    @property
    def ends(self) -> tuple[float, float]:
        """From where to where the interval is drawn."""
        known = [end for end in (self.low, self.high, self.value) if end == end]
        return min(known), max(known)


def speedup_dots(marks: Sequence[Mark], *, headings: Sequence[Heading], axis_title: str) -> Make:
    """A function from the width in pixels to the chart; its rows are devices under sweep points."""
    ends = [1.0, *(end for mark in marks for end in mark.ends)]
    devices = Devices(mark.device for mark in marks)
    values = [(mark.row, _values(mark, devices)) for mark in marks]

    def make(width: int) -> Chart:
        layout = LabelledRows(headings, width)
        low, high = _domain(ends, layout.inner)
        ticks = powers_of_two(low, high, 9 if width > ROOMY else 5)
        scale = Scale(type="log", base=2, domain=[low, high], nice=False)
        at_one = {"condition": {"test": "datum.value == 1", "value": "var(--soft)"}}
        axis = ticked(
            ticks, factor_text, title=wrapped(axis_title, int(layout.inner)),
            gridColor=at_one | {"value": "var(--grid)"},
        )  # fmt: skip
        base = Layer().encode(y=layout.axis)

        def x(field: str) -> alt.X:
            return alt.X(f"{field}:Q", scale=scale, axis=axis)

        measured = base.encode(
            **devices.channels("color"),
            tooltip=told(
                group="at", device="device", speedup="speedup", low="interval from",
                high="interval to",
            ),
        )  # fmt: skip
        named = base.encode(x=x("high"), text=alt.Text("label:N"))
        layers = [
            measured.mark_rule(strokeWidth=3, opacity=0.45).encode(x=x("low"), x2=alt.X2("high")),
            measured.mark_point(size=95).encode(x=x("speedup"), **devices.channels("shape")),
            *halo(named, align="left", dx=9, fontWeight="bold"),
        ]
        return layout.chart(layout.data(values), layers, step=23)

    return make


def _values(mark: Mark, devices: Devices) -> Values:
    low, high = mark.ends
    return {
        "device": devices.name(mark.device),
        "speedup": mark.value,
        "low": low,
        "high": high,
        "label": mark.text,
    }


def _domain(ends: Sequence[float], inner: float) -> tuple[float, float]:
    """Holds every interval, ½×, 1× and 2×, with room for the texts at the right.

    Args:
        ends: ends of the intervals, and 1.
        inner: pixels between the axes.
    """
    low, high = min(ends) / 1.15, max(ends) * 1.15
    high *= (high / low) ** (ROOM / (inner - ROOM))
    return min(low, 0.49), max(high, 2.2)


@dataclass(frozen=True)
class StageBar:
    """One row: seconds of each stage, in order, and the text at its end."""

    row: str
    stages: tuple[float, ...]
    text: str


def cold_bars(
    bars: Sequence[StageBar], *, stages: Sequence[str], headings: Sequence[Heading], axis_title: str
) -> Make:
    """A function from the width in pixels to the chart.

    Args:
        bars: the rows.
        stages: what the stages are called.
        headings: what stands at the left of the rows.
        axis_title: what the times are.
    """
    longest = max(sum(bar.stages) for bar in bars)
    values = [piece for bar in bars for piece in _pieces(bar, stages)]
    colours = [f"var(--p{number})" for number in range(len(stages))]

    def make(width: int) -> Chart:
        layout = LabelledRows(headings, width)
        high = longest * layout.inner / (layout.inner - 56)
        scale, axis = time_axis(
            0, high, log=False, title=axis_title, most=7 if width > ROOMY else 4
        )
        base = Layer().encode(y=layout.axis)
        layers = [
            base.mark_bar(stroke="var(--paper)", strokeWidth=1).encode(
                x=alt.X("from:Q", scale=scale, axis=axis),
                x2=alt.X2("to"),
                color=alt.Color(
                    "stage:N", title=None, scale=Scale(domain=list(stages), range=colours)
                ),
                tooltip=told(group="at", row="device", stage="stage", seconds="seconds"),
            ),
            *halo(
                base.encode(x=alt.X("to:Q", scale=scale, axis=axis), text=alt.Text("label:N")),
                align="left",
                dx=6,
            ),
        ]
        return layout.chart(layout.data(values), layers, step=24)

    return make


def _pieces(bar: StageBar, stages: Sequence[str]) -> list[tuple[str, Values]]:
    """Each stage from where the one before it ended; the last one carries the text."""
    ends = list(accumulate(bar.stages))
    texts = [""] * (len(ends) - 1) + [bar.text]
    return [
        (
            bar.row,
            {"stage": stage, "seconds": seconds, "from": end - seconds, "to": end, "label": text},
        )
        for stage, seconds, end, text in zip(stages, bar.stages, ends, texts, strict=True)
    ]


@dataclass(frozen=True)
class CeilingBar:
    """A row.

    Attributes:
        row: its key, of `labelled.row_key`.
        speedup: the largest that there can be, over what was measured.
        text: the same, as it stands beside the bar.
        limit: what it follows from.
    """

    row: str
    speedup: float
    text: str
    limit: str


def ceiling_bars(
    bars: Sequence[CeilingBar], headings: Sequence[Heading], ends: tuple[float, float], title: str
) -> Make:
    """A function from the width in pixels to the chart.

    Args:
        bars: the rows.
        headings: what stands at the left of them.
        ends: the least and the largest speedup of all figures that are looked at in turn.
        title: of the axis.
    """

    def make(width: int) -> Chart:
        layout = LabelledRows(headings, width, longest=280)
        wide = width > ROOMY
        said = [bar.text + (f" · {bar.limit}" if wide else "") for bar in bars]
        low, high = min(ends[0], 1.0) / 1.1, max(ends[1], 2.0)
        room = min((max(map(text_width, said, [13.0] * len(said))) + 20) / layout.inner, 0.6)
        domain = (low, high * (high / low) ** (room / (1 - room)))
        ticks = fitting(decades(low, high, 8), factor_text, domain, layout.inner, log=True)
        x = alt.X(
            "speedup:Q",
            scale=Scale(type="log", domain=list(domain), nice=False),
            axis=ticked(ticks, factor_text, title=wrapped(title, width), domain=False),
        )
        base = Layer().encode(y=layout.axis)
        layers = [
            base.mark_bar(
                fill="var(--paper)", stroke="var(--ink)", strokeWidth=1.5, strokeDash=[4, 3],
                height={"band": 0.6},
            ).encode(x=x, x2=alt.X2("base")),
            base.mark_tick(thickness=1.5, size=26, color="var(--ink)").encode(x=alt.X("base:Q")),
            base.mark_text(align="left", dx=8).encode(x=x, text=alt.Text("label:N")),
        ]  # fmt: skip
        values = [
            (bar.row, {"speedup": bar.speedup, "base": 1.0, "label": text})
            for bar, text in zip(bars, said, strict=True)
        ]
        return layout.chart(layout.data(values), layers, step=26)

    return make
