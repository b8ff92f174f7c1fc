"""Starts and ends the processes of a distributed cell, and makes one record of what became of them.

The cell's own process does nothing else: it never imports TensorFlow, so that nothing it
watches can hang it. Its workers are in its process group, which the runner kills as a whole.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from accelreport.backend.distributed.tasks import LOOPBACK, Cluster, Task, cluster_for
from accelreport.backend.failures import NoDeviceError, WorkerLostError, failure, signal_name
from accelreport.backend.measurement import Measurement
from accelreport.backend.protocol import Job, Reporter
from accelreport.machine.memory import peak_bytes
from accelreport.results.plan_document import Document
from accelreport.results.reading import read_record
from accelreport.results.record import Failure, Host, Record

SUPERVISOR_VARIABLE = "ACCELREPORT_SUPERVISOR"
"""Holds the number of the process that started all of this host's processes of the cell."""


class TaskSpec(Document):
    """A task of a cell, for `python -m accelreport.backend.distributed.worker ORDERS.json`."""

    job: Job
    task: Task
    record_path: str
    """Where the process leaves its own record: the chief's is the cell's."""
    ready_path: str
    """File the process makes once it has joined its cluster."""
    supervisor: int
    """Process that started it; it must not outlive that one."""


_spent: dict[psutil.Process, float] = {}
"""CPU seconds of the cell's other processes on this host, as last read."""


def cpu_s() -> float:
    """CPU seconds of the cell's processes on this host, those of the supervisor left out.

    What a process had spent is kept when it ends: a sum must not fall between two readings.
    """
    supervisor = os.environ.get(SUPERVISOR_VARIABLE)
    if supervisor is None:
        return time.process_time()
    for child in psutil.Process(int(supervisor)).children():
        if child.pid == os.getpid():
            continue  # read below, to the nanosecond instead of the clock tick
        try:
            times = child.cpu_times()
        except psutil.NoSuchProcess:
            continue  # the supervisor will say so
        _spent[child] = times.user + times.system
    return time.process_time() + sum(_spent.values())


WORKER = (sys.executable, "-P", "-m", "accelreport.backend.distributed.worker")
"""The program of a task; the file of its orders is its last argument."""

REAP_WITHIN_S = 5.0
"""A killed process is gone within milliseconds; one that hangs in the kernel is left."""


@dataclass
class TaskProcess:
    """A task's process.

    Attributes:
        task: what it is for.
        popen: the process.
        record: where it leaves its own record.
        ready: file it makes once it has joined.
        code: exit code with which it ended by itself, minus the signal's number when a signal
            ended it; None while it runs, and for ever when it had to be killed.
        peak_bytes: its peak resident set, as last seen.
    """

    task: Task
    popen: subprocess.Popen[bytes]
    record: Path
    ready: Path
    code: int | None = None
    peak_bytes: int | None = None

    @property
    def title(self) -> str:
        """Task, process number and address, for a message."""
        where = f", {self.task.address}" if self.task.address else ""
        return f"{self.task.name} (process {self.popen.pid}{where})"

    def look(self) -> None:
        """See whether it has ended, and how much memory it has used."""
        self.peak_bytes = peak_bytes(self.popen.pid) or self.peak_bytes
        self.code = self.popen.poll()

    @property
    def finished(self) -> bool:
        """Whether it has ended in good order."""
        return self.code == 0

    @property
    def died(self) -> bool:
        """Whether it has ended too early, and without a word."""
        return self.code not in {None, 0} and not self.record.exists()

    def ending(self) -> str:
        """How it ended, for a message."""
        if self.code is None:
            return "is still running"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        return f"was ended by {signal_name(-self.code)}"


def start(job: Job, task: Task, folder: Path, command: tuple[str, ...]) -> TaskProcess:
    """Start a task's process in this process' own group.

    Args:
        job: the cell.
        task: which process of it.
        folder: for its orders, its record, and the file that says that it has joined.
        command: the program; the file of its orders is appended.
    """
    stem = task.name.replace(":", "-")
    record, ready = folder / f"{stem}.record.json", folder / f"{stem}.ready"
    orders = TaskSpec(
        job=job,
        task=task,
        record_path=str(record),
        ready_path=str(ready),
        supervisor=os.getpid(),
    )
    path = folder / f"{stem}.orders.json"
    path.write_text(orders.model_dump_json(), encoding="utf-8")
    events = (job.events_fd,) if task.chief and job.events_fd is not None else ()
    popen = subprocess.Popen(
        [*command, str(path)],
        stdin=subprocess.DEVNULL,
        pass_fds=events,
        env={
            **os.environ,
            **_without_proxy(),
            **task.environment,
            SUPERVISOR_VARIABLE: str(os.getpid()),
        },
    )
    return TaskProcess(task, popen, record, ready)


def end_all(processes: list[TaskProcess]) -> None:
    """Kill every process that still runs, and reap it.

    Never politely: TensorFlow catches SIGTERM and may wait for peers for many minutes.
    """
    for process in processes:
        if process.popen.poll() is None:
            process.popen.kill()
    for process in processes:
        try:
            process.popen.wait(REAP_WITHIN_S)
        except subprocess.TimeoutExpired:
            print(f"{process.title} is stuck in the kernel", file=sys.stderr)  # noqa: T201


def _without_proxy() -> dict[str, str]:
    """A proxy would be asked for the loopback interface, too, and fail."""
    return {
        name: ",".join(filter(None, [os.environ.get(name, ""), LOOPBACK, "localhost"]))
        for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy")
    }


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
    records = _records_of(processes)
    # A process that was killed cannot speak; what its peers say then is a consequence.
    silent = [process for process in processes if process.died]
    if records and not silent:
        return _with_peaks(records[0], processes)
    lost = _loss(job, silent) if silent else _absence(job, cluster, processes)
    record = records[0] if records else _nothing(job).record("failed")
    record = record.model_copy(update={"status": "failed", "failure": lost})
    return _with_peaks(record, processes)


def _records_of(processes: list[TaskProcess]) -> list[Record]:
    """Records of the processes that could say themselves what went wrong.

    One that blames its peers comes last: it is their victim.
    """
    records = []
    for process in processes:
        if not process.record.exists() or process.finished:
            continue
        record = read_record(process.record)
        why = record.failure
        if why is not None and not process.task.chief:
            why = why.model_copy(update={"message": f"{process.task.name}: {why.message}"})
        records.append(record.model_copy(update={"failure": why}))
    return sorted(records, key=lambda r: r.failure is not None and r.failure.kind == "worker-lost")


def _loss(job: Job, silent: list[TaskProcess]) -> Failure:
    what = "; ".join(f"{process.title} {process.ending()}" for process in silent)
    if job.cell.device_spec.strategy == "tpu":
        return failure(NoDeviceError(f"the TPU's driver failed: {what}"))
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
