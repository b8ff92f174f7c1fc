"""Nets of any width and depth on made-up inputs, after ParaDnn: the size is the question.

Wang, Wei, Brooks: A Systematic Methodology for Analysis of Deep Learning Hardware and Software
Platforms, MLSys 2020. What such a net learns means nothing, so that no quality is told of it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from accelreport.spec.validators import FieldsError
from accelreport.workloads.base import EVERY, Family, TrainingParameters, TrainingProblem
from accelreport.workloads.objectives import class_loss
from accelreport.workloads.training import (
    rows_with_labels,
    training_problem,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLASSES = 10
SIDE, KERNEL = 8, 3
"""Places of an image along each side, and of a convolution's kernel."""
LENGTH = 16
"""Steps of a sequence."""

NEEDS_QUALITY = (
    "validation_examples",
    "evaluation_batch_size",
    "samples",
    "afterwards",
    "early_stopping",
    "restore_best_weights",
    "reduce_on_plateau",
)
"""Keys that mean something only where something is learned."""

EPOCH_S, OPERATIONS_PER_S, PRODUCT_S = 0.5, 5e10, 20e-6
"""Seconds that an epoch is to take, if a core does so many operations a second and a product that
waits for another one takes so long however small it is."""
LEAST_STEPS, MOST_STEPS = 10, 4000
"""Of an epoch."""


class ParaDnnParameters(TrainingParameters):
    """A net of one kind of layer, all of them alike, on made-up inputs of ten made-up classes."""

    kind: Literal["paradnn"] = "paradnn"
    """Name of the family."""
    net: Literal["dense", "conv", "recurrent"] = "dense"
    """`dense`: fully connected layers; `conv`: 3 × 3 convolutions on 8 × 8 places; `recurrent`:
    LSTMs on 16 steps."""
    width: Annotated[int, Field(ge=8, le=65536, multiple_of=8)] = 256
    """Units of a dense layer, and its inputs. An LSTM has a quarter and a convolution an eighth as
    many, since they do their work at every step and place: nets of one width then do work of
    one order."""
    depth: Annotated[int, Field(ge=1, le=256)] = 2
    """Layers, before the one that tells classes."""
    data: Literal["synthetic"] = "synthetic"
    """Inputs are made up, and there are no others."""
    steps_per_epoch: Annotated[int, Field(ge=1)] | None = None
    """Steps in an epoch; when absent so many as would take a core about half a second, reckoned
    from the operations of the net and the same on every device."""

    @model_validator(mode="after")
    def _tells_no_quality(self) -> Self:
        said = [name for name in NEEDS_QUALITY if self._says(name)]
        if said:
            raise FieldsError(
                f"`{said[0]}` is about what is learned, and made-up inputs teach nothing",
                said[0],
                "kind",
                help="delete it",
            )
        return self

    @property
    def units(self) -> int:
        """Units of a layer, or filters."""
        return self.width // {"dense": 1, "conv": 8, "recurrent": 4}[self.net]

    @property
    def input_shape(self) -> tuple[int, ...]:
        """Of one example: as many features as a layer has units, so that all layers are alike."""
        before = {"dense": (), "conv": (SIDE, SIDE), "recurrent": (LENGTH,)}[self.net]
        return (*before, self.units)

    @property
    def operations(self) -> float:
        """Operations of a step, forward and backward; nobody needs the gradient of the inputs."""
        places = {"dense": 1, "conv": SIDE * SIDE * KERNEL * KERNEL, "recurrent": 4 * LENGTH}
        matrices = 2 if self.net == "recurrent" else 1
        product = 2.0 * self.batch_size * places[self.net] * self.units**2
        head = 3 * 2.0 * self.batch_size * self.units * CLASSES
        return product * (3 * matrices * self.depth - 1) + head

    @property
    def steps(self) -> int:
        """Steps in an epoch."""
        chain = 2 * (self.depth + 1) * (LENGTH if self.net == "recurrent" else 1)
        step_s = self.operations / OPERATIONS_PER_S + chain * PRODUCT_S
        return self.steps_per_epoch or min(max(round(EPOCH_S / step_s), LEAST_STEPS), MOST_STEPS)


def problem(parameters: ParaDnnParameters, seed: int) -> TrainingProblem:
    """The training problem: a batch of normal numbers, each example with a class by lot."""
    x, y = examples(parameters, seed)
    return training_problem(
        parameters,
        len(y),
        model=lambda: net(parameters),
        resident={"x": x, "y": y},
        take=partial(rows_with_labels, "int32"),
        loss=class_loss,
        metrics={},
        validation=None,
        validation_examples=0,
        steps_per_epoch=parameters.steps,
    )


def examples(
    parameters: ParaDnnParameters, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Inputs [n, *input_shape] and classes [n]; n is the batch, where nothing else is said."""
    import numpy as np

    generator = np.random.default_rng([seed, 0x646E6E])
    count = parameters.train_examples or parameters.batch_size
    x = generator.standard_normal((count, *parameters.input_shape), dtype=np.float32)
    return x, generator.integers(0, CLASSES, count, dtype=np.int32)


def net(parameters: ParaDnnParameters) -> Any:
    """Inputs → logits [batch, 10]."""
    import keras
    from keras import layers

    units, body = parameters.units, list[Any]()
    for number in range(1, parameters.depth + 1):
        if parameters.net == "dense":
            body.append(layers.Dense(units, activation="relu"))
        elif parameters.net == "conv":
            body.append(layers.Conv2D(units, KERNEL, padding="same", activation="relu"))
        else:
            body.append(layers.LSTM(units, return_sequences=number < parameters.depth))
    if parameters.net == "conv":
        body.append(layers.GlobalAveragePooling2D())
    inputs = keras.Input(parameters.input_shape)
    return keras.Sequential([inputs, *body, layers.Dense(CLASSES)], name=parameters.net)


FAMILY = Family(
    kind="paradnn",
    title="Generated nets",
    parameters=ParaDnnParameters,
    shape="training",
    data=lambda parameters: None,  # noqa: ARG005 - it makes its own input
    problem=lambda parameters, data, seed: problem(parameters, seed),  # noqa: ARG005
    frameworks=EVERY,
    recurrent=lambda workload: workload.get("net") == "recurrent",
    learns=False,
)
"""The family as the registry knows it."""
