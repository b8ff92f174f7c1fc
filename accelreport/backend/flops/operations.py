"""Operations of TensorFlow, and the bytes they move, from the shapes at their ends.

A multiply-add counts as two. Only products are counted: in the networks measured here,
element-wise operations are a hundredth of the arithmetic and bound by memory.

Each product reads its operands once and writes its result once. That is the traffic of the
algorithm as it is written, not what a memory was seen to move: caches and fusion can save some
of it, operands that do not fit are read again, and element-wise operations and the optimizer,
which only move memory, are not among the counted operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accelreport.backend.flops.graph import Node, Shape


class UnknownShapeError(ValueError):
    """A size that the count needs is not known from the graph."""


@dataclass(frozen=True)
class Operation:
    """A node with the shapes at its ends."""

    node: Node
    inputs: Sequence[Shape]
    outputs: Sequence[Shape]


def _known(op: Operation, *sizes: int | None) -> int:
    """The first size that is known, of several that must be equal."""
    for size in sizes:
        if size is not None:
            return size
    raise UnknownShapeError(f"a size of {op.node.kind} {op.node.name!r} is unknown")


def _elements(op: Operation, shape: Shape) -> int:
    if shape is None:
        raise UnknownShapeError(f"a shape of {op.node.kind} {op.node.name!r} is unknown")
    return math.prod(_known(op, size) for size in shape)


def _end(shape: Shape, position: int) -> int | None:
    return shape[position] if shape is not None else None


def matmul(op: Operation) -> float:
    """2·M·N·K for every matrix of the batch; [M, K] × [K, N]."""
    a, b, out = op.inputs[0], op.inputs[1], op.outputs[0] if op.outputs else None
    a_turned, b_turned = op.node.flag("transpose_a", "adj_x"), op.node.flag("transpose_b", "adj_y")
    m = _known(op, _end(a, -1 if a_turned else -2), _end(out, -2))
    n = _known(op, _end(b, -2 if b_turned else -1), _end(out, -1))
    k = _known(op, _end(a, -2 if a_turned else -1), _end(b, -1 if b_turned else -2))
    batch = 1
    if op.node.kind != "MatMul" and out is not None:
        batch = _elements(op, out[:-2])
    return 2.0 * batch * m * n * k


def einsum(op: Operation) -> float:
    """2 · the product of all sizes that occur, for two operands; nothing for one."""
    left, _, right = op.node.text("equation").partition("->")
    operands = left.split(",")
    if len(operands) < 2:
        return 0.0
    sizes: dict[str, int | None] = {}
    for labels, shape in zip([*operands, right], [*op.inputs, *op.outputs], strict=False):
        if shape is None:
            raise UnknownShapeError(f"a shape of Einsum {op.node.name!r} is unknown")
        for name, size in zip(_spelt_out(labels, len(shape)), shape, strict=True):
            # An axis of one element is repeated along the other operand's.
            sizes[name] = max(filter(None, (sizes.get(name), size)), default=None)
    return 2.0 * _elements(op, tuple(sizes.values()))


def _spelt_out(labels: str, rank: int) -> list[str]:
    """One name for each axis; those that "..." stands for are numbered from the last one."""
    before, dots, after = labels.partition("...")
    if not dots:
        return list(labels)
    hidden = rank - len(before) - len(after)
    return [*before, *(f"...{number}" for number in range(hidden, 0, -1)), *after]


def _convolved(op: Operation, result: Shape, kernel: Shape) -> float:
    """Every element of the forward result is a sum over the kernel without its last axis."""
    if kernel is None:
        raise UnknownShapeError(f"the kernel of {op.node.kind} {op.node.name!r} is unknown")
    return 2.0 * _elements(op, result) * _elements(op, kernel[:-1])


def convolution(op: Operation) -> float:
    """2 · elements of the result · kernel height · width · input channels."""
    return _convolved(op, op.outputs[0], op.inputs[1])


def convolution_input_gradient(op: Operation) -> float:
    """As many as the convolution: each product is used once more, for the other factor."""
    return _convolved(op, op.inputs[2], op.inputs[1])


def convolution_kernel_gradient(op: Operation) -> float:
    """As many as the convolution; the kernel's shape is the result's."""
    return _convolved(op, op.inputs[2], op.outputs[0])


def _depthwise(op: Operation, result: Shape, kernel: Shape) -> float:
    """Each output channel sees one input channel: the kernel's height and width alone."""
    if kernel is None:
        raise UnknownShapeError(f"the kernel of {op.node.kind} {op.node.name!r} is unknown")
    return 2.0 * _elements(op, result) * _elements(op, kernel[:2])


def depthwise(op: Operation) -> float:
    """2 · elements of the result · kernel height · width."""
    return _depthwise(op, op.outputs[0], op.inputs[1])


def depthwise_input_gradient(op: Operation) -> float:
    """As many as the convolution."""
    return _depthwise(op, op.inputs[2], op.inputs[1])


