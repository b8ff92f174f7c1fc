"""The recurrent classifiers of S4, and their training problem."""

from __future__ import annotations

import functools
from typing import Any

from accelreport.datasets.base import Dataset
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.confusion import confusion_tally
from accelreport.workloads.objectives import class_accuracy, class_loss
from accelreport.workloads.recurrent import recurrent_options
from accelreport.workloads.sequence_classification import SequenceClassificationParameters
from accelreport.workloads.training import labelled_problem, limited, rows_with_labels


def recurrent_layers(parameters: SequenceClassificationParameters) -> list[Any]:
    """The recurrent part; S4's sample has 618,118 parameters with its output layer."""
    from keras import layers

    options = recurrent_options(parameters.kernel)

    def both_ways(units: int, *, sequences: bool) -> Any:
        return layers.Bidirectional(layers.LSTM(units, return_sequences=sequences, **options))

    if parameters.model == "bilstm128_bilstm128_lstm64":
        return [
            both_ways(128, sequences=True),
            both_ways(128, sequences=True),
            layers.LSTM(64, **options),
        ]
    assert parameters.layers is not None
    assert parameters.units is not None
    last = parameters.layers - 1
    return [both_ways(parameters.units, sequences=n < last) for n in range(parameters.layers)]


def problem(parameters: SequenceClassificationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: windows [n, steps, signals] and labels [n].

    The model gives logits; softmax is part of the loss.
    """
    import keras

    train = limited(data.train, parameters.train_examples)
    validation = limited(data.validation, parameters.validation_examples)
    shape = train["x"].shape[1:]

    def model() -> Any:
        return keras.Sequential(
            [
                keras.Input(shape),
                *recurrent_layers(parameters),
                keras.layers.Dense(len(data.classes)),
            ],
            name=parameters.model,
        )

    return labelled_problem(
        parameters,
        train,
        validation,
        model=model,
        take=functools.partial(rows_with_labels, "int32"),
        loss=class_loss,
        metrics={"accuracy": class_accuracy},
        tally=confusion_tally(data.classes),
    )
