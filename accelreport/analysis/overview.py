"""Which device for what, and how machines compare.

Processes of different machines share no repeat, so the interval is Welch's (1947) on
logarithms of the steady times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

from accelreport.analysis.results import PointKey, Result
from accelreport.analysis.speedup import (
    Group,
    Rules,
    Speedup,
    rules_of,
    speedup,
    work_of_a_step,
)
from accelreport.analysis.stats import Verdict
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Scalar


@dataclass(frozen=True)
class Candidate:
    """A device that was measured at a sweep point.

    Attributes:
        group: its processes.
        seconds: of the work that a step of the first device does, a geometric mean.
        cost: of a million steps, in its currency; NaN where nobody said what an hour costs.
        currency: of the cost.
    """

    group: Group
    seconds: float
    cost: float
    currency: str


@dataclass(frozen=True)
class Choice:
    """Which device to use at a sweep point, from what was measured.

    Attributes:
        point: the sweep point.
        best: the device with the least time for the same work.
        against: how many times as fast it is as each of the others, the fastest first.
        cheapest: the least price for the same work; None where fewer than two devices have
            prices in one currency.
        withheld: what was measured and cannot be ranked, as it does not do the same.
    """

    point: Mapping[str, Scalar | None]
    best: Candidate
    against: tuple[Speedup, ...]
    cheapest: Candidate | None
    withheld: tuple[Speedup, ...]

    @property
    def ties(self) -> tuple[str, ...]:
        """Devices that it was not shown to be faster than."""
        return tuple(
            each.base.device
            for each in self.against
            if each.base and each.verdict is not Verdict.FASTER
        )

    @property
    def decided(self) -> bool:
        """Whether it was shown to be faster than every other device."""
        return bool(self.against) and not self.ties


def choices(
    plan: PlanDocument, results: Sequence[Result], found: Sequence[Speedup]
) -> tuple[Choice, ...]:
    """Which device to use at each sweep point, where any was measured.

    Only devices that do the same are ranked: those whose speedup over the baseline is withheld
    are named beside them. Points at which one device alone was measured decide nothing.
    """
    rules = rules_of(plan, results)
    by_point: dict[object, list[Speedup]] = {}
    for each in found:
        if each.own.timed:
            by_point.setdefault(each.own.results[0].where, []).append(each)
    return tuple(_choice(plan, rules, measured) for measured in by_point.values())


def _choice(plan: PlanDocument, rules: Rules, measured: Sequence[Speedup]) -> Choice:
    alike = [each for each in measured if not each.withheld] or measured
    unit = work_of_a_step(each.own for each in alike)
    ranked = sorted(
        (_candidate(plan, each.own, unit) for each in alike), key=lambda each: each.seconds
    )
    first = ranked[0]
    against = [speedup(first.group, other.group, rules) for other in ranked[1:]]
    apart = {id(each.base) for each in against if each.withheld}
    return Choice(
        point=first.group.point,
        best=first,
        against=tuple(each for each in against if not each.withheld),
        cheapest=_cheapest([each for each in ranked if id(each.group) not in apart]),
        withheld=tuple(each for each in measured if each.withheld or id(each.own) in apart),
    )


def _candidate(plan: PlanDocument, group: Group, unit: float) -> Candidate:
    device, seconds = plan.devices[group.device], group.seconds_of(unit)
    price = device.price_per_hour
    cost = nan if price is None else seconds * price / 3600 * 1e6
    return Candidate(group, seconds, cost, device.currency)


def _cheapest(ranked: Sequence[Candidate]) -> Candidate | None:
    priced = [each for each in ranked if each.cost > 0]
    if len(priced) < 2 or len({each.currency for each in priced}) > 1:
        return None
    return min(priced, key=lambda each: (each.cost, each.group.device))


@dataclass(frozen=True)
class OnMachine:
    """A device at a sweep point on one of several machines.

    Attributes:
        group: its processes.
        over: how many times as fast it is as on the machine that the others are compared with;
            None for that machine itself.
    """

    group: Group
    over: Speedup | None


def on_machines(groups: Sequence[Group], reference: str, rules: Rules) -> tuple[OnMachine, ...]:
    """Every device at every sweep point that has times on two machines or more.

    Args:
        groups: the processes of a plan, from `groups_of`.
        reference: the machine that the others are compared with, where it has the device;
            otherwise the first one that has.
        rules: what is asked of a comparison.
    """
    places: dict[tuple[PointKey, str], list[Group]] = {}
    for group in groups:
        if group.timed and group.machine:
            places.setdefault((group.results[0].where, group.device), []).append(group)
    found: list[OnMachine] = []
    for there in places.values():
        first, *others = sorted(there, key=lambda each: (each.machine != reference, each.machine))
        if others:
            found.append(OnMachine(first, None))
            found += [OnMachine(each, speedup(each, first, rules)) for each in others]
    return tuple(found)