def depthwise_kernel_gradient(op: Operation) -> float:
    """As many as the convolution."""
    return _depthwise(op, op.inputs[2], op.outputs[0])


GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}
"""Products of input and state with weights, in a step of each kind of recurrent cell."""


def cudnn_rnn(op: Operation) -> float:
    """2 · steps · batch · gates · units · (inputs + units), over layers and directions."""
    sequence, state = op.inputs[0], op.inputs[1]
    if sequence is None or state is None:
        raise UnknownShapeError(f"the input of {op.node.kind} {op.node.name!r} is unknown")
    time_major = "time_major" not in op.node.attributes or op.node.flag("time_major")
    batch = _known(op, sequence[1 if time_major else 0])
    directions = 2 if op.node.text("direction") == "bidirectional" else 1
    layers = _elements(op, state[:-1]) // batch // directions
    units = _known(op, state[-1])
    # Later layers read what all directions of the one before gave.
    read = _known(op, sequence[-1]) + (layers - 1) * directions * units
    width = GATES[op.node.text("rnn_mode", "lstm")] * units * directions
    return 2.0 * _elements(op, sequence[:2]) * width * (read + layers * units)


def cudnn_rnn_gradient(op: Operation) -> float:
    """Twice the forward pass: gradients of the inputs and of the weights."""
    return 2.0 * cudnn_rnn(op)


def _block(op: Operation, positions: Shape, *weights: Shape) -> float:
    return 2.0 * _elements(op, positions) * sum(_elements(op, weight) for weight in weights)


def block_lstm(op: Operation) -> float:
    """2 · steps · batch · elements of the weights, for a whole sequence in one operation."""
    sequence = op.inputs[1]
    return _block(op, sequence[:2] if sequence else None, op.inputs[4])


def block_lstm_gradient(op: Operation) -> float:
    """Twice the forward pass."""
    return 2.0 * block_lstm(op)


def lstm_cell(op: Operation) -> float:
    """2 · batch · elements of the weights, for one step."""
    return _block(op, op.inputs[0][:1] if op.inputs[0] else None, op.inputs[3])


def gru_cell(op: Operation) -> float:
    """2 · batch · elements of both weights, for one step."""
    return _block(op, op.inputs[0][:1] if op.inputs[0] else None, op.inputs[2], op.inputs[3])


Count = Callable[[Operation], float]

COUNTS: dict[str, Count] = {
    "MatMul": matmul,
    "BatchMatMul": matmul,
    "BatchMatMulV2": matmul,
    "BatchMatMulV3": matmul,
    "Einsum": einsum,
    "Conv2D": convolution,
    "Conv2DBackpropInput": convolution_input_gradient,
    "Conv2DBackpropFilter": convolution_kernel_gradient,
    "Conv3D": convolution,
    "Conv3DBackpropInputV2": convolution_input_gradient,
    "Conv3DBackpropFilterV2": convolution_kernel_gradient,
    "DepthwiseConv2dNative": depthwise,
    "DepthwiseConv2dNativeBackpropInput": depthwise_input_gradient,
    "DepthwiseConv2dNativeBackpropFilter": depthwise_kernel_gradient,
    "CudnnRNN": cudnn_rnn,
    "CudnnRNNV2": cudnn_rnn,
    "CudnnRNNV3": cudnn_rnn,
    "CudnnRNNBackprop": cudnn_rnn_gradient,
    "CudnnRNNBackpropV2": cudnn_rnn_gradient,
    "CudnnRNNBackpropV3": cudnn_rnn_gradient,
    "BlockLSTM": block_lstm,
    "BlockLSTMV2": block_lstm,
    "BlockLSTMGrad": block_lstm_gradient,
    "BlockLSTMGradV2": block_lstm_gradient,
    "LSTMBlockCell": lstm_cell,
    "GRUBlockCell": gru_cell,
}
"""Operations that are counted, by their type."""

CONVOLUTIONS: dict[str, Count] = {name: COUNTS[name] for name in COUNTS if "Conv" in name}
"""Those of them that are convolutions."""

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
    return float(size * sum(_traffic_elements(op, shape) for shape in shapes))


TRAFFIC: dict[str, Count] = dict.fromkeys(COUNTS, operand_bytes)
"""Operations whose traffic is counted: those whose arithmetic is."""


def _itemsize(op: Operation) -> int:
    for name in ("T", "Ta"):
        if name in op.node.attributes:
            size = SIZES.get(op.node.attributes[name].type)
            if size is not None:
                return size
    raise UnknownShapeError(f"the element type of {op.node.kind} {op.node.name!r} is unknown")


def _traffic_elements(op: Operation, shape: Shape) -> int:
    if shape is None:
        raise UnknownShapeError(f"a shape of {op.node.kind} {op.node.name!r} is unknown")
    known = [size for size in shape if size is not None]
    if len(known) < len(shape):
        raise UnknownShapeError(f"a size of {op.node.kind} {op.node.name!r} is unknown")
    return math.prod(known)
