"""The strategies of one process: no distribution, one named device, a mirrored model."""

from __future__ import annotations

from accelreport.backend.strategies.placement import InGraph
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
