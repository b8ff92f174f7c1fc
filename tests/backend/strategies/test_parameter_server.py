"""A parameter server with two workers: asynchronous, and said to be so."""

import psutil
import pytest

from accelreport.backend.protocol import ProgressEvent
from accelreport.results.record import Record
from accelreport.runner.launchers.base import ChildEvent
from tests.backend.strategies.cells import (
    ENDLESS,
    ONE_WORKER_ONE_SERVER,
    TWO_WORKERS_ONE_SERVER,
    cell,
    task_process,
)
from tests.backend.strategies.forks import Launched
from tests.support.processes import gone, kill

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
def trained(launched: Launched) -> Record:
    return launched.measure(cell(TWO_WORKERS_ONE_SERVER, SHORT))


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


class Killing:
    """Kills a process of a cluster once, and knows all that there were."""

    def __init__(self) -> None:
        self.processes: dict[str, psutil.Process | None] = {}
        self.killed = 0

    def kill(self, task: str) -> None:
        if not self.killed:
            self.processes = {each: task_process(each) for each in ("chief:0", "ps:0", "worker:0")}
            lost = self.processes[task]
            assert lost is not None
            self.killed = lost.pid
            kill(lost)

    def said(self, record: Record) -> str:
        """The message of the failure; all others have ended, too."""
        assert record.failure is not None
        assert record.failure.kind == "worker-lost"
        assert all(process and gone(process) for process in self.processes.values())
        return record.failure.message


def test_a_worker_killed_in_the_middle_is_named_and_leaves_no_orphan(launched: Launched) -> None:
    killing = Killing()

    def hear(event: ChildEvent) -> None:
        if isinstance(event, ProgressEvent):
            killing.kill("worker:0")

    said = killing.said(launched.measure(cell(ONE_WORKER_ONE_SERVER, ENDLESS), on_event=hear))
    assert said.startswith(f"worker:0 (process {killing.killed}, 127.0.0.1:")


def test_a_parameter_server_that_is_killed_is_named_and_leaves_no_orphan(
    launched: Launched,
) -> None:
    killing = Killing()

    def look() -> None:
        if list(launched.folder.glob("*/record.json.cluster-*/ps-0.ready")):
            killing.kill("ps:0")

    said = killing.said(launched.measure(cell(ONE_WORKER_ONE_SERVER, ENDLESS), on_tick=look))
    assert said.startswith(f"ps:0 (process {killing.killed}, 127.0.0.1:")
