"""Estimates with intervals from a handful of processes, what they allow, and how often they hold.

Times vary by factors, not by amounts, so means and their errors are taken of logarithms
and a comparison is a ratio of geometric means.

Processes of one repeat run one after another, in a balanced order, before the next repeat
begins. A comparison is therefore made once within each repeat and the repeats are what
Student's t counts: whatever slows the machine for a whole repeat cancels, and nothing has
to be assumed about how much each device varies. Where processes cannot be paired (they
ran on different machines, or repeats are missing) the interval is Welch's (1947). How well
both cover is in docs/statistics.md.

Few processes of one cell may all miss a slow mode that others of the same device showed at
other sweep points. A comparison therefore has no less than the spread that is known of its
devices (`known_spread`).

The file beside this module is written by `python -m benchmarks.calibration PAGE`
together with the tables of that page, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import exp, inf, isnan, log, nan, sqrt
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainSerializer
from scipy.special import stdtrit

from accelreport.results.plan_document import Document, Looks

LEVEL = 0.95
"""Default confidence level of an interval."""

LEAST = 3
"""Processes of which an interval is known: Student's t of two is wider than any use."""

Floats = NDArray[np.float64]

Sample = Mapping[Any, float]
"""One value for each process; processes with the same key ran in the same repeat."""

SLOW_PROCESS = 1.2
"""A process this many times slower than the fastest repeat of its cell is a slow one."""

Term = tuple[float, Sample]
"""A weight and the processes it applies to."""

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def t_quantile(p: float, df: float) -> float:
    """Quantile `p` of Student's t; `df` may be fractional or infinite."""
    return float(stdtrit(min(df, 1e12), p))


def percentile(values: Sequence[float] | Floats, share: float) -> float | None:
    """The value below which a share of the values lies; None where too few are known.

    At least one of them must be expected beyond it: of a hundred for the 99th percentile or the
    first, of twenty for the 95th. The largest, share 1, is there as soon as there is one.
    """
    beyond = min(share, 1 - share) or 1.0
    if len(values) * beyond < 1 - 1e-9:
        return None
    return float(np.quantile(values, share))


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by what they have in common, the groups and their items in the order they come in."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


