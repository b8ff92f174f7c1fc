"""TensorFlow as a device asks for it, and the graphs of a training: many steps in one call.

Keras 3 creates variables without an aggregation: under a strategy, what a layer assigns
while it is called stays on its replica. Two kinds of variables are concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import keras
import tensorflow as tf
from numpy.typing import NDArray
from tensorflow.python.eager import context
from tensorflow.python.util import _pywrap_util_port

from accelreport.backend.engine import Engine
from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import Runtime
from accelreport.backend.frameworks.tensorflow.strategies import place
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem


def configure(device: Device) -> Runtime:
    """Set threads, visible devices, precision and strategy.

    Raises:
        NoDeviceError: TensorFlow does not see the device.
    """
    if device.threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(device.threads)
        tf.config.threading.set_inter_op_parallelism_threads(device.threads)
    if device.kind == "GPU" and not device.placement:
        _prepare_gpus(device)
    else:
        # A CPU row must not be helped by a GPU of the same machine. A package's placement brings
        # its own device.
        tf.config.set_visible_devices([], "GPU")
    tf.config.run_functions_eagerly(device.eager)
    keras.mixed_precision.set_global_policy(device.precision)
    placement = place(device)
    build = tf.sysconfig.get_build_info()
    facts = {
        "intra_op_threads": str(tf.config.threading.get_intra_op_parallelism_threads() or "all"),
        "inter_op_threads": str(tf.config.threading.get_inter_op_parallelism_threads() or "all"),
        "onednn": "on" if _pywrap_util_port.IsMklEnabled() else "off",
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


SEED_STRIDE = 1_000_003
"""Between the seeds of neighbouring replicas; a prime, far above the draws of any cell."""


def part_random_streams(model: Any, strategy: Any) -> None:
    """Give every replica random numbers of its own (dropout masks, augmentation).

    All replicas begin with the same state and would drop the same units of the i-th example
    of each share. The first replica keeps the stream it would have alone.
    """
    weights = {id(weight) for weight in model.weights}
    states = [variable for variable in model.variables if id(variable) not in weights]
    states = [state for state in states if tuple(state.shape) == (2,)]
    if not states:
        return

    def part() -> None:
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        for state in states:
            value = state.value
            step = tf.cast(number, value.dtype) * tf.constant(SEED_STRIDE, value.dtype)
            value.assign(value + tf.stack([step, tf.zeros_like(step)]))

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere() -> None:
        strategy.run(part)

    everywhere()


def statistics_averager(model: Any, strategy: Any) -> Callable[[], None]:
    """A function that sets the moving statistics of every replica to their mean.

    Batch normalisation keeps moving averages of what its own replica saw, and evaluates with
    them. They are linear in the batches' statistics and training never reads them, so that
    the mean taken once before an evaluation is what a mean at every step would have given.
    """
    moving = [v for v in model.non_trainable_variables if tf.as_dtype(v.dtype).is_floating]
    if not moving:
        return lambda: None

    def average() -> None:
        here = tf.distribute.get_replica_context()
        own = [tf.identity(variable.value) for variable in moving]
        means = here.all_reduce(tf.distribute.ReduceOp.MEAN, own)
        for variable, mean in zip(moving, means, strict=True):
            variable.value.assign(mean)

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere() -> None:
        strategy.run(average)

    return lambda: everywhere()


def finite_together(gradients: list[Any]) -> list[Any]:
    """Gradients that are not finite on any replica as soon as they are not on one.

    A loss-scaling optimizer asks one replica alone whether to skip a step; without this, the
    sum over replicas could carry another one's infinity into the weights.
    """
    flat = [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients]
    finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in flat if g is not None])
    wrong = tf.distribute.get_replica_context().all_reduce(
        tf.distribute.ReduceOp.SUM, tf.cast(~finite, tf.float32)
    )
    poison = tf.where(wrong > 0, tf.constant(float("nan")), tf.constant(0.0))

    def poisoned(gradient: Any) -> Any:
        if gradient is None:
            return None
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values + tf.cast(poison, gradient.values.dtype)
            return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient + tf.cast(poison, gradient.dtype)

    return [poisoned(gradient) for gradient in gradients]


def functions_of(problem: TrainingProblem) -> list[Callable[..., Any]]:
    """The functions of a problem that a step calls, and that which makes the model."""
    counts = [problem.tally.count] if problem.tally else []
    return [problem.model, problem.take, problem.loss, *problem.metrics.values(), *counts]


def _is_ours(function: Any) -> bool:
    """Whether a function comes with accelreport, and so has no Python `if` over tensors."""
    module = getattr(getattr(function, "func", function), "__module__", "")
    return str(module).startswith("accelreport.")


def as_it_is(function: Callable[..., Any]) -> Any:
    """The function, which AutoGraph leaves as it is and whatever it calls."""
    return tf.autograph.experimental.do_not_convert(function)


class TensorFlowEngine(Engine):
    """See `Engine`; a model under its strategy, with TensorFlow's graphs of it.

    The steps are driven by a loop inside one graph, because what happens between steps in
    Python is paid by every step: Keras' `fit` on NumPy arrays takes 1.25 to 1.5 times as
    long for a small network (see `benchmarks/loop_overhead.py`).

    Args:
        problem: what is trained.
        runtime: a configured TensorFlow.

    Attributes:
        rewrites: whether AutoGraph rewrites what a step calls, for a package's functions.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        with runtime.strategy.scope():
            super().__init__(problem, runtime)
        self._variables = [variable.value for variable in self.model.trainable_variables]
        self._train: Any = None
        # AutoGraph rewrites the source of every function that it meets, half a second of each
        # cell. What comes with accelreport needs that for no more than the loops over steps.
        # A strategy for several devices looks into the step, which may not be wrapped then.
        alone = runtime.strategy is tf.distribute.get_strategy()
        self.rewrites = not (alone and all(map(_is_ours, functions_of(problem))))
        self._average: Callable[[], None] = lambda: None
        if runtime.replicas > 1:
            part_random_streams(self.model, runtime.strategy)
            self._average = statistics_averager(self.model, runtime.strategy)

    def constant(self, value: NDArray[Any] | int) -> Any:
        """See `Engine.constant`."""
        return tf.constant(value)

    def read(self, value: Any) -> NDArray[Any]:
        """See `Engine.read`."""
        array: NDArray[Any] = value.numpy()
        return array

    def sync_replicas(self) -> None:
        """See `Engine.sync_replicas`."""
        self._average()

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """See `Engine.set_weights`."""
        with self.runtime.strategy.scope():
            super().set_weights(weights)

    def learning_rate(self) -> float:
        """See `Engine.learning_rate`."""
        return float(tf.convert_to_tensor(self.optimizer.learning_rate).numpy())

    def resident_trainer(self) -> Any:
        """See `Engine.resident_trainer`."""
        placement, strategy = self.runtime.placement, self.runtime.strategy
        step = self._step(self._resident_step)
        start, note = as_it_is(self._start), as_it_is(self._note)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def train(resident: Any, order: Any, first: Any, count: Any) -> tuple[Any, Any]:
            totals, stamps = start(count)
            for number in tf.range(count):
                sums = strategy.run(step, args=(resident, order[first + number]))
                totals, stamps = note(totals, stamps, number, sums)
            return totals, stamps.stack()

        self._train = train
        return placement.steps(train)

    def pipeline_trainer(self) -> Any:
        """See `Engine.pipeline_trainer`."""
        strategy = self.runtime.strategy
        step = self._step(self.learn)

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
        return self._train.get_concrete_function(*arguments).graph.as_graph_def(add_shapes=True)

    def evaluator(self) -> Any:
        """See `Engine.evaluator`."""
        placement, strategy = self.runtime.placement, self.runtime.strategy

        def step(resident: Any, indices: Any, weights: Any) -> Any:
            inputs, targets = self.problem.take(resident, self.share(indices))
            outputs = self.model(inputs, training=False)
            return self._evaluated(inputs, targets, outputs, self.share(weights))

        compiled = self._step(step)

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def evaluate(resident: Any, order: Any, weights: Any, first: Any, count: Any) -> Any:
            totals = tf.zeros([self.width], tf.float32)
            for number in tf.range(first, first + count):
                sums = strategy.run(compiled, args=(resident, order[number], weights[number]))
                totals += strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
            return totals

        return placement.steps(evaluate)

    def predictor(self) -> Any:
        """See `Engine.predictor`."""
        placement, strategy = self.runtime.placement, self.runtime.strategy
        replicas = self.runtime.replicas

        step = self._step(self._forward)

        @tf.function(jit_compile=False, autograph=self.rewrites)  # type: ignore[untyped-decorator,unused-ignore]
        def predict(resident: Any, indices: Any) -> Any:
            outputs = strategy.run(step, args=(resident, indices))
            # Over several workers the outputs of the others are fetched, too.
            return outputs if replicas == 1 else strategy.gather(outputs, axis=0)

        return placement.in_one_place(predict)

    def prediction_graph(self, resident: Any, indices: Any) -> Any:
        """See `Engine.prediction_graph`: a `GraphDef`."""
        strategy = self.runtime.strategy

        @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
        def call(resident: Any, indices: Any) -> Any:
            return strategy.run(self._forward, args=(resident, indices))

        return call.get_concrete_function(resident, indices).graph.as_graph_def()

    # One step -----------------------------------------------------------------------------

    def _step(self, function: Callable[..., Any]) -> Any:
        """A function of a step as a graph of its own."""
        # jit_compile is always said: left to TensorFlow it turns True on some hosts.
        jit_compile = self.runtime.jit_compile
        if self.rewrites:
            return tf.function(function, jit_compile=jit_compile)
        return as_it_is(tf.function(function, jit_compile=jit_compile, autograph=False))

    def _forward(self, resident: Any, indices: Any) -> Any:
        inputs, _ = self.problem.take(resident, self.share(indices))
        return tf.cast(self.model(inputs, training=False), tf.float32)

    def share(self, values: Any) -> Any:
        """This replica's part of a batch: contiguous, all parts of one size."""
        if self.runtime.replicas == 1:
            return values
        here = tf.distribute.get_replica_context()
        parts = tf.reshape(values, [self.runtime.replicas, -1])
        return parts[here.replica_id_in_sync_group]

    def _resident_step(self, resident: Any, indices: Any) -> Any:
        return self.learn(*self.problem.take(resident, self.share(indices)))

    def learn(self, inputs: Any, targets: Any) -> Any:
        """One replica's share of a step; returns sums over its examples."""
        batch = self.batch(inputs, targets)
        with tf.GradientTape() as tape:
            outputs = self.model(inputs, training=True)
            objective, losses = self._objective(batch, outputs)
        gradients = tape.gradient(objective, self._variables)
        if self.scales_losses and self.runtime.replicas > 1:
            gradients = finite_together(gradients)
        self.optimizer.apply(gradients, self.model.trainable_variables)
        return self._judged(batch, outputs, losses)

    def _start(self, count: Any) -> tuple[Any, Any]:
        length = count if self.runtime.synchronous else 0
        return tf.zeros([self.width], tf.float32), tf.TensorArray(
            tf.float64, size=length, element_shape=[]
        )

    def _note(self, totals: Any, stamps: Any, number: Any, sums: Any) -> tuple[Any, Any]:
        reduced = self.runtime.strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)
        if self.runtime.synchronous:
            with tf.control_dependencies([reduced]):
                stamps = stamps.write(number, tf.timestamp())
        return totals + reduced, stamps


ENGINE = TensorFlowEngine
"""What `engine_for` makes."""


def operation_kinds(graph: Any) -> frozenset[str]:
    """Types of all operations of a `GraphDef`, in the graph and in its functions."""
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    return frozenset(node.op for body in bodies for node in body)
