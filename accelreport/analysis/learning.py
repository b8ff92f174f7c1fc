"""What a training reached: when it met its target, and how far its forecasts miss.

Forecasts stand beside the guesses that anybody could make without a network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from accelreport.analysis.results import Result
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Epoch, Forecast, Record
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


DAY_S = 86_400.0


@dataclass(frozen=True)
class Naive:
    """A guess that needs no training.

    Attributes:
        name: what it says, such as "same hour yesterday".
        error: its mean absolute error, in the unit of the series.
    """

    name: str
    error: float


@dataclass(frozen=True)
class ForecastErrors:
    """Mean absolute errors over the same values of one series.

    Attributes:
        model: of the trained model; NaN or infinite where it diverged.
        naive: of guesses, the best one first; empty where none can be made.
        values: how many values they are means of.
    """

    model: float
    naive: tuple[Naive, ...]
    values: int


def forecast_errors(forecast: Forecast, horizon: int) -> ForecastErrors:
    """The errors of a forecast and of two guesses, none of which knows more than the model did.

    One guess is the value a whole number of days before, as late as was known when the forecast
    was made (for a series without days: the last known value); the other one the mean of the
    training data, for records without it the mean of the values themselves, which errs less.
    Values that the loss leaves out, or that have no value so long before them, do not count.

    Args:
        forecast: a series and what was said of it.
        horizon: steps by which it lies ahead, where the forecast itself does not say.
    """
    ahead = forecast.horizon_steps if forecast.horizon_steps is not None else horizon
    lag, name = _lag(max(ahead, 1), forecast.step_s)
    first = max(forecast.ignored_steps, lag)
    known = first < len(forecast.true)
    first = first if known else min(forecast.ignored_steps, len(forecast.true) - 1)
    true = forecast.true[first:]
    mean = forecast.train_mean
    mean = sum(true) / len(true) if mean is None else mean
    naive = [Naive("always the mean", _error(true, [mean] * len(true)))]
    if known:
        naive.append(Naive(name, _error(true, forecast.true[first - lag : -lag])))
    return ForecastErrors(
        model=_error(true, forecast.predicted[first:]),
        naive=tuple(sorted(naive, key=lambda each: each.error)),
        values=len(true),
    )


def _error(true: list[float], said: list[float]) -> float:
    """Mean absolute error."""
    return sum(abs(one - other) for one, other in zip(true, said, strict=True)) / len(true)


def _lag(ahead: int, step_s: float) -> tuple[int, str]:
    """Steps back to a value of the same time of day that was known, and its name."""
    day = round(DAY_S / step_s) if step_s else 0
    if day < 2 or abs(day * step_s - DAY_S) > 1:
        return ahead, "no change"
    days = -(-ahead // day)
    moment = "hour" if step_s == 3600 else "time"
    when = "yesterday" if days == 1 else f"{days} days before"
    return days * day, f"same {moment} {when}"
