"""Shakespeare as characters below 256, divided by position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from accelreport.datasets.errors import DataCorrupt
from accelreport.datasets.load import load
from tests.datasets.layouts import write_shakespeare


def test_the_text_is_divided_by_position_and_nothing_is_lost(some_data: Path) -> None:
    data = load("shakespeare", mode="real")
    joined = np.concatenate([data.train["text"], data.validation["text"]])
    assert joined.dtype == np.uint8
    assert joined.tobytes() == (some_data / "shakespeare" / "input.txt").read_bytes()
    assert len(data.validation["text"]) == round(len(joined) * 0.1)


def test_characters_beyond_256_are_left_out_and_counted(data_folder: Path) -> None:
    write_shakespeare(data_folder, "\ufeffCafé “quoted”\r\n".encode() * 200)
    data = load("shakespeare", mode="real")
    joined = np.concatenate([data.train["text"], data.validation["text"]]).tobytes()
    assert joined.startswith("Café quoted\n".encode("latin-1"))
    assert "599 characters beyond code point 255" in data.note


@pytest.mark.parametrize(
    ("text", "why"), [(b"\xff\xfe" * 900, "not UTF-8"), (b"short", "5 characters")]
)
def test_what_is_no_text_is_refused(data_folder: Path, text: bytes, why: str) -> None:
    write_shakespeare(data_folder, text)
    with pytest.raises(DataCorrupt, match=why):
        load("shakespeare", mode="real")


def test_the_share_that_validates_can_be_chosen(data_folder: Path) -> None:
    write_shakespeare(data_folder)
    data = load("shakespeare", mode="real", options={"validation_share": 0.5})
    assert len(data.train["text"]) == len(data.validation["text"])
