"""accelreport from Python: stable names, frames that can be trusted, and a table for notebooks."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import accelreport
from accelreport.report.pages.sections.speedup import speedup_section
from accelreport.report.say import Speaker
from accelreport.report.site.export import site_files
from accelreport.report.site.options import BuildOptions
from accelreport.report.view import views
from accelreport.report.warning_text import warning_title
from accelreport.results.record import Warned
from accelreport.results.store import Store
from accelreport.terminal.answer import answers
from tests.house.tree import ROOT
from tests.support.records import assorted, store_of, study

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results of two benchmarks with different sweeps; one cell of each kind of outcome."""
    store = store_of(tmp_path / "results", study("training", fate=assorted), study("matmul"))
    return store.root


def test_every_public_name_is_there_and_documented_and_no_other_is_promised() -> None:
    promised = set(re.findall(r"^\| `accelreport\.(\w+)` \|", PAGE, re.MULTILINE))
    assert promised == set(accelreport.__all__)
    for name in accelreport.__all__:
        assert getattr(accelreport, name).__doc__
        assert name in dir(accelreport)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        accelreport.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import accelreport, sys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pandas", "tensorflow", "altair", "pydantic", "typer"} & set(told.stdout.split())


def test_a_run_ends_with_the_headline_the_speedups_and_what_to_know_of_them(folder: Path) -> None:
    store = Store(folder)
    plans = [plan for plan in store.plans() if plan.workload["kind"] != "matmul"]
    text = "\n".join(answers(store, plans))
    (bench,) = views(plans, store.records())
    assert Speaker(bench).headline() in text
    speedups = accelreport.load_results(folder).speedups
    told = set(speedups.loc[speedups["spec"] == plans[0].spec, "verdict"])
    assert all(verdict in text for verdict in told - {"NOT MEASURED"})
    for kind in {each.kind for row in bench.results if row.measured for each in row.warnings}:
        assert warning_title(kind) in text
    assert "matmul" not in text


