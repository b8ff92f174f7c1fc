"""A series and what a model said of it, with the part shaded that the model had to guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import (
    ROOMY,
    Chart,
    Device,
    Make,
    drawable,
    inner_width,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import nice_ticks, plain, ticked
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
        device: where the model ran.
    """

    days: tuple[float, ...]
    true: tuple[float, ...]
    predicted: tuple[float, ...]
    warm_up_days: float
    device: Device


def thinned(count: int, most: int = MOST_POINTS) -> Sequence[int]:
    """Positions of the values that are drawn."""
    return range(0, count, -(-count // most))


def forecast_lines(track: Track, *, axis_title: str) -> Make:
    """A function from the width in pixels to the chart."""
    last = track.days[-1]
    values = [value for value in (*track.true, *track.predicted) if drawable(value)] or [0.0]
    ticks = nice_ticks(min(values), max(values), 4)
    x_ticks = [tick for tick in nice_ticks(0, last, 6) if tick <= last]
    tracks = {"measured": track.true, f"predicted on {track.device.title}": track.predicted}
    colours = alt.Scale(domain=list(tracks), range=["var(--soft)", series(track.device.colour)])
    thick = alt.Scale(domain=list(tracks), range=[1.25, 1.75])
    data = rows(
        [
            {"label": label, "day": day, "value": value}
            for label, track_values in tracks.items()
            for day, value in zip(track.days, track_values, strict=True)
        ]
    )

    def make(width: int) -> Chart:
        x_scale = alt.Scale(domain=[0, last], nice=False)
        x = alt.X("day:Q", scale=x_scale, axis=ticked(x_ticks, plain, title=axis_title, grid=False))
        shade = alt.Chart(rows([{"day": 0.0, "end": min(track.warm_up_days, last)}]))
        lines = alt.Chart(data).mark_line()
        return alt.layer(
            shade.mark_rect(fill="var(--grid)", opacity=1).encode(x=x, x2=alt.X2("end")),
            lines.encode(
                x=x,
                y=alt.Y(
                    "value:Q",
                    scale=alt.Scale(domain=[ticks[0], ticks[-1]], nice=False),
                    axis=left_axis(ticks, plain),
                ),
                color=alt.Color("label:N", title=None, scale=colours),
                strokeWidth=alt.StrokeWidth("label:N", title=None, scale=thick),
                tooltip=told(label="series", day=axis_title, value="value"),
            ),
            width=inner_width(width, [plain(tick) for tick in ticks]),
            height=165 if width > ROOMY else 145,
        )

    return make
