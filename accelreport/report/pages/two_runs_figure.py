"""The drawing of two runs side by side: how many times as fast the new one is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from accelreport.analysis.comparison import ComparisonRow, benchmark
from accelreport.report import formatting
from accelreport.report.charts.drawing import Named, panel
from accelreport.report.charts.labelled import Heading, row_key
from accelreport.report.charts.speedup import Mark, speedup_dots
from accelreport.report.model import Figure, Key
from accelreport.report.text import label
from accelreport.report.theme import COLOURS
from accelreport.report.words import axis_title

MOST_DOTS = 40
"""Rows of the drawing; the table has all."""


def inverse(row: ComparisonRow) -> tuple[float, float | None, float | None] | None:
    """OLD's time over NEW's with its interval; None where there is no ratio."""
    if not row.ratio:
        return None
    if not row.low or not row.high:
        return 1 / row.ratio, None, None
    return 1 / row.ratio, 1 / row.high, 1 / row.low


def faster_figure(rows: Sequence[ComparisonRow]) -> Figure:
    """Dots with intervals, under the name of each benchmark.

    Args:
        rows: rows that were compared, those of a benchmark one after another.
    """
    devices = {
        name: Named(label(name, 60), number)
        for number, name in enumerate(dict.fromkeys(row.device for row in rows))
    }
    headings, marks = [], []
    for number, (name, own) in enumerate(groupby(rows[:MOST_DOTS], benchmark)):
        shown = list(own)
        headings.append(Heading(label(name, 60), tuple(_name(row) for row in shown)))
        for i, row in enumerate(shown):
            found = inverse(row)
            if found is None:
                continue
            value, low, high = found
            marks.append(
                Mark(
                    row=row_key(number, i),
                    device=devices[row.device],
                    value=value,
                    low=value if low is None else low,
                    high=value if high is None else high,
                    text=formatting.ratio(value, low, high),
                )
            )
    drawn = panel(
        speedup_dots(marks, [], headings=headings, axis_title="times as fast as old (log scale)"),
        prefix="tr",
        title="How many times as fast the new run is",
        description="; ".join(f"{_name(row)}: {_text(row)}" for row in rows[:12]),
    )
    return Figure(
        id="faster-dots",
        title="How many times as fast as the old run",
        caption=(
            "Marks are factors, bars their 95 % intervals; a mark without a bar has none. The "
            "scale is logarithmic to base 2, so twice and half as fast lie equally far from 1×."
        ),
        panels=(drawn,),
        keys=tuple(Key(label(name, 60), f"s{i % COLOURS}") for i, name in enumerate(devices)),
    )


def place_of(row: ComparisonRow) -> str:
    """A sweep point in words: "batch size 64, units 32"; empty without axes."""
    return ", ".join(f"{axis_title(key)} {label(value, 30)}" for key, value in row.point.items())


def _name(row: ComparisonRow) -> str:
    where = place_of(row)
    return label(f"{row.device} · {where}" if where else row.device, 60)


def _text(row: ComparisonRow) -> str:
    found = inverse(row)
    return "no factor" if found is None else formatting.ratio(*found)
