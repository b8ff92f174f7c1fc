"""MNIST and Fashion-MNIST, four IDX files each, and synthetic images of the same shapes.

Source of the IDX format (a magic number, the lengths, the bytes): the description at
http://yann.lecun.com/exdb/mnist/. Only unsigned bytes (type 0x08) are read, the only type these
data sets use.
"""

from __future__ import annotations

import gzip
import io
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets import stand_in
from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import Contents, drawn
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.errors import FormatError
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts
from accelreport.datasets.stand_in import patterns

_UNSIGNED_BYTE = 0x08
_LIMIT = 1 << 30


def read_idx(data: bytes) -> NDArray[np.uint8]:
    """Read a gzipped IDX file.

    The lengths in the header are checked before anything of that length is unpacked, and
    no more than that is unpacked.

    Args:
        data: the file's bytes.

    Returns:
        The array, of the shape that the header says.

    Raises:
        FormatError: when the bytes are not a whole gzipped IDX file of unsigned bytes.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            shape = _read_shape(stream)
            size = math.prod(shape)
            body = stream.read(size)
            rest = stream.read(1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"It is not a complete gzip file ({error}).") from error
    if len(body) != size:
        raise FormatError(f"It ends after {len(body):,} of the {size:,} values in its header.")
    if rest:
        raise FormatError(f"It has more bytes after the {size:,} values in its header.")
    return np.frombuffer(body, np.uint8).reshape(shape)


def write_idx(array: NDArray[np.uint8]) -> bytes:
    """The gzipped IDX file of an array of unsigned bytes, the inverse of `read_idx`."""
    header = bytes([0, 0, _UNSIGNED_BYTE, array.ndim])
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return gzip.compress(header + lengths + array.tobytes(), compresslevel=6, mtime=0)


def _read_shape(stream: gzip.GzipFile) -> tuple[int, ...]:
    magic = stream.read(4)
    if len(magic) != 4 or magic[:2] != b"\0\0":
        raise FormatError("It does not begin with an IDX header.")
    if magic[2] != _UNSIGNED_BYTE:
        raise FormatError(f"Its values are of type 0x{magic[2]:02x}, not unsigned bytes (0x08).")
    dimensions = magic[3]
    lengths = stream.read(4 * dimensions)
    if len(lengths) != 4 * dimensions:
        raise FormatError("It ends within its header.")
    shape = tuple(int.from_bytes(lengths[i : i + 4], "big") for i in range(0, len(lengths), 4))
    values = math.prod(shape)
    if values > _LIMIT:
        raise FormatError(f"Its header has {values:,} values; at most {_LIMIT:,} are read.")
    return shape


SIDE = 28
MOVED = 2.5
"""Pixels by which a synthetic image is moved along each axis, at most."""


CLASSES = {
    "mnist": tuple("0123456789"),
    "fashion_mnist": (
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
        "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
    ),
}  # fmt: skip

COUNTS = {
    "mnist": (
        (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
        (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
    ),
    "fashion_mnist": ((6000,) * 10, (1000,) * 10),
}
"""Images of each class in the training and the validation part of the published files."""


def read(entry: CatalogueEntry, files: list[Contents], options: Any) -> Parts:  # noqa: ARG001
    """Read the four files.

    Returns:
        `x` uint8 [n, 28, 28] and `y` uint8 [n] of both parts.

    Raises:
        DataCorrupt: when a file is not an IDX file of that form.
    """
    train_images, train_labels, test_images, test_labels = files
    classes = CLASSES[entry.name]
    return Parts(
        train=_part(train_images, train_labels, len(classes)),
        validation=_part(test_images, test_labels, len(classes)),
        classes=classes,
    )


def synthetic(entry: CatalogueEntry, seed: int, options: Any) -> Parts:  # noqa: ARG001
    """Make images of patterns, as many of each class as the published files hold.

    Returns:
        `x` uint8 [60000, 28, 28] and `y` uint8 [60000], and 10,000 of both to validate.
    """

    def draw() -> Arrays:
        arrays: dict[str, NDArray[Any]] = {}
        for part, counts in enumerate(COUNTS[entry.name]):
            images = patterns((SIDE, SIDE), counts, seed, part, (MOVED, MOVED))
            arrays[f"{part}/x"] = (72 * images["x"]).clip(0, 255).astype(np.uint8)
            arrays[f"{part}/y"] = images["y"]
        return arrays

    arrays = drawn(entry.name, seed, Path(stand_in.__file__), draw)
    train, validation = ({name: arrays[f"{n}/{name}"] for name in ("x", "y")} for n in (0, 1))
    return Parts(
        train=train,
        validation=validation,
        classes=CLASSES[entry.name],
        note=f"A learnable stand-in of patterns, not {entry.title}.",
    )


def _part(images: Contents, labels: Contents, classes: int) -> dict[str, NDArray[np.uint8]]:
    x = _array(images)
    y = _array(labels)
    if x.ndim != 3 or x.shape[1:] != (SIDE, SIDE) or not len(x):
        raise images.corrupt(f"It holds an array of shape {x.shape}, not images of 28 × 28 pixels.")
    if y.shape != (len(x),):
        raise labels.corrupt(f"It holds labels of shape {y.shape} for {len(x):,} images.")
    if int(y.max()) >= classes:
        raise labels.corrupt(f"It has the label {y.max()}; there are {classes} classes.")
    return {"x": x, "y": y}


def _array(file: Contents) -> NDArray[np.uint8]:
    try:
        return read_idx(file.data)
    except FormatError as error:
        raise file.corrupt(str(error)) from error
