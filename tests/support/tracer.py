"""An oracle of a step's arithmetic: every operation of the graph that TensorFlow traced.

It shares no line with `accelreport.backend.arithmetic`, whose table it judges. A loop counts as
often as it runs, and what TensorFlow prunes does not count at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from tests.support.traced_graph import (
    BRANCHES,
    CALLS,
    LOOPS,
    Edge,
    GraphNode,
    Scope,
    Shape,
    Traced,
    Values,
    called,
)


class CountError(ValueError):
    """The operations of a graph cannot be counted."""


@dataclass(frozen=True)
class Work:
    """What products do; works add up, and a loop is a multiple of its turn.

    Attributes:
        operations: floating-point operations; a multiply-add is two.
        moved: bytes that they read and write; None where a size is not known.
        convolved: those of the operations that are convolutions'.
        least: operations that no fast algorithm goes below; see `Flops.least_per_step`.
    """

    operations: float = 0.0
    moved: float | None = 0.0
    convolved: float = 0.0
    least: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.operations + other.operations,
            None if self.moved is None or other.moved is None else self.moved + other.moved,
            self.convolved + other.convolved,
            self.least + other.least,
        )

    def __mul__(self, times: float) -> Work:
        moved = None if self.moved is None else self.moved * times
        return Work(self.operations * times, moved, self.convolved * times, self.least * times)


def product(operations: float, moved: float | None) -> Work:
    """A matrix product, or a fused recurrent kernel."""
    return Work(operations, moved, 0.0, operations)


def convolution(operations: float, moved: float | None, places: float) -> Work:
    """A convolution or one of its gradients, with a kernel of so many places.

    The least is one product for each input channel.
    """
    return Work(operations, moved, operations, operations / places)


def dearest(ways: Sequence[Work]) -> Work:
    """The most that any of several branches does, of each kind."""
    moved = [way.moved for way in ways if way.moved is not None]
    return Work(
        max(way.operations for way in ways),
        max(moved) if len(moved) == len(ways) else None,
        max(way.convolved for way in ways),
        max(way.least for way in ways),
    )


NEVER = -math.inf
"""The depth of what depends on nothing that is looked at."""

Turn = Callable[[Sequence[float], float], tuple[Sequence[float], float]]
"""Depths of a loop's variables and of constants → those of the variables after a turn, and the
largest depth in it."""


def after_turns(
    turn: Turn, start: Sequence[float], base: float, turns: int
) -> tuple[list[float], float]:
    """Depths of a loop's variables when it ends, and the largest depth in it.

    A depth is a maximum of sums, so that a turn is a matrix of longest paths from variable to
    variable (max-plus algebra), which one variable after the other gives.

    Args:
        turn: what one turn does.
        start: depths of the variables before it.
        base: depth of what depends on none of them.
        turns: how often it runs.
    """
    count = len(start)
    alone = [[0.0 if i == j else NEVER for j in range(count)] for i in range(count)]
    paths = [turn(one, NEVER) for one in alone]
    paths.append(turn([NEVER] * count, 0.0))
    matrix = np.array([[*results, most] for results, most in paths])
    depths, largest = np.array([*start, base]), NEVER
    for _ in range(turns):
        *after, most = (matrix + depths[:, None]).max(axis=0)
        largest = max(largest, float(most))
        depths[:count] = after
    return depths[:count].tolist(), largest


class UnknownShapeError(ValueError):
    """A size that the count needs is not known from the graph."""


@dataclass(frozen=True)
class Operation:
    """A node with the shapes at its ends."""

    node: GraphNode
    inputs: Sequence[Shape]
    outputs: Sequence[Shape]


Count = Callable[[Operation], float]
"""What an operation counts."""


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


DEPTHWISE = "DepthwiseConv2dNative"

CONVOLUTIONS: dict[str, Callable[[Operation], tuple[Shape, Shape]]] = {
    **dict.fromkeys(("Conv2D", "Conv3D", DEPTHWISE), lambda op: (op.outputs[0], op.inputs[1])),
    **dict.fromkeys(
        ("Conv2DBackpropInput", "Conv3DBackpropInputV2", f"{DEPTHWISE}BackpropInput"),
        lambda op: (op.inputs[2], op.inputs[1]),
    ),
    **dict.fromkeys(
        ("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", f"{DEPTHWISE}BackpropFilter"),
        lambda op: (op.inputs[2], op.outputs[0]),
    ),
}
"""Convolutions and their gradients: the shapes of the forward result and of the kernel."""


def _convolution(op: Operation, moved: float | None) -> Work:
    """2 · elements of the forward result · elements of the kernel that each is a sum over.

    Those are its places and input channels; an output channel of a depthwise one sees one input
    channel. A gradient counts as much as the convolution: each product is used once more, for the
    other factor.
    """
    result, kernel = CONVOLUTIONS[op.node.kind](op)
    if kernel is None:
        raise UnknownShapeError(f"the kernel of {op.node.kind} {op.node.name!r} is unknown")
    places = _elements(op, kernel[:-2])
    channels = 1 if op.node.kind.startswith(DEPTHWISE) else _known(op, kernel[-2])
    return convolution(2.0 * _elements(op, result) * places * channels, moved, places)


def _twice(count: Count) -> Count:
    """A gradient of a recurrent kernel, by its inputs and by its weights."""
    return lambda op: 2.0 * count(op)


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


def _block(op: Operation, positions: Shape, *weights: Shape) -> float:
    return 2.0 * _elements(op, positions) * sum(_elements(op, weight) for weight in weights)


def block_lstm(op: Operation) -> float:
    """2 · steps · batch · elements of the weights, for a whole sequence in one operation."""
    sequence = op.inputs[1]
    return _block(op, sequence[:2] if sequence else None, op.inputs[4])


def lstm_cell(op: Operation) -> float:
    """2 · batch · elements of the weights, for one step."""
    return _block(op, op.inputs[0][:1] if op.inputs[0] else None, op.inputs[3])


def gru_cell(op: Operation) -> float:
    """2 · batch · elements of both weights, for one step."""
    return _block(op, op.inputs[0][:1] if op.inputs[0] else None, op.inputs[2], op.inputs[3])


COUNTS: dict[str, Count] = {
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), matmul),
    "Einsum": einsum,
    **{f"CudnnRNN{version}": cudnn_rnn for version in ("", "V2", "V3")},
    **{f"CudnnRNNBackprop{version}": _twice(cudnn_rnn) for version in ("", "V2", "V3")},
    **{f"BlockLSTM{version}": block_lstm for version in ("", "V2")},
    **{f"BlockLSTMGrad{version}": _twice(block_lstm) for version in ("", "V2")},
    "LSTMBlockCell": lstm_cell,
    "GRUBlockCell": gru_cell,
}
"""Matrix products and recurrent kernels that are counted, by their type."""

COUNTED = COUNTS.keys() | CONVOLUTIONS.keys()
"""Types of all operations that are counted."""

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


def work_of(op: Operation) -> Work:
    """What a counted operation does.

    Raises:
        UnknownShapeError: a shape that its arithmetic needs is not known.
    """
    moved = None
    with suppress(UnknownShapeError):  # the page then says that the bytes are not known
        moved = operand_bytes(op)
    if op.node.kind in CONVOLUTIONS:
        return _convolution(op, moved)
    operations = COUNTS[op.node.kind](op)
    return product(operations, moved) if operations else Work()


def _itemsize(op: Operation) -> int:
    for name in ("T", "Ta"):
        if name in op.node.attributes:
            size = SIZES.get(op.node.attributes[name].type)
            if size is not None:
                return size
    raise UnknownShapeError(f"the element type of {op.node.kind} {op.node.name!r} is unknown")


def count_step(traced: Traced) -> Work:
    """What one step of a training loop does.

    Args:
        traced: a graph whose only loop runs the steps, as `TensorFlowEngine.step_graph` gives it.

    Raises:
        CountError: a shape or the number of steps of an inner loop is not known.
    """
    top = Scope(traced.top)
    loops = [node for node in traced.top.nodes.values() if node.kind in LOOPS]
    if len(loops) != 1:
        raise CountError(f"the graph has {len(loops)} loops over steps, not one")
    try:
        return _Counter(traced).one_step(top, loops[0])
    except UnknownShapeError as error:
        raise CountError(str(error)) from error


class _Counter:
    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self._values = Values(traced)

    def scope(self, scope: Scope, wanted: list[Edge], kept: list[str]) -> Work:
        """What is done for some results of a body."""
        live = scope.body.reached(wanted, kept)
        names = {edge.node for edge in live if not edge.argument}
        return sum((self._node(scope, scope.body.nodes[name], live) for name in names), Work())

    def one_step(self, scope: Scope, loop: GraphNode) -> Work:
        """What is done in one turn of a loop, all of whose variables are wanted."""
        inner = self._inside(scope, loop)
        return self.scope(inner, inner.body.results, inner.body.kept)

    def _node(self, scope: Scope, node: GraphNode, live: set[Edge]) -> Work:
        if node.kind in COUNTED:
            inputs = [scope.body.shape(edge) for edge in node.inputs]
            return work_of(Operation(node, inputs, node.shapes))
        wanted = sorted(edge.index for edge in live if edge.node == node.name and edge.index >= 0)
        if node.kind in CALLS:
            inner = called(self._traced, scope, node)
            return self._body(inner, wanted)
        if node.kind in BRANCHES:
            return dearest([self._body(way, wanted) for way in self._branches(scope, node)])
        if node.kind in LOOPS:
            return self._loop(scope, node, set(wanted))
        return Work()

    def _body(self, inner: Scope, wanted: list[int]) -> Work:
        results = [inner.body.results[number] for number in wanted]
        return self.scope(inner, results, inner.body.kept)

    def _branches(self, scope: Scope, node: GraphNode) -> list[Scope]:
        if node.kind in {"If", "StatelessIf"}:
            names = [node.function("then_branch"), node.function("else_branch")]
        else:
            names = node.functions("branches")
        given = tuple(node.inputs[1:])
        return [Scope(self._traced.body(name), scope, given) for name in names]

    def _inside(self, scope: Scope, loop: GraphNode) -> Scope:
        body = self._traced.body(loop.function("body"))
        return Scope(body, scope, tuple(loop.inputs), self._values.unchanged(loop))

    def _live(self, inner: Scope, loop: GraphNode, wanted: set[int]) -> list[int]:
        """Positions of a loop's variables that are computed.

        A variable of the loop that nobody reads, neither outside nor in computing another
        one, is pruned with all that only it needs.
        """
        condition = self._traced.body(loop.function("cond"))
        read = condition.reached(condition.results, condition.kept)
        live = wanted | {edge.index for edge in read if edge.argument}
        while True:
            results = [inner.body.results[number] for number in sorted(live)]
            reached = inner.body.reached(results, inner.body.kept)
            more = {edge.index for edge in reached if edge.argument} - live
            if not more:
                return sorted(live)
            live |= more

    def _loop(self, scope: Scope, loop: GraphNode, wanted: set[int]) -> Work:
        """What is done in all turns."""
        inner = self._inside(scope, loop)
        live = self._live(inner, loop, wanted)
        results = [inner.body.results[number] for number in live]
        turn = self.scope(inner, results, inner.body.kept)
        if turn == Work():
            return turn
        trips = self._values.trips(scope, loop)
        if trips is None and turn.operations:
            raise CountError(f"how often the loop {loop.name!r} runs is not known")
        return Work(moved=None) if trips is None else turn * trips


LISTS = "TensorList"
"""How the kinds of operations begin that stack up tensors, and take them from a stack."""


def chained(op: Operation) -> float:
    """Products that an operation does one after the other: steps of a fused recurrent kernel."""
    if op.node.kind.startswith("CudnnRNN"):
        time_major = "time_major" not in op.node.attributes or op.node.flag("time_major")
        return float(_known(op, _end(op.inputs[0], 0 if time_major else 1)))
    if op.node.kind.startswith("BlockLSTM"):
        return float(_known(op, _end(op.inputs[1], 0)))
    return 1.0 if work_of(op).operations else 0.0


def count_depth(traced: Traced) -> float:
    """The longest chain of a training step; see `Flops.depth`.

    Raises:
        CountError: a shape or the number of steps of an inner loop is not known.
    """
    (loop,) = (node for node in traced.top.nodes.values() if node.kind in LOOPS)
    found = _Depths(traced)
    inner = found._inside(Scope(traced.top), loop)
    try:
        return found.most(inner)
    except UnknownShapeError as error:
        raise CountError(str(error)) from error


class _Depths(_Counter):
    """Depths in the place of sums."""

    def most(self, inner: Scope) -> float:
        """The largest depth in a body."""
        every = list(range(len(inner.body.results)))
        return self._inside_of(inner, every, [0.0] * len(inner.body.arguments), 0.0)[1]

    def _inside_of(
        self, scope: Scope, wanted: Sequence[int], inputs: Sequence[float], base: float
    ) -> tuple[list[float], float]:
        """Depths of some results of a body, and the largest in it."""
        body = scope.body
        results = [body.results[number] for number in wanted]
        live = body.reached(results, body.kept)
        depths: dict[str, Sequence[float]] = {}
        largest = NEVER

        def of(edge: Edge) -> float:
            if edge.argument:
                return inputs[edge.index]
            ends = depths[edge.node]
            return ends[edge.index] if len(ends) > 1 else ends[0]

        waiting = sorted({edge.node for edge in live if not edge.argument})
        while waiting:
            node = body.nodes[waiting[-1]]
            missing = [e.node for e in node.inputs if not e.argument and e.node not in depths]
            if node.name in depths or missing:
                waiting = waiting[:-1] if node.name in depths else [*waiting, *missing]
                continue
            before = [of(edge) for edge in node.inputs]
            depths[node.name], most = self._depth_of(scope, node, live, before, base)
            largest = max(largest, most)
            waiting.pop()
        return [of(edge) for edge in results], largest

    def _depth_of(
        self, scope: Scope, node: GraphNode, live: set[Edge], before: list[float], base: float
    ) -> tuple[Sequence[float], float]:
        """Depths of a node's outputs, and the largest in it."""
        ready = max([base, *before])
        if node.kind in COUNTED:
            inputs = [scope.body.shape(edge) for edge in node.inputs]
            ready += chained(Operation(node, inputs, node.shapes))
        if node.kind.startswith(LISTS):
            return [base], base
        wanted = sorted({e.index for e in live if e.node == node.name and e.index >= 0})
        if node.kind in CALLS:
            ways = [self._inside_of(called(self._traced, scope, node), wanted, before, base)]
        elif node.kind in BRANCHES:
            given, decided = before[1:], max(base, before[0])
            ways = [
                self._inside_of(inner, wanted, given, decided)
                for inner in self._branches(scope, node)
            ]
        elif node.kind in LOOPS:
            return self._depth_of_loop(scope, node, set(wanted), before, base)
        else:
            return [ready], ready
        ends = [NEVER] * (max(wanted, default=0) + 2)
        for number, place in enumerate(wanted):
            ends[place] = min(found[number] for found, _ in ways)
        return ends, min(most for _, most in ways)

    def _depth_of_loop(
        self, scope: Scope, loop: GraphNode, wanted: set[int], before: list[float], base: float
    ) -> tuple[Sequence[float], float]:
        inner = self._inside(scope, loop)
        live = self._live(inner, loop, wanted)
        results = [inner.body.results[number] for number in live]
        ready = max([base, *before])
        if not self.scope(inner, results, inner.body.kept).operations:
            return [ready], ready
        trips = self._values.trips(scope, loop)
        if trips is None:
            raise CountError(f"how often the loop {loop.name!r} runs is not known")

        def turn(inputs: Sequence[float], least: float) -> tuple[Sequence[float], float]:
            given = [NEVER] * len(loop.inputs)
            for place, depth in zip(live, inputs, strict=True):
                given[place] = depth
            return self._inside_of(inner, live, given, least)

        ends, most = after_turns(turn, [before[place] for place in live], base, int(trips))
        found = [ready] * (len(loop.inputs) + 1)
        for place, depth in zip(live, ends, strict=True):
            found[place] = depth
        return found, most
