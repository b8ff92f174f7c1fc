"""Chained matrix products: the arithmetic an accelerator is sold by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from accelreport.workloads.base import EVERY, Family, KernelProblem, WorkloadParameters

if TYPE_CHECKING:
    from accelreport.datasets.base import Dataset


class MatmulParameters(WorkloadParameters):
    """x ← x·y, `count` times, then the sum of all elements."""

    kind: Literal["matmul"] = "matmul"
    """Name of the family."""
    size: Annotated[int, Field(ge=1, le=65536)] = 4096
    """Rows and columns of both matrices."""
    count: Annotated[int, Field(ge=1)] = 100
    """Products in one call, each of which needs the one before."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Element type."""


def _problem(parameters: Any, _data: Dataset | None, _seed: int) -> KernelProblem:
    from accelreport.workloads.matmul_graph import problem

    return problem(parameters)


FAMILY = Family(
    kind="matmul",
    title="Matrix product",
    parameters=MatmulParameters,
    shape="kernel",
    data=lambda parameters: None,  # noqa: ARG005 - it makes its own input
    problem=_problem,
    frameworks=EVERY,
)
"""The family as the registry knows it."""
