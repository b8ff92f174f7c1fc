"""Distributions: the share of step times that are at most so long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    LINE_OF_ITS_OWN,
    ROOMY,
    Chart,
    DeviceStyle,
    Layer,
    dashed,
    inner_width,
    left_axis,
    marked,
    rows,
)
from accelreport.report.charts.scales import (
    Scale,
    percent_text,
    starts_at_zero,
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


def step_ecdf(curves: Sequence[Distribution], *, axis_title: str, width: int) -> Chart:
    """The chart.

    The axis ends at the 99th percentile of the slowest device: a single stall would
    otherwise press everything else to the left. The caption says so.

    Args:
        curves: a line each.
        shown: the devices of the whole figure.
        axis_title: what the times are.
        width: pixels in all.
    """
    log = _wide(curves)
    low, high = _ends(curves)
    data = rows(
        [
            {"seconds": seconds, "share": i / (QUANTILES - 1)}
            | marked(curve.device, "", _line_text(curve))
            for curve in curves
            for i, seconds in enumerate(curve.seconds)
            if (seconds >= low or i == 0) and seconds <= high
        ]
    )

    scale, axis = time_axis(low, high, log=log, title=axis_title, most=MOST_TICKS, grid=False)
    lines = (
        Layer(data)
        .mark_line()
        .encode(
            x=alt.X("seconds:Q", scale=scale | {"clamp": True}, axis=axis),
            y=alt.Y("share:Q", scale=Scale(domain=[0, 1]), axis=left_axis(SHARES, percent_text)),
            **LINE_OF_ITS_OWN,
            **dashed(curve.device for curve in curves),
        )
    )
    inner = inner_width(width, [percent_text(share) for share in SHARES])
    return Chart([lines], inner, 225 if width > ROOMY else 175)


def _line_text(curve: Distribution) -> str:
    """What pointing at a line tells."""
    last = quantity.duration(curve.seconds[int(0.99 * (QUANTILES - 1))])
    median = quantity.duration(curve.median)
    return f"{curve.device.title}: median {median}, 99th percentile {last}"
