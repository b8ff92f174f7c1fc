"""Human activity from a phone's sensors: windows of nine inertial signals.

Synthetic signals are gait for the three kinds of walking and gravity for the rest.
Each window belongs to a made-up person with a pace, a strength and a way of carrying the
phone. Walking is a few harmonics of the pace, whose mixture differs by activity; sitting
and standing differ only by how the phone is turned, which overlaps between people, as it
does on the real recordings.
"""

from __future__ import annotations

import functools
import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.archives import ArchiveError, ZipArchive
from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import Contents, parsed
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts

STEPS = 128
"""Samples in a window, at 50 Hz."""

_RATE_HZ = 50.0
_HARMONICS = 3
_PEOPLE = 30
_CONCEPT_SEED = 20_210_924
# Pace in Hz and strength of the movement, by activity.
_PACE = np.array([1.9, 1.65, 2.1, 0.3, 0.3, 0.2])
_STRENGTH = np.array([0.22, 0.20, 0.28, 0.012, 0.010, 0.008])
# Where gravity points (x, y, z), in g.
_GRAVITY = np.array(
    [
        [0.97, -0.15, 0.10],
        [0.95, -0.22, 0.12],
        [0.97, -0.12, 0.05],
        [0.93, 0.10, 0.22],
        [0.98, -0.12, 0.04],
        [-0.10, 0.65, 0.68],
    ]
)


def make_motion(counts: tuple[int, ...], seed: int, part: int) -> dict[str, NDArray[np.generic]]:
    """Make windows of every activity in a random order.

    Args:
        counts: windows of each activity.
        seed: the seed; the same seed gives the same windows.
        part: 0 for training, 1 for validation: other people doing the same.

    Returns:
        `x` float32 [Σ counts, 128, 9]: acceleration of the body (g), angular velocity
        (rad/s), acceleration with gravity (g), each along x, y and z; `y` uint8 [Σ counts].
    """
    rng = np.random.default_rng([seed, part])
    y = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    rng.shuffle(y)
    person = rng.integers(0, _PEOPLE, len(y))
    body, gyro = _move(y, person, rng)
    turned = _GRAVITY[y] + 0.12 * rng.standard_normal((_PEOPLE, 3))[person]
    turned += 0.10 * rng.standard_normal((len(y), 3))
    gravity = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    total = body + gravity[:, None, :].astype(np.float32)
    return {"x": np.concatenate([body, gyro, total], axis=2), "y": y}


