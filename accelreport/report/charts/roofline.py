"""Rooflines: what each device can do at an intensity, and where the measured steps stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    Make,
    halo,
    inner_width,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import Scale, decades, log_domain, plain, ticked
from accelreport.report.text import text_width

LINE = 16
"""Pixels from one line of text to the next."""
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


@dataclass(frozen=True)
class Box:
    """A part of the plot that is taken, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two overlap."""
        return not (
            self.right <= other.left
            or other.right <= self.left
            or self.bottom <= other.top
            or other.bottom <= self.top
        )


def roofline_chart(roofs: Sequence[Roof], spots: Sequence[Spot], *, x_title: str) -> Make:
    """A function from the width in pixels to the chart, both axes logarithmic."""
    devices = Devices([*(roof.device for roof in roofs), *(spot.device for spot in spots)])
    y_ends = log_domain([*(roof.tflops for roof in roofs), *(spot.tflops for spot in spots)], 2)
    y_ticks = decades(*y_ends, 6)
    labels = [plain(tick) for tick in y_ticks]

    def make(width: int) -> Chart:
        plane = Plane(
            _across(roofs, spots, width), y_ends, inner_width(width, labels),
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
        names = _names(roofs, devices, plane)
        at = {"x": x, "y": y}
        color = devices.channels("color")
        lines = Layer(rows(_lines(roofs, devices, plane)))
        dots = Layer(rows([_dot(spot, devices) for spot in spots]))
        texts = Layer(rows(list(_texts(roofs, spots, names, plane))))
        over = Layer(rows(names))
        tips = told(device="device", label="at", x=x_title, y="TFLOPS")
        return alt.layer(
            lines.mark_line(strokeWidth=2).encode(
                **at, **color, **devices.channels("strokeDash"), detail=alt.Detail("line:N")
            ),
            dots.mark_point(size=85).encode(
                **at, **color, **devices.channels("shape"), tooltip=tips
            ),
            *halo(texts.encode(**at, text=alt.Text("label:N"))),
            *halo(
                over.encode(**at, text=alt.Text("label:N")), align="right", dy=-9, fontWeight="bold"
            ),
            width=plane.width,
            height=plane.height,
        )

    return make


def _across(roofs: Sequence[Roof], spots: Sequence[Spot], width: int) -> tuple[float, float]:
    """The ends of the horizontal axis.

    A roof's name stands over its flat part, which has to be long enough for it.
    """
    ridges = [roof.ridge for roof in roofs]
    low, high = log_domain([*ridges, *(spot.intensity for spot in spots)], 3)
    longest = max(text_width(roof.device.title, LABEL_SIZE, bold=True) for roof in roofs)
    flat = min(0.75, (longest + 12) / max(width - 60, 1))
    return low, max(high, max(ridges) * (high / low) ** (flat / (1 - flat)))


def _corners(roof: Roof, plane: Plane) -> list[tuple[float, float]]:
    start = max(plane.x[0], plane.y[0] / roof.gbps * 1000)
    slope = roof.gbps / 1000
    return [(start, start * slope), (roof.ridge, roof.tflops), (plane.x[1], roof.tflops)]


def _lines(roofs: Sequence[Roof], devices: Devices, plane: Plane) -> list[dict[str, Any]]:
    return [
        {"line": number, "device": devices.name(roof.device), "x": x, "y": y}
        for number, roof in enumerate(roofs)
        for x, y in _corners(roof, plane)
    ]


def _names(roofs: Sequence[Roof], devices: Devices, plane: Plane) -> list[dict[str, Any]]:
    """Names at the right ends of the roofs, moved apart where roofs are close together."""
    gap = (plane.y[1] / plane.y[0]) ** (17 / 260)
    placed: list[dict[str, Any]] = []
    for roof in sorted(roofs, key=lambda each: each.tflops):
        height = roof.tflops
        if placed and height < placed[-1]["y"] * gap:
            height = placed[-1]["y"] * gap
        placed.append({"x": plane.x[1], "y": height, "label": devices.name(roof.device)})
    return placed


def _texts(
    roofs: Sequence[Roof], spots: Sequence[Spot], names: Sequence[dict[str, Any]], plane: Plane
) -> Iterator[dict[str, Any]]:
    """Texts of spots: under, over or beside them, wherever nothing else is drawn."""
    taken = list(_drawn(roofs, spots, plane))
    for name in names:
        right, middle = plane.pixels(name["x"], name["y"])
        width = text_width(name["label"], LABEL_SIZE, bold=True)
        taken.append(Box(right - width, middle - 9 - LINE / 2, right, middle - 9 + LINE / 2))
    for spot in spots:
        across, down = plane.pixels(spot.intensity, spot.tflops)
        half = text_width(spot.text, LABEL_SIZE) / 2
        beside = half + MARK + 4
        for right, lower in ((0, 16), (0, -16), (beside, 0), (-beside, 0)):
            x, y = across + right, down + lower
            box = Box(x - half, y - LINE / 2, x + half, y + LINE / 2)
            inside = box.left >= 0 and box.right <= plane.width and box.bottom <= plane.height
            if spot.text and inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                place = dict(zip(("x", "y"), plane.values(x, y), strict=True))
                yield {"label": spot.text, **place}
                break


def _drawn(roofs: Sequence[Roof], spots: Sequence[Spot], plane: Plane) -> Iterator[Box]:
    """What marks and roofs cover; a slope is covered in short pieces."""
    for spot in spots:
        x, y = plane.pixels(spot.intensity, spot.tflops)
        yield Box(x - MARK, y - MARK, x + MARK, y + MARK)
    for roof in roofs:
        (x0, y0), (x1, y1), (x2, _) = (plane.pixels(*corner) for corner in _corners(roof, plane))
        yield Box(x1, y1 - 2, x2, y1 + 2)
        pieces = max(1, int(abs(y1 - y0) // 4))
        for i in range(pieces):
            left, right = (x0 + (x1 - x0) * k / pieces for k in (i, i + 1))
            low, high = (y0 + (y1 - y0) * k / pieces for k in (i, i + 1))
            yield Box(left - 1, min(low, high) - 1, right + 1, max(low, high) + 1)


def _dot(spot: Spot, devices: Devices) -> dict[str, Any]:
    return {
        "device": devices.name(spot.device),
        "x": spot.intensity,
        "y": spot.tflops,
        "label": spot.text,
    }
