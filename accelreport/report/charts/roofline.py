"""Rooflines: what each device can do at an intensity, and where the measured steps stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    dash,
    halo_text,
    inner_width,
    worn,
)
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import decades, label_expression, log_domain, plain
from accelreport.report.lettering import text_width
from accelreport.report.theme import series

LINE = 16
"""Pixels from one line of text to the next."""


@dataclass(frozen=True)
class Roof:
    """A device's limits: peak in 10¹² operations a second, bandwidth in 10⁹ bytes a second."""

    colour: int
    title: str
    tflops: float
    gbps: float
    pattern: int = 0


@dataclass(frozen=True)
class Spot:
    """A measured step: its intensity, what it reached, and a text beside it (may be empty)."""

    colour: int
    intensity: float
    tflops: float
    text: str = ""


def roofline_chart(roofs: Sequence[Roof], spots: Sequence[Spot], *, x_title: str) -> Make:
    """A function from the width in pixels to the chart, both axes logarithmic."""
    ridges = [roof.tflops * 1000 / roof.gbps for roof in roofs]
    across = [*ridges, *(spot.intensity for spot in spots)]

    def make(width: int) -> Spec:
        plot = Plot()
        x_low, x_high = log_domain(across, 3)
        longest = max(text_width(roof.title, 12.5, bold=True) for roof in roofs)
        # A roof's name stands over its flat part, which has to be long enough for it.
        flat = min(0.75, (longest + 12) / max(width - 60, 1))
        x_high = max(x_high, max(ridges) * (x_high / x_low) ** (flat / (1 - flat)))
        y_low, y_high = log_domain(
            [*(roof.tflops for roof in roofs), *(spot.tflops for spot in spots)], 2
        )
        x_ticks = decades(x_low, x_high, 8 if width > 500 else 4)
        y_ticks = decades(y_low, y_high, 6)
        x_scale = alt.Scale(type="log", domain=[x_low, x_high], nice=False, clamp=True)
        y_scale = alt.Scale(type="log", domain=[y_low, y_high], nice=False, clamp=True)
        x_axis = alt.Axis(
            values=x_ticks, labelExpr=label_expression(x_ticks, plain), title=x_title, grid=False
        )
        y_axis = alt.Axis(
            values=y_ticks, labelExpr=label_expression(y_ticks, plain), domain=False, ticks=False,
            title=None,
        )  # fmt: skip
        x = alt.X("x:Q", scale=x_scale, axis=x_axis)
        y = alt.Y("y:Q", scale=y_scale, axis=y_axis)
        dashed = alt.StrokeDash("dash:N", scale=None, legend=None)
        lines = plot.rows(_lines(roofs, x_low, x_high, y_low))
        height = 300 if width > 500 else 240
        labels = [plain(tick) for tick in y_ticks]
        named = _names(roofs, x_high, y_low, y_high)

        def pixels(at: float, high: float) -> tuple[float, float]:
            across = math.log(at / x_low) / math.log(x_high / x_low)
            up = math.log(high / y_low) / math.log(y_high / y_low)
            return across * inner_width(width, labels), (1 - up) * height

        shown = _legible(spots, named, pixels)
        dots = plot.rows([_dot(spot, shown=spot in shown) for spot in spots])
        names = plot.rows(named)
        return plot.finish(
            [
                lines.mark_line(strokeWidth=2).encode(
                    x=x, y=y, stroke=STROKE, detail=channel(alt.Detail, "line:N"), strokeDash=dashed
                ),
                dots.mark_point(filled=True, size=85, opacity=1).encode(
                    x=x, y=y, fill=FILL, shape=SHAPE
                ),
                *halo_text(dots, x=x, y=y, dy=15, fill="var(--soft)"),
                *halo_text(names, x=x, y=y, align="right", dy=-9, fontWeight="bold"),
            ],
            width=width,
            height=height,
            left=labels,
        )

    return make


def _lines(
    roofs: Sequence[Roof], x_low: float, x_high: float, y_low: float
) -> list[dict[str, Any]]:
    rows = []
    for number, roof in enumerate(roofs):
        ridge = roof.tflops * 1000 / roof.gbps
        start = max(x_low, y_low * 1000 / roof.gbps)
        corners = [(start, start * roof.gbps / 1000), (ridge, roof.tflops), (x_high, roof.tflops)]
        rows += [
            {
                "line": number,
                "x": x,
                "y": y,
                "colour": series(roof.colour),
                "dash": dash(roof.pattern),
            }
            for x, y in corners
        ]
    return rows


def _names(
    roofs: Sequence[Roof], x_high: float, y_low: float, y_high: float
) -> list[dict[str, Any]]:
    """Names at the right ends of the roofs, moved apart where roofs are close together."""
    gap = (y_high / y_low) ** (17 / 260)
    placed: list[dict[str, Any]] = []
    for roof in sorted(roofs, key=lambda each: each.tflops):
        height = roof.tflops
        if placed and height < placed[-1]["y"] * gap:
            height = placed[-1]["y"] * gap
        placed.append({"x": x_high, "y": height, "text": roof.title})
    return placed


def _legible(
    spots: Sequence[Spot],
    names: Sequence[dict[str, Any]],
    pixels: Callable[[float, float], tuple[float, float]],
) -> list[Spot]:
    """Spots whose texts, 15 pixels under them, meet neither a roof's name nor one another."""
    taken = []
    for name in names:
        right, middle = pixels(name["x"], name["y"])
        width = text_width(name["text"], 12.5, bold=True)
        taken.append((right - width, right, middle - 9))
    kept = []
    for spot in spots:
        centre, middle = pixels(spot.intensity, spot.tflops)
        half = text_width(spot.text, 12.5) / 2 + 4
        place = (centre - half, centre + half, middle + 15)
        free = all(
            place[1] < left or right < place[0] or abs(place[2] - other) > LINE
            for left, right, other in taken
        )
        if spot.text and free:
            taken.append(place)
            kept.append(spot)
    return kept


def _dot(spot: Spot, *, shown: bool) -> dict[str, Any]:
    return {
        "x": spot.intensity,
        "y": spot.tflops,
        "text": spot.text if shown else "",
        **worn(spot.colour),
    }
