"""Cells that are forks of a process that has imported TensorFlow already."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from accelreport.backend.forkserver import may_be_forked
from accelreport.datasets.load import load as load_data
from accelreport.results.record import Record
from accelreport.runner.events import CellEventLine, CellStartLine, RunLine
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.process import Fork, ForkPool, ForkServer
from accelreport.runner.workspace import Workspace
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from tests.runner.scripted import (
    ENDINGS,
    MACHINE,
    SERVER,
    Bench,
    cell,
    cells,
    environment,
    forking,
    measured_by,
)
from tests.support import children
from tests.support.processes import command_line, gone_soon, parent_pid, processes_of

pytestmark = pytest.mark.e2e

FLOAT32_ULP = 2**-23
"""The distance of two neighbours among numbers of 32 bits, as a share of them."""


def launched(what: Cell, folder: Path, forks: ForkPool | None = None) -> Record:
    """The record of a real cell, forked or started."""
    return measured_by(LocalLauncher(folder, environment, forks=forks), what)


def without_times(record: Record) -> dict[str, object]:
    """A record without what differs between any two processes: times, load, memory and roofs.

    Nor the loss of its epochs, which is added up window by window: the pace decides how many steps
    a window has, and so in which order their losses are rounded.
    """
    found = record.model_dump(
        exclude={
            "times": True,
            "started_at": True,
            "finished_at": True,
            "memory": True,
            "warnings": True,
            "checks": True,
            "epochs": {
                "__all__": {
                    "train_s": True,
                    "evaluate_s": True,
                    "elapsed_s": True,
                    "metrics": {"loss"},
                }
            },
            "final": {"loss"},
            "environment": {"load_before", "load_after", "clock_mhz", "roofs"},
            "blocks": True,
            "log_tail": True,
        }
    )
    return {**found, "steps": sum(block.steps for block in record.blocks)}


def losses(record: Record) -> list[float]:
    """The loss of every epoch, and the last one again."""
    return [*(epoch.metrics["loss"] for epoch in record.epochs), record.final["loss"]]


def test_a_fork_computes_what_a_process_started_from_nothing_computes(tmp_path: Path) -> None:
    what = children.cell(
        "image_classification",
        {
            "data": "synthetic",
            "train_examples": 512,
            "validation_examples": 256,
            "batch_size": 64,
            "model": "conv32_conv64_conv64",
            "epochs": 2,
            "samples": 8,
        },
        # Of one thread: several end in the order that the machine gives them, and sum in it.
        device=Device(kind="CPU", threads=1),
    )
    # A process that draws the data holds more memory than one that finds them in the cache.
    load_data(str(what.workload["dataset"]), mode="synthetic")
    forks = ForkPool(tmp_path)
    try:
        forked = launched(what, tmp_path, forks)
    finally:
        forks.close()
    started = launched(what, tmp_path)

    assert forks.forked == 1
    assert (forked.status, started.status) == ("ok", "ok")
    assert forked.began_with is not None
    assert without_times(forked) == without_times(started)
    assert losses(forked) == pytest.approx(losses(started), rel=8 * FLOAT32_ULP)
    assert forked.memory.host_peak_bytes == pytest.approx(started.memory.host_peak_bytes, rel=0.15)
    assert [check.name for check in forked.checks] == [check.name for check in started.checks]


def test_the_imports_of_a_fork_are_told_although_they_passed_before_it(tmp_path: Path) -> None:
    forks = ForkPool(tmp_path)
    try:
        record = launched(children.cell("matmul", {"size": 32, "count": 2}), tmp_path, forks)
    finally:
        forks.close()

    times = record.times
    assert times.process_s is not None
    assert times.import_s is not None
    assert times.prepared_s is not None
    assert times.wall_s is not None
    assert 0 < times.prepared_s < times.process_s + times.import_s
    assert times.import_s > 0.5, "TensorFlow is not imported faster"


@pytest.mark.parametrize(
    ("device", "forked"),
    [
        (Device(kind="CPU"), True),
        (Device(kind="CPU", threads=1), True),
        (Device(kind="CPU", strategy="mirrored", replicas=2), True),
        (Device(kind="GPU"), False),
        (Device(kind="TPU", strategy="tpu"), False),
        (Device(kind="CPU", strategy="multi_worker_mirrored", workers=2), False),
    ],
)
def test_no_process_is_forked_where_a_driver_or_other_processes_belong_to_the_cell(
    device: Device, forked: bool
) -> None:
    assert may_be_forked(device) == (forked and sys.platform == "linux")


def test_repeats_of_one_condition_never_share_a_process_they_are_forked_from(
    tmp_path: Path,
) -> None:
    bench = forking(tmp_path)
    chosen = cells(6)  # two devices, three repeats of each

    assert bench.run(chosen).ok == 6

    assert bench.forks is not None
    assert (bench.forks.started, bench.forks.forked) == (3, 6)
    assert {record.key for record in bench.store.records()} == {one.key for one in chosen}
    assert gone_soon(tmp_path)
    assert list(bench.workspace.scratch.iterdir()) == []


def test_no_more_than_three_processes_stand_ready_to_be_forked(tmp_path: Path) -> None:
    bench = forking(tmp_path)
    most: list[int] = []

    def look(event: RunLine) -> None:
        if isinstance(event, CellEventLine) and event.says.event == "progress":
            most.append(sum(parent_pid(one) == os.getpid() for one in servers(tmp_path)))

    bench.observer.react = look
    assert bench.run([cell(repeat=number, step_s=0.01) for number in range(5)]).ok == 5
    assert max(most) == 3


def test_another_environment_needs_another_process_to_be_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    bench, threads = forking(tmp_path), ["2", "1", "2"]
    assert bench.forks is not None
    fork, found = bench.forks.fork, []

    def change(line: RunLine) -> None:
        if isinstance(line, CellStartLine):
            monkeypatch.setenv("OMP_NUM_THREADS", threads[line.number - 1])

    def watched(server: ForkServer, *order: Any) -> Fork | None:
        found.append(psutil.Process(server.process.pid).environ()["OMP_NUM_THREADS"])
        return fork(server, *order)

    bench.observer.react = change
    monkeypatch.setattr(bench.forks, "fork", watched)
    # None is a repeat of another, so that one process would do for all.
    assert bench.run([cell(spec=name, name=name) for name in ("a", "b", "c")]).ok == 3

    assert found == threads
    assert bench.forks.started == 2


def servers(folder: Path) -> list[psutil.Process]:
    """Processes waiting to be forked: those that have forks or none of their own parents."""
    found = [
        process
        for process in processes_of(folder)
        if "scripted_forkserver" in command_line(process)
    ]
    return sorted(found, key=lambda process: process.create_time())


@pytest.mark.parametrize(
    ("script", "kind", "says"),
    [
        *ENDINGS,
        ({"do": "hang_with_children", "timeout": 0.5}, "timeout", "measure.timeout"),
    ],
)
def test_a_fork_that_fails_is_told_as_any_process_is_and_the_next_one_is_well(
    tmp_path: Path, script: dict[str, object], kind: str, says: str
) -> None:
    bench = forking(tmp_path)
    failing = cell(**script)  # type: ignore[arg-type]

    end = bench.run([failing, cell(step_s=0.001)])

    assert (end.ok, end.failed) == (1, 1)
    record = bench.store.get(failing.key, MACHINE)
    assert record is not None
    assert record.failure is not None
    assert (record.failure.kind, says in record.failure.message) == (kind, True)
    assert "TensorFlow would print" in record.log_tail, record.failure.message
    assert bench.forks is not None
    assert bench.forks.forked == 2
    assert gone_soon(tmp_path)


def test_a_cell_whose_server_is_killed_fails_and_the_next_cell_gets_a_new_one(
    tmp_path: Path,
) -> None:
    bench = forking(tmp_path)
    chosen = [cell("hang", repeat=0), cell(repeat=1)]
    killed: list[int] = []

    def kill(event: RunLine) -> None:
        if isinstance(event, CellEventLine) and event.says.event == "progress" and not killed:
            killed.append(servers(bench.workspace.scratch)[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    bench.observer.react = kill
    end = bench.run(chosen)

    assert (end.ok, end.failed) == (1, 1)
    record = bench.store.get(chosen[0].key, MACHINE)
    assert record is not None
    assert record.failure is not None
    assert record.failure.kind == "signal"
    assert gone_soon(tmp_path)


def test_a_process_that_must_not_be_forked_says_why_and_cells_are_started_instead(
    tmp_path: Path,
) -> None:
    bench = forking(tmp_path, "it has 7 threads")
    assert bench.run(cells(2)).ok == 2
    assert bench.forks is not None
    assert (bench.forks.forked, bench.forks.refused) == (0, "it has 7 threads")


def test_a_run_goes_on_when_no_process_to_be_forked_can_be_had(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path, forks=ForkPool(Workspace(tmp_path / "work").scratch, ("/no/such/program",))
    )
    assert bench.run(cells(2)).ok == 2
    assert bench.forks is not None
    assert "ended at its start" in bench.forks.refused


def test_ctrl_c_while_the_imports_go_on_ends_the_run_at_once(tmp_path: Path) -> None:
    bench = Bench(
        tmp_path,
        forks=ForkPool(Workspace(tmp_path / "work").scratch, ("sleep", "600", str(tmp_path))),
    )

    def interrupt(event: RunLine) -> None:
        if isinstance(event, CellEventLine):
            bench.stop.request("SIGINT")

    bench.observer.react = interrupt
    end = bench.run(cells(2))

    assert (end.stopped_by, end.left) == ("SIGINT", 2)
    assert bench.forks is not None
    assert bench.forks.refused == "", "nobody waited until the imports were given up"
    assert gone_soon(tmp_path)


def test_a_run_that_is_still_ending_takes_nothing_from_the_next_one_on_its_machine(
    tmp_path: Path,
) -> None:
    ending, next_one = (
        LocalLauncher(tmp_path, environment, forks=ForkPool(tmp_path, SERVER)) for _ in range(2)
    )
    for launcher in (ending, next_one):
        launcher.prepare(cell(), stop=Stop())
    ending.close()
    try:
        record = measured_by(next_one, cell())
    finally:
        next_one.close()
    assert record.status == "ok"
    assert next_one.forks is not None
    assert next_one.forks.started == 1
    assert not list(tmp_path.glob("*.txt"))
