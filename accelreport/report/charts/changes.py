"""Differences of shares, such as accuracies, in percentage points: a row each, beside no change."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from accelreport.report.charts.dots import Dot
from accelreport.report.charts.drawing import (
    COLOUR,
    LABEL_SIZE,
    LEFT,
    RIGHT,
    SHAPE,
    Chart,
    Layer,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.scales import Scale, fitting, nice_ticks, plain, ticked
from accelreport.report.text import text_width

GAP = 10.0
"""Pixels between a name, the axis and a text."""
ROW, FOOT, HEAD = 26.0, 50.0, 20.0
"""Pixels of a row, which may be twice as high, of the axis with its title, and of a name."""


def changes_chart(
    changes: Sequence[Dot],
    axis_title: str,
    limit: float | None,
    width: int,
    height: int,
) -> Chart:
    """The chart.

    Args:
        changes: in percentage points; never none.
        axis_title: what changes.
        limit: a change that a claim is about, as a dashed line.
        width: pixels in all.
        height: pixels in all, or more where the rows need more.
    """
    edge = width - LEFT - RIGHT
    left = max(text_width(row.name, LABEL_SIZE, bold=True) for row in changes) + GAP
    right = edge - max(text_width(row.text, LABEL_SIZE, bold=True) for row in changes) - GAP
    known = [0.0] if limit is None else [0.0, limit]
    values = [*known, *(end for row in changes for end in (row.low, row.high))]
    ticks = nice_ticks(min(values), max(values), 4)
    ends = ticks[0], ticks[-1]
    shown = fitting(ticks, plain, ends, right - left, log=False, inside=False)
    scale = Scale(domain=list(ends), range=[left, right], nice=False)
    axis = ticked(shown, plain, title=axis_title, domain=False, grid=True, ticks=False)
    pitch = min(max(ROW, (height - FOOT - HEAD) / len(changes)), 2 * ROW)
    bottom = HEAD + pitch * len(changes)
    places = [HEAD + pitch * (number + 0.5) for number in range(len(changes))]
    y = alt.Y("y:Q", scale=Scale(domain=[0, 1], range=[0, 1]), axis=None)
    x = alt.X("x:Q", scale=scale, axis=axis)
    marks = [
        {"y": at, "x": row.value, "low": row.low, "high": row.high}
        | marked(row.device, f"{row.name}: {row.text}")
        for row, at in zip(changes, places, strict=True)
    ]
    solid = Layer(rows([mark for mark, row in zip(marks, changes, strict=True) if not row.hollow]))
    hollow = Layer(rows([mark for mark, row in zip(marks, changes, strict=True) if row.hollow]))
    lines = [{"x": value, "y": HEAD, "end": bottom} for value in known]
    upright = {"x": x, "y": y, "y2": alt.Y2("end")}
    across = {"x": alt.X("low:Q", scale=scale, axis=axis), "x2": alt.X2("high"), "y": y}
    layers = [
        Layer(rows(lines[:1])).mark_rule(stroke="var(--soft)").encode(**upright),
        Layer(rows(lines[1:])).mark_rule(strokeDash=[4, 3], strokeWidth=1.5).encode(**upright),
        Layer(rows(marks)).mark_rule(strokeWidth=2.5).encode(**across, **COLOUR),
        solid.mark_point(size=90).encode(x=x, y=y, **COLOUR, **SHAPE),
        hollow.mark_point(
            filled=False, size=90, fill="var(--paper)", strokeWidth=2
        ).encode(x=x, y=y, **COLOUR, **SHAPE),
    ]  # fmt: skip
    bold = {"fontWeight": "bold", "fontSize": LABEL_SIZE}
    for at, align, texts in ((0.0, "left", "name"), (edge, "right", "text")):
        named = [
            ({"y": y_at, "label": getattr(row, texts)}, bold | {"align": align})
            for row, y_at in zip(changes, places, strict=True)
        ]
        layers += text_layers(named, x=alt.XValue(at), y=y)
    named = [
        ({"x": limit, "y": HEAD / 2, "label": f"limit {plain(limit)}"}, {"align": "left", "dx": -4})
        for limit in known[1:]
    ]
    return Chart([*layers, *text_layers(named, x=x, y=y)], round(edge, 1), round(bottom, 1))
