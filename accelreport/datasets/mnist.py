"""MNIST and Fashion-MNIST, four IDX files each, and synthetic images of the same shapes.

Source of the IDX format (a magic number, the lengths, the bytes): the description at
http://yann.lecun.com/exdb/mnist/. Only unsigned bytes (type 0x08) are read, the only type these
data sets use.

A synthetic image takes the glyph of its class, a few lines on a unit square, bends it by a smooth
displacement along the line, turns, scales, slants and shifts it, and draws it with a pen of its own
width. Glyphs are meant to look like what they stand for, so that a page with synthetic samples can
be read, and to be alike in places (1 and 7, 3 and 8; T-shirt and shirt). Some images lean towards
another class, and all carry noise, so that a convolutional network improves over several epochs and
ends below 1.

Ink at a pixel is Σ_p exp(−|pixel − point_p|² / 2σ²). The Gaussian is a product of one factor in x
and one in y, so the sum over points is one matrix product for each image, and 60,000 images take
seconds.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import Contents, drawn
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts

_UNSIGNED_BYTE = 0x08
_LIMIT = 1 << 30


class IdxError(ValueError):
    """The bytes are not an IDX file of unsigned bytes."""


def read_idx(data: bytes) -> NDArray[np.uint8]:
    """Read a gzipped IDX file.

    The lengths in the header are checked before anything of that length is unpacked, and
    no more than that is unpacked.

    Args:
        data: the file's bytes.

    Returns:
        The array, of the shape that the header says.

    Raises:
        IdxError: when the bytes are not a whole gzipped IDX file of unsigned bytes.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            shape = _read_shape(stream)
            size = math.prod(shape)
            body = stream.read(size)
            rest = stream.read(1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise IdxError(f"It is not a whole gzip file ({error}).") from error
    if len(body) != size:
        raise IdxError(f"It ends after {len(body):,} of the {size:,} values it announces.")
    if rest:
        raise IdxError(f"More bytes follow the {size:,} values it announces.")
    return np.frombuffer(body, np.uint8).reshape(shape)


def write_idx(array: NDArray[np.uint8]) -> bytes:
    """The gzipped IDX file of an array of unsigned bytes, the inverse of `read_idx`."""
    header = bytes([0, 0, _UNSIGNED_BYTE, array.ndim])
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return gzip.compress(header + lengths + array.tobytes(), compresslevel=6, mtime=0)


def _read_shape(stream: gzip.GzipFile) -> tuple[int, ...]:
    magic = stream.read(4)
    if len(magic) != 4 or magic[:2] != b"\0\0":
        raise IdxError("It does not begin like an IDX file.")
    if magic[2] != _UNSIGNED_BYTE:
        raise IdxError(f"Its values are of type 0x{magic[2]:02x}, not unsigned bytes (0x08).")
    dimensions = magic[3]
    lengths = stream.read(4 * dimensions)
    if len(lengths) != 4 * dimensions:
        raise IdxError("It ends within its header.")
    shape = tuple(int.from_bytes(lengths[i : i + 4], "big") for i in range(0, len(lengths), 4))
    if math.prod(shape) > _LIMIT:
        raise IdxError(f"It announces {math.prod(shape):,} values; at most {_LIMIT:,} are read.")
    return shape


Stroke = tuple[tuple[float, float], ...]
"""Corners of a line."""


def _arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Stroke:
    """Part of an ellipse; angles in degrees, 0 to the right, growing downwards."""
    steps = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return tuple((x + rx * math.cos(a), y + ry * math.sin(a)) for a in steps)


DIGITS: tuple[tuple[Stroke, ...], ...] = (
    (_arc(0.5, 0.5, 0.27, 0.4, -90, 270),),
    (((0.38, 0.25), (0.52, 0.1), (0.5, 0.9)),),
    ((*_arc(0.5, 0.32, 0.25, 0.22, 190, 380), (0.25, 0.9), (0.76, 0.88)),),
    ((*_arc(0.47, 0.3, 0.24, 0.2, 200, 440), *_arc(0.47, 0.69, 0.27, 0.21, 270, 510)),),
    (((0.6, 0.1), (0.24, 0.6), (0.8, 0.6)), ((0.62, 0.38), (0.6, 0.92))),
    (((0.74, 0.1), (0.34, 0.12), (0.3, 0.45)), _arc(0.48, 0.65, 0.26, 0.24, 235, 510)),
    (((0.62, 0.08), (0.36, 0.4)), _arc(0.5, 0.68, 0.23, 0.22, -150, 210)),
    (((0.24, 0.13), (0.76, 0.13), (0.46, 0.92)),),
    (_arc(0.5, 0.3, 0.2, 0.19, 90, 450), _arc(0.5, 0.7, 0.24, 0.21, -90, 270)),
    (_arc(0.5, 0.32, 0.22, 0.21, 0, 360), ((0.72, 0.32), (0.66, 0.66), (0.58, 0.92))),
)
"""The digits 0 to 9."""

_SLEEVES: Stroke = ((0.12, 0.42), (0.32, 0.16), (0.68, 0.16), (0.88, 0.42))
_LONG_SLEEVES: Stroke = ((0.12, 0.78), (0.3, 0.16), (0.7, 0.16), (0.88, 0.78))

_BODY: Stroke = ((0.36, 0.2), (0.36, 0.86), (0.64, 0.86), (0.64, 0.2))
_FRONT: Stroke = ((0.5, 0.24), (0.5, 0.84))
_HALF_SLEEVES: Stroke = ((0.14, 0.56), (0.32, 0.16), (0.68, 0.16), (0.86, 0.56))
_TROUSER: Stroke = ((0.36, 0.92), (0.4, 0.1), (0.6, 0.1), (0.64, 0.92))
_DRESS: Stroke = ((0.42, 0.08), (0.44, 0.4), (0.3, 0.92), (0.7, 0.92), (0.56, 0.4), (0.58, 0.08))
_LEFT_PANEL: Stroke = ((0.36, 0.2), (0.34, 0.92), (0.46, 0.92), (0.48, 0.2))
_RIGHT_PANEL: Stroke = ((0.52, 0.2), (0.54, 0.92), (0.66, 0.92), (0.64, 0.2))
_SOLE: Stroke = ((0.08, 0.72), (0.92, 0.72))
_UPPER: Stroke = ((0.92, 0.72), (0.9, 0.62), (0.5, 0.44), (0.34, 0.4), (0.1, 0.48), (0.08, 0.72))
_SHAFT: Stroke = ((0.1, 0.86), (0.9, 0.86), (0.88, 0.7), (0.5, 0.56), (0.46, 0.16), (0.16, 0.16))
_CASE: Stroke = ((0.14, 0.42), (0.86, 0.42), (0.86, 0.84), (0.14, 0.84), (0.14, 0.42))

GARMENTS: tuple[tuple[Stroke, ...], ...] = (
    (_SLEEVES, _BODY, _FRONT),
    (_TROUSER, ((0.5, 0.2), (0.5, 0.34))),
    (_LONG_SLEEVES, _BODY, _FRONT),
    (_DRESS, ((0.5, 0.4), (0.5, 0.86))),
    (_LONG_SLEEVES, _LEFT_PANEL, _RIGHT_PANEL),
    (_SOLE, ((0.14, 0.68), (0.5, 0.5), (0.8, 0.34)), ((0.4, 0.7), (0.74, 0.48))),
    (_HALF_SLEEVES, _BODY, _FRONT),
    (_SOLE, _UPPER, ((0.3, 0.58), (0.7, 0.64))),
    (_CASE, _arc(0.5, 0.42, 0.22, 0.22, 180, 360), ((0.24, 0.62), (0.76, 0.62))),
    (_SHAFT, ((0.16, 0.16), (0.1, 0.86)), ((0.3, 0.3), (0.3, 0.72))),
)
"""The ten kinds of clothing of Fashion-MNIST."""


def glyph(lines: tuple[Stroke, ...], points: int) -> NDArray[np.float32]:
    """Points at equal distances along some lines.

    Args:
        lines: the lines, in the order in which they are drawn.
        points: how many points.

    Returns:
        float32 [points, 2], (x, y).
    """
    corners = [np.asarray(line) for line in lines]
    lengths = [np.hypot(*np.diff(line, axis=0).T) for line in corners]
    total = sum(float(length.sum()) for length in lengths)
    wanted = (np.arange(points) + 0.5) * (total / points)
    placed = np.empty((points, 2))
    begin = 0.0
    for line, length in zip(corners, lengths, strict=True):
        along = begin + np.concatenate([[0.0], np.cumsum(length)])
        here = (wanted >= begin) & (wanted <= along[-1])
        for axis in (0, 1):
            placed[here, axis] = np.interp(wanted[here], along, line[:, axis])
        begin = float(along[-1])
    return placed.astype(np.float32)


SIDE = 28
_POINTS = 32
_BLOCK = 2000
_MOST_THREADS = 8
_BENDS = 3
_FAINTEST = np.float32(-40)
"""Logarithm of the least ink; the product of two is still a normal float32, above e^−87."""


@dataclass(frozen=True)
class _Style:
    lines: tuple[tuple[Stroke, ...], ...]
    pen: tuple[float, float]
    """Smallest and largest standard deviation of the ink, in pixels."""
    bend: float
    """Standard deviation of each harmonic of the displacement, in pixels."""
    astray: float
    """Share of images that lean towards another class."""
    noise: int
    """Largest value added to a pixel."""


_STYLES = {
    "mnist": _Style(DIGITS, pen=(0.8, 1.3), bend=0.8, astray=0.06, noise=40),
    "fashion_mnist": _Style(GARMENTS, pen=(1.2, 1.9), bend=0.9, astray=0.10, noise=50),
}


def draw_images(
    name: str, counts: tuple[int, ...], seed: int, part: int
) -> dict[str, NDArray[np.uint8]]:
    """Draw images of every class in a random order.

    Args:
        name: whose style, `mnist` or `fashion_mnist`.
        counts: images of each class.
        seed: the seed; the same seed gives the same images.
        part: 0 for training, 1 for validation: other images of the same kind.

    Returns:
        `x` uint8 [Σ counts, 28, 28] and `y` uint8 [Σ counts].
    """
    style = _STYLES[name]
    shapes = np.stack([glyph(lines, _POINTS) for lines in style.lines]) * np.float32(SIDE - 1)
    y = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    np.random.default_rng([seed, part]).shuffle(y)
    x = np.empty((len(y), SIDE, SIDE), np.uint8)

    def draw(start: int) -> None:
        labels = y[start : start + _BLOCK]
        rng = np.random.default_rng([seed, part, 1 + start // _BLOCK])
        x[start : start + _BLOCK] = _draw(style, shapes, labels, rng)

    # Each block has a generator of its own, so it does not matter which is drawn when.
    with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as threads:
        list(threads.map(draw, range(0, len(y), _BLOCK)))
    return {"x": x, "y": y}


def _draw(
    style: _Style, shapes: NDArray[np.float32], labels: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Draw one block: labels [n] → uint8 [n, 28, 28]."""
    n = len(labels)
    points = _place(_bend(_lean(shapes, labels, style.astray, rng), style.bend, rng), rng)
    sigma = rng.uniform(*style.pen, (n, 1, 1, 1)).astype(np.float32)
    pixels = np.arange(SIDE, dtype=np.float32)
    # One array for all: making new ones takes as long as computing what is in them.
    ink = pixels - points[..., None]
    ink /= sigma
    np.square(ink, out=ink)
    ink *= np.float32(-0.5)
    # Fainter ink changes no byte, but processors take far longer over the tiniest numbers.
    np.maximum(ink, _FAINTEST, out=ink)
    np.exp(ink, out=ink)
    drawn = np.matmul(ink[:, :, 1].transpose(0, 2, 1), ink[:, :, 0])
    np.minimum(drawn, 1, out=drawn)
    drawn *= rng.uniform(120, 255, (n, 1, 1)).astype(np.float32)
    drawn += rng.integers(0, style.noise, drawn.shape, np.uint8)
    np.minimum(drawn, 255, out=drawn)
    image: NDArray[np.uint8] = drawn.astype(np.uint8)
    return image


def _lean(
    shapes: NDArray[np.float32],
    labels: NDArray[np.uint8],
    astray: float,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Points of each image's class, some on the way to another class, [n, points, 2]."""
    n = len(labels)
    others = (labels + rng.integers(1, len(shapes), n)) % len(shapes)
    way = np.where(rng.random(n) < astray, rng.uniform(0.1, 0.5, n), 0.0).astype(np.float32)
    way = way[:, None, None]
    leaning: NDArray[np.float32] = (1 - way) * shapes[labels] + way * shapes[others]
    return leaning


def _bend(
    points: NDArray[np.float32], size: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Displace points smoothly along the line by a few harmonics, [n, points, 2]."""
    along = np.linspace(0, np.pi, points.shape[1], dtype=np.float32)
    waves = np.cos(along[:, None] * np.arange(1, 1 + _BENDS, dtype=np.float32))
    strength = rng.standard_normal((len(points), _BENDS, 2), np.float32) * np.float32(size)
    bent: NDArray[np.float32] = points + np.matmul(waves, strength)
    return bent


def _place(points: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Turn, scale, slant and shift each image about the middle, [n, points, 2]."""
    n = len(points)
    middle = np.float32((SIDE - 1) / 2)
    turn = rng.normal(0, 0.12, n)
    scale = rng.uniform(0.7, 0.95, (n, 2))
    slant = rng.normal(0, 0.15, n)
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.empty((n, 2, 2), np.float32)
    matrix[:, 0, 0] = cos * scale[:, 0]
    matrix[:, 0, 1] = sin * scale[:, 0]
    matrix[:, 1, 0] = (slant * cos - sin) * scale[:, 1]
    matrix[:, 1, 1] = (slant * sin + cos) * scale[:, 1]
    shift = rng.normal(0, 1.0, (n, 1, 2)).astype(np.float32)
    placed: NDArray[np.float32] = np.matmul(points - middle, matrix) + middle + shift
    return placed


CLASSES = {
    "mnist": tuple("0123456789"),
    "fashion_mnist": (
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
        "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
    ),
}  # fmt: skip
"""Names of the classes."""

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
    """Make images of deformed strokes, as many of each class as the published files hold.

    Returns:
        `x` uint8 [60000, 28, 28] and `y` uint8 [60000], and 10,000 of both to validate.
    """

    def draw() -> Arrays:
        parts = (draw_images(entry.name, COUNTS[entry.name][n], seed, part=n) for n in (0, 1))
        return {
            f"{n}/{name}": array for n, part in enumerate(parts) for name, array in part.items()
        }

    arrays = drawn(entry.name, seed, Path(__file__), draw)
    train, validation = ({name: arrays[f"{n}/{name}"] for name in ("x", "y")} for n in (0, 1))
    return Parts(
        train=train,
        validation=validation,
        classes=CLASSES[entry.name],
        note=f"A learnable stand-in of deformed strokes, not {entry.title}.",
    )


def _part(images: Contents, labels: Contents, classes: int) -> dict[str, NDArray[np.uint8]]:
    x = _array(images)
    y = _array(labels)
    if x.ndim != 3 or x.shape[1:] != (SIDE, SIDE) or not len(x):
        raise images.corrupt(f"It holds an array of shape {x.shape}, not images of 28 × 28 pixels.")
    if y.shape != (len(x),):
        raise labels.corrupt(f"It holds labels of shape {y.shape} for {len(x):,} images.")
    if int(y.max()) >= classes:
        raise labels.corrupt(f"It holds the label {y.max()}; there are {classes} classes.")
    return {"x": x, "y": y}


def _array(file: Contents) -> NDArray[np.uint8]:
    try:
        return read_idx(file.data)
    except IdxError as error:
        raise file.corrupt(str(error)) from error
