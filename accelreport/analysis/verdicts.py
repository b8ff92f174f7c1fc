"""What an interval allows to be said, and how many more processes would allow more."""

from __future__ import annotations

from enum import StrEnum
from math import log

import numpy as np
from scipy.special import stdtrit

from accelreport.analysis.intervals import LEVEL, Interval
from accelreport.results.plan_document import Looks

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
    """What is said of one device against the baseline."""

    FASTER = "FASTER"
    SLOWER = "SLOWER"
    SAME = "SAME"
    UNDECIDED = "UNDECIDED"
    BASELINE = "BASELINE"
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
    n = np.arange(2, MOST + 1)
    reach = (stdtrit(n - 1, 0.5 + level / 2) + stdtrit(n - 1, POWER)) / np.sqrt(n)
    enough = np.flatnonzero(reach * spread < room)
    return int(n[enough[0]]) if len(enough) else None
