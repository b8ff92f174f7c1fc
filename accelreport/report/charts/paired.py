"""The same quantity twice or more: bars under one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    Chart,
    Layer,
    marked,
    rows,
)
from accelreport.report.charts.scales import Scale
from accelreport.report.text import cut, text_width

PLAIN = "var(--p2)"
"""Of bars that something is compared with."""
TALLEST = 34.0
"""Pixels of a bar with the gap around it, at most."""
LARGEST_SHARE = 0.45
"""Of the width, which names may take."""
BETWEEN = 10.0
"""Pixels between two quantities."""


@dataclass(frozen=True)
class Bar:
    """A bar: what it is of, how long it is, and the value as it is written."""

    name: str
    value: float
    text: str
    colour: str = ""
    """As CSS says it."""
    stages: tuple[tuple[str, float, str], ...] = ()
    """What it is made of from the left: names, values and colours."""


@dataclass(frozen=True)
class Bars:
    """Bars of one quantity, from zero, and what comparing them says."""

    title: str
    bars: tuple[Bar, ...]
    verdict: str = ""


def bars_in_words(groups: Sequence[Bars]) -> str:
    """Every bar with its value, for a screen reader."""
    return "; ".join(
        f"{group.title}: " + ", ".join(f"{bar.name} {bar.text}" for bar in group.bars)
        for group in groups
    )


@dataclass
class _PlacedBars:
    """What is drawn, in pixels from the top left."""

    bars: list[dict[str, Any]] = field(default_factory=list)
    texts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By role: name, value, title, verdict."""
    bottom: float = 0.0

    def text(self, role: str, x: float, y: float, label: str) -> None:
        """Write something."""
        self.texts.setdefault(role, []).append({"x": x, "y": y, "label": label})


def paired_bars(groups: Sequence[Bars], width: int, height: int, *, shared: bool = False) -> Chart:
    """The chart.

    On a telephone verdicts stand beside the titles.

    Args:
        groups: from the top; never none.
        width: pixels in all.
        height: pixels at most.
        shared: whether all quantities have one scale; else each has its own, up to its longest bar.
    """
    wide, size = width > ROOMY, LABEL_SIZE
    every = [bar for group in groups for bar in group.bars]
    names = min(max(text_width(bar.name, size) for bar in every), LARGEST_SHARE * width)
    left = 6 + names
    texts = 8 + max(text_width(bar.text, size, bold=True) for bar in every)
    verdicts = max(text_width(group.verdict, size + 2, bold=True) for group in groups)
    inner = max(width - 10 - left - texts - (verdicts + 24 if wide else 0), 40.0)
    lines = len(every) + sum(bool(group.title) for group in groups)
    line = min((height - 8 - BETWEEN * (len(groups) - 1)) / lines, TALLEST)
    drawn = _PlacedBars()
    for group in groups:
        longest = max(bar.value for bar in (every if shared else group.bars)) or 1.0
        _place(drawn, group, line, (left, inner / longest, width - 10.0))
    mark: dict[str, dict[str, Any]] = {
        "name": {"align": "right", "dx": -6, "fill": "var(--soft)"},
        "value": {"align": "left", "dx": 6, "fontWeight": "bold"},
        "title": {"align": "left", "fontWeight": "bold"},
        "verdict": {"align": "right", "fontWeight": "bold", "fontSize": size + (2 if wide else 0)},
    }
    x_scale = Scale(domain=[0, width - 10], nice=False)
    y_scale = Scale(domain=[drawn.bottom, 0], nice=False)

    def places(x: str, y: str) -> dict[str, Any]:
        return {
            "x": alt.X(f"{x}:Q", scale=x_scale, axis=None),
            "y": alt.Y(f"{y}:Q", scale=y_scale, axis=None),
        }

    colour = alt.Color("colour:N", scale=None)
    if stages := {stage: css for bar in every for stage, _, css in bar.stages}:
        named = Scale(domain=list(stages), range=list(stages.values()))
        colour = alt.Color("label:N", title=None, scale=named)
    layers = [
        Layer(rows(drawn.bars)).mark_rect().encode(
            **places("left", "top"), x2=alt.X2("right"), y2=alt.Y2("bottom"),
            color=colour,
        )
    ]  # fmt: skip
    for role, written in drawn.texts.items():
        text = Layer(rows(written)).mark_text(**{"fontSize": size, **mark[role]})
        layers.append(text.encode(**places("x", "y"), text=alt.Text("label:N")))
    return Chart(layers, width - 10, round(drawn.bottom, 1))


def _place(
    drawn: _PlacedBars, group: Bars, line: float, columns: tuple[float, float, float]
) -> None:
    """Put one quantity under what is there.

    Args:
        drawn: what is there.
        group: the quantity.
        line: height of a bar.
        columns: where bars begin, the pixels of 1, and the end of the chart.
    """
    left, unit, right = columns
    wide = right > ROOMY - 10
    begin = drawn.bottom + (BETWEEN if drawn.bars else 0.0)
    at = begin + line * bool(group.title)
    middle = at + line * len(group.bars) / 2
    drawn.text("title", 0.0, begin + line / 2, group.title)
    drawn.text("verdict", right, middle if wide else begin + line / 2, group.verdict)
    for bar in group.bars:
        end = left
        for name, value, colour in bar.stages or ((bar.name, bar.value, bar.colour),):
            share = f", {name}: {quantity.percent(value / bar.value, 0)} of" if bar.stages else ":"
            drawn.bars.append(
                {"label": name, "colour": colour, "left": end,
                 "right": (end := end + unit * value), "top": at + line * 0.12,
                 "bottom": at + line * 0.88, **marked(None, f"{bar.name}{share} {bar.text}")}
            )  # fmt: skip
        drawn.text("name", left, at + line / 2, cut(bar.name, left - 6, LABEL_SIZE))
        drawn.text("value", end, at + line / 2, bar.text)
        at += line
    drawn.bottom = at
