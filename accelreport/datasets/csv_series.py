"""A person's own CSV file as a series."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from accelreport.datasets.cache import Contents, places, read_bounded
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.errors import DataUnavailable
from accelreport.datasets.parts import Parts
from accelreport.datasets.series import (
    UNITS,
    SeriesError,
    TableOptions,
    make_series,
    make_stand_in,
    make_table,
    read_table,
)

ROWS = 43_824
"""Rows of a stand-in: five years of hours."""

_LIMIT = 1024 * MEBIBYTE
_REMEDY = "Correct the file or the options of the data set, or use `--data synthetic`."


class Options(TableOptions):
    """The file and what its columns mean."""

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
    file = files[0] if files else _read_file(options.path, options.folder)
    try:
        table, inputs = read_table(file.data, options)
        made = make_series(table, inputs, options.targets, options)
    except SeriesError as error:
        raise file.corrupt(str(error)) from error
    return Parts(made.train, made.validation, (), made.note, made.details, (file,))


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


def _read_file(path: str, folder: str) -> Contents:
    known = dict.fromkeys(places(path, folder))
    place = next((place for place in known if place.is_file()), None)
    if place is None:
        raise DataUnavailable(
            f"There is no file {path}.",
            why=f"Looked for: {', '.join(map(str, known))}.",
            remedy="Correct the path, or use `--data synthetic`.",
        )
    data = read_bounded(place, _LIMIT, _REMEDY)
    sha256 = hashlib.sha256(data).hexdigest()
    return Contents(place, data, sha256, official=False, remedy=_REMEDY)


def proposed_columns(path: Path, separator: str = ",") -> dict[str, list[str]]:
    """What the columns of a file seem to mean, by their names and its first row.

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
    called = [name for name in names if _TIME.search(name)]
    time = parts if "year" in map(str.casefold, parts) else (called or names)[:1]
    numbers = [name for name, text in zip(names, first, strict=False) if _is_number(text)]
    return {"time": time, "targets": [name for name in numbers if name not in time][-1:]}


_TIME = re.compile(r"(?i)time|date|stamp")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
