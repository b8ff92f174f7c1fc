"""The `tf.distribute` strategies a device may name, each made by one function."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.backend.device_errors import CompileError
from accelreport.backend.strategies import local, multi_worker, parameter_server, tpu
from accelreport.backend.strategies.placement import Placement
from accelreport.backend.strategies.plugged import plugged
from accelreport.spec.device import Device

STRATEGIES: dict[str, Callable[[Device], Placement]] = {
    "default": local.default,
    "one_device": local.one_device,
    "mirrored": local.mirrored,
    "multi_worker_mirrored": multi_worker.multi_worker_mirrored,
    "parameter_server": parameter_server.parameter_server,
    "tpu": tpu.tpu,
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
