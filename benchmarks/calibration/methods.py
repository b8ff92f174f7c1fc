"""The ways to put an interval round a speedup that were tried, for many experiments at once.

Each takes experiments and a confidence level and returns the ends of the interval of the
logarithm of the ratio, first device over second, as two arrays [experiment].
`paired` and `unpaired` are what `intervals.compare` computes one at a time; a test holds
the two to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from accelreport.analysis.stats import SLOW_PROCESS
from benchmarks.calibration.noise import STEPS, Experiments, Floats

Ends = tuple[Floats, Floats]

RESAMPLES = 200
"""Resamples of each bootstrap."""


def _around(value: Floats, half: Floats) -> Ends:
    return value - half, value + half


def paired(experiments: Experiments, level: float = 0.95) -> Ends:
    """Student's t on the logarithm of the ratio within each repeat."""
    return _paired(experiments, level, np.zeros(len(experiments.logs)))


def widened(experiments: Experiments, level: float = 0.95) -> Ends:
    """`paired`, with no less spread than is known of the devices from all of their cells."""
    return _paired(experiments, level, known_spreads(experiments))


def known_spreads(experiments: Experiments) -> Floats:
    """`intervals.known_spread` for many experiments, [experiment].

    Other sweep points of an experiment are taken from the experiments beside it, which have
    the same noise and share no process.
    """
    logs = experiments.logs
    cells = np.stack([np.roll(logs, shift, axis=0) for shift in range(experiments.points)])
    gaps = np.diff(np.sort(cells, axis=3), axis=3).max(axis=3)
    modes = (gaps > np.log(SLOW_PROCESS)) & (np.ptp(cells, axis=3) - gaps <= gaps / 2)
    pooled = (cells[:, :, 0] - cells[:, :, 1]).var(axis=2, ddof=1).mean(axis=0)
    return np.asarray(np.sqrt(pooled) * modes.any(axis=(0, 2)))


def _paired(experiments: Experiments, level: float, spread: Floats) -> Ends:
    difference = experiments.logs[:, 0] - experiments.logs[:, 1]
    n = difference.shape[1]
    error = np.maximum(difference.std(axis=1, ddof=1), spread) / np.sqrt(n)
    return _around(difference.mean(axis=1), stdtrit(n - 1, 0.5 + level / 2) * error)


def unpaired(experiments: Experiments, level: float = 0.95) -> Ends:
    """Welch's t on logarithms, Welch–Satterthwaite degrees of freedom, bounded."""
    logs = (experiments.logs[:, 0], experiments.logs[:, 1])
    return unpaired_groups(*logs, level)


def unpaired_groups(first: Floats, second: Floats, level: float = 0.95) -> Ends:
    """`unpaired` for groups of unlike sizes, [experiment, process] each."""
    parts = [group.var(axis=1, ddof=1) / group.shape[1] for group in (first, second)]
    sizes = [first.shape[1], second.shape[1]]
    whole = parts[0] + parts[1]
    spread = sum((part / whole) ** 2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    df = np.minimum(1 / spread, 2 * (min(sizes) - 1))
    half = stdtrit(df, 0.5 + level / 2) * np.sqrt(whole)
    return _around(first.mean(axis=1) - second.mean(axis=1), half)


def pooled(experiments: Experiments, level: float = 0.95) -> Ends:
    """Student's two-sample t on logarithms, one variance for both devices."""
    logs = experiments.logs
    n = logs.shape[2]
    error = np.sqrt(logs.var(axis=2, ddof=1).sum(axis=1) / n)
    half = stdtrit(2 * n - 2, 0.5 + level / 2) * error
    return _around(logs[:, 0].mean(axis=1) - logs[:, 1].mean(axis=1), half)


def fieller(experiments: Experiments, level: float = 0.95) -> Ends:
    """Fieller's theorem on the two means of the times themselves, independent groups."""
    times = np.exp(experiments.logs)
    n = times.shape[2]
    above, below = times[:, 0].mean(axis=1), times[:, 1].mean(axis=1)
    t2 = stdtrit(2 * n - 2, 0.5 + level / 2) ** 2
    v_above, v_below = (times[:, k].var(axis=1, ddof=1) / n for k in (0, 1))
    g = t2 * v_below / below**2
    inside = v_above + (above / below) ** 2 * v_below - g * v_above
    half = np.sqrt(t2 * np.maximum(inside, 0)) / below
    bounded = g < 1
    low = np.where(bounded, (above / below - half) / (1 - g), 0.0)
    high = np.where(bounded, (above / below + half) / (1 - g), np.inf)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low, 0)), np.log(high)


def steps_as_units(experiments: Experiments, level: float = 0.95) -> Ends:
    """Every step counted as if it were independent: the usual mistake."""
    logs = experiments.logs
    n = logs.shape[2]
    within = experiments.step_variance.mean(axis=2)
    variance = within + logs.var(axis=2, ddof=1)
    error = np.sqrt((variance / (n * STEPS)).sum(axis=1))
    half = stdtrit(2 * n * STEPS - 2, 0.5 + level / 2) * error
    return _around(logs[:, 0].mean(axis=1) - logs[:, 1].mean(axis=1), half)


def bootstrap(experiments: Experiments, level: float = 0.95) -> Ends:
    """Percentile bootstrap over processes."""
    return _bootstrap(experiments, level, steps=False)


def nested_bootstrap(experiments: Experiments, level: float = 0.95) -> Ends:
    """Percentile bootstrap over processes, and over the steps of each drawn process.

    A mean of resampled steps is drawn from its normal limit, of variance s²/m.
    """
    return _bootstrap(experiments, level, steps=True)


def _bootstrap(experiments: Experiments, level: float, *, steps: bool) -> Ends:
    rng = np.random.default_rng(7)
    ends = []
    for start in range(0, len(experiments.logs), 500):
        logs = experiments.logs[start : start + 500]
        errors = np.sqrt(experiments.step_variance[start : start + 500] / STEPS)
        count, _, n = logs.shape
        sums = np.zeros((2, count, RESAMPLES))
        for device in (0, 1):
            for _ in range(n):
                drawn = rng.integers(0, n, (count, RESAMPLES))
                sums[device] += np.take_along_axis(logs[:, device], drawn, axis=1)
                if steps:
                    error = np.take_along_axis(errors[:, device], drawn, axis=1)
                    sums[device] += error * rng.standard_normal((count, RESAMPLES))
        ratios = (sums[0] - sums[1]) / n
        ends.append(np.quantile(ratios, [0.5 - level / 2, 0.5 + level / 2], axis=1))
    low, high = np.concatenate(ends, axis=1)
    return low, high


@dataclass(frozen=True)
class Method:
    """A candidate.

    Attributes:
        name: what the table calls it.
        ends: experiments, level → ends of the interval.
        arithmetic: whether it speaks of arithmetic means instead of geometric ones.
    """

    name: str
    ends: Callable[[Experiments, float], Ends]
    arithmetic: bool = False


CHOSEN = Method("t within repeats, known spread (used)", widened)

METHODS: tuple[Method, ...] = (
    CHOSEN,
    Method("t within repeats", paired),
    Method("Welch t on logarithms (fallback)", unpaired),
    Method("pooled t on logarithms", pooled),
    Method("Fieller on means", fieller, arithmetic=True),
    Method("bootstrap over processes", bootstrap),
    Method("bootstrap over processes and steps", nested_bootstrap),
    Method("steps taken as independent", steps_as_units),
)
"""Every candidate, the one in use first."""
