"""Stand-ins that hold for any data set of a shape: classes of patterns, and a text.

A class of patterns is a sum of a few low cosines along each axis. Of each example they are moved,
bent by cosines of its own and covered with noise, and some examples lean towards another class.
So one mean for each class does not tell them apart, a network improves over several epochs, and it
ends below 1.

A text has words made of letters with the frequencies of English. Words follow Zipf's law, and each
has a few likely successors, so that a model learns letters, then words, then what follows what.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MODES = 8
"""Cosines along an axis."""
ASTRAY = 0.08
"""Share of the examples that lean towards another class."""
BEND, NOISE = 0.8, 0.35
"""Standard deviation of what an example has of its own, and of each of its values, beside 1."""
BLOCK = 2000
"""Examples that are made at once."""
CONCEPT_SEED = 20_260_101
"""Of the patterns and of the language, which are the same whatever the seed."""


def patterns(
    shape: tuple[int, int],
    counts: tuple[int, ...],
    seed: int,
    part: int,
    moved: tuple[float, float],
) -> dict[str, NDArray[Any]]:
    """Examples of every class in a random order.

    Args:
        shape: of an example.
        counts: examples of each class.
        seed: the same seed gives the same examples.
        part: 0 for training, 1 for validation: other examples of the same classes.
        moved: how far an example is moved along each axis, at most.

    Returns:
        `x` float32 [Σ counts, *shape] of mean 0 and variance about 1, and `y` uint8 [Σ counts].
    """
    y = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    rng = np.random.default_rng([seed, part])
    rng.shuffle(y)
    modes = [min(MODES, length) for length in shape]
    order = np.add.outer(*map(np.arange, modes))
    weight = (1 / (1 + order)).astype(np.float32)
    weight[0, 0] = 0  # none is as dark as another everywhere
    weight /= np.sqrt(np.square(weight).sum() / 4)
    concept = np.random.default_rng(CONCEPT_SEED)
    classes = concept.standard_normal((len(counts), *modes), np.float32) * weight
    x = np.empty((len(y), *shape), np.float32)
    for first in range(0, len(y), BLOCK):
        labels = y[first : first + BLOCK]
        n = len(labels)
        others = (labels + rng.integers(1, len(counts), n)) % len(counts)
        lean = np.where(rng.random(n) < ASTRAY, rng.uniform(0.2, 0.7, n), 0)[:, None, None]
        mixed = (1 - lean) * classes[labels] + lean * classes[others]
        mixed += BEND * weight * rng.standard_normal(mixed.shape, np.float32)
        rows, columns = (
            _cosines(length, count, rng.uniform(-most, most, n))
            for length, count, most in zip(shape, modes, moved, strict=True)
        )
        images = np.matmul(np.matmul(rows.transpose(0, 2, 1), mixed.astype(np.float32)), columns)
        noise = rng.standard_normal(images.shape, np.float32)
        x[first : first + BLOCK] = images + np.float32(NOISE) * noise
    return {"x": x, "y": y}


def _cosines(length: int, modes: int, moved: NDArray[np.float64]) -> NDArray[np.float32]:
    """The cosines along an axis, moved by so much for each example, float32 [n, modes, length]."""
    at = (np.arange(length) + 0.5 + moved[:, None, None]) * (np.pi / length)
    return np.cos(np.arange(modes)[:, None] * at).astype(np.float32)


WORDS, FOLLOWERS, FOLLOWED = 1500, 4, 0.45
"""Different words, likely successors of each, and how often one of these follows."""
LINE = 8
# In percent of English text; consonants and vowels take turns in a word.
VOWELS = dict(zip("aeiou", (8.2, 12.7, 7.0, 7.5, 2.8), strict=True))
CONSONANTS = dict(
    zip("tnshrdlcmwfgypbvk",
        (9.1, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8, 2.4, 2.4, 2.2, 2.0, 2.0, 1.9, 1.5, 1.0, 0.8),
        strict=True)
)  # fmt: skip


def text(length: int, seed: int) -> NDArray[np.uint8]:
    """A text of so many characters, as ASCII codes, uint8; the same seed gives the same text."""
    concept = np.random.default_rng(CONCEPT_SEED)
    words = _spelt(concept)
    followers = concept.integers(0, WORDS, (WORDS, FOLLOWERS))
    rng = np.random.default_rng(seed)
    count = length // 3  # a word and the space behind it are longer than that on average
    chosen = (WORDS * rng.random(count) ** 3).astype(np.int64)
    follows, which = rng.random(count) < FOLLOWED, rng.integers(0, FOLLOWERS, count)
    for place in np.flatnonzero(follows[1:]) + 1:
        chosen[place] = followers[chosen[place - 1], which[place]]
    gaps = [*" " * (LINE - 1), "\n"]
    written = "".join(words[word] + gaps[place % LINE] for place, word in enumerate(chosen))
    return np.frombuffer(written[:length].encode("ascii"), np.uint8)


def _spelt(rng: np.random.Generator) -> list[str]:
    """Different words of one to four syllables."""
    words: dict[str, None] = {}
    while len(words) < WORDS:
        letters = [
            str(rng.choice(list(table), p=np.divide([*table.values()], sum(table.values()))))
            for _ in range(1 + int(rng.choice(4, p=[0.5, 0.3, 0.15, 0.05])))
            for table in (CONSONANTS, VOWELS)
        ]
        words["".join(letters[: len(letters) - int(rng.integers(2))])] = None
    return list(words)
