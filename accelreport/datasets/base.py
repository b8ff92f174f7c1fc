"""A data set in memory, and the checksum of its arrays."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Lists:
    """Lists of whole numbers.

    Attributes:
        flat: their values one after the other, int32 [total].
        lengths: how many values each has, int64 [lists].
    """

    flat: NDArray[np.int32]
    lengths: NDArray[np.int64]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each list begins in `flat`, int64 [lists]."""
        starts: NDArray[np.int64] = np.cumsum(self.lengths) - self.lengths
        return starts

    def take(self, order: NDArray[np.int64]) -> Lists:
        """The lists in another order."""
        lengths = self.lengths[order]
        begin = np.cumsum(lengths) - lengths
        source = np.arange(int(lengths.sum())) + np.repeat(self.starts[order] - begin, lengths)
        return Lists(self.flat[source], lengths)

    def prepend(self, value: int) -> Lists:
        """The lists with one more value in front of each."""
        lengths = self.lengths + 1
        flat = np.full(int(lengths.sum()), value, np.int32)
        flat[
            np.arange(len(self.flat)) + np.repeat(np.arange(1, len(lengths) + 1), self.lengths)
        ] = self.flat
        return Lists(flat, lengths)


def pad(lists: Lists, length: int, *, keep_end: bool, fill_begin: bool) -> NDArray[np.int32]:
    """Bring lists to one length, as Keras' `pad_sequences` does.

    Args:
        lists: the lists.
        length: steps of each row.
        keep_end: keep the end of a list that is too long instead of its beginning.
        fill_begin: put the zeros before a list that is too short instead of behind it.

    Returns:
        int32 [lists, length].
    """
    kept = np.minimum(lists.lengths, length)
    first = lists.starts + (lists.lengths - kept if keep_end else 0)
    column = length - kept if fill_begin else np.zeros_like(kept)
    rows = np.zeros((len(kept), length), np.int32)
    within = np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept)
    target = np.repeat(np.arange(len(kept)) * length + column, kept) + within
    rows.reshape(-1)[target] = lists.flat[np.repeat(first, kept) + within]
    return rows


Origin = Literal["official", "user-supplied", "sample", "synthetic"]
"""Whether the files are the published ones, a user's, a part of the published ones in the package,
or a stand-in."""

Mode = Literal["real", "sample", "synthetic"]
"""Whether to read files of the data folder, to read a sample of them, or to make a stand-in."""


@dataclass(frozen=True)
class Dataset:
    """Arrays and where they came from.

    Attributes:
        name: name in the catalogue.
        train: arrays of the training part, all of the same length unless the loader says
            otherwise (MNIST: `x` uint8 [60000, 28, 28], `y` uint8 [60000]).
        validation: arrays of the part that is only evaluated, in the same form.
        classes: names of the classes, in the order of their numbers; empty for a series.
        origin: official, user-supplied, sample or synthetic.
        files: SHA-256 of each file read, by its name.
        fingerprint: SHA-256 over names, dtypes, shapes and bytes of all arrays.
        seed: seed of a synthetic stand-in.
        note: what a reader of a number must know about the data.
        details: properties of this data set alone (scaling of a series, a vocabulary).
        folder: the spec's folder, in which a user's model looks for its files; empty without one.
    """

    name: str
    train: Mapping[str, NDArray[Any]]
    validation: Mapping[str, NDArray[Any]]
    classes: tuple[str, ...]
    origin: Origin
    files: Mapping[str, str]
    fingerprint: str
    seed: int | None = None
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""


Arrays = Mapping[str, NDArray[Any]]


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
            order = array.dtype.byteorder
            if order == ">" or (order == "=" and sys.byteorder == "big"):
                array = array.astype(array.dtype.newbyteorder("<"))
            digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return digest.hexdigest()
