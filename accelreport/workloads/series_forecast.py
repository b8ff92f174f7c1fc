"""A recurrent forecast of time series (weather, or any CSV file), in real units: S0."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from accelreport.datasets.errors import DataOptionsError
from accelreport.spec.base import Scalar, SpecModel, Text
from accelreport.spec.validators import FieldsError
from accelreport.workloads.base import (
    Observation,
    TrainingParameters,
    TrainingProblem,
    training_family,
)
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import squared_error_after
from accelreport.workloads.training import Kernel, recurrent_options, training_problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset
    from accelreport.results.record import Forecast


def _relative(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or PureWindowsPath(text).drive or ".." in path.parts or "\\" in text:
        raise ValueError("must lie below the spec's folder or the data folder, written with `/`")
    return text


Names = Annotated[list[Text], Field(min_length=1)]


class SeriesColumns(SpecModel):
    """What a table's columns mean; what is absent is left to the data set."""

    path: Annotated[Text, AfterValidator(_relative)] | None = None
    """For `csv`: the file, below the spec's folder or else the data folder."""
    time: Names | None = None
    """For `csv`: the column of the time, or columns called year, month, day, hour …"""
    time_format: Text | None = None
    """For `csv`: how the time is written, in `strptime`'s codes; ISO 8601 when absent."""
    inputs: Names | None = None
    """For `csv`: columns that are seen; all columns of numbers when absent."""
    one_hot: Names | None = None
    """For `csv`: columns of words, each word of which becomes an input that is 0 or 1."""
    na_values: Names | None = None
    """For `csv`: what stands for a missing value, beside the usual."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """For `csv`: what divides columns; a comma when absent."""
    decimal: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """For `csv`: what divides a number from its fraction; a point when absent."""
    targets: Names | None = None
    """Columns to predict."""
    horizon: Annotated[int, Field(ge=0)] | None = None
    """Rows by which the targets lie ahead of the inputs; 24 when absent."""
    train_share: Annotated[FiniteFloat, Field(gt=0, lt=1)] | None = None
    """Share of the rows, the earliest, that trains; 0.9 when absent."""
    missing: Literal["fail", "drop", "forward_fill", "interpolate"] | None = None
    """What becomes of missing values."""
    calendar: bool | None = None
    """Whether day of the year and hour are inputs, too; they are when absent."""
    where: dict[Text, Scalar] | None = None
    """For `csv`: the rows that are read, by what they hold, such as { station = "JFK" }."""
    sort: bool | None = None
    """For `csv`: whether rows are put in the order of their times."""
    duplicates: Literal["fail", "first", "last", "mean"] | None = None
    """For `csv`: what becomes of rows of the same time; an error when absent."""
    time_zone: Text | None = None
    """For `csv`: the zone of times that are written without one; UTC when absent."""

    @model_serializer(mode="wrap")
    def _as_before(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without later keys that nothing is said of, so that cells keep their keys."""
        values: dict[str, Any] = handler(self)
        return {
            key: value for key, value in values.items() if key not in LATER or value is not None
        }


LATER = ("where", "sort", "duplicates", "time_zone")
"""Keys of `SeriesColumns` that are younger than the identity of cells."""


OF_ANY = {"targets", "horizon", "train_share", "missing", "calendar"}
"""Keys of `SeriesColumns` that fit every data set; the others are of a file of one's own."""


ROWS = {"weather_denmark": 333_109, "beijing_pm25": 43_824}
"""Rows of the published series; their samples have fewer."""


