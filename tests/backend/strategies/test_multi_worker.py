"""Two local workers: the same training as on one device, and no waiting for the dead."""

import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from accelreport.backend.distributed.supervisor import supervise
from accelreport.backend.protocol import ProgressEvent
from accelreport.results.record import Record
from accelreport.runner.launchers.base import ChildEvent
from tests.backend.strategies.cells import (
    ENDLESS,
    TWO_WORKERS,
    Start,
    cell,
    task_process,
    wait_for,
)
from tests.backend.strategies.forks import Launched
from tests.backend.strategies.plain_cnn import BATCH, STEPS, WORKLOAD
from tests.backend.strategies.plain_worker import AGES_S
from tests.support import children
from tests.support.children import job
from tests.support.processes import command_line, gone, kill

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def trained(launched: Launched) -> Record:
    record = launched.measure(cell(TWO_WORKERS, WORKLOAD | {"afterwards": ["save_weights"]}))
    assert launched.left == [artefact.file for artefact in record.artefacts]
    return record


def test_two_workers_have_the_loss_curve_of_one_device(
    trained: Record, said: dict[str, Any]
) -> None:
    assert trained.status == "ok", trained.failure
    losses = [epoch.metrics["loss"] for epoch in trained.epochs]
    assert len(losses) == STEPS
    assert losses == pytest.approx(said["one"], rel=1e-4)


def test_metrics_are_those_of_all_workers_examples(trained: Record) -> None:
    assert trained.samples_per_step == BATCH
    last = trained.epochs[-1].metrics
    # Shares of 64 and of 101 examples: one worker's own would be multiples of other parts.
    for share, examples in ((last["accuracy"], BATCH), (last["val_accuracy"], 101)):
        assert share * examples == pytest.approx(round(share * examples), abs=1e-3)


def test_one_record_names_every_host(trained: Record) -> None:
    assert [host.task for host in trained.hosts] == ["worker:0", "worker:1"]
    assert [host.chief for host in trained.hosts] == [True, False]
    assert all(host.host and host.machine and host.cpu for host in trained.hosts)
    assert len({host.address for host in trained.hosts}) == 2
    assert all(host.peak_bytes and host.peak_bytes > 2**26 for host in trained.hosts)


def test_weights_are_saved_by_the_chief_alone_and_hold_what_the_workers_trained(
    trained: Record,
) -> None:
    assert [artefact.name for artefact in trained.artefacts] == ["weights.h5"]
    assert trained.weights is not None
    assert trained.weights.max_difference < 1e-5


def test_cpu_time_is_that_of_all_workers(trained: Record) -> None:
    assert min(block.cpu_s for block in trained.blocks) >= AGES_S


@dataclass(frozen=True)
class AfterLoss:
    """What a run measures of two cells, in the first of which it loses a worker.

    Attributes:
        lost: the record of the first cell.
        process: of the worker that was killed.
        orphans: processes that the first cell has left.
        after: the record of the second cell: products on two workers.
    """

    lost: Record
    process: int
    orphans: set[psutil.Process]
    after: Record


@pytest.fixture(scope="module")
def after_loss(launched: Launched) -> AfterLoss:
    killed: list[int] = []
    processes: list[psutil.Process] = []

    def kill_second_worker(event: ChildEvent) -> None:
        if isinstance(event, ProgressEvent) and event.step > 5 and not killed:
            processes.extend(filter(None, map(task_process, ["worker:0", "worker:1"])))
            killed.append(processes[1].pid)
            kill(processes[1])

    lost = launched.measure(cell(TWO_WORKERS, ENDLESS), on_event=kill_second_worker)
    orphans = {process for process in processes if not gone(process)}
    after = launched.measure(children.cell("matmul", {"size": 64, "count": 4}, device=TWO_WORKERS))
    return AfterLoss(lost, killed[0], orphans, after)


def test_a_worker_killed_in_the_middle_fails_the_cell_and_not_the_run(
    after_loss: AfterLoss,
) -> None:
    lost = after_loss.lost
    assert lost.status == "failed"
    assert lost.failure is not None
    assert lost.failure.kind == "worker-lost"
    assert f"worker:1 (process {after_loss.process}, 127.0.0.1:" in lost.failure.message
    assert "SIGKILL" in lost.failure.message
    assert [host.task for host in lost.hosts] == ["worker:0", "worker:1"]
    assert not after_loss.orphans
    assert after_loss.after.status == "ok", after_loss.after.failure


def test_products_are_measured_on_two_workers_and_say_which_checks_do_not_apply(
    after_loss: AfterLoss,
) -> None:
    checks = {check.name: check.outcome for check in after_loss.after.checks}
    assert checks["no-sync"] == "not-applicable"


def test_a_peer_that_never_comes_ends_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accelreport.backend.distributed.supervisor.JOIN_LIMIT_S", 3.0)
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text(
        "import sys, time, runpy\n"
        "if 'worker-1' in sys.argv[1]: time.sleep(600)\n"
        "runpy.run_module('accelreport.backend.distributed.worker', run_name='__main__')\n"
    )
    before = _children()
    record = supervise(job(cell(TWO_WORKERS), tmp_path), (sys.executable, str(sleeper)))
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert "worker:1" in record.failure.message
    assert "had not joined within 3 s" in record.failure.message
    assert _children() <= before


def test_workers_end_with_their_supervisor_even_while_they_wait_for_a_peer(
    tmp_path: Path,
    start: Start,
) -> None:
    child = start(cell(TWO_WORKERS), tmp_path)
    second = wait_for(lambda: task_process("worker:1", child.pid))
    second.suspend()  # so that the first one waits for it inside TensorFlow
    first = wait_for(lambda: task_process("worker:0", child.pid))
    wait_for(lambda: first.cpu_times().user > 1.5 and _idle(first))
    child.kill()
    child.wait()
    second.resume()
    assert wait_for(lambda: gone(first) and gone(second))


def _children() -> set[psutil.Process]:
    """Processes below this one, without a browser of other tests, which starts more as it likes."""
    found: set[psutil.Process] = set()
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if "playwright" not in command_line(child):
                found |= {child, *child.children(recursive=True)}
    return found


def _idle(process: psutil.Process) -> bool:
    before = process.cpu_times().user
    time.sleep(1)
    return process.cpu_times().user - before < 0.1
