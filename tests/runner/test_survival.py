"""What survives kill -9, Ctrl-C and a second runner: real processes, really killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from accelreport.results.store import Store
from tests.runner.killing import VICTIMS, Killing
from tests.runner.scripted import MACHINE, Bench, cells
from tests.support.processes import PATIENCE_S, command_line, gone_soon, kill, processes_of, soon

pytestmark = pytest.mark.e2e

REPOSITORY = Path(__file__).parents[2]


def start(folder: Path, count: int, step_s: float, do: str = "ok") -> subprocess.Popen[str]:
    """A runner in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.runner.scripted_runner", folder, str(count), str(step_s), do],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        process_group=0,
    )


def read_until(runner: subprocess.Popen[str], word: str) -> str:
    assert runner.stdout is not None
    for line in runner.stdout:
        if line.startswith(word):
            return line
    pytest.fail(f"the runner ended without {word!r}")


def finish(runner: subprocess.Popen[str]) -> str:
    output, _ = runner.communicate(timeout=PATIENCE_S)
    return output


@contextmanager
def reader(folder: Path) -> Iterator[Callable[[], int]]:
    """Reads the results folder again and again; fails if any file is ever not whole."""
    done = threading.Event()
    rounds, problems = Counter[str](), []

    def read() -> None:
        while not done.is_set():
            store = Store(folder / "results")
            rounds["records"] += len(list(store.records()))
            rounds["rounds"] += 1
            problems.extend(store.problems)
            done.wait(0.01)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield lambda: rounds["records"]
    finally:
        done.set()
        thread.join()
    assert problems == []


def test_kill_9_of_whatever_measures_at_12_moments_loses_doubles_and_tears_nothing(
    tmp_path: Path,
) -> None:
    toll = Killing(tmp_path, cells=40, seed=25).run(12)

    assert set(toll.kills) == set(VICTIMS)
    assert sum(toll.kills.values()) == 12
    assert toll.lost == []
    assert toll.doubled == []
    assert toll.torn == []
    assert toll.orphans == []
    assert toll.measured >= 40


def test_ctrl_c_ends_what_hangs_and_keeps_what_is_finished(tmp_path: Path) -> None:
    runner = start(tmp_path, 3, 0.0)
    finish(runner)
    runner = start(tmp_path, 4, 0.0, "hang_with_children")
    read_until(runner, "start")
    family = psutil.Process(runner.pid)
    assert soon(lambda: len(family.children(recursive=True)) == 3)

    runner.send_signal(signal.SIGINT)
    output = finish(runner)

    assert "stopped SIGINT left 4" in output
    assert gone_soon(tmp_path / "work")
    records = list(Store(tmp_path / "results").records())
    assert Counter(record.status for record in records) == {"ok": 3, "failed": 1}
    assert [r.failure.kind for r in records if r.failure] == ["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_ways_to_end_a_run_are_as_orderly(tmp_path: Path, number: signal.Signals) -> None:
    runner = start(tmp_path, 2, 0.0, "hang")
    read_until(runner, "start")
    runner.send_signal(number)
    assert f"stopped {number.name}" in finish(runner)
    assert gone_soon(tmp_path / "work")


def test_a_reader_that_goes_away_ends_the_run_and_leaves_no_process(tmp_path: Path) -> None:
    runner = start(tmp_path, 100, 0.05)  # it is not done before its reader comes to go away
    read_until(runner, "end")
    assert runner.stdout is not None
    runner.stdout.close()
    assert runner.wait(timeout=PATIENCE_S) != 0
    assert gone_soon(tmp_path / "work")
    store = Store(tmp_path / "results")
    assert {record.status for record in store.records()} == {"ok"}
    assert store.problems == []


def test_an_interrupted_cell_is_measured_by_the_next_run(tmp_path: Path) -> None:
    chosen = cells(1, do="ok")
    bench = Bench(tmp_path)
    bench.stop.request("SIGINT")
    assert bench.run(chosen).left == 1
    assert Bench(tmp_path).run(chosen).ok == 1


def test_two_runners_on_one_folder_measure_each_cell_once_and_the_second_says_it_waits(
    tmp_path: Path,
) -> None:
    with reader(tmp_path):
        first = start(tmp_path, 12, step_s=0.05)
        read_until(first, "start")
        psutil.Process(first.pid).suspend()  # so that it is not done before the second one comes
        second = start(tmp_path, 12, step_s=0.05)
        said = read_until(second, "waiting")
        psutil.Process(first.pid).resume()
        outputs = finish(first), finish(second)

    assert f"process {first.pid}" in said
    assert "neither disturbs the other" in said
    assert all("left 0" in output for output in outputs)
    measured = Counter((tmp_path / "trace").read_text().split())
    assert len(measured) == 12
    assert set(measured.values()) == {1}


def test_a_runner_takes_over_at_once_when_the_one_it_waits_for_is_killed(tmp_path: Path) -> None:
    first = start(tmp_path, 2, 0.0, "hang")
    read_until(first, "start")
    second = start(tmp_path, 5, step_s=0.0)
    read_until(second, "waiting")

    os.kill(first.pid, signal.SIGKILL)

    assert "stopped no left 0" in finish(second)
    finish(first)
    assert len([r for r in Store(tmp_path / "results").records() if r.status == "ok"]) == 5


def test_a_runner_that_waits_can_be_interrupted(tmp_path: Path) -> None:
    first = start(tmp_path, 1, 0.0, "hang")
    read_until(first, "start")
    second = start(tmp_path, 5, step_s=0.0)
    read_until(second, "waiting")

    second.send_signal(signal.SIGINT)

    assert "stopped SIGINT left 5" in finish(second)
    assert first.poll() is None
    first.send_signal(signal.SIGINT)
    finish(first)


def test_kill_9_of_the_cell_fails_that_cell_and_the_run_goes_on(tmp_path: Path) -> None:
    runner = start(tmp_path, 3, 2.0)  # long enough to be found and killed on a loaded machine
    key = read_until(runner, "start").split()[1]
    work = tmp_path / "work"
    assert soon(lambda: any(kill(p) for p in processes_of(work) if key in command_line(p)))
    finish(runner)

    records = {record.key: record for record in Store(tmp_path / "results").records()}
    assert Counter(record.status for record in records.values()) == {"ok": 2, "failed": 1}
    failure = records[key].failure
    assert failure is not None
    assert (failure.kind, "SIGKILL" in failure.message) == ("signal", True)
    assert Store(tmp_path / "results").get(key, MACHINE) == records[key]
