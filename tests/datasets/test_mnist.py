"""MNIST and Fashion-MNIST are read as published, or refused with the file's name.

The IDX reader gives back what was written and believes nothing it cannot check.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from accelreport.datasets import mnist
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.errors import DataCorrupt, DataUnavailable, FormatError
from accelreport.datasets.load import load
from accelreport.datasets.mnist import read_idx, write_idx
from tests.datasets.layouts import write_images


def make_official(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the catalogue name the checksums of the files that are there."""
    entry = CATALOGUE[name]
    files = tuple(
        dataclasses.replace(
            file, sha256=hashlib.sha256((root / file.path).read_bytes()).hexdigest()
        )
        for file in entry.files
    )
    monkeypatch.setitem(CATALOGUE, name, dataclasses.replace(entry, files=files))


@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_images_and_labels_come_in_the_published_form(name: str, some_data: Path) -> None:
    data = load(name, mode="real")
    for part in (data.train, data.validation):
        assert part["x"].dtype == np.uint8
        assert part["x"].shape == (len(part["y"]), 28, 28)
        assert part["y"].dtype == np.uint8
    assert len(data.classes) == 10
    assert set(data.files) == {file.name for file in CATALOGUE[name].files}
    if data.origin == "official":
        for part, counts in zip((data.train, data.validation), mnist.COUNTS[name], strict=True):
            assert np.bincount(part["y"]).tolist() == list(counts)
    else:
        assert "not the published ones" in data.note


def test_data_are_official_only_when_every_checksum_is(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_images(data_folder)
    make_official("mnist", data_folder, monkeypatch)
    official = load("mnist", mode="real")
    assert official.origin == "official"
    assert official.note == ""

    labels = data_folder / "mnist" / "t10k-labels-idx1-ubyte.gz"
    labels.write_bytes(write_idx(np.zeros(20, np.uint8)))
    changed = load("mnist", mode="real")
    assert changed.origin == "user-supplied"
    assert changed.fingerprint != official.fingerprint
    assert changed.files[labels.name] == hashlib.sha256(labels.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("file", "contents", "why"),
    [
        ("train-images-idx3-ubyte.gz", b"", "not a complete gzip file|does not begin with"),
        (
            "train-images-idx3-ubyte.gz",
            write_idx(np.zeros((40, 27, 28), np.uint8)),
            r"shape \(40, 27, 28\), not images of 28 × 28",
        ),
        (
            "train-images-idx3-ubyte.gz",
            write_idx(np.zeros((0, 28, 28), np.uint8)),
            "not images of 28 × 28",
        ),
        ("train-labels-idx1-ubyte.gz", write_idx(np.zeros(39, np.uint8)), "for 40 images"),
        ("t10k-labels-idx1-ubyte.gz", write_idx(np.full(20, 11, np.uint8)), "the label 11"),
    ],
)
def test_a_file_that_is_not_as_published_is_named_with_cause_and_remedy(
    data_folder: Path, file: str, contents: bytes, why: str
) -> None:
    write_images(data_folder)
    (data_folder / "mnist" / file).write_bytes(contents)
    with pytest.raises(DataCorrupt, match=why) as caught:
        load("mnist", mode="real")
    assert caught.value.path == str(data_folder / "mnist" / file)
    assert caught.value.kind == "data-corrupt"
    assert "accelreport data fetch mnist --replace" in caught.value.remedy
    assert "the published file" in caught.value.why


def test_a_missing_file_is_told_by_name_with_both_remedies(data_folder: Path) -> None:
    write_images(data_folder)
    (data_folder / "mnist" / "t10k-images-idx3-ubyte.gz").unlink()
    with pytest.raises(DataUnavailable) as caught:
        load("mnist", mode="real")
    assert "mnist/t10k-images-idx3-ubyte.gz" in caught.value.why
    assert "train" not in caught.value.why
    assert "accelreport data fetch mnist" in caught.value.remedy
    assert "--data synthetic" in caught.value.remedy
    assert caught.value.kind == "data-unavailable"


UINT8 = arrays.arrays(np.uint8, arrays.array_shapes(min_dims=1, max_dims=4, max_side=9))


@given(UINT8)
def test_what_was_written_is_read_back(array: np.ndarray) -> None:
    back = read_idx(write_idx(array))
    assert back.dtype == np.uint8
    assert back.shape == array.shape
    assert (back == array).all()


@given(UINT8, st.data())
def test_a_file_cut_anywhere_is_refused(array: np.ndarray, data: st.DataObject) -> None:
    whole = write_idx(array)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(FormatError):
        read_idx(whole[:cut])


def header(*lengths: int, kind: int = 8) -> bytes:
    return bytes([0, 0, kind, len(lengths)]) + b"".join(n.to_bytes(4, "big") for n in lengths)


def test_a_header_that_announces_terabytes_is_refused_before_anything_is_unpacked() -> None:
    with pytest.raises(FormatError, match="header has 18,446,744,065,119,617,025 values"):
        read_idx(gzip.compress(header(2**32 - 1, 2**32 - 1)))


def test_no_more_is_unpacked_than_the_header_announces() -> None:
    bomb = gzip.compress(header(4) + bytes(50_000_000))
    with pytest.raises(FormatError, match="It has more bytes after the 4 values"):
        read_idx(bomb)
