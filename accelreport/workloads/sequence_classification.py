"""Recurrent classifiers of sensor windows (UCI HAR), with precision, recall and F1: S4.

Every example adds to one cell of the confusion matrix, and to two more counts for Keras'
own `Precision` and `Recall`, which look at probabilities above one half. Ratios are made
from the sums, so that they are right over any number of batches, replicas and workers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from accelreport.spec.validators import FieldsError
from accelreport.workloads.base import Tally, TrainingParameters, TrainingProblem, training_family
from accelreport.workloads.numerics import numerics
from accelreport.workloads.objectives import class_accuracy, class_loss
from accelreport.workloads.training import (
    Kernel,
    labelled_problem,
    recurrent_options,
    rows_with_labels,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from accelreport.datasets.base import Dataset


class SequenceClassificationParameters(TrainingParameters):
    """Bidirectional LSTMs on windows of sensor signals."""

    kind: Literal["sequence_classification"] = "sequence_classification"
    """Name of the family."""
    dataset: Literal["uci_har"] = "uci_har"
    """The data set."""
    model: Literal["bilstm128_bilstm128_lstm64", "stacked_bilstm"] = "bilstm128_bilstm128_lstm64"
    """The network: S4's sample, or `layers` bidirectional LSTMs of `units`, the last of which
    gives only its end."""
    layers: Annotated[int, Field(ge=1, le=32)] | None = None
    """Bidirectional layers of `stacked_bilstm`."""
    units: Annotated[int, Field(ge=1)] | None = None
    """Units in each direction of `stacked_bilstm`."""
    kernel: Kernel = "default"
    """How the LSTMs are computed."""

    @model_validator(mode="after")
    def _sizes_belong_to_the_stack(self) -> Self:
        stacked = self.model == "stacked_bilstm"
        for field in ("layers", "units"):
            if stacked and getattr(self, field) is None:
                raise FieldsError(f"`stacked_bilstm` needs `{field}`", field, "model")
            if not stacked and getattr(self, field) is not None:
                raise FieldsError(
                    f"{self.model} has a fixed size, without `{field}`",
                    field,
                    "model",
                    help='write model = "stacked_bilstm"',
                )
        return self


THRESHOLD = 0.5
"""The probability from which Keras' `Precision` and `Recall` count a class as predicted."""


def confusion_tally(classes: tuple[str, ...]) -> Tally:
    """Counts for a classifier that gives logits [batch, classes] and takes labels [batch]."""
    width = len(classes)

    def count(targets: Any, outputs: Any) -> Any:
        n = numerics()
        logits = n.cast(outputs, "float32")
        cells = n.one_hot(targets * width + n.argmax(logits), width * width)
        sure = n.cast(n.softmax(logits) > THRESHOLD, "float32")
        hits = n.gather_each(sure, targets)
        return n.concatenate([cells, hits[:, None], n.total(sure, axis=1)[:, None]], axis=1)

    def confusion(sums: NDArray[np.float64]) -> list[list[int]]:
        rows: list[list[int]] = _matrix(sums, width).round().astype(int).tolist()
        return rows

    return Tally(
        size=width * width + 2,
        count=count,
        metrics=lambda sums: ratios(_matrix(sums, width), float(sums[-2]), float(sums[-1])),
        confusion=confusion,
        classes=classes,
    )


def ratios(matrix: NDArray[np.float64], hits: float, predicted: float) -> dict[str, float]:
    """Precision, recall and F1, macro and micro.

    Args:
        matrix: examples by true class (rows) and predicted class (columns).
        hits: examples whose true class has a probability above `THRESHOLD`.
        predicted: classes with a probability above `THRESHOLD`, over all examples.

    Returns:
        `precision`, `recall`, `f1`: means over classes of each class's own value, 0 where a
        class was never predicted or never occurs. `micro_precision`, `micro_recall`,
        `micro_f1`: over all decisions at the threshold, as Keras' metrics give them.
    """
    true = matrix.diagonal()
    precision = _divide(true, matrix.sum(axis=0))
    recall = _divide(true, matrix.sum(axis=1))
    micro_precision = float(_divide(hits, predicted))
    micro_recall = float(_divide(hits, matrix.sum()))
    return {
        "precision": float(precision.mean()),
        "recall": float(recall.mean()),
        "f1": float(_harmonic(precision, recall).mean()),
        "micro_precision": micro_precision,
        "micro_recall": micro_recall,
        "micro_f1": float(_harmonic(micro_precision, micro_recall)),
    }


def _matrix(sums: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    return sums[: width * width].reshape(width, width)


def _divide(part: Any, whole: Any) -> NDArray[np.float64]:
    import numpy as np

    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    quotient: NDArray[np.float64] = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return quotient


def _harmonic(first: Any, second: Any) -> NDArray[np.float64]:
    return _divide(2 * first * second, first + second)


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

    shape = data.train["x"].shape[1:]

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
        data,
        model=model,
        take=functools.partial(rows_with_labels, "int32"),
        loss=class_loss,
        loss_name="sparse categorical cross-entropy",
        metrics={"accuracy": class_accuracy},
        tally=confusion_tally(data.classes),
    )


FAMILY = training_family(
    "Sequence classification",
    SequenceClassificationParameters,
    problem,
    recurrent=lambda parameters: True,  # noqa: ARG005 - whatever it says
)
