"""Dots with intervals on a base-2 logarithmic scale whose origin is 1×."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import rows
from accelreport.report.charts.scales import factor_text, label_expression, powers_of_two
from accelreport.report.theme import series

ROOM = 64
"""Pixels kept free at the right for the value printed beside each interval."""


@dataclass(frozen=True)
class Mark:
    """One device at one sweep point."""

    point: str
    series: str
    colour: int
    value: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Absence:
    """A device that has no speedup at a sweep point, and why in a few words."""

    point: str
    series: str
    text: str


def speedup_dots(
    marks: Sequence[Mark], absences: Sequence[Absence], *, points: Sequence[str], axis_title: str
) -> Any:
    """A function from the width in pixels to the chart.

    Rows are sweep points, and within them devices. An absence is written where its dot
    would be, so that nothing is dropped silently.
    """
    ends = [1.0, *(end for m in marks for end in (m.low, m.high, m.value))]
    names = list(dict.fromkeys([m.series for m in marks] + [a.series for a in absences]))

    def make(width: int) -> Any:
        plot = width - 130
        low, high = min(ends) / 1.15, max(ends) * 1.15
        high *= (high / low) ** (ROOM / (plot - ROOM))
        if high / low < 3:
            low, high = min(low, 0.7), max(high, 2.2)
        ticks = powers_of_two(low, high, 9 if width > 500 else 6)
        scale = alt.Scale(type="log", base=2, domain=[low, high], nice=False)
        x_axis = alt.Axis(
            values=ticks,
            labelExpr=label_expression(ticks, factor_text),
            title=axis_title,
            orient="bottom",
        )
        x = alt.X("value:Q", scale=scale, axis=x_axis)
        y = alt.Y(
            "point:N",
            sort=list(points),
            scale=alt.Scale(domain=list(points), paddingInner=0.35, paddingOuter=0.2),
            axis=alt.Axis(title=None, domain=False, ticks=False, labelColor="var(--ink)"),
        )
        offset = alt.YOffset("series:N", sort=names, scale=alt.Scale(domain=names))
        data = alt.Chart(rows([_row(m) for m in marks]))
        colour = alt.Color("colour:N", scale=None, legend=None)
        layers = [
            alt.Chart(rows([{"value": 1.0}]))
            .mark_rule(stroke="var(--soft)", strokeWidth=1.25)
            .encode(x=x),
            data.mark_rule(strokeWidth=3, opacity=0.45).encode(
                x=alt.X("low:Q", scale=scale, axis=x_axis), x2="high:Q", y=y, yOffset=offset,
                stroke=alt.Stroke("colour:N", scale=None, legend=None),
            ),
            data.mark_point(filled=True, size=95, opacity=1).encode(
                x=x, y=y, yOffset=offset, color=colour
            ),
            data.mark_text(align="left", dx=9, fontWeight="bold").encode(
                x=alt.X("end:Q", scale=scale, axis=x_axis), y=y, yOffset=offset, text="text:N"
            ),
        ]  # fmt: skip
        if absences:
            gone = [{"point": a.point, "series": a.series, "text": a.text} for a in absences]
            layers.append(
                alt.Chart(rows(gone))
                .mark_text(align="left", dx=8, fontStyle="italic", fill="var(--soft)")
                .encode(
                    x=alt.datum(1.0, scale=scale, type="quantitative"),
                    y=y,
                    yOffset=offset,
                    text="text:N",
                )
            )
        return (
            alt.layer(*layers)
            .properties(width=width, height={"step": 24, "for": "offset"})
            .properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        )

    return make


def _row(mark: Mark) -> dict[str, Any]:
    known = mark.low == mark.low and mark.high == mark.high
    return {
        "point": mark.point,
        "series": mark.series,
        "colour": series(mark.colour),
        "value": mark.value,
        "low": mark.low if known else mark.value,
        "high": mark.high if known else mark.value,
        "end": mark.high if known else mark.value,
        "text": mark.text,
    }
