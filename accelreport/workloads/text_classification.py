"""A recurrent classifier of short texts (IMDB film reviews): S1."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from accelreport.workloads.base import TrainingParameters, TrainingProblem, training_family
from accelreport.workloads.objectives import binary_accuracy, binary_loss
from accelreport.workloads.training import (
    Kernel,
    labelled_problem,
    recurrent_options,
    rows_with_labels,
)

if TYPE_CHECKING:
    from accelreport.datasets.base import Dataset


class TextClassificationParameters(TrainingParameters):
    """Embedding → LSTM → one logit, on sequences of word numbers."""

    kind: Literal["text_classification"] = "text_classification"
    """Name of the family."""
    dataset: Literal["imdb"] = "imdb"
    """The data set."""
    words: Annotated[int, Field(ge=4, le=1_000_000)] = 15000
    """Words that are told apart, the marks for padding, beginning and rest included."""
    length: Annotated[int, Field(ge=1, le=10000)] = 250
    """Words of a sequence: longer reviews keep their end, shorter ones are padded before."""
    embedding: Annotated[int, Field(ge=1)] = 32
    """Dimensions of a word's vector."""
    units: Annotated[int, Field(ge=1)] = 100
    """Units of the LSTM."""
    kernel: Kernel = "default"
    """How the LSTM is computed."""


def problem(parameters: TextClassificationParameters, data: Dataset) -> TrainingProblem:
    """The training problem: word numbers [n, length] and labels [n] of 0 and 1.

    With S1's sizes the model has 533,301 parameters. It gives one logit; the sigmoid is part
    of the loss, which is exact where a probability has been rounded to 1.
    """
    import keras
    from keras import layers

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
        data,
        model=model,
        take=functools.partial(rows_with_labels, "float32"),
        loss=binary_loss,
        loss_name="binary cross-entropy",
        metrics={"accuracy": binary_accuracy},
    )


FAMILY = training_family(
    "Text classification",
    TextClassificationParameters,
    problem,
    options=lambda parameters: {"num_words": parameters.words, "length": parameters.length},
    recurrent=lambda parameters: True,  # noqa: ARG005 - whatever it says
)
