"""`accelreport noise`, and the gate that says what it can see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.terminal.noise import keep, kept
from tests.analysis.test_noise import SMALL
from tests.support.program import call
from tests.support.records import store_of, study

pytestmark = pytest.mark.e2e

SPEC = """
schema = 1
title = "Products"
devices = ["cpu"]
[workload]
kind = "matmul"
size = 64
[measure]
calls = 4
warmup_calls = 1
"""


def test_a_spec_is_measured_against_itself_and_what_was_found_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SPEC)
    (tmp_path / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    cache = {"ACCELREPORT_CACHE": str(tmp_path / "cache")}
    asked = ("noise", "mine.toml", "--pairs", "3", "--for")
    assert call(tmp_path, *asked, "0%", **cache).returncode == ExitCode.USAGE
    done = call(tmp_path, *asked, "100%", "--json", **cache)
    assert done.returncode == ExitCode.OK, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["workload"], row["device"], row["pairs"]) == ("mine:full", "cpu", 3)
    assert row["spread"] > 0
    (stored,) = json.loads((tmp_path / "cache" / "noise" / "noise.json").read_text())
    assert stored == {name: value for name, value in row.items() if name != "repeats"}
    assert not (tmp_path / "results").exists(), "an A/A measurement is no result"


def test_a_gate_says_what_it_sees_at_best_before_it_says_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path / "cache"))
    keep([SMALL])
    for folder, seed in (("old", 0), ("new", 1)):
        made = study(devices=("cpu",), axes={"batch_size": (256,)}, epochs=1, seed=seed)
        store_of(tmp_path / folder, made)
    asked = ("compare", "old", "new", "--fail-if-slower", "0.1%")
    cache = {"ACCELREPORT_CACHE": str(tmp_path / "cache")}
    told = call(tmp_path, *asked, **cache).stdout
    best = f"This gate sees {100 * SMALL.shown_by(3):.2g} % at best"
    assert best in told, told
    assert told.index(best) < told.index("undecided about the gate")
    (row,) = json.loads(call(tmp_path, *asked, "--format", "json", **cache).stdout)["rows"]
    assert row["sees"] == pytest.approx(SMALL.shown_by(3))
    ungated = call(tmp_path, "compare", "old", "new", **cache).stdout
    assert "at best" not in ungated


def test_a_measurement_outlives_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("no folder")
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path / "cache"))
    keep([SMALL])
    assert "warning: the noise is not kept" in capsys.readouterr().err
    assert kept() == []


def test_a_newer_measurement_takes_the_place_of_the_older_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path))
    other = SMALL.model_copy(update={"machine": "ffffffff"})
    newer = SMALL.model_copy(update={"spread": 0.5})
    keep([SMALL, other])
    keep([newer])
    assert kept() == [other, newer]
    (tmp_path / "noise" / "noise.json").write_text("[")
    assert kept() == []
