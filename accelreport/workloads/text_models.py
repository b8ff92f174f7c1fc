"""The text classifier of S1, and its training problem."""

from __future__ import annotations

import functools
from typing import Any

from accelreport.datasets.base import Dataset
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.objectives import binary_accuracy, binary_loss
from accelreport.workloads.recurrent import recurrent_options
from accelreport.workloads.text_classification import TextClassificationParameters
from accelreport.workloads.training import labelled_problem, limited, rows_with_labels


def problem(parameters: TextClassificationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: word numbers [n, length] and labels [n] of 0 and 1.

    With S1's sizes the model has 533,301 parameters. It gives one logit; the sigmoid is part
    of the loss, which is exact where a probability has been rounded to 1.
    """
    import keras
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

    return labelled_problem(
        parameters,
        train,
        validation,
        model=model,
        take=functools.partial(rows_with_labels, "float32"),
        loss=binary_loss,
        metrics={"accuracy": binary_accuracy},
    )
