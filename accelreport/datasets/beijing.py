"""Five years of hourly weather and air in Beijing: a real series under a free licence."""

from __future__ import annotations

import numpy as np

from accelreport.datasets.archives import ZipArchive
from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.parts import Parts
from accelreport.datasets.series import (
    MissingValues,
    Names,
    TableOptions,
    make_series,
    make_stand_in,
    make_table,
    read_table,
)

MEMBER = "PRSA_data_2010.1.1-2014.12.31.csv"
"""The file in the published archive."""

LIMIT = 64 * MEBIBYTE
"""Largest size of that file in bytes."""

_ROWS = 43_824
_GAPS = 2_067
_FIRST_GAP = 24
_WINDS = ("NE", "NW", "SE", "cv")


class Options(TableOptions):
    """The columns of the file; every default can be changed."""

    time: Names = ["year", "month", "day", "hour"]
    """The columns of the time."""
    targets: Names = ["TEMP", "Iws", "PRES"]
    """Temperature in °C, cumulative wind speed in m/s, pressure in hPa."""
    inputs: Names | None = ["pm2.5", "DEWP", "TEMP", "PRES", "Iws", "Is", "Ir"]
    """Fine dust, dew point, temperature, pressure, cumulative wind speed, hours of snow, rain."""
    one_hot: list[str] = ["cbwd"]
    """Direction of the wind."""
    missing: MissingValues = "interpolate"
    """Fine dust is missing in 2,067 hours, the first 24 among them."""


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:  # noqa: ARG001
    """Read the published zip, or the CSV file that lies in it.

    Returns:
        `inputs` float32 [T, n_in] and `targets` float32 [T, n_out] of both parts.

    Raises:
        FormatError: when it is damaged or holds other columns.
    """
    (file,) = files
    packed = file.path.suffix == ".zip"
    data = ZipArchive(file.data).read(MEMBER, LIMIT) if packed else file.data
    table, inputs = read_table(data, options)
    return make_series(table, inputs, options.targets, options)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Make seasonal series of the same columns, length and number of missing values.

    Returns:
        Arrays as `read` gives them.
    """
    words = [f"{name}={wind}" for name in options.one_hot for wind in _WINDS]
    inputs = options.inputs or ["No", "pm2.5", "DEWP", "TEMP", "PRES", "Iws", "Is", "Ir"]
    columns = list(dict.fromkeys([*inputs, *options.targets, *words]))
    table = make_table(columns, _ROWS, seed, flags=len(words))
    if "pm2.5" in columns:
        rng = np.random.default_rng([seed, 2])
        later = rng.choice(np.arange(_FIRST_GAP, _ROWS), _GAPS - _FIRST_GAP, replace=False)
        table.iloc[[*range(_FIRST_GAP), *later], columns.index("pm2.5")] = np.nan
    note = f"A learnable stand-in of made-up seasonal series, not {entry.title}."
    return make_stand_in(table, [*inputs, *words], options.targets, options, note)
