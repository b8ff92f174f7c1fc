"""Time series: a CSV file as a table of measurements, scaled inputs, and targets that lie ahead.

Modules of data sets of series use it, and it is the module of a user's own file.

The synthetic table has a yearly course, a daily course, and weather that passes from column to
column. A few slow random processes (first-order autoregressive, with memories from hours to days)
represent fronts. Each column follows some of them with its own delay, so that the values of the
next day can be predicted in part.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts
from accelreport.datasets.cache import Contents, file_at, misspelt, places, read_bounded
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.errors import DataOptionsError, DataUnavailable, FormatError
from accelreport.datasets.parts import Parts

MissingValues = Literal["fail", "drop", "forward_fill", "interpolate"]
"""What becomes of missing values: an error, the row left out, the last value again, or a
straight line in time between the neighbours."""

Duplicates = Literal["fail", "first", "last", "mean"]
"""What becomes of rows of the same time: an error, one of them, or the mean of their values."""

_SHORTEST = 16


class SeriesOptions(parts.Options):
    """How a table becomes inputs and targets."""

    horizon: Annotated[int, Field(ge=0)] = 24
    """Rows by which the targets lie ahead of the inputs."""
    train_share: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Share of the rows, the earliest, that trains; the rest validates."""
    missing: MissingValues = "fail"
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
        inputs: columns that the model reads.
        targets: columns that it predicts, `horizon` rows ahead.
        options: the division, the horizon and the missing values.
        note: the beginning of the data set's note.

    Returns:
        `inputs` float32 [T, n_in] and `targets` float32 [T, n_out] of both parts. Details:
        names; for each column the values [low, high] that 0 and 1 stand for (forecasts in
        real units: value · (high − low) + low); horizon; times; seconds between rows.

    Raises:
        FormatError: when values are missing and may not be, or too little is left.
    """
    wanted = list(dict.fromkeys([*inputs, *targets]))
    table, missing_note = _without_missing(table[wanted], options.missing)
    rows = len(table) - options.horizon
    border = int(options.train_share * rows)
    if rows < _SHORTEST or not 0 < border < rows:
        raise FormatError(f"It leaves {max(rows, 0):,} rows; at least {_SHORTEST} are needed.")
    times = pd.DatetimeIndex(table.index)
    x = table[inputs].to_numpy(np.float64)
    names = list(inputs)
    if options.calendar:
        x = np.column_stack([x, times.day_of_year, times.hour])
        names += ["day of year", "hour"]
    y = table[targets].to_numpy(np.float64)[options.horizon :]
    x_scaled, x_range = _scale(x[:rows], border)
    y_scaled, y_range = _scale(y, border)
    gaps = np.diff(times.to_numpy()) / np.timedelta64(1, "s")
    if gaps.min() != gaps.max():
        missing_note.append("The rows are not equally spaced in time.")
    details: dict[str, Any] = {"inputs": names, "targets": list(targets)}
    details |= {"input_range": x_range, "target_range": y_range, "horizon": options.horizon}
    moments = {"first_time": times[0], "validation_time": times[border], "last_time": times[-1]}
    details |= {name: moment.isoformat() for name, moment in moments.items()}
    details["step_s"] = float(np.median(gaps))
    return Parts(
        train={"inputs": x_scaled[:border], "targets": y_scaled[:border]},
        validation={"inputs": x_scaled[border:], "targets": y_scaled[border:]},
        note=" ".join([*([note] if note else []), *missing_note]),
        details=details,
    )


def make_stand_in(
    table: pd.DataFrame, inputs: list[str], targets: list[str], options: SeriesOptions, note: str
) -> Parts:
    """`make_series` of a made-up table, in which only the options can be wrong.

    Raises:
        DataOptionsError: when they leave too little.
    """
    try:
        return make_series(table, inputs, targets, options, note)
    except FormatError as error:
        raise DataOptionsError("Synthetic data cannot be made.", why=str(error)) from error


def _without_missing(table: pd.DataFrame, missing: MissingValues) -> tuple[pd.DataFrame, list[str]]:
    """The table with every value there, and what was done, in words."""
    gone = table.isna()
    count = int(gone.to_numpy().sum())
    if not count:
        return table, []
    if missing == "fail":
        column = str(gone.sum().idxmax())
        # By its time: of rows that were chosen or put in order, the number says nothing.
        first = table.index[int(np.flatnonzero(gone[column].to_numpy())[0])]
        raise FormatError(
            f"{count:,} values are missing, such as {column!r} at {first}; write missing = "
            '"interpolate", "forward_fill" or "drop".'
        )
    notes: list[str] = []
    how = ""
    if missing == "forward_fill":
        table = table.ffill()
        how = "given the last value before them"
    elif missing == "interpolate":
        table = table.interpolate(method="time", limit_area="inside").ffill()
        how = "interpolated in time"
    filled = count - int(table.isna().to_numpy().sum())
    if filled:
        notes.append(f"{filled:,} missing values were {how}.")
    whole = table.dropna()
    if len(whole) < len(table):
        notes.append(f"{len(table) - len(whole):,} rows without all values were left out.")
    return whole, notes


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


_CATEGORIES = 100
UNITS = ("year", "month", "day", "hour", "minute", "second")
"""Names of columns that together are a time."""

Names = Annotated[list[str], Field(min_length=1)]


class TableOptions(SeriesOptions):
    """Which columns of a CSV file mean what; `SeriesColumns` of a spec says what each key means."""

    time: Names
    time_format: str = "ISO8601"
    targets: Names
    inputs: Names | None = None
    one_hot: list[str] = []
    na_values: list[str] = []
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    decimal: Annotated[str, Field(min_length=1, max_length=1)] = "."
    where: dict[str, str | bool | int | float] = {}
    sort: bool = False
    duplicates: Duplicates = "fail"
    time_zone: str | None = None


def read_table(data: bytes, options: TableOptions) -> tuple[pd.DataFrame, list[str]]:
    """Read a CSV file.

    Args:
        data: the file's bytes.
        options: which columns mean what.

    Returns:
        A table of float64 with the times as its index, and the names of its inputs.

    Raises:
        FormatError: when it is no such table; the message names row and column.
    """
    raw = parse_csv(data, options.separator, decimal=options.decimal, na_values=options.na_values)
    named = [*options.where, *options.time, *options.targets, *(options.inputs or [])]
    named += options.one_hot
    unknown = [name for name in named if name not in raw.columns]
    if unknown:
        raise FormatError(
            f"It has no column {unknown[0]!r}; its columns are {', '.join(raw.columns)}."
        )
    for name, value in options.where.items():
        column = raw[name]
        alike = (
            column == value
            if pd.api.types.is_numeric_dtype(column) and not isinstance(value, str)
            else column.astype(str) == str(value)
        )
        if not alike.any():
            held = ", ".join(map(str, column.dropna().unique()[:5]))
            raise FormatError(f"No row has {value!r} in column {name!r}, which has {held} ….")
        raw = raw[alike]
    times = _times(raw, options)
    inputs = options.inputs or _number_columns(raw, options)
    columns = {name: _numbers(raw, name) for name in dict.fromkeys([*inputs, *options.targets])}
    words: list[str] = []
    for name in options.one_hot:
        ones = _one_hot(raw[name], name)
        columns |= ones
        words += ones
    table = pd.DataFrame(columns, index=times)
    if options.sort:
        table = table.sort_index(kind="stable")
    if options.duplicates == "mean":
        table = table.groupby(level=0, sort=False).mean()
    elif options.duplicates != "fail":
        table = table[~table.index.duplicated(keep=options.duplicates)]
    if not (table.index.is_monotonic_increasing and table.index.is_unique):
        raise FormatError(_disorder(raw, times))
    return table, [*inputs, *words]


def _disorder(raw: pd.DataFrame, times: pd.DatetimeIndex) -> str:
    """A message about the first row that is not after the one before it, with the remedy."""
    moments = times.to_numpy()
    row = int(np.flatnonzero(moments[1:] <= moments[:-1])[0]) + 1
    message = (
        f"The time in row {raw.index[row] + 1:,} ({moments[row]}) is not after the one before it"
    )
    if times.is_unique:
        return f"{message}; write sort = true to sort the rows."
    # A few repeated rows are no sign of another series.
    mixed = times.duplicated(keep=False).mean() > 0.5
    for name in raw.columns if mixed else ():
        kinds = raw[name].nunique()
        apart = 1 < kinds <= len(raw) // _SHORTEST and not raw[name].isna().any()
        if apart and not pd.MultiIndex.from_arrays([raw[name], times]).has_duplicates:
            one = raw[name].iloc[0]
            value = f'"{one}"' if isinstance(one, str) else str(one)
            return (
                f"{message}: {kinds} series are mixed, which column {name!r} separates. Select one "
                f"with where = {{ {json.dumps(name)} = {value} }}."
            )
    return f'{message}; write duplicates = "first", "last" or "mean", with sort = true if needed.'


def parse_csv(data: bytes, separator: str, *, header: bool = True, **options: Any) -> pd.DataFrame:
    """The rows of a CSV file, with the names of its columns as text.

    Args:
        data: the file's bytes.
        separator: what divides columns.
        header: whether the first line names them; else they are called 0, 1, 2 …
        options: further keywords of `pandas.read_csv`.

    Raises:
        FormatError: it is none, or two of its columns have one name.
    """

    def read(**given: Any) -> pd.DataFrame:
        given |= {"sep": separator, "encoding": "utf-8-sig", "skipinitialspace": True}
        table: pd.DataFrame = pd.read_csv(io.BytesIO(data), low_memory=False, **given)
        return table

    try:
        names = read(header=None, nrows=1, dtype=str, keep_default_na=False)
        table = read(header=0 if header else None, **options)
    except (ValueError, MemoryError, OverflowError) as error:
        raise FormatError(f"It is not a CSV file ({str(error).strip()}).") from error
    table.columns = table.columns.astype(str)
    columns: set[str] = set()
    for name in map(str, names.iloc[0]) if header else ():
        if name and name in columns:  # pandas would call it `name.1`
            raise FormatError(f"It has two columns with the name {name!r}.")
        columns.add(name)
    return table


def _times(raw: pd.DataFrame, options: TableOptions) -> pd.DatetimeIndex:
    names, utc = options.time, options.time_zone is None
    units = {name: name.lower() for name in names}
    if len(names) > 1 and not set(units.values()) <= set(UNITS):
        raise FormatError(f"Several columns of time must be called {', '.join(UNITS)}.")
    try:
        if len(names) == 1:
            moments = pd.to_datetime(raw[names[0]], format=options.time_format, utc=utc)
        else:
            moments = pd.to_datetime(raw[names].rename(columns=units), utc=utc)
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError(_unread_time(raw, options)) from error
    gone = np.flatnonzero(moments.isna().to_numpy())
    if len(gone):
        raise FormatError(f"The time in row {raw.index[gone[0]] + 1:,} is missing.")
    read = pd.DatetimeIndex(moments)
    if options.time_zone is not None and read.tz is None:
        try:
            read = read.tz_localize(options.time_zone, ambiguous="infer")
        except (ValueError, KeyError, OSError) as error:
            message = f"The times do not fit the time zone {options.time_zone} ({error})."
            raise FormatError(message) from error
    read = read.tz_convert("UTC").tz_localize(None)
    beyond = np.flatnonzero((read.year < MINYEAR) | (read.year > MAXYEAR))
    if len(beyond):
        message = f"The time {read[beyond[0]]} in row {raw.index[beyond[0]] + 1:,}"
        raise FormatError(f"{message} is outside the years {MINYEAR} to {MAXYEAR}.")
    return read


def _unread_time(raw: pd.DataFrame, options: TableOptions) -> str:
    """A message about the first unreadable time, with the remedy."""
    names = options.time
    if len(names) > 1:
        return f"Columns {', '.join(names)} are not times, such as {raw[names].iloc[0].tolist()}."
    column, expected = raw[names[0]], options.time_format
    read = pd.to_datetime(column, format=expected, utc=True, errors="coerce")
    row = int(np.flatnonzero((read.isna() & column.notna()).to_numpy())[0])
    how = "a date such as 2020-12-31 23:00" if expected == "ISO8601" else expected
    return (
        f"The time {str(column.iloc[row])!r} in row {raw.index[row] + 1:,} of {names[0]} cannot "
        f'be read as {how}; give its format in time_format, such as "%d.%m.%Y %H:%M".'
    )


def _number_columns(raw: pd.DataFrame, options: TableOptions) -> list[str]:
    left = [name for name in raw.columns if name not in {*options.time, *options.one_hot}]
    numbers = [name for name in left if pd.api.types.is_numeric_dtype(raw[name])]
    if not numbers and not options.one_hot:
        raise FormatError("It has no columns of numbers besides the time.")
    return numbers


def _numbers(raw: pd.DataFrame, name: str) -> NDArray[np.float64]:
    column = raw[name]
    values = pd.to_numeric(column, errors="coerce").astype(np.float64)
    wrong = np.flatnonzero(
        (values.isna() & column.notna()).to_numpy() | np.isinf(values.to_numpy())
    )
    if len(wrong):
        row = int(wrong[0])
        raise FormatError(
            f"Column {name!r} has {str(column.iloc[row])!r} in row {raw.index[row] + 1:,}, which "
            "is not a number; name the column in one_hot, or the text in na_values."
        )
    return np.asarray(values, np.float64)


def _one_hot(column: pd.Series, name: str) -> dict[str, NDArray[np.float64]]:
    """One column of 0 and 1 for each word; a missing word is missing in all of them."""
    words = sorted(str(word) for word in column.dropna().unique())
    if len(words) > _CATEGORIES:
        raise FormatError(
            f"Column {name!r} has {len(words):,} different words; at most {_CATEGORIES} are "
            "allowed."
        )
    text = column.astype(str).where(column.notna())
    return {
        f"{name}={word}": np.where(text.isna(), np.nan, text == word).astype(np.float64)
        for word in words
    }


_FRONTS = 6
_HOURS_IN_YEAR = 8766
_CONCEPT_SEED = 19_800_301
_DELAY = 36


def make_table(
    columns: list[str], rows: int, seed: int, *, flags: int = 0, start: str = "2010-01-01"
) -> pd.DataFrame:
    """Make hourly series.

    Args:
        columns: their names.
        rows: hours.
        seed: the seed; the same seed gives the same series.
        flags: how many of the last columns hold only 0 and 1, exactly one of them 1 in
            each row.
        start: time of the first row.

    Returns:
        float64 [rows, columns], with hourly times as its index.
    """
    concept = np.random.default_rng(_CONCEPT_SEED)  # the same climate, whatever the seed
    fronts = _fronts(rows + _DELAY, np.random.default_rng([seed, 0]))
    noise = np.random.default_rng([seed, 1])
    hours = np.arange(rows)
    values = np.empty((rows, len(columns)))
    for number in range(len(columns)):
        weights = concept.normal(0, 0.5, _FRONTS)
        delays = concept.integers(0, _DELAY, _FRONTS)
        year, day = concept.uniform(0, 2 * np.pi, 2)
        level, span = concept.uniform(-10, 30), concept.uniform(2, 12)
        course = 1.2 * np.sin(2 * np.pi * hours / _HOURS_IN_YEAR + year)
        course += 0.4 * np.sin(2 * np.pi * hours / 24 + day)
        for front, weight, delay in zip(fronts, weights, delays, strict=True):
            course += weight * front[_DELAY - delay : _DELAY - delay + rows]
        course += 0.15 * noise.standard_normal(rows)
        values[:, number] = level + span * course
    if flags:
        highest = values[:, -flags:].argmax(axis=1)
        values[:, -flags:] = np.eye(flags)[highest]
    times = pd.date_range(start, periods=rows, freq="h")
    return pd.DataFrame(values, index=times, columns=columns)


def _fronts(rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Processes of unit variance, float64 [fronts, rows]."""
    from scipy.signal import lfilter

    memory = np.exp(-1 / np.geomspace(8, 120, _FRONTS))
    shocks = rng.standard_normal((_FRONTS, rows)) * np.sqrt(1 - memory**2)[:, None]
    return np.stack([lfilter([1.0], [1.0, -m], row) for m, row in zip(memory, shocks, strict=True)])


