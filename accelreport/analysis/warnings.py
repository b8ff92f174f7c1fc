"""What weakens a number: the name of each warning, and the values that it rests on.

Sentences are made of them where they are read (`accelreport.report.warning_text`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accelreport.analysis.compute import Peak


@dataclass(frozen=True)
class ResultWarning:
    """A named warning on one process.

    Attributes:
        kind: its name.
        seen: the number it rests on, in the unit of its kind; NaN where there is none.
    """

    kind: str
    seen: float


@dataclass(frozen=True)
class Recorded(ResultWarning):
    """What the process said of itself, in the sentence that its record keeps.

    Attributes:
        message: the sentence.
    """

    message: str


@dataclass(frozen=True)
class TwoModes(ResultWarning):
    """Some steps take `seen` times as long as the others.

    Attributes:
        slow_share: share of the steps that are slow.
        busy: cores busy meanwhile, where they were fewer than otherwise; NaN where not.
        usual: cores busy otherwise; NaN where as many.
    """

    slow_share: float
    busy: float
    usual: float


@dataclass(frozen=True)
class SlowProcess(ResultWarning):
    """A process took `seen` times as long as the fastest repeat of its cell.

    Attributes:
        others: cores that others kept busy meanwhile; NaN where that is not the reason.
        busy: cores it kept busy, where they were fewer than usual; NaN where not.
        usual: cores that a repeat kept busy at most; NaN where as many.
    """

    others: float
    busy: float
    usual: float


@dataclass(frozen=True)
class BegunAlike(ResultWarning):
    """A repeat began as an earlier one of another seed did; `seen` parts were the same.

    Attributes:
        seeds: what was the same → the seed that it was of.
    """

    seeds: Mapping[str, int]


@dataclass(frozen=True)
class AbovePeak(ResultWarning):
    """A rate of `seen` TFLOPS is above what the hardware can do.

    Attributes:
        peak: what it can do.
    """

    peak: Peak


@dataclass(frozen=True)
class ChangedRecord(ResultWarning):
    """A record is kept under another key than what it says was measured.

    Attributes:
        measured: the key of what it says was measured.
        kept: the key it is kept under.
    """

    measured: str
    kept: str


@dataclass(frozen=True)
class ImpossibleShare(ResultWarning):
    """A share of examples is `seen`, outside 0 to 1.

    Attributes:
        metric: its name.
    """

    metric: str


@dataclass(frozen=True)
class CpuAboveWall(ResultWarning):
    """More CPU time than the processors have; `seen` is by which factor.

    Attributes:
        cpu_s: seconds of CPU time.
        wall_s: seconds of wall-clock time.
        threads: processors.
    """

    cpu_s: float
    wall_s: float
    threads: int
