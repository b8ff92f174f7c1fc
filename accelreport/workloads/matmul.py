"""Chained matrix products: the arithmetic an accelerator is sold by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from accelreport.spec.device import Device
from accelreport.spec.families import Ignored
from accelreport.workloads.base import EVERY, Family, KernelProblem, WorkloadParameters
from accelreport.workloads.numerics import numerics

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


def operands(size: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Both factors, shape [size, size].

    x is uniform on [0, 1). y is uniform on [0, 2/size): its mean is 1/size, so that every
    product keeps the size of x's values. Unscaled, float32 overflows after a dozen products,
    and a multiplication by infinity or zero takes less power than one by ordinary numbers.
    """
    import numpy as np

    generator = np.random.default_rng([seed, 0x6D61])
    x = generator.random((size, size), dtype=np.float32)
    y = generator.random((size, size), dtype=np.float32)
    return x, y * np.float32(2 / size)


ITEMSIZE = {"float32": 4, "bfloat16": 2, "float16": 2}


@dataclass(frozen=True)
class Chain:
    """The kernel on its operands.

    Attributes:
        run: (x, y, number of products) → the sum.
        inputs: x and y.
    """

    run: Callable[..., Any]
    inputs: tuple[Any, ...]

    def __call__(self, count: Any) -> Any:
        """The sum after so many products."""
        return self.run(*self.inputs, count)


def problem(parameters: MatmulParameters) -> KernelProblem:
    """The kernel: `count` products in a chain, then the sum of all elements."""

    def build(seed: int, jit_compile: bool) -> Callable[..., Any]:  # noqa: FBT001 - a contract
        n = numerics()
        x, y = (n.cast(operand, parameters.dtype) for operand in operands(parameters.size, seed))
        # Each product needs the one before and the sum needs the last: nothing can be left
        # out, hoisted from the loop or computed once for all.
        return Chain(n.chained_products(jit_compile=jit_compile), (x, y))

    def fingerprint(seed: int) -> str:
        digest = hashlib.sha256()
        for array in operands(parameters.size, seed):
            digest.update(array.tobytes())
        return digest.hexdigest()

    return KernelProblem(
        build=build,
        operations=parameters.count,
        flops=parameters.count * 2.0 * parameters.size**3,
        flops_method="2N³, the catalogue's formula",
        fingerprint=fingerprint,
        countable=True,
        moved=parameters.count * 3.0 * parameters.size**2 * ITEMSIZE[parameters.dtype],
        moved_method="3N² elements: both factors read and the product written once each",
    )


def ignores(parameters: MatmulParameters, device: Device) -> Ignored | None:
    """See `Family.ignores`: products are computed in the type that the workload names."""
    if device.precision == "float32":
        return None
    why = f"a matrix product computes in the workload's `dtype`, here {parameters.dtype}"
    return Ignored("precision", why, "write or sweep `dtype`")


FAMILY = Family(
    kind="matmul",
    title="Matrix product",
    parameters=MatmulParameters,
    shape="kernel",
    data=lambda parameters: None,  # noqa: ARG005 - it makes its own input
    problem=lambda parameters, data, seed: problem(parameters),  # noqa: ARG005
    frameworks=EVERY,
    ignores=ignores,
)
