"""A series and what a model said of it, with the part shaded that the model had to guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import Make, Plot, channel
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import label_expression, nice_ticks, plain
from accelreport.report.theme import series

MOST_POINTS = 500
"""Values drawn of a series; a longer one is thinned evenly, and the caption says so."""


@dataclass(frozen=True)
class Track:
    """One target.

    Attributes:
        days: time of each value, in days since the first.
        true: what was.
        predicted: what the model said.
        warm_up_days: until then the model had seen too little, and its loss was not counted.
        colour: number of the device's colour.
    """

    days: tuple[float, ...]
    true: tuple[float, ...]
    predicted: tuple[float, ...]
    warm_up_days: float
    colour: int


def thinned(count: int, most: int = MOST_POINTS) -> Sequence[int]:
    """Positions of the values that are drawn."""
    return range(0, count, -(-count // most))


def forecast_lines(track: Track, *, axis_title: str) -> Make:
    """A function from the width in pixels to the chart."""
    low = min(*track.true, *track.predicted)
    high = max(*track.true, *track.predicted)
    ticks = nice_ticks(low, high, 4)
    x_ticks = [t for t in nice_ticks(0, track.days[-1], 6) if t <= track.days[-1]]

    def make(width: int) -> Spec:
        plot = Plot()
        x = alt.X(
            "day:Q",
            scale=alt.Scale(domain=[0, track.days[-1]], nice=False),
            axis=alt.Axis(
                values=x_ticks, labelExpr=label_expression(x_ticks, plain),
                title=axis_title, grid=False,
            ),
        )  # fmt: skip
        y_axis = alt.Axis(
            values=ticks, labelExpr=label_expression(ticks, signed), domain=False, ticks=False,
            title=None,
        )  # fmt: skip
        y = alt.Y("value:Q", scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False), axis=y_axis)
        shade = plot.rows([{"day": 0.0, "end": min(track.warm_up_days, track.days[-1])}])
        lines = []
        parts = ((track.true, "var(--soft)", 1.25), (track.predicted, series(track.colour), 1.75))
        for values, colour, thick in parts:
            points = [{"day": d, "value": v} for d, v in zip(track.days, values, strict=True)]
            mark = plot.rows(points).mark_line(stroke=colour, strokeWidth=thick)
            lines.append(mark.encode(x=x, y=y))
        ground = shade.mark_rect(fill="var(--grid)", opacity=1).encode(
            x=x, x2=channel(alt.X2, "end:Q")
        )
        height, names = (165 if width > 500 else 145), [signed(tick) for tick in ticks]
        return plot.finish([ground, *lines], width=width, height=height, left=names)

    return make


def signed(value: float) -> str:
    """A tick that may be negative, with a proper minus sign."""
    return plain(abs(value)) if value >= 0 else f"−{plain(-value)}"
