"""A traced TensorFlow graph as nodes, edges and shapes, function calls resolved.

Works on the serialised graph (`GraphDef`), which is TensorFlow's public format. Input edges
are written there in two ways: `node:2` in a graph, `node:output:2` in a function's body.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

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
class Node:
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

    nodes: dict[str, Node]
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

    def kinds(self) -> frozenset[str]:
        """Types of all operations, in the graph and in all functions."""
        inside = {node.op for f in self._functions.values() for node in f.node_def}
        return frozenset(inside | {node.op for node in self._nodes})


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


def _node(definition: Any, arguments: dict[str, int]) -> Node:
    data = [name for name in definition.input if not name.startswith("^")]
    return Node(
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
    from tensorflow.python.framework import op_def_registry

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
