"""Dots with intervals on a base-2 logarithmic scale whose origin is 1×."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import (
    ROOMY,
    Chart,
    Device,
    Devices,
    Make,
    halo,
    told,
)
from accelreport.report.charts.labelled import Heading, LabelledRows, Values
from accelreport.report.charts.scales import factor_text, powers_of_two, ticked, wrapped
from accelreport.report.charts.text_metrics import text_width

ROOM = 60
"""Pixels kept free at the right for the value printed beside each interval."""


@dataclass(frozen=True)
class Mark:
    """One device at one sweep point; ends that are not numbers make no interval."""

    row: str
    device: Device
    value: float
    low: float
    high: float
    text: str

    @property
    def ends(self) -> tuple[float, float]:
        """From where to where the interval is drawn."""
        known = [end for end in (self.low, self.high, self.value) if end == end]
        return min(known), max(known)


@dataclass(frozen=True)
class Absence:
    """A row without a speedup, and why in a few words."""

    row: str
    text: str


def speedup_dots(
    marks: Sequence[Mark],
    absences: Sequence[Absence],
    *,
    headings: Sequence[Heading],
    axis_title: str,
) -> Make:
    """A function from the width in pixels to the chart.

    Rows are devices under sweep points. An absence is written where its dot would be, so
    that nothing is dropped silently.
    """
    ends = [1.0, *(end for mark in marks for end in mark.ends)]
    devices = Devices(mark.device for mark in marks)
    longest = max((text_width(each.text, 12.5) for each in absences), default=0.0)
    values = _values(marks, absences, devices)

    def make(width: int) -> Chart:
        layout = LabelledRows(headings, width)
        low, high = _domain(ends, layout.inner, longest)
        ticks = powers_of_two(low, high, 9 if width > ROOMY else 5)
        scale = alt.Scale(type="log", base=2, domain=[low, high], nice=False)
        at_one = {"condition": {"test": "datum.value == 1", "value": "var(--soft)"}}
        axis = ticked(
            ticks, factor_text, title=wrapped(axis_title, int(layout.inner)),
            gridColor=at_one | {"value": "var(--grid)"},
        )  # fmt: skip
        base = alt.Chart().encode(y=layout.axis)

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
        absent = base.encode(x=x("origin"), text=alt.Text("absent:N"))
        layers = [
            measured.mark_rule(strokeWidth=3, opacity=0.45).encode(x=x("low"), x2=alt.X2("high")),
            measured.mark_point(size=95).encode(x=x("speedup"), **devices.channels("shape")),
            *halo(named, align="left", dx=9, fontWeight="bold"),
            *halo(absent, align="left", dx=8, fontStyle="italic", fill="var(--soft)"),
        ]
        return layout.chart(layout.data(values), layers, step=23)

    return make


def _values(
    marks: Sequence[Mark], absences: Sequence[Absence], devices: Devices
) -> list[tuple[str, Values]]:
    """Each row's name and what stands in it."""
    values: list[tuple[str, Values]] = [
        (
            mark.row,
            {
                "device": devices.name(mark.device),
                "speedup": mark.value,
                **dict(zip(("low", "high"), mark.ends, strict=True)),
                "label": mark.text,
            },
        )
        for mark in marks
    ]
    return values + [(gone.row, {"absent": gone.text, "origin": 1.0}) for gone in absences]


def _domain(ends: Sequence[float], inner: float, longest: float) -> tuple[float, float]:
    """Holds every interval, ½×, 1× and 2×, with room for the texts at the right.

    Args:
        ends: ends of the intervals, and 1.
        inner: pixels between the axes.
        longest: pixels of the longest reason, which begins at 1×.
    """
    low, high = min(ends) / 1.15, max(ends) * 1.15
    high *= (high / low) ** (ROOM / (inner - ROOM))
    low, high = min(low, 0.49), max(high, 2.2)
    share = min((longest + 10) / inner, 0.7)
    return low, max(high, (1 / low) ** (share / (1 - share)))
