"""The arithmetic of a step: counted from what was traced or run of it, never from a profiler.

Profilers that add up a graph's operations count the body of a loop once, and so find a
hundredth of a recurrent network's arithmetic. Here a loop counts as often as it runs, in every
framework, so that all give one number for one model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    found: FlopResult = framework_module(runtime.framework, "flops").count_program(step)
    times = runtime.placement.graphs_in_step
    if found.flops is None or times == 1:
        return found
    counts = ("per_step", "bytes_per_step", "convolutions_per_step", "least_per_step")
    known = {name: count for name in counts if (count := getattr(found.flops, name)) is not None}
    whole = {name: count * times for name, count in known.items()}
    return FlopResult(found.kinds, found.flops.model_copy(update=whole))
