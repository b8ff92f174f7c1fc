"""Whether a device of `devices.toml` can run on this machine, and if not, why."""

from __future__ import annotations

from accelreport.backend.inventory import Inventory
from accelreport.backend.probe import Probe
from accelreport.spec.models import Device


def unavailable(device: Device, machine: Inventory, probe: Probe | None) -> str | None:
    """The reason why a device cannot run here, in a sentence; None when it can.

    Args:
        device: a row of the devices file.
        machine: this machine.
        probe: TensorFlow's answer; without it only what the system knows is used.
    """
    if device.threads is not None and device.threads > machine.threads:
        return f"needs {device.threads} threads; this machine has {machine.threads}"
    if probe is not None and probe.error:
        return probe.error
    if device.kind == "CPU":
        return None
    if device.kind == "TPU" and device.address:
        return None  # it is elsewhere: only the cell itself can find out
    found = len(machine.gpus) if probe is None and device.kind == "GPU" else 0
    found = probe.count(device.kind) if probe is not None else found
    if found >= device.replicas:
        return None
    if found:
        return f"needs {device.replicas} {device.kind}s; TensorFlow sees {found}"
    if device.kind == "GPU" and machine.gpus and probe is not None:
        names = ", ".join(gpu.name for gpu in machine.gpus)
        return f"the driver lists {names}, but TensorFlow sees no GPU: install accelreport[gpu]"
    return f"no {device.kind} on this machine"
