"""The graphs of a training problem: many steps in one call, and evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.keras_engine import KerasEngine
from accelreport.backend.replica_state import (
    finite_together,
    part_random_streams,
    statistics_averager,
)
from accelreport.backend.runtime import Runtime
from accelreport.workloads.base import TrainingProblem


class Graphs(KerasEngine):
    """See `Engine`; a model under its strategy, with TensorFlow's graphs of it.

    The steps are driven by a loop inside one graph, because what happens between steps in
    Python is paid by every step: Keras' `fit` on NumPy arrays takes 1.25 to 1.5 times as
    long for a small network (see `benchmarks/loop_overhead.py`).

    Args:
        problem: what is trained.
        runtime: a configured TensorFlow.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        with runtime.strategy.scope():
            super().__init__(problem, runtime)
        self._variables = [variable.value for variable in self.model.trainable_variables]
        self._train: Any = None
        self._average: Callable[[], None] = lambda: None
        if runtime.replicas > 1:
            part_random_streams(self.model, runtime.strategy)
            self._average = statistics_averager(self.model, runtime.strategy)

    def constant(self, value: NDArray[Any] | int) -> Any:
        """See `Engine.constant`."""
        import tensorflow as tf

        return tf.constant(value)

    def read(self, value: Any) -> NDArray[Any]:
        """See `Engine.read`."""
        found: NDArray[Any] = value.numpy()
        return found

    def settle(self) -> None:
        """Make all replicas the same model, moving statistics included."""
        self._average()

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """Put weights back, on every replica."""
        with self.runtime.strategy.scope():
            super().set_weights(weights)

    def learning_rate(self) -> float:
        """The learning rate in force."""
        import tensorflow as tf

        return float(tf.convert_to_tensor(self.optimizer.learning_rate).numpy())

    def on_devices(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Copy arrays to every replica's device, in the dtype in which they are stored."""
        found: dict[str, Any] = self.runtime.placement.resident(arrays)
        return found

    def resident_trainer(self) -> Any:
        """A function (resident, order [steps, batch], first, count) → (sums, stamps).

        It runs steps `first` … `first + count − 1` of the order. `sums` [1 + metrics] adds the
        loss and the metrics over all examples; `stamps` [count] holds the instants in seconds
        at which each step's loss was ready, and is empty on a device that runs
        asynchronously, where such a stamp would be taken before the work is done.
        """
        import tensorflow as tf

        placement, strategy = self.runtime.placement, self.runtime.strategy
        # jit_compile is always said: left to TensorFlow it turns True on some hosts.
        step = tf.function(self._resident_step, jit_compile=self.runtime.jit_compile)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def train(resident: Any, order: Any, first: Any, count: Any) -> tuple[Any, Any]:
            arrays = placement.opened(resident)
            totals, stamps = self._start(count)
            for number in tf.range(count):
                sums = strategy.run(step, args=(arrays, order[first + number]))
                totals, stamps = self._note(totals, stamps, number, sums)
            return totals, stamps.stack()

        self._train = train
        return placement.steps(train)

    def pipeline_trainer(self) -> Any:
        """A function (iterator, first, count) → (sums, stamps), as `resident_trainer` gives."""
        import tensorflow as tf

        strategy = self.runtime.strategy
        step = tf.function(self.learn, jit_compile=self.runtime.jit_compile)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def train(iterator: Any, first: Any, count: Any) -> tuple[Any, Any]:  # noqa: ARG001
            totals, stamps = self._start(count)
            for number in tf.range(count):
                sums = strategy.run(step, args=next(iterator))
                totals, stamps = self._note(totals, stamps, number, sums)
            return totals, stamps.stack()

        self._train = train
        return self.runtime.placement.steps(train)

    def step_graph(self, *arguments: Any) -> Any:
        """The trainer's graph as it was traced for these arguments, shapes included.

        Args:
            arguments: what the trainer that was made last was called with.

        Returns:
            A `GraphDef`; its one loop runs the steps.
        """
        specified = self.runtime.placement.specified(arguments)
        return self._train.get_concrete_function(*specified).graph.as_graph_def(add_shapes=True)

    def evaluator(self) -> Any:
        """A function (resident, order [steps, batch], weights [steps, batch], first, count) → sums.

        Weights are 1 for examples and 0 for padding.
        """
        import tensorflow as tf

        placement, strategy = self.runtime.placement, self.runtime.strategy

        def step(resident: Any, indices: Any, weights: Any) -> Any:
            inputs, targets = self.problem.take(resident, self.share(indices))
            outputs = self.model(inputs, training=False)
            losses = self.problem.loss(targets, outputs)
            return self._sums(losses, targets, outputs, self.share(weights))

        compiled = tf.function(step, jit_compile=self.runtime.jit_compile)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def evaluate(resident: Any, order: Any, weights: Any, first: Any, count: Any) -> Any:
            arrays = placement.opened(resident)
            totals = tf.zeros([self.width], tf.float32)
            for number in tf.range(first, first + count):
                sums = strategy.run(compiled, args=(arrays, order[number], weights[number]))
                totals += strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
            return totals

        return placement.steps(evaluate)

    def predictor(self) -> Any:
        """A function (resident, indices [batch]) → outputs [batch, …], in the order asked for."""
        import tensorflow as tf

        placement, strategy = self.runtime.placement, self.runtime.strategy
        replicas = self.runtime.replicas

        def step(resident: Any, indices: Any) -> Any:
            inputs, _ = self.problem.take(resident, self.share(indices))
            return tf.cast(self.model(inputs, training=False), tf.float32)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def predict(resident: Any, indices: Any) -> Any:
            outputs = strategy.run(step, args=(placement.opened(resident), indices))
            # Over several workers the outputs of the others are fetched, too.
            return outputs if replicas == 1 else strategy.gather(outputs, axis=0)

        return placement.once(predict)

    # One step -----------------------------------------------------------------------------

    def share(self, values: Any) -> Any:
        """This replica's part of a batch: contiguous, all parts of one size."""
        import tensorflow as tf

        if self.runtime.replicas == 1:
            return values
        context = tf.distribute.get_replica_context()
        parts = tf.reshape(values, [self.runtime.replicas, -1])
        return parts[context.replica_id_in_sync_group]

    def _resident_step(self, resident: Any, indices: Any) -> Any:
        return self.learn(*self.problem.take(resident, self.share(indices)))

    def learn(self, inputs: Any, targets: Any) -> Any:
        """One replica's share of a step; returns sums over its examples."""
        import tensorflow as tf

        with tf.GradientTape() as tape:
            outputs = self.model(inputs, training=True)
            losses = self.problem.loss(targets, outputs)
            self.traced_batch = losses.shape[0]
            # Divided by the whole batch: Keras' optimizers add the replicas' gradients.
            objective = tf.reduce_sum(losses) / tf.cast(self.problem.batch_size, losses.dtype)
            for penalty in self.model.losses:
                objective += tf.cast(penalty, losses.dtype) / self.runtime.replicas
            objective = self.optimizer.scale_loss(objective)
        gradients = tape.gradient(objective, self._variables)
        if self._scaling and self.runtime.replicas > 1:
            gradients = finite_together(gradients)
        self.optimizer.apply(gradients, self.model.trainable_variables)
        return self._sums(losses, targets, outputs)

    def _start(self, count: Any) -> tuple[Any, Any]:
        import tensorflow as tf

        length = count if self.runtime.synchronous else 0
        return tf.zeros([self.width], tf.float32), tf.TensorArray(
            tf.float64, size=length, element_shape=[]
        )

    def _note(self, totals: Any, stamps: Any, number: Any, sums: Any) -> tuple[Any, Any]:
        import tensorflow as tf

        reduced = self.runtime.strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
        if self.runtime.synchronous:
            with tf.control_dependencies([reduced]):
                stamps = stamps.write(number, tf.timestamp())
        return totals + reduced, stamps


def padded_order(examples: int, batch: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Every example once, in order, in full batches; the last one is padded with example 0.

    Returns:
        Indices and weights (1, or 0 for padding), both of shape [steps, batch].
    """
    steps = -(-examples // batch)
    indices = np.zeros(steps * batch, dtype=np.int32)
    indices[:examples] = np.arange(examples, dtype=np.int32)
    weights = np.zeros(steps * batch, dtype=np.float32)
    weights[:examples] = 1
    return indices.reshape(steps, batch), weights.reshape(steps, batch)
