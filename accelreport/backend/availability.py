"""Whether a device of `devices.toml` can run on this machine, and if not, why."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from accelreport.backend.cluster.tasks import NEEDS_CLUSTER, started_elsewhere
from accelreport.backend.frameworks import absent, no_compiler, remedy
from accelreport.backend.inventory import Inventory
from accelreport.backend.probe import Probe
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW

OLD_COLAB_VARIABLE = "COLAB_TPU_ADDR"
"""Holds the address of the TPU on Colab's hosts of the first generation."""

TPU_VARIABLES = ("TPU_NAME", OLD_COLAB_VARIABLE, "TPU_ACCELERATOR_TYPE")
"""Environment variables by which the hosts of a TPU announce it."""


def hints_of_tpu() -> bool:
    """Whether anything here looks like a TPU: its device files or its variables."""
    device_files = [*Path("/dev").glob("accel[0-9]*"), *Path("/dev/vfio").glob("[0-9]*")]
    return bool(device_files) or any(os.environ.get(name) for name in TPU_VARIABLES)


def needs_probe(devices: Iterable[Device], machine: Inventory) -> bool:
    """Whether TensorFlow must be asked: it takes seconds, and is in vain where nothing is."""
    kinds = {
        device.kind for device in devices if not device.address and device.framework == TENSORFLOW
    }
    return ("GPU" in kinds and bool(machine.gpus)) or ("TPU" in kinds and hints_of_tpu())


def unavailable(device: Device, machine: Inventory, probe: Probe | None) -> str | None:
    """The reason why a device cannot run here, in a sentence; None when it can.

    Args:
        device: a row of the devices file.
        machine: this machine.
        probe: TensorFlow's answer; without it only what the system knows is used.
    """
    if why := _unfit(device, machine):
        return why
    if device.kind == "CPU":
        return None
    if device.kind == "TPU" and (device.address or os.environ.get(OLD_COLAB_VARIABLE)):
        return None  # it is elsewhere: only the cell itself can find out
    if probe is None or device.framework != TENSORFLOW:
        # What TensorFlow sees says nothing of another framework, which the cell itself asks.
        return _by_system(device, machine) or no_compiler(device) or None
    if probe.error:
        return probe.error
    found, needed = probe.count(device.kind), needed_here(device)
    if found >= needed:
        return None
    if found:
        return f"needs {needed} {device.kind}s; TensorFlow sees {found}"
    if device.kind == "GPU" and machine.gpus:
        names = ", ".join(gpu.name for gpu in machine.gpus)
        return f"the driver lists {names}, but TensorFlow sees no GPU: install accelreport[gpu]"
    return f"TensorFlow sees no {device.kind}"


def _unfit(device: Device, machine: Inventory) -> str | None:
    """Why a device of any kind cannot run here."""
    if missing := absent(device.framework):
        return f"{missing}: {remedy(device.framework)}"
    if device.kind == "CPU" and (lacking := no_compiler(device)):
        return lacking
    if device.spread and not started_elsewhere():
        return NEEDS_CLUSTER
    if device.threads is not None and device.threads > machine.threads:
        return f"needs {device.threads} threads; this machine has {machine.threads}"
    return None


def needed_here(device: Device) -> int:
    """Accelerators a device needs on this machine: those of all its workers here."""
    several = device.strategy in {"multi_worker_mirrored", "parameter_server"}
    apart = device.spread or started_elsewhere()
    workers = device.workers if several and not apart else 1
    return device.replicas * workers


def _by_system(device: Device, machine: Inventory) -> str | None:
    if device.kind == "GPU" and not machine.gpus:
        return "no GPU on this machine (no driver lists one)"
    if device.kind == "TPU" and not hints_of_tpu():
        return "no TPU on this machine (no device file, no TPU variable)"
    return None
