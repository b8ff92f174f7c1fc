"""Rows with their names at the left: speedups as dots, and cold starts as bars."""

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
    factor_text,
    powers_of_two,
    shortened,
    ticked,
    time_axis,
    wrapped,
)

Values = dict[str, object]
LONGEST, LONGEST_NARROW = 260, 150
"""Pixels that a name may take, on a page and on a telephone; the table has it whole."""


@dataclass(frozen=True)
class Heading:
    """A sweep point and the names of its rows; nothing stands above them if it is empty."""

    title: str
    names: tuple[str, ...]


def row_key(point: int, name: int) -> str:
    """The key of a row: the numbers of its heading and of its name."""
    return f"{point}.{name}"


class LabelledRows:
    """The vertical axis of a chart of rows.

    Args:
        headings: from the top.
        width: of the chart, in pixels.
    """

    def __init__(self, headings: Sequence[Heading], width: int) -> None:
        self._groups = dict(zip(distinct([each.title for each in headings]), headings, strict=True))
        self._places: dict[str, Values] = {}
        for number, (group, heading) in enumerate(self._groups.items()):
            for i, name in enumerate(distinct(heading.names)):
                self._places[row_key(number, i)] = {"group": group, "row": name}
        self._names = list(dict.fromkeys(str(place["row"]) for place in self._places.values()))
        self._alike = len({heading.names for heading in headings}) == 1
        """Whether all headings stand over the same names."""
        self._limit = LONGEST if width > ROOMY else LONGEST_NARROW
        self.inner = inner_width(width, self._names, self._limit)
        """Pixels between the axes."""

    @property
    def axis(self) -> alt.Y:
        """The names of the rows, in order."""
        domain = self._names if self._alike else alt.Undefined
        return alt.Y(
            "row:N",
            sort=None,
            scale=Scale(paddingInner=0.3, paddingOuter=0.1, domain=domain),
            axis={
                "title": None, "domain": False, "ticks": False, "labelColor": "var(--ink)",
                **shortened(self._names, self._limit, LABEL_SIZE),
                **extent(self._names, self._limit),
            },
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
            step: pixels from one row to the next.
        """
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
