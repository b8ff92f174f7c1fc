from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from accelreport.results.reading import ResultsError, read_record
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.events import CellStartLine, RunLine
from accelreport.runner.launch import CannotStart
from accelreport.runner.plan import Policy
from tests.runner.scripted import ENDINGS, MACHINE, Bench, cell, cells, forking
from tests.support import disks

pytestmark = pytest.mark.e2e


def only(bench: Bench) -> Record:
    (record,) = bench.store.records()
    return record


def test_every_cell_gets_a_record_and_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    chosen = cells(6)
    end = Bench(tmp_path).run(chosen)
    assert (end.ok, end.failed, end.left) == (6, 0, 0)

    again = Bench(tmp_path)
    end = again.run(chosen)

    assert (end.ok, end.done_before, end.left) == (0, 6, 0)
    assert again.observer.ends == []
    assert {record.key for record in again.store.records()} == {one.key for one in chosen}


def test_the_record_tells_the_whole_time_and_the_machine_and_keeps_no_log_of_a_clean_cell(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.run([cell(step_s=0.05)])

    record = only(bench)
    assert record.times.wall_s is not None
    assert record.times.wall_s > 0.1
    assert record.times.import_s == 0.2
    assert record.log_tail == ""
    assert record.environment is not None
    assert record.environment.machine == MACHINE
    assert record.started_at < record.finished_at
    assert record.started_at.endswith("+00:00")


@pytest.mark.parametrize(
    ("script", "kind", "says"),
    [
        *ENDINGS,
        ({"do": "other_cell"}, "harness-error", "another cell"),
        ({"do": "hang", "timeout": 1.5}, "timeout", "measure.timeout"),
        ({"do": "hang_with_children", "timeout": 1.5}, "timeout", "1.5 s"),
    ],
)
def test_a_cell_that_fails_is_a_record_of_its_kind_and_the_run_goes_on(
    tmp_path: Path, script: dict[str, object], kind: str, says: str
) -> None:
    bench = Bench(tmp_path)
    failing = cell(**script)  # type: ignore[arg-type]

    end = bench.run([failing, *cells(2, step_s=0.001)])

    assert (end.ok, end.failed, end.left) == (2, 1, 0)
    record = bench.store.get(failing.key, MACHINE)
    assert record is not None
    assert record.status == "failed"
    assert record.failure is not None
    assert record.failure.kind == kind
    assert says in record.failure.message
    assert "TensorFlow would print" in record.log_tail


def test_a_process_that_falls_over_its_own_end_keeps_its_record_with_a_warning(
    tmp_path: Path,
) -> None:
    bench = Bench(tmp_path)
    bench.run([cell("bad_exit")])

    record = only(bench)
    assert record.status == "ok"
    assert [(warning.kind, "SIGSEGV" in warning.message) for warning in record.warnings] == [
        ("bad-exit", True)
    ]


@pytest.mark.parametrize("made", [Bench, forking], ids=["started", "forked"])
def test_children_of_a_process_neither_hold_up_the_run_nor_outlive_it(
    made: Callable[[Path], Bench], tmp_path: Path
) -> None:
    bench, mark = made(tmp_path), tmp_path / "children"
    end = bench.run([cell("leave_children", mark=str(mark))])
    assert end.ok == 1
    assert end.wall_s < 600, "which is how long they live"
    for child in map(int, mark.read_text().split()):
        assert not psutil.pid_exists(child) or (
            psutil.Process(child).status() == psutil.STATUS_ZOMBIE
        )


def test_nonsense_among_the_events_and_in_the_log_does_no_harm(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run([cell("babble")])

    record = only(bench)
    assert record.status == "ok"
    assert {warning.kind for warning in record.warnings} == {"bad-event"}
    assert len(record.warnings) == 3
    assert len(record.log_tail) < 20_000
    assert 1 < len(record.log_tail.splitlines()) <= 40
    assert "\x1b" not in record.log_tail
    assert "\x00" not in record.log_tail


def test_an_absent_device_is_one_cheap_record_and_is_measured_once_it_is_here(
    tmp_path: Path,
) -> None:
    chosen = cells(4, devices=("cpu", "gpu"))
    end = Bench(tmp_path).run(chosen, absent=["gpu"])
    assert (end.ok, end.skipped) == (2, 2)
    skipped = [record for record in Bench(tmp_path).store.records() if record.status == "skipped"]
    assert {record.failure.message for record in skipped if record.failure} == {
        "not on this machine"
    }
    first_written = {record.started_at for record in skipped}

    end = Bench(tmp_path).run(chosen, absent=["gpu"])
    assert (end.ok, end.skipped, end.done_before) == (0, 2, 2)
    unchanged = [record for record in Bench(tmp_path).store.records() if record.status == "skipped"]
    assert {record.started_at for record in unchanged} == first_written

    end = Bench(tmp_path).run(chosen)
    assert (end.ok, end.skipped, end.done_before) == (2, 0, 2)


def test_a_measurement_outlives_the_device_it_was_made_on(tmp_path: Path) -> None:
    chosen = cells(2, devices=("gpu",))
    Bench(tmp_path).run(chosen)
    end = Bench(tmp_path).run(chosen, absent=["gpu"])
    assert (end.done_before, end.skipped) == (2, 0)


def test_failed_cells_are_left_alone_until_asked_for(tmp_path: Path) -> None:
    flaky = cell("fail_once", kind_of_failure="oom-device", mark=str(tmp_path / "mark"))
    assert Bench(tmp_path).run([flaky]).failed == 1

    assert Bench(tmp_path).run([flaky]).failed_before == 1
    assert Bench(tmp_path, policy=Policy(retry_failed=True)).run([flaky]).ok == 1
    assert Bench(tmp_path, policy=Policy(retry_failed=True)).run([flaky]).done_before == 1


def test_missing_data_are_looked_for_again_without_being_asked(tmp_path: Path) -> None:
    flaky = cell("fail_once", kind_of_failure="data-unavailable", mark=str(tmp_path / "mark"))
    assert Bench(tmp_path).run([flaky]).failed == 1
    assert Bench(tmp_path).run([flaky]).ok == 1


def test_a_longer_budget_runs_partial_cells_again_and_a_shorter_one_does_not(
    tmp_path: Path,
) -> None:
    assert Bench(tmp_path).run([cell("partial", budget=60)]).partial == 1
    assert Bench(tmp_path).run([cell("partial", budget=30)]).done_before == 1
    assert Bench(tmp_path).run([cell("partial", budget=60)]).done_before == 1
    assert Bench(tmp_path).run([cell("partial", budget=120)]).partial == 1
    assert only(Bench(tmp_path)).cell.measure.budget == 120


def test_a_failure_never_takes_the_place_of_a_measurement(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    flaky = cell("fail_once", kind_of_failure="nan-loss", mark=str(mark))
    assert Bench(tmp_path).run([flaky]).ok == 1
    mark.unlink()

    again = Bench(tmp_path, policy=Policy(rerun=True))
    assert again.run([flaky]).failed == 1

    assert only(again).status == "ok"
    (end,) = again.observer.ends
    assert end.record_path == ""


def test_a_cell_of_two_specs_is_measured_once(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    twins = [cell(spec=name, trace=str(trace)) for name in ("one", "other")]
    end = Bench(tmp_path).run(twins)
    assert end.ok == 1
    assert len(trace.read_text().split()) == 1


def test_what_another_run_measured_meanwhile_is_not_measured_again(tmp_path: Path) -> None:
    chosen = cells(4, trace=str(tmp_path / "trace"))
    bench = Bench(tmp_path)
    plan = bench.plan(chosen)
    Bench(tmp_path).run(chosen[:3])

    end = bench.carry_out(plan)

    assert (end.ok, end.done_before, end.left) == (1, 3, 0)
    assert len((tmp_path / "trace").read_text().split()) == 4


def test_cells_run_in_the_order_of_the_plan_and_events_tell_their_progress(tmp_path: Path) -> None:
    chosen = cells(6)
    bench = Bench(tmp_path)
    plan = bench.plan(chosen)
    bench.run(chosen)

    starts = [line for line in bench.observer.lines if isinstance(line, CellStartLine)]
    assert [line.key for line in starts] == [planned.cell.key for planned in plan.cells]
    assert [line.number for line in starts] == [1, 2, 3, 4, 5, 6]
    kinds = [line.event for line in bench.observer.lines[:6]]
    assert kinds == ["cell-start", *["cell-event"] * 4, "cell-end"]
    assert bench.observer.ends[0].figures["step_s"] == 0.025
    assert bench.observer.ends[0].figures["samples_per_s"] == 10_240
    assert bench.observer.lines[-1].event == "end"


def test_files_in_passing_are_gone_afterwards(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    left_by_a_killed_run = bench.workspace.scratch / "old"
    left_by_a_killed_run.mkdir(parents=True)
    bench.run([cell(), cell("crash")])
    assert list(bench.workspace.scratch.iterdir()) == []


@pytest.mark.parametrize("how", ["renamed", "removed", "replaced"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_run_whose_results_are_moved_away_ends_and_spreads_nothing_over_two_folders(
    tmp_path: Path, how: str, number: int
) -> None:
    chosen = cells(4)
    bench = Bench(tmp_path)
    root, elsewhere = bench.store.root, tmp_path / "elsewhere"

    def move(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and line.number == number:
            root.rename(elsewhere)
            if how == "removed":
                shutil.rmtree(elsewhere)
            if how == "replaced":
                bench.store.prepare()

    bench.observer.react = move
    with pytest.raises(ResultsError, match="cannot be written") as caught:
        bench.run(chosen)
    assert "removed, renamed or replaced" in caught.value.why
    (rescued,) = bench.workspace.rescued.iterdir()
    assert str(rescued) in caught.value.remedy
    assert root.exists() == (how == "replaced")
    assert list(bench.store.records()) == []
    if how != "removed":
        assert len(list(Store(elsewhere).records())) == number - 1


@pytest.mark.parametrize("what", ["a file", "a folder in a lock's place"])
def test_locks_that_cannot_be_had_are_one_clear_error(tmp_path: Path, what: str) -> None:
    bench = Bench(tmp_path)
    (one,) = chosen = cells(1, trace=str(tmp_path / "trace"))
    locks = bench.store.root / "locks"
    locks.parent.mkdir()
    if what == "a file":
        locks.touch()
    else:
        (locks / f"{one.key}.lock").mkdir(parents=True)
    with pytest.raises(ResultsError) as caught:
        bench.run(chosen)
    assert str(locks) in caught.value.what
    assert "while no run is in progress" in caught.value.remedy
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("name", ["machine_lock", "scratch", "rescued"])
def test_files_in_passing_that_cannot_be_written_are_one_clear_error(
    tmp_path: Path, name: str
) -> None:
    bench = Bench(tmp_path)
    bench.workspace.prepare()
    place: Path = getattr(bench.workspace, name)
    if name == "machine_lock":
        place.mkdir()
    else:
        place.touch()

    def take_the_results_away(line: RunLine) -> None:
        if isinstance(line, CellStartLine):
            bench.store.root.rename(tmp_path / "elsewhere")

    bench.observer.react = take_the_results_away
    with pytest.raises(ResultsError) as caught:
        bench.run(cells(1))
    assert "TMPDIR" in caught.value.remedy


def test_a_program_that_cannot_be_started_is_a_failure_of_its_cells(tmp_path: Path) -> None:
    bench = Bench(tmp_path, command=("/no/such/program",))
    assert bench.run(cells(2)).failed == 2
    failures = [record.failure for record in bench.store.records()]
    assert {failure.kind for failure in failures if failure} == {"harness-error"}
    assert all("/no/such/program" in record.log_tail for record in bench.store.records())


def test_no_room_for_a_cells_files_is_one_clear_error(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    def take_the_folder_away(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and line.number == 2:
            shutil.rmtree(bench.workspace.scratch)

    bench.observer.react = take_the_folder_away
    with pytest.raises(CannotStart, match="cannot start") as caught:
        bench.run(cells(2))
    assert "TMPDIR" in caught.value.remedy
    assert len(list(bench.store.records())) == 1


def test_a_disk_that_fills_up_ends_the_run_with_one_error_and_keeps_every_cell_it_told_of(
    tmp_path: Path,
) -> None:
    chosen = cells(200, log=2000)
    bench = Bench(tmp_path)
    with disks.tiny(tmp_path / "results"):
        with pytest.raises(ResultsError, match="cannot be written") as caught:
            bench.run(chosen)
        told = {line.key for line in bench.observer.ends}
        store = bench.store
        assert {record.key for record in store.records()} == told
        assert store.problems == []
    assert caught.value.why in {"No space left on device.", "File too large."}
    assert 0 < len(told) < len(chosen)
    (rescued,) = bench.workspace.rescued.iterdir()
    assert read_record(rescued).key not in told


def test_results_that_may_not_be_written_are_refused_before_a_cell_is_measured(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    bench = Bench(tmp_path)
    with disks.read_only(tmp_path / "results"), pytest.raises(ResultsError) as caught:
        bench.run(cells(2, trace=str(trace)))
    assert str(tmp_path / "results") in caught.value.what
    assert not trace.exists()
