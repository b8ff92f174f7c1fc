"""A benchmark inside a person's own pytest suite: it fails when a step became slower."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import accelreport
from accelreport.results.store import Store
from tests.automation.conftest import paced
from tests.house.documents import fenced
from tests.house.tree import ROOT
from tests.support.program import alone
from tests.support.records import Study, store_of, study, without_peaks


def keep(folder: Path, made: Study) -> Path:
    store_of(folder, made)
    return folder


def small(factor: float = 1.0, seed: int = 0, repeats: int = 5, spec: str = "") -> Study:
    made = study(
        spec=spec,
        devices=("cpu",),
        axes={"batch_size": (256, 512)},
        epochs=1,
        repeats=repeats,
        factors={"cpu": factor},
        seed=seed,
    )
    return without_peaks(made)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return keep(tmp_path / "old", small())


def test_what_is_not_slower_passes_without_a_word(old: Path, tmp_path: Path) -> None:
    comparison = accelreport.compare(old, keep(tmp_path / "new", small(0.5, 1)))
    comparison.assert_not_slower()
    comparison.assert_not_slower(0.0, decided=True)
    assert set(comparison.rows["verdict"]) == {"FASTER"}


def test_what_is_slower_beyond_doubt_fails_and_is_named(old: Path, tmp_path: Path) -> None:
    comparison = accelreport.compare(str(old), str(keep(tmp_path / "new", small(1.5, 1))))
    with pytest.raises(AssertionError, match="slower than the gate of 5 % beyond doubt") as failed:
        comparison.assert_not_slower(0.05)
    assert "example_training on cpu at batch_size=256" in str(failed.value)
    assert f"{tmp_path / 'new'} against {old}" in str(failed.value)
    comparison.assert_not_slower(1.0)
    comparison.assert_not_slower("100%")
    with pytest.raises(AssertionError):
        comparison.assert_not_slower("5%")


def test_too_few_processes_are_a_warning_and_a_failure_where_that_is_asked(
    old: Path, tmp_path: Path
) -> None:
    comparison = accelreport.compare(old, keep(tmp_path / "new", small(seed=1, repeats=1)))
    with pytest.warns(UserWarning, match="2 of 2 comparisons are undecided") as warned:
        comparison.assert_not_slower(0.05)
    assert warned[0].filename == __file__
    with pytest.raises(AssertionError, match="are undecided"):
        comparison.assert_not_slower(0.05, decided=True)


def test_nothing_to_compare_is_no_success(old: Path, tmp_path: Path) -> None:
    other = accelreport.compare(old, keep(tmp_path / "new", small(spec="another")))
    with pytest.raises(AssertionError, match="nothing new to compare"):
        other.assert_not_slower(0.05)
    with pytest.raises(AssertionError, match="nothing new was measured"):
        accelreport.compare(old, old).assert_not_slower(0.05)


def test_a_file_that_cannot_be_read_is_no_success(old: Path, tmp_path: Path) -> None:
    new = keep(tmp_path / "new", small(0.5, 1))
    next(iter((new / "cells").iterdir())).write_text("{")
    with pytest.raises(AssertionError, match="files could not be read"):
        accelreport.compare(old, new).assert_not_slower(0.05)


@pytest.mark.parametrize("margin", [5, -0.1, float("nan"), "5", "five"])
def test_what_is_no_margin_is_refused(margin: float | str, old: Path) -> None:
    with pytest.raises(ValueError, match=r"write 5% or 0\.05"):
        accelreport.compare(old, old).assert_not_slower(margin)


def test_a_folder_without_results_is_one_clear_error(old: Path, tmp_path: Path) -> None:
    with pytest.raises(accelreport.AccelReportError, match="is not a results folder"):
        accelreport.compare(old, tmp_path / "nowhere")


def test_rows_are_a_frame_with_the_swept_keys_as_columns(old: Path, tmp_path: Path) -> None:
    comparison = accelreport.compare(old, keep(tmp_path / "new", small(1.5, 1)))
    rows = comparison.rows
    assert list(rows.columns[:4]) == ["spec", "profile", "device", "batch_size"]
    assert rows["batch_size"].tolist() == [256, 512]
    assert (rows["high"] < 1 / 1.05).all()
    assert (rows["low"] < rows["speedup"]).all()
    nothing = accelreport.compare(_empty(tmp_path / "a"), _empty(tmp_path / "b")).rows
    assert isinstance(nothing, pd.DataFrame)
    assert len(nothing) == 0
    assert "verdict" in nothing.columns


def test_it_shows_itself_as_the_command_does_and_escaped_in_a_notebook(
    old: Path, tmp_path: Path
) -> None:
    comparison = accelreport.compare(old, keep(tmp_path / "new", small(1.5, 1)))
    assert "times as fast" in repr(comparison)
    assert repr(comparison).splitlines()[-1] == "2 comparisons: 2 SLOWER"
    hostile = keep(tmp_path / "hostile", small(spec="<script>"))
    shown = accelreport.compare(hostile, hostile)._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown


def _empty(folder: Path) -> Path:
    Store(folder).prepare()
    return folder


@pytest.mark.e2e
def test_the_documented_test_measures_and_fails_where_a_step_is_slower(
    measured: Path, tmp_path: Path
) -> None:
    (suite,) = fenced("docs/automation.md", "python")
    shutil.copytree(measured / "specs", tmp_path / "specs")
    # So much faster than what is measured now that three processes decide, whatever else runs here.
    paced(measured / "results", tmp_path / "benchmarks" / "last-release", 1e-4)
    (tmp_path / "test_speed.py").write_text(suite, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_speed.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), **alone(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert "products on cpu is" in done.stdout
    assert "The gate is closed: something is slower than it allows." in done.stdout
