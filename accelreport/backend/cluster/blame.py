"""Which peer a process lost, when TensorFlow only says that something is unavailable."""

from __future__ import annotations

import re

from accelreport.results.record import Host, Record

CONSEQUENCES = (
    "UnavailableError",
    "AbortedError",
    "CancelledError",
    "DeadlineExceededError",
    "FailedPreconditionError",
)
"""What TensorFlow raises in a process whose peer has ended."""

TARGET = re.compile(r"/job:(\w+)/replica:0/task:(\d+)")


def blame(record: Record, own_task: str) -> Record:
    """A failed record whose failure names the lost peer, where that is what happened.

    Args:
        record: of a process of a cluster.
        own_task: the process' own task, such as `worker:0`; it cannot have lost itself.
    """
    why = record.failure
    if why is None or why.kind != "harness-error" or not why.message.startswith(CONSEQUENCES):
        return record
    named = [f"{job}:{task}" for job, task in TARGET.findall(why.traceback)]
    peers = {host.task: host for host in record.hosts if host.task != own_task}
    lost = next((task for task in named if task in peers), None)
    if lost is None and len(peers) == 1:
        lost = next(iter(peers))
    who = _title(peers[lost]) if lost else "one of " + ", ".join(map(_title, peers.values()))
    message = f"{who} was lost: {_reason(why.traceback)}"
    failure = why.model_copy(update={"kind": "worker-lost", "message": message})
    return record.model_copy(update={"failure": failure})


def _title(host: Host) -> str:
    where = f" on {host.host}" if host.host not in host.address else ""
    return f"{host.task} ({host.address}{where})"


def _reason(text: str) -> str:
    """The line in which gRPC says what happened."""
    for line in text.splitlines():
        if "aborted by" in line or "is down" in line:
            return line.strip()[:200]
    return text.strip().splitlines()[-1][:200]
