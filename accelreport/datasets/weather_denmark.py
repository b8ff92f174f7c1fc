"""Weather of five Danish cities, 1980–2018, hourly (Hvass' time-series tutorial).

The archive holds the readings as text, `weather-denmark.csv`, beside pickles of the same.
Only the text is read. It is brought to full hours as the tutorial does: linearly
interpolated in time within each city, over the hours that all cities cover.
"""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import field_validator

from accelreport.datasets.archives import read_tar_member
from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import Contents, parsed
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.errors import FormatError
from accelreport.datasets.parts import Parts
from accelreport.datasets.series import (
    MissingValues,
    Names,
    SeriesOptions,
    make_series,
    make_stand_in,
    make_table,
)

CITIES = ("Aalborg", "Aarhus", "Esbjerg", "Odense", "Roskilde")

QUANTITIES = ("Temp", "Pressure", "WindSpeed", "WindDir")
"""Temperature (°C), pressure (hPa), wind speed (m/s), direction of the wind (°)."""

GAPPY = ("Esbjerg Pressure", "Roskilde Pressure")
"""Columns with long gaps, which the tutorial leaves out."""

COLUMNS = tuple(f"{city} {quantity}" for city in CITIES for quantity in QUANTITIES)

INPUTS = tuple(name for name in COLUMNS if name not in GAPPY)
"""The 18 columns that a model reads, in addition to day of the year and hour."""

ROWS = 333_109

_MEMBER = "weather-denmark.csv"
_LIMIT = 512 * MEBIBYTE
_FIRST_HOUR = "1980-03-01 11:00"
_VERSION = 1
_HOUR_NS = 3_600_000_000_000


class Options(SeriesOptions):
    """What is predicted."""

    targets: Names = ["Odense Temp", "Odense WindSpeed", "Odense Pressure"]
    """Columns to predict: a city and a quantity."""
    missing: MissingValues = "drop"
    """Hours before a column's first reading have no value."""

    @field_validator("targets")
    @classmethod
    def _known(cls, targets: list[str]) -> list[str]:
        for name in targets:
            if name not in COLUMNS:
                raise ValueError(f"{name!r} is not one of {', '.join(COLUMNS)}")
        return targets


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:
    """Read the archive.

    Returns:
        `inputs` float32 [T, 20] and `targets` float32 [T, 3] of both parts.

    Raises:
        FormatError: when it is damaged or holds other columns.
    """
    (file,) = files
    parse = functools.partial(_parse, file.data)
    arrays = parsed(entry.name, _VERSION, file.sha256, parse)
    times = pd.DatetimeIndex(arrays["hours"] * _HOUR_NS)
    table = pd.DataFrame(arrays["values"], index=times, columns=list(COLUMNS))
    return make_series(table, list(INPUTS), options.targets, options)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Make seasonal series of the same columns and length.

    Returns:
        `inputs` float32 [T, 20] and `targets` float32 [T, 3] of both parts.
    """
    table = make_table(list(COLUMNS), ROWS, seed, start=_FIRST_HOUR)
    note = f"A learnable stand-in of made-up seasonal series, not {entry.title}."
    return make_stand_in(table, list(INPUTS), options.targets, options, note)


def _parse(data: bytes) -> Arrays:
    """Hours since 1970, int64 [T], and their values, float64 [T, 20]."""
    text = read_tar_member(data, _MEMBER, _LIMIT)
    try:
        raw = pd.read_csv(
            io.BytesIO(text),
            usecols=["City", "DateTime", *QUANTITIES],
            dtype={"City": "category"} | dict.fromkeys(QUANTITIES, "float64"),
        )
        moments = pd.to_datetime(raw["DateTime"], format="%Y-%m-%d %H:%M:%S")
    except (ValueError, MemoryError) as error:
        raise FormatError(f"{_MEMBER} has no readings ({error}).") from error
    hours_of = moments.to_numpy().astype("datetime64[ns]").astype(np.int64) / _HOUR_NS
    cities = [_city(raw, hours_of, city) for city in CITIES]
    first = max(int(np.ceil(hours[0])) for hours, _ in cities)
    last = min(int(np.floor(hours[-1])) for hours, _ in cities)
    if last <= first:
        raise FormatError("The cities' readings do not overlap in time.")
    hours = np.arange(first, last + 1)
    values = [_at(hours, when, column) for when, columns in cities for column in columns.T]
    return {"hours": hours, "values": np.column_stack(values)}


def _city(
    raw: pd.DataFrame, hours: NDArray[np.float64], city: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times of a city's readings, float64 [n], and the readings, float64 [n, 4]."""
    here = np.flatnonzero((raw["City"] == city).to_numpy())
    if not len(here):
        raise FormatError(f"{_MEMBER} has no readings of {city}.")
    here = here[np.argsort(hours[here], kind="stable")]
    return hours[here], raw[list(QUANTITIES)].to_numpy(np.float64)[here]


def _at(
    hours: NDArray[np.int64], when: NDArray[np.float64], values: NDArray[Any]
) -> NDArray[np.float64]:
    """Values at full hours on the line between readings; NaN before the first reading."""
    known = np.isfinite(values)
    if not known.any():
        return np.full(len(hours), np.nan)
    line: NDArray[np.float64] = np.interp(hours, when[known], values[known], left=np.nan)
    return line
