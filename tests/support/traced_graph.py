"""A traced TensorFlow graph as nodes, edges and shapes, and how often each of its loops runs.

It works on the serialised graph (`GraphDef`), which is TensorFlow's public format. Input edges are
written there in two ways: `node:2` in a graph, `node:output:2` in a function's body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_def_registry

Shape = tuple[int | None, ...] | None
"""Sizes of a tensor, None where unknown; None as a whole when even the rank is unknown."""

CALLS = {"PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall"}
LOOPS = {"While", "StatelessWhile"}
BRANCHES = {"If", "StatelessIf", "Case", "StatelessCase"}


@dataclass(frozen=True)
class Edge:
    """One output of a node, or an argument of the body (then `index` is its position)."""

    node: str
    index: int
    argument: bool = False


@dataclass
class GraphNode:
    """An operation.

    Attributes:
        name: its name in its body.
        kind: the operation's type, such as `MatMul`.
        attributes: its attributes, as TensorFlow stores them.
        inputs: its data inputs.
        controls: names of nodes that must have run before.
        shapes: shapes of its outputs.
    """

    name: str
    kind: str
    attributes: Any
    inputs: list[Edge]
    controls: list[str]
    shapes: list[Shape]

    def function(self, attribute: str = "f") -> str:
        """Name of the function an attribute holds."""
        return str(self.attributes[attribute].func.name)

    def functions(self, attribute: str) -> list[str]:
        """Names of the functions an attribute lists."""
        return [str(function.name) for function in self.attributes[attribute].list.func]

    def flag(self, *names: str) -> bool:
        """Whether one of some boolean attributes is set."""
        return any(name in self.attributes and self.attributes[name].b for name in names)

    def text(self, attribute: str, default: str = "") -> str:
        """A textual attribute."""
        if attribute not in self.attributes:
            return default
        return str(self.attributes[attribute].s.decode())


@dataclass
class Body:
    """The nodes of a graph or of a function.

    Attributes:
        nodes: by name.
        arguments: shapes of the arguments.
        results: what it returns; for a graph nothing.
        kept: names of nodes that run for their effect.
    """

    nodes: dict[str, GraphNode]
    arguments: list[Shape] = field(default_factory=list)
    results: list[Edge] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def shape(self, edge: Edge) -> Shape:
        """Shape of what an edge carries."""
        shapes = self.arguments if edge.argument else self.nodes[edge.node].shapes
        return shapes[edge.index] if edge.index < len(shapes) else None

    def reached(self, edges: Iterable[Edge], kept: Iterable[str] = ()) -> set[Edge]:
        """Every edge that some edges and nodes depend on, themselves included.

        What is not among them is never run: TensorFlow prunes it.
        """
        found: set[Edge] = set()
        visited: set[str] = set()
        waiting = [*edges]
        names = [*kept]
        while waiting or names:
            if waiting:
                edge = waiting.pop()
                found.add(edge)
                name = "" if edge.argument else edge.node
            else:
                name = names.pop()
            if not name or name in visited:
                continue
            visited.add(name)
            waiting += self.nodes[name].inputs
            names += self.nodes[name].controls
            # A node without outputs in use still runs: remembered by an output it has not.
            found.add(Edge(name, -1))
        return found


class Traced:
    """A graph and its library of functions.

    Args:
        definition: a `GraphDef` made with `as_graph_def(add_shapes=True)`.
    """

    def __init__(self, definition: Any) -> None:
        self._functions = {f.signature.name: f for f in definition.library.function}
        self._bodies: dict[str, Body] = {}
        self._nodes = definition.node

    @cached_property
    def top(self) -> Body:
        """The graph itself."""
        return Body({node.name: _node(node, {}) for node in self._nodes})

    def body(self, function: str) -> Body:
        """The body of a function of the library."""
        if function not in self._bodies:
            self._bodies[function] = _function_body(self._functions[function])
        return self._bodies[function]


def _function_body(definition: Any) -> Body:
    arguments = {arg.name: number for number, arg in enumerate(definition.signature.input_arg)}
    nodes = {node.name: _node(node, arguments) for node in definition.node_def}
    operations = {node.name: node for node in definition.node_def}
    for node in nodes.values():
        node.inputs = [_flat(edge, operations) for edge in node.inputs]
    results = [
        _flat(_edge(definition.ret[out.name], arguments), operations)
        for out in definition.signature.output_arg
    ]
    shapes: list[Shape] = []
    for number in range(len(arguments)):
        attributes = definition.arg_attr[number].attr if number in definition.arg_attr else {}
        shapes += (_shapes(attributes) or [None])[:1]
    return Body(nodes, shapes, results, list(definition.control_ret.values()))


def _node(definition: Any, arguments: dict[str, int]) -> GraphNode:
    data = [name for name in definition.input if not name.startswith("^")]
    return GraphNode(
        name=definition.name,
        kind=definition.op,
        attributes=definition.attr,
        inputs=[_edge(name, arguments) for name in data],
        controls=[
            name[1:]
            for name in definition.input
            if name.startswith("^") and name[1:] not in arguments
        ],
        shapes=_shapes(definition.attr),
    )


@dataclass(frozen=True)
class _NamedEdge(Edge):
    """An edge of a function's body: the index counts within a named output."""

    output: str = ""


