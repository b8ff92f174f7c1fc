"""The results that are shipped as an example: what they say of themselves, and their report."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from accelreport.analysis.claim_rules import verdict_of
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.results import results_of
from accelreport.loader.load import load
from accelreport.report.model import Figure, Table
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.site.assembly import gather
from accelreport.results.record import DataSource
from accelreport.results.store import Store
from tests.house.tree import ROOT
from tests.support.sites import build

EXAMPLE = ROOT / "examples" / "two_core_cpu"
WHOLE = ROOT / "examples" / "whole_trainings"
WEATHER = ROOT / "examples" / "weather"


@pytest.mark.parametrize("example", [EXAMPLE, WHOLE], ids=lambda folder: folder.name)
def test_every_number_of_an_example_was_measured_of_a_full_profile_on_an_idle_machine(
    example: Path,
) -> None:
    records = [each for each in Store(example).records() if each.status in ("ok", "partial")]
    assert {each.cell.spec for each in records} == {each.spec for each in Store(example).plans()}
    for record in records:
        assert record.cell.profile == "full"
        assert record.environment is not None
        assert record.environment.commit
        assert not record.environment.dirty
        assert "loaded-machine" not in {warning.kind for warning in record.warnings}
        assert record.data is not None
        # Matrices are nobody's data.
        made = record.cell.spec == "matmul" and record.data.origin == "generated"
        assert made or record.data.origin in ("official", "user-supplied")


def test_the_whole_trainings_end_with_their_last_epoch_on_one_machine() -> None:
    records = [record for record in Store(WHOLE).records() if record.measured]
    assert {record.status for record in records} == {"ok"}
    assert len({record.environment.machine for record in records if record.environment}) == 1
    for record in records:
        # Products and calls have none.
        assert len(record.epochs) == (record.cell.workload.get("epochs") or 0)


def test_the_whole_trainings_of_a_benchmark_ran_on_a_host_of_one_speed() -> None:
    """Hosts that were made of one image have one fingerprint, though their processors differ."""
    reached: dict[str, set[float]] = {}
    for record in Store(WHOLE).records():
        assert record.environment is not None
        assert record.environment.roofs is not None
        reached.setdefault(record.cell.spec, set()).add(record.environment.roofs.core_tflops)
    assert all(max(tflops) < 1.2 * min(tflops) for tflops in reached.values()), reached


def test_the_stand_in_for_the_weather_refutes_that_a_cpu_runs_out_of_memory() -> None:
    (record,) = Store(WEATHER).records()
    assert record.data is not None
    assert (record.cell.profile, record.data.origin) == ("full", "synthetic")
    assert "loaded-machine" not in {warning.kind for warning in record.warnings}
    (plan,) = Store(WEATHER).plans()
    verdicts = {
        claim.text: verdict_of(plan, results_of(plan, [record]), claim) for claim in plan.claims
    }
    text = "A CPU needs more memory than the 13 GB of Colab to train this network"
    assert verdicts[text] is ClaimVerdict.REFUTED


DATA = {
    "MNIST": "mnist",
    "Fashion-MNIST": "fashion_mnist",
    "Tiny Shakespeare": "shakespeare",
    "IMDB film reviews": "imdb",
    "UCI HAR": "uci_har",
    "Beijing's hours": "csv",
}
"""Name in the table of examples/README.md → data set of a record."""


def test_no_id_of_a_page_of_an_example_occurs_twice() -> None:
    for bench in gather(Store(EXAMPLE)):
        page = benchmark_page(bench)
        sections = [*([page.opening] if page.opening else []), *page.sections]
        shown = [block for section in sections for block in section.blocks]
        tables = [block.table for block in shown if isinstance(block, Figure) and block.table]
        ids = [block.id for block in (*shown, *tables) if isinstance(block, Figure | Table)]
        assert len(ids) == len(set(ids)), bench.slug


def test_the_readme_says_of_what_data_the_example_is() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    told = {row[0]: row[1:] for row in rows[2:]}
    assert set(told) == set(DATA)
    sources: dict[str, list[DataSource]] = {}
    for record in Store(EXAMPLE).records():
        if record.data and record.data.dataset:
            sources.setdefault(record.data.dataset, []).append(record.data)
    assert set(sources) == set(DATA.values())
    for name, (files, *counts) in told.items():
        own = sources[DATA[name]]
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


@pytest.mark.parametrize("example", [EXAMPLE, WHOLE, WEATHER], ids=lambda folder: folder.name)
def test_an_example_makes_the_claims_of_the_shipped_specs(example: Path) -> None:
    specs = {spec.name: spec for spec in load([ROOT / "specs"]).specs}
    for plan in Store(example).plans():
        assert plan.claims == list(specs[plan.spec].claims)
        keys = {cell.key for cell in specs[plan.spec].cells}
        assert plan.overrides or {cell.key for cell in plan.cells} <= keys


@pytest.mark.e2e
def test_the_example_makes_a_report_that_stands_beside_the_sources(tmp_path: Path) -> None:
    build(Store(EXAMPLE), tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"published Colab TPU \(notebook\): [\d,]+\simages/s, [\d.]+×", page)
    assert "synthetic" not in page


def test_a_published_share_of_a_roof_names_its_own_sweep_point() -> None:
    section = ceilings_page(gather(Store(EXAMPLE))).opening
    assert section is not None
    (figure,) = section.blocks
    assert isinstance(figure, Figure)
    assert figure.table is not None
    groups = {group.title: group for group in figure.table.groups}
    lstm = groups["IMDB LSTM: three kernels"]
    assert "two virtual cores" not in repr(figure), "no peak of a data sheet"
    rows = [[line.text for line in row.header.lines] for row in lstm.rows]
    named = ["kernel hard_sigmoid" in lines for lines in rows]
    assert named == [lines[0].startswith("Colab") for lines in rows]
