"""Time to a quality: when each process reached the target, or that it never did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from accelreport.analysis.results import Result
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Epoch, Record
from accelreport.spec.models import Target


@dataclass(frozen=True)
class TargetTime:
    """When one measured process reached the target of `[measure]`.

    Attributes:
        result: the process.
        target: what it was to reach.
        epoch: the first epoch at whose end it had; NaN where it never did.
        elapsed_s: timed training seconds up to the end of that epoch; NaN where it never did.
        best: the best value of its learning curve; NaN where no value is finite.
        last_epoch: the last epoch of its learning curve; NaN without one.
    """

    result: Result
    target: Target
    epoch: float
    elapsed_s: float
    best: float
    last_epoch: float

    @property
    def reached(self) -> bool:
        """Whether it did."""
        return not isnan(self.epoch)

    @property
    def level(self) -> float:
        """The value that was to be reached."""
        return _level(self.target)


def target_times(
    plan: PlanDocument, results: Sequence[Result], records: Iterable[Record]
) -> tuple[TargetTime, ...]:
    """Each measured process beside the target of `[measure]`; nothing when the spec has none."""
    target = plan.measure.target
    if target is None:
        return ()
    epochs = {(record.key, record.machine): record.epochs for record in records}
    return tuple(
        _target_time(each, target, epochs.get((each.key, each.machine), ()))
        for each in results
        if each.measured
    )


def _level(target: Target) -> float:
    level = target.at_least if target.at_least is not None else target.at_most
    return nan if level is None else level


def _target_time(result: Result, target: Target, epochs: Iterable[Epoch]) -> TargetTime:
    curve = sorted(
        (each for each in epochs if target.metric in each.metrics), key=lambda each: each.epoch
    )
    rising = target.at_least is not None
    values = np.array([each.metrics[target.metric] for each in curve], dtype=float)
    there = values >= _level(target) if rising else values <= _level(target)
    first = curve[int(np.argmax(there))] if there.any() else None
    best = (np.nanmax if rising else np.nanmin)(values) if np.isfinite(values).any() else nan
    return TargetTime(
        result=result,
        target=target,
        epoch=float(first.epoch) if first else nan,
        elapsed_s=first.elapsed_s if first else nan,
        best=float(best),
        last_epoch=float(curve[-1].epoch) if curve else nan,
    )