def _edge(text: str, arguments: dict[str, int]) -> Edge:
    if text in arguments:
        return Edge(text, arguments[text], argument=True)
    name, *rest = text.split(":")
    if len(rest) == 2:
        return _NamedEdge(name, int(rest[1]), output=rest[0])
    return Edge(name, int(rest[0]) if rest else 0)


def _flat(edge: Edge, operations: dict[str, Any]) -> Edge:
    """The edge with its index counted over all outputs of its node."""
    if not isinstance(edge, _NamedEdge):
        return edge
    node = operations[edge.node]
    before = 0
    for output in op_def_registry.get(node.op).output_arg:
        if output.name == edge.output:
            break
        before += _length(output, node.attr)
    return Edge(edge.node, before + edge.index)


def _length(output: Any, attributes: Any) -> int:
    """How many tensors an output stands for."""
    if output.number_attr:
        return int(attributes[output.number_attr].i)
    if output.type_list_attr:
        return len(attributes[output.type_list_attr].list.type)
    return 1


def _shapes(attributes: Any) -> list[Shape]:
    if "_output_shapes" not in attributes:
        return []
    return [
        None if shape.unknown_rank else tuple(d.size if d.size >= 0 else None for d in shape.dim)
        for shape in attributes["_output_shapes"].list.shape
    ]


@dataclass(frozen=True)
class Scope:
    """A body at one place where it is called.

    Attributes:
        body: the nodes.
        outer: the caller's scope; None for the graph itself.
        given: the caller's edges, one for each argument.
        invariant: of a loop's body or condition: positions that no step changes; the other
            arguments hold another value in each step.
    """

    body: Body
    outer: Scope | None = None
    given: tuple[Edge, ...] = ()
    invariant: frozenset[int] | None = None


