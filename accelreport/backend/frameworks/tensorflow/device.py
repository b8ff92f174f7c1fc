"""TensorFlow as a device of the devices file asks for it; set once in a process."""

from __future__ import annotations

from collections.abc import Hashable

import keras
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.util import _pywrap_util_port

from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import Runtime
from accelreport.backend.frameworks.tensorflow.strategies import place
from accelreport.spec.device import Device


def configure(device: Device) -> Runtime:
    """Set threads, visible devices, precision and strategy.

    Raises:
        NoDeviceError: TensorFlow does not see the device.
    """
    if device.threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(device.threads)
        tf.config.threading.set_inter_op_parallelism_threads(device.threads)
    if device.kind == "GPU" and device.strategy != "parameter_server" and not device.placement:
        _prepare_gpus(device)
    else:
        # A CPU row must not be helped by a GPU of the same machine, and a coordinator
        # computes nothing itself. A package's placement brings its own device.
        tf.config.set_visible_devices([], "GPU")
    tf.config.run_functions_eagerly(device.eager)
    keras.mixed_precision.set_global_policy(device.precision)
    placement = place(device)
    build = tf.sysconfig.get_build_info()
    facts = {
        "intra_op_threads": str(tf.config.threading.get_intra_op_parallelism_threads() or "all"),
        "inter_op_threads": str(tf.config.threading.get_inter_op_parallelism_threads() or "all"),
        "onednn": "on" if _onednn() else "off",
        "cuda": str(build.get("cuda_version", "")),
        "cudnn": str(build.get("cudnn_version", "")),
        "xla": "on" if device.xla else "off",
        "steps": "operations, called one by one" if device.eager else "",
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


def _prepare_gpus(device: Device) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    if len(gpus) < device.replicas:
        raise NoDeviceError(f"TensorFlow sees {len(gpus)} GPUs, {device.replicas} are needed")
    for gpu in gpus:
        # Memory is taken as it is needed: otherwise the peak would be the whole card.
        tf.config.experimental.set_memory_growth(gpu, enable=True)
    tf.config.set_visible_devices(gpus[: device.replicas], "GPU")
    tf.config.experimental.enable_tensor_float_32_execution(device.tf32)


def _onednn() -> bool:
    return bool(_pywrap_util_port.IsMklEnabled())


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.windows.compiled`: names of the functions it has traced."""
    # Of what runs eagerly each operation has such a name of its own, of which nothing was traced.
    names = context.context().list_function_names()
    return frozenset(name for name in names if not name.startswith("__wrapped__"))


def everything_done() -> None:
    """Wait until every device of this process has done all it was given."""
    tf.test.experimental.sync_devices()


def can_wait() -> bool:
    """Whether `everything_done` can wait: not where this is one worker of several."""
    try:
        everything_done()
    except tf.errors.InternalError:
        return False
    return True
