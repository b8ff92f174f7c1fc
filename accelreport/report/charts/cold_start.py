"""Stacked bars, linear and from 0: where the time goes before the work is warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import altair as alt

from accelreport.report.charts.drawing import ROOMY, Chart, Make, halo, told
from accelreport.report.charts.labelled import Heading, LabelledRows, Values
from accelreport.report.charts.scales import time_axis


@dataclass(frozen=True)
class Bar:
    """One row: seconds of each stage, in order, and the text at its end."""

    row: str
    stages: tuple[float, ...]
    text: str


def cold_bars(
    bars: Sequence[Bar], *, stages: Sequence[str], headings: Sequence[Heading], axis_title: str
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
        base = alt.Chart().encode(y=layout.axis)
        layers = [
            base.mark_bar(stroke="var(--paper)", strokeWidth=1).encode(
                x=alt.X("from:Q", scale=scale, axis=axis),
                x2=alt.X2("to"),
                color=alt.Color(
                    "stage:N", title=None, scale=alt.Scale(domain=list(stages), range=colours)
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


def _pieces(bar: Bar, stages: Sequence[str]) -> list[tuple[str, Values]]:
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