class Values:
    """Whole numbers that follow from constants and shapes.

    Args:
        traced: the graph.
    """

    def __init__(self, traced: Traced) -> None:
        self._traced = traced

    def number(self, scope: Scope, edge: Edge) -> float | None:
        """The scalar an edge carries; None when it is not known before the graph runs."""
        if edge.argument:
            if scope.outer is None or edge.index >= len(scope.given):
                return None
            if scope.invariant is not None and edge.index not in scope.invariant:
                return None
            return self.number(scope.outer, scope.given[edge.index])
        node = scope.body.nodes[edge.node]
        if node.kind == "Const":
            return _constant(node)
        if node.kind in LOOPS:
            return self._after_loop(scope, node, edge.index)
        if node.kind in CALLS:
            inner = called(self._traced, scope, node)
            return self.number(inner, inner.body.results[edge.index])
        return self._computed(scope, node)

    def trips(self, scope: Scope, loop: GraphNode) -> float | None:
        """How many steps a loop takes; None when the graph does not say.

        Understood is a condition that is a comparison of a counter with a bound, or several
        of them joined by "and", as `tf.while_loop` and its gradient are traced.
        """
        condition = self._traced.body(loop.function("cond"))
        inner = Scope(condition, scope, tuple(loop.inputs), self.unchanged(loop))
        found = [
            count
            for test in _tests(condition, condition.results[0])
            if (count := self._until(scope, loop, inner, test)) is not None
        ]
        return min(found) if found else None

    def _until(self, scope: Scope, loop: GraphNode, inner: Scope, test: GraphNode) -> float | None:
        counter, bound = test.inputs
        if not counter.argument:
            return None
        start = self.number(scope, loop.inputs[counter.index])
        end = self.number(inner, bound)
        step = self._increment(loop, counter.index)
        if start is None or end is None or not step:
            return None
        return max(0, math.ceil((end - start) / step))

    def _increment(self, loop: GraphNode, position: int) -> float | None:
        """What a step of a loop adds to one of its variables."""
        body = self._traced.body(loop.function("body"))
        node = _behind_identities(body, body.results[position])
        if node is None or node.kind not in {"AddV2", "Add"}:
            return None
        own = Edge(node.inputs[0].node, position, argument=True)
        added = node.inputs[1] if node.inputs[0] == own else node.inputs[0]
        if own not in node.inputs:
            return None
        return self.number(Scope(body), added)

    def unchanged(self, loop: GraphNode) -> frozenset[int]:
        """Positions of a loop's variables that a step hands on as they were."""
        body = self._traced.body(loop.function("body"))
        return frozenset(
            position
            for position, result in enumerate(body.results)
            if _origin(body, result) == (position, True)
        )

    def _after_loop(self, scope: Scope, loop: GraphNode, position: int) -> float | None:
        start = self.number(scope, loop.inputs[position])
        if position in self.unchanged(loop) or start is None:
            return start
        trips, step = self.trips(scope, loop), self._increment(loop, position)
        return None if trips is None or step is None else start + trips * step

    def _computed(self, scope: Scope, node: GraphNode) -> float | None:
        values = [self.number(scope, edge) for edge in node.inputs]
        if node.kind in {"Max", "Min", "Prod", "Sum"}:
            # Reductions of a scalar, as Keras writes the length of a sequence.
            return values[0]
        known = [value for value in values if value is not None]
        if len(known) < len(values) or not values:
            return None
        arithmetic = {
            "Identity": lambda: known[0],
            "Cast": lambda: known[0],
            "AddV2": lambda: known[0] + known[1],
            "Add": lambda: known[0] + known[1],
            "Sub": lambda: known[0] - known[1],
            "Mul": lambda: known[0] * known[1],
            "Maximum": lambda: max(known),
            "Minimum": lambda: min(known),
            "FloorDiv": lambda: known[0] // known[1],
        }
        found = arithmetic.get(node.kind)
        return None if found is None else found()


def called(traced: Traced, scope: Scope, call: GraphNode) -> Scope:
    """The body of a function where a node calls it."""
    return Scope(traced.body(call.function()), scope, tuple(call.inputs))


def _constant(node: GraphNode) -> float | None:
    value: Any = tf.make_ndarray(node.attributes["value"].tensor)
    return float(value.reshape(())) if value.size == 1 and value.dtype.kind in "iuf" else None


def _tests(body: Body, edge: Edge) -> list[GraphNode]:
    """The comparisons "counter < bound" that a condition joins."""
    if edge.argument:
        return []
    node = body.nodes[edge.node]
    if node.kind == "Less":
        return [node]
    if node.kind in {"Identity", "LogicalAnd"}:
        return [test for part in node.inputs for test in _tests(body, part)]
    return []


def _behind_identities(body: Body, edge: Edge) -> GraphNode | None:
    while not edge.argument:
        node = body.nodes[edge.node]
        if node.kind != "Identity":
            return node
        edge = node.inputs[0]
    return None


def _origin(body: Body, edge: Edge) -> tuple[int, bool]:
    """Where a result comes from when only identities lie between."""
    while not edge.argument:
        node = body.nodes[edge.node]
        if node.kind != "Identity":
            return edge.index, False
        edge = node.inputs[0]
    return edge.index, True
