"""A workload family as a plug-in package would add it: a file, and fields that must agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from accelreport.spec.validators import FieldsError, SpecPath
from accelreport.workloads import image_classification, matmul
from accelreport.workloads.base import Family, WorkloadParameters


class TableParameters(WorkloadParameters):
    """A network on the rows of a table."""

    kind: Literal["table"] = "table"
    """Name of the family."""
    file: SpecPath
    """The table."""
    classes: Annotated[int, Field(ge=2)] | None = None
    """Number of classes; a number is predicted when absent."""
    loss: Literal["cross_entropy", "mean_squared_error"] = "cross_entropy"
    """The loss."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.classes and self.loss == "mean_squared_error":
            raise FieldsError(
                "classes are not learnt with `mean_squared_error`",
                "loss",
                "classes",
                help='write loss = "cross_entropy"',
            )
        return self


TABLE = replace(
    image_classification.FAMILY,
    kind="table",
    title="Table",
    parameters=TableParameters,
    frameworks=frozenset({"tensorflow"}),
)

FAMILIES: dict[str, Family] = {
    family.kind: family for family in (image_classification.FAMILY, matmul.FAMILY, TABLE)
}
"""What the corpus of broken specs was written for; other families come and go."""
