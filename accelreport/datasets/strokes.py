"""Skeletons of the synthetic images: a few lines for each class, on a unit square.

Coordinates are (x, y) with y downwards. They are meant to look like what they stand for,
so that a page with synthetic samples can be read, and to be alike in places (1 and 7, 3 and
8; T-shirt and shirt), so that a model has to learn something.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Line = tuple[tuple[float, float], ...]
"""Corners of a line."""


def _arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Line:
    """Part of an ellipse; angles in degrees, 0 to the right, growing downwards."""
    steps = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return tuple((x + rx * math.cos(a), y + ry * math.sin(a)) for a in steps)


DIGITS: tuple[tuple[Line, ...], ...] = (
    (_arc(0.5, 0.5, 0.27, 0.4, -90, 270),),
    (((0.38, 0.25), (0.52, 0.1), (0.5, 0.9)),),
    ((*_arc(0.5, 0.32, 0.25, 0.22, 190, 380), (0.25, 0.9), (0.76, 0.88)),),
    ((*_arc(0.47, 0.3, 0.24, 0.2, 200, 440), *_arc(0.47, 0.69, 0.27, 0.21, 270, 510)),),
    (((0.6, 0.1), (0.24, 0.6), (0.8, 0.6)), ((0.62, 0.38), (0.6, 0.92))),
    (((0.74, 0.1), (0.34, 0.12), (0.3, 0.45)), _arc(0.48, 0.65, 0.26, 0.24, 235, 510)),
    (((0.62, 0.08), (0.36, 0.4)), _arc(0.5, 0.68, 0.23, 0.22, -150, 210)),
    (((0.24, 0.13), (0.76, 0.13), (0.46, 0.92)),),
    (_arc(0.5, 0.3, 0.2, 0.19, 90, 450), _arc(0.5, 0.7, 0.24, 0.21, -90, 270)),
    (_arc(0.5, 0.32, 0.22, 0.21, 0, 360), ((0.72, 0.32), (0.66, 0.66), (0.58, 0.92))),
)
"""The digits 0 to 9."""

_SLEEVES: Line = ((0.12, 0.42), (0.32, 0.16), (0.68, 0.16), (0.88, 0.42))
_LONG_SLEEVES: Line = ((0.12, 0.78), (0.3, 0.16), (0.7, 0.16), (0.88, 0.78))

_BODY: Line = ((0.36, 0.2), (0.36, 0.86), (0.64, 0.86), (0.64, 0.2))
_FRONT: Line = ((0.5, 0.24), (0.5, 0.84))
_HALF_SLEEVES: Line = ((0.14, 0.56), (0.32, 0.16), (0.68, 0.16), (0.86, 0.56))
_TROUSER: Line = ((0.36, 0.92), (0.4, 0.1), (0.6, 0.1), (0.64, 0.92))
_DRESS: Line = ((0.42, 0.08), (0.44, 0.4), (0.3, 0.92), (0.7, 0.92), (0.56, 0.4), (0.58, 0.08))
_LEFT_PANEL: Line = ((0.36, 0.2), (0.34, 0.92), (0.46, 0.92), (0.48, 0.2))
_RIGHT_PANEL: Line = ((0.52, 0.2), (0.54, 0.92), (0.66, 0.92), (0.64, 0.2))
_SOLE: Line = ((0.08, 0.72), (0.92, 0.72))
_UPPER: Line = ((0.92, 0.72), (0.9, 0.62), (0.5, 0.44), (0.34, 0.4), (0.1, 0.48), (0.08, 0.72))
_SHAFT: Line = ((0.1, 0.86), (0.9, 0.86), (0.88, 0.7), (0.5, 0.56), (0.46, 0.16), (0.16, 0.16))
_CASE: Line = ((0.14, 0.42), (0.86, 0.42), (0.86, 0.84), (0.14, 0.84), (0.14, 0.42))

GARMENTS: tuple[tuple[Line, ...], ...] = (
    (_SLEEVES, _BODY, _FRONT),
    (_TROUSER, ((0.5, 0.2), (0.5, 0.34))),
    (_LONG_SLEEVES, _BODY, _FRONT),
    (_DRESS, ((0.5, 0.4), (0.5, 0.86))),
    (_LONG_SLEEVES, _LEFT_PANEL, _RIGHT_PANEL),
    (_SOLE, ((0.14, 0.68), (0.5, 0.5), (0.8, 0.34)), ((0.4, 0.7), (0.74, 0.48))),
    (_HALF_SLEEVES, _BODY, _FRONT),
    (_SOLE, _UPPER, ((0.3, 0.58), (0.7, 0.64))),
    (_CASE, _arc(0.5, 0.42, 0.22, 0.22, 180, 360), ((0.24, 0.62), (0.76, 0.62))),
    (_SHAFT, ((0.16, 0.16), (0.1, 0.86)), ((0.3, 0.3), (0.3, 0.72))),
)
"""The ten kinds of clothing of Fashion-MNIST."""


def skeleton(lines: tuple[Line, ...], points: int) -> NDArray[np.float32]:
    """Points at equal distances along some lines.

    Args:
        lines: the lines, in the order in which they are drawn.
        points: how many points.

    Returns:
        float32 [points, 2], (x, y).
    """
    corners = [np.asarray(line) for line in lines]
    lengths = [np.hypot(*np.diff(line, axis=0).T) for line in corners]
    total = sum(float(length.sum()) for length in lengths)
    wanted = (np.arange(points) + 0.5) * (total / points)
    placed = np.empty((points, 2))
    begin = 0.0
    for line, length in zip(corners, lengths, strict=True):
        along = begin + np.concatenate([[0.0], np.cumsum(length)])
        here = (wanted >= begin) & (wanted <= along[-1])
        for axis in (0, 1):
            placed[here, axis] = np.interp(wanted[here], along, line[:, axis])
        begin = float(along[-1])
    return placed.astype(np.float32)
