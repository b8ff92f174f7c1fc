"""Shakespeare's works as characters, for models that predict the next one.

The stand-in is made of speeches of made-up words, spelt with English letters' frequencies. Words
follow Zipf's law, and each has a few likely successors, so that a model first learns the letters,
then the words, then what follows what.
"""

from __future__ import annotations

import functools
import itertools
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts
from accelreport.datasets.base import Lists
from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.parts import Parts


def _form(capital: bool, mark: str, gap: str, word: str) -> str:  # noqa: FBT001
    return (word.capitalize() if capital else word) + mark + gap


_WORDS = 1500
_FOLLOWERS = 4
_FOLLOWED = 0.45
_CONCEPT_SEED = 16_230_423
_SPEAKERS = 12
# Letters in percent of English text; consonants and vowels take turns in a word.
_VOWELS = {"a": 8.2, "e": 12.7, "i": 7.0, "o": 7.5, "u": 2.8, "ea": 1.5, "ou": 1.6}
_CONSONANTS = {
    "t": 9.1, "n": 6.7, "s": 6.3, "h": 6.1, "r": 6.0, "d": 4.3, "l": 4.0, "c": 2.8, "m": 2.4,
    "w": 2.4, "f": 2.2, "g": 2.0, "y": 2.0, "p": 1.9, "b": 1.5, "v": 1.0, "k": 0.8, "th": 3.5,
}  # fmt: skip

_LINE = 8
_MARKS = (".", "?", "!", "", ",")
_LAST_STOP = 2
_GAPS = (" ", "\n", "\n\n")
_FORMS = tuple(
    functools.partial(_form, capital, mark, gap)
    for capital, mark, gap in itertools.product((False, True), _MARKS, _GAPS)
)


def write_play(length: int, seed: int) -> NDArray[np.uint8]:
    """Write a text.

    Args:
        length: its characters.
        seed: the seed; the same seed gives the same text.

    Returns:
        ASCII codes, uint8 [length].
    """
    concept = np.random.default_rng(_CONCEPT_SEED)  # the same language, whatever the seed
    words = _spell(concept, _WORDS)
    speakers = [f"{word.upper()}:\n" for word in _spell(concept, _SPEAKERS)]
    followers = concept.integers(0, _WORDS, (_WORDS, _FOLLOWERS))
    rng = np.random.default_rng(seed)
    count = length // 3  # a word and what follows it are never shorter on average
    chosen = _choose(count, followers, rng)
    first, forms = _set_type(count, rng)
    pieces = chosen * len(_FORMS) + forms
    names = _WORDS * len(_FORMS) + rng.integers(0, _SPEAKERS, len(first))
    pieces = np.insert(pieces, first, names)
    written = _encode([*(form(word) for word in words for form in _FORMS), *speakers]).take(pieces)
    return written.flat[:length].astype(np.uint8)


def _spell(rng: np.random.Generator, count: int) -> list[str]:
    """Different words of one to four syllables."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = 1 + int(rng.choice(4, p=[0.5, 0.3, 0.15, 0.05]))
        word = "".join(
            _letters(rng, _CONSONANTS) + _letters(rng, _VOWELS) for _ in range(syllables)
        )
        if rng.random() < 0.5:
            word += _letters(rng, _CONSONANTS)
        words[word] = None
    return list(words)


def _letters(rng: np.random.Generator, table: dict[str, float]) -> str:
    weights = np.array(list(table.values()))
    return str(rng.choice(list(table), p=weights / weights.sum()))


def _choose(
    count: int, followers: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Numbers of the words, int64 [count]: fresh ones, each with some successors."""
    chosen = (_WORDS * rng.random(count) ** 3).astype(np.int64)
    follows = rng.random(count) < _FOLLOWED
    follows[0] = False
    which = rng.integers(0, _FOLLOWERS, count)
    places = np.arange(count)
    run = places - np.maximum.accumulate(np.where(follows, 0, places))
    for step in range(1, int(run.max()) + 1):
        here = places[run == step]
        chosen[here] = followers[chosen[here - 1], which[here]]
    return chosen


def _set_type(count: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where speeches begin, int64 [speeches], and the form of each word, int64 [count]."""
    speeches = rng.integers(8, 400, count // 100 + 1)
    first = np.cumsum(speeches) - speeches
    first = first[first < count]
    opening = np.zeros(count, bool)
    opening[first] = True
    places = np.arange(count)
    within = places - np.maximum.accumulate(np.where(opening, places, 0))
    last = np.roll(opening, -1)
    mark = np.searchsorted(np.array([0.045, 0.06, 0.07, 0.88]), rng.random(count), side="right")
    mark[last] = 0
    after_stop = np.roll(mark <= _LAST_STOP, 1)
    capital = (within % _LINE == 0) | after_stop
    gap = np.where(last, 2, np.where(within % _LINE == _LINE - 1, 1, 0))
    forms: NDArray[np.int64] = (capital * len(_MARKS) + mark) * len(_GAPS) + gap
    return first, forms


def _encode(pieces: list[str]) -> Lists:
    codes = np.frombuffer("".join(pieces).encode("ascii"), np.uint8).astype(np.int32)
    return Lists(codes, np.array([len(piece) for piece in pieces]))


CHARACTERS = 256
"""Characters that are kept: those whose code point is below this."""

LENGTHS = {"shakespeare": 1_115_394, "shakespeare_gutenberg": 5_500_000}
"""Characters of the published text (about, for the one without a checksum)."""

_SHORTEST = 1000


class Options(parts.Options):
    """How the text is divided."""

    validation_share: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """Share of the text, at its end, that validates."""


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:  # noqa: ARG001
    """Read the text; characters beyond the first 256 code points are left out.

    Returns:
        `text` uint8 [T], code points, of both parts.

    Raises:
        DataCorrupt: when it is not UTF-8, or is too short to learn from.
    """
    (file,) = files
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise file.corrupt(f"It is not UTF-8 text ({error.reason} at {error.start}).") from error
    kept = text.replace("\r\n", "\n").encode("latin-1", errors="ignore")
    if len(kept) < _SHORTEST:
        raise file.corrupt(f"It holds {len(kept):,} characters; {_SHORTEST:,} are needed.")
    left_out = len(text.replace("\r\n", "\n")) - len(kept)
    note = f"{left_out:,} characters beyond code point 255 are left out." if left_out else ""
    return _divide(np.frombuffer(kept, np.uint8), options, note)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Write a play of made-up words, as long as the published text.

    Returns:
        `text` uint8 [T], code points, of both parts.
    """
    note = f"A learnable stand-in of made-up words, not {entry.title}."
    return _divide(write_play(LENGTHS[entry.name], seed), options, note)


def _divide(text: NDArray[np.uint8], options: Options, note: str) -> Parts:
    border = len(text) - max(1, round(len(text) * options.validation_share))
    return Parts(
        train={"text": text[:border]},
        validation={"text": text[border:]},
        note=note,
        details={"vocabulary": CHARACTERS},
    )
