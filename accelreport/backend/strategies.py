"""The `tf.distribute` strategies a device may name, each made by one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accelreport.spec.models import Device

Placed = tuple[Any, list[str]]
"""A strategy and TensorFlow's names of its devices."""


def _first(device: Device) -> str:
    return f"/{device.kind}:0"


def default(device: Device) -> Placed:
    """No distribution: TensorFlow places operations on the first device it has."""
    import tensorflow as tf

    return tf.distribute.get_strategy(), [_first(device)]


def one_device(device: Device) -> Placed:
    """Everything on one named device."""
    import tensorflow as tf

    name = _first(device)
    return tf.distribute.OneDeviceStrategy(name), [name]


def mirrored(device: Device) -> Placed:
    """The model on every GPU, or on `replicas` logical CPUs of one machine."""
    import tensorflow as tf

    if device.kind == "CPU":
        cpu = tf.config.list_physical_devices("CPU")[0]
        logical = [tf.config.LogicalDeviceConfiguration() for _ in range(device.replicas)]
        tf.config.set_logical_device_configuration(cpu, logical)
    names = [f"/{device.kind}:{number}" for number in range(device.replicas)]
    return tf.distribute.MirroredStrategy(names), names


STRATEGIES: dict[str, Callable[[Device], Placed]] = {
    "default": default,
    "one_device": one_device,
    "mirrored": mirrored,
}
"""Strategies by the name a devices file gives them."""
