"""How often a loop of a traced graph runs, found from the graph alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from accelreport.backend.traced import CALLS, LOOPS, Body, Edge, Node, Traced


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

    def trips(self, scope: Scope, loop: Node) -> float | None:
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

    def _until(self, scope: Scope, loop: Node, inner: Scope, test: Node) -> float | None:
        counter, bound = test.inputs
        if not counter.argument:
            return None
        start = self.number(scope, loop.inputs[counter.index])
        end = self.number(inner, bound)
        step = self._increment(loop, counter.index)
        if start is None or end is None or not step:
            return None
        return max(0, math.ceil((end - start) / step))

    def _increment(self, loop: Node, position: int) -> float | None:
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

    def unchanged(self, loop: Node) -> frozenset[int]:
        """Positions of a loop's variables that a step hands on as they were."""
        body = self._traced.body(loop.function("body"))
        return frozenset(
            position
            for position, result in enumerate(body.results)
            if _origin(body, result) == (position, True)
        )

    def _after_loop(self, scope: Scope, loop: Node, position: int) -> float | None:
        start = self.number(scope, loop.inputs[position])
        if position in self.unchanged(loop) or start is None:
            return start
        trips, step = self.trips(scope, loop), self._increment(loop, position)
        return None if trips is None or step is None else start + trips * step

    def _computed(self, scope: Scope, node: Node) -> float | None:
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


def called(traced: Traced, scope: Scope, call: Node) -> Scope:
    """The body of a function where a node calls it."""
    return Scope(traced.body(call.function()), scope, tuple(call.inputs))


def _constant(node: Node) -> float | None:
    import tensorflow as tf

    value: Any = tf.make_ndarray(node.attributes["value"].tensor)
    return float(value.reshape(())) if value.size == 1 and value.dtype.kind in "iuf" else None


def _tests(body: Body, edge: Edge) -> list[Node]:
    """The comparisons "counter < bound" that a condition joins."""
    if edge.argument:
        return []
    node = body.nodes[edge.node]
    if node.kind == "Less":
        return [node]
    if node.kind in {"Identity", "LogicalAnd"}:
        return [test for part in node.inputs for test in _tests(body, part)]
    return []


def _behind_identities(body: Body, edge: Edge) -> Node | None:
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
