"""What weakens a number: the name of each warning, and the values that it rests on.

Sentences are made of them where they are read (`accelreport.report.warning_text`). A warning is
shown with its number. Those of `REFUSING` replace it: the work was not done, something else was
timed, or no machine can have done it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, nan

from accelreport._version import __version__
from accelreport.analysis.ceilings import above
from accelreport.analysis.compute import Peak, own_bound
from accelreport.results.record import Block, Record


@dataclass(frozen=True)
class ResultWarning:
    """A named warning on one process.

    Attributes:
        kind: its name.
        value: the number it rests on, in the unit of its kind; NaN where there is none.
    """

    kind: str
    value: float


@dataclass(frozen=True)
class Recorded(ResultWarning):
    """A warning of the process itself, in the sentence that its record keeps.

    Attributes:
        message: the sentence.
    """

    message: str


@dataclass(frozen=True)
class TwoModes(ResultWarning):
    """Some steps take `value` times as long as the others.

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
    """A process took `value` times as long as the fastest repeat of its cell.

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
    """A repeat began as an earlier one of another seed did; `value` parts were the same.

    Attributes:
        seeds: what was the same → the seed that it was of.
    """

    seeds: Mapping[str, int]


@dataclass(frozen=True)
class OldCode(ResultWarning):
    """A process ran other code than later ones of its spec on the same machine.

    Attributes:
        file: what changed.
    """

    file: str


@dataclass(frozen=True)
class AbovePeak(ResultWarning):
    """A rate of `value` TFLOPS is above what the hardware can do.

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
    """A share of examples is `value`, outside 0 to 1.

    Attributes:
        metric: its name.
    """

    metric: str


@dataclass(frozen=True)
class CpuAboveWall(ResultWarning):
    """More CPU time than the processors have; `value` is by which factor.

    Attributes:
        cpu_s: seconds of CPU time.
        wall_s: seconds of wall-clock time.
        threads: processors.
    """

    cpu_s: float
    wall_s: float
    threads: int


REFUSED = "refused"
"""The status of a row whose number is not shown; its record keeps everything."""

ABOVE_PEAK = "above-peak"
"""The kind of a rate above the peak of the hardware."""

REFUSING = frozenset(
    {
        ABOVE_PEAK,
        "above-machine",
        "bad-timing",
        "canary",
        "changed-record",
        "clock-pace",
        "compile-inside",
        "constant-input",
        "cpu-above-wall",
        "idle-inside",
        "impossible-share",
        "no-sync",
        "old-code",
        "same-run",
        "sample-count",
        "stale-data",
        "stale-state",
        "step-count",
        "time-not-scaling",
        "weights-unmoved",
        "work-inside",
        "wrong-device",
    }
)
"""Kinds of warnings that refuse the number."""


def above_peak(tflops: float, peak: Peak | None) -> ResultWarning | None:
    """A rate above what the hardware can do: some of the counted work was not done.

    It refuses the number if the peak was checked; an unchecked peak may itself be wrong, and then
    the warning is `above-unchecked-peak`.
    """
    if peak is None or not above(tflops, peak):
        return None
    kind = ABOVE_PEAK if peak.checked else "above-unchecked-peak"
    return AbovePeak(kind, tflops, peak)


SHARES = ("accuracy", "precision", "recall", "f1")
"""The last words of the names of shares."""


def is_share(metric: str) -> bool:
    """Whether a metric is a share of examples, between 0 and 1; `accuracy_loss` is none."""
    return metric.rsplit("_", 1)[-1] in SHARES


ROUNDED = 1e-3
"""A share summed in float32 may be above 1 by less than this."""

CORES_OVER = 1.25
"""CPU time may be so many times wall time × processors: it is counted in a scheduler's ticks."""

CPU_OVER_S = 0.05
"""Seconds of CPU time that a window may hold beyond that: what its threads began before it."""


def impossible(record: Record) -> Iterator[ResultWarning]:
    """What a record says that no measurement can have given, whoever wrote it.

    Kinds: `changed-record`, `impossible-share`, `cpu-above-wall`, `above-machine`. A time that is
    no positive number is `bad-timing`, one of `stability.findings`.
    """
    # Other versions may make keys by other rules.
    environment = record.environment
    known = environment is not None and environment.accelreport == __version__
    if record.cell.key != record.key and known:
        yield ChangedRecord("changed-record", nan, record.cell.key, record.key)
    yield from _impossible_shares(record)
    blocks = [block for block in record.blocks if block.steps and 0 < block.wall_s < inf]
    yield from _excess_cpu_time(record, blocks)
    yield from _rate_above_machine(record, blocks)


def _impossible_shares(record: Record) -> Iterator[ResultWarning]:
    for metrics in (record.final, *(epoch.metrics for epoch in record.epochs)):
        for name, value in metrics.items():
            if is_share(name) and (value < -ROUNDED or value > 1 + ROUNDED):
                yield ImpossibleShare("impossible-share", value, name)
                return


def _excess_cpu_time(record: Record, blocks: Iterable[Block]) -> Iterator[ResultWarning]:
    if record.environment is None or record.hosts:
        return  # several processes may each have been given other processors
    threads = record.environment.threads
    for block in blocks:
        if block.cpu_s > CORES_OVER * threads * block.wall_s + CPU_OVER_S:
            factor = block.cpu_s / block.wall_s / threads
            yield CpuAboveWall("cpu-above-wall", factor, block.cpu_s, block.wall_s, threads)
            return


def _rate_above_machine(record: Record, blocks: Iterable[Block]) -> Iterator[ResultWarning]:
    """The fastest block against what the machine can do; in one block the work may be undone."""
    if record.flops is None:
        return
    bound = own_bound(record)
    rates = (record.flops.per_step * block.steps / block.wall_s / 1e12 for block in blocks)
    fastest = max(rates, default=0.0)
    if above(fastest, bound):
        yield AbovePeak("above-machine", fastest, bound)


def refused(warnings: Iterable[ResultWarning]) -> ResultWarning | None:
    """The first warning that refuses the number; None without any."""
    return next((warning for warning in warnings if warning.kind in REFUSING), None)
