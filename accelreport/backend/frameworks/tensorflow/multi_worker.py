"""The model on several processes or hosts, in step, gradients added by a ring."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from typing import Any

from accelreport.backend.distributed import processes
from accelreport.backend.failures import NoDeviceError, WorkerLostError
from accelreport.backend.placement import InGraph
from accelreport.machine.inventory import inventory
from accelreport.results.record import Host
from accelreport.spec.device import Device

CARD_BYTES = 2048
"""Every worker describes itself in this many bytes: what is gathered must be of one size."""


@dataclass
class MultiWorker(InGraph):
    """Every worker runs the same loop; collectives keep them in step."""

    task: str = ""
    addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        import tensorflow as tf

        strategy = self.strategy

        def first(number: Any) -> Any:
            mine = tf.distribute.get_replica_context().replica_id_in_sync_group
            return tf.where(tf.equal(mine, 0), number, tf.zeros_like(number))

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def from_first(number: Any) -> Any:
            sent = strategy.run(first, args=(number,))
            return strategy.reduce(tf.distribute.ReduceOp.SUM, sent, axis=None)

        self._from_first = from_first

    def agreed(self, number: float) -> float:
        """See `Placement.agreed`."""
        import tensorflow as tf

        return float(self._from_first(tf.constant(number, tf.float32)).numpy())

    def synchronise(self) -> None:
        """See `Placement.synchronise`; each worker sees to its own devices."""
        import tensorflow as tf

        for name in self.devices:
            with tf.device(name):
                tf.raw_ops.SyncDevice()

    def cpu_s(self) -> float:
        """See `Placement.cpu_s`."""
        return processes.cpu_s()

    def hosts(self, key: str) -> list[Host]:
        """See `Placement.hosts`.

        Raises:
            WorkerLostError: another worker measures another cell.
        """
        cards = [json.loads(card) for card in self._gathered(self._card(key))]
        found: dict[str, Host] = {}
        for card in cards:
            if card.pop("key") != key:
                raise WorkerLostError(f"{card['task']} on {card['host']} measures another cell")
            found.setdefault(card["task"], Host.model_validate(card))
        return list(found.values())

    def _card(self, key: str) -> str:
        machine = inventory()
        number = int(self.task.rpartition(":")[2])
        chiefs = len(self.addresses) - self.strategy.cluster_resolver.cluster_spec().num_tasks(
            "worker"
        )
        position = number if self.task.startswith("chief") else number + chiefs
        return json.dumps(
            {
                "key": key,
                "task": self.task,
                "host": socket.gethostname()[:100],
                "address": self.addresses[position],
                "chief": position == 0,
                "machine": machine.machine,
                "cpu": machine.cpu[:200],
                "devices": list(self.devices)[:8],
            }
        )

    def _gathered(self, text: str) -> list[str]:
        """A text of every replica, in their order."""
        import tensorflow as tf

        padded = text.encode().ljust(CARD_BYTES)
        row = tf.constant([list(padded)], tf.int32)
        strategy = self.strategy

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def gather() -> Any:
            return strategy.gather(strategy.run(lambda: tf.identity(row)), axis=0)

        return [bytes(line.tolist()).decode().strip() for line in gather().numpy().astype("uint8")]


def multi_worker_mirrored(device: Device) -> MultiWorker:
    """One process of a cluster that `TF_CONFIG` describes; returns when all have joined.

    Raises:
        NoDeviceError: a CPU was asked for several replicas in a process, or this process is
            no part of a cluster.
    """
    import tensorflow as tf

    if device.kind == "CPU" and device.replicas != 1:
        raise NoDeviceError("on CPUs a worker is one replica: raise workers, not replicas")
    if "TF_CONFIG" not in os.environ:
        raise NoDeviceError("this process is no part of a cluster: TF_CONFIG is not set")
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    jobs = resolver.cluster_spec().as_dict()
    strategy = tf.distribute.MultiWorkerMirroredStrategy(resolver)
    devices = list(strategy.extended.worker_devices)
    return MultiWorker(
        strategy=strategy,
        replicas=strategy.num_replicas_in_sync,
        devices=devices,
        graphs_in_step=strategy.num_replicas_in_sync // len(devices),
        synchronous=device.kind == "CPU",
        task=f"{resolver.task_type}:{resolver.task_id}",
        addresses=(*jobs.get("chief", []), *jobs.get("worker", [])),
    )