def _move(
    y: NDArray[np.uint8], person: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Acceleration and turning of the body, each float32 [n, 128, 3]."""
    n = len(y)
    # The mixture of harmonics tells the activities apart, whatever the seed.
    concept = np.random.default_rng(_CONCEPT_SEED)
    mixture = concept.uniform(0.2, 1, (len(_PACE), 6, _HARMONICS)) / np.arange(1, 1 + _HARMONICS)
    lag = concept.uniform(0, 2 * np.pi, (len(_PACE), 6, _HARMONICS))
    pace = _PACE[y] * (1 + 0.10 * rng.standard_normal(_PEOPLE)[person])
    strength = _STRENGTH[y] * np.exp(0.3 * rng.standard_normal(_PEOPLE)[person])
    strength *= np.exp(0.25 * rng.standard_normal(n))
    phase = rng.uniform(0, 2 * np.pi, n)
    time = np.arange(STEPS) / _RATE_HZ
    angle = 2 * np.pi * pace[:, None] * time + phase[:, None]
    own = np.exp(0.35 * rng.standard_normal((n, 6, _HARMONICS)))
    weights = (mixture[y] * own * strength[:, None, None]).astype(np.float32)
    moved = np.zeros((n, STEPS, 6), np.float32)
    for harmonic in range(_HARMONICS):
        for channel in range(6):
            wave = np.sin((harmonic + 1) * angle + lag[y, channel, harmonic][:, None])
            moved[:, :, channel] += wave * weights[:, channel, harmonic][:, None]
    noise = rng.standard_normal(moved.shape, np.float32)
    moved += noise * (0.006 + 0.35 * strength[:, None, None]).astype(np.float32)
    return moved[:, :, :3], 3 * moved[:, :, 3:]


SIGNALS = tuple(
    f"{kind}_{axis}" for kind in ("body_acc", "body_gyro", "total_acc") for axis in "xyz"
)
"""The signals, in the order of the last dimension."""

CLASSES = (
    "WALKING", "WALKING_UPSTAIRS", "WALKING_DOWNSTAIRS", "SITTING", "STANDING", "LAYING",
)  # fmt: skip
"""The activities of the published files."""

COUNTS = ((1226, 1073, 986, 1286, 1374, 1407), (496, 471, 420, 491, 532, 537))
"""Windows of each activity in the training and the test part of the published files."""

_INNER = "UCI HAR Dataset.zip"
_FOLDER = "UCI HAR Dataset"
_LIMIT = 128 * MEBIBYTE
_VERSION = 1


class _LayoutError(ValueError):
    """A text in the archive is not what it should be."""


def read(entry: CatalogueEntry, files: list[Contents], options: Any) -> Parts:  # noqa: ARG001
    """Read the published zip, or the one that lies in it; parts are split by person.

    Returns:
        `x` float32 [n, 128, 9] and `y` uint8 [n] of both parts; activities from 0.

    Raises:
        DataCorrupt: when the archive is damaged or laid out otherwise.
    """
    (file,) = files
    try:
        archive = ZipArchive(file.data)
        if _INNER in archive.names:
            archive = ZipArchive(archive.read(_INNER, _LIMIT))
        classes = _classes(archive)
        parse = functools.partial(_parse, archive, len(classes))
        arrays = parsed(entry.name, _VERSION, file.sha256, parse)
    except (ArchiveError, _LayoutError) as error:
        raise file.corrupt(str(error)) from error
    train, validation = (
        {"x": arrays[f"x_{part}"], "y": arrays[f"y_{part}"]} for part in ("train", "test")
    )
    return Parts(train, validation, classes, details={"signals": list(SIGNALS)})


def synthetic(entry: CatalogueEntry, seed: int, options: Any) -> Parts:  # noqa: ARG001
    """Make windows of walking, resting and noise, as many as the published files hold.

    Returns:
        `x` float32 [7352, 128, 9] and `y` uint8 [7352], and 2,947 of both to validate.
    """
    train, validation = (make_motion(COUNTS[part], seed, part) for part in (0, 1))
    note = f"A learnable stand-in of made-up movements, not {entry.title}."
    return Parts(train, validation, CLASSES, note, {"signals": list(SIGNALS)})


def _classes(archive: ZipArchive) -> tuple[str, ...]:
    text = archive.read(f"{_FOLDER}/activity_labels.txt", MEBIBYTE).decode("latin-1")
    rows = [line.split() for line in text.splitlines() if line.strip()]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    valid = all(len(row) == 2 and re.fullmatch(r"\w{1,60}", row[1]) for row in rows)
    if not rows or not valid or [row[0] for row in rows] != numbers:
        raise _LayoutError("activity_labels.txt does not name the activities 1, 2, 3 …")
    return tuple(name for _, name in rows)


def _parse(archive: ZipArchive, classes: int) -> Arrays:
    arrays: dict[str, NDArray[Any]] = {}
    for part in ("train", "test"):
        labels = _table(archive, f"{part}/y_{part}.txt").ravel()
        if not np.isin(labels, np.arange(1, classes + 1)).all():
            raise _LayoutError(f"y_{part}.txt holds numbers other than 1 to {classes}.")
        x = np.empty((len(labels), STEPS, len(SIGNALS)), np.float32)
        for number, signal in enumerate(SIGNALS):
            name = f"{part}/Inertial Signals/{signal}_{part}.txt"
            values = _table(archive, name)
            if values.shape != (len(labels), STEPS):
                raise _LayoutError(
                    f"{name} holds {values.shape[0]:,} × {values.shape[1]} values, "
                    f"not {len(labels):,} windows of {STEPS}."
                )
            if not np.isfinite(values).all():
                raise _LayoutError(f"{name} holds values that are no numbers.")
            x[:, :, number] = values
        arrays[f"x_{part}"] = x
        arrays[f"y_{part}"] = (labels - 1).astype(np.uint8)
    return arrays


def _table(archive: ZipArchive, name: str) -> NDArray[np.float32]:
    """Rows of numbers, float32 [rows, columns]."""
    data = archive.read(f"{_FOLDER}/{name}", _LIMIT)
    if not data.strip():
        raise _LayoutError(f"{name} is empty.")
    try:
        return np.loadtxt(io.BytesIO(data), np.float32, ndmin=2, comments=None)
    except ValueError as error:
        raise _LayoutError(f"{name} does not hold rows of numbers ({error}).") from error
