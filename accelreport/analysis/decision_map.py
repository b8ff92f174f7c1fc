"""Which device is fastest where, over nets of every size; and whether a model foretells it.

    t = fixed + depth · layer + operations / rate        for each device, and each kind of net

It is the law of a step (Hockney & Jesshope 1981, `batch_law`) with the work counted in operations,
so that it holds for nets of any width, depth and batch, and with a further fixed cost for each
layer, which is at least a kernel of its own. Two devices are equally fast where their times
meet. It is a model: fitted to every other net, and tested on the rest, which it never saw.

What was measured is decided by `overview.choices`, and so by the one comparison of the house.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf
from statistics import median

import numpy as np
from scipy.optimize import nnls

from accelreport.analysis.overview import Choice
from accelreport.analysis.speedup import Group
from accelreport.results.plan_document import PlanDocument

KIND = "paradnn"
"""The family whose sweeps have a map."""

FEWEST = 2
"""Amounts of work without which no rate is known."""

Runner = tuple[str, str]
"""A device, and the machine that it was measured on."""


@dataclass(frozen=True, order=True)
class Net:
    """What is trained, whatever the batch.

    Attributes:
        kind: of its layers, such as `dense`.
        depth: number of them.
        width: as the family counts it.
    """

    kind: str
    depth: int
    width: int


@dataclass(frozen=True)
class NetLaw:
    """t = fixed_s + depth · layer_s + operations · each_s, of one device and kind of net.

    Attributes:
        fixed_s: seconds of a step whatever the net.
        layer_s: seconds of each layer whatever its size.
        each_s: seconds of an operation.
    """

    fixed_s: float
    layer_s: float
    each_s: float

    def seconds(self, depth: int, operations: float) -> float:
        """Seconds of a step of so many layers and operations."""
        return self.fixed_s + depth * self.layer_s + operations * self.each_s


@dataclass(frozen=True)
class Place:
    """A point of the field that was measured on two devices or more.

    Attributes:
        net: what was trained.
        batch: examples in a step.
        operations: of a step, as they were counted.
        choice: which device is the fastest there, as far as that is decided.
        fitted: whether the model was fitted to it; else it is one of those that test it.
        seconds: of a step, by device.
    """

    net: Net
    batch: int
    operations: float
    choice: Choice
    fitted: bool
    seconds: Mapping[Runner, float]

    @property
    def fastest(self) -> Runner | None:
        """The device that is shown to be the fastest; None where that is undecided."""
        return _runner(self.choice.best.group) if self.choice.decided else None


@dataclass(frozen=True)
class FastestRange:
    """The device that the model has as the fastest over a range of operations."""

    runner: Runner
    least: float
    most: float


@dataclass(frozen=True)
class Forecast:
    """What the model says of a place, beside what was measured there.

    Attributes:
        place: the place.
        seconds: of a step by the model, by device.
        ratios: predicted over measured speedup, less 1, of the fastest device over each other one.
    """

    place: Place
    seconds: Mapping[Runner, float]
    ratios: tuple[float, ...]

    @property
    def fastest(self) -> Runner:
        """The device that the model has as the fastest."""
        return min(self.seconds, key=lambda runner: self.seconds[runner])

    @property
    def right(self) -> bool | None:
        """Whether it is; None where that is undecided."""
        fastest = self.place.fastest
        return None if fastest is None else fastest == self.fastest


@dataclass(frozen=True)
class DecisionMap:
    """The field, the model of it, and the test of the model.

    Attributes:
        places: in the order of the plan.
        laws: of the kinds of net that two devices or more have a law for.
        forecasts: of every place whose kind has laws.
    """

    places: tuple[Place, ...]
    laws: Mapping[str, Mapping[Runner, NetLaw]]
    forecasts: tuple[Forecast, ...]

    @property
    def runners(self) -> tuple[Runner, ...]:
        """Every device, in the order in which it was first met."""
        return tuple(dict.fromkeys(runner for each in self.places for runner in each.seconds))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of net, in the order of the plan."""
        return tuple(dict.fromkeys(each.net.kind for each in self.places))

    def of_kind(self, kind: str) -> list[Place]:
        """The places of one kind of net."""
        return [each for each in self.places if each.net.kind == kind]

    @property
    def tested(self) -> list[Forecast]:
        """Forecasts of nets that the model was not fitted to."""
        return [each for each in self.forecasts if not each.place.fitted]

    @property
    def verdicts(self) -> list[bool]:
        """Of the tested places that are decided, whether the model has the right device."""
        return [each.right for each in self.tested if each.right is not None]

    @property
    def ratio_errors(self) -> list[float]:
        """By how much tested speedups are off, as shares, from the least."""
        return sorted(abs(error) for each in self.tested for error in each.ratios)

    @property
    def time_errors(self) -> list[float]:
        """By how much tested times of a step are off, as shares, from the least."""
        return sorted(
            abs(seconds / each.place.seconds[runner] - 1)
            for each in self.tested
            for runner, seconds in each.seconds.items()
        )

    def ranges(self, kind: str, depth: int) -> list[FastestRange]:
        """Which device the model has as the fastest, from no operations to any number of them."""
        laws = self.laws.get(kind, {})
        return fastest_ranges({runner: _line(law, depth) for runner, law in laws.items()})