@dataclass(frozen=True)
class Interval:
    """A value, what is known of it, and from how many processes.

    Attributes:
        value: the estimate.
        low: lower end, NaN when there is no interval.
        high: upper end, NaN when there is no interval.
        n: processes in the smallest group that entered.
        two: the values of two repeats, the smaller first, which stand for an interval; else empty.
    """

    value: float
    low: float
    high: float
    n: int
    two: tuple[float, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there is an interval, which takes `LEAST` processes of each group."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def ends(self) -> tuple[float, float]:
        """Its ends, or the value twice where there is no interval."""
        return (self.low, self.high) if self.known else (self.value, self.value)

    @property
    def share(self) -> Interval:
        """The interval of a share, whose ends are none below 0 or above 1."""
        if not self.known:
            return self
        return replace(self, low=max(self.low, 0.0), high=min(self.high, 1.0))

    def times(self, factor: float) -> Interval:
        """The interval, multiplied by a number without an error of its own."""
        two = tuple(value * factor for value in self.two)
        return Interval(self.value * factor, self.low * factor, self.high * factor, self.n, two)


def holds_one(ratio: Interval) -> bool:
    """Whether neither side of a ratio is known to be the larger one; False without an interval."""
    return ratio.low <= 1 <= ratio.high


NOTHING = Interval(nan, nan, nan, 0)
"""The estimate of something that was never measured."""


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of means.

    Attributes:
        value: the sum.
        error: its standard error; NaN when a group has a single process.
        df: degrees of freedom of the error; infinite without any variation.
        n: repeats, when paired; otherwise processes in the smallest group.
        paired: whether it was formed within repeats.
        two: the values of two repeats, the smaller first; empty of fewer and of more.
    """

    value: float
    error: float
    df: float
    n: int
    paired: bool
    two: tuple[float, ...] = ()

    @property
    def spread(self) -> float:
        """Standard deviation of one repeat's comparison, error · √n."""
        return self.error * sqrt(self.n)

    def widened(self, spread: float) -> Contrast:
        """This contrast with a `spread` of at least this from repeat to repeat.

        What is not known stays so: a single process has no error.
        """
        if isnan(self.error) or spread <= self.spread:
            return self
        return replace(self, error=spread / sqrt(self.n), df=min(self.df, self.n - 1.0))

    def half_width(self, level: float = LEVEL) -> float:
        """Half the width of the interval at `level`; NaN when there is none."""
        if self.n < LEAST:
            return nan
        if isnan(self.error) or self.error == 0:
            return self.error
        return t_quantile(0.5 + level / 2, self.df) * self.error

    def linear(self, level: float = LEVEL) -> Interval:
        """The sum with its interval."""
        half = self.half_width(level)
        return Interval(self.value, self.value - half, self.value + half, self.n, self.two)

    def ratio(self, level: float = LEVEL) -> Interval:
        """For logarithms: the ratio of geometric means with its interval."""
        half = self.half_width(level)
        low, high = _exp(self.value - half), _exp(self.value + half)
        return Interval(_exp(self.value), low, high, self.n, tuple(map(_exp, self.two)))


def _exp(value: float) -> float:
    """Two processes that disagree wildly give ends beyond what a float can hold."""
    return inf if value > 700 else exp(value)


def compare(*terms: Term, spread: float = 0.0) -> Contrast:
    """The weighted sum of the terms' means, within repeats where that is possible.

    It is possible when every process of the smallest term has partners in all the others,
    or when three repeats or more are complete; incomplete repeats are then left out. A
    single repeat gives no interval, and then all processes make the estimate.

    Args:
        terms: a weight and the processes it applies to, each.
        spread: the least standard deviation of one repeat's comparison (`known_spread`).
    """
    sizes = [len(sample) for _, sample in terms]
    if not terms or min(sizes) == 0:
        return Contrast(nan, nan, nan, 0, paired=False)
    shared = set.intersection(*(set(sample) for _, sample in terms))
    if len(shared) >= 3 or 2 <= len(shared) == min(sizes):
        values = [sum(weight * sample[key] for weight, sample in terms) for key in shared]
        return one_sample(sorted(values)).widened(spread)
    groups = ((weight, sorted(sample.values())) for weight, sample in terms)
    return welch(*groups).widened(spread)


def one_sample(values: Sequence[float]) -> Contrast:
    """The mean of values that were formed within repeats, for Student's t on n - 1."""
    n = len(values)
    if n < 2:
        return Contrast(values[0] if values else nan, nan, nan, n, paired=True)
    spread = _variance(values)
    df = float(n - 1) if spread else inf
    two = (min(values), max(values)) if n == LEAST - 1 else ()
    return Contrast(fmean(values), sqrt(spread / n), df, n, paired=True, two=two)


def _variance(values: Sequence[float]) -> float:
    """The sample variance; infinite where it is beyond what a float can hold."""
    middle = fmean(values)
    return sum((value - middle) * (value - middle) for value in values) / (len(values) - 1)


def welch(*groups: tuple[float, Sequence[float]]) -> Contrast:
    """The weighted sum of the means of independent groups.

    Degrees of freedom are Welch–Satterthwaite's, and at most twice those of the smallest
    group: without that bound a group of two against one of ten covers 88 % instead of 95 %.
    """
    sizes = [len(values) for _, values in groups]
    value = sum(weight * fmean(values) for weight, values in groups)
    fewest = min(sizes)
    if fewest < 2:
        return Contrast(value, nan, nan, fewest, paired=False)
    parts = [weight**2 * _variance(values) / len(values) for weight, values in groups]
    whole = sum(parts)
    if not whole:
        return Contrast(value, 0.0, inf, fewest, paired=False)
    shares = zip(parts, sizes, strict=True)
    df = 1 / sum((part / whole) ** 2 / (size - 1) for part, size in shares)
    return Contrast(value, sqrt(whole), min(df, 2.0 * (fewest - 1)), fewest, paired=False)


def known_spread(comparisons: Iterable[tuple[Contrast, Sample, Sample]]) -> float:
    """The least spread that any comparison of two devices on these machines may have.

    Where the processes of any cell fall into two modes, its device has a slow one, and every
    process may be in it: also those of a cell whose few repeats all were fast. The spread is
    then pooled over all sweep points. Where none do, nothing is known beside what each
    comparison shows itself. Two modes are two groups `SLOW_PROCESS` times apart or more, which
    together are at most half as wide as the gap between them; so a cell that merely varies
    much tells nothing about the others.

    Args:
        comparisons: at each sweep point the comparison of logarithms, and the positive times
            of the processes on either side.

    Returns:
        Standard deviation of one repeat's comparison; 0 when nothing is known.
    """
    sound = [comparison for comparison in comparisons if not isnan(comparison[0].error)]
    if not any(_two_modes(side) for _, *sides in sound for side in sides):
        return 0.0
    squares = sum(one.spread * one.spread * (one.n - 1) for one, _, _ in sound)
    return sqrt(squares / sum(one.n - 1 for one, _, _ in sound))


def _two_modes(cell: Sample) -> bool:
    logs = sorted(logarithms(cell).values())
    gap = max(slower - faster for faster, slower in pairwise(logs))
    return gap > log(SLOW_PROCESS) and logs[-1] - logs[0] - gap <= gap / 2


def logarithms(sample: Sample) -> dict[Hashable, float]:
    """Natural logarithms of the positive, finite values; the others are left out."""
    return {key: log(value) for key, value in sample.items() if 0 < value < inf}


def geometric_mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The geometric mean of positive values with its t interval on logarithms."""
    logs = sorted(log(value) for value in values if 0 < value < inf)
    return one_sample(logs).ratio(level) if logs else NOTHING


def mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The arithmetic mean with its t interval."""
    kept = sorted(value for value in values if np.isfinite(value))
    return one_sample(kept).linear(level) if kept else NOTHING


MARGIN = 0.03
"""Speedups from 1/1.03 to 1.03 count as the same: about what repeating a run varies by."""

POWER = 0.8
"""`needed` is the number of processes that decide with this probability."""

MOST = 1000
"""`needed` is not sought beyond this many processes of each device."""


def level_over(looks: Looks | None, level: float = LEVEL) -> float:
    """The level of the intervals of one look that, over all looks, are right at `level`.

    It is `level` itself where repeats were fixed beforehand, which None stands for.
    """
    return level if looks is None else 1 - (1 - level) * (1 - looks.level) / (1 - LEVEL)


class Verdict(StrEnum):
    """The verdict on one device against the baseline."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    UNDECIDED = "UNDECIDED"
    BASELINE = "BASELINE"
    WITHHELD = "WITHHELD"
    NOT_MEASURED = "NOT MEASURED"


DECIDED = frozenset({Verdict.FASTER, Verdict.SLOWER, Verdict.SAME})
"""Verdicts of an interval that decides."""


def verdict(speedup: Interval, margin: float = MARGIN) -> Verdict:
    """FASTER, SLOWER, SAME or UNDECIDED, from a speedup's interval.

    SAME when the whole interval lies within 1/(1 + margin) … 1 + margin, even where it
    leaves out 1: such a difference is real and too small to matter. Otherwise FASTER when
    it lies above 1, SLOWER when it lies below, and UNDECIDED when it holds 1.
    """
    if not speedup.known:
        return Verdict.UNDECIDED
    if speedup.low >= 1 / (1 + margin) and speedup.high <= 1 + margin:
        return Verdict.SAME
    if speedup.low > 1:
        return Verdict.FASTER
    return Verdict.SLOWER if speedup.high < 1 else Verdict.UNDECIDED


def processes_needed(
    difference: float, spread: float, margin: float = MARGIN, level: float = LEVEL
) -> int | None:
    """Processes of each device that would decide, with probability `POWER`.

    Args:
        difference: logarithm of the speedup, taken as true.
        spread: standard deviation of its logarithm from repeat to repeat, taken as true.
        margin: as in `verdict`.
        level: confidence level of the interval.

    Returns:
        The least n for which (t at `level` + t at `POWER`) · spread/√n, t on n - 1 degrees
        of freedom, is smaller than the distance to 1 (FASTER, SLOWER) or to the margin
        (SAME); None beyond `MOST` processes, or when either is not known.
    """
    room = max(abs(difference), log(1 + margin) - abs(difference))
    return processes_to_reach(room, spread, level)


def processes_to_reach(room: float, spread: float, level: float = LEVEL) -> int | None:
    """Processes of each device whose interval, with probability `POWER`, ends within `room`.

    Args:
        room: distance, in logarithms, from the estimate to the limit it is compared with.
        spread: as in `processes_needed`.
        level: as in `processes_needed`.
    """
    n = np.arange(LEAST, MOST + 1)
    reach = (stdtrit(n - 1, 0.5 + level / 2) + stdtrit(n - 1, POWER)) / np.sqrt(n)
    enough = np.flatnonzero(reach * spread < room)
    return int(n[enough[0]]) if len(enough) else None


def least_room(processes: int, spread: float) -> float:
    """The least distance, in logarithms, that so many processes reach; see `processes_to_reach`."""
    width = stdtrit(processes - 1, 0.5 + LEVEL / 2) + stdtrit(processes - 1, POWER)
    return float(width) / sqrt(processes) * spread


FILE = Path(__file__).with_name("calibration.json")

Percent = Annotated[float, PlainSerializer(lambda value: round(value, 4))]
"""A share in percent, kept to a millionth."""


class Shares(Document):
    """A quantity under one kind of noise."""

    name: str
    """The kind of noise."""
    text: str
    """What it is."""
    percent: tuple[Percent, ...]
    """The quantity in percent, in the order of `Calibration.processes`."""


class Calibration(Document):
    """Shares of simulated experiments."""

    experiments: int
    """Simulated experiments behind each share."""
    processes: tuple[int, ...]
    """Processes of each device, one for each column."""
    coverage: tuple[Shares, ...]
    """95 % intervals that hold the true ratio."""
    differences: tuple[Shares, ...]
    """Comparisons of equals that are called FASTER or SLOWER."""
    modes: tuple[Shares, ...]
    """95 % intervals that hold the true ratio where one device has a slow mode."""


def last_calibration() -> Calibration:
    """The results of the last whole calibration."""
    return Calibration.model_validate_json(FILE.read_bytes())


def write(what: Calibration, path: Path) -> None:
    """Keeps it as JSON."""
    path.write_text(f"{what.model_dump_json(indent=1)}\n", encoding="utf-8")