def test_what_is_true_of_several_benchmarks_is_told_once_as_a_run_ends(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    drifting = Warned(kind="drifting", message="Later steps are slower.")
    made = [
        study(spec=name, origin="sample", first_seed=seed)
        for name, seed in (("first", 0), ("second", 100))
    ]
    for each in made:
        store.write_plan(each.plan)
        for record in each.records:
            store.write(record.model_copy(update={"warnings": [drifting]}))
    text = "\n".join(answers(store, [each.plan for each in made]))
    assert text.count("drifting: every measured cell") == len(made)
    assert text.count("Accuracies and losses are not comparable") == 1


def test_a_run_of_several_benchmarks_ends_with_what_is_decided_and_what_decides_the_rest() -> None:
    store = Store(ROOT / "examples" / "whole_trainings")
    lines = list(answers(store, store.plans(), "accelreport run specs/"))
    groups = ["Decided: ", ".* may be decided$", "Your own ", r"\d+\xa0claims need "]
    places = [next(n for n, line in enumerate(lines) if re.match(group, line)) for group in groups]
    assert places == sorted(places)
    decided, undecided, own, also = (lines[place + 1].strip() for place in places)
    assert re.search(r"× .* \(.*–.*×, \w+\)$", decided)
    assert re.fullmatch(r".+ over .+: .+× \(.+–.+×, \w+\)", undecided)
    again = r"  accelreport run specs/.* --until-decided   \(about .+\)"
    assert any(re.fullmatch(again, line) for line in lines)
    assert also.endswith(" also a larger profile")
    assert any(line.startswith("  accelreport notebook specs/") for line in lines)
    assert own.startswith("accelreport new specs/mine.toml --model")


def test_every_frame_the_page_names_begins_with_spec_and_profile(folder: Path) -> None:
    results = accelreport.load_results(folder)
    names = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert len(names) == 5
    for name in names:
        frame = getattr(results, name)
        assert list(frame.columns[:2]) == ["spec", "profile"]
    assert set(results.cells["spec"]) == {"example_training", "example_matmul"}


def test_failed_and_skipped_cells_are_rows(folder: Path) -> None:
    results = accelreport.load_results(str(folder))
    statuses = set(results.cells["status"])
    assert {"ok", "failed", "skipped"} <= statuses
    assert len(results.records) == len(results.cells[results.cells["status"] != "missing"])


def test_a_summary_has_intervals_and_tells_what_was_not_measured(folder: Path) -> None:
    results = accelreport.load_results(folder)
    text = str(results)
    assert re.search(r"example_matmul \(\w+\) .*× \(.*–.*×\)", text)
    assert "BASELINE" in text
    assert "not measured, " in text


def test_a_withheld_comparison_has_no_verdict_on_any_surface(tmp_path: Path) -> None:
    store, made = Store(tmp_path / "results"), study(axes={}, devices=("cpu", "gpu"))
    mixed = made.plan.devices["gpu"].model_copy(update={"precision": "mixed_float16"})
    plan = made.plan.model_copy(update={"devices": made.plan.devices | {"gpu": mixed}})
    store.write_plan(plan)
    for record in made.records:
        store.write(record)
    results = accelreport.load_results(store.root)
    (query,) = re.findall(r'speedups\.query\("(.*)"\)', PAGE)
    assert results.speedups.query(query).empty
    own = results.speedups.set_index("device").loc["gpu"]
    assert (own["verdict"], own["withheld"] != "") == ("WITHHELD", True)
    assert own["speedup"] > 1.03, "the number stays, beside its reason"
    benches = views([plan], store.records())
    files = dict(site_files(benches))
    (row,) = (row for row in csv.DictReader(io.StringIO(files["speedups.csv"])) if row["withheld"])
    assert row["verdict"] == "WITHHELD"
    (bench,) = json.loads(files["results.json"])["benchmarks"]
    assert {row["verdict"] for row in bench["speedups"]} == {"BASELINE", "WITHHELD"}
    for text in ("\n".join(answers(store, [plan])), str(results)):
        assert "WITHHELD: it computes in float16 instead of float32" in text
        assert "FASTER" not in text
    section = speedup_section(benches[0])
    assert section is not None
    assert section.detail == "1 withheld"
    assert re.search(r"\w+ and precision differ", repr(section))


def test_a_notebook_s_table_is_escaped(folder: Path) -> None:
    results = accelreport.load_results(folder)
    shown = results._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == shown.count("</tr>") > 3
    results.speedups.loc[0, "device"] = "<script>"
    assert "<script>" not in results._repr_html_()


def test_a_folder_without_results_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(accelreport.AccelReportError, match="is not a results folder"):
        accelreport.load_results(tmp_path / "nothing")
    Store(tmp_path / "empty").prepare()
    with pytest.raises(accelreport.AccelReportError, match="There are no results in") as raised:
        accelreport.load_results(tmp_path / "empty")
    assert "accelreport run" in str(raised.value)


def test_a_site_is_the_command_s(tmp_path: Path) -> None:
    made = study("matmul", repeats=1)
    store = store_of(tmp_path / "results", made)
    folder = store.root
    index = accelreport.build(folder, tmp_path / "site", specs=None, cache=False)
    assert index == tmp_path / "site" / "index.html"
    assert BuildOptions.title in index.read_text(encoding="utf-8")
    single = accelreport.build(
        folder, tmp_path / "one.html", specs=None, single_file=True, title="Ours", cache=False
    )
    assert "Ours" in single.read_text(encoding="utf-8")


@pytest.mark.e2e
def test_the_documented_program_runs_as_it_stands(tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    (tmp_path / "program.py").write_text(block, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr
    assert "matmul (quick)" in done.stdout
    assert done.stdout.splitlines()[-1] == str(Path("site") / "index.html")
    assert "Products on this machine" in (tmp_path / "site" / "index.html").read_text("utf-8")
