"""Runs the processes of a distributed cell and makes one record of what became of them.

The cell's own process does nothing else: it never imports TensorFlow, so that nothing it
watches can hang it. Its workers are in its process group, which the runner kills as a whole.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import time
from pathlib import Path

from accelreport.backend.distributed.processes import WORKER, TaskProcess, end_all, start
from accelreport.backend.distributed.tasks import Cluster, cluster_for
from accelreport.backend.failures import NoDeviceError, WorkerLostError, failure
from accelreport.backend.measurement import Measurement
from accelreport.backend.protocol import Job, Reporter
from accelreport.results.reading import read_record
from accelreport.results.record import Failure, Host, Record

POLL_EVERY_S = 0.1

SETTLE_S = 0.5
"""When a process dies its peers fail, too: wait this long, so that the first is blamed."""

JOIN_LIMIT_S = 180.0
"""Seconds for all processes of this host to start and join; a missing one blocks the others."""

EXTERNAL_JOIN_LIMIT_S = 600.0
"""The same where other hosts take part, which may come later."""

TPU_LIMIT_S = 30.0
"""Seconds for a TPU to be found and initialised, TensorFlow's import included."""

TPU_LIMIT_VARIABLE = "ACCELREPORT_TPU_LIMIT_S"
"""Environment variable for a large slice that needs longer than `TPU_LIMIT_S`."""


def supervise(job: Job, command: tuple[str, ...] = WORKER) -> Record:
    """Have the processes of a cell run; its record, whatever happens to them.

    None of them is alive when this returns or raises.

    Args:
        job: the cell.
        command: the program of a task.

    Raises:
        NoDeviceError: the cluster there is has other processes than the device asks for.
    """
    cluster = cluster_for(job.cell.device_spec)
    beside = Path(job.record_path)
    folder = Path(tempfile.mkdtemp(dir=beside.parent, prefix=f"{beside.name}.cluster-"))
    processes: list[TaskProcess] = []
    try:
        processes += [start(job, task, folder, command) for task in cluster.here]
        _watch(job, cluster, processes)
    finally:
        end_all(processes)
    record = _conclude(job, cluster, processes)
    shutil.rmtree(folder)
    return record


def _watch(job: Job, cluster: Cluster, processes: list[TaskProcess]) -> None:
    """Return once the outcome is certain: the chief has ended, or another one too early."""
    deadline = time.monotonic() + join_limit_s(job, cluster)
    while not _certain(cluster, processes):
        if time.monotonic() >= deadline and not all(p.ready.exists() for p in processes):
            return
        time.sleep(POLL_EVERY_S)
    if not all(process.finished for process in processes if process.code is not None):
        time.sleep(SETTLE_S)
        for process in processes:
            process.look()


def _certain(cluster: Cluster, processes: list[TaskProcess]) -> bool:
    for process in processes:
        process.look()
    ended = [process for process in processes if process.code is not None]
    # A worker that has finished in good order may be a little ahead of the chief.
    return any(cluster.external or p.task.chief or not p.finished for p in ended)


def join_limit_s(job: Job, cluster: Cluster) -> float:
    """Seconds within which the processes must have joined."""
    if job.cell.device_spec.strategy == "tpu":
        return float(os.environ.get(TPU_LIMIT_VARIABLE, TPU_LIMIT_S))
    return EXTERNAL_JOIN_LIMIT_S if cluster.external else JOIN_LIMIT_S


def _conclude(job: Job, cluster: Cluster, processes: list[TaskProcess]) -> Record:
    chief = next((process for process in processes if process.task.chief), None)
    if chief is not None and chief.finished and chief.record.exists():
        return _with_peaks(read_record(chief.record), processes)
    if chief is None and all(process.finished for process in processes):
        return _elsewhere(job, cluster, processes)
    told = _told(processes)
    # A process that was killed cannot speak; what its peers say then is a consequence.
    silent = [process for process in processes if process.died]
    if told and not silent:
        return _with_peaks(told[0], processes)
    lost = _loss(job, silent) if silent else _absence(job, cluster, processes)
    found = told[0] if told else _nothing(job).record("failed")
    found = found.model_copy(update={"status": "failed", "failure": lost})
    return _with_peaks(found, processes)


def _told(processes: list[TaskProcess]) -> list[Record]:
    """Records of the processes that could say themselves what went wrong.

    One that blames its peers comes last: it is their victim.
    """
    found = []
    for process in processes:
        if not process.record.exists() or process.finished:
            continue
        record = read_record(process.record)
        why = record.failure
        if why is not None and not process.task.chief:
            why = why.model_copy(update={"message": f"{process.task.name}: {why.message}"})
        found.append(record.model_copy(update={"failure": why}))
    return sorted(found, key=lambda r: r.failure is not None and r.failure.kind == "worker-lost")


def _loss(job: Job, silent: list[TaskProcess]) -> Failure:
    what = "; ".join(f"{process.title} {process.ending()}" for process in silent)
    if job.cell.device_spec.strategy == "tpu":
        return failure(NoDeviceError(f"the TPU's driver gave up: {what}"))
    return failure(WorkerLostError(what))


def _absence(job: Job, cluster: Cluster, processes: list[TaskProcess]) -> Failure:
    """Not all have joined: perhaps a peer on another host, perhaps the device itself."""
    limit = join_limit_s(job, cluster)
    if job.cell.device_spec.strategy == "tpu":
        return failure(NoDeviceError(f"no TPU answered within {limit:g} s"))
    absent = ", ".join(process.title for process in processes if not process.ready.exists())
    where = f" the cluster of {cluster.chief}" if cluster.external and cluster.chief else ""
    return failure(WorkerLostError(f"{absent} had not joined{where} within {limit:g} s"))


def _nothing(job: Job) -> Measurement:
    """A measurement of this process, which measured nothing."""
    measurement = Measurement(job, Reporter(None))
    measurement.times.clear()
    return measurement


def _with_peaks(record: Record, processes: list[TaskProcess]) -> Record:
    """The record with every process of this host, and the memory each has used."""
    known = {host.task: host for host in record.hosts}
    here = socket.gethostname()
    for process in processes:
        host = known.get(process.task.name) or Host(
            task=process.task.name,
            host=here,
            address=process.task.address,
            chief=process.task.chief,
        )
        known[process.task.name] = host.model_copy(update={"peak_bytes": process.peak_bytes})
    hosts = sorted(known.values(), key=lambda host: not host.chief)
    return record.model_copy(update={"hosts": hosts if len(hosts) > 1 else []})


def _elsewhere(job: Job, cluster: Cluster, processes: list[TaskProcess]) -> Record:
    """What a host leaves whose processes worked for a chief on another one."""
    tasks = ", ".join(process.task.name for process in processes)
    return _nothing(job).record(
        "skipped",
        failure=Failure(
            kind="no-device",
            message=f"this host was {tasks} of a cluster; the chief on "
            f"{cluster.chief or 'another host'} has the record",
        ),
    )
