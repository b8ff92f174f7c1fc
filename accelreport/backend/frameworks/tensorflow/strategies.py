"""The `tf.distribute` strategies a device may name, each made by one function.

Packages may add placements of their own: hardware that no strategy of TensorFlow's drives.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from accelreport.backend.availability import OLD_COLAB_VARIABLE
from accelreport.backend.failures import CompileError, NoDeviceError
from accelreport.backend.frameworks.tensorflow import multi_worker, parameter_server
from accelreport.backend.placement import InGraph, Placement
from accelreport.origin import install_command
from accelreport.plugins import PLACEMENTS, PluginError, Plugins
from accelreport.spec.device import Device


def _first(device: Device) -> str:
    return f"/{device.kind}:0"


def default(device: Device) -> InGraph:
    """No distribution: TensorFlow places operations on the first device it has."""
    import tensorflow as tf

    return InGraph(tf.distribute.get_strategy(), 1, [_first(device)], device.kind == "CPU")


def one_device(device: Device) -> InGraph:
    """Everything on one named device."""
    import tensorflow as tf

    name = _first(device)
    return InGraph(tf.distribute.OneDeviceStrategy(name), 1, [name], device.kind == "CPU")


def mirrored(device: Device) -> InGraph:
    """The model on every GPU, or on `replicas` logical CPUs of one machine."""
    import tensorflow as tf

    if device.kind == "CPU":
        cpu = tf.config.list_physical_devices("CPU")[0]
        logical = [tf.config.LogicalDeviceConfiguration() for _ in range(device.replicas)]
        tf.config.set_logical_device_configuration(cpu, logical)
    names = [f"/{device.kind}:{number}" for number in range(device.replicas)]
    strategy = tf.distribute.MirroredStrategy(names)
    return InGraph(strategy, strategy.num_replicas_in_sync, names, device.kind == "CPU")


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
    if device.placement not in plugins.found:
        raise PluginError(
            f"There is no placement {device.placement!r} here.",
            why=f"Known are: {', '.join(sorted(plugins.found)) or 'none'}.",
            remedy="Install the package that adds it, or take `placement` out of the devices file.",
        )
    return plugins.found[device.placement].place(placement, device)


LOCAL = "local"
"""TensorFlow's name for a TPU of this host (a TPU VM)."""

CONNECT_LIMIT_S = 5.0
"""Seconds for a gRPC address to accept a connection; TensorFlow would try for minutes."""


def address_of(device: Device) -> str:
    """What the resolver is asked for: the device's address, an old host's, or `local`."""
    if device.address:
        return device.address
    beside = os.environ.get(OLD_COLAB_VARIABLE, "")
    return f"grpc://{beside.removeprefix('grpc://')}" if beside else LOCAL


def tpu(device: Device) -> InGraph:
    """Find and initialise the TPU; one replica for each of its cores.

    Raises:
        NoDeviceError: there is none, nobody answers at its address, or it has another number
            of cores than the device's `replicas`.
    """
    # Asked for the machine's description, a host that is no cloud machine waits for an answer.
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    address = address_of(device)
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
    return InGraph(
        strategy=strategy,
        replicas=cores,
        devices=list(strategy.extended.worker_devices),
        synchronous=False,
        graphs_in_step=cores,  # a step is traced once for all of them
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
        raise NoDeviceError(f"nobody answers at {address}: {error}") from error


STRATEGIES: dict[str, Callable[[Device], Placement]] = {
    "default": default,
    "one_device": one_device,
    "mirrored": mirrored,
    "multi_worker_mirrored": multi_worker.multi_worker_mirrored,
    "parameter_server": parameter_server.parameter_server,
    "tpu": tpu,
}
"""Strategies by the name a devices file gives them. TensorFlow is imported by the call."""


def place(device: Device) -> Placement:
    """Make the strategy a device names.

    Raises:
        CompileError: XLA was asked for where it cannot compile a step: over several replicas
            on CPUs it has no collectives, and it reads no weights of another process.
        NoDeviceError: TensorFlow does not see the device.
        PluginError: the package's placement that the device names cannot be used.
    """
    on_cpus = device.kind == "CPU" and device.replicas * device.workers > 1
    if device.xla and (on_cpus or device.strategy == "parameter_server"):
        raise CompileError(f"XLA cannot compile a step under {device.strategy} on {device.kind}s")
    placement = STRATEGIES[device.strategy](device)
    return plugged(placement, device) if device.placement else placement
