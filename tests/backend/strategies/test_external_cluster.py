"""A cluster that somebody else started: each host's process of the cell finds its peers."""

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from accelreport.backend.distributed.tasks import free_ports
from tests.backend.strategies.cells import (
    ENDLESS,
    TWO_WORKERS,
    TWO_WORKERS_ONE_SERVER,
    Start,
    cell,
    record_of,
    two_worker_configuration,
    wait_for,
    worker_process,
)

pytestmark = pytest.mark.e2e

SHORT = ENDLESS | {"epochs": 1, "train_examples": 512}


def slurm(number: int) -> dict[str, str]:
    return {
        "SLURM_JOB_ID": str(os.getpid()),
        "SLURM_STEP_NUM_TASKS": "4",
        "SLURM_PROCID": str(number),
        "SLURM_STEP_NODELIST": "localhost",
        "SLURM_STEP_TASKS_PER_NODE": "4",
    }


def test_the_tasks_of_a_slurm_step_find_each_other_and_the_chief_keeps_the_record(
    tmp_path: Path,
    start: Start,
) -> None:
    what = cell(TWO_WORKERS_ONE_SERVER, SHORT)
    children = [start(what, tmp_path / str(n), slurm(n)) for n in range(4)]
    chief, *others = (record_of(child, tmp_path / str(n)) for n, child in enumerate(children))
    assert chief.status == "ok", chief.failure
    assert [host.task for host in chief.hosts] == ["chief:0", "ps:0", "worker:0", "worker:1"]
    for name, other in zip(["ps:0", "worker:0", "worker:1"], others, strict=True):
        assert other.status == "skipped"
        assert other.failure is not None
        assert f"this host was {name} of a cluster" in other.failure.message


def test_a_host_whose_peer_dies_says_within_half_a_minute_which_one(
    tmp_path: Path, start: Start
) -> None:
    ports = free_ports(2)
    what = cell(TWO_WORKERS, ENDLESS)
    children = [
        start(what, tmp_path / str(n), {"TF_CONFIG": two_worker_configuration(ports, n)})
        for n in range(2)
    ]
    first = wait_for(lambda: worker_process(children[0].pid, "worker:0"))
    wait_for(lambda: _trains(first))
    os.killpg(children[1].pid, signal.SIGKILL)
    began = time.monotonic()
    record = record_of(children[0], tmp_path / "0")
    children[1].wait()
    assert time.monotonic() - began < 30
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert record.failure.message.startswith(f"worker:1 (127.0.0.1:{ports[1]}")


def _trains(process: psutil.Process) -> bool:
    """Whether it has computed for longer than importing and building take."""
    before = process.cpu_times().user
    time.sleep(2)
    return before > 8 and process.cpu_times().user - before > 0.5
