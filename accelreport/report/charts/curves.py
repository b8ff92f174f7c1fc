"""Quality against training time: a line for the median, a band over seeds, the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report import formatting
from accelreport.report.charts.drawing import rows
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


@dataclass(frozen=True)
class Crossing:
    """Where a device reached the target."""

    colour: int
    elapsed_s: float
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


def shared_axes(
    curves: Sequence[Curve], *, title: str, percent: bool, target: float | None
) -> Axes:
    """Axes that hold every curve, so that panels can be compared."""
    times = [t for curve in curves for t in curve.elapsed_s if t > 0]
    values = [v for curve in curves for v in (*curve.low, *curve.high)]
    values += [target] if target is not None else []
    log = wants_log([curve.elapsed_s[-1] for curve in curves], 6)
    start = min(times) / 1.3 if log else 0.0
    return Axes(
        elapsed=(start, max(times) * (1.15 if log else 1.03)),
        values=(min(values), max(values)),
        log=log,
        percent=percent,
        title=title,
        target=target,
    )


def value_text(value: float, *, percent: bool) -> str:
    """A tick of the quality axis."""
    if not percent:
        return f"{value:.6f}".rstrip("0").rstrip(".") or "0"
    return f"{100 * value:.6f}".rstrip("0").rstrip(".") + f"{formatting.SPACE}%"


def learning_curves(curves: Sequence[Curve], crossings: Sequence[Crossing], axes: Axes) -> Any:
    """A function from the width in pixels to the chart."""

    def make(width: int) -> Any:
        low, high = axes.values
        ticks = nice_ticks(low, high, 5)
        title = axes.title
        if ticks[0] > 0:
            title += f" (axis starts at {value_text(ticks[0], percent=axes.percent)})"
        y_scale = alt.Scale(domain=[ticks[0], max(ticks[-1], high)], nice=False, zero=False)
        text = label_expression(ticks, lambda v: value_text(v, percent=axes.percent))
        y_axis = alt.Axis(
            values=ticks, labelExpr=text, domain=False, ticks=False,
            title=title, titleAngle=0, titleAlign="left", titleAnchor="start", titleX=0,
            titleY=-12, titleBaseline="bottom",
        )  # fmt: skip
        x_scale, x_axis = time_axis(*axes.elapsed, log=axes.log, title="training time")
        x_axis.grid = False
        x = alt.X("t:Q", scale=x_scale, axis=x_axis)
        y = alt.Y("v:Q", scale=y_scale, axis=y_axis)
        data = alt.Chart(rows(_points(curves)))
        layers = [
            data.mark_area(opacity=0.18, line=False).encode(
                x=x,
                y=alt.Y("low:Q", scale=y_scale, axis=y_axis),
                y2="high:Q",
                fill=alt.Fill("colour:N", scale=None, legend=None),
                detail="curve:N",
            ),
            data.mark_line().encode(
                x=x, y=y, stroke=alt.Stroke("colour:N", scale=None, legend=None), detail="curve:N"
            ),
            data.mark_point(filled=True, size=26, opacity=1).encode(
                x=x, y=y, fill=alt.Fill("colour:N", scale=None, legend=None)
            ),
        ]
        if axes.target is not None:
            layers += _target(axes.target, crossings, x, y, axes, width)
        return (
            alt.layer(*layers)
            .properties(width=width, height=300 if width > 500 else 250)
            .properties(autosize=alt.AutoSizeParams(type="fit", contains="padding"))
        )

    return make


def _points(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    return [
        {"curve": i, "t": t, "v": v, "low": low, "high": high, "colour": series(curve.colour)}
        for i, curve in enumerate(curves)
        for t, v, low, high in zip(
            curve.elapsed_s, curve.value, curve.low, curve.high, strict=True
        )
    ]  # fmt: skip


def _target(
    target: float, crossings: Sequence[Crossing], x: Any, y: Any, axes: Axes, width: int
) -> list[Any]:
    rule = alt.Chart(rows([{"v": target}])).mark_rule(
        stroke="var(--ink)", strokeWidth=1, strokeDash=[4, 3]
    )
    layers = [rule.encode(y=y)]
    marks = [
        {"t": c.elapsed_s, "v": target, "text": c.text, "colour": series(c.colour)}
        for c in crossings
    ]
    layers.append(
        alt.Chart(rows(marks))
        .mark_point(shape="circle", size=70, fill="var(--paper)", strokeWidth=2.5, opacity=1)
        .encode(x=x, y=y, stroke=alt.Stroke("colour:N", scale=None, legend=None))
    )
    for level, group in enumerate(_staggered(marks, axes, width)):
        labels = alt.Chart(rows(group)).encode(x=x, y=y, text="text:N")
        dy = 15 + 15 * level
        layers += [
            labels.mark_text(
                dy=dy, dx=4, align="left", stroke="var(--paper)", strokeWidth=4, strokeJoin="round"
            ),
            labels.mark_text(dy=dy, dx=4, align="left", fontWeight="bold"),
        ]
    return layers


def _staggered(
    marks: list[dict[str, Any]], axes: Axes, width: int, room: int = 58
) -> list[list[dict[str, Any]]]:
    """Labels by level, so that two in one level are never nearer than `room` pixels."""
    start, end = axes.elapsed

    def pixel(seconds: float) -> float:
        if axes.log:
            return width * math.log(seconds / start) / math.log(end / start)
        return width * (seconds - start) / (end - start)

    levels: list[list[dict[str, Any]]] = []
    for mark in sorted(marks, key=lambda each: each["t"]):
        for level in levels:
            if pixel(mark["t"]) - pixel(level[-1]["t"]) >= room:
                level.append(mark)
                break
        else:
            levels.append([mark])
    return levels
