"""What the families that train a model share, once TensorFlow may be imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from accelreport.workloads.base import Optimizer, TrainingParameters


def keras_optimizer(parameters: Optimizer) -> Any:
    """The Keras optimizer a spec asks for, with Keras' own defaults for the rest."""
    from keras import optimizers

    make = {"adam": optimizers.Adam, "rmsprop": optimizers.RMSprop, "sgd": optimizers.SGD}
    return make[parameters.name](learning_rate=parameters.learning_rate)


def learning_rates(parameters: Optimizer) -> Callable[[int], float] | None:
    """Epoch, from 0 → learning rate, for a spec with a schedule; None when it is constant."""
    schedule = parameters.schedule
    if schedule is None:
        return None
    return lambda epoch: float(parameters.learning_rate * schedule.factor**epoch)


def limited(arrays: Mapping[str, NDArray[Any]], examples: int | None) -> Mapping[str, NDArray[Any]]:
    """The first `examples` rows of every array; all of them when None."""
    return {name: array[:examples] for name, array in arrays.items()}


def steps_for(parameters: TrainingParameters, examples: int) -> int:
    """Steps of an epoch: what the spec says, or enough to see every example once.

    Like Keras' `fit` this is the quotient rounded up. The last batch is filled with the
    first examples of the next permutation, so that all batches have one shape.
    """
    return parameters.steps_per_epoch or -(-examples // parameters.batch_size)
