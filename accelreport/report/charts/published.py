"""A published figure (◇) and what was measured (●), joined by one rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import FILL, STROKE, Make, Plot, channel
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import (
    decades,
    fitting,
    label_expression,
    log_domain,
    nice_ticks,
    wants_log,
    wrapped,
)
from accelreport.report.lettering import text_width
from accelreport.report.theme import series

LONGEST_WIDE, LONGEST_NARROW = 260, 165
"""Pixels of a row's name, on a screen and on a telephone."""


@dataclass(frozen=True)
class Pair:
    """One published figure; `measured` is None where there is nothing of ours."""

    row: str
    colour: int
    published: float
    measured: float | None
    low: float | None
    high: float | None
    comparable: bool


def published_pairs(
    pairs: Sequence[Pair], *, axis_title: str, text: Callable[[float], str]
) -> Make:
    """A function from the width in pixels to the chart, one row for each figure.

    A figure from other conditions is drawn with a dashed outline and a dashed rule.
    """
    values = [p.published for p in pairs]
    values += [v for p in pairs for v in (p.measured, p.low, p.high) if v is not None]
    log = wants_log(values, 4)

    def make(width: int) -> Spec:
        plot = Plot()
        low, high = log_domain(values, 1.25) if log else (0.0, max(values) * 1.06)
        most = 7 if width > 500 else 3
        ticks = decades(low, high, most) if log else nice_ticks(low, high, most)
        limit = LONGEST_WIDE if width > 500 else LONGEST_NARROW
        ends = (low, high) if log else (ticks[0], max(ticks[-1], high))
        names = min(limit, max(text_width(p.row, 11) for p in pairs))
        ticks = fitting(ticks, text, ends, width - names - 20, log=log)
        scale = alt.Scale(type="log" if log else "linear", domain=list(ends), nice=False)
        title = axis_title + (" (log scale)" if log else "")
        axis = alt.Axis(
            values=ticks, labelExpr=label_expression(ticks, text), title=wrapped(title, width - 140)
        )
        x = alt.X("published:Q", scale=scale, axis=axis)
        order = [p.row for p in pairs]
        y = alt.Y(
            "row:N",
            sort=order,
            scale=alt.Scale(domain=order),
            axis=alt.Axis(
                title=None, domain=False, ticks=False, labelColor="var(--ink)",
                labelLimit=limit,
            ),
        )  # fmt: skip
        layers = _layers(plot, pairs, x, y)
        return plot.finish(layers, width=width, height={"step": 30}, left=order, limit=limit)

    return make


def _layers(plot: Plot, pairs: Sequence[Pair], x: alt.X, y: alt.Y) -> list[Any]:
    def along(field: str) -> alt.X:
        # Every layer has the same scale: layers would else unite their domains.
        return alt.X(f"{field}:Q", scale=x["scale"], axis=x["axis"])

    layers: list[Any] = []
    for comparable, dash in ((True, [1, 0]), (False, [3, 3])):
        some = [_row(p) for p in pairs if p.comparable is comparable]
        both = [row for row in some if row["measured"] is not None]
        paired, every = plot.rows(both), plot.rows(some)
        layers += [
            paired
            .mark_rule(strokeWidth=1.5, strokeDash=dash, opacity=0.7)
            .encode(x=x, x2=channel(alt.X2, "measured:Q"), y=y, stroke=STROKE),
            every
            .mark_point(
                shape="diamond", size=120, fill="var(--paper)", strokeWidth=2,
                strokeDash=dash, opacity=1,
            )
            .encode(x=x, y=y, stroke=STROKE),
            paired
            .mark_rule(strokeWidth=4, opacity=0.4)
            .encode(x=along("low"), x2=channel(alt.X2, "high:Q"), y=y, stroke=STROKE),
            paired
            .mark_point(filled=True, size=90, opacity=1)
            .encode(
                x=along("measured"), y=y,
                fill=FILL,
            ),
        ]  # fmt: skip
    return layers


def _row(pair: Pair) -> dict[str, Any]:
    known = pair.low is not None and pair.high is not None
    return {
        "row": pair.row,
        "colour": series(pair.colour),
        "published": pair.published,
        "measured": pair.measured,
        "low": pair.low if known else pair.measured,
        "high": pair.high if known else pair.measured,
    }
