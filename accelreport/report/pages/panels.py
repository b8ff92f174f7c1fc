"""Which sweep points get a panel where there are many, and what figures say of their data."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.model import Badge, Key
from accelreport.report.pages.marks import number_badges

MOST_PANELS = 6
"""Panels of a figure; the table below it has every point."""


def panel_points(points: Sequence[Point], most: int = MOST_PANELS) -> list[Point]:
    """All points, or so many spread evenly from the first to the last."""
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(i * step)] for i in range(most)]


def panels_note(drawn: int, points: int) -> str:
    """The sentence that says which points are not drawn."""
    if drawn >= points:
        return ""
    return f" Drawn are {drawn} of {formatting.plural(points, 'sweep point')}; the table has all."


def keys(series: Sequence[Series]) -> tuple[Key, ...]:
    """The legend of devices."""
    return tuple(Key(each.title, each.css) for each in series)


def loud_badges(bench: Bench, *, total: bool = False) -> tuple[Badge, ...]:
    """The loud marks of all numbers in a figure, each once."""
    found: dict[str, Badge] = {}
    for series in bench.shown_series:
        for point in bench.points:
            for badge in number_badges(bench.planned(series, point), total=total):
                if badge.tone == "loud":
                    found[badge.text] = badge
    return tuple(found.values())
