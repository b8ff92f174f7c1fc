"""The one comparison of two groups of processes: how many times as fast; and scaling by it.

Whatever a rule takes away from a number is taken away here, for every page, claim, gate and
table: processes whose number is refused, input that is not the same, another precision, another
quality, replicas that do the same work several times, intervals that were looked at several
times, and several comparisons of which one is chosen.

With n replicas or workers, t(n, b) the steady time of a step of b examples:

    strong efficiency = t(1, b) / (n · t(n, b))     the same batch, shared
    weak efficiency   = t(1, b / n) / t(n, b)       the same share for each

Either is the rate of work of all over n times that of one, and 1 where n do n times the work
(Hager and Wellein, "Introduction to High Performance Computing for Scientists and Engineers",
2010, section 5.3). Both come from the one comparison of the house, `speedup`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from math import hypot, log, nan

from accelreport.analysis.difference import Configuration, Difference, differences
from accelreport.analysis.learning import Agreement, Parity, Quality, agreement, quality_of
from accelreport.analysis.results import PointKey, Result, point_key, quantity
from accelreport.analysis.stats import (
    LEAST,
    LEVEL,
    MARGIN,
    NOTHING,
    Contrast,
    Interval,
    Sample,
    Term,
    Verdict,
    compare,
    geometric_mean,
    grouped,
    known_spread,
    level_over,
    logarithms,
    processes_needed,
    verdict,
)
from accelreport.results.plan_document import Looks, PlanDocument
from accelreport.spec.base import Scalar
from accelreport.spec.claims import TIME_QUANTITIES
from accelreport.spec.device import ONE_PROCESS, Device


@dataclass(frozen=True)
class Group:
    """The processes of one device on one machine at one sweep point.

    Attributes:
        device: its name.
        machine: its fingerprint; empty where no machine has a record of them.
        point: the sweep point.
        results: what became of each process.
    """

    device: str
    machine: str
    point: Mapping[str, Scalar | None]
    results: tuple[Result, ...]

    @cached_property
    def timed(self) -> tuple[Result, ...]:
        """The processes that have a time."""
        return tuple(result for result in self.results if result.timed)

    @property
    def untimed(self) -> tuple[Result, ...]:
        """The processes that have none."""
        return tuple(result for result in self.results if not result.timed)

    @property
    def precision(self) -> str:
        """The dtype policy they computed in."""
        return self.results[0].precision if self.results else ""

    def seconds(self, level: float = LEVEL) -> Interval:
        """Seconds of a steady step, the geometric mean over processes."""
        return geometric_mean([result.seconds for result in self.timed], level)


def groups_of(results: Iterable[Result]) -> list[Group]:
    """Results by sweep point, device and machine.

    Processes that no machine has a record of are a group of their own where the device has
    none at that point, and are left out where it has.
    """
    by_place = grouped(results, lambda result: (result.where, result.device, result.machine))
    present = {(where, device) for where, device, machine in by_place if machine}
    return [
        Group(device, machine, of[0].point, tuple(of))
        for (where, device, machine), of in by_place.items()
        if machine or (where, device) not in present
    ]


def repeat_of(result: Result) -> Hashable:
    """Processes of one machine and repeat ran one after the other, and make a pair."""
    return result.machine, result.repeat


def seed_of(result: Result) -> Hashable:
    """Processes of one seed make a pair wherever they ran, as in two results folders."""
    return result.seed


@dataclass(frozen=True)
class Rules:
    """What is asked of a comparison.

    Attributes:
        level: the confidence that is promised.
        comparisons: of how many one is chosen; all their intervals hold together (Bonferroni).
        looks: the looks at the interval, where repeats were added until it was decided.
        spread: the least standard deviation of the logarithm of the ratio from pair to pair,
            as it is known from other sweep points (`stats.known_spread`).
        margin: speedups within 1/(1 + margin) … 1 + margin are the SAME.
        quality: on what both must agree; None where nothing is trained.
        pair: what processes of a pair have in common.
        precisions: whether precision is all in which the two differ, and so what is compared.
        by: what is compared: the rate of steady steps (`speedup`), or a quantity of claims.
    """

    level: float = LEVEL
    comparisons: int = 1
    looks: Looks | None = None
    spread: float = 0.0
    margin: float = MARGIN
    quality: Quality | None = None
    pair: Callable[[Result], Hashable] = repeat_of
    precisions: bool = False
    by: str = "speedup"

    @property
    def interval_level(self) -> float:
        """The level of one interval, so that what is promised holds."""
        return level_over(self.looks, 1 - (1 - self.level) / max(self.comparisons, 1))


def rules_of(plan: PlanDocument, results: Iterable[Result]) -> Rules:
    """The rules for comparisons with the baseline of a plan."""
    return Rules(looks=plan.until_decided, quality=quality_of(plan, results))


class Why(StrEnum):
    """Why a speedup must not be shown alone."""

    INPUT = "input"
    """The two read different data: there is no speedup at all."""
    PRECISION = "precision"
    """They compute in different precision."""
    QUALITY = "quality"
    """They do not reach the same quality."""
    DATA = "data"
    """It learnt from a sample or from synthetic data, and a claim is about the whole data."""
    PROFILE = "profile"
    """A profile changed how much work there is, and a claim is about the work of the spec."""


@dataclass(frozen=True)
class Withheld:
    """One reason against showing a speedup alone, and what each side has, such as its precision."""

    why: Why
    own: str
    base: str


def only_precision(withheld: Iterable[Withheld]) -> bool:
    """Whether nothing but the precision of the two is unlike."""
    return {held.why for held in withheld} == {Why.PRECISION}


@dataclass(frozen=True)
class Terms:
    """A weighted sum of means over processes, before it is taken.

    Sums of several comparisons, as a mean over sweep points, know what each of them knows.

    Attributes:
        weighted: weights, and the processes that they apply to.
        spread: the least standard deviation of the sum from repeat to repeat, as it is known
            from other sweep points. Of a sum of terms it is the root of the sum of squares:
            whether one process is slow says nothing of the next.
    """

    weighted: tuple[Term, ...] = ()
    spread: float = 0.0

    @classmethod
    def of(cls, sample: Sample, *, signed: bool) -> Terms:
        """A quantity of processes: by its logarithm, or, where it may be negative, as it is."""
        return cls(((1.0, sample if signed else logarithms(sample)),))

    @property
    def measured(self) -> bool:
        """Whether there are processes of every term."""
        return bool(self.weighted) and all(sample for _, sample in self.weighted)

    @cached_property
    def contrast(self) -> Contrast:
        """The sum with its standard error."""
        return compare(*self.weighted, spread=self.spread)

    def times(self, factor: float) -> Terms:
        """The sum, multiplied by a factor."""
        weighted = ((factor * weight, sample) for weight, sample in self.weighted)
        return Terms(tuple(weighted), abs(factor) * self.spread)

    def __add__(self, other: Terms) -> Terms:
        return Terms(self.weighted + other.weighted, hypot(self.spread, other.spread))


def mean_of(terms: Sequence[Terms]) -> Terms:
    """The mean of several sums."""
    return sum((term.times(1 / len(terms)) for term in terms), Terms())


@dataclass(frozen=True)
class Estimate:
    """How many times as fast one group is as another.

    Attributes:
        interval: the ratio of rates of work, a geometric mean over pairs or processes.
        level: the confidence level of that interval by itself.
        verdict: FASTER, SLOWER, SAME or UNDECIDED.
        needed: how many more processes of each would decide it; None where that is unknown or
            nothing is left to decide.
        paired: whether it was formed within repeats.
        terms: the logarithms whose weighted sum of means it is.
    """

    interval: Interval
    level: float
    verdict: Verdict
    needed: int | None
    paired: bool
    terms: Terms = field(repr=False)

    @property
    def contrast(self) -> Contrast:
        """The logarithm of the ratio, for rules that compare it with other limits."""
        return self.terms.contrast


@dataclass(frozen=True)
class Speedup:
    """One group of processes against another, with everything that bears on it.

    Attributes:
        own: the processes that are compared.
        base: those that they are compared with; None where there are none.
        baseline: the device, and the sweep point if it is fixed, that they are compared with.
        rules: what was asked.
        estimate: the speedup; None where there is none, or where it is withheld.
        qualified: the speedup that may be shown only with the reasons in `withheld`, WITHHELD
            whatever its interval unless it compares precisions; None where nothing is withheld, or
            where there is none at all.
        withheld: why it must not be shown alone; empty where it may.
        agreement: whether both reach the same quality; None where nothing is trained.
    """

    own: Group
    base: Group | None
    baseline: str
    rules: Rules
    estimate: Estimate | None = None
    qualified: Estimate | None = None
    withheld: tuple[Withheld, ...] = ()
    agreement: Agreement | None = None

    @property
    def device(self) -> str:
        """The device that is compared."""
        return self.own.device

    @property
    def machine(self) -> str:
        """Its machine."""
        return self.own.machine

    @property
    def point(self) -> Mapping[str, Scalar | None]:
        """The sweep point."""
        return self.own.point

    @property
    def is_baseline(self) -> bool:
        """Whether it is the baseline itself."""
        return self.own is self.base

    @property
    def computed(self) -> Estimate | None:
        """The speedup, withheld or not; None where there is none at all."""
        return self.estimate or self.qualified

    @property
    def of_precisions(self) -> bool:
        """Whether nothing but the precision is unlike: it compares precisions, not devices."""
        return only_precision(self.withheld)

    @property
    def interval(self) -> Interval:
        """The speedup with its interval; `NOTHING` where there is none or it is withheld."""
        return self.estimate.interval if self.estimate else NOTHING

    @property
    def verdict(self) -> Verdict:
        """Its verdict; WITHHELD beside a number that is withheld, NOT MEASURED without one."""
        return self.computed.verdict if self.computed else Verdict.NOT_MEASURED

    @cached_property
    def seconds(self) -> Interval:
        """Seconds of a step of the processes that are compared."""
        return self.own.seconds(self.rules.interval_level)

    def simultaneous(self, comparisons: int) -> Speedup:
        """This comparison as one of several, whose intervals all hold together."""
        if comparisons == self.rules.comparisons or self.base is None or self.is_baseline:
            return self
        return speedup(self.own, self.base, replace(self.rules, comparisons=comparisons))


def speedups_of(
    plan: PlanDocument, results: Sequence[Result], rules: Rules | None = None
) -> tuple[Speedup, ...]:
    """The speedup over the baseline at every sweep point, device and machine.

    Swept keys that the baseline does not fix have the same values on both sides. The baseline of
    the same machine is used where there is one, otherwise that of the machine
    with most processes of it.

    Args:
        plan: names the baseline.
        results: what was measured.
        rules: what is asked; those of the plan when absent.
    """
    asked = rules or rules_of(plan, results)
    pairs = paired(groups_of(results), plan.baseline.device, plan.baseline.where)
    known = spreads(pairs, asked)
    compared = []
    for group, base in pairs:
        own_rules = replace(asked, spread=known.get(alike(group, base), 0.0))
        if base is not None:
            sides = (Configuration(s.device, s.machine, s.point) for s in (group, base))
            alone = differences(plan, *sides) == (Difference.PRECISION,)
            compared.append(speedup(group, base, replace(own_rules, precisions=alone)))
            continue
        # The baseline was not measured; its precision is known from its device.
        device = plan.devices.get(plan.baseline.device)
        others = _precision(group.precision, device.precision if device else group.precision)
        compared.append(Speedup(group, None, str(plan.baseline), own_rules, withheld=others))
    return tuple(compared)


Pair = tuple[Group, Group | None]
"""The processes of a device at a sweep point, and those that they are compared with."""


def paired(groups: Sequence[Group], device: str, held: Mapping[str, Scalar]) -> list[Pair]:
    """Every group with the group that it is compared with at its sweep point.

    Args:
        groups: those of a plan.
        device: with which each is compared.
        held: swept keys that this device has at the same values for every point.
    """
    own = (group for group in groups if group.device == device)
    bases = grouped(own, lambda group: point_key(group.point))

    def base_of(group: Group) -> Group | None:
        there = bases.get(point_key({**group.point, **held}), [])
        return group if any(group is other for other in there) else baseline_beside(group, there)

    return [(group, base_of(group)) for group in groups]


def alike(own: Group, base: Group | None) -> tuple[str, ...]:
    """The key of a comparison at all sweep points: both devices and machines."""
    return (own.device, own.machine, base.device, base.machine) if base else ()


def spreads(pairs: Iterable[Pair], rules: Rules) -> dict[tuple[str, ...], float]:
    """The least spread of comparisons by all sweep points, by their key `alike`.

    Args:
        pairs: from `paired`.
        rules: what processes of a pair have in common.
    """
    comparisons: dict[tuple[str, ...], list[tuple[Contrast, Sample, Sample]]] = {}
    for own, base in pairs:
        if base and base is not own and own.timed and base.timed:
            times: tuple[Sample, Sample] = (_times(own, rules), _times(base, rules))
            contrast = _terms(own, base, replace(rules, spread=0.0)).contrast
            comparisons.setdefault(alike(own, base), []).append((contrast, *times))
    return {place: known_spread(samples) for place, samples in comparisons.items()}


def _times(group: Group, rules: Rules) -> dict[Hashable, float]:
    return {rules.pair(result): result.seconds for result in group.timed}


def baseline_beside(group: Group, bases: Iterable[Group]) -> Group | None:
    """What a group is compared with: of its own machine, else where most was measured."""
    return nearest(group.machine, (base for base in bases if base.timed))


def nearest(machine: str, groups: Iterable[Group]) -> Group | None:
    """The group of a machine, else that with most times; of equal ones the first by its name."""
    return min(
        groups,
        key=lambda group: (group.machine != machine, -len(group.timed), group.machine),
        default=None,
    )


def speedup(own: Group, base: Group, rules: Rules = Rules()) -> Speedup:
    """How many times as fast `own` is as `base`: the ratio of their rates of work.

    It is the quotient of the steady times of a step, as a geometric mean over pairs where
    processes make pairs (`stats.compare`), times the quotient of the work of a step, where
    the replicas of a kernel each do all of it.

    Args:
        own: the processes that are compared.
        base: those that they are compared with; the same group for the baseline itself.
        rules: level, pairing and what both must agree on.
    """
    agreed = agreement(own.results, base.results, rules.quality) if rules.quality else None
    withheld = () if own is base else _withheld(own, base, agreed)
    comparison = Speedup(own, base, base.device, rules, withheld=withheld, agreement=agreed)
    if not (own.timed and base.timed) or any(reason.why is Why.INPUT for reason in withheld):
        return comparison
    terms = _terms(own, base, rules)
    if not terms.measured:
        return comparison
    estimate = _estimate(terms, rules, baseline=own is base)
    if not withheld:
        return replace(comparison, estimate=estimate)
    if rules.precisions and only_precision(withheld):
        return replace(comparison, qualified=estimate)
    return replace(comparison, qualified=replace(estimate, verdict=Verdict.WITHHELD, needed=None))


def _withheld(own: Group, base: Group, agreed: Agreement | None) -> tuple[Withheld, ...]:
    withheld: tuple[Withheld, ...] = ()
    if inputs_differ(own.timed, base.timed):
        withheld = (Withheld(Why.INPUT, own.device, base.device),)
    withheld += _precision(own.precision, base.precision)
    if agreed and agreed.verdict is Parity.DIFFERENT:
        withheld += (Withheld(Why.QUALITY, own.device, base.device),)
    return withheld


def _precision(own: str, base: str) -> tuple[Withheld, ...]:
    return (Withheld(Why.PRECISION, own, base),) if own != base else ()


def inputs_differ(own: Iterable[Result], base: Iterable[Result]) -> bool:
    """Whether processes of one seed read different data.

    What a workload generates may be another at each sweep point, as its shapes are.
    """
    read = {row.seed: row for row in base}
    pairs = ((row, read[row.seed]) for row in own if row.seed in read)
    return any(
        one.fingerprint != other.fingerprint
        and (one.point == other.point or one.origin != "generated")
        for one, other in pairs
    )


def _terms(own: Group, base: Group, rules: Rules) -> Terms:
    if rules.by != "speedup":
        sign = -1.0 if rules.by in TIME_QUANTITIES else 1.0
        return _quantities(own, rules).times(sign) + _quantities(base, rules).times(-sign)
    unit = work_of_a_step((base,))
    above, below = _logarithms(base, unit, rules), _logarithms(own, unit, rules)
    return Terms(((1.0, above), (-1.0, below)), rules.spread)


def _quantities(group: Group, rules: Rules) -> Terms:
    known = {rules.pair(result): quantity(result, rules.by) for result in group.timed}
    return Terms.of({pair: value for pair, value in known.items() if value > 0}, signed=False)


def change(old: Sample, new: Sample, level: float = LEVEL) -> Interval:
    """How many times as large a quantity of one device became, by repeats of then and of now.

    Args:
        old: the quantity of each repeat then.
        new: the same of now.
        level: confidence level of the interval.
    """
    return compare((1.0, logarithms(new)), (-1.0, logarithms(old))).ratio(level)


def work_of_a_step(groups: Iterable[Group]) -> float:
    """The work of a step of the first group that was counted; NaN where none was."""
    known = (result.work for group in groups for result in group.timed if result.work > 0)
    return next(known, nan)


def _logarithms(group: Group, unit: float, rules: Rules) -> dict[Hashable, float]:
    """The logarithms of the seconds of a unit of work, by what pairs have in common."""
    # Where work is not counted, steps are compared.
    return {
        rules.pair(row): log(row.seconds)
        - (log(row.work / unit) if row.work > 0 and unit > 0 else 0.0)
        for row in group.timed
    }


def _estimate(terms: Terms, rules: Rules, *, baseline: bool) -> Estimate:
    """A weighted sum of means of logarithms as a ratio, with its verdict."""
    contrast, level = terms.contrast, rules.interval_level
    if baseline:
        ones = Interval(1.0, 1.0, 1.0, contrast.n)
        return Estimate(ones, level, Verdict.BASELINE, None, paired=False, terms=terms)
    interval = contrast.ratio(level)
    decision = verdict(interval, rules.margin)
    needed = None
    if decision is Verdict.UNDECIDED and contrast.n >= LEAST:
        enough = processes_needed(contrast.value, contrast.spread, rules.margin, level)
        needed = None if enough is None else max(enough - contrast.n, 1)
    return Estimate(interval, level, decision, needed, contrast.paired, terms)


def widened(comparison: Speedup) -> bool:
    """Whether a speedup's own processes vary less than is known of the two devices."""
    estimate = comparison.computed
    if estimate is None or estimate.contrast.n < 2 or comparison.is_baseline:
        return False
    return replace(estimate.terms, spread=0.0).contrast.spread < estimate.terms.spread


