"""The text classifier of S1, and its training problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelreport.datasets.base import Dataset
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.objectives import binary_accuracy, binary_loss
from accelreport.workloads.recurrent import recurrent_options
from accelreport.workloads.text_classification import TextClassificationParameters
from accelreport.workloads.training import keras_optimizer, learning_rates, limited, steps_for


def problem(parameters: TextClassificationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: word numbers [n, length] and labels [n] of 0 and 1.

    With S1's sizes the model has 533,301 parameters. It gives one logit; the sigmoid is part
    of the loss, which is exact where a probability has been rounded to 1.
    """
    import keras
    import tensorflow as tf
    from keras import layers

    train = limited(data.train, parameters.train_examples)
    validation = limited(data.validation, parameters.validation_examples)

    def model() -> Any:
        return keras.Sequential(
            [
                keras.Input((parameters.length,), dtype="int32"),
                layers.Embedding(parameters.words, parameters.embedding),
                layers.LSTM(parameters.units, **recurrent_options(parameters.kernel)),
                layers.Dense(1),
            ],
            name="embedding_lstm",
        )

    def take(resident: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
        labels = tf.cast(tf.gather(resident["y"], indices), tf.float32)
        return tf.gather(resident["x"], indices), labels

    return TrainingProblem(
        model=model,
        optimizer=lambda: keras_optimizer(parameters.optimizer),
        resident=train,
        examples=len(train["y"]),
        take=take,
        loss=binary_loss,
        metrics={"accuracy": binary_accuracy},
        validation=validation,
        validation_examples=len(validation["y"]),
        batch_size=parameters.batch_size,
        steps_per_epoch=steps_for(parameters, len(train["y"])),
        learning_rate=learning_rates(parameters.optimizer),
    )
