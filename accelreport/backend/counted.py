"""The arithmetic of a step, whichever framework computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelreport.backend.flops import METHOD, CountError, count_step
from accelreport.backend.rooms import room
from accelreport.backend.runtime import Runtime
from accelreport.backend.traced import Traced
from accelreport.backend.traffic import METHOD as TRAFFIC_METHOD
from accelreport.backend.traffic import TRAFFIC
from accelreport.results.record import Flops
from accelreport.spec.families import TENSORFLOW


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
        found: Counted = room(runtime.framework, "arithmetic").counted_program(step)
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
    )
    return Counted(traced.kinds(), flops)


def _moved(traced: Traced) -> float | None:
    """Bytes of a step; None where a shape is not known, which the page then says."""
    try:
        return count_step(traced, TRAFFIC)
    except CountError:
        return None
