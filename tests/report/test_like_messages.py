"""Warnings that say the same of other values are told once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.report.model import Notes
from accelreport.report.pages.sections.problems import merged, pattern, warnings_section
from accelreport.results.record import Warned
from tests.report.test_resources import bench_of
from tests.support.records import study


def test_numbers_that_differ_become_a_range() -> None:
    busy = "other processes kept {} cores busy; expected: at most 0.1"
    assert merged([busy.format(n) for n in ("0.41", "0.13", "0.2")]) == busy.format("0.13 to 0.41")


def test_a_number_in_a_name_or_a_version_is_none() -> None:
    assert pattern("float16 of tensorflow 2.21.0 on gpu0") == "float16 of tensorflow 2.21.0 on gpu0"


def test_sentences_that_differ_in_words_are_not_told_as_one() -> None:
    with pytest.raises(ValueError, match="several patterns"):
        merged(["chrome took 3 s", "python took 3 s"])


@given(st.text(), st.lists(st.integers(0, 10**9), min_size=1))
def test_one_sentence_stays_as_it_is_and_many_keep_their_ends(text: str, values: list[int]) -> None:
    assert merged([text]) == text
    said = merged([f"took {value} steps" for value in values])
    assert str(min(values)) in said
    assert str(max(values)) in said


def test_a_warning_of_every_measured_cell_names_none_of_them() -> None:
    made = study(devices=("cpu",), repeats=2)
    every, one = Warned(kind="a", message="Of all"), Warned(kind="b", message="Of one")
    records = [r.model_copy(update={"warnings": [every]}) for r in made.records]
    records[0] = records[0].model_copy(update={"warnings": [every, one]})
    section = warnings_section(bench_of(replace(made, records=tuple(records))))
    assert section is not None
    (notes,) = section.blocks
    assert isinstance(notes, Notes)
    assert [(note.title, len(note.where)) for note in notes.items] == [("A.", 0), ("B.", 1)]
    assert "Every measured cell." in notes.items[0].text
