"""A drawn line without the points that nobody can see.

Ramer (1972) and Douglas and Peucker (1973): a point is left out where the line without it
passes within a tolerance.
"""

from __future__ import annotations

import math
import re

TOLERANCE = 0.15
"""Pixels, less than a screen or a printer shows."""
SHORT = 12
"""Points up to which a line is left as it is."""

_LINE = re.compile(r"M-?[\d.]+,-?[\d.]+(?:L-?[\d.]+,-?[\d.]+)+")

Point = tuple[float, float]


def simpler(path: str) -> str:
    """An SVG path of straight lines with fewer points; any other path as it is."""
    if path.count("L") < SHORT or not _LINE.fullmatch(path):
        return path
    texts = path[1:].split("L")
    points = [(float(x), float(y)) for x, y in (text.split(",") for text in texts)]
    return "M" + "L".join(texts[index] for index in _kept(points))


def _kept(points: list[Point]) -> list[int]:
    """Numbers of the points that stay, in order."""
    kept = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        furthest, distance = _furthest(points, first, last)
        if distance > TOLERANCE:
            kept.add(furthest)
            parts += [(first, furthest), (furthest, last)]
    return sorted(kept)


def _furthest(points: list[Point], first: int, last: int) -> tuple[int, float]:
    """The point furthest from the straight line between two, and its distance in pixels."""
    (x1, y1), (x2, y2) = points[first], points[last]
    dx, dy = x2 - x1, y2 - y1
    length = math.hypot(dx, dy)
    best, most = first, 0.0
    for index in range(first + 1, last):
        x, y = points[index]
        across = abs(dx * (y - y1) - dy * (x - x1)) / length if length else 0.0
        along = ((x - x1) * dx + (y - y1) * dy) / length if length else 0.0
        if along < 0 or along > length or not length:
            across = min(math.hypot(x - x1, y - y1), math.hypot(x - x2, y - y2))
        if across > most:
            best, most = index, across
    return best, most
