"""Which training examples each step sees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Order:
    """An endless stream of permutations, cut into batches of one size.

    Every example is seen once before any is seen again. An epoch whose steps do not divide
    the data ends in the middle of a permutation, and the next one goes on from there: all
    batches have one shape, and nothing is left out. The same seed gives the same order on
    every device.
    """

    def __init__(self, examples: int, batch_size: int, seed: int) -> None:
        self._examples = examples
        self._batch_size = batch_size
        self._generator = np.random.default_rng([seed, 0x6F72])
        self._rest: NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def epoch(self, steps: int) -> NDArray[np.int32]:
        """Indices of the next `steps` batches, shape [steps, batch_size]."""
        needed = steps * self._batch_size
        parts = [self._rest]
        have = len(self._rest)
        while have < needed:
            parts.append(self._generator.permutation(self._examples).astype(np.int32))
            have += self._examples
        stream = np.concatenate(parts)
        self._rest = stream[needed:]
        return stream[:needed].reshape(steps, self._batch_size)
