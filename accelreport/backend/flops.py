"""The arithmetic of a step: counted from what was traced or run of it, never from a profiler.

Profilers that add up a graph's operations count the body of a loop once, and so find a
hundredth of a recurrent network's arithmetic. Here a loop counts as often as it runs, in every
framework, so that all give one number for one model.
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
    found: FlopResult = framework_module(runtime.framework).count_program(step)
    times = runtime.placement.graphs_in_step
    if found.flops is None or times == 1:
        return found
    counts = ("per_step", "bytes_per_step", "convolutions_per_step", "least_per_step")
    known = {name: count for name in counts if (count := getattr(found.flops, name)) is not None}
    whole = {name: count * times for name, count in known.items()}
    return FlopResult(found.kinds, found.flops.model_copy(update=whole))
