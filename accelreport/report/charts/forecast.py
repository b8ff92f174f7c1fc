"""A series, what a model said of it, and its misses shaded between the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.curves import moved_apart
from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    Chart,
    Device,
    drawable,
    extent,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import nice_ticks, plain, ticked
from accelreport.report.charts.text_metrics import text_width
from accelreport.report.theme import series

CAME, SAID = "what came", "forecast"
"""Names of the two lines."""
SMALL = 300
"""A chart that is not wider is a thumbnail."""


@dataclass(frozen=True)
class Track:
    """One target, at equal steps of time.

    Attributes:
        days: time of each value, in days since the first that is drawn.
        true: what came.
        predicted: what the model had said of it.
        device: where the model ran.
    """

    days: Sequence[float]
    true: Sequence[float]
    predicted: Sequence[float]
    device: Device


def forecast_lines(track: Track, axis_title: str, width: int, height: int) -> Chart:
    """The chart.

    Args:
        track: two values at least.
        axis_title: of the axis of time.
        width: pixels in all.
        height: pixels in all.
    """
    small = width <= SMALL
    last = track.days[-1]
    values = [value for value in (*track.true, *track.predicted) if drawable(value)] or [0.0]
    ticks = nice_ticks(min(values), max(values), 2 if small else 4)
    x_ticks = [tick for tick in nice_ticks(0, last, 4 if width <= ROOMY else 7) if tick <= last]
    ends = 0.0 if small else max(text_width(t, LABEL_SIZE, bold=True) for t in (CAME, SAID)) + 10
    room = extent([plain(tick) for tick in ticks])["minExtent"]
    inner, tall = round(width - 10 - room - ends, 1), height - (24 if small else 52)
    titled = None if small else axis_title
    x_scale = alt.Scale(domain=[0, last], nice=False)
    x_axis = ticked(x_ticks, plain, title=titled, grid=False)
    x = alt.X("day:Q", scale=x_scale, axis=x_axis)
    y_scale = alt.Scale(domain=[ticks[0], ticks[-1]], nice=False)
    y_axis = left_axis(ticks, plain)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    data = rows(
        [
            {"day": day, "true": true, "predicted": predicted, "miss": abs(true - predicted)}
            for day, true, predicted in zip(track.days, track.true, track.predicted, strict=True)
        ]
    )
    base = alt.Chart(data).encode(x=x)
    colour = series(track.device.colour)
    tips = told(day=axis_title, true=CAME, predicted=SAID, miss="miss")
    layers = [
        base.mark_area(fill="var(--alert)", opacity=0.22, line=False).encode(
            y=y("true"), y2=alt.Y2("predicted")
        ),
        base.mark_line(stroke="var(--ink)", strokeWidth=1.25).encode(y=y("true")),
        base.mark_line(stroke=colour, strokeWidth=2.25).encode(y=y("predicted"), tooltip=tips),
    ]
    if not small:
        layers += _names(track, (ticks[0], ticks[-1]), tall, x_scale, y_scale)
    return alt.layer(*layers, width=inner, height=tall)


def _names(
    track: Track, ends: tuple[float, float], tall: float, x_scale: alt.Scale, y_scale: alt.Scale
) -> list[alt.Chart]:
    """The names of the lines behind their last values."""
    first, last = ends
    lasts = [(CAME, track.true[-1]), (SAID, track.predicted[-1])]
    shown = sorted(((n, v) for n, v in lasts if drawable(v)), key=lambda each: -each[1])
    places = [tall * (last - value) / (last - first) for _, value in shown]
    at = moved_apart(places, LABEL_SIZE + 3, tall)
    values = [
        {"day": track.days[-1], "at": last - (last - first) * place / tall, "label": name}
        for (name, _), place in zip(shown, at, strict=True)
    ]
    text = alt.Chart(rows(values)).mark_text(align="left", dx=7, fontWeight="bold")
    return [
        text.encode(
            x=alt.X("day:Q", scale=x_scale),
            y=alt.Y("at:Q", scale=y_scale),
            text=alt.Text("label:N"),
        )
    ]
