"""Estimates with confidence intervals from a handful of processes.

Times vary by factors, not by amounts, so means and their errors are taken of logarithms
and the result is a ratio. The interval is Welch's (1947), with the Welch–Satterthwaite
degrees of freedom, which holds when the devices vary by different amounts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, nan, sqrt

import numpy as np
from scipy.special import stdtrit

LEVEL = 0.95
"""Confidence level of every interval unless said otherwise."""


def t_quantile(p: float, df: float) -> float:
    """Quantile `p` of Student's t; `df` may be fractional or infinite."""
    return float(stdtrit(min(df, 1e12), p))


@dataclass(frozen=True)
class Interval:
    """A value, what is known of it, and from how many processes.

    Attributes:
        value: the estimate.
        low: lower end, NaN when there is no interval.
        high: upper end, NaN when there is no interval.
        n: processes in the smallest group that entered.
    """

    value: float
    low: float
    high: float
    n: int

    @property
    def known(self) -> bool:
        """Whether there is an interval, which takes two processes of each group."""
        return not (np.isnan(self.low) or np.isnan(self.high))


NOTHING = Interval(nan, nan, nan, 0)
"""The estimate of something that was never measured."""


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of group means, Σ cᵢ·meanᵢ.

    Attributes:
        value: the sum.
        error: its standard error, √(Σ cᵢ²·sᵢ²/nᵢ); NaN when a group has one process.
        df: Welch–Satterthwaite degrees of freedom; infinite without any variation.
        n: processes in the smallest group.
    """

    value: float
    error: float
    df: float
    n: int

    def half_width(self, level: float = LEVEL) -> float:
        """Half the width of the interval at `level`."""
        if np.isnan(self.error) or self.error == 0:
            return self.error
        return t_quantile(0.5 + level / 2, self.df) * self.error

    def linear(self, level: float = LEVEL) -> Interval:
        """The sum with its interval."""
        half = self.half_width(level)
        return Interval(self.value, self.value - half, self.value + half, self.n)

    def ratio(self, level: float = LEVEL) -> Interval:
        """For groups of logarithms: the ratio of geometric means with its interval."""
        half = self.half_width(level)
        return Interval(exp(self.value), exp(self.value - half), exp(self.value + half), self.n)


def contrast(*groups: tuple[float, Sequence[float]]) -> Contrast:
    """The weighted sum of independent groups' means, and what is known of it.

    Args:
        groups: (weight, one value for each process). An empty group gives NaN.
    """
    sizes = [len(values) for _, values in groups]
    if not groups or min(sizes) == 0:
        return Contrast(nan, nan, nan, 0)
    value = sum(weight * float(np.mean(values)) for weight, values in groups)
    if min(sizes) < 2:
        return Contrast(value, nan, nan, min(sizes))
    parts = [weight**2 * float(np.var(values, ddof=1)) / len(values) for weight, values in groups]
    variance = sum(parts)
    if variance == 0:
        return Contrast(value, 0.0, inf, min(sizes))
    spread = sum(
        (part / variance) ** 2 / (size - 1) for part, size in zip(parts, sizes, strict=True)
    )
    return Contrast(value, sqrt(variance), 1 / spread, min(sizes))


def logarithms(values: Sequence[float]) -> list[float]:
    """Natural logarithms of the positive, finite values; the others are left out."""
    return [log(value) for value in values if 0 < value < inf]


def geometric_mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The geometric mean of positive values with its t interval on logarithms."""
    logs = logarithms(values)
    return contrast((1.0, logs)).ratio(level) if logs else NOTHING


def mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The arithmetic mean with its t interval."""
    kept = [value for value in values if np.isfinite(value)]
    return contrast((1.0, kept)).linear(level) if kept else NOTHING


def ratio(
    numerator: Sequence[float], denominator: Sequence[float], level: float = LEVEL
) -> Interval:
    """Geometric mean of `numerator` over that of `denominator`, with Welch's interval."""
    above, below = logarithms(numerator), logarithms(denominator)
    return contrast((1.0, above), (-1.0, below)).ratio(level) if above and below else NOTHING
