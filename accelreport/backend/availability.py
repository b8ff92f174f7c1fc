"""Whether a device of `devices.toml` can run on this machine, and if not, why.

Importing a framework takes seconds and a TPU's driver can hang or abort, so the answer comes
from a child process with a time limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from accelreport.backend.distributed.tasks import NEEDS_CLUSTER, started_elsewhere
from accelreport.backend.frameworks import absent, no_compiler, remedy
from accelreport.machine.inventory import Inventory
from accelreport.origin import install_command
from accelreport.results.plan_document import Document
from accelreport.results.record import Failure
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.spec.families import TENSORFLOW

PROGRAM = """
import json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a framework prints must not mix with the answer
os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
devices = []
{}
json.dump({{"devices": devices, "versions": versions}}, answer)
"""

QUESTIONS = {
    "tensorflow": """
os.environ["KERAS_BACKEND"] = "tensorflow"
from accelreport.backend.frameworks import importing
with importing("tensorflow"):
    import tensorflow as tf
    import keras
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
versions = {"tensorflow": tf.__version__, "keras": keras.__version__}
""",
    "jax": """
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
os.environ.pop("JAX_PLATFORMS", None)  # a cell chooses its own
import jax
for kind in ("CPU", "GPU", "TPU"):
    try:
        devices += [{"kind": kind, "name": str(d),
                     "description": d.device_kind if kind != "CPU" else ""}
                    for d in jax.devices(kind.lower())]
    except RuntimeError as error:
        print(error, file=sys.stderr)
versions = {"jax": jax.__version__}
""",
    "torch": """
import torch
devices.append({"kind": "CPU", "name": "cpu", "description": ""})
for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
    devices.append({"kind": "GPU", "name": f"cuda:{number}",
                    "description": torch.cuda.get_device_name(number)})
versions = {"torch": torch.__version__}
""",
}
"""Framework → how it is asked for its devices."""


class ProbedDevice(Document):
    """One device that a framework can use."""

    kind: Literal["CPU", "GPU", "TPU"]
    name: str
    """The framework's name for it."""
    description: str = ""
    """Its model, where the framework knows it."""


class Probe(Document):
    """A framework's answer."""

    devices: list[ProbedDevice] = []
    """What it can use."""
    versions: dict[str, str] = {}
    """Its version, and that of Keras where it is known."""
    error: str = ""
    """Why there is no answer: it is not installed, or it did not answer in time."""

    def count(self, kind: str) -> int:
        """How many devices of a kind there are."""
        return sum(device.kind == kind for device in self.devices)


ANSWERED_WITHIN_S = 60.0
"""A framework is imported and has looked for devices within this, or a driver hangs. PyTorch took
up to 12 s beside an H200, from a disk that had been read before."""


def probe(framework: str = TENSORFLOW) -> Probe:
    """Ask a framework what it can use; a TPU that TensorFlow does not list is looked for."""
    name = FRAMEWORK_NAMES[framework]
    if missing := absent(framework):
        return Probe(error=f"{missing}: {remedy(framework)}")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM.format(QUESTIONS[framework])],
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWERED_WITHIN_S,
        )
    except subprocess.TimeoutExpired:
        return Probe(error=f"{name} did not list its devices within {ANSWERED_WITHIN_S:g} s")
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return Probe(error=f"{name} cannot start: {last[0]}")
    return Probe.model_validate(json.loads(done.stdout))


TPU_VARIABLES = ("TPU_NAME", "TPU_ACCELERATOR_TYPE")
"""Environment variables by which the hosts of a TPU announce it."""


def hints_of_tpu() -> bool:
    """Whether anything here looks like a TPU: its device files or its variables."""
    device_files = [*Path("/dev").glob("accel[0-9]*"), *Path("/dev/vfio").glob("[0-9]*")]
    return bool(device_files) or any(os.environ.get(name) for name in TPU_VARIABLES)


def to_ask(devices: Iterable[Device], machine: Inventory) -> list[str]:
    """The frameworks that must be asked: it takes seconds, and is in vain where nothing is."""
    hardware = {"GPU": bool(machine.gpus), "TPU": hints_of_tpu()}
    named = {
        device.framework for device in devices if hardware.get(device.kind) and not device.address
    }
    return [name for name in FRAMEWORK_NAMES if name in named and not absent(name)]


ELSEWHERE = "Run the same command where it can run, then merge the results."
"""The remedy of a device that is not here."""


def unavailable(
    device: Device, machine: Inventory, probes: Mapping[str, Probe] = {}
) -> Failure | None:
    """Why a device cannot run here: its framework is not installed, or it is not present.

    Args:
        device: a row of the devices file.
        machine: this machine.
        probes: the frameworks' answers; without that of the device's framework, only what the
            system knows is used.

    Returns:
        None when it can.
    """
    probe = probes.get(device.framework)
    if why := _not_here(device, machine, probe):
        return no_device(why)
    if missing := absent(device.framework):
        return Failure(kind="no-framework", message=missing, remedy=remedy(device.framework))
    why = _unfit(device, machine) or (_not_seen(device, machine, probe) if probe else "")
    return no_device(why) if why else None


def no_device(reason: str) -> Failure:
    """Why a cell cannot run here whose device is absent."""
    return Failure(kind="no-device", message=reason, remedy=ELSEWHERE)


def _not_here(device: Device, machine: Inventory, probe: Probe | None) -> str:
    """Why an accelerator is not here, as the system says and its framework does not deny."""
    # Only its cell can find a TPU at an address.
    if device.address or (probe and probe.count(device.kind)):
        return ""
    if device.kind == "GPU" and not machine.gpus:
        return "no GPU on this machine (NVIDIA’s driver lists none)"
    if device.kind == "TPU" and not hints_of_tpu():
        return "no TPU on this machine (no device file, no TPU variable)"
    return ""


def _unfit(device: Device, machine: Inventory) -> str:
    """Why a device of any kind cannot run here."""
    if lacking := no_compiler(device):
        return lacking
    if device.spread and not started_elsewhere():
        return NEEDS_CLUSTER
    if device.threads is not None and device.threads > machine.threads:
        return f"needs {device.threads} threads; this machine has {machine.threads}"
    return ""


def _not_seen(device: Device, machine: Inventory, probe: Probe) -> str:
    """Why a framework cannot use an accelerator that is here."""
    if device.kind == "CPU" or device.address:
        return ""
    if probe.error:
        return probe.error
    name, present, needed = device.framework_name, probe.count(device.kind), needed_here(device)
    if present >= needed:
        return ""
    if present:
        return f"needs {needed} {device.kind}s; {name} sees {present}"
    if device.kind == "GPU":
        names = ", ".join(gpu.name for gpu in machine.gpus)
        if (shown := os.environ.get("CUDA_VISIBLE_DEVICES")) in {"", "-1"}:
            return f"CUDA_VISIBLE_DEVICES={shown} hides {names} from {name}"
        tensorflow = device.framework == TENSORFLOW
        build = install_command("gpu") if tensorflow else remedy(device.framework)
        return f"the driver lists {names}, but {name} sees no GPU: {build}"
    return f"{name} sees no {device.kind}"


def needed_here(device: Device) -> int:
    """Accelerators a device needs on this machine: those of all its workers here."""
    several = device.strategy == "multi_worker_mirrored"
    apart = device.spread or started_elsewhere()
    workers = device.workers if several and not apart else 1
    return device.replicas * workers
