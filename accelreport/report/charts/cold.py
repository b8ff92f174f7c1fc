"""Stacked bars, linear and from 0: where the time goes before the work is warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import FILL, Make, Plot, channel, halo_text, inner_width
from accelreport.report.charts.labelled import Heading, label_limit, labelled_rows
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import time_axis


@dataclass(frozen=True)
class Bar:
    """One row: seconds of each stage, in order, and the text at its end."""

    row: str
    stages: tuple[float, ...]
    text: str


def cold_bars(bars: Sequence[Bar], *, headings: Sequence[Heading], axis_title: str) -> Make:
    """A function from the width in pixels to the chart, whose stages are p0, p1 and on."""
    layout = labelled_rows(headings)
    longest = max(sum(bar.stages) for bar in bars)

    def make(width: int) -> Spec:
        plot = Plot()
        wide = width > 500
        limit = label_limit(wide=wide)
        inner = inner_width(width, layout.labels, limit)
        high = longest * inner / (inner - 56)
        scale, axis = time_axis(0, high, log=False, title=axis_title, most=7 if wide else 4)
        scale.domain = [0, high]
        y = layout.encoding(wide=wide)
        x = alt.X("from:Q", scale=scale, axis=axis)
        return plot.finish(
            [
                plot.rows(_pieces(bars))
                .mark_bar(stroke="var(--paper)", strokeWidth=1)
                .encode(x=x, x2=channel(alt.X2, "to:Q"), y=y, fill=FILL),
                *halo_text(plot.rows([_end(bar) for bar in bars]), align="left", dx=6, x=x, y=y),
            ],
            width=width,
            height={"step": 24},
            left=layout.labels,
            limit=limit,
        )

    return make


def _pieces(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    pieces = []
    for bar in bars:
        start = 0.0
        for stage, seconds in enumerate(bar.stages):
            end = start + seconds
            colour = f"var(--p{stage})"
            pieces.append({"row": bar.row, "from": start, "to": end, "colour": colour})
            start = end
    return pieces


def _end(bar: Bar) -> dict[str, Any]:
    return {"row": bar.row, "from": sum(bar.stages), "text": bar.text}
