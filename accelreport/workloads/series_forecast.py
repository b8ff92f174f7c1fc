"""A recurrent forecast of time series (weather, or any CSV file)."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from accelreport.spec.base import Scalar, SpecModel, Text
from accelreport.spec.validators import FieldsError
from accelreport.workloads.base import EVERY, TrainingParameters, training_family
from accelreport.workloads.recurrent import Kernel


def _relative(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or PureWindowsPath(text).drive or ".." in path.parts or "\\" in text:
        raise ValueError("must lie below the data folder or the working folder, written with `/`")
    return text


Names = Annotated[list[Text], Field(min_length=1)]
"""Names of columns."""


class SeriesColumns(SpecModel):
    """What a table's columns mean; what is absent is left to the data set."""

    path: Annotated[Text, AfterValidator(_relative)] | None = None
    """For `csv`: the file, below the data folder or else the working folder."""
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
        said: dict[str, Any] = handler(self)
        return {key: value for key, value in said.items() if key not in LATER or value is not None}


LATER = ("where", "sort", "duplicates", "time_zone")
"""Keys of `SeriesColumns` that are younger than the identity of cells."""


CSV_ONLY = (
    "path",
    "time",
    "time_format",
    "inputs",
    "one_hot",
    "na_values",
    "separator",
    "decimal",
    *LATER,
)
"""Keys of `SeriesColumns` that only a file of one's own needs."""


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
    kernel: Kernel = "default"
    """How the GRU is computed."""
    validation_rows: Annotated[int, Field(ge=2)] | None = None
    """Evaluate only the first rows of the validation data."""
    forecast_steps: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Steps of the validation data whose forecast is kept for the page."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        given = self.series.model_dump(exclude_none=True)
        if self.dataset == "csv":
            for key in ("path", "time", "targets"):
                if key not in given:
                    raise FieldsError(f"a CSV file needs `{key}`", f"series.{key}", "dataset")
        else:
            for key in CSV_ONLY:
                if key in given:
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


FAMILY = training_family(
    "Time-series forecast",
    SeriesForecastParameters,
    "accelreport.workloads.series_models",
    options=lambda parameters: parameters.series.model_dump(exclude_none=True),
    frameworks=EVERY,
    recurrent=lambda workload: True,  # noqa: ARG005 - whatever it says
)
"""The family as the registry knows it."""
