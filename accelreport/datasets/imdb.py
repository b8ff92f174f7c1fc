"""IMDB film reviews as sequences of word numbers, prepared as Keras' `load_data` does.

`imdb.npz` keeps each review as a Python list in an array of objects, which NumPy stores as
a pickle. The unpickler accepts three names and replaces each by an object that only keeps its
state: it constructs no NumPy object and no other class, and calls nothing.

Synthetic reviews have words by Zipf's law. A share of a review's words, which differs from review
to review, comes from the distribution of its class, in which a few hundred words of middling
frequency are more or less likely; all other words are drawn alike for both classes. Reviews with a
small share are indistinguishable, so that accuracy stays below 1 and a large model overfits, as on
real reviews.
"""

from __future__ import annotations

import functools
import io
import itertools
import pickle
from typing import Annotated, Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts
from accelreport.datasets.archives import ZipArchive
from accelreport.datasets.base import Arrays, Lists, pad
from accelreport.datasets.cache import Contents, parsed
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.errors import FormatError
from accelreport.datasets.parts import Parts

_LIMIT = 1 << 28
_MODULES = frozenset(
    {"numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core", "numpy._core"}
)


class _Remembered:
    """Keeps the state that a pickle gives it."""

    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _NotAClass:
    """Replaces `numpy.ndarray` where a pickle has it as an argument."""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in _MODULES and name in {"_reconstruct", "dtype"}:
            return lambda *_arguments: _Remembered()
        if module in _MODULES and name == "ndarray":
            return _NotAClass
        raise pickle.UnpicklingError(f"it requires {module}.{name}")


def read_integer_lists(data: bytes) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Read a .npy file of lists of whole numbers.

    Args:
        data: the file's bytes.

    Returns:
        All numbers one after the other, int32 [total], and the length of each list,
        int64 [lists].

    Raises:
        FormatError: when it holds anything else.
    """
    stream = io.BytesIO(data)
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _fortran, dtype = read(stream)
    except (ValueError, EOFError) as error:
        raise FormatError(f"It is not a .npy file ({error}).") from error
    if dtype != np.dtype(object) or len(shape) != 1:
        raise FormatError(f"It has an array of {dtype} with shape {shape}, not lists.")
    try:
        remembered = _Unpickler(stream).load()
    except Exception as error:
        # A damaged pickle can fail in the unpickler with nearly any error; none is expected.
        raise FormatError(f"Its pickle cannot be read: {error}.") from error
    state = remembered.state if isinstance(remembered, _Remembered) else None
    rows = state[-1] if isinstance(state, tuple) and len(state) == 5 else None
    if not isinstance(rows, list) or len(rows) != shape[0]:
        raise FormatError("Its pickle has no array of lists.")
    if not all(type(row) is list for row in rows):
        raise FormatError("It has an entry that is not a list.")
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    total = int(lengths.sum())
    if total > _LIMIT:
        raise FormatError(f"Its lists have {total:,} values; at most {_LIMIT:,} are read.")
    if not set(map(type, itertools.chain.from_iterable(rows))) <= {int}:
        raise FormatError("Its lists have an entry that is not a whole number.")
    try:
        flat = np.fromiter(itertools.chain.from_iterable(rows), np.int32, total)
    except OverflowError as error:
        raise FormatError("Its lists have numbers beyond 32 bits.") from error
    return flat, lengths


def read_plain_array(data: bytes) -> NDArray[Any]:
    """Read a .npy file of numbers; raises `FormatError` for one of objects."""
    try:
        array: NDArray[Any] = npy.read_array(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise FormatError(f"It is not a complete .npy file of numbers ({error}).") from error
    return array


REVIEWS = 25_000
"""Reviews in a part, half of each class."""

_VOCABULARY = 88_584
_TABLE = 1 << 20
_BIASED = (40, 2500, 500)
"""First and last rank, and number, of the words that are more likely in one class."""
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
    """Ranks of words by a uniform index: of no class, class 0 and class 1, int32 [3, _TABLE]."""
    rank = np.arange(1, _VOCABULARY + 1)
    common = (rank + 2.7) ** -1.15
    rng = np.random.default_rng(_CONCEPT_SEED)  # the same biased words for every seed
    first, last, count = _BIASED
    biased = rng.choice(np.arange(first, last), count, replace=False)
    lean = rng.normal(0, _LEANING, count)
    weights = np.stack([common, common, common])
    weights[1, biased] *= np.exp(-lean)
    weights[2, biased] *= np.exp(lean)
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    grid = (np.arange(_TABLE) + 0.5) / _TABLE
    return np.stack([np.searchsorted(row, grid) + 1 for row in ends]).astype(np.int32)


START, OUT_OF_VOCABULARY = 1, 2
"""Numbers of the mark at the beginning and of an omitted word; 0 pads."""

CLASSES = ("negative", "positive")

_HALVES = ("train", "test")
_SHUFFLE_SEED = 113
_VERSION = 1
_MEMBER_LIMIT = 128 * MEBIBYTE


class Options(parts.Options):
    """How reviews become sequences of equal length."""

    num_words: Annotated[int, Field(ge=4)] = 15000
    """Numbers from here on become the mark of a word that is left out."""
    index_from: Annotated[int, Field(ge=3, le=1000)] = 3
    """Added to the rank of a word, to leave room for the marks."""
    length: Annotated[int, Field(ge=1, le=10000)] = 250
    """Steps of each sequence."""
    padding: Literal["pre", "post"] = "pre"
    """Where short reviews are filled with zeros: `pre` or `post`."""
    truncating: Literal["pre", "post"] = "pre"
    """Where long reviews are cut: `pre` keeps their end, `post` their beginning."""


def read(entry: CatalogueEntry, files: list[Contents], options: Options) -> Parts:
    """Read `imdb.npz`; the test part validates.

    Returns:
        `x` int32 [25000, length] and `y` uint8 [25000] of both parts.

    Raises:
        FormatError: when the file holds anything but lists of numbers and their labels.
    """
    (file,) = files
    archive = ZipArchive(file.data)
    arrays = parsed(entry.name, _VERSION, file.sha256, functools.partial(_parse, archive))
    # Keras' load_data shuffles both parts with one generator; here too, so that rows agree.
    generator = np.random.RandomState(_SHUFFLE_SEED)
    halves = []
    for name in _HALVES:
        labels = arrays[f"{name}_labels"]
        order = np.arange(len(labels))
        generator.shuffle(order)
        ranks = Lists(arrays[f"{name}_words"], arrays[f"{name}_lengths"]).take(order)
        halves.append(_arrays(ranks, labels[order], options))
    return _parts(halves[0], halves[1], options)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Make reviews whose words lean towards their class, half of each class.

    Returns:
        `x` int32 [25000, length] and `y` uint8 [25000] of both parts.
    """
    train, validation = (_arrays(*make_reviews(seed, part), options) for part in (0, 1))
    note = f"A learnable stand-in of made-up word sequences, not {entry.title}."
    return _parts(train, validation, options, note)


