"""What any framework's engine knows of its Keras model and optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.device_errors import StrategyError
from accelreport.backend.runtime import Runtime
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.numerics import numerics


class KerasEngine:
    """The part of an `Engine`, its attributes included, that is written in Keras alone.

    Args:
        problem: what is trained.
        runtime: a configured framework, on which Keras runs.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        import keras

        self.problem = problem
        self.runtime = runtime
        self.columns = ["loss", *problem.metrics]
        self.width = len(self.columns) + (problem.tally.size if problem.tally else 0)
        self.model: Any = problem.model()
        self._scaling = bool(keras.config.dtype_policy().name == "mixed_float16")
        self.optimizer: Any = problem.optimizer()
        if self._scaling:  # float16 gradients underflow
            self.optimizer = keras.optimizers.LossScaleOptimizer(self.optimizer)
        self.optimizer.build(self.model.trainable_variables)
        self.traced_batch: int | None = None

    @property
    def scales_losses(self) -> bool:
        """See `Engine.scales_losses`."""
        return self._scaling

    def parameters(self) -> int:
        """See `Engine.parameters`."""
        return int(self.model.count_params())

    def steps_done(self) -> int:
        """See `Engine.steps_done`."""
        return int(self.optimizer.iterations.numpy())

    def named(self, sums: NDArray[Any], examples: int) -> dict[str, float]:
        """See `Engine.named`."""
        plain = len(self.columns)
        values = dict(zip(self.columns, (float(x) / examples for x in sums[:plain]), strict=True))
        tally = self.problem.tally
        return values if tally is None else values | tally.metrics(sums[plain:])

    def settle(self) -> None:
        """See `Engine.settle`; one replica agrees with itself."""

    def weights(self) -> list[NDArray[Any]]:
        """See `Engine.weights`."""
        self.settle()
        return [np.array(weight) for weight in self.model.get_weights()]

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """See `Engine.set_weights`."""
        self.model.set_weights(weights)

    def set_learning_rate(self, rate: float) -> None:
        """See `Engine.set_learning_rate`."""
        self.optimizer.learning_rate = rate

    def learning_rate(self) -> float:
        """See `Engine.learning_rate`."""
        from keras import ops

        return float(ops.convert_to_numpy(ops.convert_to_tensor(self.optimizer.learning_rate)))

    def pipeline_trainer(self) -> Any:
        """See `Engine.pipeline_trainer`.

        Raises:
            StrategyError: always; `tf.data` is TensorFlow's.
        """
        name = FRAMEWORK_NAMES[self.runtime.framework]
        raise StrategyError(f"{name} has no `tf.data`", remedy='input = "resident"')

    def _sums(self, losses: Any, targets: Any, outputs: Any, weights: Any = None) -> Any:
        """Loss, metrics and tally of a batch, added over its examples."""
        n = numerics()
        columns = [losses] + [metric(targets, outputs) for metric in self.problem.metrics.values()]
        table = n.stack([n.cast(column, "float32") for column in columns])
        if self.problem.tally is not None:
            counts = n.cast(self.problem.tally.count(targets, outputs), "float32")
            table = n.concatenate([table, n.transpose(counts)], axis=0)
        return n.total(table if weights is None else table * weights, axis=1)
