"""The forecasting GRU of S0: its training problem, and forecasts in real units."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.base import Dataset
from accelreport.datasets.errors import DataOptionsError
from accelreport.results.record import Forecast
from accelreport.workloads.base import Observation, TrainingProblem
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import squared_error_after
from accelreport.workloads.recurrent import recurrent_options
from accelreport.workloads.series_forecast import SeriesForecastParameters
from accelreport.workloads.training import keras_optimizer, learning_rates, steps_for


def problem(parameters: SeriesForecastParameters, data: Dataset) -> TrainingProblem:
    """The training problem: `inputs` [T, n_in] and `targets` [T, n_out], scaled to [0, 1].

    With 20 inputs, 3 targets and S0's sizes the model has 821,763 parameters. Windows are
    cut inside the graph from the series on the device; stored as such, eight weeks of every
    hour would take 1,344 times the memory.

    Raises:
        DataOptionsError: when the series is shorter than a window.
    """
    n = numerics()
    places = len(data.train["inputs"]) - parameters.window + 1
    validation = whole_sequence(data.validation, parameters.validation_rows)
    if places < 1 or validation["inputs"].shape[1] <= parameters.ignored_steps:
        raise DataOptionsError(
            f"The series of {len(data.train['inputs']):,} training rows and "
            f"{len(data.validation['inputs']):,} validation rows is too short.",
            why=f"A window has {parameters.window:,} steps, of which {parameters.ignored_steps} "
            "are left out of the loss.",
            remedy="Choose a shorter window, fewer ignored_steps, or a longer series.",
        )
    examples = min(places, parameters.train_examples or places)

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        if len(resident["inputs"].shape) == 3:
            return tuple(n.gather(resident[name], indices) for name in ("inputs", "targets"))
        rows = indices[:, None] + n.arange(parameters.window)
        return tuple(n.gather(resident[name], rows) for name in ("inputs", "targets"))

    def observe(observation: Observation) -> dict[str, Any]:
        if not parameters.forecast_steps:
            return {}
        return {"forecasts": forecasts(parameters, data, observation.model)}

    return TrainingProblem(
        model=lambda: forecasting_model(parameters, data),
        optimizer=lambda: keras_optimizer(parameters.optimizer),
        resident=data.train,
        examples=examples,
        take=take,
        loss=functools.partial(squared_error_after, parameters.ignored_steps),
        metrics={},
        validation=validation,
        validation_examples=1,
        batch_size=parameters.batch_size,
        steps_per_epoch=steps_for(parameters, examples),
        learning_rate=learning_rates(parameters.optimizer),
        observe=observe,
    )


def forecasting_model(parameters: SeriesForecastParameters, data: Dataset) -> Any:
    """Inputs [batch, steps, n_in] → targets [batch, steps, n_out], each between 0 and 1."""
    import keras
    from keras import layers

    return keras.Sequential(
        [
            keras.Input((None, data.train["inputs"].shape[1])),
            layers.GRU(
                parameters.units, return_sequences=True, **recurrent_options(parameters.kernel)
            ),
            layers.Dense(data.train["targets"].shape[1], activation="sigmoid"),
        ],
        name="gru",
    )


def whole_sequence(arrays: Mapping[str, NDArray[Any]], rows: int | None) -> dict[str, NDArray[Any]]:
    """The validation data as one example: arrays [1, rows, …]."""
    return {name: array[np.newaxis, :rows] for name, array in arrays.items()}


def forecasts(parameters: SeriesForecastParameters, data: Dataset, model: Any) -> list[Forecast]:
    """Forecasts for the beginning of the validation data, in real units.

    Args:
        parameters: how many steps, and the targets' units.
        data: its details hold names, ranges and times.
        model: the trained model.

    Returns:
        One for each target. A scaled value v is v · (max − min) + min.
    """
    shown = whole_sequence(data.validation, parameters.forecast_steps)
    predicted = numerics().forward(model, shown["inputs"])[0].astype(np.float64)
    true = shown["targets"][0].astype(np.float64)
    known = data.train["targets"].mean(axis=0, dtype=np.float64)
    details = data.details
    step = timedelta(seconds=details["step_s"])
    begin = datetime.fromisoformat(details["validation_time"]) + details["horizon"] * step
    units = [*parameters.target_units, *[""] * len(details["targets"])]
    found = []
    for number, name in enumerate(details["targets"]):
        low, high = details["target_range"][number]
        span = high - low if high > low else 1.0
        found.append(
            Forecast(
                target=name,
                unit=units[number],
                first_time=begin.isoformat(),
                step_s=details["step_s"],
                ignored_steps=parameters.ignored_steps,
                horizon_steps=details["horizon"],
                train_mean=_rounded(known[number : number + 1] * span + low)[0],
                true=_rounded(true[:, number] * span + low),
                predicted=_rounded(predicted[:, number] * span + low),
            )
        )
    return found


def _rounded(values: NDArray[np.float64]) -> list[float]:
    """Six significant digits: what was measured has fewer, and records stay small."""
    return [float(f"{value:.6g}") for value in values]
