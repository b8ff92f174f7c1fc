"""A page has each kind of warning once, with where it was given."""

from __future__ import annotations

from dataclasses import replace
from math import nan

from accelreport.analysis.warnings import ResultWarning, TwoModes
from accelreport.report.model import Notes
from accelreport.report.pages.sections.runs import runs_section
from accelreport.report.warning_text import warning_text
from accelreport.results.record import Warned
from tests.report.test_resources import bench_of
from tests.support.records import study


def test_a_kind_of_warning_has_one_sentence_and_says_how_many_more_the_cells_have() -> None:
    made = study(devices=("cpu",), repeats=4)
    records = [
        record.model_copy(update={"warnings": [Warned(kind="a", message=f"{number} stalls")]})
        for number, record in enumerate(made.records)
    ]
    section = runs_section(bench_of(replace(made, records=tuple(records[:3]))))
    notes, _ = section.blocks
    assert isinstance(notes, Notes)
    assert notes.items[-1].text.startswith("0 stalls. 2\xa0more such messages.")
    assert section.detail.endswith(" · 1\xa0warning")


def test_numbers_of_one_kind_of_warning_are_one_sentence() -> None:
    drifts = [ResultWarning("drifting", change) for change in (-0.22, -0.48)]
    assert warning_text(*drifts) == "steps became 22 to 48 % faster while they were timed"
    drifts.append(ResultWarning("drifting", 0.06))
    assert "became 48 % faster to 6 % slower" in warning_text(*drifts)
    modes = [TwoModes("bimodal", factor, 0.3, nan, nan) for factor in (1.5, 1.7)]
    assert "30 % of them take 1.5 to 1.7 times" in warning_text(*modes)
    load = ResultWarning("loaded-machine", 0.1004)
    assert warning_text(load).endswith(" kept 0.101 cores busy"), "0.1 is allowed"


def test_files_of_one_s_own_are_told_without_the_name_that_a_spec_gives_the_data() -> None:
    made = study(devices=("cpu",), repeats=2)
    own = Warned(kind="data-user-supplied", message="uci_har is not the official file")
    records = tuple(record.model_copy(update={"warnings": [own]}) for record in made.records)
    text = repr(runs_section(bench_of(replace(made, records=records))))
    assert "The data files are not the official ones. Every measured cell." in text
    assert "ci_har" not in text


def test_a_warning_of_every_measured_cell_names_none_of_them() -> None:
    made = study(devices=("cpu",), repeats=2)
    every, one = Warned(kind="a", message="Of all"), Warned(kind="b", message="Of one")
    trend = Warned(kind="drifting-machine", message="On average")
    records = [r.model_copy(update={"warnings": [every, trend]}) for r in made.records]
    records[0] = records[0].model_copy(update={"warnings": [every, trend, one]})
    section = runs_section(bench_of(replace(made, records=tuple(records))))
    notes, _ = section.blocks
    assert isinstance(notes, Notes)
    titles = [(note.title, len(note.where)) for note in notes.items]
    assert titles == [("A.", 0), ("B.", 1), ("Trend over processes.", 0)]
    assert "Every measured cell." in notes.items[0].text
    assert notes.items[2].text == "On average.", "the mean of all cells is that of no one"
