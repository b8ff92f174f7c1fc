"""What the timed loop, the evaluation and the checks must know of a model and its framework."""

from __future__ import annotations

import math
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.failures import StrategyError
from accelreport.backend.frameworks import Runtime, framework_module
from accelreport.spec.device import FRAMEWORK_NAMES, require_shares
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.compiled import Batch, Compiled
from accelreport.workloads.numerics import numerics


class Engine(ABC):
    """A model on its device, with what trains and evaluates it; each framework has its own.

    What is written in Keras alone is done here.

    Args:
        problem: what is trained.
        runtime: a configured framework, on which Keras runs.

    Attributes:
        problem: what is trained.
        runtime: the framework, configured for the device.
        columns: names of the means over examples: the loss, then the metrics.
        compiled: loss and metrics of a model that is compiled; then there are no columns.
        width: numbers that are added up: columns, and the counts of the problem's tally.
        model: the Keras model.
        optimizer: the Keras optimizer.
        scales_losses: whether the optimizer scales losses, and leaves a step out where that
            overflows.
        traced_batch: examples of one replica's share of a step, as traced or run last; None before
            that, and where the shape is not known.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        import keras

        self.problem = problem
        self.runtime = runtime
        self.columns = ["loss", *problem.metrics]
        self.width = len(self.columns) + (problem.tally.size if problem.tally else 0)
        self.model: Any = problem.model()
        self.scales_losses = bool(keras.config.dtype_policy().name == "mixed_float16")
        self.compiled: Compiled | None = None
        if problem.compiled:
            self.optimizer: Any = self.model.optimizer
            two = {name: keras.ops.convert_to_tensor(a[:2]) for name, a in problem.resident.items()}
            taken = problem.take(two, keras.ops.arange(min(2, problem.examples), dtype="int32"))
            self.compiled = Compiled(self.model, self.batch(*taken))
            self.width = self.compiled.width
        else:
            self.optimizer = problem.optimizer()
            if self.scales_losses:  # float16 gradients underflow
                self.optimizer = keras.optimizers.LossScaleOptimizer(self.optimizer)
        self.optimizer.build(self.model.trainable_variables)
        self.traced_batch: int | None = None

    def parameters(self) -> int:
        """Number of all weights of the model."""
        return int(self.model.count_params())

    def state_bytes(self) -> float:
        """Bytes of the weights and of the optimizer's state, once."""
        kept = [*self.model.variables, *self.optimizer.variables]
        return float(sum(math.prod(array.shape) * _bytes_of(str(array.dtype)) for array in kept))

    def batch_bytes(self) -> float:
        """Bytes of the examples of a step, of what lies on the device an example each."""
        arrays, count = self.problem.resident.values(), self.problem.examples
        sizes = [array.nbytes / len(array) for array in arrays if len(array) == count]
        return self.problem.batch_size * sum(sizes)

    def steps_done(self) -> int:
        """Steps the optimizer has counted; waits for the last one."""
        inner = getattr(self.optimizer, "inner_optimizer", self.optimizer)
        # What is public counts the updates, of which each may take several steps.
        return int(inner._iterations.numpy())

    def named(self, sums: NDArray[Any], examples: int) -> dict[str, float]:
        """Metrics by name from the sums that a trainer or an evaluator gives.

        Args:
            sums: loss, metrics and the problem's tally, added over examples.
            examples: how many were added.
        """
        if self.compiled is not None:
            return self.compiled.named(sums)
        plain = len(self.columns)
        values = dict(zip(self.columns, (float(x) / examples for x in sums[:plain]), strict=True))
        tally = self.problem.tally
        return values if tally is None else values | tally.metrics(sums[plain:])

    def sync_replicas(self) -> None:  # noqa: B027 - one replica has nothing to do
        """Make all replicas the same model, moving statistics included; one agrees with itself."""

    def weights(self) -> list[NDArray[Any]]:
        """A copy of all weights of the model."""
        self.sync_replicas()
        return [np.array(weight) for weight in self.model.get_weights()]

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """Put weights back, on every replica."""
        self.model.set_weights(weights)

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps that follow."""
        self.optimizer.learning_rate = rate

    def learning_rate(self) -> float:
        """The learning rate in force."""
        from keras import ops

        return float(ops.convert_to_numpy(ops.convert_to_tensor(self.optimizer.learning_rate)))

    def on_devices(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Copy arrays to every replica's device, in the dtype in which they are stored."""
        placed: dict[str, Any] = self.runtime.placement.resident(arrays)
        return placed

    @abstractmethod
    def constant(self, value: NDArray[Any] | int) -> Any:
        """An array or a number as the functions below take it.

        A plain number would be traced or compiled anew for every value.
        """

    @abstractmethod
    def read(self, value: Any) -> NDArray[Any]:
        """A result on the host; waits for it."""

    @abstractmethod
    def resident_trainer(self) -> Any:
        """A function (resident, order [steps, batch], first, count) → (sums, stamps).

        It runs steps `first` … `first + count − 1` of the order. `sums` [1 + metrics] adds the
        loss and the metrics over all examples; `stamps` [count] holds the instants in seconds
        at which each step's loss was ready, and is empty on a device that runs
        asynchronously, where such a stamp would be taken before the work is done.
        """

    def pipeline_trainer(self) -> Any:
        """A function (iterator, first, count) → (sums, stamps), as `resident_trainer` gives.

        Raises:
            StrategyError: the framework has no `tf.data`.
        """
        name = FRAMEWORK_NAMES[self.runtime.framework]
        raise StrategyError(f"{name} has no `tf.data`", remedy='input = "resident"')

    @abstractmethod
    def step_graph(self, *arguments: Any) -> Any:
        """A step as the framework's `operation_kinds` takes it, for arguments of the trainer.

        What was traced of the steps, or a function that runs one and takes it back.
        """

    @abstractmethod
    def prediction_graph(self, resident: Any, indices: Any) -> Any:
        """A call of the predictor as `operation_kinds` takes it; see `step_graph`.

        Args:
            resident: the examples, on the device.
            indices: of one batch, as `constant` gives them.
        """

    @abstractmethod
    def evaluator(self) -> Any:
        """A function (resident, order [steps, batch], weights [steps, batch], first, count) → sums.

        Weights are 1 for examples and 0 for padding.
        """

    @abstractmethod
    def predictor(self) -> Any:
        """A function (resident, indices [batch]) → outputs [batch, …], in the order asked for."""

    def batch(self, inputs: Any, targets: Any, *, training: bool = True) -> Batch:
        """A batch with the weights of its classes, which only a training has."""
        weigh = self.problem.weigh
        return inputs, targets, weigh(targets) if weigh and training else None

    def _objective(self, batch: Batch, outputs: Any) -> tuple[Any, Any]:
        """What a step makes smaller, and what `_judged` makes sums of."""
        replicas, n = self.runtime.replicas, numerics()
        if self.compiled is not None:
            self.traced_batch = outputs_of(outputs)[0].shape[0]
            loss, held = self.compiled.loss(batch, outputs, training=True)
            return self.optimizer.scale_loss(loss), (loss * replicas, held)
        losses = self.problem.loss(batch[1], outputs)
        self.traced_batch = losses.shape[0]
        # Divided by the whole batch: Keras' optimizers add the replicas' gradients.
        objective = n.total(losses, axis=0) / self.problem.batch_size
        for penalty in self.model.losses:
            penalty = n.cast(penalty, "float32")
            objective += penalty if replicas == 1 else penalty / replicas
        return self.optimizer.scale_loss(objective), losses

    def _judged(self, batch: Batch, outputs: Any, losses: Any) -> Any:
        """What a step adds up, from what `_objective` gave."""
        if self.compiled is None:
            return self._sums(losses, batch[1], outputs)
        return self.compiled.sums(batch, outputs, *losses)

    def _evaluated(self, inputs: Any, targets: Any, outputs: Any, weights: Any) -> Any:
        """What a step of an evaluation adds up."""
        if self.compiled is None:
            return self._sums(self.problem.loss(targets, outputs), targets, outputs, weights)
        batch = self.batch(inputs, targets, training=False)
        loss, held = self.compiled.loss(batch, outputs, training=False)
        return self.compiled.sums(batch, outputs, loss * self.runtime.replicas, held)

    def _sums(self, losses: Any, targets: Any, outputs: Any, weights: Any = None) -> Any:
        """Loss, metrics and tally of a batch, added over its examples."""
        n = numerics()
        columns = [losses] + [metric(targets, outputs) for metric in self.problem.metrics.values()]
        table = n.stack([n.cast(column, "float32") for column in columns])
        if self.problem.tally is not None:
            counts = n.cast(self.problem.tally.count(targets, outputs), "float32")
            table = n.concatenate([table, n.transpose(counts)], axis=0)
        return n.total(table if weights is None else table * weights, axis=1)


