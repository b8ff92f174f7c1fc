"""What several replicas or workers are worth: strong and weak scaling, and their efficiency.

With n replicas or workers, t(n, b) the steady time of a step of b examples:

    strong efficiency = t(1, b) / (n · t(n, b))     the same batch, shared
    weak efficiency   = t(1, b / n) / t(n, b)       the same share for each

Either is the rate of work of all over n times that of one, and 1 where n do n times the work
(Hager and Wellein, "Introduction to High Performance Computing for Scientists and Engineers",
2010, section 5.3). Both come from the one comparison of the house, `speedup`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accelreport.analysis.results import PointKey, Result, point_key
from accelreport.analysis.speedup import Group, Rules, groups_of, rules_of, speedup
from accelreport.analysis.stats import NOTHING, Interval
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device

HOW = (
    "kind",
    "framework",
    "threads",
    "precision",
    "tf32",
    "xla",
    "eager",
    "torch_compile",
    "placement",
)
"""What a device has in common with the single one that it is held against."""


@dataclass(frozen=True)
class Scaling:
    """How well several replicas or workers do at a sweep point on one machine.

    Attributes:
        own: their processes.
        single: name of the device that is one of them.
        units: how many replicas or workers there are, n.
        strong: t(1, b) / (n · t(n, b)); `NOTHING` where the single one was not measured.
        weak: t(1, b / n) / t(n, b); `NOTHING` where the sweep has no batch of b / n.
    """

    own: Group
    single: str
    units: int
    strong: Interval
    weak: Interval


def replicas_of(device: Device) -> int:
    """Replicas or workers of a device, all hosts together."""
    return device.replicas * device.workers


def scaling_of(plan: PlanDocument, results: Sequence[Result]) -> tuple[Scaling, ...]:
    """Every device of several replicas or workers, where the plan has the same one by itself.

    Args:
        plan: its devices say how many replicas and workers there are.
        results: what was measured.
    """
    rules, groups = rules_of(plan, results), groups_of(results)
    places: dict[tuple[str, str, PointKey], Group] = {
        (each.device, each.machine, point_key(each.point)): each for each in groups
    }
    found = []
    for own in groups:
        device = plan.devices.get(own.device)
        single = _single(plan, own.device) if device and own.timed else None
        if device is None or single is None:
            continue
        units = replicas_of(device)
        at = (single, own.machine)
        same = places.get((*at, point_key(own.point)))
        share = _share(own.point, plan.workload.get("batch_size"), units)
        less = places.get((*at, point_key(share))) if share else None
        strong, weak = (_efficiency(own, base, rules, units) for base in (same, less))
        if strong.n or weak.n:
            found.append(Scaling(own, single, units, strong, weak))
    return tuple(found)


def _single(plan: PlanDocument, name: str) -> str | None:
    """The device of one replica that is driven alike; None where `name` is such a one itself."""
    device = plan.devices[name]
    if replicas_of(device) == 1:
        return None
    alike: Iterable[str] = (
        other
        for other, each in plan.devices.items()
        if replicas_of(each) == 1 and all(getattr(each, key) == getattr(device, key) for key in HOW)
    )
    return next(iter(alike), None)


def _share(
    point: Mapping[str, Scalar | None], batch: object, units: int
) -> dict[str, Scalar | None] | None:
    """The sweep point with one unit's share of the batch; None where the batch is not swept."""
    whole = point.get("batch_size", batch)
    if "batch_size" not in point or not isinstance(whole, int) or whole % units:
        return None
    return {**point, "batch_size": whole // units}


def _efficiency(own: Group, base: Group | None, rules: Rules, units: int) -> Interval:
    """The share of `units` times the rate of work of one that all of them reach."""
    found = speedup(own, base, rules) if base and base.timed else None
    if found is None or not (estimate := found.estimate or found.qualified):
        return NOTHING
    each = estimate.interval
    return Interval(each.value / units, each.low / units, each.high / units, each.n)
