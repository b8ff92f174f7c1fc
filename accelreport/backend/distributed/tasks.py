"""Which processes a cell consists of, and which of them this host starts."""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from accelreport.backend.failures import NoDeviceError
from accelreport.spec.device import Device

FIRST, LAST = 15000, 32000
"""Below the ports that systems give to connections by themselves (from 32768 on Linux): one
of those could be taken between its choice and its use."""


def free_ports(count: int) -> list[int]:
    """Different ports on which nobody listens now.

    They are chosen at random, so that two clusters started at once do not meet.
    """
    shuffled = random.SystemRandom().sample(range(FIRST, LAST), k=LAST - FIRST)
    return list(itertools.islice(filter(_free, shuffled), count))


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        try:
            trial.bind(("", port))
        except OSError:
            return False
    return True


SUPERVISED = {"multi_worker_mirrored", "tpu"}
"""Strategies whose constructor or collectives can hang where no Python code can end them."""

NEEDS_CLUSTER = "spreads its processes over the machines of a cluster; run it with --on slurm"
"""Why a device with `spread` cannot run on one machine alone."""

LOOPBACK = "127.0.0.1"

SLURM_FIRST_PORT = 20000
"""Slurm gives no ports of its own: each job takes some from here on, by its number."""

Jobs = dict[str, list[str]]
"""The addresses of a cluster's tasks, by the name of their job."""


@dataclass(frozen=True)
class Task:
    """One process of a cell.

    Attributes:
        job: `worker`, `chief` or `tpu`.
        index: its number within the job.
        address: where the others reach it, `host:port`; empty when there are no others.
        chief: whether it writes the cell's record.
        environment: variables it gets beside those of its parent.
    """

    job: str
    index: int
    address: str
    chief: bool
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name for people and files: `worker:1`."""
        return f"{self.job}:{self.index}"


@dataclass(frozen=True)
class Cluster:
    """The processes of a cell.

    Attributes:
        jobs: every task's address.
        here: the tasks this host starts.
        external: whether somebody else starts the other ones, on other hosts.
    """

    jobs: Jobs
    here: list[Task]
    external: bool

    @property
    def chief(self) -> str:
        """Address of the process that writes the record; empty when it is alone."""
        first = self.jobs.get("chief") or self.jobs.get("worker") or [""]
        return first[0]


def cluster_for(device: Device, environment: Mapping[str, str] = os.environ) -> Cluster:
    """The cluster a device asks for: the one this process was started in, or a local one.

    `TF_CONFIG` says where a job was started by Kubernetes' TFJob, by Ray or by hand; a Slurm
    step of several tasks is known by its variables. Otherwise all processes are started
    here, on free ports of the loopback interface.

    Raises:
        NoDeviceError: the cluster there is has other processes than the device asks for.
    """
    if device.strategy == "tpu":
        return Cluster({}, [Task("tpu", 0, "", chief=True)], external=False)
    if environment.get("TF_CONFIG"):
        return _configured(device, json.loads(environment["TF_CONFIG"]))
    if started_elsewhere(environment):
        count = int(environment["SLURM_STEP_NUM_TASKS"])
        if count != device.workers:
            wanted = f"the device needs {device.workers} worker"
            raise NoDeviceError(f"{wanted}; the Slurm step has {count} tasks")
        return Cluster({}, [_task({}, "worker", int(environment["SLURM_PROCID"]))], external=True)
    if device.spread:
        raise NoDeviceError(f"the device {NEEDS_CLUSTER}")
    jobs = {"worker": [f"{LOOPBACK}:{port}" for port in free_ports(device.workers)]}
    tasks = [
        _task(jobs, "worker", index, _own_gpus(device, index, environment))
        for index in range(device.workers)
    ]
    return Cluster(jobs, tasks, external=False)


def started_elsewhere(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this process was started as a part of somebody's cluster."""
    return bool(environment.get("TF_CONFIG")) or (
        int(environment.get("SLURM_STEP_NUM_TASKS", "1")) > 1
    )


def _configured(device: Device, configuration: Mapping[str, Any]) -> Cluster:
    jobs: Jobs = {
        job: list(addresses)
        for job, addresses in configuration.get("cluster", {}).items()
        if job in {"chief", "worker"}
    }
    # A chief is a worker that also writes the record.
    if (count := sum(map(len, jobs.values()))) != device.workers:
        wanted = f"the device needs {device.workers} worker"
        raise NoDeviceError(f"{wanted}; TF_CONFIG names {f'{count} worker' if count else 'none'}")
    task = configuration.get("task", {})
    job, index = str(task.get("type", "worker")), int(task.get("index", 0))
    return Cluster(jobs, [_task(jobs, job, index)], external=True)


def slurm_first_port(environment: Mapping[str, str] = os.environ) -> int:
    """The first port of a Slurm job's cluster, the same on all its hosts."""
    return SLURM_FIRST_PORT + int(environment.get("SLURM_JOB_ID", "0")) * 16 % 12000


def _task(jobs: Jobs, job: str, index: int, environment: Mapping[str, str] = {}) -> Task:
    """A task of a cluster, with variables of its own."""
    configuration = {"cluster": jobs, "task": {"type": job, "index": index}}
    return Task(
        job=job,
        index=index,
        address=jobs[job][index] if jobs else "",
        chief=index == 0 and (job == "chief" or not jobs.get("chief")),
        environment={**environment, **({"TF_CONFIG": json.dumps(configuration)} if jobs else {})},
    )


def _own_gpus(device: Device, index: int, environment: Mapping[str, str]) -> dict[str, str]:
    """On one host with several GPUs, each worker gets its own."""
    if device.kind != "GPU":
        return {}
    first, count = index * device.replicas, device.replicas
    listed = environment.get("CUDA_VISIBLE_DEVICES", "")
    numbers = [name for name in listed.split(",") if name] or [
        str(number) for number in range(first + count)
    ]
    return {"CUDA_VISIBLE_DEVICES": ",".join(numbers[first : first + count])}