def missing_interval(comparison: Speedup) -> tuple[str, ...]:
    """The devices of which too few processes leave a speedup without an interval."""
    estimate = comparison.computed
    if estimate is None or estimate.interval.known or comparison.base is None:
        return ()
    sides = (comparison.own, comparison.base)
    fewest = min(len(side.timed) for side in sides)
    return tuple(side.device for side in sides if len(side.timed) == fewest < LEAST)


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
"""Keys that a device shares with the single one that its scaling is compared with."""


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


def scaling_of(plan: PlanDocument, results: Sequence[Result]) -> tuple[Scaling, ...]:
    """Every device of several replicas or workers, where the plan has the same one by itself.

    Replicas that share the cores of that one are left out: more of them are no more hardware.

    Args:
        plan: its devices say how many replicas and workers there are.
        results: what was measured.
    """
    rules, groups = rules_of(plan, results), groups_of(results)
    places: dict[tuple[str, str, PointKey], Group] = {
        (group.device, group.machine, point_key(group.point)): group for group in groups
    }
    scalings = []
    for own in groups:
        device = plan.devices.get(own.device)
        single = _single(plan, own.device) if device and own.timed else None
        if device is None or single is None or _shares_cores(device):
            continue
        units = device.all_replicas
        at = (single, own.machine)
        same = places.get((*at, point_key(own.point)))
        share = _share_of(own.point, units)
        less = places.get((*at, point_key(share))) if share else None
        strong, weak = (_efficiency(own, base, rules, units) for base in (same, less))
        if strong.n or weak.n:
            scalings.append(Scaling(own, single, units, strong, weak))
    return tuple(scalings)