def outputs_of(outputs: Any) -> list[Any]:
    """All outputs of a model, one after the other."""
    from keras import tree

    flat: list[Any] = tree.flatten(outputs)
    return flat


def _bytes_of(dtype: str) -> float:
    """Bytes of an element, by the number in its type's name: "bfloat16", "torch.float32"."""
    bits = re.search(r"(\d+)$", dtype)
    return int(bits.group(1)) / 8 if bits else 1.0


def engine_for(problem: TrainingProblem, runtime: Runtime) -> Engine:
    """A problem's model in the framework that was configured.

    Raises:
        BatchError: the replicas do not divide the batch.
    """
    require_shares(problem.batch_size, runtime.replicas)
    engine: Engine = framework_module(runtime.framework).ENGINE(problem, runtime)
    return engine


CHUNK_S = 1.0
"""Seconds of a chunk: short enough for a deadline, long enough not to cost anything."""

PREDICTION_BATCH = 512


class Evaluation:
    """Evaluates outside the timed region.

    Args:
        engine: the model.
        batch: examples in a step; no more than there are, and rounded up so that the
            replicas divide it. Padding has no weight.

    Attributes:
        sums: loss, metrics and the problem's tally of the last evaluation, added over examples;
            None before the first one, and where the deadline came before its end.
        first_step_s: seconds of the first step of all, which is traced and compiled; 0 before it.
    """

    def __init__(self, engine: Engine, batch: int) -> None:
        self._engine = engine
        self._problem = engine.problem
        self._replicas = engine.runtime.replicas
        self._agreed = engine.runtime.placement.agreed
        self._batch = self._divisible(min(batch, max(1, self._problem.validation_examples)))
        self._resident: dict[str, Any] | None = None
        self._evaluator: Any = None
        self.sums: NDArray[np.float64] | None = None
        self.first_step_s = 0.0

    def run(self, deadline: float) -> dict[str, float] | None:
        """Mean loss and metrics over the validation data, names prefixed with `val_`.

        Args:
            deadline: instant of `time.perf_counter()` after which it gives up; later by the
                seconds of the first step of all.

        Returns:
            The metrics, or None when the deadline came first.
        """
        self.sums = None
        examples = self._problem.validation_examples
        indices, weights = padded_order(examples, self._batch)
        rest = examples % self._batch if self._engine.compiled is not None else 0
        if rest:  # Keras takes the mean of a batch, and its last one is shorter
            indices = indices[:-1]
        if self._evaluator is None:
            self._evaluator = self._engine.evaluator()
        self._engine.sync_replicas()
        constant, read = self._engine.constant, self._engine.read
        order, shares = constant(indices), constant(weights)
        sums = np.zeros(self._engine.width)
        done, count = 0, 1
        while done < len(indices):
            began = time.perf_counter()
            if self._agreed(began >= deadline):
                return None
            count = round(self._agreed(min(count, len(indices) - done)))
            sums += read(
                self._evaluator(self._on_devices(), order, shares, constant(done), constant(count))
            )
            done += count
            if not self.first_step_s:
                self.first_step_s = time.perf_counter() - began
                deadline += self.first_step_s
            step_s = max((time.perf_counter() - began) / count, 1e-6)
            # Twice as many at most: the first step holds the trace and tells little.
            count = max(1, min(2 * count, round(CHUNK_S / step_s)))
        if rest:
            if self._agreed(time.perf_counter() >= deadline):
                return None
            last = np.arange(examples - rest, examples, dtype=np.int32)
            # Every replica takes all of them: they need not divide the rest.
            row = constant(np.tile(last, self._replicas)[np.newaxis])
            ones = constant(np.ones((1, rest * self._replicas), np.float32))
            one = self._evaluator(self._on_devices(), row, ones, constant(0), constant(1))
            sums += read(one) / self._replicas
        self.sums = sums
        named = self._engine.named(sums, examples)
        return {f"val_{name}": value for name, value in named.items()}

    def predict(self, count: int, deadline: float) -> NDArray[np.float32]:
        """Outputs for the first `count` validation examples, or as many as the deadline allows.

        A count that the replicas do not divide is padded, and the padding cut off again.
        """
        predictor = self._engine.predictor()
        self._engine.sync_replicas()
        batch = self._divisible(min(PREDICTION_BATCH, count))
        indices, _ = padded_order(count, batch)
        parts: list[Any] = []
        for row in indices:
            if parts and self._agreed(time.perf_counter() >= deadline):
                break
            outputs = predictor(self._on_devices(), self._engine.constant(row))
            parts.append(self._engine.read(outputs))
        return np.asarray(np.concatenate(parts)[:count], dtype=np.float32)

    def _divisible(self, batch: int) -> int:
        return -(-batch // self._replicas) * self._replicas

    def _on_devices(self) -> dict[str, Any]:
        if self._resident is None:
            assert self._problem.validation is not None
            self._resident = self._engine.on_devices(self._problem.validation)
        return self._resident


def padded_order(examples: int, batch: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Every example once, in order, in full batches; the last one is padded with example 0.

    Returns:
        Indices and weights (1, or 0 for padding), both of shape [steps, batch].
    """
    padding = (0, -examples % batch)
    indices = np.pad(np.arange(examples, dtype=np.int32), padding)
    weights = np.pad(np.ones(examples, dtype=np.float32), padding)
    return indices.reshape(-1, batch), weights.reshape(-1, batch)
