"""Quality against training time: a line for the median, a band over seeds, the target."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import (
    ROOMY,
    Chart,
    Device,
    Devices,
    Make,
    halo,
    inner_width,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    percent_text,
    plain,
    quality_ticks,
    time_axis,
    wants_log,
)


@dataclass(frozen=True)
class Curve:
    """One device: for each epoch the median elapsed seconds and value, and the range."""

    device: Device
    elapsed_s: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Crossing:
    """The first point of a line that fulfils the target."""

    device: Device
    elapsed_s: float
    value: float
    text: str


@dataclass(frozen=True)
class Axes:
    """What all panels of a figure share."""

    elapsed: tuple[float, float]
    ticks: tuple[float, ...]
    """Of the quality; the axis begins at the first."""
    log: bool
    percent: bool
    quality: str
    """What is learned, in words."""
    target: float | None
    shown: tuple[Device, ...]
    levels: int = 0
    """Lines of labels kept free above the curves."""

    def text(self, value: float) -> str:
        """A tick of the quality axis."""
        return percent_text(value) if self.percent else plain(value)

    @property
    def note(self) -> str:
        """Where the quality axis starts, unless it is 0."""
        start = self.ticks[0]
        return f"; the axis starts at {self.text(start)}" if start > 0 else ""


def shared_axes(
    curves: Sequence[Curve], *, quality: str, percent: bool, target: float | None
) -> Axes:
    """Axes that hold every curve, so that panels can be compared."""
    times = [t for curve in curves for t in curve.elapsed_s if t > 0]
    values = [v for curve in curves for v in (*curve.low, *curve.high)]
    values += [target] if target is not None else []
    log = wants_log([curve.elapsed_s[-1] for curve in curves], 6)
    start = min(times) / 1.3 if log else 0.0
    return Axes(
        elapsed=(start, max(times) * (1.35 if log else 1.08)),
        ticks=tuple(quality_ticks(min(values), max(values), share=percent)),
        log=log,
        percent=percent,
        quality=quality,
        target=target,
        shown=tuple(dict.fromkeys(curve.device for curve in curves)),
    )


HEIGHT = 185
"""Height of the plot of a chart in a row of several."""
LINE = 15
"""Pixels a line of labels takes above the curves."""


def learning_curves(curves: Sequence[Curve], crossings: Sequence[Crossing], axes: Axes) -> Make:
    """A function from the width in pixels to the chart.

    Times at which the target was reached stand above the curves, at the ends of thin
    rules, on as many lines as it takes for them not to touch.
    """
    devices = Devices(axes.shown)
    first, top = axes.ticks[0], axes.ticks[-1]
    room = axes.levels * LINE + (5 if axes.levels else 0)
    roof = top + (top - first) * room / (HEIGHT - room)
    names = [axes.text(tick) for tick in axes.ticks]
    points = rows(list(_points(curves, devices)))

    def make(width: int) -> Chart:
        inner = inner_width(width, names)
        y_scale = alt.Scale(domain=[first, roof], nice=False, zero=False)
        y_axis = left_axis(axes.ticks, axes.text)
        x_scale, x_axis = time_axis(
            *axes.elapsed,
            log=axes.log,
            title="training time",
            most=6 if width > 350 else 5,
            grid=False,
        )
        x = alt.X("seconds:Q", scale=x_scale, axis=x_axis)

        def y(field: str) -> alt.Y:
            return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

        base = alt.Chart(points).encode(x=x, **devices.channels("color"))
        layers = [
            base.mark_area(opacity=0.18, line=False).encode(y=y("low"), y2=alt.Y2("high")),
            base.mark_line().encode(y=y("value"), **devices.channels("strokeDash")),
            base.mark_point(size=32).encode(
                y=y("value"),
                **devices.channels("shape"),
                tooltip=told(
                    device="device", epoch="epoch", seconds="time (s)", value=axes.quality,
                    low="lowest seed", high="highest seed",
                ),
            ),
        ]  # fmt: skip
        if axes.target is not None:
            target = alt.Chart(rows([{"value": axes.target}]))
            layers.insert(0, target.mark_rule(strokeDash=[4, 3]).encode(y=y("value")))
        if crossings:
            levels = _staggered(crossings, axes, inner)
            ring = alt.Chart(rows(_reached(levels, devices, axes, roof))).encode(x=x)
            worn = ring.encode(y=y("value"), **devices.channels("color"))
            layers += [
                worn.mark_rule(strokeWidth=1).encode(y2=alt.Y2("end")),
                worn.mark_point(
                    filled=False, shape="circle", size=64, strokeWidth=2.25, fill="var(--paper)"
                ),
                *halo(
                    ring.encode(y=y("end"), text=alt.Text("label:N")),
                    align="center", fontWeight="bold",
                ),
            ]  # fmt: skip
        return alt.layer(*layers, width=inner, height=HEIGHT + (50 if width > ROOMY else 0))

    return make


def _reached(
    levels: Sequence[Sequence[Crossing]], devices: Devices, axes: Axes, roof: float
) -> list[dict[str, object]]:
    """Rows of the crossings, each with the height at which its time is written."""
    room, lines = roof - axes.ticks[-1], max(axes.levels, 1)
    return [
        _row(devices, crossing) | {"end": roof - room * (line + 0.5) / lines}
        for line, level in enumerate(levels)
        for crossing in level
    ]


def _row(devices: Devices, crossing: Crossing) -> dict[str, object]:
    return {
        "device": devices.name(crossing.device),
        "seconds": crossing.elapsed_s,
        "value": crossing.value,
        "label": crossing.text,
    }


def _points(curves: Sequence[Curve], devices: Devices) -> Iterator[dict[str, object]]:
    fields = ("seconds", "value", "low", "high")
    for curve in curves:
        columns = zip(curve.elapsed_s, curve.value, curve.low, curve.high, strict=True)
        for epoch, values in enumerate(columns, 1):
            yield {"device": devices.name(curve.device), "epoch": epoch} | dict(
                zip(fields, values, strict=True)
            )


def levels_needed(crossings: Sequence[Crossing], axes: Axes, width: int) -> int:
    """Lines of labels that a panel of this width needs."""
    return len(_staggered(crossings, axes, width - 60))


def _staggered(
    crossings: Sequence[Crossing], axes: Axes, plot: float, room: int = 56
) -> list[list[Crossing]]:
    """Labels by line, so that two in one line are never nearer than `room` pixels."""
    start, end = axes.elapsed

    def pixel(seconds: float) -> float:
        if axes.log:
            return plot * math.log(seconds / start) / math.log(end / start)
        return plot * (seconds - start) / (end - start)

    levels: list[list[Crossing]] = []
    for crossing in sorted(crossings, key=lambda each: each.elapsed_s):
        for level in levels:
            if pixel(crossing.elapsed_s) - pixel(level[-1].elapsed_s) >= room:
                level.append(crossing)
                break
        else:
            levels.append([crossing])
    return levels
