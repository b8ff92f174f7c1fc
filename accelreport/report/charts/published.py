"""A published figure (◇) and what was measured (●), joined by one rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    Chart,
    Device,
    Devices,
    Make,
    distinct,
    extent,
    inner_width,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    Axis,
    decades,
    fitting,
    log_domain,
    nice_ticks,
    shortened,
    ticked,
    wants_log,
    wrapped,
)

LONGEST_WIDE, LONGEST_NARROW = 260, 165
"""Pixels of a row's name, on a screen and on a telephone."""
LIKE, UNLIKE = "of the spec's conditions", "of other conditions"


@dataclass(frozen=True)
class Pair:
    """One published figure; `measured` is None where there is nothing of ours.

    `flagged` says that it cannot be: it contradicts arithmetic, or the chip's peak.
    """

    row: str
    device: Device
    published: float
    measured: float | None
    low: float | None
    high: float | None
    comparable: bool
    flagged: bool = False


def published_pairs(
    pairs: Sequence[Pair],
    *,
    shown: Sequence[Device],
    axis_title: str,
    text: Callable[[float], str],
    share: bool = False,
) -> Make:
    """A function from the width in pixels to the chart, one row for each figure.

    A figure from other conditions is drawn with a dashed outline and a dashed rule, and one
    that is flagged is crossed out.

    Args:
        pairs: the rows.
        shown: the devices of the whole figure.
        axis_title: what the figures are.
        text: a tick's text.
        share: whether the figures are shares, whose axis is linear and ends at 1.
    """
    names = distinct([pair.row for pair in pairs])
    devices = Devices(shown)
    data = [_row(name, pair, devices) for name, pair in zip(names, pairs, strict=True)]

    def make(width: int) -> Chart:
        limit = LONGEST_WIDE if width > ROOMY else LONGEST_NARROW
        inner = inner_width(width, names, limit)
        x_scale, x_axis = _across(pairs, axis_title, text, inner, most=7 if width > ROOMY else 3,
                                  share=share)  # fmt: skip
        left = dict(
            title=None, domain=False, ticks=False, labelColor="var(--ink)",
            **shortened(names, limit, LABEL_SIZE), **extent(names, limit),
        )  # fmt: skip
        y = alt.Y("row:N", sort=names, scale=alt.Scale(domain=names), axis=left)

        def x(field: str) -> alt.X:
            # Every layer has the same scale: layers would else unite their domains.
            return alt.X(f"{field}:Q", scale=x_scale, axis=x_axis)

        return alt.layer(*_layers(data, devices, x, y), width=inner, height=alt.Step(30))

    return make


def _across(
    pairs: Sequence[Pair],
    title: str,
    text: Callable[[float], str],
    width: float,
    *,
    most: int,
    share: bool,
) -> tuple[alt.Scale, Axis]:
    values = [p.published for p in pairs]
    values += [v for p in pairs for v in (p.measured, p.low, p.high) if v is not None]
    log = not share and wants_log(values, 4)
    low, high = log_domain(values, 1.25) if log else (0.0, max(values) * 1.06)
    ticks = decades(low, high, most) if log else nice_ticks(low, high, most)
    if share and max(values) <= 1:
        high, ticks = min(high, 1.0), [tick for tick in ticks if tick <= 1]
    ends = (low, high) if log else (ticks[0], max(ticks[-1], high))
    ticks = fitting(ticks, text, ends, width, log=log)
    scale = alt.Scale(type="log" if log else "linear", domain=list(ends), nice=False)
    whole = wrapped(title + (" (log scale)" if log else ""), int(width))
    return scale, ticked(ticks, text, title=whole)


def _layers(
    data: list[dict[str, Any]], devices: Devices, x: Callable[[str], alt.X], y: alt.Y
) -> list[alt.Chart]:
    dashes = alt.Scale(domain=[LIKE, UNLIKE], range=[[1, 0], [3, 3]])
    dash = alt.StrokeDash("conditions:N", title=None, scale=dashes)
    known = alt.Chart(rows([row for row in data if row["measured"] is not None]))
    every = alt.Chart(rows(data))
    worn = devices.channels("color")
    tips = told(row="figure", device="device", published="published", measured="measured",
                low="interval from", high="interval to")  # fmt: skip
    layers = [
        known.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
            x=x("published"), x2=alt.X2("measured"), y=y, strokeDash=dash, **worn
        ),
        every.mark_point(
            filled=False, shape="diamond", size=120, fill="var(--paper)", strokeWidth=2
        ).encode(x=x("published"), y=y, strokeDash=dash, tooltip=tips, **worn),
        known.mark_rule(strokeWidth=4, opacity=0.4).encode(
            x=x("low"), x2=alt.X2("high"), y=y, **worn
        ),
        known.mark_point(size=90).encode(x=x("measured"), y=y, tooltip=tips, **worn),
    ]
    flagged = [row for row in data if row["flagged"]]
    if flagged:
        crossed = alt.Chart(rows(flagged)).encode(x=x("published"), y=y)
        layers += [
            crossed.mark_point(shape="cross", angle=45, size=130, fill="var(--alert)"),
            crossed.mark_text(dy=-12, fill="var(--alert)").encode(text=alt.Text("flagged:N")),
        ]
    return layers


def _row(name: str, pair: Pair, devices: Devices) -> dict[str, Any]:
    known = pair.low is not None and pair.high is not None
    return {
        "row": name,
        "device": devices.name(pair.device),
        "published": pair.published,
        "measured": pair.measured,
        "low": pair.low if known else pair.measured,
        "high": pair.high if known else pair.measured,
        "conditions": LIKE if pair.comparable else UNLIKE,
        "flagged": "cannot be" if pair.flagged else "",
    }
