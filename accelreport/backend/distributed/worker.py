"""One process of a distributed cell: `python -m accelreport.backend.distributed.worker ORDERS`."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import time
from pathlib import Path

from accelreport.backend.distributed.supervisor import TaskSpec
from accelreport.backend.distributed.tasks import expected, slurm_first_port
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

    per_node = _most_tasks_on_a_node(os.environ["SLURM_STEP_TASKS_PER_NODE"])
    resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
        jobs=expected(device),
        port_base=slurm_first_port(),
        # The resolver divides GPUs even where there are none: one for each task then.
        gpus_per_task=device.replicas,
        gpus_per_node=device.replicas * per_node,
        auto_set_gpu=device.kind == "GPU",
    )
    jobs = resolver.cluster_spec().as_dict()
    kind, index = resolver.get_task_info()
    os.environ["TF_CONFIG"] = json.dumps({"cluster": jobs, "task": {"type": kind, "index": index}})


def _most_tasks_on_a_node(listed: str) -> int:
    """Slurm writes `2(x3),1` for three hosts of two tasks and one of one."""
    return max(int(part.partition("(")[0]) for part in listed.split(","))


POLL_EVERY_S = 0.5
"""How often a server on another host looks whether its coordinator is still there."""

MISSED_LOOKS = 3
"""A coordinator that cannot be reached this often in a row has ended."""


def serve(device: Device, ready: Path, *, until_chief_ends: bool) -> None:
    """Start this task's server and stay.

    Args:
        device: gives threads and kind.
        ready: file to make once it listens.
        until_chief_ends: return when the coordinator, seen once, is gone. A local server
            is ended by its supervisor instead, and never returns.
    """
    with importing(TENSORFLOW):
        import tensorflow as tf

    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    configuration = tf.compat.v1.ConfigProto()
    if device.threads is not None:
        configuration.intra_op_parallelism_threads = device.threads
    # Fewer threads than this and the server can wait for itself (TensorFlow's own advice).
    configuration.inter_op_parallelism_threads = max(device.workers + 1, os.cpu_count() or 1)
    if device.kind == "GPU" and resolver.task_type == "worker":
        configuration.gpu_options.allow_growth = True
        tf.config.experimental.enable_tensor_float_32_execution(device.tf32)
    else:
        tf.config.set_visible_devices([], "GPU")
        configuration.device_count["GPU"] = 0
    server = tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol="grpc",
        config=configuration,
        start=True,
    )
    ready.touch()
    if not until_chief_ends:
        server.join()
    _wait_for_end(json.loads(os.environ["TF_CONFIG"])["cluster"]["chief"][0])


def _wait_for_end(chief: str) -> None:
    host, _, port = chief.rpartition(":")
    connected, missed = False, 0
    while missed < MISSED_LOOKS:
        time.sleep(POLL_EVERY_S)
        try:
            socket.create_connection((host, int(port)), timeout=2).close()
        except OSError:
            missed += connected
        else:
            connected, missed = True, 0


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
    if orders.task.role == "serve":
        serve(device, ready, until_chief_ends=orders.task.external)
        return 0
    descriptor = orders.job.events_fd if orders.task.chief else None
    record = measured(orders.job, Announcer(descriptor, ready), leads=orders.task.chief)
    record = lost_peer(record, orders.task.name)
    leave_record(record, Path(orders.record_path))
    return FAILED if record.status == "failed" else 0


if __name__ == "__main__":
    # At an ordinary exit the processes of a cluster wait for each other, dead ones included.
    leave(main(sys.argv[1:]))
