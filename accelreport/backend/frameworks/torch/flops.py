"""Floating-point operations of a step, counted while PyTorch runs it.

Eager PyTorch traces nothing. Every operation passes a dispatcher, which tells each one with its
tensors, those of the backward pass and of a loop's every turn among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch.utils._python_dispatch import TorchDispatchMode

from accelreport.backend.failures import out_of_memory
from accelreport.backend.flops import BYTES_METHOD, FlopResult
from accelreport.results.record import Flops

METHOD = (
    "counted in a step that was run: convolutions, matrix products and fused recurrent kernels, "
    "forward and backward, each as often as it ran; a multiply-add is two operations, "
    "element-wise operations are left out"
)
"""How the operations were counted, for the record."""


class Product(NamedTuple):
    """Operations, the tensors that are read or written for them, and the kernel's places."""

    operations: float
    tensors: Sequence[Any]
    places: int = 1


Count = Callable[[Sequence[Any], Any], list[Product]]
"""(arguments, result) of an operation → its products."""


def count_program(rehearse: Callable[[], None]) -> FlopResult:
    """Count the operations of a step, and the bytes that they read and write.

    Args:
        rehearse: runs a step and takes it back.
    """
    found = _Counting()
    try:
        with found:
            rehearse()
    except Exception as error:
        if out_of_memory(error) is None:
            raise
        # What was measured before is whole: it must not be lost for want of this figure.
        return FlopResult(None, None, "no memory was left for one more step")
    kinds = frozenset(found.kinds)
    if untold := sorted(kind for kind in kinds if kind.startswith(UNTOLD)):
        return FlopResult(kinds, None, f"{untold[0]!r} is a kernel whose operations are not told")
    flops = Flops(
        per_step=found.operations,
        method=METHOD,
        bytes_per_step=found.moved,
        bytes_method=BYTES_METHOD,
        convolutions_per_step=found.convolutions,
        least_per_step=found.least,
    )
    return FlopResult(kinds, flops)


class _Counting(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Adds up what is dispatched, and lets it pass."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: set[str] = set()
        self.operations = 0.0
        self.convolutions = 0.0
        self.least = 0.0
        self.moved = 0.0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        self.kinds.add(name)
        for operations, tensors, places in COUNTS[name](args, result) if name in COUNTS else ():
            self.operations += operations
            self.least += operations / places
            self.convolutions += operations if name.startswith("convolution") else 0.0
            # A gradient that nobody wants is None.
            there = [each for each in tensors if each is not None]
            self.moved += sum(each.numel() * each.element_size() for each in there)
        return result


def _product(first: Any, second: Any, result: Any) -> list[Product]:
    """Two operations for each number of the result and each number summed over."""
    return [Product(2.0 * result.numel() * first.shape[-1], (first, second, result))]


def _matrices(args: Sequence[Any], result: Any) -> list[Product]:
    return _product(args[0], args[1], result)


def _added_matrices(args: Sequence[Any], result: Any) -> list[Product]:
    return _product(args[1], args[2], result)


def _convolution(args: Sequence[Any], result: Any) -> list[Product]:
    """Two operations for each place of the kernel, at each place of the smaller side."""
    inputs, kernel, transposed = args[0], args[1], args[6]
    side = inputs if transposed else result
    operations = 2.0 * side.numel() * math.prod(kernel.shape[1:])
    return [Product(operations, (inputs, kernel, result), math.prod(kernel.shape[2:]))]


def _convolution_gradients(args: Sequence[Any], result: Any) -> list[Product]:
    """As many as the convolution for each of the two gradients that are wanted."""
    gradient, inputs, kernel, transposed, wanted = *args[:3], args[7], args[10]
    side, places = inputs if transposed else gradient, math.prod(kernel.shape[2:])
    operations = 2.0 * side.numel() * math.prod(kernel.shape[1:])
    ends = ((gradient, kernel, result[0]), (gradient, inputs, result[1]))
    return [
        Product(operations, tensors, places)
        for tensors, asked in zip(ends, wanted, strict=False)
        if asked
    ]


def _recurrent(args: Sequence[Any], result: Any) -> list[Product]:
    """2 · steps · batch · elements of the weight matrices, for a whole sequence."""
    inputs, weights = args[0], [each for each in args[1] if each.dim() == 2]
    steps = inputs.numel() / inputs.shape[-1]
    operations = 2.0 * steps * sum(each.numel() for each in weights)
    return [Product(operations, (inputs, *weights, result[0]))]


def _recurrent_gradients(args: Sequence[Any], result: Any) -> list[Product]:
    """Twice the forward pass: gradients of the inputs and of the weights."""
    return _recurrent(args, result) * 2


COUNTS: dict[str, Count] = {
    "mm": _matrices,
    "bmm": _matrices,
    "mv": _matrices,
    "addmm": _added_matrices,
    "baddbmm": _added_matrices,
    "convolution": _convolution,
    "convolution_backward": _convolution_gradients,
    "_cudnn_rnn": _recurrent,
    "_cudnn_rnn_backward": _recurrent_gradients,
}
"""Operations with arithmetic of their own, by their names in ATen."""

UNTOLD = ("_scaled_dot_product", "_flash_attention", "_efficient_attention", "miopen_rnn")
"""How the names of fused kernels begin whose arithmetic is not counted."""