ROWS = 43_824
"""Rows of a stand-in: five years of hours."""

_LIMIT = 1024 * MEBIBYTE
_REMEDY = "Correct the file or the options of the data set, or use `--data synthetic`."


class Options(TableOptions):
    """The file of a series of one's own, and what its columns mean."""

    path: Annotated[str, Field(min_length=1)]
    """The file; when not absolute, `places` says where it is looked for."""
    folder: str = ""
    """Folder of the spec; empty where there is none."""


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:  # noqa: ARG001
    """Read the file, or the sample of it that is given.

    Returns:
        `inputs` float32 [T, n_in] and `targets` float32 [T, n_out] of both parts.

    Raises:
        DataUnavailable: when there is no such file.
        DataCorrupt: when it is no table of the kind that the options describe.
    """
    if files:
        (file,) = files
    else:
        place = file_at(options.path, options.folder)
        if place is None:
            tried = list(dict.fromkeys(places(options.path, options.folder)))
            raise DataUnavailable(
                f"There is no file {options.path}.",
                why=f"Tried: {', '.join(map(str, tried))}.",
                remedy=misspelt(tried[0]) + "Correct the path, or use `--data synthetic`.",
            )
        data = read_bounded(place, _LIMIT, _REMEDY)
        sha256 = hashlib.sha256(data).hexdigest()
        file = Contents(place, data, sha256, official=False, remedy=_REMEDY)
    try:
        table, inputs = read_table(file.data, options)
        series = make_series(table, inputs, options.targets, options)
    except FormatError as error:
        raise file.corrupt(str(error)) from error
    return replace(series, files=(file,))


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:  # noqa: ARG001
    """Make seasonal series with the columns that the options name, 43,824 hours long.

    Returns:
        Arrays as `read` gives them; the file is not read, so inputs that the options leave
        to the file are the targets and three more.
    """
    inputs = options.inputs or [*options.targets, "a", "b", "c"]
    words = [f"{name}={word}" for name in options.one_hot for word in "abcd"]
    columns = list(dict.fromkeys([*inputs, *options.targets, *words]))
    table = make_table(columns, ROWS, seed, flags=len(words))
    note = "A learnable stand-in of made-up seasonal series, not your file."
    return make_stand_in(table, [*inputs, *words], options.targets, options, note)


def proposed_columns(path: Path, separator: str) -> dict[str, list[str]]:
    """The probable meaning of a file's columns, by their names and its first row.

    Args:
        path: a CSV file with a line of names.
        separator: what divides columns.

    Returns:
        `time`: the column called so, columns called year, month, day …, or the first one;
        `targets`: the last column of numbers. Empty where the file has no such column.

    Raises:
        DataUnavailable: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=separator)
            names, first = next(rows, []), next(rows, [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise DataUnavailable(f"{path} cannot be read.", why=f"{why}.", remedy=_REMEDY) from error
    parts = [name for name in names if name.casefold() in UNITS]
    called = [name for name in names if re.search("(?i)time|date|stamp", name)]
    time = parts if "year" in map(str.casefold, parts) else (called or names)[:1]
    numbers = [name for name, text in zip(names, first, strict=False) if is_float(text)]
    return {"time": time, "targets": [name for name in numbers if name not in time][-1:]}


def is_float(text: str) -> bool:
    """Whether a text is a number as Python writes one."""
    try:
        float(text)
    except ValueError:
        return False
    return True
