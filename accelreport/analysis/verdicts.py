"""What an interval allows to be said, and how many more processes would allow more."""

from __future__ import annotations

from enum import StrEnum
from math import log, sqrt

import numpy as np

from accelreport.analysis.intervals import LEVEL, Interval, t_quantile

MARGIN = 0.03
"""Speedups from 1/1.03 to 1.03 count as the same: about what repeating a run varies by."""

POWER = 0.8
"""`needed` is the number of processes that decide with this probability."""

MOST = 1000
"""`needed` is not sought beyond this many processes of each device."""


class Verdict(StrEnum):
    """What is said of one device against the baseline."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    UNDECIDED = "UNDECIDED"
    BASELINE = "BASELINE"
    NOT_MEASURED = "NOT MEASURED"


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
    difference: float,
    spreads: tuple[float, float],
    margin: float = MARGIN,
    level: float = LEVEL,
) -> int | None:
    """Processes of each device that would decide, with probability `POWER`.

    Args:
        difference: logarithm of the speedup, taken as true.
        spreads: standard deviations of the logarithms of the two devices' times.
        margin: as in `verdict`.
        level: confidence level of the interval.

    Returns:
        The least n for which (t at `level` + t at `POWER`) · √((s₁² + s₂²)/n) is smaller
        than the distance to 1 (FASTER, SLOWER) or to the margin (SAME); None beyond `MOST`.
    """
    if not np.isfinite([difference, *spreads]).all():
        return None
    variances = np.square(spreads)
    total = float(variances.sum())
    room = max(abs(difference), log(1 + margin) - abs(difference))
    for n in range(2, MOST + 1):
        df = (n - 1) * total**2 / float(np.square(variances).sum()) if total else float(n - 1)
        reach = t_quantile(0.5 + level / 2, df) + t_quantile(POWER, df)
        if reach * sqrt(total / n) < room:
            return n
    return None
