"""A family: a small dense network on points of the plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from accelreport.datasets.base import Dataset
from accelreport.workloads.base import DataRequest, Family, TrainingParameters, TrainingProblem
from accelreport.workloads.objectives import class_accuracy, class_loss
from accelreport.workloads.training import keras_optimizer, steps_for


class PointsParameters(TrainingParameters):
    """A dense network on points of the plane."""

    kind: Literal["points"] = "points"
    """Name of the family."""
    units: Annotated[int, Field(ge=1)] = 16
    """Units of the hidden layer."""


def _problem(parameters: Any, data: Dataset | None, _seed: int) -> TrainingProblem:
    import keras
    import tensorflow as tf

    assert data is not None

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        labels = tf.cast(tf.gather(resident["y"], indices), tf.int32)
        return tf.gather(resident["x"], indices), labels

    return TrainingProblem(
        model=lambda: keras.Sequential(
            [
                keras.Input((2,)),
                keras.layers.Dense(parameters.units, activation="relu"),
                keras.layers.Dense(len(data.classes)),
            ]
        ),
        optimizer=lambda: keras_optimizer(parameters.optimizer),
        resident=data.train,
        examples=len(data.train["y"]),
        take=take,
        loss=class_loss,
        metrics={"accuracy": class_accuracy},
        validation=data.validation,
        validation_examples=len(data.validation["y"]),
        batch_size=parameters.batch_size,
        steps_per_epoch=steps_for(parameters, len(data.train["y"])),
    )


FAMILY = Family(
    kind="points",
    title="Points of the plane",
    parameters=PointsParameters,
    shape="training",
    data=lambda parameters: DataRequest("two_rings", parameters.data),
    problem=_problem,
)
