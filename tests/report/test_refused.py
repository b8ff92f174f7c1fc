"""A number that the timer's checks contradict: what stands on the pages in its place."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from accelreport.cli import app
from accelreport.report.pages.index import index_page
from accelreport.report.site.assembly import gather
from accelreport.results.record import Record, SelfCheck, Warned
from accelreport.terminal.listings import benchmarks, cells
from tests.report.scenarios import Results
from tests.report.tree import Element, parse
from tests.support.records import Study, store_of, study
from tests.support.sites import build

SEEN = "after windows of 0.039 s in all it was at work for another 0.089 s"
EXPECTED = "the device has nothing left to do when the clock is stopped"


def _spoilt(record: Record) -> Record:
    if record.cell.device != "gpu":
        return record
    check = SelfCheck(name="no-sync", outcome="failed", expected=EXPECTED, seen=SEEN)
    warned = Warned(kind="no-sync", message=f"{SEEN}; expected: {EXPECTED}")
    return record.model_copy(
        update={"checks": [check], "warnings": [*record.warnings, warned]},
    )


@pytest.fixture(scope="module")
def made() -> Study:
    """Every measurement of the GPU has a clock that stopped too early."""
    whole = study(axes={}, devices=("cpu", "gpu"), repeats=3, spec="spoilt")
    return replace(whole, records=tuple(_spoilt(record) for record in whole.records))


@pytest.fixture(scope="module")
def out(made: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refused") / "site"
    build(Results((made,)), folder)
    return folder


def page(out: Path, name: str) -> Element:
    return parse((out / name).read_text(encoding="utf-8"))


def test_a_refused_number_is_no_speedup_and_its_fault_stands_in_its_place(out: Path) -> None:
    text = page(out, "spoilt.full.html").text
    assert "refused: no sync" in text
    assert SEEN[1:] in text, "it begins a sentence"
    assert "3 of 6 measured · 3 refused" in text.replace("\xa0", " ")
    with (out / "speedups.csv").open(encoding="utf-8") as file:
        rows = {row["device"]: row for row in csv.DictReader(file)}
    assert rows["gpu"]["speedup"] == ""
    assert "no sync" in rows["gpu"]["reason"]


def test_a_refused_baseline_is_told_with_its_fault_and_what_was_measured_is_counted() -> None:
    whole = study(axes={}, devices=("gpu", "cpu"), repeats=3)
    records = tuple(_spoilt(record) for record in whole.records)
    (bench,) = gather(Results((replace(whole, records=records),)))
    found = index_page([bench], "A site", ())
    assert found.headline.replace("\xa0", " ") == "3 of 6 cells were refused: no sync"
    assert found.finding == "Example T4 is the baseline (refused: no sync)."
    assert {w.kind for row in bench.results if row.refused for w in row.warnings} == {"no-sync"}


def test_the_table_of_benchmarks_counts_what_was_refused(out: Path) -> None:
    assert "refused" in page(out, "benchmarks.html").text
    front = page(out, "index.html").text.replace("\xa0", " ")
    assert "3 of 6 cells were refused: no sync." in front


def test_the_page_of_a_refused_cell_shows_the_raw_times_and_what_was_found(
    out: Path, made: Study
) -> None:
    (record, *_) = [each for each in made.records if each.cell.device == "gpu"]
    (path,) = (out / "cells").glob(f"{record.key}.*.html")
    text = page(out, f"cells/{path.name}").text
    assert "after windows of 0.039 s" in text
    assert EXPECTED in text
    assert f"{record.blocks[3].wall_s:.6f}" in text


def test_the_steps_of_a_refused_cell_are_marked_in_their_file(out: Path, made: Study) -> None:
    with (out / "spoilt.full" / "steps.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    devices = {record.key: record.cell.device for record in made.records}
    assert {(devices[row["key"]], row["status"]) for row in rows} == {
        ("cpu", "ok"),
        ("gpu", "refused"),
    }


def test_no_list_of_results_calls_a_refused_number_sound(made: Study, tmp_path: Path) -> None:
    store = store_of(tmp_path, made)
    (row,) = benchmarks(store)
    assert row["records"] == "3 ok, 3 refused"
    rows = cells(store, "spoilt")
    assert {(row["device"], row["status"]) for row in rows} == {("cpu", "ok"), ("gpu", "refused")}
    (figures,) = {row["figures"] for row in rows if row["device"] == "gpu"}
    assert figures == made.records[-1].warnings[-1].message
    for record in made.records:
        told = CliRunner().invoke(app, ["results", "list", record.key, "--results", str(tmp_path)])
        refused = record.cell.device == "gpu"
        assert (f"status    refused: {figures}" in told.stdout) == refused
        assert ("  measured  " in told.stdout) != refused
