"""Synthetic reviews: words by Zipf's law, some of which a class uses more often.

Most words are drawn alike for both classes. A review takes a share of its words, which
differs from review to review, from its class's own distribution, in which a few hundred
words of middling frequency are more or less likely. Reviews with a small share cannot be
told apart, so that accuracy stays below 1 and a large model overfits, as on real reviews.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.sequences import Lists

REVIEWS = 25_000
"""Reviews in a part, half of each class."""

_VOCABULARY = 88_584
_TABLE = 1 << 20
_TELLING = (40, 2500, 500)
_LEANING = 0.9
_CONCEPT_SEED = 20_181_204


def make_reviews(seed: int, part: int) -> tuple[Lists, NDArray[np.uint8]]:
    """Make reviews of both classes in a random order.

    Args:
        seed: the seed; the same seed gives the same reviews.
        part: 0 for training, 1 for validation: other reviews of the same kind.

    Returns:
        The ranks of their words, from 1, and their labels, uint8 [25000].
    """
    rng = np.random.default_rng([seed, part])
    y = np.repeat(np.array([0, 1], np.uint8), REVIEWS // 2)
    rng.shuffle(y)
    # The real lengths have a median of 176 and a 90th percentile of 468 words.
    lengths = np.exp(rng.normal(np.log(176), 0.65, REVIEWS)).clip(10, 2493).astype(np.int64)
    total = int(lengths.sum())
    tables = _tables()
    share = np.repeat(rng.uniform(0, 0.9, REVIEWS).astype(np.float32), lengths)
    own = rng.random(total, np.float32) < share
    which = np.where(own, 1 + np.repeat(y, lengths), 0)
    flat = tables[which, rng.integers(0, _TABLE, total, np.int32)]
    return Lists(flat, lengths), y


def _tables() -> NDArray[np.int32]:
    """Words to draw from by a uniform index: for neither class, class 0, class 1."""
    rank = np.arange(1, _VOCABULARY + 1)
    common = (rank + 2.7) ** -1.15
    rng = np.random.default_rng(_CONCEPT_SEED)  # the same words tell, whatever the seed
    first, last, count = _TELLING
    telling = rng.choice(np.arange(first, last), count, replace=False)
    lean = rng.normal(0, _LEANING, count)
    weights = np.stack([common, common, common])
    weights[1, telling] *= np.exp(-lean)
    weights[2, telling] *= np.exp(lean)
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    grid = (np.arange(_TABLE) + 0.5) / _TABLE
    return np.stack([np.searchsorted(row, grid) + 1 for row in ends]).astype(np.int32)
