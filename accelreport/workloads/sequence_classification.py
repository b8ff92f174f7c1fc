"""Recurrent classifiers of sensor windows (UCI HAR)."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from accelreport.spec.validators import FieldsError
from accelreport.workloads.base import EVERY, TrainingParameters, training_family
from accelreport.workloads.recurrent import Kernel


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


FAMILY = training_family(
    "Sequence classification",
    SequenceClassificationParameters,
    "accelreport.workloads.sequence_models",
    frameworks=EVERY,
    recurrent=lambda workload: True,  # noqa: ARG005 - whatever it says
)
"""The family as the registry knows it."""
