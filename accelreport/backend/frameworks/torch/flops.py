"""Floating-point operations of a step, counted while PyTorch runs it.

Eager PyTorch traces nothing. Every operation passes a dispatcher, which tells each one with its
tensors, those of the backward pass and of a loop's every turn among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

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
        depth=found.depth,
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
        self.depth = 0.0
        # A reference to a storage, weak as it is, keeps its place from being given to another.
        self._depths: dict[Any, float] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        self.kinds.add(name)
        self._deepen(func, name, (args, kwargs), result)
        for operations, tensors, places in COUNTS[name](args, result) if name in COUNTS else ():
            self.operations += operations
            self.least += operations / places
            self.convolutions += operations if name.startswith("convolution") else 0.0
            # A gradient that nobody wants is None.
            there = [each for each in tensors if each is not None]
            self.moved += sum(each.numel() * each.element_size() for each in there)
        return result

    def _deepen(self, func: Any, name: str, arguments: Any, result: Any) -> None:
        """Depth of the numbers of each result: no number of its storage has less.

        See `Flops.depth`. What puts numbers of several depths together has the least of them.
        """
        read = [StorageWeakRef(each.untyped_storage()) for each in _tensors(arguments)]
        before = [self._depths.get(each, 0.0) for each in read]
        if name == "copy_":
            del before[0]  # what is overwritten
        ready = (min if name in TOGETHER else max)(before, default=0.0)
        if name in CONSTANT:
            ready = 0.0
        if name in COUNTS:
            ready += 1
            self.depth = max(self.depth, ready)
        for each in _tensors(result):
            storage = each.untyped_storage()
            place = StorageWeakRef(storage)
            if place not in read or each.numel() * each.element_size() >= storage.nbytes():
                self._depths[place] = ready
            elif func._schema.is_mutable:
                self._depths[place] = min(self._depths.get(place, 0.0), ready)


def _tensors(values: Any) -> list[Tensor]:
    return [each for each in tree_leaves(values) if isinstance(each, Tensor)]


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

TOGETHER = frozenset({"cat", "stack"})
"""Operations that put numbers beside one another, such as what a loop leaves of each turn."""

CONSTANT = frozenset(
    [
        *("select_backward", "slice_backward", "embedding_dense_backward", "zero_", "fill_"),
        *(f"{kind}_like" for kind in ("empty", "full", "ones", "rand", "randn", "zeros")),
        *(f"new_{kind}" for kind in ("empty", "empty_strided", "full", "ones", "zeros")),
    ]
)
"""Operations whose numbers, or most of whose numbers, wait for nothing."""
