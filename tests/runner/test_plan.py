from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from accelreport.backend.availability import no_device
from accelreport.results.record import Failure, ImportedFile, Record, Times
from accelreport.runner.plan import Earlier, Policy, decide, make_plan, supersedes
from accelreport.runner.timings import Expectation
from tests.runner.scripted import cell

NOW = "2026-01-01T00:00:00+00:00"


def record(
    status: str = "ok", *, kind: str = "", budget: float = 600, wall_s: float = 5, **work: Any
) -> Record:
    one = cell(budget=budget, **work)
    failure = Failure.model_validate({"kind": kind, "message": "why"}) if kind else None
    return Record.model_validate(
        {
            "cell": one,
            "key": one.key,
            "status": status,
            "failure": failure,
            "started_at": NOW,
            "finished_at": NOW,
            "times": Times(wall_s=wall_s),
        }
    )


def expected(records: Iterable[Record]) -> Expectation:
    """What records teach of the time that cells take."""
    expectation = Expectation()
    for one in records:
        expectation.learn(one)
    return expectation


@pytest.mark.parametrize(
    ("earlier", "absent", "policy", "action"),
    [
        (None, False, Policy(), "run"),
        (None, True, Policy(), "skip"),
        (record("ok"), False, Policy(), "done"),
        (record("ok"), True, Policy(), "done"),
        (record("ok"), False, Policy(retry_failed=True), "done"),
        (record("ok"), False, Policy(rerun=True), "run"),
        (record("ok"), True, Policy(rerun=True), "skip"),
        (record("partial", budget=600), False, Policy(), "done"),
        (record("partial", budget=900), False, Policy(), "done"),
        (record("partial", budget=300), False, Policy(), "run"),
        (record("partial", budget=300), True, Policy(), "skip"),
        (record("skipped", kind="no-device"), False, Policy(), "run"),
        (record("skipped", kind="no-device"), True, Policy(), "skip"),
        (record("failed", kind="oom-device"), False, Policy(), "failed"),
        (record("failed", kind="timeout"), False, Policy(retry_failed=True), "run"),
        (record("failed", kind="timeout"), False, Policy(rerun=True), "run"),
        (record("failed", kind="timeout"), True, Policy(), "skip"),
        (record("failed", kind="interrupted"), False, Policy(), "run"),
        (record("failed", kind="data-unavailable"), False, Policy(), "run"),
        (record("failed", kind="no-device"), False, Policy(), "run"),
    ],
)
def test_what_is_done_with_a_cell_follows_from_its_record_and_the_device(
    earlier: Record | None, absent: bool, policy: Policy, action: str
) -> None:
    planned = decide(cell(), earlier, no_device("not here") if absent else None, policy)
    assert planned.action == action
    assert planned.earlier == (Earlier.of(earlier) if earlier else None)
    if action == "skip":
        assert planned.reason == "not here"


@pytest.mark.parametrize(
    ("status", "kind", "edit", "action"),
    [
        ("ok", "", "", "done"),
        ("ok", "", "edited", "run"),
        ("ok", "", "gone", "run"),
        ("failed", "timeout", "", "failed"),
        ("failed", "timeout", "edited", "run"),
    ],
)
def test_a_cell_whose_imported_code_is_another_now_is_measured_anew(
    status: str, kind: str, edit: str, action: str, tmp_path: Path
) -> None:
    file = tmp_path / "mypkg.py"
    file.write_text("x = 1\n")
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    imported = [ImportedFile(file=file.name, folder=str(tmp_path), sha256=sha256)]
    earlier = record(status, kind=kind).model_copy(update={"imported": imported})
    if edit == "edited":
        file.write_text("x = 22\n")
    elif edit == "gone":
        file.unlink()
    assert decide(cell(), earlier, None).action == action
    slower = record("partial")
    assert not supersedes(slower.model_copy(update={"imported": imported}), earlier) or kind
    assert supersedes(slower, earlier), "of other code"


def test_time_is_estimated_from_earlier_records_of_the_plan_by_the_budget_they_had() -> None:
    had = {cell(repeat=repeat).key: record(budget=600, repeat=repeat) for repeat in range(2)}
    had[cell(repeat=2).key] = record("partial", budget=300, wall_s=400, repeat=2)
    plan = make_plan(
        [cell(repeat=repeat) for repeat in range(4)],
        earlier=had.get,
        unavailable=lambda _: None,
    )
    assert [each.action for each in plan.cells] == ["done", "done", "run", "run"]
    assert (plan.estimate.seconds, plan.estimate.unknown) == (10, 0)


def test_only_what_is_at_least_as_good_takes_the_place_of_a_record() -> None:
    good, partial, failed = record("ok"), record("partial"), record("failed", kind="timeout")
    skipped = record("skipped", kind="no-device")
    replaced = {
        (new.status, old.status)
        for new in (good, partial, failed, skipped)
        for old in (good, partial, failed, skipped)
        if supersedes(new, old)
    }
    assert replaced == {
        ("ok", "ok"),
        ("ok", "partial"),
        ("ok", "failed"),
        ("ok", "skipped"),
        ("partial", "partial"),
        ("partial", "failed"),
        ("partial", "skipped"),
        ("failed", "failed"),
        ("failed", "skipped"),
        ("skipped", "failed"),
        ("skipped", "skipped"),
    }
    assert supersedes(skipped, None)


def test_specs_keep_their_order_and_shared_cells_are_planned_once() -> None:
    chosen = [cell(spec=spec, repeat=repeat) for spec in ("b", "a") for repeat in range(3)]
    chosen += [cell(spec="a", repeat=0, own=True)]
    plan = make_plan(chosen, earlier=lambda key: None, unavailable=lambda one: None)
    assert [planned.cell.spec for planned in plan.cells] == ["b", "b", "b", "a"]


def test_time_is_estimated_from_the_same_cell_with_other_seeds() -> None:
    known = [record(wall_s=10, repeat=0), record(wall_s=20, repeat=1)]
    expectation = expected(known)

    assert expectation.of(cell(repeat=7)) == 15
    assert expectation.of(cell(repeat=7, device="gpu")) is None
    total = expectation.total([cell(repeat=7), cell(repeat=8), cell(other=1, budget=60)])
    assert (total.seconds, total.unknown, total.at_most_s) == (30, 1, 60)
