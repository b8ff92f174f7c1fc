"""The chained matrix product (imports a framework when it is built)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.workloads.base import KernelProblem
from accelreport.workloads.matmul import MatmulParameters
from accelreport.workloads.numerics import numerics


def operands(size: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Both factors, shape [size, size].

    x is uniform on [0, 1). y is uniform on [0, 2/size): its mean is 1/size, so that every
    product keeps the size of x's values. Unscaled, float32 overflows after a dozen products,
    and a multiplication by infinity or zero takes less power than one by ordinary numbers.
    """
    generator = np.random.default_rng([seed, 0x6D61])
    x = generator.random((size, size), dtype=np.float32)
    y = generator.random((size, size), dtype=np.float32)
    return x, y * np.float32(2 / size)


ITEMSIZE = {"float32": 4, "bfloat16": 2, "float16": 2}
"""Bytes of an element."""


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
        x, y = (n.cast(each, parameters.dtype) for each in operands(parameters.size, seed))
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
        flops_method="COUNT · 2N³ (the catalogue's formula)",
        fingerprint=fingerprint,
        countable=True,
        moved=parameters.count * 3.0 * parameters.size**2 * ITEMSIZE[parameters.dtype],
        moved_method="COUNT · 3N² elements: both factors read and the product written once each",
    )
