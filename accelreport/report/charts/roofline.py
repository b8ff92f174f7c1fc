"""Rooflines: what each device can do at an intensity, and where the measured steps stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    COLOUR,
    LABEL_SIZE,
    ROOMY,
    SHAPE,
    Chart,
    DeviceStyle,
    Layer,
    dashed,
    halo,
    inner_width,
    left_axis,
    marked,
    rows,
)
from accelreport.report.charts.place import Box, along, place
from accelreport.report.charts.scales import Scale, decades, log_domain, plain, ticked
from accelreport.report.text import text_width

LINE = 16
"""Pixels from one line of text to the next."""
MOST_TEXTS = 12
"""Spots that are named."""
MARK = 7
"""Pixels that a mark takes to each side of its middle."""


@dataclass(frozen=True)
class Roof:
    """A device's limits: peak in 10¹² operations a second, bandwidth in 10⁹ bytes a second."""

    device: DeviceStyle
    tflops: float
    gbps: float

    @property
    def ridge(self) -> float:
        """The intensity from which arithmetic is the limit, in operations a byte."""
        return self.tflops * 1000 / self.gbps


@dataclass(frozen=True)
class Spot:
    """A measured step: its intensity, what it reached, and a text beside it (may be empty)."""

    device: DeviceStyle
    intensity: float
    tflops: float
    text: str = ""


@dataclass(frozen=True)
class Plane:
    """The plot: both axes logarithmic, in data and in pixels from its upper left corner."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Where a value stands."""
        across = math.log(x / self.x[0]) / math.log(self.x[1] / self.x[0])
        up = math.log(y / self.y[0]) / math.log(self.y[1] / self.y[0])
        return across * self.width, (1 - up) * self.height

    def values(self, across: float, down: float) -> tuple[float, float]:
        """What stands at a place."""
        x = self.x[0] * (self.x[1] / self.x[0]) ** (across / self.width)
        return x, self.y[0] * (self.y[1] / self.y[0]) ** (1 - down / self.height)


def roofline_chart(
    roofs: Sequence[Roof], spots: Sequence[Spot], *, x_title: str, width: int
) -> Chart:
    """The chart, both axes logarithmic."""
    y_ends = log_domain([*(roof.tflops for roof in roofs), *(spot.tflops for spot in spots)], 2)
    x_ends = log_domain([*(each.ridge for each in roofs), *(each.intensity for each in spots)], 3)
    y_ticks = decades(*y_ends, 6)
    labels = [plain(tick) for tick in y_ticks]

    plane = Plane(
        x_ends, y_ends, inner_width(width, labels),
        300 if width > ROOMY else 240,
    )  # fmt: skip
    x_ticks = decades(*plane.x, 8 if width > ROOMY else 4)
    x_axis = ticked(x_ticks, plain, title=f"{x_title} (log scale)", grid=False)
    x = alt.X(
        "x:Q", axis=x_axis,
        scale=Scale(type="log", domain=list(plane.x), nice=False, clamp=True),
    )  # fmt: skip
    y_scale = Scale(type="log", domain=list(y_ends), nice=False, clamp=True)
    y = alt.Y("y:Q", scale=y_scale, axis=left_axis(y_ticks, plain))
    at = {"x": x, "y": y}
    lines = Layer(rows(_lines(roofs, plane)))
    dots = Layer(rows([_dot(spot) for spot in spots]))
    texts = Layer(rows(_texts(roofs, spots, plane)))
    layers = [
        lines.mark_line(strokeWidth=2).encode(
            **at, **COLOUR, **dashed(roof.device for roof in roofs), detail=alt.Detail("line:N")
        ),
        dots.mark_point(size=85).encode(**at, **COLOUR, **SHAPE),
        halo(texts.encode(**at, text=alt.Text("label:N"))),
    ]
    return Chart(layers, plane.width, plane.height)


def _corners(roof: Roof, plane: Plane) -> list[tuple[float, float]]:
    start = max(plane.x[0], plane.y[0] / roof.gbps * 1000)
    slope = roof.gbps / 1000
    return [(start, start * slope), (roof.ridge, roof.tflops), (plane.x[1], roof.tflops)]


def _lines(roofs: Sequence[Roof], plane: Plane) -> list[dict[str, Any]]:
    return [
        {"line": number, "x": x, "y": y}
        | marked(roof.device, "", f"{roof.device.title}: measured roof")
        for number, roof in enumerate(roofs)
        for x, y in _corners(roof, plane)
    ]


def _texts(roofs: Sequence[Roof], spots: Sequence[Spot], plane: Plane) -> list[dict[str, Any]]:
    """Texts of spots: under, over or beside them."""
    named = [spot for spot in spots if spot.text]
    taken = [
        Box.around(*plane.pixels(spot.intensity, spot.tflops), 2 * MARK, 2 * MARK) for spot in spots
    ]
    for roof in roofs:
        taken += along([plane.pixels(*corner) for corner in _corners(roof, plane)])
    middles = []
    for spot in named:
        across, down = plane.pixels(spot.intensity, spot.tflops)
        beside = text_width(spot.text, LABEL_SIZE) / 2 + MARK + 4
        shifts = ((0, LINE), (0, -LINE), (beside, 0), (-beside, 0))
        middles.append([(across + right, down + lower) for right, lower in shifts])
    boxes = [
        [Box.around(x, y, text_width(spot.text, LABEL_SIZE), LINE) for x, y in own]
        for spot, own in zip(named, middles, strict=True)
    ]
    places = place(boxes, taken, Box(0, -LINE, plane.width, plane.height), MOST_TEXTS)
    return [
        {"label": spot.text, **dict(zip(("x", "y"), plane.values(*own[at]), strict=True))}
        | marked(spot.device, "")
        for spot, own, at in zip(named, middles, places, strict=True)
        if at is not None
    ]


def _dot(spot: Spot) -> dict[str, Any]:
    return {
        "x": spot.intensity,
        "y": spot.tflops,
        **marked(spot.device, _spot_text(spot)),
    }


def _spot_text(spot: Spot) -> str:
    """What pointing at a spot tells."""
    name = ", ".join(filter(None, (spot.device.title, spot.text)))
    reached, intensity = quantity.number(spot.tflops), quantity.number(spot.intensity)
    return f"{name}: {reached} TFLOPS at {intensity} operations a byte"
