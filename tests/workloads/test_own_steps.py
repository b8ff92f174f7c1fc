"""A training step of somebody's own: the worked example of the documentation, and its mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.spec.cells import Cell
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.python_step import PythonParameters, StepError, blamed, problem
from tests.house.documents import blocks
from tests.support.children import Measures

EXAMPLE = {
    block.language: block.text
    for block in blocks("docs/specs.md")
    if 'kind = "python"' in block.text or "def build(" in block.text
}
"""The spec and the file of the documentation, by language."""

HEAD = 'schema = 1\ntitle = "Own"\ndevices = ["cpu"]\n'

Cells = Callable[..., tuple[Cell, ...]]


@pytest.fixture
def cells(tmp_path: Path) -> Cells:
    """The cells of the documented spec, with a file beside it."""
    (tmp_path / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')

    def read(source: str = EXAMPLE["python"], spec: str = EXAMPLE["toml"]) -> tuple[Cell, ...]:
        (tmp_path / "step.py").write_text(source)
        (tmp_path / "own.toml").write_text(HEAD + spec)
        return load([tmp_path / "own.toml"]).cells

    return read


@pytest.mark.e2e
def test_the_documented_step_is_timed_like_any_other(cells: Cells, measure: Measures) -> None:
    record = measure(cells()[0])
    assert record.status == "ok", record.failure
    assert (record.planned_steps, record.samples_per_step, record.flops) == (200, 32, None)
    assert sum(block.steps for block in record.blocks) == 200
    assert sum(block.steps for block in record.blocks if block.warmup) == 10
    assert record.blocks[0].steps == 1, "tracing stands apart"
    assert record.data is not None
    assert record.data.origin == "generated"
    outcomes = {check.name: check.outcome for check in record.checks}
    assert {outcomes[name] for name in ("constant-input", "compile-inside")} == {"passed"}
    assert "canary" in outcomes


def test_an_edited_file_is_another_cell_and_the_record_holds_what_was_run(cells: Cells) -> None:
    one, same = cells()[0], cells()[0]
    edited, *_ = cells(EXAMPLE["python"].replace("range(16)", "range(17)"))
    assert one.key == same.key != edited.key
    assert one.workload["document"] == EXAMPLE["python"]


@pytest.mark.parametrize(
    ("source", "line", "said", "remedy"),
    [
        ("def train(batch_size, seed): ...\n", 6, "defines no function `build`", "defines train"),
        ("x = (1\n", 5, "step.py, line 1: '(' was never closed", ""),
        (
            "\ndef build(batch_size): ...\n",
            5,
            "step.py, line 2: `build` does not take `seed`",
            "seed",
        ),
        ("def build(batch_size, seed): ...\n", 8, "does not take `width`", "add the parameter"),
    ],
)
def test_a_file_that_cannot_be_a_step_is_told_with_its_line_before_anything_runs(
    cells: Cells, source: str, line: int, said: str, remedy: str
) -> None:
    with pytest.raises(SpecErrors) as caught:
        cells(f"{source}raise SystemExit('it was run')\n")
    (found,) = caught.value.problems
    assert said in found.message
    assert remedy in found.help
    assert found.place.line == line + HEAD.count("\n") - 2


def test_what_runs_is_what_the_named_file_holds_and_nothing_that_the_spec_says_of_it(
    cells: Cells,
) -> None:
    said = EXAMPLE["toml"].replace("batch_size = 32", 'batch_size = 32\ndocument = "exit(1)"')
    with pytest.raises(SpecErrors, match="`document` holds the content of the file"):
        cells(spec=said)


def test_a_file_that_is_not_there_is_told_as_any_other(cells: Cells) -> None:
    with pytest.raises(SpecErrors, match="is not a file in the spec's folder"):
        cells(spec=EXAMPLE["toml"].replace("step.py", "steps.py"))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def build(batch_size, seed): return 3", "`build` returned int"),
        ("def build(batch_size, seed): return abs, []", "returned no batch"),
        ("def build(batch_size, seed):\n    return len(seed), [1]", "step.py, line 2: TypeError"),
    ],
)
def test_what_the_file_does_wrong_is_blamed_on_it_and_its_line(source: str, said: str) -> None:
    parameters = PythonParameters(file="step.py", document=source)
    with pytest.raises(StepError, match=said) as caught:
        problem(parameters).build(0)
    assert caught.value.remedy


def test_a_failure_that_is_not_the_files_keeps_its_name() -> None:
    with pytest.raises(ZeroDivisionError), blamed("step.py"):
        _ = 1 / 0
