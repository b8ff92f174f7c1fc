"""Ceilings as hollow bars, the form that nothing measured has: the most a speedup could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import ROOMY, Chart, Layer, Make
from accelreport.report.charts.labelled import Heading, LabelledRows
from accelreport.report.charts.scales import (
    Scale,
    decades,
    factor_text,
    fitting,
    ticked,
    wrapped,
)
from accelreport.report.charts.text_metrics import text_width


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
