"""The result of testing a claim, and the measurements of a plan as claims need them.

Every number comes from processes that count (`results`), and every speedup from the one function
that compares two groups of them (`speedup`). Times and rates are averaged and compared by their
logarithms; accuracies and losses, which may be zero or negative, by their difference.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import inf, isfinite, log, sqrt

from accelreport.analysis.results import PointKey, Result, matches, point_key, quantity
from accelreport.analysis.speedup import (
    Group,
    Rules,
    Speedup,
    Terms,
    Withheld,
    alike,
    groups_of,
    nearest,
    paired,
    repeat_of,
    speedup,
    spreads,
)
from accelreport.analysis.stats import (
    LEVEL,
    MOST,
    NOTHING,
    Interval,
    grouped,
    level_over,
    processes_to_reach,
    t_quantile,
)
from accelreport.analysis.warnings import is_share
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Quantised
from accelreport.spec.base import Point, Scalar
from accelreport.spec.claims import SIGNED, Claim


class ClaimVerdict(StrEnum):
    """What the measurements say of a sentence; `ClaimState` says what each means."""

    CONFIRMED = "CONFIRMED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    WITHHELD = "WITHHELD"
    NOT_TESTED = "NOT TESTED HERE"


class ClaimState(StrEnum):
    """What became of a claim: every file, page and line of a terminal counts by this."""

    CONFIRMED = "CONFIRMED"
    """The whole interval fulfils the rule."""
    REFUTED = "REFUTED"
    """The whole interval contradicts the rule."""
    UNDECIDED = "UNDECIDED"
    """An interval holds both or is missing, or the data of a quality are synthetic."""
    WITHHELD = "WITHHELD"
    """What the rule compares must not be compared."""
    NOT_MEASURED = "NOT MEASURED"
    """Its devices were tried, and what the rule needs of them was not measured."""
    NEEDS_DEVICE = "NEEDS A DEVICE"
    """A device that the rule needs was not tried, though numbers of others may be there."""


class Lack(StrEnum):
    """Why there is no verdict."""

    DEVICE = "device"
    """A device was not measured."""
    NUMBER = "number"
    """A device was measured, and has not the quantity that the claim needs."""
    UNPLANNED = "unplanned"
    """The plan of the profile has no such device, or it has it at other sweep points only."""
    POINTS = "points"
    """A trend has fewer than two values of its axis."""
    PAIRS = "pairs"
    """No two devices completed the same seed; `Missing.results` has what became of them."""
    QUANTISED = "quantised"
    """No model of the device was quantised."""
    DIFFERENCE = "difference"
    """Both sides of the comparison are the same under this baseline."""
    SOME = "some"
    """Some of the numbers that it needs were not measured."""
    POSITIVE = "positive"
    """A quantity is zero or negative in a process, so it has no ratio."""


@dataclass(frozen=True)
class Missing:
    """Why there is no number.

    Attributes:
        lack: what is missing.
        device: the device that lacks something; empty where it is no device.
        quantity: the quantity that is not positive; empty otherwise.
        counts: how many numbers there are, and how many the claim needs.
        results: what became of the device's processes.
        axis: the swept key of a trend.
    """

    lack: Lack
    device: str = ""
    quantity: str = ""
    counts: tuple[int, int] = (0, 0)
    results: tuple[Result, ...] = field(default=(), repr=False, compare=False)
    axis: str = ""


@dataclass(frozen=True)
class Number:
    """One number behind a verdict.

    Attributes:
        quantity: what it is: a quantity of claims, "ratio", "difference" or "out_of_memory".
        interval: the estimate, times in seconds.
        point: the sweep point, without axes over which it is a mean.
        device: its device, where a claim speaks of several.
        seed: seed of the one model it is about.
        extrapolated: timed and planned steps of the process that came least far, where a total is
            extrapolated from them.
        trained: steps done and planned of the training behind an accuracy, where it was stopped.
        of_examples: whether `n` of the interval counts examples, and not processes.
        peak_bytes: the highest peak of memory among the processes that did not run out of it.
        limits: the lower and the upper bound of its rule, infinite where one is missing; a trend
            has none.
        processes: those behind it.
    """

    quantity: str
    interval: Interval
    point: Mapping[str, Scalar | None] = field(default_factory=dict)
    device: str = ""
    seed: int | None = None
    extrapolated: tuple[int, int] | None = None
    trained: tuple[int, int] | None = None
    of_examples: bool = False
    peak_bytes: float = 0.0
    limits: tuple[float, ...] = ()
    processes: tuple[Result, ...] = field(default=(), compare=False, repr=False)

    @property
    def beyond(self) -> float:
        """How far its interval goes beyond its limits: infinitely without one, 0 without limits."""
        if not self.limits:
            return 0.0
        (low, high), ends = self.limits, self.interval
        return max(low - ends.low, ends.high - high) if ends.known else inf

    @property
    def needed(self) -> int:
        """Processes whose interval would leave out each bound, at this scatter; 0 where unknown."""
        bounds, interval = [limit for limit in self.limits if isfinite(limit)], self.interval
        if not (bounds and interval.known) or self.of_examples:
            return 0
        on = log if min(interval.low, *bounds) > 0 else float
        half = (on(interval.high) - on(interval.low)) / 2
        spread = half * sqrt(interval.n) / t_quantile(0.5 + LEVEL / 2, interval.n - 1)
        room = min(abs(on(bound) - on(interval.value)) for bound in bounds)
        return processes_to_reach(room, spread) or MOST


@dataclass(frozen=True)
class ClaimResult:
    """One claim, tested on one machine.

    Attributes:
        claim: the sentence and its rule.
        spec: name of the spec that makes it.
        profile: the profile that was run.
        verdict: what the numbers say of it.
        state: the verdict, or why there is none.
        machine: the machine; empty where none has its devices.
        numbers: what was measured, in the order of the sweep.
        missing: why there is no verdict, or none for some of it.
        withheld: why its sides must not be compared, or what a reader must know beside them.
        stand_in: "synthetic" or "sample" if a number comes from such data and that matters.
        own_files: whether a number comes from files that are not the published ones.
    """

    claim: Claim
    spec: str
    profile: str
    verdict: ClaimVerdict
    state: ClaimState
    machine: str = ""
    numbers: tuple[Number, ...] = ()
    missing: tuple[Missing, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    stand_in: str = ""
    own_files: bool = False

    @property
    def tested(self) -> bool:
        """Whether anything was measured that bears on the claim."""
        return self.verdict is not ClaimVerdict.NOT_TESTED

    @property
    def needed(self) -> int:
        """Processes that would decide it, if its numbers stay as they are; 0 where unknown.

        One number beyond a bound refutes it, and all within them confirm it.
        """
        beyond = [
            number.needed
            for number in self.numbers
            if number.limits and not number.limits[0] <= number.interval.value <= number.limits[1]
        ]
        return min(beyond) if beyond else max((one.needed for one in self.numbers), default=0)

    @property
    def planned(self) -> bool:
        """Whether the plan of its profile has what decides it: no repeat adds what is not in it."""
        return all(missing.lack is not Lack.UNPLANNED for missing in self.missing)


_FIRST = (ClaimState.REFUTED, *ClaimState)
"""Of several machines one refutes a claim; what is decided speaks before what is not."""


def distinct(results: Iterable[ClaimResult]) -> list[ClaimResult]:
    """Each claim once, in the order in which they come.

    A claim that was tested in several profiles, or on several machines, is one: the full profile
    speaks before the others, and one machine that refutes it before those that do not.
    """

    def later(result: ClaimResult) -> tuple[bool, int]:
        return not (result.tested and result.profile == "full"), _FIRST.index(result.state)

    first: dict[tuple[str, str], ClaimResult] = {}
    for claim_result in results:
        place = claim_result.spec, claim_result.claim.text
        first[place] = min(first.get(place, claim_result), claim_result, key=later)
    return list(first.values())


def combined_verdict(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """A claim about several points: one refutes it, all must confirm it."""
    tested = [verdict for verdict in verdicts if verdict is not ClaimVerdict.NOT_TESTED]
    if not tested:
        return ClaimVerdict.NOT_TESTED
    if ClaimVerdict.REFUTED in tested:
        return ClaimVerdict.REFUTED
    whole = set(verdicts) == {ClaimVerdict.CONFIRMED}
    return ClaimVerdict.CONFIRMED if whole else ClaimVerdict.UNDECIDED


def within_bounds(
    interval: Interval, strict: Interval, at_least: float | None, at_most: float | None
) -> ClaimVerdict:
    """Compares an interval with bounds.

    CONFIRMED when the whole of `interval` lies within them, REFUTED when the whole of
    `strict` (the same at a level corrected for the number of points) lies outside.
    """
    low = -inf if at_least is None else at_least
    high = inf if at_most is None else at_most
    if not interval.known:
        return ClaimVerdict.UNDECIDED
    if low <= interval.low and interval.high <= high:
        return ClaimVerdict.CONFIRMED
    if strict.high < low or strict.low > high:
        return ClaimVerdict.REFUTED
    return ClaimVerdict.UNDECIDED


# What was measured ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """The measurements of one plan, seen from one machine.

    Attributes:
        plan: the plan.
        results: its results.
        rules: for comparisons.
        quantised: (key, machine) → what quantisation did to the model of that process.
        machine: machine whose measurements are preferred.
        whole: whether a claim is undecided as long as a planned number is missing; a look at
            repeats asks what there is, because no repeat adds such a number.
        used: (key, machine) → the results that were looked at.
        spreads: a device and the keys that it holds → what is known of the spread of comparisons
            with it (`speedup.spreads`), kept once it was asked for.
    """

    plan: PlanDocument
    results: tuple[Result, ...]
    rules: Rules
    quantised: Mapping[tuple[str, str], Quantised]
    machine: str = ""
    whole: bool = True
    used: dict[tuple[str, str], Result] = field(default_factory=dict)
    spreads: dict[tuple[object, ...], Mapping[tuple[str, ...], float]] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def of_device(self) -> dict[str, list[Result]]:
        """Device → its results."""
        return grouped(self.results, lambda result: result.device)

    def points(self, where: Mapping[str, Scalar]) -> list[Point]:
        """The planned points that match `where`, in the order of the plan."""
        points: dict[PointKey, Point] = {}
        for cell in self.plan.cells:
            point = {axis: cell.point[axis] for axis in self.plan.axes if axis in cell.point}
            if matches(point, where):
                points.setdefault(point_key(point), point)
        return list(points.values())

    def groups(
        self, where: Mapping[str, Scalar], mean_over: Collection[str] = ()
    ) -> list[tuple[Point, list[Point]]]:
        """`points`, grouped: those that differ only in `mean_over` count together."""
        groups: dict[PointKey, tuple[Point, list[Point]]] = {}
        for point in self.points(where):
            place = {axis: value for axis, value in point.items() if axis not in mean_over}
            groups.setdefault(point_key(place), (place, []))[1].append(point)
        return list(groups.values())

    def advancing_with(self, along: str) -> list[str]:
        """An axis, and those that change wherever it does, as keys of one `[sweep.zip]` do."""
        points = self.points({})
        pairings = {
            axis: {(repr(point.get(along)), repr(point.get(axis))) for point in points}
            for axis in self.plan.axes
        }
        changing = [axis for axis, pairs in pairings.items() if len({to for _, to in pairs}) > 1]
        as_often = len(pairings[along])
        return [along, *(a for a in changing if a != along and len(pairings[a]) == as_often)]

    def group(self, device: str, point: Mapping[str, Scalar]) -> Group:
        """Measured processes at a point: of this machine, else of the one that has most."""
        there = (row for row in self.of_device.get(device, ()) if row.measured and row.at(point))
        group = nearest(self.machine, groups_of(there)) or Group(device, "", dict(point), ())
        self.used.update({(process.key, process.machine): process for process in group.results})
        return group

    def processes(self, device: str, point: Mapping[str, Scalar]) -> tuple[Result, ...]:
        """The processes of the group of a device at a point (see `group`)."""
        return self.group(device, point).results

    def sample(self, name: str, device: str, point: Mapping[str, Scalar]) -> dict[Hashable, float]:
        """A quantity of every process that has it, by what pairs have in common."""
        known = {
            repeat_of(result): quantity(result, name) for result in self.processes(device, point)
        }
        return {key: value for key, value in known.items() if isfinite(value)}

    def interval(self, name: str, terms: Terms, level: float = LEVEL) -> Interval:
        """A weighted sum of means with its interval, right at `level` over all looks.

        Of logarithms it is the ratio, of signed quantities the sum itself.
        """
        if not terms.measured:
            return NOTHING
        contrast, level = terms.contrast, level_over(self.rules.looks, level)
        linear = name in {*SIGNED, "difference"}
        interval = contrast.linear(level) if linear else contrast.ratio(level)
        return interval.share if is_share(name) else interval

    def against(self, device: str, point: Point, over: str, held: Mapping[str, Scalar]) -> Speedup:
        """The comparison of a device at a point with another; `held` replaces keys of the point."""
        own, base = self.group(device, point), self.group(over, {**point, **held})
        place = over, point_key(held), *held
        if place not in self.spreads:
            pairs = paired(groups_of(self.results), over, held)
            self.spreads[place] = spreads(pairs, self.rules)
        known = self.spreads[place].get(alike(own, base), 0.0)
        return speedup(own, base, replace(self.rules, spread=known))

    def of_planned(
        self, verdicts: Sequence[ClaimVerdict], measured: int, planned: int
    ) -> tuple[ClaimVerdict, tuple[Missing, ...]]:
        """The verdict of several numbers, and what is missing for a claim of all that are planned.

        Some can refute it, and not confirm it.
        """
        verdict = combined_verdict(verdicts)
        is_final = verdict in {ClaimVerdict.REFUTED, ClaimVerdict.NOT_TESTED}
        if is_final or measured == planned or not self.whole:
            return verdict, ()
        return ClaimVerdict.UNDECIDED, (Missing(Lack.SOME, counts=(measured, planned)),)

    def absent(self, *sides: tuple[str, Mapping[str, Scalar]]) -> tuple[Missing, ...]:
        """Why there is no number: devices that were not measured, else what became of them there.

        Args:
            sides: devices, and the values at which swept keys are held.
        """
        there = [
            (name, tuple(row for row in self.of_device.get(name, ()) if matches(row.point, where)))
            for name, where in sides
        ]
        lacks: dict[str, Missing] = {}
        for name, rows in there:
            of_device = self.of_device.get(name, ())
            # Also of a device that is not here: the state of its claim says that.
            if not rows:
                lacks[name] = Missing(Lack.UNPLANNED, name)
            elif not any(row.measured for row in of_device):
                lacks.setdefault(name, Missing(Lack.DEVICE, name, results=tuple(of_device)))
        if lacks:
            return tuple(lacks.values())
        unlike: dict[str, tuple[Result, ...]] = {}
        for name, rows in there:
            if not all(row.measured and row.complete for row in rows):
                unlike[name] = unlike.get(name, ()) + rows
        unlike = unlike or dict(there[:1])
        return tuple(Missing(Lack.NUMBER, name, results=rows) for name, rows in unlike.items())
