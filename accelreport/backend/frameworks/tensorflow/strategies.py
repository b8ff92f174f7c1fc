"""The `tf.distribute` strategies a device may name, each by one function.

Packages may add placements of their own: hardware that no strategy of TensorFlow's drives.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from accelreport.backend.distributed import supervisor
from accelreport.backend.failures import CompileError, NoDeviceError, WorkerLostError
from accelreport.backend.placement import Placement
from accelreport.machine.inventory import inventory
from accelreport.origin import install_command
from accelreport.plugins import PLACEMENTS, PluginError, Plugins
from accelreport.results.record import Host
from accelreport.spec.device import Device


def _configured() -> Any:
    """The resolver of the cluster that `TF_CONFIG` describes.

    Raises:
        NoDeviceError: this process is no part of one.
    """
    import tensorflow as tf

    if "TF_CONFIG" not in os.environ:
        raise NoDeviceError("this process is no part of a cluster: TF_CONFIG is not set")
    return tf.distribute.cluster_resolver.TFConfigClusterResolver()


def _first(device: Device) -> str:
    return f"/{device.kind}:0"


def default(device: Device) -> Placement:
    """No distribution: TensorFlow places operations on the first device it has."""
    import tensorflow as tf

    return Placement(tf.distribute.get_strategy(), 1, [_first(device)], device.kind == "CPU")


def one_device(device: Device) -> Placement:
    """Everything on one named device."""
    import tensorflow as tf

    name = _first(device)
    return Placement(tf.distribute.OneDeviceStrategy(name), 1, [name], device.kind == "CPU")


def mirrored(device: Device) -> Placement:
    """The model on every GPU, or on `replicas` logical CPUs of one machine."""
    import tensorflow as tf

    if device.kind == "CPU":
        cpu = tf.config.list_physical_devices("CPU")[0]
        logical = [tf.config.LogicalDeviceConfiguration() for _ in range(device.replicas)]
        tf.config.set_logical_device_configuration(cpu, logical)
    names = [f"/{device.kind}:{number}" for number in range(device.replicas)]
    strategy = tf.distribute.MirroredStrategy(names)
    return Placement(strategy, strategy.num_replicas_in_sync, names, device.kind == "CPU")


CARD_BYTES = 2048
"""Every worker describes itself in this many bytes: what is gathered must be of one size."""


@dataclass
class MultiWorker(Placement):
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
        return supervisor.cpu_s()

    def hosts(self, key: str) -> list[Host]:
        """See `Placement.hosts`.

        Raises:
            WorkerLostError: another worker measures another cell.
        """
        cards = [json.loads(card) for card in self._gathered(self._card(key))]
        hosts: dict[str, Host] = {}
        for card in cards:
            if card.pop("key") != key:
                raise WorkerLostError(f"{card['task']} on {card['host']} measures another cell")
            hosts.setdefault(card["task"], Host.model_validate(card))
        return list(hosts.values())

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
        raise NoDeviceError("on CPUs, a worker is one replica: raise workers, not replicas")
    resolver = _configured()
    jobs = resolver.cluster_spec().as_dict()
    strategy = tf.distribute.MultiWorkerMirroredStrategy(resolver)
    devices = list(strategy.extended.worker_devices)
    return MultiWorker(
        strategy=strategy,
        replicas=strategy.num_replicas_in_sync,
        devices=devices,
        synchronous=device.kind == "CPU",
        task=f"{resolver.task_type}:{resolver.task_id}",
        addresses=(*jobs.get("chief", []), *jobs.get("worker", [])),
    )


@dataclass(frozen=True)
class PlacementPlugin:
    """A package's placement.

    Attributes:
        name: what a device's `placement` says.
        place: (placement of the device's strategy, device) → the placement that is used.
    """

    name: str
    place: Callable[[Placement, Device], Placement]


def plugged(placement: Placement, device: Device) -> Placement:
    """The placement of the package that a device names, made from that of its strategy.

    Raises:
        PluginError: no package gives one of that name, or it does not work.
    """
    plugins = Plugins(PLACEMENTS, PlacementPlugin, "name", taken=())
    if device.placement in plugins.broken:
        raise plugins.broken[device.placement]
    if device.placement not in plugins.usable:
        raise PluginError(
            f"There is no placement {device.placement!r}.",
            why=f"The placements are: {', '.join(sorted(plugins.usable)) or 'none'}.",
            remedy="Install the package that adds it, or remove `placement` from the devices file.",
        )
    return plugins.usable[device.placement].place(placement, device)


CONNECT_LIMIT_S = 5.0
"""Seconds for a gRPC address to accept a connection; TensorFlow would try for minutes."""


def tpu(device: Device) -> Placement:
    """Find and initialise the TPU; one replica for each of its cores.

    Raises:
        NoDeviceError: there is none, nobody answers at its address, or it has another number
            of cores than the device's `replicas`.
    """
    # Asked for the machine's description, a host that is no cloud machine waits for an answer.
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    address = device.address or "local"
    check_reachable(address)
    import tensorflow as tf

    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=address)
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        raise NoDeviceError(f"no TPU at {address!r}: {_reason(error)}") from error
    strategy = tf.distribute.TPUStrategy(resolver)
    cores = int(strategy.num_replicas_in_sync)
    if device.replicas not in {1, cores}:
        raise NoDeviceError(f"the TPU at {address!r} has {cores} cores, not {device.replicas}")
    return Placement(
        strategy=strategy,
        replicas=cores,
        devices=list(strategy.extended.worker_devices),
        synchronous=False,
    )


def _reason(error: Exception) -> str:
    text = str(error).strip()
    if "No OpKernel was registered" in text:
        return f"this TensorFlow has no TPU support: {install_command('tpu')}"
    return text.splitlines()[0][:200]


def check_reachable(address: str) -> None:
    """Whether somebody answers at a gRPC address, in seconds instead of minutes.

    Raises:
        NoDeviceError: nobody does.
    """
    parts = urlsplit(address)
    if parts.scheme != "grpc" or parts.hostname is None:
        return  # a TPU of this host, or a name that only the resolver understands
    try:
        where = (parts.hostname, parts.port or 8470)
        socket.create_connection(where, timeout=CONNECT_LIMIT_S).close()
    except OSError as error:
        raise NoDeviceError(f"no server answers at {address}: {error}") from error


STRATEGIES: dict[str, Callable[[Device], Placement]] = {
    "default": default,
    "one_device": one_device,
    "mirrored": mirrored,
    "multi_worker_mirrored": multi_worker_mirrored,
    "tpu": tpu,
}
"""Strategies by the name a devices file gives them. TensorFlow is imported by the call."""


def place(device: Device) -> Placement:
    """Make the strategy a device names.

    Raises:
        CompileError: XLA was asked for where it cannot compile a step: over several replicas
            on CPUs it has no collectives.
        NoDeviceError: TensorFlow does not see the device.
        PluginError: the package's placement that the device names cannot be used.
    """
    if device.xla and device.kind == "CPU" and device.all_replicas > 1:
        raise CompileError(f"XLA cannot compile a step under {device.strategy} on {device.kind}s")
    placement = STRATEGIES[device.strategy](device)
    return plugged(placement, device) if device.placement else placement
