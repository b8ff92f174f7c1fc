"""Any model from Keras' own JSON, on any data set of examples and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, ValidationInfo, field_validator

from accelreport.datasets.catalogue import find
from accelreport.errors import AccelReportError
from accelreport.spec.models import Text
from accelreport.spec.validators import SpecPath
from accelreport.workloads.base import TrainingParameters
from accelreport.workloads.family import EVERY, training_family
from accelreport.workloads.keras_json import (
    LIMIT,
    ArchitectureError,
    check_architecture,
    names_recurrent_layers,
)

LossName = Literal[
    "sparse_categorical_crossentropy",
    "binary_crossentropy",
    "mean_squared_error",
    "mean_absolute_error",
]
"""Losses by Keras' names."""

MetricName = Literal["accuracy", "top_5_accuracy", "mean_squared_error", "mean_absolute_error"]
"""Metrics that a mean over examples gives."""


class KerasParameters(TrainingParameters):
    """A model that Keras wrote with `model.to_json()`.

    The document becomes part of the parameters while the spec is checked, so that a cell is
    known by the architecture itself and not by the name of a file.
    """

    kind: Literal["keras"] = "keras"
    """Name of the family."""
    architecture: SpecPath
    """The file, beside the spec."""
    document: str = Field(default="", validate_default=True)
    """What is in the file; filled in when the spec is read, not to be written."""
    dataset: Text
    """A data set of examples and labels: `mnist`, `fashion_mnist`, `imdb`, `uci_har`, or one
    that a package adds."""
    dataset_options: dict[str, bool | int | FiniteFloat | str | list[str]] = {}
    """What this data set lets one choose, such as `length` of `imdb`."""
    divide_by: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    """Inputs are divided by this: 255 for pixels."""
    loss: LossName = "sparse_categorical_crossentropy"
    """The loss."""
    from_logits: bool = False
    """Whether the model ends without softmax or sigmoid."""
    metrics: list[MetricName] = ["accuracy"]
    """The metrics."""

    @field_validator("dataset")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            return find(name).name
        except AccelReportError as error:
            raise ValueError(" ".join(part for part in (error.what, error.why) if part)) from error

    @field_validator("document")
    @classmethod
    def _read(cls, document: str, info: ValidationInfo) -> str:
        folder, name = (info.context or {}).get("folder"), info.data.get("architecture")
        if not document and isinstance(folder, Path) and name is not None:
            document = _text(folder / name)
        if document:
            try:
                check_architecture(document)
            except ArchitectureError as error:
                raise ValueError(f"cannot be used: {name} {error}") from error
        return document


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LIMIT + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot be read from {path.name}: {error}") from error


FAMILY = training_family(
    "Keras model",
    KerasParameters,
    "accelreport.workloads.keras_problem",
    options=lambda parameters: parameters.dataset_options,
    frameworks=EVERY,
    recurrent=lambda workload: names_recurrent_layers(str(workload.get("document", ""))),
)
"""The family as the registry knows it."""