class SeriesForecastParameters(TrainingParameters):
    """GRU over windows of a series → the targets, at every step.

    An example is a place in the series where a window begins. The validation data are one
    sequence, as long as they are.
    """

    kind: Literal["series_forecast"] = "series_forecast"
    """Name of the family."""
    dataset: Literal["weather_denmark", "beijing_pm25", "csv"] = "weather_denmark"
    """The data set; `csv` is any file of one's own."""
    series: SeriesColumns = SeriesColumns()
    """What the columns mean."""
    target_units: list[str] = []
    """Units of the targets, for the page."""
    window: Annotated[int, Field(ge=2, le=1_000_000)] = 1344
    """Steps of a training window: 1344 hours are eight weeks."""
    ignored_steps: Annotated[int, Field(ge=0)] = 50
    """Steps at a window's beginning that the loss leaves out: nothing was seen before."""
    units: Annotated[int, Field(ge=1)] = 512
    """Units of the GRU."""
    kernel: Kernel | Literal["keras2"] = "default"
    """How the GRU is computed. `keras2`: as in Keras 2, with the hard sigmoid and with the state
    reset before its product, which has fewer parameters and no fused kernel."""
    validation_rows: Annotated[int, Field(ge=2)] | None = None
    """Evaluate only the first rows of the validation data."""
    forecast_steps: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Steps of the validation data whose forecast is kept for the page."""

    @property
    def classifies(self) -> bool:
        """No: it predicts numbers."""
        return False

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        given = self.series.model_dump(exclude_none=True)
        if self.dataset == "csv":
            for key in ("path", "time", "targets"):
                if key not in given:
                    raise FieldsError(f"a CSV file needs `{key}`", f"series.{key}", "dataset")
        else:
            for key in given:
                if key not in OF_ANY:
                    raise FieldsError(
                        f"`{key}` belongs to a CSV file, not to {self.dataset}",
                        f"series.{key}",
                        "dataset",
                    )
        for key in ("window", "validation_rows"):
            steps = getattr(self, key)
            if steps is not None and steps <= self.ignored_steps:
                raise FieldsError("nothing is left for the loss", "ignored_steps", key)
        return self

    @model_validator(mode="after")
    def _window_fits(self, info: ValidationInfo) -> Self:
        # Only of a spec that is being read: what was measured can still be shown.
        rows = ROWS.get(self.dataset)
        if rows is None or "folder" not in (info.context or {}):
            return self
        horizon, share = self.series.horizon, self.series.train_share
        trains = int(
            (0.9 if share is None else share) * (rows - (24 if horizon is None else horizon))
        )
        if self.window > trains:
            raise FieldsError(
                f"a window of {self.window:,} steps is longer than the {max(trains, 0):,} rows of "
                f"{self.dataset} that train",
                "window",
                "dataset",
                help="choose a shorter window",
            )
        return self


class ShortSeriesError(DataOptionsError):
    """The series is shorter than a window."""

    key = "window"


def problem(parameters: SeriesForecastParameters, data: Dataset) -> TrainingProblem:
    """The training problem: `inputs` [T, n_in] and `targets` [T, n_out], scaled to [0, 1].

    With 20 inputs, 3 targets and S0's sizes the model has 821,763 parameters. Windows are
    cut inside the graph from the series on the device; stored as such, eight weeks of every
    hour would take 1,344 times the memory.

    Raises:
        ShortSeriesError: when the series is shorter than a window.
    """
    places = len(data.train["inputs"]) - parameters.window + 1
    validation = whole_sequence(data.validation, parameters.validation_rows)
    if places < 1 or validation["inputs"].shape[1] <= parameters.ignored_steps:
        raise ShortSeriesError(
            f"The series of {len(data.train['inputs']):,} training rows and "
            f"{len(data.validation['inputs']):,} validation rows is too short.",
            why=f"A window has {parameters.window:,} steps, of which {parameters.ignored_steps} "
            "are left out of the loss.",
            remedy="Choose a shorter window, fewer ignored_steps, or a longer series.",
        )
    examples = min(places, parameters.train_examples or places)
    n = numerics()

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        if len(resident["inputs"].shape) == 3:
            return tuple(n.gather(resident[name], indices) for name in ("inputs", "targets"))
        rows = indices[:, None] + n.arange(parameters.window)
        return tuple(n.gather(resident[name], rows) for name in ("inputs", "targets"))

    def observe(observation: Observation) -> dict[str, Any]:
        if not parameters.forecast_steps:
            return {}
        return {"forecasts": forecasts(parameters, data, observation.model)}

    return training_problem(
        parameters,
        examples,
        model=lambda: forecasting_model(parameters, data),
        resident=data.train,
        take=take,
        loss=functools.partial(squared_error_after, parameters.ignored_steps),
        loss_name="mean squared error"
        + f", without the first {parameters.ignored_steps} time steps of a window"
        * (parameters.ignored_steps > 0),
        metrics={},
        validation=validation,
        validation_examples=1,
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
    return {name: array[None, :rows] for name, array in arrays.items()}


def forecasts(parameters: SeriesForecastParameters, data: Dataset, model: Any) -> list[Forecast]:
    """Forecasts for the beginning of the validation data, in real units.

    Args:
        parameters: how many steps, and the targets' units.
        data: its details hold names, ranges and times.
        model: the trained model.

    Returns:
        One for each target. A scaled value v is v · (max − min) + min.
    """
    from accelreport.results.record import Forecast

    shown = whole_sequence(data.validation, parameters.forecast_steps)
    predicted = numerics().forward(model, shown["inputs"])[0].astype("float64")
    true = shown["targets"][0].astype("float64")
    known = data.train["targets"].mean(axis=0, dtype="float64")
    details = data.details
    step = timedelta(seconds=details["step_s"])
    begin = datetime.fromisoformat(details["validation_time"]) + details["horizon"] * step
    units = [*parameters.target_units, *[""] * len(details["targets"])]
    samples = []
    for number, name in enumerate(details["targets"]):
        low, high = details["target_range"][number]
        span = high - low if high > low else 1.0
        samples.append(
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
    return samples


def _rounded(values: NDArray[np.float64]) -> list[float]:
    """Six significant digits: what was measured has fewer, and records stay small."""
    return [float(f"{value:.6g}") for value in values]


FAMILY = training_family(
    "Time-series forecast",
    SeriesForecastParameters,
    problem,
    options=lambda parameters: parameters.series.model_dump(exclude_none=True),
    recurrent=lambda parameters: True,  # noqa: ARG005 - whatever it says
)
