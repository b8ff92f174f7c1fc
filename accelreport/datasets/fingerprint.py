"""One number for the contents of a data set."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
"""Arrays by name."""


def fingerprint(train: Arrays, validation: Arrays) -> str:
    """SHA-256 over names, dtypes, shapes and bytes of all arrays.

    Training arrays come first, then validation arrays, each sorted by name; bytes are
    little-endian in C order, so that machines agree.

    Args:
        train: arrays of the training part.
        validation: arrays of the validation part.

    Returns:
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for part, arrays in (("train", train), ("validation", validation)):
        for name in sorted(arrays):
            array = arrays[name]
            shape = "x".join(str(length) for length in array.shape)
            digest.update(f"{part}/{name} {array.dtype.str.lstrip('<>=|')} {shape}\n".encode())
            digest.update(_little_endian(array).data.cast("B") if array.size else b"")
    return digest.hexdigest()


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    order = array.dtype.byteorder
    swapped = order == ">" or (order == "=" and sys.byteorder == "big")
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")) if swapped else array)
