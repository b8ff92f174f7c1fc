"""Reviews are prepared as Keras prepares them, from a file that cannot do anything."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.datasets.base import Lists, pad
from accelreport.datasets.errors import DataCorrupt, FormatError
from accelreport.datasets.imdb import read_integer_lists
from accelreport.datasets.load import load
from tests.datasets.layouts import object_npy, pickled_npy, plain_npy, reviews, write_imdb

ROWS = st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=12), max_size=12)


def lists(rows: list[list[int]]) -> Lists:
    flat = np.array([value for row in rows for value in row], np.int32)
    return Lists(flat, np.array([len(row) for row in rows], np.int64))


def unpacked(made: Lists) -> list[list[int]]:
    ends = np.cumsum(made.lengths)
    return [row.tolist() for row in np.split(made.flat, ends[:-1])] if len(ends) else []


@given(ROWS)
def test_pickled_lists_are_read_back(rows: list[list[int]]) -> None:
    flat, lengths = read_integer_lists(object_npy(rows))
    assert unpacked(Lists(flat, lengths)) == rows


@given(ROWS, st.integers(1, 15), st.booleans(), st.booleans())
def test_padding_agrees_with_a_plain_loop(
    rows: list[list[int]], length: int, keep_end: bool, fill_begin: bool
) -> None:
    wanted = []
    for row in rows:
        kept = row[-length:] if keep_end else row[:length]
        zeros = [0] * (length - len(kept))
        wanted.append(zeros + kept if fill_begin else kept + zeros)
    made = pad(lists(rows), length, keep_end=keep_end, fill_begin=fill_begin)
    assert made.shape == (len(rows), length)
    assert made.tolist() == wanted


def by_kerass_recipe(rows: Any, labels: Any, generator: Any, **options: int) -> tuple[Any, Any]:
    """What `keras.datasets.imdb.load_data` and `pad_sequences` do, step by step."""
    order = np.arange(len(rows))
    generator.shuffle(order)
    made = []
    for place in order:
        row = [1] + [word + options["index_from"] for word in rows[place]]
        row = [word if word < options["num_words"] else 2 for word in row]
        row = row[-options["length"] :]
        made.append([0] * (options["length"] - len(row)) + row)
    return np.array(made), np.array(labels)[order]


@pytest.mark.parametrize(
    "options",
    [
        {"num_words": 15000, "index_from": 3, "length": 250},
        {"num_words": 100, "index_from": 10, "length": 20},
    ],
)
def test_rows_agree_with_keras_load_data(data_folder: Path, options: dict[str, int]) -> None:
    write_imdb(data_folder)
    data = load("imdb", mode="real", options=options)
    generator = np.random.RandomState(113)
    labels = np.tile([0, 1], 6)
    for part, rows, y in (
        (data.train, reviews(12, 1), labels),
        (data.validation, reviews(8, 2), labels[:8]),
    ):
        x, y = by_kerass_recipe(rows, y, generator, **options)
        assert part["x"].dtype == np.int32
        assert (part["x"] == x).all()
        assert (part["y"] == y).all()
    assert data.classes == ("negative", "positive")
    assert data.details["vocabulary"] == options["num_words"]


class Calls:
    """Pickles to a call of a function."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call


HOSTILE: list[object] = [
    Calls(os.system, "touch harmed"),
    Calls(eval, "open('harmed', 'w')"),
    Calls(open, "harmed", "w"),
    Calls(np.load, "harmed"),
    Calls(np.save, "harmed", [1]),
    Calls(np.zeros, (1 << 50,)),
    Calls(Path.touch, Path("harmed")),
    [Calls(os.system, "touch harmed")],
    pickle.loads,
    os.environ.copy(),
    np.array([[1], [2]]),
    {"a": [1]},
    "text",
    1,
    None,
]


@pytest.mark.parametrize("payload", HOSTILE, ids=lambda payload: type(payload).__name__)
def test_a_pickle_of_anything_else_is_refused_and_does_nothing(
    payload: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    write_imdb(data_folder, {"x_test.npy": pickled_npy(payload)})
    with pytest.raises(DataCorrupt, match="pickle"):
        load("imdb", mode="real")
    assert not (tmp_path / "harmed").exists()


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[1, 2], [3.5]], "not a whole number"),
        ([[1, 2], [True]], "not a whole number"),
        ([[1, 2], ["3"]], "not a whole number"),
        ([[1, 2], [[3]]], "not a whole number"),
        ([[1, 2], [2**31]], "beyond 32 bits"),
        ([[1, 2], (3, 4)], "not a list"),
        ([[1, 2], None], "not a list"),
    ],
)
def test_lists_of_anything_but_whole_numbers_are_refused(rows: list[Any], why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_integer_lists(object_npy(rows))


def test_one_long_list_named_many_times_is_refused_before_it_is_copied() -> None:
    long = [1] * 100_000
    with pytest.raises(FormatError, match="at most"):
        read_integer_lists(object_npy([long] * 3000))


@pytest.mark.parametrize(
    ("member", "data", "why"),
    [
        ("y_train.npy", plain_npy([0, 1] * 5), "for 12 reviews"),
        ("y_train.npy", plain_npy([0, 2] * 6), "other than 0 and 1"),
        ("y_train.npy", plain_npy(np.zeros(12)), "float64"),
        ("y_train.npy", object_npy([[0]] * 12), "numbers"),
        ("x_train.npy", object_npy([[-5]] * 12), "negative"),
        ("x_train.npy", plain_npy(np.zeros((12, 9))), "not lists"),
        ("x_train.npy", b"", "not a .npy file"),
    ],
)
def test_a_file_of_another_form_is_refused(
    data_folder: Path, member: str, data: bytes, why: str
) -> None:
    write_imdb(data_folder, {member: data})
    with pytest.raises(DataCorrupt, match=why):
        load("imdb", mode="real")
