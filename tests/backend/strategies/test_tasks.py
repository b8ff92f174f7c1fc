"""Which processes a device stands for, wherever it is started."""

import json
import os
import socket
import subprocess
import sys
import time
from typing import Any

import psutil
import pytest

from accelreport.backend.availability import needed_here
from accelreport.backend.distributed.supervisor import SUPERVISOR_VARIABLE, cpu_s
from accelreport.backend.distributed.tasks import (
    cluster_for,
    free_ports,
    slurm_first_port,
)
from accelreport.backend.failures import NoDeviceError
from accelreport.machine.clocks import Stopwatch
from accelreport.spec.device import BatchError, Device, require_shares

WORKERS = Device(kind="CPU", strategy="multi_worker_mirrored", workers=3)


def configuration(task: dict[str, Any], **jobs: int) -> dict[str, str]:
    cluster = {job: [f"{job}-{i}.example:2222" for i in range(n)] for job, n in jobs.items()}
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}


def test_without_a_cluster_all_workers_are_started_here_on_ports_of_their_own() -> None:
    cluster = cluster_for(WORKERS, {})
    assert [task.name for task in cluster.here] == ["worker:0", "worker:1", "worker:2"]
    assert [task.chief for task in cluster.here] == [True, False, False]
    assert len({task.address for task in cluster.here}) == 3
    for task in cluster.here:
        told = json.loads(task.environment["TF_CONFIG"])
        assert told["cluster"] == cluster.jobs
        assert f"{told['task']['type']}:{told['task']['index']}" == task.name


def test_tf_config_says_which_task_this_host_is() -> None:
    cluster = cluster_for(WORKERS, configuration({"type": "worker", "index": 2}, worker=3))
    assert cluster.external
    assert [task.name for task in cluster.here] == ["worker:2"]
    assert not cluster.here[0].chief
    assert cluster.chief == "worker-0.example:2222"


def test_a_kubernetes_job_with_a_chief_counts_it_among_its_workers() -> None:
    cluster = cluster_for(WORKERS, configuration({"type": "chief", "index": 0}, chief=1, worker=2))
    assert [(task.name, task.chief) for task in cluster.here] == [("chief:0", True)]
    first = cluster_for(WORKERS, configuration({"type": "worker", "index": 0}, chief=1, worker=2))
    assert [(task.name, task.chief) for task in first.here] == [("worker:0", False)]


def test_a_cluster_of_another_size_than_the_device_is_refused() -> None:
    with pytest.raises(NoDeviceError, match="needs 3 worker; TF_CONFIG names 2 worker"):
        cluster_for(WORKERS, configuration({"type": "worker", "index": 0}, worker=2))
    step = {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}
    with pytest.raises(NoDeviceError, match="needs 3 worker; the Slurm step has 4 tasks"):
        cluster_for(WORKERS, step)


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "worker:0"), (2, "worker:2")],
)
def test_the_tasks_of_a_slurm_step_are_dealt_out_in_order(number: int, name: str) -> None:
    step = {"SLURM_STEP_NUM_TASKS": "3", "SLURM_PROCID": str(number)}
    cluster = cluster_for(WORKERS, step)
    assert [task.name for task in cluster.here] == [name]


def test_a_slurm_job_of_one_task_gets_its_workers_on_its_own_host() -> None:
    assert len(cluster_for(WORKERS, {"SLURM_STEP_NUM_TASKS": "1"}).here) == 3


def test_the_ports_of_a_slurm_job_are_valid_whatever_its_number() -> None:
    for number in (0, 1, 749, 750, 10**9):
        assert 1024 < slurm_first_port({"SLURM_JOB_ID": str(number)}) < 32768


def test_each_worker_of_a_host_with_gpus_gets_its_own() -> None:
    device = Device(kind="GPU", strategy="multi_worker_mirrored", workers=2, replicas=2)
    here = cluster_for(device, {}).here
    assert [task.environment["CUDA_VISIBLE_DEVICES"] for task in here] == ["0,1", "2,3"]
    chosen = cluster_for(device, {"CUDA_VISIBLE_DEVICES": "7,5,3,1"}).here
    assert [task.environment["CUDA_VISIBLE_DEVICES"] for task in chosen] == ["7,5", "3,1"]


def test_a_device_that_spreads_its_processes_is_never_started_on_one_machine_alone() -> None:
    spread = WORKERS.model_copy(update={"spread": True})
    with pytest.raises(NoDeviceError, match="--on slurm"):
        cluster_for(spread, {})
    told = configuration({"type": "worker", "index": 1}, worker=3)
    assert [task.name for task in cluster_for(spread, told).here] == ["worker:1"]


def test_free_ports_are_different_and_can_be_bound() -> None:
    ports = free_ports(5)
    assert len(set(ports)) == 5
    for port in ports:
        with socket.socket() as listener:
            listener.bind(("", port))


def test_a_batch_that_replicas_cannot_share_says_which_one_they_could() -> None:
    assert BatchError(63, 2).remedy == "write batch_size = 62 or 64"
    assert BatchError(5, 8).remedy == "write batch_size = 8"
    with pytest.raises(BatchError, match="2 replicas cannot share 63 examples"):
        require_shares(63, 2)
    assert require_shares(64, 2) == 32


def test_workers_on_one_host_need_all_their_gpus_there(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(kind="GPU", strategy="multi_worker_mirrored", workers=2, replicas=2)
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert needed_here(device) == 4
    assert needed_here(Device(kind="GPU", strategy="mirrored", replicas=2)) == 2
    monkeypatch.setenv("TF_CONFIG", "{}")
    assert needed_here(device) == 2


def test_cpu_time_never_falls_when_a_process_of_the_cell_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(SUPERVISOR_VARIABLE, str(os.getpid()))
    worker = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        spent = psutil.Process(worker.pid)
        while sum(spent.cpu_times()[:2]) < 0.3:
            time.sleep(0.01)
        watch, before, own = Stopwatch(cpu_s), cpu_s(), time.process_time()
        assert before > own + 0.25
    finally:
        worker.kill()
        worker.wait()
    assert cpu_s() - before >= time.process_time() - own - 0.05
    assert watch.lap().cpu_s >= 0
