"""In what two configurations differ: a comparison is said only where that is one thing."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device


class Difference(StrEnum):
    """A thing in which two configurations may differ; of a swept key it is the key itself."""

    HARDWARE = "hardware"
    FRAMEWORK = "framework"
    PRECISION = "precision"
    MODE = "mode"
    THREADS = "threads"
    REPLICAS = "replicas"
    PLACEMENT = "placement"


class Configuration(NamedTuple):
    """A device of a plan on a machine at a sweep point."""

    device: str
    machine: str
    point: Mapping[str, Scalar | None]


PLAIN = {"tensorflow": 1, "torch": 0, "jax": 2}
"""How far each framework compiles the steps unless asked otherwise."""


def compiled(way: Device) -> int:
    """How far a framework compiles the steps: not at all, to a graph, or to machine code."""
    if way.framework == "tensorflow":
        return 0 if way.eager else 2 if way.xla else 1
    return 2 if way.framework == "jax" or way.torch_compile else 0


def differences(
    plan: PlanDocument, one: Configuration, other: Configuration
) -> tuple[Difference | str, ...]:
    """Everything in which two configurations differ: `Difference`, and the swept keys.

    Threads are a property of a CPU, and those of replicas are of each of them: they count only
    between two CPUs that are driven by one process each.
    """
    a, b = plan.devices[one.device], plan.devices[other.device]
    kinds = a.kind != b.kind
    alone = a.all_replicas == b.all_replicas == 1 and a.strategy == b.strategy
    unlike = {
        Difference.HARDWARE: kinds or one.machine != other.machine,
        Difference.FRAMEWORK: a.framework != b.framework,
        Difference.PRECISION: (a.precision, a.tf32) != (b.precision, b.tf32),
        Difference.MODE: compiled(a) != compiled(b),
        Difference.THREADS: alone and not kinds and a.threads != b.threads,
        Difference.REPLICAS: _shared(a) != _shared(b),
        Difference.PLACEMENT: a.placement != b.placement,
    }
    swept = (key for key, value in one.point.items() if value != other.point.get(key))
    return (*(difference for difference, holds in unlike.items() if holds), *swept)


def _shared(way: Device) -> tuple[object, ...]:
    """How several replicas share a step; the same of all that are one, as the cores of a TPU."""
    if way.kind == "TPU":
        return ()
    several = (way.strategy, way.replicas, way.workers, way.spread)
    return several if way.all_replicas > 1 else ()
