"""Why a speedup depends on the batch: a step has a fixed cost, and a cost for each example.

    t(b) = a + b / r                              (Hockney & Jesshope, Parallel Computers, 1981)

r (their r∞) is the rate that a growing batch comes near, and a·r (their n½) the batch at which
half of it is reached. Two devices are equally fast where their lines cross, and the quotient of
their times lies between the quotients of their fixed costs and of their costs of an example,
whatever the batch: a speedup can never be larger than the larger of the two.

The law is a model, fitted to times and no measurement itself. It is fitted to relative errors,
as times vary by factors. What is said of it comes with an interval over processes; where each
batch was timed once, as in a publication, with one from the residuals, which three points leave
very wide. Where the law does not describe the times there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, nan, sqrt
from statistics import fmean

import numpy as np
from scipy.optimize import nnls

from accelreport.analysis.stats import LEVEL, Floats, Interval, geometric_mean, t_quantile

FEWEST = 3
"""Two batch sizes fit any line exactly."""

MOST_RESIDUAL = 0.10
"""A time further from its line than this share is not described by it."""

TimedRun = Mapping[float, float]
"""Batch size → seconds of a step, one process for each; or what a publication printed."""


class NoLaw(StrEnum):
    """Why no law is drawn."""

    FEW = "few"
    """Fewer than `FEWEST` batch sizes were timed."""
    FLAT = "flat"
    """The time of a step does not grow with the batch."""
    BAD = "bad"
    """A time lies further than `MOST_RESIDUAL` from the line."""


@dataclass(frozen=True)
class Law:
    """t(b) = fixed_s + b · each_s.

    Attributes:
        fixed_s: seconds of a step whatever the batch, 0 or more.
        each_s: seconds for each example, 0 or more.
    """

    fixed_s: float
    each_s: float

    def seconds(self, batch: float) -> float:
        """Seconds of a step with this batch."""
        return self.fixed_s + batch * self.each_s

    @property
    def rate(self) -> float:
        """r∞: examples a second that a growing batch comes near."""
        return 1 / self.each_s if self.each_s else inf

    @property
    def half_rate_batch(self) -> float:
        """n½: the batch at which half of that rate is reached."""
        return self.fixed_s / self.each_s if self.each_s else inf


@dataclass(frozen=True)
class Fit:
    """A law, and how well it describes the times.

    Attributes:
        law: the law; None where it is refused.
        refused: why; None where it is not.
        residuals: batch size → how much longer the time is than the law's, as a share of the time.
        covariance: of `fixed_s` and `each_s`, s²; NaN where a single run has as many batch sizes
            as the law has parameters.
        df: degrees of freedom of the covariance.
        n: runs that entered.
    """

    law: Law | None
    refused: NoLaw | None
    residuals: Mapping[float, float]
    covariance: Floats
    df: float
    n: int

    def fixed_s(self) -> Interval:
        """Seconds of a step whatever the batch, with the interval; 0 is its least end."""
        return self._linear(np.array([1.0, 0.0]))

    def each_s(self) -> Interval:
        """Seconds for each example, with the interval; 0 is its least end."""
        return self._linear(np.array([0.0, 1.0]))

    def half_rate_batch(self) -> Interval:
        """n½ with the interval (Fieller 1954)."""
        law = _known(self)
        ends = _fieller(law.fixed_s, law.each_s, self.covariance, self.df)
        return Interval(law.half_rate_batch, *ends, self.n)

    def _linear(self, weights: Floats) -> Interval:
        law = _known(self)
        value = float(weights @ np.array([law.fixed_s, law.each_s]))
        half = t_quantile(0.5 + LEVEL / 2, self.df) * sqrt(weights @ self.covariance @ weights)
        return Interval(value, max(value - half, 0.0), value + half, self.n)


def _known(fit: Fit) -> Law:
    if fit.law is None:
        raise ValueError(f"no law was fitted: {fit.refused}")
    return fit.law


def fit(runs: Sequence[TimedRun]) -> Fit:
    """The law of one device.

    The line goes through the geometric means over runs, by least squares of relative errors.
    Its covariance is that of lines through each run by itself; of a single run, that of its
    residuals. Runs that lack a batch size which others have are left out.

    Args:
        runs: for each repeat, seconds of a step by batch size, all positive.
    """
    batches = {batch for run in runs for batch in run}
    whole = [run for run in runs if len(run) == len(batches)]
    if not whole or len(whole[0]) < FEWEST:
        return _refused(NoLaw.FEW, len(whole))
    middle = _middle(whole)
    law = _line(middle)
    residuals = {batch: 1 - law.seconds(batch) / seconds for batch, seconds in middle.items()}
    if not law.each_s:
        return _refused(NoLaw.FLAT, len(whole), residuals)
    if max(map(abs, residuals.values())) > MOST_RESIDUAL:
        return _refused(NoLaw.BAD, len(whole), residuals)
    if len(whole) > 1:
        # Of the mean of the lines through each run.
        laws = [_line(run) for run in whole]
        costs = [law.fixed_s for law in laws], [law.each_s for law in laws]
        covariance, df = np.asarray(np.cov(*costs) / len(laws)), len(laws) - 1.0
    else:
        df, design = len(middle) - 2.0, _design(middle)
        variance = sum(residual * residual for residual in residuals.values()) / df
        covariance = np.asarray(variance * np.linalg.inv(design.T @ design))
    return Fit(law, None, residuals, covariance, df, len(whole))


def _refused(why: NoLaw, n: int, residuals: Mapping[float, float] | None = None) -> Fit:
    return Fit(None, why, residuals or {}, np.full((2, 2), nan), nan, n)


def _middle(runs: Sequence[TimedRun]) -> dict[float, float]:
    """Geometric means over runs."""
    return {batch: geometric_mean([run[batch] for run in runs]).value for batch in sorted(runs[0])}


def _design(times: TimedRun) -> Floats:
    """Rows (1, b) over the time, so that residuals are shares of it."""
    rows = [[1 / seconds, batch / seconds] for batch, seconds in times.items()]
    return np.array(rows, dtype=np.float64)


def _line(times: TimedRun) -> Law:
    """Least squares of relative errors, neither cost below nothing."""
    design = _design(times)
    # Batch sizes and seconds differ by powers of ten: columns of one size are solved safely.
    scale = np.linalg.norm(design, axis=0)
    costs, _ = nnls(design / scale, np.ones(len(design)))
    fixed, per_example = (costs / scale).tolist()
    return Law(fixed, per_example)


def costs_of_part(runs: Sequence[TimedRun], parts: Sequence[TimedRun]) -> tuple[Interval, Interval]:
    """What a part of the times has of a line's fixed cost and of its cost of an example.

    Least squares with the weights of the line through the times themselves: parts that add up to
    the times have costs that add up to the line's, where neither of its costs was kept at 0. Their
    intervals are over runs, or of a single one from its residuals. A fixed cost below 0 is that of
    a part whose time grows faster than the batch.

    Args:
        runs: for each repeat, batch size → seconds of a step, for the same batch sizes.
        parts: the same of some part of each of them.
    """
    times, pairs = _middle(runs), list(zip(runs, parts, strict=True))
    # Of shares, which add up to 1 whatever mean is taken of the times.
    taken = {
        size: seconds * fmean(part[size] / run[size] for run, part in pairs)
        for size, seconds in times.items()
    }
    costs = _line_of_part(times, taken)
    if len(runs) > 1:
        run_costs = [_line_of_part(run, part) for run, part in pairs]
        covariance: Floats = np.cov(np.array(run_costs).T) / len(runs)
        df = len(runs) - 1.0
    else:
        design = _design(times)
        off = np.array([taken[size] / seconds for size, seconds in times.items()])
        off -= design @ np.array(costs)
        df = len(times) - 2.0
        covariance = np.asarray(float(off @ off) / df * np.linalg.inv(design.T @ design))
    halves = t_quantile(0.5 + LEVEL / 2, df) * np.sqrt(np.diag(covariance))
    fixed, per = (
        Interval(value, value - half, value + half, len(runs))
        for value, half in zip(costs, halves.tolist(), strict=True)
    )
    return fixed, per


def _line_of_part(times: TimedRun, part: TimedRun) -> tuple[float, float]:
    design = _design(times)
    shares = np.array([part[batch] / seconds for batch, seconds in times.items()])
    scale = np.linalg.norm(design, axis=0)
    costs, *_ = np.linalg.lstsq(design / scale, shares, rcond=None)
    fixed, per_example = (costs / scale).tolist()
    return fixed, per_example


@dataclass(frozen=True)
class Against:
    """Two laws held against each other.

    Attributes:
        crossing: the batch at which both take the same time; NaN where there is none.
        largest: the largest speedup of the first that there can be, over all batches.
        smallest: the smallest one.
        grows: whether the speedup grows with the batch.
    """

    crossing: Interval
    largest: Interval
    smallest: Interval
    grows: bool


def against(own: Fit, base: Fit) -> Against:
    """What two laws say of the speedup of `own` over `base` at every batch.

    Ends of intervals are Fieller's (1954); where the denominator may be nothing they are 0 and
    infinity. Degrees of freedom are those of the fit that has fewer.

    Raises:
        ValueError: either law is refused.
    """
    first, second = _known(own), _known(base)
    df, n = min(own.df, base.df), min(own.n, base.n)

    def quotient(which: int) -> Interval:
        above, below = ((law.fixed_s, law.each_s)[which] for law in (second, first))
        variances = np.diag([base.covariance[which, which], own.covariance[which, which]])
        ends = _fieller(above, below, variances, df)
        return Interval(above / below if below else inf, *ends, n)

    fixed, per_example = quotient(0), quotient(1)
    small, large = sorted((fixed, per_example), key=lambda one: one.value)
    above, below = first.fixed_s - second.fixed_s, second.each_s - first.each_s
    where = above / below if below else nan
    crossing = Interval(nan, nan, nan, n)
    if where > 0:
        sign = np.diag([1.0, -1.0])
        covariance = own.covariance + base.covariance
        ends = _fieller(above, below, sign @ covariance @ sign, df)
        crossing = Interval(where, *ends, n)
    return Against(crossing, large, small, grows=per_example.value > fixed.value)


def _fieller(above: float, below: float, covariance: Floats, df: float) -> tuple[float, float]:
    """Ends of the interval of a quotient that cannot be negative (Fieller 1954).

    0 and infinity where the denominator may be nothing, NaN where the errors are not known.
    """
    if np.isnan(covariance).any():
        return nan, nan
    t2 = t_quantile(0.5 + LEVEL / 2, df) ** 2
    (var_above, both), (_, var_below) = covariance.tolist()
    # (above - q·below)² ≤ t² · (var_above - 2·q·both + q²·var_below)
    a = below * below - t2 * var_below
    b = above * below - t2 * both
    c = above * above - t2 * var_above
    if a <= 0:
        return 0.0, inf
    root = sqrt(max(b * b - a * c, 0.0))
    return max((b - root) / a, 0.0), max((b + root) / a, 0.0)
