"""From the command line's wishes to a plan, with real spec files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from accelreport.errors import AccelReportError, ExitCode, UsageError
from accelreport.results.plan_document import PlanDocument
from accelreport.results.reading import ResultsError
from accelreport.results.store import Store, content_digest
from accelreport.runner.events import EndLine
from accelreport.runner.plan_documents import refresh
from accelreport.runner.prepare import Prepared, Request, parse_overrides, prepare
from accelreport.runner.run import exit_code
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.problems import SpecErrors
from tests.runner.scripted import a_record
from tests.support.program import MNIST, write_specs

SYNTHETIC = {"workload.data": "synthetic"}
"""Data that every machine has."""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path)


def ask(specs: Path, **wishes: object) -> Prepared:
    results = specs.parent / "results"
    request = Request(paths=[specs], results=results, **wishes)  # type: ignore[arg-type]
    return prepare(request, waiting=lambda reason: None)


def documents(prepared: Prepared) -> dict[str, PlanDocument]:
    return {document.spec: document for document in prepared.documents}


def test_every_cell_is_planned_and_absent_devices_are_skipped_with_the_reason(specs: Path) -> None:
    plan = ask(specs, overrides=SYNTHETIC).plan
    assert len(plan.cells) == 1 + 2 * 2 * 2
    assert {planned.cell.device for planned in plan.of("skip")} == {"tpu"}
    assert all("TPU" in planned.reason for planned in plan.of("skip"))


def test_a_spec_that_is_measured_only_where_it_is_named_is_left_out_of_a_run_of_its_folder(
    specs: Path,
) -> None:
    path = specs / "matmul.toml"
    path.write_text("only_named = true\n" + path.read_text())
    whole, named = ask(specs), ask(path)
    assert whole.left_out == (path,)
    assert set(documents(whole)) == {"mnist"}
    assert {each.cell.spec for each in whole.plan.cells} == {"mnist"}
    assert named.left_out == ()
    assert [each.cell.spec for each in named.plan.cells] == ["matmul"]


def test_a_part_of_the_cells_may_be_run_and_the_plan_document_still_lists_all(specs: Path) -> None:
    prepared = ask(specs, devices=["cpu"], filters=["batch_size=256"])
    assert len(prepared.plan.cells) == 2
    assert len(documents(prepared)["mnist"].cells) == 8
    assert len(documents(prepared)["matmul"].cells) == 1


def test_overrides_that_change_the_measurement_stand_under_a_name_of_their_own(
    specs: Path,
) -> None:
    prepared = ask(specs, overrides={"workload.data": "synthetic", "measure.budget": "2m"})
    assert documents(prepared)["mnist"].profile == "full+workload.data=synthetic"
    assert documents(prepared)["mnist"].overrides == {"workload.data": "synthetic"}
    assert documents(prepared)["mnist"].measure.budget == 120
    assert documents(prepared)["matmul"].profile == "full", "it has no data to override"


@pytest.mark.parametrize("overrides", [{"measure.budget": "2m"}, {"measure.repeats": 3}])
def test_a_budget_or_more_repeats_belong_to_the_same_page(
    specs: Path, overrides: dict[str, Scalar]
) -> None:
    prepared = ask(specs, overrides=overrides)
    assert {document.profile for document in prepared.documents} == {"full"}


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        ({"devices": ["gpu"]}, AccelReportError),
        ({"filters": ["batch_size=7"]}, AccelReportError),
        ({"profile": "quik"}, SpecErrors),
        ({"overrides": {"workload.colour": 1}}, SpecErrors),
    ],
)
def test_a_wish_that_no_spec_can_meet_is_an_error(
    specs: Path, wishes: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        ask(specs, **wishes)


def test_a_record_of_a_newer_accelreport_stops_the_run_before_it_begins(specs: Path) -> None:
    store, prepared = Store(specs.parent / "results"), ask(specs)
    store.prepare()
    path = store.record_path(prepared.plan.cells[0].cell.key, prepared.machine)
    path.write_text('{"record_version": 9}')
    with pytest.raises(ResultsError, match="cannot be used"):
        ask(specs)


def test_a_damaged_record_is_told_and_its_cell_is_run(specs: Path) -> None:
    store, prepared = Store(specs.parent / "results"), ask(specs, devices=["cpu"])
    store.prepare()
    path = store.record_path(prepared.plan.cells[0].cell.key, prepared.machine)
    path.write_text('{"record_ver')
    again = ask(specs, devices=["cpu"])
    assert [problem.kind for problem in again.problems] == ["cut-off"]
    assert again.plan.cells[0].action == "run"


@pytest.mark.parametrize("place", ["results", "results/cells", "results/plans"])
def test_a_file_in_the_place_of_the_results_is_one_error_and_no_cell_is_planned(
    specs: Path, place: str
) -> None:
    file = specs.parent / place
    file.parent.mkdir(exist_ok=True)
    file.write_text("a report")
    for begin in (lambda: ask(specs), Store(specs.parent / "results").prepare):
        with pytest.raises(ResultsError) as raised:
            begin()
        assert raised.value.why == f"{file} is not a folder."
    assert file.read_text() == "a report"


def keys(plan: PlanDocument) -> set[str]:
    return {cell.key for cell in plan.cells}


def measured(store: Store, plan: PlanDocument, cells: Iterable[Cell]) -> None:
    """Leave a plan and records of some cells, as a run does."""
    store.prepare()
    store.write_plan(plan)
    for cell in cells:
        store.write(a_record(cell, "ok"))


def test_repeats_that_were_measured_once_belong_to_the_plan_of_every_later_run_and_build(
    specs: Path,
) -> None:
    store = Store(specs.parent / "results")
    few, many = ask(specs), ask(specs, overrides={"measure.repeats": 5})
    for prepared in (few, many):
        for document in prepared.documents:
            measured(store, document, [one.cell for one in prepared.plan.of("run")])
    asked = {plan.spec: keys(plan) for plan in store.plans()}
    assert {name: len(each) for name, each in asked.items()} == {"mnist": 20, "matmul": 5}
    files = {path: path.read_bytes() for path in store.planned.iterdir()}

    shown = Store(store.root)
    assert refresh(shown, specs) == []
    here = {cell.key for plan in shown.plans() for cell in plan.cells if cell.device == "cpu"}
    assert {one.cell.key for one in many.plan.of("run")} <= here
    assert {plan.measure.repeats for plan in shown.plans()} == {5}
    assert {path: path.read_bytes() for path in store.planned.iterdir()} == files

    for document in ask(specs).documents:
        store.write_plan(document)
    again = {plan.spec: plan for plan in store.plans()}
    assert {one.cell.key for one in many.plan.of("run")} <= {
        key for plan in again.values() for key in keys(plan)
    }
    assert len(ask(specs).plan.cells) == 8 + 1, "what was added by hand is asked for by hand"


def test_a_build_writes_nothing_into_the_results(specs: Path) -> None:
    store = Store(specs.parent / "results")
    for document in ask(specs).documents:
        store.write_plan(document)
    files = {path: path.read_bytes() for path in store.planned.iterdir()}
    digest = content_digest(Store(store.root))
    (specs / "mnist.toml").write_text(MNIST.replace("A small sweep", "A better title"))
    assert refresh(store, specs) == []
    assert "A better title" in {plan.title for plan in store.plans()}
    assert {path: path.read_bytes() for path in store.planned.iterdir()} == files
    assert content_digest(store) != digest, "a page of the old title would be taken for this one"


def test_plans_stay_as_they_were_run_when_the_specs_are_broken_or_gone(specs: Path) -> None:
    store = Store(specs.parent / "results")
    for document in ask(specs).documents:
        store.write_plan(document)
    before = store.plans()
    (specs / "mnist.toml").write_text("schema = [")
    (complaint,) = refresh(store, specs)
    assert "mnist.toml" in complaint
    assert store.plans() == before
    # `serve` keeps the site of the last spec without an error, and prints the whole error.
    with pytest.raises(SpecErrors, match=r"mnist\.toml:1"):
        refresh(store, specs, strict=True)

    (specs / "mnist.toml").unlink()
    assert refresh(store, specs) == []
    assert store.plans() == before


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.b=2", 2),
        ("a.b=2.5", 2.5),
        ("a.b=1e-3", 1e-3),
        ("a.b=true", True),
        ("a.b=2m", "2m"),
        ('a.b="2"', "2"),
        ("a.b=x=y", "x=y"),
        ("a.b = adam", "adam"),
    ],
)
def test_values_on_the_command_line_are_read_as_in_a_spec(text: str, value: Scalar) -> None:
    parsed = parse_overrides([text])
    assert parsed == {"a.b": value}
    assert type(parsed["a.b"]) is type(value)


@pytest.mark.parametrize("digits", [20, 5000])
def test_a_number_that_a_spec_cannot_hold_is_refused_on_the_command_line(digits: int) -> None:
    with pytest.raises(UsageError, match="this whole number has more than 64 bits") as caught:
        parse_overrides([f"workload.epochs={'9' * digits}"])
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["a", "=1", "a=", "", "a=[1, 2]", "a={x = 1}", "a=2026-01-01"])
def test_what_is_no_key_and_value_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_overrides([text])
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ({"ok": 3}, ExitCode.OK),
        ({"partial": 1}, ExitCode.OK),
        ({"untimed": 1}, ExitCode.OK),
        ({"done_before": 3}, ExitCode.OK),
        ({"ok": 3, "skipped": 2}, ExitCode.OK),
        ({"skipped": 2}, ExitCode.NOTHING_RAN),
        ({"ok": 3, "failed": 1}, ExitCode.SOME_FAILED),
        ({"done_before": 3, "failed_before": 1}, ExitCode.SOME_FAILED),
        ({"ok": 3, "left": 1}, ExitCode.SOME_FAILED),
        ({"ok": 3, "failed": 1, "left": 2, "stopped_by": "SIGINT"}, ExitCode.INTERRUPTED),
    ],
)
def test_the_exit_code_tells_how_a_run_ended(counts: dict[str, object], code: ExitCode) -> None:
    nothing = dict.fromkeys(
        ("ok", "partial", "untimed", "failed", "skipped", "done_before", "failed_before", "left"), 0
    )
    end = EndLine.model_validate(
        {**nothing, "stopped_by": "", "wall_s": 1.0, "results": "results", **counts}
    )
    assert exit_code(end) == code
