"""`accelreport compare` as its users and their continuous integration call it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelreport.analysis.compare import read_margin
from accelreport.errors import ExitCode
from accelreport.report.comparison import FolderComparison
from accelreport.results.record import Energy, ImportedFile
from accelreport.results.store import Store
from accelreport.spec.cells import Cell
from accelreport.terminal.comparison import comparison_markdown
from tests.support.program import call
from tests.support.records import Study, study, without_peaks

pytestmark = pytest.mark.e2e


def keep(folder: Path, *studies: Study, tensorflow: str = "2.21.0") -> Path:
    store = Store(folder)
    for made in studies:
        store.write_plan(made.plan)
        for record in made.records:
            assert record.environment is not None
            packages = {"packages": {"tensorflow": tensorflow}}
            environment = record.environment.model_copy(update=packages)
            store.write(record.model_copy(update={"environment": environment}))
    return folder


def small(factor: float = 1.0, seed: int = 0, **more: Any) -> Study:
    asked: dict[str, Any] = {"devices": ("cpu",), "axes": {"batch_size": (256,)}, "epochs": 1}
    return study(factors={"cpu": factor}, seed=seed, **(asked | more))


def coded(made: Study, key: str, value: str, **files: str) -> Study:
    """The same processes as if a key had named `step.py`, with modules beside it."""
    cells: dict[str, Cell] = {}
    for record in made.records:
        texts = {f"{name}.py": text for name, text in files.items()}
        own = {key: value, "document": texts.pop("step.py"), "modules": texts}
        whole = record.cell.model_dump(mode="json")
        cells[record.key] = Cell.model_validate(whole | {"workload": whole["workload"] | own})
    planned = [
        each.model_copy(update={"key": cells[each.key].key})
        for each in made.plan.cells
        if each.key in cells
    ]
    records = (
        record.model_copy(update={"cell": cells[record.key], "key": cells[record.key].key})
        for record in made.records
    )
    return Study(made.plan.model_copy(update={"cells": planned}), tuple(records))


def importing(made: Study, code: str) -> Study:
    """The same processes as if they had imported a file from elsewhere."""
    file = ImportedFile(file="mypkg/x.py", sha256=code)
    records = (record.model_copy(update={"imported": [file]}) for record in made.records)
    return Study(made.plan, tuple(records))


STEP = "import lib\n\ndef build(batch_size, seed):\n    a = 1\n    return a, b\n"


@pytest.mark.parametrize("named", [("file", "step.py"), ("model", "step.py:build")])
def test_edited_code_is_what_the_comparison_is_about_and_the_gate_judges_it(
    named: tuple[str, str], tmp_path: Path
) -> None:
    edited = STEP.replace("    a = 1\n", "    a = 2\n    a += 1\n").replace("a, b", "b, a")
    keep(tmp_path / "old", coded(small(), *named, step=STEP, lib="x = 1\n"))
    keep(tmp_path / "slow", coded(small(1.5, 1), *named, step=edited, lib="x = 1\n"))
    keep(tmp_path / "lib", coded(small(seed=1), *named, step=STEP, lib="x = 2\n"))
    told = call(tmp_path, "compare", "old", "slow", "--fail-if-slower", "5%")
    assert told.returncode == ExitCode.SLOWER, told.stdout
    assert "!!   code changed: step.py, 3 lines\n" in told.stdout
    assert "lib.py" not in told.stdout
    told = call(tmp_path, "compare", "old", "lib")
    assert told.returncode == ExitCode.OK, told.stdout
    assert "!!   code changed: lib.py, 1 line\n" in told.stdout
    told = call(tmp_path, "compare", "old", "lib", "--format", "json")
    document = json.loads(told.stdout)
    assert document["code"] == [{"file": "lib.py", "lines": 1, "comparisons": 1}]
    assert "code changed: lib.py, 1 line" in document["rows"][0]["reasons"]
    keep(tmp_path / "one", importing(small(), "1"))
    keep(tmp_path / "two", importing(small(seed=1), "2"))
    assert "!!   code changed: mypkg/x.py\n" in call(tmp_path, "compare", "one", "two").stdout
    assert "mypkg" not in call(tmp_path, "compare", "old", "two").stdout, "OLD has no checksums"


@pytest.mark.parametrize(
    ("new", "gate", "code", "says"),
    [
        (small(seed=1), "", ExitCode.OK, "1 comparison: "),
        (small(1.5, 1), "", ExitCode.OK, "1 SLOWER"),
        (small(1.5, 1), "5%", ExitCode.SLOWER, "FAILED: example_training on cpu at batch_size=256"),
        (small(1.5, 1), "0.05", ExitCode.SLOWER, "slower than the gate of 5 % beyond doubt"),
        (small(1.5, 1), "100 %", ExitCode.OK, "The gate is passed"),
        (
            without_peaks(small(0.5, 1)),
            "5 %",
            ExitCode.OK,
            "1 is not slower by more than 5 %, beyond doubt",
        ),
        (small(seed=1, repeats=1), "5%", ExitCode.OK, "neither closed nor passed: 1 of 1"),
        (
            small(fate=lambda cell: "oom-host"),
            "",
            ExitCode.NOTHING_COMPARED,
            "Nothing could be compared.",
        ),
        (
            small(fate=lambda cell: "oom-host"),
            "5%",
            ExitCode.SOME_FAILED,
            "was measured in OLD and failed in NEW",
        ),
        (small(spec="other"), "5%", ExitCode.NOTHING_COMPARED, "Only in OLD:\n  example_training"),
    ],
)
def test_the_exit_code_and_the_last_lines_tell_what_it_comes_to(
    tmp_path: Path, new: Study, gate: str, code: ExitCode, says: str
) -> None:
    keep(tmp_path / "old", small())
    keep(tmp_path / "new", new)
    told = call(tmp_path, "compare", "old", "new", *(["--fail-if-slower", gate] if gate else []))
    assert told.returncode == code, told.stdout + told.stderr
    assert says in told.stdout
    assert told.stderr == ""


def changed(made: Study, accuracy: float) -> Study:
    """The same with another accuracy at the end."""
    records = (
        record.model_copy(update={"final": {**record.final, "val_accuracy": accuracy}})
        for record in made.records
    )
    return Study(made.plan, tuple(records))


def joules(made: Study, factor: float) -> Study:
    """The same with a sensor that counted so many joules, more or less, in each step."""
    records = []
    for number, record in enumerate(made.records):
        energy = Energy(
            sensor="RAPL", scope="CPU package", joules=factor * (100 + number), steps=50, windows=5
        )
        records.append(record.model_copy(update={"energy": [energy]}))
    return Study(made.plan, tuple(records))


def test_a_gate_that_is_open_closes_where_somebody_asks_for_that(tmp_path: Path) -> None:
    keep(tmp_path / "old", small())
    keep(tmp_path / "new", small(seed=1, repeats=1))
    asked = ("compare", "old", "new", "--fail-if-slower", "5%")
    single = call(tmp_path, *asked)
    assert single.returncode == ExitCode.OK
    assert call(tmp_path, *asked, "--fail-if-undecided").returncode == ExitCode.GATE_CLOSED
    keep(tmp_path / "fast", without_peaks(small(0.5, 1)))
    passed = call(tmp_path, "compare", "old", "fast", *asked[3:], "--fail-if-undecided")
    assert passed.returncode == ExitCode.OK, passed.stdout
    alone = call(tmp_path, "compare", "old", "new", "--fail-if-undecided")
    assert alone.returncode == ExitCode.USAGE


def test_the_energy_for_an_example_is_compared_where_both_have_a_sensor(tmp_path: Path) -> None:
    keep(tmp_path / "old", joules(small(), 1))
    keep(tmp_path / "new", joules(small(seed=1), 0.5))
    told = call(tmp_path, "compare", "old", "new", "--format", "json")
    (row,) = json.loads(told.stdout)["rows"]
    assert row["energy"] == pytest.approx(0.5)
    assert row["energy_low"] == pytest.approx(0.5)
    assert any("NEW takes 0.500× " in reason for reason in row["reasons"]), row["reasons"]
    keep(tmp_path / "none", small(seed=1))
    told = call(tmp_path, "compare", "old", "none", "--format", "json")
    (row,) = json.loads(told.stdout)["rows"]
    assert row["energy"] is None


def crowded(made: Study, work: float, seed: int) -> Study:
    """The same on one core that others take away for a while, with so much work in each step."""
    waits = np.random.default_rng(seed).uniform(1, 4, len(made.records))
    records = []
    for record, wait in zip(made.records, waits, strict=True):
        blocks = [
            block.model_copy(
                update={"cpu_s": work * block.wall_s, "wall_s": work * wait * block.wall_s}
            )
            for block in record.blocks
        ]
        records.append(record.model_copy(update={"blocks": blocks}))
    return Study(made.plan, tuple(records))


def test_the_processor_time_says_what_the_clock_cannot_on_a_busy_machine(tmp_path: Path) -> None:
    keep(tmp_path / "old", crowded(small(repeats=5), 1, 1))
    keep(tmp_path / "new", crowded(small(repeats=5), 1.3, 2))
    asked = ("compare", "old", "new", "--fail-if-slower", "10%", "--format", "json")
    (row,) = json.loads(call(tmp_path, *asked).stdout)["rows"]
    assert row["gate"] == "OPEN"
    (said,) = [reason for reason in row["reasons"] if "processor time per step" in reason]
    assert said.startswith("NEW takes 1.3")


def test_another_framework_is_said_above_the_table(tmp_path: Path) -> None:
    keep(tmp_path / "old", small())
    keep(tmp_path / "new", small(seed=1), tensorflow="2.99.0")
    told = call(tmp_path, "compare", "old", "new").stdout
    alarm = "different package tensorflow: 2.21.0 in OLD, 2.99.0 in NEW"
    assert f"!!   {alarm}" in told
    assert told.index(alarm) < told.index("times as fast")
    marked = call(tmp_path, "compare", "old", "new", "--format", "markdown").stdout
    assert f"> **Attention: {alarm}**" in marked
    assert marked.index(alarm) < marked.index("| benchmark |")


def test_json_holds_everything_and_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    keep(tmp_path / "old", small())
    keep(tmp_path / "new", small(1.5, 1))
    arguments = ("old", "new", "--fail-if-slower", "5%", "--format", "json", "-o", "out/diff.json")
    told = call(tmp_path, "compare", *arguments)
    assert told.returncode == ExitCode.SLOWER
    assert "The gate is closed" in told.stdout
    text = (tmp_path / "out" / "diff.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert (document["result"], document["gate"]) == ("slower", 0.05)
    (row,) = document["rows"]
    assert row["high"] < 1 / 1.05
    assert (row["verdict"], row["gate"], row["pairs"]) == ("SLOWER", "FAILS", 3)
    assert FolderComparison.model_validate_json(text).rows[0].device == "cpu"


def test_a_page_is_written_where_it_is_asked_for_and_the_gate_still_counts(tmp_path: Path) -> None:
    keep(tmp_path / "old", small())
    keep(tmp_path / "new", small(1.5, 1))
    arguments = ("old", "new", "--fail-if-slower", "5%", "--format", "html", "-o", "diff.html")
    told = call(tmp_path, "compare", *arguments)
    assert told.returncode == ExitCode.SLOWER
    page = (tmp_path / "diff.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "The gate is closed: something is slower than it allows." in page


def test_a_damaged_file_is_named_and_is_no_success(tmp_path: Path) -> None:
    keep(tmp_path / "old", small())
    new = keep(tmp_path / "new", small(seed=1))
    next(iter((new / "cells").iterdir())).write_text("{")
    told = call(tmp_path, "compare", "old", "new", "--fail-if-slower", "5%")
    assert told.returncode == ExitCode.BAD_RESULTS
    assert "!!   NEW has a file that cannot be read" in told.stdout
    assert "The gate cannot be trusted" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("old", "nowhere"), ExitCode.BAD_RESULTS, "nowhere is not a results folder"),
        (("old",), ExitCode.USAGE, "NEW"),
        (("old", "old", "--fail-if-slower", "5"), ExitCode.USAGE, "write 5% or 0.05"),
        (("old", "old", "--format", "pdf"), ExitCode.USAGE, "markdown"),
        (("old", "old", "-o", "old"), ExitCode.BAD_RESULTS, "cannot be written"),
    ],
)
def test_what_goes_wrong_is_one_clear_message(
    tmp_path: Path, arguments: tuple[str, ...], code: ExitCode, says: str
) -> None:
    keep(tmp_path / "old", small())
    told = call(tmp_path, "compare", *arguments)
    assert told.returncode == code
    assert says in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("text", "value"),
    [("5%", 0.05), ("5 %", 0.05), ("0.05", 0.05), (" 2.5% ", 0.025), ("0", 0.0), ("150%", 1.5)],
)
def test_a_margin_is_a_fraction_or_percent(text: str, value: float) -> None:
    assert read_margin(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["5", "-1%", "-0.1", "five", "", "%", "5%%", "5% x", "nan", "inf"])
def test_what_is_no_margin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write 5% or 0\.05"):
        read_margin(text)


def comparison(tmp_path: Path) -> FolderComparison:
    from accelreport.report.comparison import compare_folders

    old = keep(tmp_path / "old", small(spec="a|b <script> *x* `y` @all"), study("matmul"))
    new = keep(tmp_path / "new", small(spec="a|b <script> *x* `y` @all", seed=1))
    return compare_folders(Store(old), Store(new), 0.05)


def test_names_cannot_break_a_markdown_table_nor_call_anybody(tmp_path: Path) -> None:
    lines = list(comparison_markdown(comparison(tmp_path)))
    (row,) = (line for line in lines if line.startswith("| a"))
    head = next(line for line in lines if line.startswith("| benchmark"))
    assert len(re.findall(r"(?<!\\)\|", row)) == head.count("|")
    assert r"a\|b \<script\> \*x\* \`y\` \@all" in row
    assert lines.count("<details><summary>Only in OLD: 6</summary>") == 1
