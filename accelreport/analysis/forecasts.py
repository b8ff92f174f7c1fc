"""How far forecasts miss, beside the guesses that anybody could make without a network."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.results.record import Forecast

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
