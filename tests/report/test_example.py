"""The results that are shipped as an example: what they say of themselves, and their report."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from accelreport.loader.load import load
from accelreport.results.record import DataSource
from accelreport.results.store import Store
from tests.house.tree import ROOT
from tests.support.edited import EXAMPLE

MADE = {"matmul": "generated", "weather_gru": "synthetic"}
"""Spec → origin of its data: matrices are nobody's, and Odense's file is not passed on."""


def test_every_number_of_the_example_was_measured_of_a_full_profile_on_an_idle_machine() -> None:
    records = [each for each in Store(EXAMPLE).records() if each.measured]
    assert {each.cell.spec for each in records} == {each.spec for each in Store(EXAMPLE).plans()}
    for record in records:
        assert record.cell.profile == "full"
        assert record.environment is not None
        assert record.environment.commit
        assert not record.environment.dirty
        assert "loaded-machine" not in {warning.kind for warning in record.warnings}
        assert record.data is not None
        assert record.data.origin in ("official", "user-supplied", MADE.get(record.cell.spec))


def test_the_trainings_end_with_their_last_epoch_on_one_machine() -> None:
    records = [record for record in Store(EXAMPLE).records() if record.measured]
    assert {record.status for record in records} == {"ok"}
    assert len({record.environment.machine for record in records if record.environment}) == 1
    for record in records:
        # Products and calls have none.
        assert len(record.epochs) == (record.cell.workload.get("epochs") or 0)


def test_the_trainings_of_a_benchmark_ran_on_a_host_of_one_speed() -> None:
    """Hosts that were made of one image have one fingerprint, though their processors differ."""
    reached: dict[str, set[float]] = {}
    for record in Store(EXAMPLE).records():
        assert record.environment is not None
        assert record.environment.roofs is not None
        reached.setdefault(record.cell.spec, set()).add(record.environment.roofs.core_tflops)
    assert all(max(tflops) < 1.2 * min(tflops) for tflops in reached.values()), reached


DATA = {
    "mnist": "MNIST",
    "fashion_mnist": "Fashion-MNIST",
    "shakespeare": "Tiny Shakespeare",
    "imdb": "IMDB film reviews",
    "uci_har": "UCI HAR",
    "csv": "Beijing's hours",
    "weather_denmark": "Odense's weather",
}
"""Data set of a record → its name in the table of examples/README.md."""


def test_the_readme_says_of_what_data_the_example_is() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    told = {row[0]: row[1:] for row in rows[2:]}
    sources: dict[str, list[DataSource]] = {}
    for record in Store(EXAMPLE).records():
        if record.data and record.data.dataset:
            sources.setdefault(record.data.dataset, []).append(record.data)
    assert set(told) == {DATA[dataset] for dataset in sources}
    for dataset, own in sources.items():
        files, *counts = told[DATA[dataset]]
        assert {each.origin == "official" for each in own} == {files == "official"}
        # A spec may take some of a data set.
        most = max((each.train_examples, each.validation_examples) for each in own)
        assert [f"{count:,}" for count in most] == counts


def test_the_script_measures_every_spec_in_the_hours_that_the_readme_says(tmp_path: Path) -> None:
    stub = tmp_path / "accelreport"
    stub.write_text('#!/bin/sh\necho "$@" >> "$RAN"\n', encoding="utf-8")
    stub.chmod(0o755)
    ran = tmp_path / "ran"
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", ROOT / "examples" / "measure.sh", tmp_path / "results"],
        env={"PATH": path, "RAN": str(ran)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    specs = set(re.findall(r"specs/(\w+)\.toml", ran.read_text(encoding="utf-8")))
    assert specs == {s.name for s in load([ROOT / "specs"]).specs if not s.only_named}
    minutes = sum(map(int, re.findall(r"about (\d+) min", done.stdout)))
    readme = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    (hours,) = re.findall(r"about (\d+) hours", readme)
    assert round(minutes / 60) == int(hours)


def test_the_example_makes_the_claims_of_the_shipped_specs() -> None:
    specs = {spec.name: spec for spec in load([ROOT / "specs"]).specs}
    for plan in Store(EXAMPLE).plans():
        assert plan.claims == list(specs[plan.spec].claims)
        keys = {cell.key for cell in specs[plan.spec].cells}
        assert plan.overrides or {cell.key for cell in plan.cells} <= keys
