"""Lines over a swept number, both axes logarithmic; a failure ends its line with a mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

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
    worn,
)
from accelreport.report.charts.layers import Spec
from accelreport.report.charts.scales import decades, label_expression, log_domain, plain
from accelreport.report.lettering import text_width
from accelreport.report.theme import series


@dataclass(frozen=True)
class SweepLine:
    """One device: the swept values, its rates with their intervals, and its name."""

    colour: int
    title: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    pattern: int = 0


@dataclass(frozen=True)
class End:
    """A device that failed at a swept value: where the mark stands and what it says."""

    colour: int
    x: float
    y: float
    text: str


def sweep_lines(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    *,
    x_title: str,
    y_text: Callable[[float], str],
) -> Make:
    """A function from the width in pixels to the chart."""
    swept = sorted({x for line in lines for x in line.x} | {end.x for end in ends})
    heights = [v for line in lines for v in (*line.low, *line.high, *line.y)]

    def make(width: int) -> Spec:
        plot = Plot()
        x_low, x_high = _across(lines, swept, width)
        low, high = log_domain([*heights, *(end.y for end in ends)], 1.3)
        ticks = decades(low, high, 6)
        shown = swept if len(swept) <= 9 else swept[:: -(-len(swept) // 9)]
        x_scale = alt.Scale(type="log", domain=[x_low, x_high], nice=False)
        x_axis = alt.Axis(
            values=shown, labelExpr=label_expression(shown, plain), title=x_title, grid=False
        )
        y_scale = alt.Scale(type="log", domain=[low, high], nice=False)
        y_axis = alt.Axis(
            values=ticks, labelExpr=label_expression(ticks, y_text), domain=False, ticks=False,
            title=None,
        )  # fmt: skip
        x = alt.X("x:Q", scale=x_scale, axis=x_axis)
        y = alt.Y("y:Q", scale=y_scale, axis=y_axis)
        data = plot.rows(_points(lines))
        marks = plot.rows([_mark(end) for end in ends])
        return plot.finish(
            [
                data.mark_line().encode(
                    x=x, y=y, stroke=STROKE, detail=channel(alt.Detail, "line:N"), **dashes(lines)
                ),
                data.mark_rule(strokeWidth=3, opacity=0.45).encode(
                    x=x,
                    y=alt.Y("low:Q", scale=y_scale, axis=y_axis),
                    y2=channel(alt.Y2, "high:Q"),
                    stroke=STROKE,
                ),
                data.mark_point(filled=True, size=60, opacity=1).encode(
                    x=x, y=y, fill=FILL, shape=SHAPE
                ),
                marks.mark_point(shape="cross", angle=45, size=120, opacity=1, filled=True).encode(
                    x=x, y=y, fill=FILL
                ),
                *halo_text(marks, x=x, y=y, dy=18, fill="var(--alert)"),
                *_named(plot, _names(lines, low, high), x, y),
            ],
            width=width,
            height=275 if width > 500 else 215,
            left=[y_text(tick) for tick in ticks],
        )

    return make


def _named(plot: Plot, names: Sequence[dict[str, Any]], x: Any, y: Any) -> list[Any]:
    """Names at the ends of lines; one that had to move away has a thread to its line."""
    moved = [name for name in names if name["label_y"] != name["y"]]
    label_y = alt.Y("label_y:Q", scale=y["scale"], axis=y["axis"])
    far = 17 if moved else 9
    threads = plot.rows(moved).mark_rule(strokeWidth=1, xOffset=5, x2Offset=far - 2)
    threads = threads.encode(
        x=x, x2=channel(alt.X2, "x2:Q"), y=y, y2=channel(alt.Y2, "label_y:Q"),
        stroke=STROKE,
    )  # fmt: skip
    rows = plot.rows(list(names))
    text = halo_text(rows, x=x, y=label_y, align="left", dx=far, fontWeight="bold")
    return [threads, *text] if moved else text


def _across(lines: Sequence[SweepLine], swept: Sequence[float], width: int) -> tuple[float, float]:
    """The swept values, with room at the right for the names of the lines."""
    low, high = log_domain(swept, 1.12)
    longest = max(text_width(line.title, 12.5, bold=True) for line in lines)
    room = (longest + 24) / max(width - 60, 1)
    return low, high * (high / low) ** (room / (1 - min(room, 0.6)))


def _points(lines: Sequence[SweepLine]) -> list[dict[str, Any]]:
    return [
        {
            "line": i,
            "x": x,
            "y": y,
            "low": low,
            "high": high,
            "dash": dash(line.pattern),
            **worn(line.colour),
        }
        for i, line in enumerate(lines)
        for x, y, low, high in zip(line.x, line.y, line.low, line.high, strict=True)
    ]


def _names(lines: Sequence[SweepLine], low: float, high: float) -> list[dict[str, Any]]:
    """Names at the ends of the lines, moved apart where lines end together."""
    gap = (high / low) ** (17 / 250)
    placed: list[dict[str, Any]] = []
    for line in sorted(lines, key=lambda each: each.y[-1]):
        height = line.y[-1]
        if placed and height < placed[-1]["label_y"] * gap:
            height = placed[-1]["label_y"] * gap
        placed.append(
            {
                "x": line.x[-1], "x2": line.x[-1], "y": line.y[-1], "label_y": height,
                "text": line.title, "colour": series(line.colour),
            }
        )  # fmt: skip
    return placed


def _mark(end: End) -> dict[str, Any]:
    return {"x": end.x, "y": end.y, "text": end.text, "colour": series(end.colour)}
