"""The processes of a cell on this host: started, looked at, killed and reaped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from accelreport.backend.distributed.tasks import LOOPBACK, Task
from accelreport.backend.protocol import Job
from accelreport.machine.memory import peak_bytes
from accelreport.results.plan_document import Document

SUPERVISOR_VARIABLE = "ACCELREPORT_SUPERVISOR"
"""Holds the number of the process that started all of this host's processes of the cell."""


class TaskSpec(Document):
    """A task of a cell, for `python -m accelreport.backend.distributed.worker ORDERS.json`."""

    job: Job
    """The cell."""
    task: Task
    """Which process of it."""
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


WORKER = (sys.executable, "-m", "accelreport.backend.distributed.worker")
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
        peak = peak_bytes(self.popen.pid)
        self.peak_bytes = peak or self.peak_bytes
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
            return "has not ended"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was ended by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was ended by signal {-self.code}"


def start(job: Job, task: Task, folder: Path, command: tuple[str, ...] = WORKER) -> TaskProcess:
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
            print(f"{process.title} does not leave the kernel", file=sys.stderr)  # noqa: T201


def _without_proxy() -> dict[str, str]:
    """A proxy would be asked for the loopback interface, too, and fail."""
    return {
        name: ",".join(filter(None, [os.environ.get(name, ""), LOOPBACK, "localhost"]))
        for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy")
    }
