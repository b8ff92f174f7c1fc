"""The arithmetic of a step: counted from what was traced or run of it, never from a profiler.

Profilers that add up a graph's operations count the body of a loop once, and so find a
hundredth of a recurrent network's arithmetic. Here a loop counts as often as it runs, in every
framework. A framework's module says which of its operations are products, and what `Work` each of
them is; all else is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from accelreport.backend.frameworks import Runtime, framework_module
from accelreport.results.record import Flops

BYTES_METHOD = (
    "each counted product reads its operands and writes its result once; element-wise "
    "operations, the optimizer and reuse in caches are left out"
)
"""How the bytes were counted, for the record."""


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


Counted = tuple[frozenset[str] | None, Work | str, float | None]
"""What a framework's `count_program` gives: names of a step's operations, None where no step could
be looked at; the work of its products, or why it is not known; and its depth (`Flops.depth`)."""


@dataclass(frozen=True)
class FlopResult:
    """What is known of a step's arithmetic.

    Attributes:
        kinds: names of all operations; None where no step could be looked at.
        flops: how many floating-point operations they are; None where that is not known.
        unknown: why not.
    """

    kinds: frozenset[str] | None
    flops: Flops | None
    unknown: str = ""


def count_flops(step: Any, runtime: Runtime) -> FlopResult:
    """Count the operations of a step, and the bytes that they read and write.

    Args:
        step: as `Engine.step_graph` gives it.
        runtime: the framework that computes it.
    """
    module = framework_module(runtime.framework)
    counted: Counted = module.count_program(step)
    kinds, work, depth = counted
    if isinstance(work, str):
        return FlopResult(kinds, None, work)
    work *= runtime.placement.graphs_in_step
    flops = Flops(
        per_step=work.operations,
        method=module.METHOD,
        bytes_per_step=work.moved,
        bytes_method="" if work.moved is None else BYTES_METHOD,
        convolutions_per_step=work.convolved,
        least_per_step=work.least,
        depth=depth,
    )
    return FlopResult(kinds, flops)
