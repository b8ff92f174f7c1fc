"""Stacked bars, linear and from 0: where the time goes before the work is warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import rows
from accelreport.report.charts.scales import time_axis


@dataclass(frozen=True)
class Bar:
    """One device at one point: seconds of each stage, in order, and the text at its end."""

    point: str
    series: str
    stages: tuple[float, ...]
    text: str


def cold_bars(bars: Sequence[Bar], *, points: Sequence[str], axis_title: str) -> Any:
    """A function from the width in pixels to the chart; stages take colours p0, p1, …"""
    names = list(dict.fromkeys(bar.series for bar in bars))
    longest = max(sum(bar.stages) for bar in bars)

    def make(width: int) -> Any:
        plot = width - 130
        room = min(plot - 60, max(7 * len(bar.text) for bar in bars) + 14)
        high = longest * plot / (plot - room)
        scale, axis = time_axis(0, high, log=False, title=axis_title, most=7 if width > 500 else 5)
        y = alt.Y(
            "point:N",
            sort=list(points),
            scale=alt.Scale(domain=list(points), paddingInner=0.3, paddingOuter=0.2),
            axis=alt.Axis(title=None, domain=False, ticks=False, labelColor="var(--ink)"),
        )
        offset = alt.YOffset(
            "series:N", sort=names, scale=alt.Scale(domain=names, paddingInner=0.22)
        )
        x = alt.X("from:Q", scale=scale, axis=axis)
        return (
            alt.layer(
                alt.Chart(rows(_pieces(bars)))
                .mark_bar(stroke="var(--paper)", strokeWidth=1)
                .encode(
                    x=x, x2="to:Q", y=y, yOffset=offset,
                    fill=alt.Fill("colour:N", scale=None, legend=None),
                ),
                alt.Chart(rows([_end(bar) for bar in bars]))
                .mark_text(align="left", dx=6)
                .encode(x=x, y=y, yOffset=offset, text="text:N"),
            )
            .properties(width=width, height={"step": 26, "for": "offset"})
            .properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        )  # fmt: skip

    return make


def _pieces(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    pieces = []
    for bar in bars:
        start = 0.0
        for stage, seconds in enumerate(bar.stages):
            end = start + seconds
            pieces.append(
                {
                    "point": bar.point,
                    "series": bar.series,
                    "from": start,
                    "to": end,
                    "colour": f"var(--p{stage})",
                }
            )
            start = end
    return pieces


def _end(bar: Bar) -> dict[str, Any]:
    return {
        "point": bar.point,
        "series": bar.series,
        "from": sum(bar.stages),
        "text": bar.text,
    }
