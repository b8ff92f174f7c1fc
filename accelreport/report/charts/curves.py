"""Quality against training time: a line for the median, a band over seeds, the target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report import formatting
from accelreport.report.charts.drawing import (
    FILL,
    SHAPE,
    STROKE,
    Make,
    Plot,
    channel,
    dash,
    dashes,
    halo_text,
    inner_width,
    worn,
)
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import label_expression, nice_ticks, time_axis, wants_log
from accelreport.report.theme import series


@dataclass(frozen=True)
class Curve:
    """One device: for each epoch the median elapsed seconds and value, and the range."""

    colour: int
    elapsed_s: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    pattern: int = 0


@dataclass(frozen=True)
class Crossing:
    """The first point of a line that fulfils the target."""

    colour: int
    elapsed_s: float
    value: float
    text: str


@dataclass(frozen=True)
class Axes:
    """What all panels of a figure share."""

    elapsed: tuple[float, float]
    values: tuple[float, float]
    log: bool
    percent: bool
    title: str
    target: float | None
    levels: int = 0
    """Lines of labels kept free above the curves."""


def shared_axes(curves: Sequence[Curve], *, percent: bool, target: float | None) -> Axes:
    """Axes that hold every curve, so that panels can be compared."""
    times = [t for curve in curves for t in curve.elapsed_s if t > 0]
    values = [v for curve in curves for v in (*curve.low, *curve.high)]
    values += [target] if target is not None else []
    log = wants_log([curve.elapsed_s[-1] for curve in curves], 6)
    start = min(times) / 1.3 if log else 0.0
    return Axes(
        elapsed=(start, max(times) * (1.35 if log else 1.08)),
        values=(min(values), max(values)),
        log=log,
        percent=percent,
        title="training time",
        target=target,
    )


def value_text(value: float, *, percent: bool) -> str:
    """A tick of the quality axis."""
    if not percent:
        return f"{value:.6f}".rstrip("0").rstrip(".") or "0"
    return f"{100 * value:.6f}".rstrip("0").rstrip(".") + f"{formatting.SPACE}%"


def axis_note(axes: Axes) -> str:
    """Where the quality axis starts, unless it is 0."""
    start = nice_ticks(*axes.values, 5)[0]
    return f"; the axis starts at {value_text(start, percent=axes.percent)}" if start > 0 else ""


HEIGHT = 230
"""Height of a chart in a row of several, its axis of time included."""
AXIS = 45
"""Height of the axis of time."""
LINE = 15
"""Pixels a line of labels takes above the curves."""


def learning_curves(curves: Sequence[Curve], crossings: Sequence[Crossing], axes: Axes) -> Make:
    """A function from the width in pixels to the chart.

    Times at which the target was reached stand above the curves, at the ends of thin
    rules, on as many lines as it takes for them not to touch.
    """

    def make(width: int) -> Spec:
        plot = Plot()
        low, high = axes.values
        ticks = nice_ticks(low, high, 5)
        names = [value_text(tick, percent=axes.percent) for tick in ticks]
        levels = _staggered(crossings, axes, inner_width(width, names))
        top = max(ticks[-1], high)
        room = axes.levels * LINE + (5 if axes.levels else 0)
        roof = top + (top - ticks[0]) * room / (HEIGHT - AXIS - room)
        y_scale = alt.Scale(domain=[ticks[0], roof], nice=False, zero=False)
        text = label_expression(ticks, lambda v: value_text(v, percent=axes.percent))
        y_axis = alt.Axis(values=ticks, labelExpr=text, domain=False, ticks=False, title=None)
        x_scale, x_axis = time_axis(
            *axes.elapsed, log=axes.log, title=axes.title, most=6 if width > 350 else 5
        )
        x_axis.grid = False
        x = alt.X("t:Q", scale=x_scale, axis=x_axis)

        def y(field: str) -> Any:
            return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

        data = plot.rows(_points(curves))
        layers = [
            data.mark_area(opacity=0.18, line=False).encode(
                x=x,
                y=y("low"),
                y2=channel(alt.Y2, "high:Q"),
                fill=FILL,
                detail=channel(alt.Detail, "curve:N"),
            ),
            data.mark_line().encode(
                x=x,
                y=y("v"),
                stroke=STROKE,
                detail=channel(alt.Detail, "curve:N"),
                **dashes(curves),
            ),
            data.mark_point(filled=True, size=32, opacity=1).encode(
                x=x, y=y("v"), fill=FILL, shape=SHAPE
            ),
        ]
        if axes.target is not None:
            target = plot.rows([{"v": axes.target}])
            rule = target.mark_rule(stroke="var(--ink)", strokeWidth=1, strokeDash=[4, 3])
            layers = [rule.encode(y=y("v")), *layers]
        for level, group in enumerate(levels):
            height = roof - (roof - top) * (level + 0.5) / max(axes.levels, 1)
            layers += _reached(plot.rows(_ends(group, height)), x, y)
        height = HEIGHT - AXIS + (50 if width > 500 else 0)
        return plot.finish(layers, width=width, height=height, left=names)

    return make


def _reached(labels: Any, x: Any, y: Callable[[str], Any]) -> list[Any]:
    """Rings where the target was reached, rules from them, and the times at their ends."""
    return [
        labels.mark_rule(strokeWidth=1).encode(
            x=x, y=y("v"), y2=channel(alt.Y2, "end:Q"), stroke=STROKE
        ),
        labels.mark_point(shape="circle", size=64, strokeWidth=2.25, opacity=1).encode(
            x=x, y=y("v"), stroke=STROKE, fill=alt.value("var(--paper)")
        ),
        *halo_text(labels, x=x, y=y("end"), align="center", fontWeight="bold"),
    ]


def _ends(crossings: Sequence[Crossing], height: float) -> list[dict[str, Any]]:
    """Crossings whose labels stand at one height."""
    return [
        {"t": c.elapsed_s, "v": c.value, "end": height, "text": c.text, "colour": series(c.colour)}
        for c in crossings
    ]


def _points(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    return [
        {"curve": i, "t": t, "v": v, "low": low, "high": high, "dash": dash(curve.pattern),
         **worn(curve.colour)}
        for i, curve in enumerate(curves)
        for t, v, low, high in zip(
            curve.elapsed_s, curve.value, curve.low, curve.high, strict=True
        )
    ]  # fmt: skip


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
