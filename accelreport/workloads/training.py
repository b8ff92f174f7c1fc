"""What the families that train a model share: optimizers, epochs, labels, recurrent kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from accelreport.datasets.errors import DataOptionsError
from accelreport.spec.parameters import Optimizer
from accelreport.workloads.base import TrainingParameters, TrainingProblem
from accelreport.workloads.numerics import numerics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset


def keras_optimizer(parameters: Optimizer) -> Any:
    """The Keras optimizer a spec asks for, with Keras' own defaults for the rest."""
    from keras import optimizers

    classes = {name.lower(): getattr(optimizers, name) for name in dir(optimizers)}
    rate: Any = parameters.learning_rate
    if parameters.schedule is not None and parameters.schedule.name != "exponential":
        named = parameters.schedule.name.title().replace("_", "")
        rate = getattr(optimizers.schedules, named)(rate, **parameters.schedule.options)
    return classes[parameters.name](learning_rate=rate, **parameters.options)


def learning_rates(parameters: Optimizer) -> Callable[[int], float] | None:
    """Epoch, from 0 → learning rate; None when it does not change with the epoch."""
    factor = parameters.schedule.factor if parameters.schedule else None
    if factor is None:
        return None
    return lambda epoch: float(parameters.learning_rate * factor**epoch)


def limited(arrays: Mapping[str, NDArray[Any]], examples: int | None) -> Mapping[str, NDArray[Any]]:
    """The first `examples` rows of every array; all of them when None."""
    return {name: array[:examples] for name, array in arrays.items()}


def steps_for(parameters: TrainingParameters, examples: int) -> int:
    """Steps of an epoch: what the spec says, or enough to see every example once.

    Like Keras' `fit` this is the quotient rounded up. The last batch is filled with the
    first examples of the next permutation, so that all batches have one shape.
    """
    return parameters.steps_per_epoch or -(-examples // parameters.batch_size)


def training_problem(parameters: TrainingParameters, examples: int, **own: Any) -> TrainingProblem:
    """A training problem with the optimizer, batches and steps that a spec says.

    Args:
        parameters: what a spec says of the training.
        examples: training examples.
        own: what only this family knows; it may also say `steps_per_epoch`.

    Raises:
        DataOptionsError: one of both parts of the data has no example.
    """
    evaluated = 1 if own.get("validation") is None else own["validation_examples"]
    if min(examples, evaluated) < 1:
        raise DataOptionsError(
            f"The data have no {'training' if examples < 1 else 'validation'} examples.",
            remedy="Choose another data set, or other options of it.",
        )
    common: dict[str, Any] = {
        "optimizer": lambda: keras_optimizer(parameters.optimizer),
        "batch_size": parameters.batch_size,
        "steps_per_epoch": steps_for(parameters, examples),
        "learning_rate": learning_rates(parameters.optimizer),
    }
    return TrainingProblem(examples=examples, **{**common, **own})


def labelled_problem(parameters: TrainingParameters, data: Dataset, **own: Any) -> TrainingProblem:
    """`training_problem` of examples that have labels `y` [n], one row each.

    Args:
        parameters: what a spec says of the training, such as how many examples of each part.
        data: the examples.
        own: what only this family knows: model, take, loss, metrics and the like.
    """
    train = limited(data.train, parameters.train_examples)
    validation = limited(data.validation, parameters.validation_examples)
    return training_problem(
        parameters,
        len(train["y"]),
        resident=train,
        validation=validation,
        validation_examples=len(validation["y"]),
        **own,
    )


def rows_with_labels(dtype: str, resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
    """Rows of `x` as they are, and of `y` in a type: the `take` of most problems.

    Args:
        dtype: type of the labels.
        resident: tensors `x` [n, …] and `y` [n].
        indices: which rows, [batch].
    """
    n = numerics()
    labels = n.cast(n.gather(resident["y"], indices), dtype)
    return n.gather(resident["x"], indices), labels


Kernel = Literal["default", "no_cudnn", "hard_sigmoid"]
"""How a recurrent layer is computed. `default`: Keras chooses, which is cuDNN's fused kernel
on an NVIDIA GPU. `no_cudnn`: the same arithmetic as a loop over steps. `hard_sigmoid`: the
recurrent activation of Keras before 2.0 reached TensorFlow 2, clip(0.2·x + 0.5, 0, 1), which
no fused kernel knows."""


def recurrent_options(kernel: Kernel | Literal["keras2"]) -> dict[str, Any]:
    """Arguments for `keras.layers.LSTM` or `GRU` that select a kernel."""
    if kernel == "no_cudnn":
        return {"use_cudnn": False}
    if kernel == "hard_sigmoid":
        return {"recurrent_activation": hard_sigmoid}
    if kernel == "keras2":
        return {"recurrent_activation": hard_sigmoid, "reset_after": False}
    return {}


def hard_sigmoid(x: Any) -> Any:
    """clip(0.2·x + 0.5, 0, 1): Keras' own until version 3, whose slope is 1/6 instead."""
    from keras import ops

    return ops.clip(0.2 * x + 0.5, 0.0, 1.0)
