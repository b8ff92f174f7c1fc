"""The framework that a cell's process runs Keras on; chosen once, before Keras is imported."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from typing import Any

from accelreport.errors import AccelReportError
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.workloads.base import Family
from accelreport.workloads.frameworks import TENSORFLOW, unsupported

EXTRAS = {"tensorflow": "cpu", "jax": "jax"}
"""The extra of this package that installs each framework's build for CPUs."""

KERAS_BACKEND = "KERAS_BACKEND"
"""The variable by which Keras chooses; it goes before a person's `keras.json`."""


class FrameworkMissingError(AccelReportError):
    """The device's framework cannot be used in this process."""

    kind = "no-device"


class FrameworkUnsupportedError(AccelReportError):
    """A workload that the device's framework cannot run."""

    kind = "harness-error"


def choose(framework: str) -> None:
    """Have Keras run on a framework, and on no other one whatever happens.

    Without this a process whose framework is missing, or was not asked for, would measure
    another one under its name.

    Args:
        framework: as a device names it.

    Raises:
        FrameworkMissingError: it is not installed, or this process runs Keras on another one.
    """
    if missing := absent(framework):
        raise FrameworkMissingError(missing, remedy=remedy(framework))
    if "keras" not in sys.modules:
        os.environ[KERAS_BACKEND] = framework
        if framework != TENSORFLOW:
            # Keras imports TensorFlow for its random seed wherever it finds it; this process
            # shall not, and a computation that strays there shall fail.
            sys.modules["tensorflow"] = None  # type: ignore[assignment]
    import keras

    if keras.backend.backend() != framework:
        raise FrameworkMissingError(
            f"this process runs Keras on {keras.backend.backend()}, not on {framework}",
            remedy="Start a process of its own for the cell.",
        )


def absent(framework: str) -> str:
    """Which package a framework lacks here, in a sentence; empty when it has all."""
    for package in (framework, "keras"):
        if importlib.util.find_spec(package) is None:
            return f"{FRAMEWORK_NAMES.get(package, 'Keras')} is not installed"
    return ""


def remedy(framework: str) -> str:
    """How a framework is installed."""
    more = {"tensorflow": " (or [gpu], [tpu])", "jax": " (docs/frameworks.md: GPU and TPU)"}
    return f"pip install 'accelreport[{EXTRAS[framework]}]'{more[framework]}"


def require_support(family: Family, workload: Mapping[str, Any], device: Device) -> None:
    """See that a device's framework can run a workload; `accelreport check` says it earlier.

    Raises:
        FrameworkUnsupportedError: it cannot.
    """
    found = unsupported(family, workload, device.framework)
    if found is not None:
        raise FrameworkUnsupportedError(
            f"{device.framework_name} cannot run this: {found.why}",
            remedy=found.remedy or "Take this device out of the spec.",
        )
