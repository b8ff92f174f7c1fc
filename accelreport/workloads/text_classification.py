"""A recurrent classifier of short texts (IMDB film reviews)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from accelreport.workloads.base import EVERY, TrainingParameters, training_family
from accelreport.workloads.recurrent import Kernel


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


FAMILY = training_family(
    "Text classification",
    TextClassificationParameters,
    "accelreport.workloads.text_models",
    options=lambda parameters: {"num_words": parameters.words, "length": parameters.length},
    frameworks=EVERY,
    recurrent=lambda workload: True,  # noqa: ARG005 - whatever it says
)
"""The family as the registry knows it."""
