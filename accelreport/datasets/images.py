"""MNIST and Fashion-MNIST: four IDX files each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.idx import IdxError, read_idx
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts
from accelreport.datasets.synthetic_images import draw_images

SIDE = 28
"""Pixels in a row, and rows."""

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
    train, validation = COUNTS[entry.name]
    return Parts(
        train=draw_images(entry.name, train, seed, part=0),
        validation=draw_images(entry.name, validation, seed, part=1),
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