def _line(law: NetLaw, depth: int) -> tuple[float, float]:
    return law.seconds(depth, 0.0), law.each_s


def fastest_ranges(lines: Mapping[Runner, tuple[float, float]]) -> list[FastestRange]:
    """The lower edge of several lines: which of them is lowest from where to where.

    Args:
        lines: seconds without any work, and seconds of an operation.
    """
    meets = {0.0, inf}
    for (fixed, each), (other_fixed, other_each) in combinations(lines.values(), 2):
        if each != other_each:
            meets.add(max((other_fixed - fixed) / (each - other_each), 0.0))
    found: list[FastestRange] = []
    for least, most in pairwise(sorted(meets)):
        # Between two meeting points the order of the lines does not change.
        at = 2 * least + 1.0 if most == inf else (least + most) / 2
        runner = min(lines, key=lambda name: lines[name][0] + at * lines[name][1], default=None)
        if runner is None:
            continue
        if found and found[-1].runner == runner:
            found[-1] = FastestRange(runner, found[-1].least, most)
        else:
            found.append(FastestRange(runner, least, most))
    return found


def decision_map(plan: PlanDocument, chosen: Sequence[Choice]) -> DecisionMap | None:
    """The map of a plan of generated nets; None where no point was measured on two devices.

    Args:
        plan: of the family `KIND`.
        chosen: `overview.choices` of it.
    """
    known = [(_net(plan, each), each) for each in chosen if each.against]
    fitted = fitted_half(net for net, _ in known)
    places = tuple(
        Place(net, _number(plan, each, "batch_size"), operations, each, net in fitted, _times(each))
        for net, each in known
        if (operations := _operations(each)) > 0
    )
    if not places:
        return None
    laws: dict[str, dict[Runner, NetLaw]] = {}
    for kind in dict.fromkeys(place.net.kind for place in places):
        own = _laws([place for place in places if place.net.kind == kind and place.fitted])
        if len(own) > 1:
            laws[kind] = own
    forecasts = (_forecast(place, laws.get(place.net.kind, {})) for place in places)
    return DecisionMap(places, laws, tuple(each for each in forecasts if each))


def fitted_half(nets: Iterable[Net]) -> set[Net]:
    """The nets that the model is fitted to: the black squares of a chessboard.

    Widths of a kind go one way and depths the other, the narrowest and shallowest net is black,
    so that both halves have nets of every size, and no net is in both.
    """
    every = set(nets)
    black = set()
    for kind in {net.kind for net in every}:
        own = [net for net in every if net.kind == kind]
        widths, depths = sorted({n.width for n in own}), sorted({n.depth for n in own})
        black |= {n for n in own if (widths.index(n.width) + depths.index(n.depth)) % 2 == 0}
    return black


