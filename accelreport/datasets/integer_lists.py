"""Lists of whole numbers from a pickled NumPy array, with nothing else able to happen.

`imdb.npz` keeps each review as a Python list in an array of objects, which NumPy stores as
a pickle. The pickle is read by an unpickler that knows three names and gives each of them a
stand-in that only remembers what it was told: no NumPy, no other class, no call is reached.
"""

from __future__ import annotations

import io
import itertools
import pickle
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_LIMIT = 1 << 28
_MODULES = frozenset(
    {"numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core", "numpy._core"}
)


class NpyError(ValueError):
    """The bytes are not the .npy file that is expected."""


class _Remembered:
    """Keeps the state that a pickle gives it."""

    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _NotAClass:
    """Stands where `numpy.ndarray` is named as an argument."""


def _remember(*_arguments: object) -> _Remembered:
    return _Remembered()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in _MODULES and name in {"_reconstruct", "dtype"}:
            return _remember
        if module in _MODULES and name == "ndarray":
            return _NotAClass
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def read_integer_lists(data: bytes) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Read a .npy file of lists of whole numbers.

    Args:
        data: the file's bytes.

    Returns:
        All numbers one after the other, int32 [total], and the length of each list,
        int64 [lists].

    Raises:
        NpyError: when it holds anything else.
    """
    stream = io.BytesIO(data)
    shape, dtype = _read_header(stream)
    if dtype != np.dtype(object) or len(shape) != 1:
        raise NpyError(f"It holds an array of {dtype} of shape {shape}, not lists.")
    try:
        remembered = _Unpickler(stream).load()
    except Exception as error:
        # A damaged pickle can fail in the unpickler with nearly any error; none is expected.
        raise NpyError(f"Its pickle cannot be read: {error}.") from error
    rows = remembered.state[-1] if _is_array_state(remembered) else None
    if not isinstance(rows, list) or len(rows) != shape[0]:
        raise NpyError("Its pickle does not hold an array of lists.")
    return _flatten(rows)


def read_plain_array(data: bytes) -> NDArray[Any]:
    """Read a .npy file of numbers; raises `NpyError` for one of objects."""
    try:
        array: NDArray[Any] = npy.read_array(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise NpyError(f"It is not a whole .npy file of numbers ({error}).") from error
    return array


def _read_header(stream: io.BytesIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _fortran, dtype = read(stream)
    except (ValueError, EOFError) as error:
        raise NpyError(f"It is not a .npy file ({error}).") from error
    return shape, dtype


def _is_array_state(value: object) -> bool:
    return (
        isinstance(value, _Remembered) and isinstance(value.state, tuple) and len(value.state) == 5
    )


def _flatten(rows: list[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    if not all(type(row) is list for row in rows):
        raise NpyError("It holds something that is not a list.")
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    total = int(lengths.sum())
    if total > _LIMIT:
        raise NpyError(f"Its lists hold {total:,} values; at most {_LIMIT:,} are read.")
    if not set(map(type, itertools.chain.from_iterable(rows))) <= {int}:
        raise NpyError("Its lists hold something that is not a whole number.")
    try:
        flat = np.fromiter(itertools.chain.from_iterable(rows), np.int32, total)
    except OverflowError as error:
        raise NpyError("Its lists hold numbers beyond 32 bits.") from error
    return flat, lengths
