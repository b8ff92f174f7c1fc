"""Which devices TensorFlow can see, asked in a process of its own.

Importing TensorFlow takes seconds and a TPU's driver can hang or abort, so the answer comes
from a child process with a time limit.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Literal

from accelreport.results.plan_document import Document

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
if not any(device["kind"] == "TPU" for device in devices) and sys.argv[1] == "tpu":
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
    """Its kind."""
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


def probe(timeout_s: float = 30.0, *, tpu: bool = True) -> Probe:
    """Ask TensorFlow what it can use.

    Args:
        timeout_s: seconds after which the answer is "did not answer".
        tpu: whether to try to initialise a TPU where none is listed.
    """
    command = [sys.executable, "-c", PROGRAM, "tpu" if tpu else "-"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired:
        return Probe(error=f"TensorFlow did not list its devices within {timeout_s:g} s")
    if done.returncode != 0:
        if "No module named" in done.stderr:
            missing = done.stderr.strip().rsplit("No module named", 1)[-1].strip()
            return Probe(error=f"{missing} is not installed: pip install 'accelreport[cpu]'")
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return Probe(error=f"TensorFlow cannot be started: {last[0]}")
    return Probe.model_validate(json.loads(done.stdout))
