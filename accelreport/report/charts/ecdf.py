"""The distribution of step times: the share of steps that took at most so long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from accelreport.report.charts.drawing import STROKE, Make, Plot, channel, dash, dashes
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import (
    label_expression,
    plain,
    starts_at_zero,
    time_axis,
    wants_log,
)
from accelreport.report.theme import series

QUANTILES = 201
"""Points of a curve: enough for any screen, however many steps there were."""
MOST_TICKS = 5


@dataclass(frozen=True)
class Distribution:
    """One device: the quantiles of its step times, in seconds."""

    colour: int
    seconds: tuple[float, ...]
    pattern: int = 0


def quantiles(seconds: NDArray[np.float64]) -> tuple[float, ...]:
    """The 201 quantiles of step times, from the smallest to the largest."""
    found = np.quantile(seconds, np.linspace(0, 1, QUANTILES))
    return tuple(float(value) for value in found)


def starts_late(curves: Sequence[Distribution]) -> bool:
    """Whether the axis of time is linear and does not start at 0."""
    return not _wide(curves) and not starts_at_zero(*_ends(curves), MOST_TICKS)


def _wide(curves: Sequence[Distribution]) -> bool:
    return wants_log([curve.seconds[QUANTILES // 2] for curve in curves], 4)


def _ends(curves: Sequence[Distribution]) -> tuple[float, float]:
    first = min(curve.seconds[1] for curve in curves)
    last = max(curve.seconds[int(0.99 * (QUANTILES - 1))] for curve in curves)
    if _wide(curves):
        return first / 1.1, last * 1.1
    return max(0.0, first * 0.97), last * 1.02


def step_ecdf(curves: Sequence[Distribution], *, axis_title: str) -> Make:
    """A function from the width in pixels to the chart.

    The axis ends at the 99th percentile of the slowest device: a single stall would
    otherwise press everything else to the left. The caption says so.
    """
    log = _wide(curves)
    low, high = _ends(curves)

    def make(width: int) -> Spec:
        plot = Plot()
        scale, axis = time_axis(low, high, log=log, title=axis_title, most=MOST_TICKS)
        scale.clamp = True
        axis.grid = False
        ticks = [0, 0.25, 0.5, 0.75, 1]
        names = [f"{plain(100 * tick)} %" for tick in ticks]
        y_axis = alt.Axis(
            values=ticks, labelExpr=label_expression(ticks, lambda v: f"{plain(100 * v)} %"),
            domain=False, ticks=False, title=None,
        )  # fmt: skip
        values = [
            {
                "s": s,
                "q": i / (QUANTILES - 1),
                "colour": series(curve.colour),
                "curve": number,
                "dash": dash(curve.pattern),
            }
            for number, curve in enumerate(curves)
            for i, s in enumerate(curve.seconds)
            if (s >= low or i == 0) and s <= high
        ]
        lines = plot.rows(values).mark_line(interpolate="step-after")
        return plot.finish(
            [
                lines.encode(
                    x=alt.X("s:Q", scale=scale, axis=axis),
                    y=alt.Y("q:Q", scale=alt.Scale(domain=[0, 1]), axis=y_axis),
                    stroke=STROKE,
                    detail=channel(alt.Detail, "curve:N"),
                    **dashes(curves),
                )
            ],
            width=width,
            height=225 if width > 500 else 175,
            left=names,
        )

    return make
