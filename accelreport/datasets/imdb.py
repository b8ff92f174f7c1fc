"""IMDB film reviews as sequences of word numbers, prepared as Keras' `load_data` does."""

from __future__ import annotations

import functools
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from accelreport.datasets import parts
from accelreport.datasets.archives import ArchiveError, ZipArchive
from accelreport.datasets.cache import Contents
from accelreport.datasets.derived import derived
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry
from accelreport.datasets.fingerprint import Arrays
from accelreport.datasets.integer_lists import NpyError, read_integer_lists, read_plain_array
from accelreport.datasets.parts import Parts
from accelreport.datasets.sequences import Lists, pad
from accelreport.datasets.synthetic_reviews import make_reviews

START, OUT_OF_VOCABULARY = 1, 2
"""Numbers of the mark at the beginning and of a word that is left out; 0 pads."""

CLASSES = ("negative", "positive")
"""Names of the classes."""

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
        DataCorrupt: when the file holds anything but lists of numbers and their labels.
    """
    (file,) = files
    try:
        archive = ZipArchive(file.data)
        arrays = derived(entry.name, _VERSION, file.sha256, functools.partial(_parse, archive))
    except (ArchiveError, NpyError) as error:
        raise file.corrupt(str(error)) from error
    # Keras' load_data shuffles both parts with one generator; here too, so that rows agree.
    generator = np.random.RandomState(_SHUFFLE_SEED)
    train, validation = (_shuffled(arrays, name, generator, options) for name in _HALVES)
    return _parts(train, validation, options)


def synthetic(entry: CatalogueEntry, seed: int, options: Options) -> Parts:
    """Make reviews whose words lean towards their class, half of each class.

    Returns:
        `x` int32 [25000, length] and `y` uint8 [25000] of both parts.
    """
    halves: list[Arrays] = []
    for part in (0, 1):
        ranks, y = make_reviews(seed, part)
        halves.append(_arrays(ranks, y, options))
    note = f"A learnable stand-in of made-up word sequences, not {entry.title}."
    return _parts(halves[0], halves[1], options, note)


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
            raise NpyError(
                f"y_{name}.npy holds {labels.dtype} of shape {labels.shape} "
                f"for {len(lengths):,} reviews."
            )
        if not len(labels) or not np.isin(labels, (0, 1)).all():
            raise NpyError(f"y_{name}.npy holds labels other than 0 and 1, or none.")
        if len(flat) and flat.min() < 0:
            raise NpyError(f"x_{name}.npy holds negative word numbers.")
        arrays |= {
            f"{name}_words": flat,
            f"{name}_lengths": lengths,
            f"{name}_labels": labels.astype(np.uint8),
        }
    return arrays


def _shuffled(
    arrays: Arrays, name: str, generator: np.random.RandomState, options: Options
) -> Arrays:
    labels = arrays[f"{name}_labels"]
    order = np.arange(len(labels))
    generator.shuffle(order)
    ranks = Lists(arrays[f"{name}_words"], arrays[f"{name}_lengths"]).take(order)
    return _arrays(ranks, labels[order], options)


def _arrays(ranks: Lists, labels: NDArray[np.uint8], options: Options) -> Arrays:
    return {"x": _prepare(ranks, options), "y": labels}


def _prepare(ranks: Lists, options: Options) -> NDArray[np.int32]:
    """Mark the beginning, leave out rare words, and bring all to one length."""
    flat = ranks.flat + np.int32(options.index_from)
    flat[flat >= options.num_words] = OUT_OF_VOCABULARY
    marked = Lists(flat, ranks.lengths).prepend(START)
    return pad(
        marked,
        options.length,
        keep_end=options.truncating == "pre",
        fill_begin=options.padding == "pre",
    )
