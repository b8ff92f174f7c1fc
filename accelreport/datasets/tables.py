"""A CSV file as a table of numbers over time."""

from __future__ import annotations

import io
from typing import Annotated

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets.series import SeriesError, SeriesOptions

_CATEGORIES = 100
_UNITS = ("year", "month", "day", "hour", "minute", "second")

Names = Annotated[list[str], Field(min_length=1)]
"""Names of columns."""


class TableOptions(SeriesOptions):
    """Which columns of a CSV file mean what."""

    time: Names
    """The column of the time, or columns called year, month, day, hour, minute, second."""
    time_format: str = "ISO8601"
    """How the time is written, in `strptime`'s codes, when it is one column."""
    targets: Names
    """Columns to predict."""
    inputs: Names | None = None
    """Columns that are seen; all columns of numbers when absent."""
    one_hot: list[str] = []
    """Columns of words; each of their words becomes an input that is 0 or 1."""
    na_values: list[str] = []
    """What stands for a missing value beside the usual (empty, NA, NaN, null)."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    """What divides columns."""
    decimal: Annotated[str, Field(min_length=1, max_length=1)] = "."
    """What divides a number from its fraction."""


def read_table(data: bytes, options: TableOptions) -> tuple[pd.DataFrame, list[str]]:
    """Read a CSV file.

    Args:
        data: the file's bytes.
        options: which columns mean what.

    Returns:
        A table of float64 with the times as its index, and the names of its inputs.

    Raises:
        SeriesError: when it is no such table; the message names row and column.
    """
    raw = _parse(data, options)
    named = [*options.time, *options.targets, *(options.inputs or []), *options.one_hot]
    unknown = [name for name in named if name not in raw.columns]
    if unknown:
        raise SeriesError(
            f"It has no column {unknown[0]!r}; its columns are {', '.join(raw.columns)}."
        )
    times = _times(raw, options)
    inputs = options.inputs or _number_columns(raw, options)
    columns = {name: _numbers(raw, name) for name in dict.fromkeys([*inputs, *options.targets])}
    words: list[str] = []
    for name in options.one_hot:
        ones = _one_hot(raw[name], name)
        columns |= ones
        words += ones
    return pd.DataFrame(columns, index=times), [*inputs, *words]


def _parse(data: bytes, options: TableOptions) -> pd.DataFrame:
    try:
        table = pd.read_csv(
            io.BytesIO(data),
            sep=options.separator,
            decimal=options.decimal,
            na_values=options.na_values,
            encoding="utf-8-sig",
            skipinitialspace=True,
            low_memory=False,
        )
    except (ValueError, MemoryError, OverflowError) as error:
        raise SeriesError(f"It is not a CSV file ({str(error).strip()}).") from error
    table.columns = table.columns.astype(str)
    return table


def _times(raw: pd.DataFrame, options: TableOptions) -> pd.DatetimeIndex:
    names = options.time
    try:
        if len(names) == 1:
            moments = pd.to_datetime(raw[names[0]], format=options.time_format, utc=True)
        else:
            units = {name: name.lower() for name in names}
            if not set(units.values()) <= set(_UNITS):
                raise SeriesError(f"Several columns of time must be called {', '.join(_UNITS)}.")
            moments = pd.to_datetime(raw[names].rename(columns=units), utc=True)
    except (ValueError, TypeError, OverflowError) as error:
        if isinstance(error, SeriesError):
            raise
        first = str(error).splitlines()[0]
        raise SeriesError(f"The time in {', '.join(names)} cannot be read ({first}).") from error
    gone = np.flatnonzero(moments.isna().to_numpy())
    if len(gone):
        raise SeriesError(f"The time in row {int(gone[0]) + 1:,} is missing.")
    return pd.DatetimeIndex(moments).tz_localize(None)


def _number_columns(raw: pd.DataFrame, options: TableOptions) -> list[str]:
    left = [name for name in raw.columns if name not in {*options.time, *options.one_hot}]
    numbers = [name for name in left if pd.api.types.is_numeric_dtype(raw[name])]
    if not numbers and not options.one_hot:
        raise SeriesError("It has no columns of numbers beside the time.")
    return numbers


def _numbers(raw: pd.DataFrame, name: str) -> NDArray[np.float64]:
    column = raw[name]
    values = pd.to_numeric(column, errors="coerce").astype(np.float64)
    wrong = np.flatnonzero(
        (values.isna() & column.notna()).to_numpy() | np.isinf(values.to_numpy())
    )
    if len(wrong):
        row = int(wrong[0])
        raise SeriesError(
            f"Column {name!r} holds {str(column.iloc[row])!r} in row {row + 1:,}, which is no "
            "number; name it in one_hot, or the text in na_values."
        )
    return np.asarray(values, np.float64)


def _one_hot(column: pd.Series, name: str) -> dict[str, NDArray[np.float64]]:
    """One column of 0 and 1 for each word; a missing word is missing in all of them."""
    words = sorted(str(word) for word in column.dropna().unique())
    if len(words) > _CATEGORIES:
        raise SeriesError(
            f"Column {name!r} holds {len(words):,} different words; at most {_CATEGORIES}."
        )
    text = column.astype(str).where(column.notna())
    return {
        f"{name}={word}": np.where(text.isna(), np.nan, text == word).astype(np.float64)
        for word in words
    }