def _parts(train: Arrays, validation: Arrays, options: Options, note: str = "") -> Parts:
    details = {
        "vocabulary": options.num_words,
        "index_from": options.index_from,
        "padding": 0,
        "start": START,
        "out_of_vocabulary": OUT_OF_VOCABULARY,
    }
    return Parts(train, validation, CLASSES, note, details)


def _parse(archive: ZipArchive) -> Arrays:
    arrays: dict[str, NDArray[Any]] = {}
    for name in _HALVES:
        flat, lengths = read_integer_lists(archive.read(f"x_{name}.npy", _MEMBER_LIMIT))
        labels = read_plain_array(archive.read(f"y_{name}.npy", _MEMBER_LIMIT))
        if labels.shape != lengths.shape or labels.dtype.kind not in "iu":
            raise FormatError(
                f"y_{name}.npy holds {labels.dtype} of shape {labels.shape} "
                f"for {len(lengths):,} reviews."
            )
        if not len(labels) or not np.isin(labels, (0, 1)).all():
            raise FormatError(f"y_{name}.npy has labels other than 0 and 1, or none.")
        if len(flat) and flat.min() < 0:
            raise FormatError(f"x_{name}.npy has negative word numbers.")
        arrays |= {
            f"{name}_words": flat,
            f"{name}_lengths": lengths,
            f"{name}_labels": labels.astype(np.uint8),
        }
    return arrays


def _arrays(ranks: Lists, labels: NDArray[np.uint8], options: Options) -> Arrays:
    """Reviews with a marked beginning, without rare words and of one length; their labels."""
    flat = ranks.flat.astype(np.int64) + options.index_from  # the sum may exceed 32 bits
    flat[flat >= options.num_words] = OUT_OF_VOCABULARY
    marked = Lists(flat.astype(np.int32), ranks.lengths).prepend(START)
    keep_end, fill_begin = options.truncating == "pre", options.padding == "pre"
    x = pad(marked, options.length, keep_end=keep_end, fill_begin=fill_begin)
    return {"x": x, "y": labels}
