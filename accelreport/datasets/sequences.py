"""Lists of different lengths, kept as one flat array, and their padding."""

from __future__ import annotations

from dataclasses import dataclass

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
        keep_end: of a list that is too long keep its end, else its beginning.
        fill_begin: put the zeros before a list that is too short, else behind it.

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
