"""Dots with intervals on a base-2 logarithmic scale whose origin is 1×."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    FILL,
    SHAPE,
    STROKE,
    Make,
    Plot,
    channel,
    halo_text,
    inner_width,
    worn,
)
from accelreport.report.charts.labelled import Heading, label_limit, labelled_rows
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import (
    factor_text,
    label_expression,
    powers_of_two,
    wrapped,
)
from accelreport.report.lettering import text_width

ROOM = 60
"""Pixels kept free at the right for the value printed beside each interval."""


@dataclass(frozen=True)
class Mark:
    """One device at one sweep point."""

    row: str
    colour: int
    value: float
    low: float
    high: float
    text: str


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
    ends = [1.0, *(end for mark in marks for end in _ends(mark))]
    layout = labelled_rows(headings)
    longest = max((text_width(each.text, 12.5) for each in absences), default=0.0)

    def make(width: int) -> Spec:
        plot = Plot()
        wide = width > 500
        limit = label_limit(wide=wide)
        inner = inner_width(width, layout.labels, limit)
        low, high = _domain(ends, inner, longest)
        ticks = powers_of_two(low, high, 9 if wide else 5)
        scale = alt.Scale(type="log", base=2, domain=[low, high], nice=False)
        text = label_expression(ticks, factor_text)
        axis = alt.Axis(values=ticks, labelExpr=text, title=wrapped(axis_title, int(inner)))
        y = layout.encoding(wide=wide)
        data = plot.rows([_row(mark) for mark in marks])
        gone = [{"row": each.row, "text": each.text, "value": 1.0} for each in absences]

        def x(field: str) -> Any:
            return alt.X(f"{field}:Q", scale=scale, axis=axis)

        return plot.finish(
            [
                plot.rows([{"value": 1.0}])
                .mark_rule(stroke="var(--soft)", strokeWidth=1.25)
                .encode(x=x("value")),
                data.mark_rule(strokeWidth=3, opacity=0.45).encode(
                    x=x("low"), x2=channel(alt.X2, "high:Q"), y=y, stroke=STROKE
                ),
                data.mark_point(filled=True, size=95, opacity=1).encode(
                    x=x("value"), y=y, fill=FILL, shape=SHAPE
                ),
                *halo_text(
                    data, align="left", dx=9, fontWeight="bold", x=x("high"), y=y
                ),
                *halo_text(
                    plot.rows(gone), align="left", dx=8, fontStyle="italic",
                    fill="var(--soft)", x=x("value"), y=y,
                ),
            ],
            width=width,
            height={"step": 23},
            left=layout.labels,
            limit=limit,
        )  # fmt: skip

    return make


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


def _ends(mark: Mark) -> list[float]:
    return [v for v in (mark.low, mark.high, mark.value) if v == v]


def _row(mark: Mark) -> dict[str, Any]:
    ends = _ends(mark)
    return {
        "row": mark.row,
        **worn(mark.colour),
        "value": mark.value,
        "low": min(ends),
        "high": max(ends),
        "text": mark.text,
    }
