"""Which device is fastest where, over nets of every size; and whether a model foretells it.

    t = fixed + depth · layer + operations / rate        for each device, and each kind of net

It is the law of a step (Hockney & Jesshope 1981, `batch_law`) with the work counted in operations,
so that it holds for nets of any width, depth and batch, and with a further fixed cost for each
layer, which is at least a kernel of its own. Two devices are equally fast where their times
meet. It is a model: fitted to every other net, and tested on the rest, which it never saw.

How well the boundary is known follows from the fit itself: each fitted place is left out in turn
(the jackknife; Tukey 1958), for all devices at once, and where the times of two devices cannot be
told apart by what that changes, the boundary may lie. So an interval holds the noise of processes
and what the model does not describe alike, and may have no end.

What was measured is decided by `overview.choices`, and so by the one comparison of the house.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, nan
from statistics import median

import numpy as np
from scipy.optimize import nnls

from accelreport.analysis.overview import Choice
from accelreport.analysis.speedup import Group
from accelreport.analysis.stats import LEVEL, Floats, Interval, t_quantile
from accelreport.results.plan_document import PlanDocument

KIND = "paradnn"
"""The family whose sweeps have a map."""

FEWEST = 2
"""Amounts of work without which no rate is known."""

BEYOND, PIECES = 1e3, 1200
"""An interval is sought in so many pieces, and so many times beyond what was measured: there it
has no end."""

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


KindLaws = Mapping[Runner, NetLaw]
"""The laws of one kind of net, by device."""


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
class Boundary:
    """Where the model has two devices as equally fast.

    Attributes:
        kind: of the nets.
        depth: of the nets.
        operations: of a step, with the interval; 0 and infinity are ends that it does not have,
            NaN where too few places were fitted for one.
        below: the device that is faster with fewer.
        above: the one that is faster with more.
        measured: whether it lies between places that were measured of this kind and depth.
    """

    kind: str
    depth: int
    operations: Interval
    below: Runner
    above: Runner
    measured: bool

    @property
    def found(self) -> bool:
        """Whether its interval has both ends."""
        return 0 < self.operations.low <= self.operations.high < inf


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
        without: of each kind, its laws with one of the fitted places left out, for each of them.
    """

    places: tuple[Place, ...]
    laws: Mapping[str, KindLaws]
    forecasts: tuple[Forecast, ...]
    without: Mapping[str, Sequence[KindLaws]] = field(repr=False)

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

    @cached_property
    def boundaries(self) -> tuple[Boundary, ...]:
        """Where the model has one device after another as the fastest, by kind and depth."""
        made = []
        for kind in self.kinds:
            for depth in sorted({place.net.depth for place in self.of_kind(kind)}):
                own = [p.operations for p in self.of_kind(kind) if p.net.depth == depth]
                for before, after in pairwise(self.ranges(kind, depth)):
                    pair = before.runner, after.runner
                    at = self._interval(kind, depth, after.least, pair)
                    measured = min(own) <= after.least <= max(own)
                    made.append(Boundary(kind, depth, at, *pair, measured))
        return tuple(made)

    def _interval(self, kind: str, depth: int, at: float, pair: tuple[Runner, Runner]) -> Interval:
        """The amounts of work around a boundary at which the two are not told apart."""
        every = [place.operations for place in self.of_kind(kind)]
        work = np.geomspace(min(*every, at) / BEYOND, BEYOND * max(*every, at), PIECES)
        whole, partial = self.laws[kind], self.without[kind]
        fitted = [place for place in self.of_kind(kind) if place.fitted]
        df = len(fitted) - 2 - _several(place.net.depth for place in fitted)
        if df < 1 or not all(runner in laws for laws in partial for runner in pair):
            return Interval(at, nan, nan, len(fitted))
        middle = _apart(whole, pair, depth, work)
        apart = np.array([_apart(laws, pair, depth, work) for laws in partial])
        error = np.sqrt((len(apart) - 1) * apart.var(axis=0))
        decided = np.abs(middle) > t_quantile(0.5 + LEVEL / 2, df) * error
        low, high = work[decided & (work < at)], work[decided & (work > at)]
        least, most = max(low, default=0.0), min(high, default=inf)
        return Interval(at, float(least), float(most), len(fitted))


def _apart(laws: KindLaws, pair: tuple[Runner, Runner], depth: int, work: Floats) -> Floats:
    """By how much longer the first device takes than the second, over what both take."""
    first, second = (np.polynomial.Polynomial(_line(laws[runner], depth))(work) for runner in pair)
    found: Floats = (first - second) / (first + second)
    return found


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
    return map_of(places) if places else None


def map_of(places: Sequence[Place]) -> DecisionMap:
    """The model of a field, fitted to those of its places that say so, and the test of it."""
    laws, without = {}, {}
    for kind in dict.fromkeys(place.net.kind for place in places):
        own = [place for place in places if place.net.kind == kind and place.fitted]
        found = _laws(own)
        if len(found) > 1:
            laws[kind] = found
            without[kind] = [_laws([*own[:n], *own[n + 1 :]]) for n in range(len(own))]
    forecasts = (_forecast(place, laws.get(place.net.kind, {})) for place in places)
    return DecisionMap(tuple(places), laws, tuple(each for each in forecasts if each), without)


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
    several = _several(depth for depth, _, _ in times)
    rows = [[1.0, depth if several else 0.0, operations] for depth, operations, _ in times]
    design = np.array(rows) / np.array([[seconds] for _, _, seconds in times])
    scale = np.linalg.norm(design, axis=0)
    scale[scale == 0] = 1.0
    found, _ = nnls(design / scale, np.ones(len(design)))
    fixed, layer, each = (found / scale).tolist()
    return NetLaw(fixed, layer, each)


def _several(depths: Iterable[int]) -> bool:
    """Nets of one depth do not tell what a layer costs from what a step does."""
    return len(set(depths)) > 1


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
