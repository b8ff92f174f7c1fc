"""The arithmetic of a step, whichever framework computes it.

Profilers that add up a graph's operations count the body of a loop once, and so find a
hundredth of a recurrent network's arithmetic. Here a loop counts as often as it runs, and
what TensorFlow prunes does not count at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.backend.flops.graph import (
    BRANCHES,
    CALLS,
    LOOPS,
    Edge,
    Node,
    Scope,
    Traced,
    Values,
    called,
)
from accelreport.backend.flops.operations import (
    CONVOLUTIONS,
    COUNTS,
    TRAFFIC,
    Count,
    Operation,
    UnknownShapeError,
)
from accelreport.backend.flops.operations import METHOD as TRAFFIC_METHOD
from accelreport.backend.frameworks import framework_module
from accelreport.backend.runtime import Runtime
from accelreport.results.record import Flops
from accelreport.spec.families import TENSORFLOW

METHOD = (
    "counted in the traced step: convolutions, matrix products and fused recurrent kernels, "
    "forward and backward, loops as often as they run; a multiply-add is two operations, "
    "element-wise operations are left out"
)
"""How the operations were counted, for the record."""


class CountError(ValueError):
    """The operations of a graph cannot be counted."""


def count_step(traced: Traced, counts: Mapping[str, Count] = COUNTS) -> float:
    """Operations of one step of a training loop.

    Args:
        traced: a graph whose only loop runs the steps, as `Graphs.step_graph` gives it.
        counts: what is counted of each type of operation, such as `traffic.TRAFFIC`.

    Raises:
        CountError: a shape or the number of steps of an inner loop is not known.
    """
    top = Scope(traced.top)
    loops = [node for node in traced.top.nodes.values() if node.kind in LOOPS]
    if len(loops) != 1:
        raise CountError(f"the graph has {len(loops)} loops over steps, not one")
    try:
        return _Counter(traced, counts).one_step(top, loops[0])
    except UnknownShapeError as error:
        raise CountError(str(error)) from error


def count_function(
    traced: Traced, results: list[str], counts: Mapping[str, Count] = COUNTS
) -> float:
    """Operations of a whole graph.

    Args:
        traced: the graph.
        results: names of the operations whose outputs are wanted.
        counts: as for `count_step`.

    Raises:
        CountError: a shape or the number of steps of a loop is not known.
    """
    top = Scope(traced.top)
    try:
        return _Counter(traced, counts).scope(top, [Edge(name, 0) for name in results], kept=[])
    except UnknownShapeError as error:
        raise CountError(str(error)) from error


class _Counter:
    def __init__(self, traced: Traced, counts: Mapping[str, Count]) -> None:
        self._traced = traced
        self._counts = counts
        self._values = Values(traced)

    def scope(self, scope: Scope, wanted: list[Edge], kept: list[str]) -> float:
        """Operations needed for some results of a body."""
        live = scope.body.reached(wanted, kept)
        names = {edge.node for edge in live if not edge.argument}
        return sum(self._node(scope, scope.body.nodes[name], live) for name in names)

    def one_step(self, scope: Scope, loop: Node) -> float:
        """Operations of one turn of a loop, all of whose variables are wanted."""
        inner = self._inside(scope, loop)
        return self.scope(inner, inner.body.results, inner.body.kept)

    def _node(self, scope: Scope, node: Node, live: set[Edge]) -> float:
        if node.kind in self._counts:
            inputs = [scope.body.shape(edge) for edge in node.inputs]
            return self._counts[node.kind](Operation(node, inputs, node.shapes))
        wanted = sorted(edge.index for edge in live if edge.node == node.name and edge.index >= 0)
        if node.kind in CALLS:
            inner = called(self._traced, scope, node)
            return self._body(inner, wanted)
        if node.kind in BRANCHES:
            return max(self._body(inner, wanted) for inner in self._branches(scope, node))
        if node.kind in LOOPS:
            return self._loop(scope, node, set(wanted))
        return 0.0

    def _body(self, inner: Scope, wanted: list[int]) -> float:
        results = [inner.body.results[number] for number in wanted]
        return self.scope(inner, results, inner.body.kept)

    def _branches(self, scope: Scope, node: Node) -> list[Scope]:
        if node.kind in {"If", "StatelessIf"}:
            names = [node.function("then_branch"), node.function("else_branch")]
        else:
            names = node.functions("branches")
        given = tuple(node.inputs[1:])
        return [Scope(self._traced.body(name), scope, given) for name in names]

    def _inside(self, scope: Scope, loop: Node) -> Scope:
        body = self._traced.body(loop.function("body"))
        return Scope(body, scope, tuple(loop.inputs), self._values.unchanged(loop))

    def _loop(self, scope: Scope, loop: Node, wanted: set[int]) -> float:
        """Operations of all turns.

        A variable of the loop that nobody reads, neither outside nor in computing another
        one, is pruned with all that only it needs.
        """
        inner = self._inside(scope, loop)
        condition = self._traced.body(loop.function("cond"))
        read = condition.reached(condition.results, condition.kept)
        live = wanted | {edge.index for edge in read if edge.argument}
        while True:
            results = [inner.body.results[number] for number in sorted(live)]
            reached = inner.body.reached(results, inner.body.kept)
            more = {edge.index for edge in reached if edge.argument} - live
            if not more:
                break
            live |= more
        once = self.scope(inner, results, inner.body.kept)
        if once == 0:
            return 0.0
        trips = self._values.trips(scope, loop)
        if trips is None:
            raise CountError(f"how often the loop {loop.name!r} runs is not known")
        return once * trips


@dataclass(frozen=True)
class Counted:
    """What is known of a step's arithmetic.

    Attributes:
        kinds: names of all operations; None where no step could be looked at.
        flops: how many floating-point operations they are; None where that is not known.
        unknown: why not.
    """

    kinds: frozenset[str] | None
    flops: Flops | None
    unknown: str = ""


def counted(step: Any, runtime: Runtime) -> Counted:
    """Count the operations of a step.

    Args:
        step: as `Engine.step_graph` gives it.
        runtime: the framework that computes it.
    """
    if runtime.framework != TENSORFLOW:
        found: Counted = framework_module(runtime.framework, "flops").counted_program(step)
        return found
    return _counted_graph(Traced(step), runtime.placement.graphs_in_step)


def _counted_graph(traced: Traced, graphs_in_step: int) -> Counted:
    try:
        operations = count_step(traced)
    except CountError as error:
        return Counted(traced.kinds(), None, str(error))
    moved = _moved(traced)
    flops = Flops(
        per_step=operations * graphs_in_step,
        method=METHOD,
        bytes_per_step=None if moved is None else moved * graphs_in_step,
        bytes_method="" if moved is None else TRAFFIC_METHOD,
        convolutions_per_step=count_step(traced, CONVOLUTIONS) * graphs_in_step,
    )
    return Counted(traced.kinds(), flops)


def _moved(traced: Traced) -> float | None:
    """Bytes of a step; None where a shape is not known, which the page then says."""
    try:
        return count_step(traced, TRAFFIC)
    except CountError:
        return None
