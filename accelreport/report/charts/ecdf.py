"""Distributions: the share of step times, of errors or of shares that are at most so large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from accelreport.report.charts.drawing import (
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
from accelreport.report.charts.scales import (
    Scale,
    decades,
    fitting,
    nice_ticks,
    percent_text,
    starts_at_zero,
    ticked,
    time_axis,
    wants_log,
)

QUANTILES = 101
"""Points of a curve: enough for any screen, however many steps there were."""
MOST_TICKS = 5
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Ticks of the vertical axis."""


@dataclass(frozen=True)
class Distribution:
    """One device: the quantiles of its step times, in seconds."""

    device: DeviceStyle
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The time that half of the steps take at most."""
        return self.seconds[QUANTILES // 2]


def quantiles(seconds: NDArray[np.float64]) -> tuple[float, ...]:
    """So many quantiles of step times, from the smallest to the largest."""
    found = np.quantile(seconds, np.linspace(0, 1, QUANTILES))
    return tuple(float(value) for value in found)


def starts_late(curves: Sequence[Distribution]) -> bool:
    """Whether the axis of time is linear and does not start at 0."""
    return not _wide(curves) and not starts_at_zero(*_ends(curves), MOST_TICKS)


def _wide(curves: Sequence[Distribution]) -> bool:
    return wants_log([curve.median for curve in curves], 4)


def _ends(curves: Sequence[Distribution]) -> tuple[float, float]:
    first = min(curve.seconds[1] for curve in curves)
    last = max(curve.seconds[int(0.99 * (QUANTILES - 1))] for curve in curves)
    if _wide(curves):
        return first / 1.1, last * 1.1
    return max(0.0, first * 0.97), last * 1.02


def step_ecdf(
    curves: Sequence[Distribution], *, shown: Sequence[DeviceStyle], axis_title: str
) -> Make:
    """A function from the width in pixels to the chart.

    The axis ends at the 99th percentile of the slowest device: a single stall would
    otherwise press everything else to the left. The caption says so.

    Args:
        curves: a line each.
        shown: the devices of the whole figure.
        axis_title: what the times are.
    """
    log = _wide(curves)
    low, high = _ends(curves)
    devices = Devices(shown)
    data = rows(
        [
            {"device": devices.name(curve.device), "seconds": seconds, "share": i / (QUANTILES - 1)}
            for curve in curves
            for i, seconds in enumerate(curve.seconds)
            if (seconds >= low or i == 0) and seconds <= high
        ]
    )

    def make(width: int) -> Chart:
        scale, axis = time_axis(low, high, log=log, title=axis_title, most=MOST_TICKS, grid=False)
        scale.clamp = True
        lines = Layer(data).mark_line()
        return alt.layer(
            lines.encode(
                x=alt.X("seconds:Q", scale=scale, axis=axis),
                y=alt.Y(
                    "share:Q",
                    scale=Scale(domain=[0, 1]),
                    axis=left_axis(SHARES, percent_text),
                ),
                **devices.channels("color", "strokeDash"),
                tooltip=told(device="device", seconds="time (s)", share="share of steps"),
            ),
            width=inner_width(width, [percent_text(share) for share in SHARES]),
            height=225 if width > ROOMY else 175,
        )

    return make


@dataclass(frozen=True)
class Goal:
    """Where a curve should have come: the least share of what is at most so large, and its name."""

    value: float
    share: float
    text: str


def shares_ecdf(
    values: Sequence[float], goals: Sequence[Goal], *, axis_title: str, log: bool
) -> Make:
    """A function from the width in pixels to the chart of one distribution of shares.

    Args:
        values: shares, positive where `log`; never none.
        goals: hollow marks; the curve reaches one where it passes at its left or above it.
        axis_title: what the shares are of.
        log: whether the axis is logarithmic, and ends at 100 %.
    """
    ordered = sorted(values)
    low = ordered[0] / 1.3 if log else 0.0
    high = 1.0 if log else 1.25 * max(ordered[-1], *(goal.value for goal in goals))
    steps = [(low, 0.0), *((v, (i + 1) / len(ordered)) for i, v in enumerate(ordered)), (high, 1.0)]
    data = rows([{"value": value, "share": share} for value, share in steps])
    marks = rows([{"value": g.value, "share": g.share, "label": g.text} for g in goals])

    def make(width: int) -> Chart:
        inner = inner_width(width, [percent_text(share) for share in SHARES])
        every = decades(low, high, 8) if log else nice_ticks(0, high / 1.25)
        ticks = fitting(every, percent_text, (low, high), inner, log=log)
        kind = "log" if log else "linear"
        x = alt.X(
            "value:Q",
            scale=Scale(type=kind, domain=[low, high], nice=False),
            axis=ticked(ticks, percent_text, title=axis_title, grid=False),
        )
        y = alt.Y("share:Q", scale=Scale(domain=[0, 1]), axis=left_axis(SHARES, percent_text))
        curve = Layer(data).mark_line(interpolate="step-after", stroke="var(--ink)")
        goal = Layer(marks).encode(x=x, y=y)
        hollow = {"shape": "diamond", "filled": False, "fill": "var(--paper)"}
        layers = [curve.encode(x=x, y=y)]
        if goals:
            layers += [
                goal.mark_point(size=110, stroke="var(--ink)", strokeWidth=2, **hollow),
                *halo(goal.encode(text=alt.Text("label:N")), align="left", dx=10, dy=12),
            ]
        return alt.layer(*layers, width=inner, height=225 if width > ROOMY else 175)

    return make
