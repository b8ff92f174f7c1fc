"""Where the labels of a chart are: each where it meets nothing, or nowhere.

No label is moved along a line, broken or shortened to make room for it. One that has no place is
left to the legend or the table, which hold all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import dist
from typing import NamedTuple

import numpy as np

STEP = 4.0
"""Pixels between two points of a line that labels keep off."""


class Box(NamedTuple):
    """A rectangle in pixels, from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        """The box of such a size with its middle there."""
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def holds(self, other: Box) -> bool:
        """Whether the other lies within it."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


def along(corners: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """Small boxes that cover a line from corner to corner."""
    half = STEP / 2
    for (x, y), (x2, y2) in pairwise(corners):
        parts = max(1, round(dist((x, y), (x2, y2)) / STEP))
        left, top, across, down = x - half, y - half, (x2 - x) / parts, (y2 - y) / parts
        for part in range(parts):
            at, below = left + across * part, top + down * part
            yield Box(at, below, at + STEP, below + STEP)
    for x, y in corners[-1:]:
        yield Box.around(x, y, STEP, STEP)


def place(
    labels: Iterable[Sequence[Box]], taken: Iterable[Box], within: Box, budget: int
) -> list[int | None]:
    """Which of its places each label takes: the first that meets neither a mark nor a label.

    Args:
        labels: the boxes that each may have, best first; the labels that matter most first.
        taken: what is drawn already.
        within: the edges.
        budget: the largest number of labels.

    Returns:
        The number of the place of each label; None for one that is left out.
    """
    occupied, places = np.array([*taken], dtype=float).reshape(-1, 4), list[int | None]()

    def is_free(box: Box) -> bool:
        left, top, right, bottom = occupied.T
        across = np.maximum(left, box.left) < np.minimum(right, box.right)
        down = np.maximum(top, box.top) < np.minimum(bottom, box.bottom)
        return not (across & down).any()

    for boxes in labels:
        free = (
            number
            for number, box in enumerate(boxes)
            if budget and within.holds(box) and is_free(box)
        )
        at = next(free, None)
        if at is not None:
            occupied = np.vstack([occupied, boxes[at]])
            budget -= 1
        places.append(at)
    return places


def moved_apart(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Ascending places between 0 and `end`, as little moved as keeps them a gap apart.

    Where there is no room for all of them, the gaps between them are equal.
    """
    gap = min(gap, end / max(len(places) - 1, 1))
    # Without the gaps before it, no place may lie before the one before: those that would share
    # their mean (isotonic regression by pooling neighbours).
    pools: list[tuple[float, int]] = []
    for number, wanted in enumerate(places):
        mean, count = wanted - number * gap, 1
        while pools and pools[-1][0] > mean:
            before, several = pools.pop()
            mean = (before * several + mean * count) / (several + count)
            count += several
        pools.append((mean, count))
    last = end - gap * (len(places) - 1)
    firsts = [min(max(mean, 0.0), last) for mean, count in pools for _ in range(count)]
    return [first + number * gap for number, first in enumerate(firsts)]
