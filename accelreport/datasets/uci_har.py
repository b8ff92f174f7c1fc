"""Human activity from a phone's sensors: windows of nine inertial signals."""

from __future__ import annotations

import functools
import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.archives import ZipArchive
from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import Contents, parsed
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.errors import FormatError
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts
from accelreport.datasets.stand_in import patterns

STEPS = 128
"""Samples in a window, at 50 Hz."""
MOVED = 8.0
"""Samples by which a synthetic window is moved in time, at most."""

SIGNALS = tuple(
    f"{kind}_{axis}" for kind in ("body_acc", "body_gyro", "total_acc") for axis in "xyz"
)
"""The signals, in the order of the last dimension."""

CLASSES = (
    "WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING",
)  # fmt: skip

COUNTS = ((1226, 1073, 986, 1286, 1374, 1407), (496, 471, 420, 491, 532, 537))
"""Windows of each activity in the training and the test part of the published files."""

_INNER = "UCI HAR Dataset.zip"
_FOLDER = "UCI HAR Dataset"
_LIMIT = 128 * MEBIBYTE
_VERSION = 1


def read(entry: CatalogueEntry, files: list[Contents], options: Any) -> Parts:  # noqa: ARG001
    """Read the published zip, or the one that lies in it; parts are split by person.

    Returns:
        `x` float32 [n, 128, 9] and `y` uint8 [n] of both parts; activities from 0.

    Raises:
        FormatError: when the archive is damaged or laid out otherwise.
    """
    (file,) = files
    archive = ZipArchive(file.data)
    if _INNER in archive.names:
        archive = ZipArchive(archive.read(_INNER, _LIMIT))
    text = archive.read(f"{_FOLDER}/activity_labels.txt", MEBIBYTE).decode("latin-1")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    valid = all(len(row) == 2 and re.fullmatch(r"\w{1,60}", row[1]) for row in rows)
    if not rows or not valid or [row[0] for row in rows] != numbers:
        raise FormatError("activity_labels.txt does not name the activities 1, 2, 3 …")
    classes = tuple(name for _, name in rows)
    parse = functools.partial(_parse, archive, len(classes))
    arrays = parsed(entry.name, _VERSION, file.sha256, parse)
    train, validation = (
        {"x": arrays[f"x_{part}"], "y": arrays[f"y_{part}"]} for part in ("train", "test")
    )
    return Parts(train, validation, classes, details={"signals": list(SIGNALS)})


def synthetic(entry: CatalogueEntry, seed: int, options: Any) -> Parts:  # noqa: ARG001
    """Make windows of patterns, as many of each class as the published files hold.

    Returns:
        `x` float32 [7352, 128, 9] and `y` uint8 [7352], and 2,947 of both to validate.
    """
    shape = STEPS, len(SIGNALS)
    train, validation = (
        patterns(shape, counts, seed, part, (MOVED, 0.0)) for part, counts in enumerate(COUNTS)
    )
    note = f"A learnable stand-in of patterns, not {entry.title}."
    return Parts(train, validation, CLASSES, note, {"signals": list(SIGNALS)})


def _parse(archive: ZipArchive, classes: int) -> Arrays:
    arrays: dict[str, NDArray[Any]] = {}
    for part in ("train", "test"):
        labels = _table(archive, f"{part}/y_{part}.txt").ravel()
        if not np.isin(labels, np.arange(1, classes + 1)).all():
            raise FormatError(f"y_{part}.txt has numbers other than 1 to {classes}.")
        x = np.empty((len(labels), STEPS, len(SIGNALS)), np.float32)
        for number, signal in enumerate(SIGNALS):
            name = f"{part}/Inertial Signals/{signal}_{part}.txt"
            values = _table(archive, name)
            if values.shape != (len(labels), STEPS):
                raise FormatError(
                    f"{name} holds {values.shape[0]:,} × {values.shape[1]} values, "
                    f"not {len(labels):,} windows of {STEPS}."
                )
            if not np.isfinite(values).all():
                raise FormatError(f"{name} has values that are not numbers.")
            x[:, :, number] = values
        arrays[f"x_{part}"] = x
        arrays[f"y_{part}"] = (labels - 1).astype(np.uint8)
    return arrays


def _table(archive: ZipArchive, name: str) -> NDArray[np.float32]:
    """Rows of numbers, float32 [rows, columns]."""
    data = archive.read(f"{_FOLDER}/{name}", _LIMIT)
    if not data.strip():
        raise FormatError(f"{name} is empty.")
    try:
        return np.loadtxt(io.BytesIO(data), np.float32, ndmin=2, comments=None)
    except ValueError as error:
        raise FormatError(f"{name} has no rows of numbers ({error}).") from error
