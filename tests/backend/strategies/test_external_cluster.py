"""A cluster that somebody else started: each host's process of the cell finds its peers."""

import os
import signal
from pathlib import Path

import pytest

from accelreport.backend.distributed.tasks import free_ports
from tests.backend.strategies.cells import (
    ENDLESS,
    TWO_WORKERS,
    Start,
    cell,
    record_of,
    trains,
    two_worker_configuration,
    wait_for,
)

pytestmark = pytest.mark.e2e

SHORT = ENDLESS | {"epochs": 1}


def slurm(number: int) -> dict[str, str]:
    return {
        "SLURM_JOB_ID": str(os.getpid()),
        "SLURM_STEP_NUM_TASKS": "2",
        "SLURM_PROCID": str(number),
        "SLURM_STEP_NODELIST": "localhost",
        "SLURM_STEP_TASKS_PER_NODE": "2",
    }


def test_the_tasks_of_a_slurm_step_find_each_other_and_the_chief_keeps_the_record(
    tmp_path: Path,
    start: Start,
) -> None:
    what = cell(TWO_WORKERS, SHORT)
    children = [start(what, tmp_path / str(n), slurm(n)) for n in range(2)]
    chief, other = (record_of(child, tmp_path / str(n)) for n, child in enumerate(children))
    assert chief.status == "ok", chief.failure
    assert [host.task for host in chief.hosts] == ["worker:0", "worker:1"]
    assert other.status == "skipped"
    assert other.failure is not None
    assert "this host was worker:1 of a cluster" in other.failure.message


def test_a_host_whose_peer_dies_says_which_one(tmp_path: Path, start: Start) -> None:
    ports = free_ports(2)
    what = cell(TWO_WORKERS, ENDLESS)
    children = [
        start(what, tmp_path / str(n), {"TF_CONFIG": two_worker_configuration(ports, n)})
        for n in range(2)
    ]
    wait_for(lambda: trains(tmp_path / "0"))
    os.killpg(children[1].pid, signal.SIGKILL)
    record = record_of(children[0], tmp_path / "0")
    children[1].wait()
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert record.failure.message.startswith(f"worker:1 (127.0.0.1:{ports[1]}")
