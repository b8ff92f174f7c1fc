"""A recurrent classifier of short texts (IMDB film reviews)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from accelreport.workloads.base import DataRequest, Family, TrainingParameters, TrainingProblem
from accelreport.workloads.recurrent import Kernel

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


def _data(parameters: Any) -> DataRequest:
    return DataRequest(
        name=parameters.dataset,
        mode=parameters.data,
        options={"num_words": parameters.words, "length": parameters.length},
    )


def _problem(parameters: Any, data: Dataset | None, _seed: int) -> TrainingProblem:
    from accelreport.workloads.text_models import problem

    assert data is not None
    return problem(parameters, data)


FAMILY = Family(
    kind="text_classification",
    title="Text classification",
    parameters=TextClassificationParameters,
    shape="training",
    data=_data,
    problem=_problem,
)
"""The family as the registry knows it."""
