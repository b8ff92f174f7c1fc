"""Whether a device of `devices.toml` can run on this machine, and if not, why.

Importing TensorFlow takes seconds and a TPU's driver can hang or abort, so the answer comes
from a child process with a time limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from accelreport.backend.distributed.tasks import NEEDS_CLUSTER, started_elsewhere
from accelreport.backend.frameworks import absent, no_compiler, remedy
from accelreport.machine.inventory import Inventory
from accelreport.origin import install_command
from accelreport.results.plan_document import Document
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW

PROGRAM = """
import json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever TensorFlow prints must not mix with the answer
os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
os.environ["KERAS_BACKEND"] = "tensorflow"
sys.modules["jax"] = None  # TensorFlow would import it, and take longer
import tensorflow as tf
import keras
devices = []
for kind in ("CPU", "GPU", "TPU"):
    for device in tf.config.list_physical_devices(kind):
        details = tf.config.experimental.get_device_details(device) if kind == "GPU" else {}
        devices.append({"kind": kind, "name": device.name,
                        "description": str(details.get("device_name", ""))})
if not any(device["kind"] == "TPU" for device in devices):
    try:
        resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="local")
        tf.config.experimental_connect_to_cluster(resolver)
        tf.tpu.experimental.initialize_tpu_system(resolver)
        devices += [{"kind": "TPU", "name": d.name, "description": ""}
                    for d in tf.config.list_logical_devices("TPU")]
    except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError, ValueError) as error:
        print(error, file=sys.stderr)
json.dump({"devices": devices,
           "versions": {"tensorflow": tf.__version__, "keras": keras.__version__}}, answer)
"""


class ProbedDevice(Document):
    """One device TensorFlow can use."""

    kind: Literal["CPU", "GPU", "TPU"]
    name: str
    """TensorFlow's name for it."""
    description: str = ""
    """Its model, where TensorFlow knows it."""


class Probe(Document):
    """TensorFlow's answer."""

    devices: list[ProbedDevice] = []
    """What it can use."""
    versions: dict[str, str] = {}
    """Versions of TensorFlow and Keras."""
    error: str = ""
    """Why there is no answer: TensorFlow is not installed, or it did not answer in time."""

    def count(self, kind: str) -> int:
        """How many devices of a kind there are."""
        return sum(device.kind == kind for device in self.devices)


ANSWERED_WITHIN_S = 30.0
"""TensorFlow is imported and has looked for devices within this, or a driver hangs."""


def probe() -> Probe:
    """Ask TensorFlow what it can use; a TPU that it does not list is looked for."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM],
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWERED_WITHIN_S,
        )
    except subprocess.TimeoutExpired:
        return Probe(error=f"TensorFlow did not list its devices within {ANSWERED_WITHIN_S:g} s")
    if done.returncode != 0:
        if "No module named" in done.stderr:
            missing = done.stderr.strip().rsplit("No module named", 1)[-1].strip()
            return Probe(error=f"{missing} is not installed: {install_command('cpu')}")
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return Probe(error=f"TensorFlow cannot start: {last[0]}")
    return Probe.model_validate(json.loads(done.stdout))


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
    present, needed = probe.count(device.kind), needed_here(device)
    if present >= needed:
        return None
    if present:
        return f"needs {needed} {device.kind}s; TensorFlow sees {present}"
    if device.kind == "GPU" and machine.gpus:
        names = ", ".join(gpu.name for gpu in machine.gpus)
        return f"the driver lists {names}, but TensorFlow sees no GPU: {install_command('gpu')}"
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
