"""From a table of measurements to scaled inputs and targets that lie ahead."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts
from accelreport.datasets.errors import DataOptionsError
from accelreport.datasets.parts import Parts

Missing = Literal["fail", "drop", "forward_fill", "interpolate"]
"""What becomes of missing values: an error, the row left out, the last value again, or a
straight line in time between the neighbours."""

_SHORTEST = 16


class SeriesError(ValueError):
    """The table cannot become a series."""


class SeriesOptions(parts.Options):
    """How a table becomes inputs and targets."""

    horizon: Annotated[int, Field(ge=0)] = 24
    """Rows by which the targets lie ahead of the inputs."""
    train_share: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Share of the rows, the earliest, that trains; the rest validates."""
    missing: Missing = "fail"
    """What becomes of missing values."""
    calendar: bool = True
    """Add day of the year and hour of the day to the inputs."""


def make_series(
    table: pd.DataFrame,
    inputs: list[str],
    targets: list[str],
    options: SeriesOptions,
    note: str = "",
) -> Parts:
    """Scale, shift and divide a table.

    Inputs and targets are brought to [0, 1] by the least and the greatest value of the
    training part (min-max scaling), so that later values may lie a little outside.

    Args:
        table: numbers by column, with increasing times as its index.
        inputs: columns that are seen.
        targets: columns that are predicted, `horizon` rows ahead.
        options: how.
        note: what a reader must know already.

    Returns:
        `inputs` float32 [T, n_in] and `targets` float32 [T, n_out] of both parts. Details:
        names; for each column the values [low, high] that 0 and 1 stand for (forecasts in
        real units: value · (high − low) + low); horizon; times; seconds between rows.

    Raises:
        SeriesError: when times do not increase, values are missing and may not be, or too
            little is left.
    """
    wanted = list(dict.fromkeys([*inputs, *targets]))
    table, told = _without_missing(_in_order(table[wanted]), options.missing)
    rows = len(table) - options.horizon
    border = int(options.train_share * rows)
    if rows < _SHORTEST or not 0 < border < rows:
        raise SeriesError(f"It leaves {max(rows, 0):,} rows; at least {_SHORTEST} are needed.")
    times = pd.DatetimeIndex(table.index)
    x = table[inputs].to_numpy(np.float64)
    names = list(inputs)
    if options.calendar:
        x = np.column_stack([x, times.day_of_year, times.hour])
        names += ["day of year", "hour"]
    y = table[targets].to_numpy(np.float64)[options.horizon :]
    x_scaled, x_range = _scale(x[:rows], border)
    y_scaled, y_range = _scale(y, border)
    gaps = np.diff(times.to_numpy()).astype("timedelta64[s]").astype(np.int64)
    if gaps.min() != gaps.max():
        told.append("The rows are not equally far apart in time.")
    details: dict[str, Any] = {"inputs": names, "targets": list(targets)}
    details |= {"input_range": x_range, "target_range": y_range, "horizon": options.horizon}
    details |= _when(times, border) | {"step_s": float(np.median(gaps))}
    return Parts(
        train={"inputs": x_scaled[:border], "targets": y_scaled[:border]},
        validation={"inputs": x_scaled[border:], "targets": y_scaled[border:]},
        note=" ".join([*([note] if note else []), *told]),
        details=details,
    )


def _when(times: pd.DatetimeIndex, border: int) -> dict[str, str]:
    """Where the training part starts, the validation part starts, and both end."""
    told = {"first_time": times[0], "validation_time": times[border], "last_time": times[-1]}
    return {name: time.isoformat() for name, time in told.items()}


def make_stand_in(
    table: pd.DataFrame, inputs: list[str], targets: list[str], options: SeriesOptions, note: str
) -> Parts:
    """`make_series` of a made-up table, in which only the options can be wrong.

    Raises:
        DataOptionsError: when they leave too little.
    """
    try:
        return make_series(table, inputs, targets, options, note)
    except SeriesError as error:
        raise DataOptionsError("No stand-in can be made.", why=str(error)) from error


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    times = table.index.to_numpy()
    back = np.flatnonzero(times[1:] <= times[:-1])
    if len(back):
        row = int(back[0]) + 2
        raise SeriesError(
            f"The time in row {row:,} ({times[row - 1]}) is not after the one before it."
        )
    return table


def _without_missing(table: pd.DataFrame, missing: Missing) -> tuple[pd.DataFrame, list[str]]:
    """The table with every value there, and what was done, in words."""
    gone = table.isna()
    count = int(gone.to_numpy().sum())
    if not count:
        return table, []
    if missing == "fail":
        column = str(gone.sum().idxmax())
        row = int(np.flatnonzero(gone[column].to_numpy())[0]) + 1
        raise SeriesError(
            f"{count:,} values are missing, such as {column!r} in row {row:,}; "
            'say missing = "interpolate", "forward_fill" or "drop".'
        )
    told: list[str] = []
    how = ""
    if missing == "forward_fill":
        table = table.ffill()
        how = "given the last value before them"
    elif missing == "interpolate":
        table = table.interpolate(method="time", limit_area="inside").ffill()
        how = "interpolated in time"
    filled = count - int(table.isna().to_numpy().sum())
    if filled:
        told.append(f"{filled:,} missing values were {how}.")
    whole = table.dropna()
    if len(whole) < len(table):
        told.append(f"{len(table) - len(whole):,} rows without all values were left out.")
    return whole, told


def _scale(
    values: NDArray[np.float64], border: int
) -> tuple[NDArray[np.float32], list[list[float]]]:
    """Min-max scaling fitted on the first rows, with the values that 0 and 1 stand for.

    A column that does not change there is only shifted, so that 1 is one unit more.
    """
    least, most = values[:border].min(axis=0), values[:border].max(axis=0)
    span = np.where(most > least, most - least, 1.0)
    ranges = np.stack([least, least + span], axis=1).tolist()
    return ((values - least) / span).astype(np.float32), ranges
