"""Questions to a series of step times: does it drift, does it jump, has it two modes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Floats = NDArray[np.float64]

MOST_BATCHES = 20
"""A longer series is cut into this many batches, whose medians are then looked at."""

FEWEST = 5
"""A shorter series is not tested."""

CERTAIN = 0.005
"""Each test errs this often, on either side, when nothing is wrong."""


def batches(values: Floats) -> Floats:
    """Medians of up to `MOST_BATCHES` runs of neighbouring values, equally long.

    Neighbouring steps resemble one another; medians of batches do so much less, and single
    outliers leave them where they are.
    """
    if len(values) <= 2 * MOST_BATCHES:
        return values
    length = len(values) // MOST_BATCHES
    cut = values[: length * MOST_BATCHES].reshape(MOST_BATCHES, length)
    return np.asarray(np.median(cut, axis=1))


@dataclass(frozen=True)
class Trend:
    """A straight line through a series.

    Attributes:
        change: what the line gains from the first value to the last, as a share of the mean.
        certain: whether its slope differs from zero beyond `CERTAIN`.
    """

    change: float
    certain: bool


def trend(values: Floats) -> Trend:
    """Least-squares line with a t test of its slope; never certain below `FEWEST` values."""
    n = len(values)
    if n < FEWEST:
        return Trend(nan, certain=False)
    x = np.arange(n) - (n - 1) / 2
    slope = float(x @ values) / float(x @ x)
    residuals = values - values.mean() - slope * x
    error = sqrt(float(residuals @ residuals) / (n - 2) / float(x @ x))
    change = slope * (n - 1) / float(values.mean())
    return Trend(change, certain=abs(slope) > error * float(stdtrit(n - 2, 1 - CERTAIN)))


def shared_trend(cells: Sequence[Sequence[tuple[float, float]]]) -> Trend:
    """The straight line that several cells share, each with a level of its own.

    Least squares of logarithms with a t test of the slope. Nothing is certain where fewer than
    `FEWEST` values are left for the line besides the levels.

    Args:
        cells: for each cell, the places of its processes in the run (numbers from 0) and their
            seconds, positive.

    Returns:
        What the line gains from the first place to the last, as a share.
    """
    repeated = [np.array(each) for each in cells if len(each) > 1]
    df = sum(map(len, repeated)) - len(repeated) - 1
    if df < FEWEST:
        return Trend(nan, certain=False)
    place = np.concatenate([each[:, 0] - each[:, 0].mean() for each in repeated])
    logs = [np.log(each[:, 1]) for each in repeated]
    seconds = np.concatenate([each - each.mean() for each in logs])
    squares = float(place @ place)
    slope = float(place @ seconds) / squares
    residuals = seconds - slope * place
    error = sqrt(float(residuals @ residuals) / df / squares)
    span = max(each[:, 0].max() for each in repeated) - min(each[:, 0].min() for each in repeated)
    certain = abs(slope) > error * float(stdtrit(df, 1 - CERTAIN))
    # Absurd timings (10³⁰⁰ s) may change by more than a float can hold.
    return Trend(expm1(min(slope * span, 700.0)), certain=certain)


def slower_start(values: Floats) -> float:
    """By which share the first fifth is slower than the second half; 0 when not certain.

    Welch's t on the two parts; a series below `FEWEST` values is never certain.
    """
    n = len(values)
    head, tail = values[: max(n // 5, 2)], values[n // 2 :]
    if n < FEWEST:
        return 0.0
    parts = [float(part.var(ddof=1)) / len(part) for part in (head, tail)]
    share = float(head.mean() / tail.mean()) - 1
    error = sqrt(sum(parts))
    if error == 0:
        return max(share, 0.0)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(head) - 1) + parts[1] ** 2 / (len(tail) - 1))
    p = float(stdtr(df, -float(head.mean() - tail.mean()) / error))
    return share if p < CERTAIN else 0.0


@dataclass(frozen=True)
class Modes:
    """A series split in two where the split explains most.

    Attributes:
        edge: values above it belong to the slow mode.
        factor: median of the slow mode over that of the fast one.
        slow_share: share of values in the slow mode.
        explained: share of the variance of logarithms that the split explains. Splitting a
            normal distribution in its middle explains 0.64, a uniform one 0.75.
    """

    edge: float
    factor: float
    slow_share: float
    explained: float


def modes(values: Floats) -> Modes | None:
    """The best split of a series into a fast and a slow mode (Otsu 1979, on logarithms).

    None when it has fewer than `FEWEST` values, or no variation.
    """
    if len(values) < FEWEST or values.min() <= 0:
        return None
    ordered = np.sort(values)
    logs = np.log(ordered)
    n = len(logs)
    below = np.arange(1, n)
    sums = np.cumsum(logs)[:-1]
    whole = float(logs.sum())
    between = (sums - below * whole / n) ** 2 * n / (below * (n - below))
    total = float(((logs - whole / n) ** 2).sum())
    if total <= 1e-18 * n:
        return None
    cut = int(np.argmax(between)) + 1
    return Modes(
        edge=float(ordered[cut - 1]),
        factor=float(np.median(ordered[cut:]) / np.median(ordered[:cut])),
        slow_share=(n - cut) / n,
        explained=float(between[cut - 1]) / total,
    )
