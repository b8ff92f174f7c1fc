"""Cells as tasks of a real Ray on this machine: workers killed, runs interrupted, two nodes."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from accelreport.backend.failures import OUT_OF_MEMORY_REMEDY
from accelreport.results.store import Store
from accelreport.runner.launchers.base import ATTEMPTS
from tests.runner.scattered import start
from tests.runner.scripted import ENDINGS
from tests.support.processes import PATIENCE_S, command_line, gone_soon, kill

pytestmark = pytest.mark.e2e

PROGRAM = "tests.runner.scripted_ray"

CELLS = 16
KILLS = 2


def lines_of(runner: subprocess.Popen[str]) -> list[list[str]]:
    """What the run still has to say, once it has ended."""
    output, _ = runner.communicate(timeout=PATIENCE_S)
    return [line.split() for line in output.splitlines()]


def worker(runner: subprocess.Popen[str]) -> psutil.Process | None:
    """The worker that measures at this moment."""
    children = psutil.Process(runner.pid).children(recursive=True)
    return next((one for one in children if command_line(one).startswith("ray::measure")), None)


def test_workers_that_are_killed_lose_and_double_no_cell(tmp_path: Path) -> None:
    runner = start(PROGRAM, tmp_path, CELLS, 0.03)
    assert runner.stdout is not None
    killed, said = 0, []
    with runner:
        for line in runner.stdout:
            said.append(line.split())
            if said[-1][0] == "end" and len(said) // 2 > 6 * killed and killed < KILLS:
                time.sleep(0.03)
                if (victim := worker(runner)) and kill(victim):
                    killed += 1

    ends = [words for words in said if words[0] == "end"]
    assert killed == KILLS
    assert said[-1] == ["stopped", "no", "left", "0"]
    assert Counter(words[2] for words in ends) == {"ok": CELLS}
    assert len({words[1] for words in ends}) == CELLS
    records = list(Store(tmp_path / "results").records())
    assert Counter(record.status for record in records) == {"ok": CELLS}
    measured = Counter((tmp_path / "trace").read_text().split())
    assert len(measured) == CELLS
    assert measured.total() <= CELLS + killed
    assert gone_soon(tmp_path / "node")


def test_a_run_ends_well_although_workers_are_killed_as_soon_as_they_appear(
    tmp_path: Path,
) -> None:
    runner = start(PROGRAM, tmp_path, 2, 1.5)  # long enough to be found on a loaded machine
    killed: set[int] = set()
    while len(killed) <= ATTEMPTS and runner.poll() is None:
        time.sleep(0.05)
        victim = worker(runner)
        if victim and victim.pid not in killed and kill(victim):
            killed.add(victim.pid)

    said = lines_of(runner)

    assert len(killed) > ATTEMPTS
    assert said[-1] == ["stopped", "no", "left", "0"]
    ends = {words[1]: words[2] for words in said if words[0] == "end"}
    begun = Counter(words[1] for words in said if words[0] == "start")
    assert len(ends) == 2
    for key, status in ends.items():
        # On a loaded machine a worker may have begun with a cell before it is found.
        assert status == "ok" or begun[key] == ATTEMPTS


def test_an_interrupted_run_leaves_nothing_running_and_the_next_one_goes_on(
    tmp_path: Path,
) -> None:
    runner = start(PROGRAM, tmp_path, 2, 0.0, "hang")
    assert runner.stdout is not None
    assert runner.stdout.readline().startswith("start")

    runner.send_signal(signal.SIGINT)
    said = lines_of(runner)

    assert said[-1] == ["stopped", "SIGINT", "left", "2"]
    (record,) = Store(tmp_path / "results").records()
    assert record.failure is not None
    assert record.failure.kind == "interrupted"
    assert gone_soon(tmp_path / "node")


def test_the_cells_of_each_device_go_to_a_node_that_has_it_and_fail_as_on_one_machine(
    tmp_path: Path,
) -> None:
    said = lines_of(start(PROGRAM, tmp_path, 3, 0.0, "--two-nodes"))

    assert said[-1] == ["stopped", "no", "left", "0"], (tmp_path / "stderr.txt").read_text()
    records = list(Store(tmp_path / "results").records())
    by_device = {
        name: [record for record in records if record.cell.device == name]
        for name in ("cpu", "gpu", "tpu")
    }
    kinds = Counter(record.failure.kind for record in by_device["cpu"] if record.failure)
    assert kinds == Counter(kind for _, kind, _ in ENDINGS)
    assert Counter(record.status for record in by_device["cpu"])["ok"] == 3
    assert [record.status for record in by_device["gpu"]] == ["ok"] * 3
    for record in by_device["gpu"]:
        assert record.environment is not None
        assert record.environment.variables["CUDA_VISIBLE_DEVICES"] == "0", "Ray gave it a GPU"
        assert record.environment.host
    assert [record.status for record in by_device["tpu"]] == ["skipped"] * 3
    failures = [record.failure for record in by_device["tpu"] if record.failure]
    assert all("no node of the Ray cluster" in failure.message for failure in failures)


def test_a_worker_that_ray_ends_for_want_of_memory_is_told_so_with_a_remedy(tmp_path: Path) -> None:
    (lines,) = lines_of(start(PROGRAM, tmp_path, 1, 0.0, "hang", "--starved"))
    lost = json.loads(" ".join(lines))
    assert (lost["kind"], lost["final"]) == ("oom-host", True), lost
    assert lost["message"] == "Ray ended its worker because the node ran out of memory."
    assert lost["remedy"] == OUT_OF_MEMORY_REMEDY
    assert "memory" in lost["traceback"]