def _number(plan: PlanDocument, choice: Choice, key: str) -> int:
    return int(str(choice.point.get(key, plan.workload.get(key))))


def _net(plan: PlanDocument, choice: Choice) -> Net:
    kind = str(choice.point.get("net", plan.workload.get("net")))
    return Net(kind, _number(plan, choice, "depth"), _number(plan, choice, "width"))


def _runner(group: Group) -> Runner:
    return group.device, group.machine


def _groups(choice: Choice) -> list[Group]:
    return [choice.best.group, *(each.base for each in choice.against if each.base)]


def _times(choice: Choice) -> dict[Runner, float]:
    return {_runner(group): group.seconds().value for group in _groups(choice)}


def _operations(choice: Choice) -> float:
    """Operations of a step; NaN where no device's graph told them."""
    counted = [each.timings.flops_per_step for g in _groups(choice) for each in g.timed]
    known = [each for each in counted if each > 0]
    return median(known) if known else float("nan")


def _laws(places: Sequence[Place]) -> dict[Runner, NetLaw]:
    """The law of each device that was measured with enough unlike work."""
    found = {}
    for runner in dict.fromkeys(runner for place in places for runner in place.seconds):
        own = [place for place in places if runner in place.seconds]
        if len({place.operations for place in own}) >= FEWEST:
            found[runner] = fit_law(
                [(place.net.depth, place.operations, place.seconds[runner]) for place in own]
            )
    return found


def fit_law(times: Sequence[tuple[int, float, float]]) -> NetLaw:
    """Least squares of relative errors, no cost below nothing, as `batch_law` fits a sweep.

    Args:
        times: layers, operations and seconds of a step.
    """
    several = len({depth for depth, _, _ in times}) > 1
    # Nets of one depth do not tell what a layer costs from what a step does.
    rows = [[1.0, depth if several else 0.0, operations] for depth, operations, _ in times]
    design = np.array(rows) / np.array([[seconds] for _, _, seconds in times])
    scale = np.linalg.norm(design, axis=0)
    scale[scale == 0] = 1.0
    found, _ = nnls(design / scale, np.ones(len(design)))
    fixed, layer, each = (found / scale).tolist()
    return NetLaw(fixed, layer, each)


def _forecast(place: Place, laws: Mapping[Runner, NetLaw]) -> Forecast | None:
    """What the laws say of a place; None where fewer than two of its devices have one."""
    seconds = {
        runner: law.seconds(place.net.depth, place.operations)
        for runner, law in laws.items()
        if runner in place.seconds
    }
    if len(seconds) < FEWEST:
        return None
    best = _runner(place.choice.best.group)
    ratios = tuple(
        seconds[_runner(each.base)] / seconds[best] / each.interval.value - 1
        for each in place.choice.against
        if each.base and {best, _runner(each.base)} <= seconds.keys() and each.interval.value > 0
    )
    return Forecast(place, seconds, ratios)


@dataclass(frozen=True)
class Boundary:
    """Where the model has two devices as equally fast, between places that were measured.

    Attributes:
        kind: of the nets.
        depth: of the nets.
        operations: of a step.
        below: the device that is faster with fewer.
        above: the one that is faster with more.
    """

    kind: str
    depth: int
    operations: float
    below: Runner
    above: Runner


def boundaries(found: DecisionMap) -> list[Boundary]:
    """The model's boundaries that lie within what was measured of their kind and depth."""
    made = []
    for kind in found.kinds:
        for depth in sorted({place.net.depth for place in found.of_kind(kind)}):
            own = [p.operations for p in found.of_kind(kind) if p.net.depth == depth]
            made += [
                Boundary(kind, depth, after.least, before.runner, after.runner)
                for before, after in pairwise(found.ranges(kind, depth))
                if min(own) <= after.least <= max(own)
            ]
    return made
