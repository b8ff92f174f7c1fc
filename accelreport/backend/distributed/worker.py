"""One process of a distributed cell: `python -m accelreport.backend.distributed.worker ORDERS`."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

from accelreport.backend.distributed.supervisor import TaskSpec
from accelreport.backend.distributed.tasks import slurm_first_port
from accelreport.backend.frameworks import importing
from accelreport.backend.main import leave, leave_record, measured, quiet_tensorflow
from accelreport.backend.protocol import Reporter
from accelreport.machine.parent_death import end_with
from accelreport.results.record import Host, Record
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW

CONSEQUENCES = (
    "UnavailableError",
    "AbortedError",
    "CancelledError",
    "DeadlineExceededError",
    "FailedPreconditionError",
)
"""What TensorFlow raises in a process whose peer has ended."""

TARGET = re.compile(r"/job:(\w+)/replica:0/task:(\d+)")


def lost_peer(record: Record, own_task: str) -> Record:
    """A failed record whose failure names the lost peer, where that is what happened.

    Args:
        record: of a process of a cluster.
        own_task: the process' own task, such as `worker:0`; it cannot have lost itself.
    """
    why = record.failure
    if why is None or why.kind != "harness-error" or not why.message.startswith(CONSEQUENCES):
        return record
    peers = {host.task: host for host in record.hosts if host.task != own_task}
    if not peers:
        return record  # one process alone, such as that of a TPU
    named = [f"{job}:{task}" for job, task in TARGET.findall(why.traceback)]
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


def resolve(device: Device) -> None:
    """Find the hosts of this Slurm step and set `TF_CONFIG` for what follows.

    With GPUs, each task of a host gets its own through `CUDA_VISIBLE_DEVICES`.
    """
    with importing(TENSORFLOW):
        import tensorflow as tf

    # Slurm writes `2(x3),1` for three hosts of two tasks and one of one.
    listed = os.environ["SLURM_STEP_TASKS_PER_NODE"].split(",")
    per_node = max(int(part.partition("(")[0]) for part in listed)
    resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
        jobs={"worker": device.workers},
        port_base=slurm_first_port(),
        # The resolver divides GPUs even where there are none: one for each task then.
        gpus_per_task=device.replicas,
        gpus_per_node=device.replicas * per_node,
        auto_set_gpu=device.kind == "GPU",
    )
    jobs = resolver.cluster_spec().as_dict()
    kind, index = resolver.get_task_info()
    os.environ["TF_CONFIG"] = json.dumps({"cluster": jobs, "task": {"type": kind, "index": index}})


FAILED = 1
"""Exit code of a process whose own record says what went wrong."""


class Announcer(Reporter):
    """Also makes a file when the process has joined its cluster."""

    def __init__(self, descriptor: int | None, ready: Path) -> None:
        super().__init__(descriptor)
        self._ready = ready

    def phase(self, phase: str) -> None:
        """See `Reporter.phase`; every stage after the import comes after joining."""
        if phase != "import":
            self._ready.touch()
        super().phase(phase)


def main(arguments: list[str]) -> int:
    """Do what the orders say; `FAILED` when the process' own record says what went wrong."""
    orders = TaskSpec.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    end_with(orders.supervisor)
    quiet_tensorflow()
    ready, device = Path(orders.ready_path), orders.job.cell.device_spec
    if device.strategy != "tpu" and "TF_CONFIG" not in os.environ:
        resolve(device)
    descriptor = orders.job.events_fd if orders.task.chief else None
    record = measured(orders.job, Announcer(descriptor, ready), leads=orders.task.chief)
    record = lost_peer(record, orders.task.name)
    leave_record(record, Path(orders.record_path))
    return FAILED if record.status == "failed" else 0


if __name__ == "__main__":
    # At an ordinary exit the processes of a cluster wait for each other, dead ones included.
    leave(main(sys.argv[1:]))