def _shares_cores(device: Device) -> bool:
    """Whether its replicas have no more cores together than one of them has by itself."""
    apart = device.strategy not in ONE_PROCESS and (device.spread or device.threads is not None)
    return device.kind == "CPU" and not apart


def _single(plan: PlanDocument, name: str) -> str | None:
    """The device of one replica that is driven alike; None where `name` is such a one itself."""
    device = plan.devices[name]
    if device.all_replicas == 1:
        return None
    alike: Iterable[str] = (
        other
        for other, spec in plan.devices.items()
        if spec.all_replicas == 1 and all(getattr(spec, key) == getattr(device, key) for key in HOW)
    )
    return next(iter(alike), None)


def _share_of(point: Mapping[str, Scalar | None], units: int) -> dict[str, Scalar | None] | None:
    """The sweep point with one unit's share of the batch; None where the batch is not swept."""
    whole = point.get("batch_size")
    if not isinstance(whole, int) or whole % units:
        return None
    return {**point, "batch_size": whole // units}


def _efficiency(own: Group, base: Group | None, rules: Rules, units: int) -> Interval:
    """The share of `units` times the rate of work of one that all of them reach."""
    estimate = speedup(own, base, rules).computed if base and base.timed else None
    if estimate is None:
        return NOTHING
    interval = estimate.interval
    return Interval(interval.value / units, interval.low / units, interval.high / units, interval.n)
