"""Bytes that the counted operations read and write, from the shapes at their ends.

Each product reads its operands once and writes its result once. That is the traffic of the
algorithm as it is written, not what a memory was seen to move: caches and fusion can save some
of it, operands that do not fit are read again, and element-wise operations and the optimizer,
which only move memory, are not among the counted operations.
"""

from __future__ import annotations

import math

from accelreport.backend.arithmetic import COUNTS, Count, Operation, UnknownShapeError
from accelreport.backend.traced import Shape

METHOD = (
    "each counted product reads its operands and writes its result once; element-wise "
    "operations, the optimizer and reuse in caches are left out"
)
"""How the bytes were counted, for the record."""

SIZES = {1: 4, 2: 8, 14: 2, 19: 2}
"""Bytes of an element by TensorFlow's `DataType`: float, double, bfloat16 and half."""


def operand_bytes(op: Operation) -> float:
    """Bytes of all inputs and outputs.

    Raises:
        UnknownShapeError: a shape or the element type is not known.
    """
    size = _itemsize(op)
    shapes = [*op.inputs, *op.outputs]
    if op.node.kind.startswith("CudnnRNN"):
        # What cuDNN reserves for the way back has no size in the graph.
        shapes = [shape for shape in shapes if shape is not None and None not in shape]
    return float(size * sum(_elements(op, shape) for shape in shapes))


TRAFFIC: dict[str, Count] = dict.fromkeys(COUNTS, operand_bytes)
"""Operations whose traffic is counted: those whose arithmetic is."""


def _itemsize(op: Operation) -> int:
    for name in ("T", "Ta"):
        if name in op.node.attributes:
            size = SIZES.get(op.node.attributes[name].type)
            if size is not None:
                return size
    raise UnknownShapeError(f"the element type of {op.node.kind} {op.node.name!r} is unknown")


def _elements(op: Operation, shape: Shape) -> int:
    if shape is None:
        raise UnknownShapeError(f"a shape of {op.node.kind} {op.node.name!r} is unknown")
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        raise UnknownShapeError(f"a size of {op.node.kind} {op.node.name!r} is unknown")
    return math.prod(known)
