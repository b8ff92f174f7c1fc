"""A parameter server with two workers: asynchronous, and said to be so."""

import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from accelreport.results.record import Record
from tests.backend.strategies.cells import (
    ENDLESS,
    ONE_WORKER_ONE_SERVER,
    TWO_WORKERS_ONE_SERVER,
    Start,
    cell,
    record_of,
    start_child,
    trains,
    wait_for,
    worker_process,
)
from tests.support.processes import gone

pytestmark = pytest.mark.e2e

SHORT = {
    "data": "synthetic",
    "train_examples": 1024,
    "validation_examples": 64,
    "batch_size": 32,
    "epochs": 2,
    "samples": 3,
    "model": "conv12_conv24_conv32",  # with moving statistics, which a server keeps, too
}
STEPS = 2 * 1024 // 32


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Record:
    folder = tmp_path_factory.mktemp("servers")
    return record_of(start_child(cell(TWO_WORKERS_ONE_SERVER, SHORT), folder), folder)


def test_training_with_asynchronous_updates_learns(trained: Record) -> None:
    assert trained.status == "ok", trained.failure
    first, last = (epoch.metrics for epoch in trained.epochs)
    assert last["loss"] < first["loss"]
    assert last["accuracy"] > 0.6
    assert 0 <= last["val_accuracy"] <= 1
    assert len(trained.samples) == 3


def test_steps_are_counted_over_all_workers(trained: Record) -> None:
    assert trained.planned_steps == sum(block.steps for block in trained.blocks) == STEPS
    assert trained.samples_per_step == 32
    # No stamp inside a graph would be true: the steps of the workers overlap.
    assert not any(block.step_s for block in trained.blocks)


def test_the_record_says_that_updates_were_asynchronous(trained: Record) -> None:
    said = {warning.kind: warning.message for warning in trained.warnings}
    assert said["asynchronous-updates"].startswith("2 workers update the weights without waiting")


def test_the_record_names_coordinator_server_and_workers(trained: Record) -> None:
    assert [host.task for host in trained.hosts] == ["chief:0", "ps:0", "worker:0", "worker:1"]
    assert [host.chief for host in trained.hosts] == [True, False, False, False]
    assert all(host.host and host.address and host.peak_bytes for host in trained.hosts)


def test_a_worker_killed_in_the_middle_is_named_and_leaves_no_orphan(
    tmp_path: Path, start: Start
) -> None:
    child = start(cell(ONE_WORKER_ONE_SERVER, ENDLESS), tmp_path)
    lost = wait_for(lambda: worker_process(child.pid, "worker:0"))
    wait_for(lambda: trains(tmp_path))
    said = _kill(child, lost, tmp_path)
    assert said.startswith(f"worker:0 (process {lost.pid}, 127.0.0.1:")


def test_a_parameter_server_that_is_killed_is_named_and_leaves_no_orphan(
    tmp_path: Path, start: Start
) -> None:
    child = start(cell(ONE_WORKER_ONE_SERVER, ENDLESS), tmp_path)
    wait_for(lambda: list(tmp_path.glob("record.json.cluster-*/ps-0.ready")))
    lost = worker_process(child.pid, "ps:0")
    assert lost is not None
    said = _kill(child, lost, tmp_path)
    assert said.startswith(f"ps:0 (process {lost.pid}, 127.0.0.1:")


def _kill(child: subprocess.Popen[bytes], lost: psutil.Process, folder: Path) -> str:
    """Kills a process of the cluster, sees all others end, and returns the failure's message."""
    processes = psutil.Process(child.pid).children(recursive=True)
    assert len(processes) == 3
    lost.send_signal(signal.SIGKILL)
    record = record_of(child, folder)
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert all(gone(process) for process in processes)
    return record.failure.message
