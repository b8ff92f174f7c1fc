"""The framework that a cell's process runs Keras on: chosen, then configured, once in a process.

Each framework has a module with functions of the same names (see `framework_module`). None of
them is imported before its framework was chosen for the process.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.abc
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelreport.errors import AccelReportError, ExitCode
from accelreport.origin import install_command
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.spec.families import TENSORFLOW, ignored, unsupported
from accelreport.spec.parameters import WorkloadParameters
from accelreport.workloads.base import Family

if TYPE_CHECKING:
    from accelreport.backend.placement import Placement


def framework_module(framework: str) -> Any:
    """The module of a framework, by the name that a device gives it.

    It has `configure` (device → `Runtime`), `ENGINE` (a class of `Engine`), `operation_kinds` (the
    names of a step's operations), and `compiled`, `everything_done` and `can_wait` for
    `checks.windows`.
    """
    module = "tensorflow.engine" if framework == TENSORFLOW else framework
    return importlib.import_module(f"{__name__}.{module}")


@dataclass(frozen=True)
class Runtime:
    """A configured framework.

    Attributes:
        placement: where the model lies and how its graphs are run there.
        jit_compile: whether steps are compiled, by XLA or by `torch.compile`.
        facts: what the framework resolved, for the record.
        framework: as a device names it.
        loops_in_program: whether a window of steps is one call on the device; else each step
            is one, and the host dispatches them.
    """

    placement: Placement
    jit_compile: bool
    facts: dict[str, str]
    framework: str = TENSORFLOW
    loops_in_program: bool = True

    @property
    def strategy(self) -> Any:
        """The `tf.distribute` strategy."""
        return self.placement.strategy

    @property
    def replicas(self) -> int:
        """Replicas in sync, over all workers."""
        return self.placement.replicas

    @property
    def devices(self) -> list[str]:
        """TensorFlow's names of the devices that compute."""
        return self.placement.devices

    @property
    def synchronous(self) -> bool:
        """Whether a time stamp inside a graph is true."""
        return self.placement.synchronous


def configure(device: Device) -> Runtime:
    """Set threads, visible devices, precision and strategy.

    Raises:
        NoDeviceError: the framework does not see the device.
    """
    runtime: Runtime = framework_module(device.framework).configure(device)
    return runtime


EXTRAS = {"tensorflow": "cpu", "jax": "jax", "torch": "torch"}
"""The extra of this package that installs each framework, its build for CPUs where there is one."""

MORE = {
    "tensorflow": " (or [gpu], [tpu])",
    "jax": " (docs/frameworks.md: GPU and TPU)",
    "torch": " (docs/frameworks.md: CPU alone)",
}
"""What else there is to be installed."""

NEVER_USED = ("sklearn", "matplotlib")
"""What Keras imports wherever it is installed, for wrappers and pictures that no cell asks for; it
takes as long as Keras itself, and scikit-learn sets variables of the process (`KMP_…`)."""

KERAS_BACKEND = "KERAS_BACKEND"
"""The variable by which Keras chooses; it goes before a person's `keras.json`."""

TORCH_DEVICE = "KERAS_TORCH_DEVICE"
"""The variable by which Keras on PyTorch chooses its device, read when Keras is imported."""

TORCH_DEVICES = {"CPU": "cpu", "GPU": "cuda"}
"""PyTorch's name of the device of each kind, in the words that Keras looks for."""


class FrameworkMissingError(AccelReportError):
    """The device's framework cannot be used in this process."""

    kind = "no-framework"


class FrameworkUnsupportedError(AccelReportError):
    """A workload that the device's framework cannot run."""

    exit_code = ExitCode.BAD_SPEC


class Absent(importlib.abc.MetaPathFinder):
    """Stands before all finders of modules and finds some packages nowhere, as if not installed.

    A None in `sys.modules` would do that, too; but others take the name there for the package
    itself: Keras' preprocessing layers, such as Rescaling, for a TensorFlow that traces them, and
    SciPy's statistics, which Keras imports where scikit-learn is installed, for PyTorch and JAX.
    """

    def __init__(self, *names: str) -> None:
        self.names = names
        self.finders = sys.meta_path[:]
        sys.meta_path[:] = [self]

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder.find_spec`."""
        if fullname in self.names:
            return None
        specs = (finder.find_spec(fullname, path, target) for finder in self.finders)
        return next((spec for spec in specs if spec is not None), None)

    def find_distributions(self, *context: Any) -> Iterator[Any]:
        """See `importlib.metadata.DistributionFinder.find_distributions`."""
        for finder in self.finders:
            yield from getattr(finder, "find_distributions", lambda *_: ())(*context)

    def invalidate_caches(self) -> None:
        """See `importlib.abc.MetaPathFinder.invalidate_caches`."""
        for finder in self.finders:
            getattr(finder, "invalidate_caches", lambda: None)()

    def leave(self) -> None:
        """Give its place back to the finders behind it; those that came in between stay."""
        place = sys.meta_path.index(self)
        sys.meta_path[place : place + 1] = self.finders


def choose(framework: str, kind: str = "CPU") -> None:
    """Have Keras run on a framework, and on no other one whatever happens.

    Without this a process whose framework is missing, or was not asked for, would measure
    another one under its name.

    Args:
        framework: as a device names it.
        kind: of the device, `CPU`, `GPU` or `TPU`.

    Raises:
        FrameworkMissingError: it is not installed, or this process runs Keras on another one.
    """
    if missing := absent(framework):
        raise FrameworkMissingError(missing, remedy=remedy(framework))
    if "keras" not in sys.modules:
        os.environ[KERAS_BACKEND] = framework
        os.environ[TORCH_DEVICE] = TORCH_DEVICES.get(kind, "cpu")
        if framework != TENSORFLOW:
            # Keras imports TensorFlow for its random seed wherever it finds it; this process
            # shall not, and a computation that strays there shall fail.
            Absent(TENSORFLOW)
    with importing(framework):
        import keras

    # A person's keras.json may say otherwise, and the record would not.
    keras.config.set_floatx("float32")
    keras.config.set_image_data_format("channels_last")
    if keras.backend.backend() != framework:
        raise FrameworkMissingError(
            f"this process runs Keras on {keras.backend.backend()}, not on {framework}",
            remedy="Start a separate process for the cell.",
        )


@contextlib.contextmanager
def importing(framework: str) -> Iterator[None]:
    """Have no other framework be found while one is imported, and have no garbage looked for.

    TensorFlow imports JAX where it finds it, which a cell would wait for and never use, as it would
    for `NEVER_USED`; a program of one's own that imports one of these later finds it. Python
    would look through half a million new objects again and again, which is a sixth of the import,
    and later in the middle of what is timed; they stay, and the collector leaves them alone.

    Args:
        framework: as a device names it.
    """
    others = Absent(*({*EXTRAS, *NEVER_USED} - {framework, *sys.modules}))
    there, collects = "keras" in sys.modules, gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not there:
            gc.freeze()
        if collects:
            gc.enable()
        others.leave()


def installed() -> tuple[str, ...]:
    """The frameworks that have all they need here: TensorFlow, then JAX, then PyTorch."""
    return tuple(framework for framework in FRAMEWORK_NAMES if not absent(framework))


def absent(framework: str) -> str:
    """Which package a framework lacks here, in a sentence; empty when it has all."""
    for package in (framework, "keras"):
        if importlib.util.find_spec(package) is None:
            return f"{FRAMEWORK_NAMES.get(package, 'Keras')} is not installed"
    return ""


def remedy(framework: str) -> str:
    """How a framework is installed."""
    return f"{install_command(EXTRAS[framework])}{MORE[framework]}"


def no_compiler(device: Device) -> str:
    """What `torch.compile` lacks here for a device that asks for it, in a sentence; or nothing."""
    if not device.torch_compile:
        return ""
    if device.kind == "GPU":
        has_triton = importlib.util.find_spec("triton") is not None
        return "" if has_triton else "torch.compile needs Triton on a GPU: pip install triton"
    usual = "clang++" if sys.platform == "darwin" else "g++"
    name = os.environ.get("CXX", usual)
    if shutil.which(name) is None:
        return f"torch.compile needs a C++ compiler, and {name} is missing: install it, or set CXX"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "torch.compile needs Python's headers (Debian and Ubuntu: python3-dev)"
    return ""


def require_support(family: Family, parameters: WorkloadParameters, device: Device) -> None:
    """See that a workload does all that a device asks for; `accelreport check` says it earlier.

    Raises:
        FrameworkUnsupportedError: its framework cannot run it, or a key would do nothing.
    """
    refused = unsupported(family, parameters, device)
    if refused is not None:
        raise FrameworkUnsupportedError(
            f"{device.framework_name} cannot run this: {refused.why}",
            remedy=refused.remedy or "Remove this device from the spec.",
        )
    idle = ignored(family, parameters, device)
    if idle is not None:
        raise FrameworkUnsupportedError(
            f"the device sets `{idle.key}`, and {idle.why}",
            remedy=idle.remedy or "Take this device out of the spec.",
        )
