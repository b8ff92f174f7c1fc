"""A framework as a device of the devices file asks for it; set once in a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import framework_module
from accelreport.backend.placement import Placement
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW


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
    def counts_steps(self) -> bool:
        """Whether the optimizer's own count of steps can be relied upon.

        Under a parameter server workers add to it without waiting for each other.
        """
        return self.facts.get("strategy") != "parameter_server"

    @property
    def synchronous(self) -> bool:
        """Whether a time stamp inside a graph is true."""
        return self.placement.synchronous


def configure(device: Device) -> Runtime:
    """Set threads, visible devices, precision and strategy.

    Raises:
        NoDeviceError: the framework does not see the device.
    """
    if device.framework != TENSORFLOW:
        found: Runtime = framework_module(device.framework, "configure").configure(device)
        return found
    import keras
    import tensorflow as tf

    from accelreport.backend.frameworks.tensorflow.strategies import place

    if device.threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(device.threads)
        tf.config.threading.set_inter_op_parallelism_threads(device.threads)
    if device.kind == "GPU" and device.strategy != "parameter_server" and not device.placement:
        _prepare_gpus(tf, device)
    else:
        # A CPU row must not be helped by a GPU of the same machine, and a coordinator
        # computes nothing itself. A package's placement brings its own device.
        tf.config.set_visible_devices([], "GPU")
    keras.mixed_precision.set_global_policy(device.precision)
    placement = place(device)
    build = tf.sysconfig.get_build_info()
    facts = {
        "intra_op_threads": str(tf.config.threading.get_intra_op_parallelism_threads() or "all"),
        "inter_op_threads": str(tf.config.threading.get_inter_op_parallelism_threads() or "all"),
        "onednn": "on" if _onednn(tf) else "off",
        "cuda": str(build.get("cuda_version", "")),
        "cudnn": str(build.get("cudnn_version", "")),
        "xla": "on" if device.xla else "off",
        "device": device.kind,
        "precision": device.precision,
        "strategy": device.strategy,
        "placement": device.placement,
    }
    return Runtime(
        placement=placement,
        jit_compile=device.xla,
        facts={name: value for name, value in facts.items() if value},
    )


def _prepare_gpus(tf: Any, device: Device) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) < device.replicas:
        raise NoDeviceError(f"TensorFlow sees {len(gpus)} GPUs, {device.replicas} are needed")
    for gpu in gpus:
        # Memory is taken as it is needed: otherwise the peak would be the whole card.
        tf.config.experimental.set_memory_growth(gpu, enable=True)
    tf.config.set_visible_devices(gpus[: device.replicas], "GPU")
    tf.config.experimental.enable_tensor_float_32_execution(device.tf32)


def _onednn(tf: Any) -> bool:
    from tensorflow.python.util import _pywrap_util_port

    return bool(_pywrap_util_port.IsMklEnabled()) and tf is not None
