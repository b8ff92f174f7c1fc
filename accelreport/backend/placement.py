"""Where a model lies, where its data lie, and how its graphs are run there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.machine.clocks import Clock, cpu_clock, gpu_clock
from accelreport.results.record import Host
from accelreport.workloads.base import TrainingProblem


def batches(problem: TrainingProblem, order: NDArray[np.int32]) -> Any:
    """A `tf.data.Dataset` of (inputs, targets), one element a batch.

    Args:
        problem: gives the arrays, which stay in the host's memory, and `take`.
        order: indices of every batch, shape [steps, batch].
    """
    import tensorflow as tf

    with tf.device("/CPU:0"):
        arrays = {name: tf.constant(array) for name, array in problem.resident.items()}
    return (
        tf.data.Dataset.from_tensor_slices(order)
        .map(lambda indices: problem.take(arrays, indices), num_parallel_calls=tf.data.AUTOTUNE)
        .repeat()  # endless: nothing has to look for its end before every step
        .prefetch(tf.data.AUTOTUNE)
    )


@dataclass
class Placement:
    """What the timed loop must know of a strategy; the loop itself is the same for all.

    All replicas run the same step at the same time, driven by a loop inside one graph.

    Attributes:
        strategy: the `tf.distribute` strategy.
        replicas: replicas in sync, over all workers.
        devices: TensorFlow's names of the devices that compute.
        synchronous: whether an operation has ended when the next one begins on the host, so
            that a time stamp inside the graph is true (CPUs only).
    """

    strategy: Any
    replicas: int
    devices: list[str]
    synchronous: bool

    def hosts(self, key: str) -> list[Host]:  # noqa: ARG002 - a contract
        """The processes of the cell, the chief first; none when there is only this one.

        Args:
            key: of the cell, to find out that all processes measure the same one.
        """
        return []

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """Arrays copied to every replica's device, in the dtype in which they are stored."""
        import tensorflow as tf

        if self.replicas == 1:
            with tf.device(self.devices[0]):
                return {name: tf.constant(array) for name, array in arrays.items()}

        def copy(array: NDArray[Any]) -> Any:
            def to_replica(context: Any) -> Any:
                # Over several workers the number is global, and the devices are ours.
                here = context.replica_id_in_sync_group % len(self.devices)
                with tf.device(self.devices[here]):
                    return tf.constant(array)

            return self.strategy.experimental_distribute_values_from_function(to_replica)

        return {name: copy(array) for name, array in arrays.items()}

    def batches(self, problem: TrainingProblem, order: NDArray[Any]) -> Any:
        """An endless iterator of (inputs, targets) through `tf.data`.

        Args:
            problem: gives the arrays and `take`.
            order: indices of every batch, shape [steps, batch]; each replica reads its own
                contiguous share of every batch, and no other.
        """
        if self.replicas == 1:
            return iter(batches(problem, order))

        def for_worker(context: Any) -> Any:
            here = self.replicas // context.num_input_pipelines
            first = context.input_pipeline_id * here
            shares = order.reshape(len(order), self.replicas, -1)[:, first : first + here]
            return batches(problem, shares.reshape(len(order) * here, -1))

        return iter(self.strategy.distribute_datasets_from_function(for_worker))

    def steps(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Have a graph over many steps run where the model lies.

        Args:
            function: (source, *tables, first, count) → sums, or (sums, stamps).
        """
        return function

    def in_one_place(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Have a graph run where the model lies, once for each call."""
        return function

    def synchronise(self) -> None:
        """Wait until the devices have done all that they were given."""
        import tensorflow as tf

        tf.test.experimental.sync_devices()

    def cpu_s(self) -> float:
        """CPU seconds spent so far by the cell's processes on this host."""
        return time.process_time()

    def device_peak_bytes(self) -> int | None:
        """Peak of TensorFlow's allocator on the first device, where it says so."""
        import tensorflow as tf

        name = self.devices[0].rpartition("/")[2].removeprefix("device:")
        try:
            return int(tf.config.experimental.get_memory_info(name)["peak"])
        except (ValueError, RuntimeError, tf.errors.OpError):
            return None  # not every allocator counts

    def clock(self) -> Clock:
        """The clock of the first device now, where the machine tells it; none of a TPU."""
        name = self.devices[0].rpartition("/")[2].removeprefix("device:")
        kind, _, number = name.upper().partition(":")
        if kind == "GPU":
            return gpu_clock(int(number or 0))
        return cpu_clock() if kind == "CPU" else Clock()

    def agreed(self, number: float) -> float:
        """The chief's number, on every worker.

        What depends on a clock must be decided by one of them: workers that ran different
        numbers of steps would wait for each other for ever.
        """
        return number
