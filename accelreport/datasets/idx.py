"""The IDX format of the MNIST files: a magic number, the lengths, the bytes.

Source of the format: the description at http://yann.lecun.com/exdb/mnist/. Only unsigned
bytes (type 0x08) are read, the only type these data sets use.
"""

from __future__ import annotations

import gzip
import io
import math
import zlib

import numpy as np
from numpy.typing import NDArray

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
