"""Kernels that go wrong where a kernel can: while it is built, compiled or run."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from accelreport.workloads.base import Family, KernelProblem, WorkloadParameters

HUGE = 2**48
"""Floats that no machine has room for."""


class FailingParameters(WorkloadParameters):
    """What is to go wrong."""

    kind: Literal["failing"] = "failing"
    """Name of the family."""
    how: str
    """Name of a function of this module."""


def memory_limit() -> Callable[[], Any]:
    """The process may not grow by more than 1 GiB, and asks for 4 GiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + 2**30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    values = np.ones(2**29)
    return lambda: values.sum()


def no_tensorflow() -> Callable[[], Any]:
    """As where TensorFlow is not installed."""
    sys.modules["tensorflow"] = None  # type: ignore[assignment]
    import tensorflow as tf

    return lambda: tf.zeros([1])


def huge_tensor() -> Callable[[], Any]:
    """TensorFlow's allocator of host memory has no room."""
    import tensorflow as tf

    return lambda: tf.reduce_sum(tf.zeros([HUGE]))


def huge_tensor_of_a_gpu() -> Callable[[], Any]:
    """TensorFlow's own error of a real allocation, with the name its device has on a GPU."""
    import tensorflow as tf

    def call() -> Any:
        try:
            return tf.reduce_sum(tf.zeros([HUGE]))
        except tf.errors.ResourceExhaustedError as error:
            words = error.message.replace("CPU:0", "GPU:0").replace("cpu", "GPU_0_bfc")
            raise tf.errors.ResourceExhaustedError(error.node_def, error.op, words) from None

    return call


def constant_input() -> Callable[[], Any]:
    """It says what it reads, and that is nothing but zeros."""
    import tensorflow as tf

    return Reading((tf.zeros([64, 64]),))


@dataclass(frozen=True)
class Reading:
    """A sum of what it reads."""

    inputs: tuple[Any, ...]

    def __call__(self) -> Any:
        """The sum."""
        return self.inputs[0].numpy().sum()


def not_a_number() -> Callable[[], Any]:
    """0 / 0, computed."""
    import tensorflow as tf

    divided: Callable[[], Any] = tf.function(lambda: tf.zeros([]) / tf.zeros([]))
    return divided


def nothing_xla_can_compile() -> Callable[[], Any]:
    """XLA has no strings."""
    import tensorflow as tf

    def measure(text: Any) -> Any:
        return tf.cast(tf.strings.length(tf.strings.as_string(text)), tf.float32)

    compiled = tf.function(measure, jit_compile=True)
    return lambda: compiled(tf.constant(1.5))


def shapes_that_do_not_fit() -> Callable[[], Any]:
    """A bug of this package."""
    import tensorflow as tf

    return lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))


def sleep() -> Callable[[], Any]:
    """It never ends."""
    return lambda: time.sleep(600)


def crash() -> Callable[[], Any]:
    """As a library does that reads where nothing is."""
    return lambda: os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> Callable[[], Any]:
    """It ends without a word."""
    return lambda: os._exit(3)


def lose_a_worker() -> Callable[[], Any]:
    """The second process of a cluster dies."""
    if json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)
    return sleep()


def _problem(parameters: Any, _data: Any, _seed: int) -> KernelProblem:
    return KernelProblem(
        build=lambda _seed, _jit: globals()[parameters.how](),
        operations=1,
        flops=1.0,
        flops_method="one",
        fingerprint=lambda _seed: "0" * 64,
    )


FAMILY = Family(
    kind="failing",
    title="What goes wrong",
    parameters=FailingParameters,
    shape="kernel",
    data=lambda _parameters: None,
    problem=_problem,
)
