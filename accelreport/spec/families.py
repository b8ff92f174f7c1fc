"""What specs need to know of the families of workloads, which are in a room above.

It decides which workloads a framework other than TensorFlow can run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from accelreport.errors import AccelReportError
from accelreport.spec.device import FRAMEWORK_NAMES, ONE_DEVICE, ONE_PROCESS, Device
from accelreport.spec.parameters import TrainingParameters, WorkloadParameters, is_called

TENSORFLOW = "tensorflow"
"""The framework that runs every workload."""


@dataclass(frozen=True, kw_only=True)
class WorkloadKind:
    """A kind of workload, as far as a spec speaks of it.

    Attributes:
        kind: its name in a spec.
        title: what the report calls it.
        parameters: its typed parameters.
        shape: whether it trains a model, calls a kernel, or runs the step of a Python file.
        frameworks: what it can be computed in, by the names that devices give them; beyond
            TensorFlow that takes `numerics` in place of TensorFlow's own operations.
        recurrent: parameters (checked) → whether the model has recurrent layers.
        ignores: (parameters (checked), device) → a key of the device that would change nothing of
            the workload; None where all act.
    """

    kind: str
    title: str
    parameters: type[WorkloadParameters]
    shape: Literal["training", "kernel", "step"]
    frameworks: frozenset[str] = frozenset({TENSORFLOW})
    recurrent: Callable[[Any], bool] = lambda _: False
    ignores: Callable[[Any, Device], Ignored | None] = lambda *_: None


@dataclass(frozen=True)
class Families:
    """The families that a spec may name.

    Attributes:
        known: those that can be used, by kind.
        broken: why others cannot, by kind.
    """

    known: Mapping[str, WorkloadKind]
    broken: Mapping[str, AccelReportError]


@dataclass(frozen=True)
class Unsupported:
    """Why a workload cannot run in a framework.

    Attributes:
        parameter: the parameter that prevents it.
        why: a clause, with the framework as "it".
        remedy: what to write instead; empty when only another device helps.
    """

    parameter: str
    why: str
    remedy: str = ""


def unsupported(
    family: WorkloadKind, parameters: WorkloadParameters, device: Device
) -> Unsupported | None:
    """What a device's framework cannot do of a workload; None where it can do everything.

    Args:
        family: the workload's family.
        parameters: what the spec says of it.
        device: names the framework, and how its steps are run.
    """
    framework = device.framework
    if framework == TENSORFLOW:
        return None
    if framework not in family.frameworks:
        written = ", ".join(FRAMEWORK_NAMES[name] for name in sorted(family.frameworks))
        return Unsupported("kind", f"`{family.kind}` supports only {written}")
    if isinstance(parameters, TrainingParameters):
        if parameters.input == "pipeline":
            why = "pipelines use `tf.data`, which only TensorFlow has"
            return Unsupported("input", why, 'input = "resident"')
        if parameters.afterwards:
            why = f"`afterwards` ({', '.join(parameters.afterwards)}) needs TensorFlow"
            return Unsupported("afterwards", why, "afterwards = []")
    if device.torch_compile and family.recurrent(parameters):
        why = "`torch.compile` unrolls recurrent layers, which takes minutes"
        return Unsupported("kind", why, "torch_compile = false in the devices file")
    return None


@dataclass(frozen=True)
class Ignored:
    """A key that a device sets and that a workload does not act upon.

    Attributes:
        key: of the device.
        why: a clause.
        remedy: what to do instead of taking the device out; empty where nothing else helps.
    """

    key: str
    why: str
    remedy: str = ""


def ignored(family: WorkloadKind, parameters: WorkloadParameters, device: Device) -> Ignored | None:
    """A key of a device that would do nothing for a workload; None where all of them act.

    A figure of such a device would bear the name of something that was not measured.

    Args:
        family: the workload's family.
        parameters: what the spec says of it.
        device: what it is to run on.
    """
    strategy = device.strategy
    if family.shape == "step" and strategy not in ONE_DEVICE:
        return Ignored("strategy", "a step of your own runs on one device in one process")
    if is_called(parameters) and strategy not in ONE_PROCESS:
        return Ignored("strategy", "a model in inference is called by one process")
    return family.ignores(parameters, device)
