"""How machines compare, and how much all workloads train in a second.

Processes of different machines share no repeat, so the interval is Welch's (1947) on
logarithms of the steady times.

Sources print steps, epochs, samples and totals. Each row of theirs comes to one rate, examples
trained each second (10¹² operations, of a kernel), so that it can be drawn on the axis of what was
measured.

Everything in a row is divided by the same processes of that row, its base. Rows are drawn on
one axis only where their bases are one device of one machine: factors over two baselines cannot be
ranked, since a slower device has the larger one beside a slower baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import floor, log10, nan
from typing import Any

from accelreport.analysis.published import (
    OUTSIDE_A_STEP,
    UNLIKE,
    Contradiction,
    PublishedResult,
    changed_keys,
    conditions,
    examples_per_second,
    flags_of,
    published_results,
    rounding,
    stated_workload,
)
from accelreport.analysis.results import Result, matches, point_key
from accelreport.analysis.speedup import (
    Group,
    Rules,
    Speedup,
    groups_of,
    rules_of,
    speedup,
)
from accelreport.analysis.stats import Interval, geometric_mean, grouped
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Scalar
from accelreport.spec.models import Published


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
    timed = (group for group in groups if group.timed and group.machine)
    places = grouped(timed, lambda group: (group.results[0].where, group.device))
    rows: list[OnMachine] = []
    for there in places.values():
        first, *others = sorted(there, key=lambda side: (side.machine != reference, side.machine))
        if others:
            rows.append(OnMachine(first, None))
            rows += [OnMachine(other, speedup(other, first, rules)) for other in others]
    return tuple(rows)


@dataclass(frozen=True)
class PublishedRate:
    """The rate of one published row.

    Attributes:
        row: what the source printed.
        where: axis → value, for the axes of the plan that the row speaks of.
        rate: examples in a second; of a kernel TFLOPS.
        figure: the printed figure that it follows from.
        flags: what cannot be right about that figure.
        comparable: whether what was measured here does the same work a step as the source did.
    """

    row: Published
    where: Mapping[str, Any]
    rate: float
    figure: str
    flags: tuple[Contradiction, ...] = ()
    comparable: bool = True

    @property
    def slack(self) -> float:
        """Half a unit of the last printed digit, as a share."""
        printed = self.row.figures().get(self.figure, self.rate)
        return slack_of(self.figure, printed)

    @property
    def digits(self) -> int:
        """How many digits of the rate its rounding leaves, at least two; 0 of a printed rate."""
        return digits_of(self.figure, self.slack)


def slack_of(figure: str, printed: float) -> float:
    """Half a unit of the last printed digit, as a share; times are in whole minutes or so."""
    minutes = printed >= 120 and printed % 60 == 0 and figure.endswith("_time")
    return 30 / printed if minutes else rounding(printed)


def digits_of(figure: str, slack: float) -> int:
    """How many digits of a rate the rounding of its figure leaves; 0 where it is printed."""
    derived = figure.endswith("_time") and 0 < slack < 1
    return max(2, floor(-log10(slack)) + 1) if derived else 0


def published_rates(plan: PlanDocument) -> tuple[PublishedRate, ...]:
    """One rate for each published row that a rate follows from, in the order of the spec."""
    published = []
    for row in plan.published:
        if rates := list(_rates(plan, row)):
            # The one of the most digits is the best.
            figure, value, flags, _ = min(rates, key=lambda rate: rate[3])
            where = {axis: row.where[axis] for axis in plan.axes if axis in row.where}
            alike = row.comparable and not _other_steps(plan, row)
            published.append(PublishedRate(row, where, value, figure, flags, alike))
    return tuple(published)


def _other_steps(plan: PlanDocument, row: Published) -> bool:
    """Whether a step of the source does other work than one here, at the same sweep point."""
    stated = stated_workload(plan.text)
    changed = set(changed_keys(plan)) - OUTSIDE_A_STEP - set(plan.axes)
    fixed = set(row.where) - set(plan.axes)
    return any(
        row.where.get(key, stated.get(key)) != plan.workload.get(key) for key in changed | fixed
    )


def _rates(
    plan: PlanDocument, row: Published
) -> Iterator[tuple[str, float, tuple[Contradiction, ...], float]]:
    """Every figure a rate follows from, that rate, its flags, and how coarsely it was rounded."""
    figures, known = row.figures(), conditions(plan, row)
    for figure, value in figures.items():
        flags = flags_of(plan, row, figure)
        if figure == "tflops":
            yield figure, value, flags, 0.0
        elif any(flag.kind == "step-is-a-sample" for flag in flags):
            yield figure, 1 / value, (), rounding(value)
        elif figure == "step_time" and flags and "epoch_time" in figures:
            continue
        elif rate := examples_per_second(known, figure, value):
            yield figure, rate, flags, rounding(value) + float(figure == "total_time")


DeviceOnMachine = tuple[str, str]
"""A device and a machine."""

RATES = {
    "throughput": 0,
    "sample_time": 0,
    "step_time": 1,
    "epoch_time": 1,
    "tflops": 1,
    "total_time": 2,
}
"""Published figures that give a rate, and in which turn one is taken: the time of a step may have
been worked out of that of a sample, and a whole training holds evaluations and the start beside
what it trained, so its rate is the last that is asked for. Of one turn, the one of the most digits
is the best."""


RATES_THEMSELVES = frozenset({"tflops", "throughput"})
"""Figures of `RATES` that are rates already."""


@dataclass(frozen=True)
class PrintedRate:
    """A published figure as a rate, over the rate of a row's base.

    Attributes:
        result: the figure and what the base reached.
        rate: the figure as a rate: examples in a second, or TFLOPS of a kernel.
        factor: how many times as fast; NaN where the figure includes a validation, which the rate
            of the base does not.
    """

    result: PublishedResult
    rate: float
    factor: float

    @property
    def beyond_peak(self) -> bool:
        """Whether the chip cannot be as fast as was printed."""
        return any(flag.kind == "above-peak" for flag in self.result.flags)

    @property
    def slack(self) -> float:
        """Half a unit of its last printed digit, as a share of it."""
        return slack_of(self.result.figure, self.result.value)

    @property
    def digits(self) -> int:
        """How many digits of the rate its rounding leaves, at least two; 0 of a printed rate."""
        return digits_of(self.result.figure, self.slack)


@dataclass(frozen=True)
class RateRow:
    """A workload at a sweep point: its base, and all that can be divided by it.

    Attributes:
        point: the sweep point.
        base: the processes that everything is divided by.
        measured: other devices over the base; none that is withheld.
        printed: published rates over the base, one for each of a source's devices.
    """

    point: Mapping[str, Scalar | None]
    base: Group
    measured: tuple[Speedup, ...]
    printed: tuple[PrintedRate, ...]

    @cached_property
    def rate(self) -> Interval:
        """Examples that the base trains in a second; of a kernel, its TFLOPS."""
        return rate_of_base(self.base)

    @property
    def busy(self) -> bool:
        """Whether other programs held the base's processor while it was measured."""
        return is_busy(self.base.timed)

    @property
    def compared(self) -> int:
        """How many rates are compared with the base."""
        return len(self.measured) + sum(one.factor > 0 for one in self.printed)


def rate_of_base(base: Group) -> Interval:
    """Examples in a second, the geometric mean over processes; of a kernel, its TFLOPS."""
    trained = [row.timings.throughput for row in base.timed]
    known = [rate for rate in trained if rate > 0]
    return geometric_mean(known or [row.timings.tflops for row in base.timed])


def is_busy(results: Iterable[Result]) -> bool:
    """Whether other programs held the processor while any of these were measured."""
    return any(warned.kind == "loaded-machine" for result in results for warned in result.warnings)


def common_base(plans: Iterable[tuple[PlanDocument, Sequence[Result]]]) -> DeviceOnMachine | None:
    """The baseline and machine that most plans have times of; None where none has any."""
    count = Counter(
        place
        for plan, results in plans
        for place in {
            (group.device, group.machine)
            for group in groups_of(results)
            if group.timed and plan.baseline.is_at(group.device, group.point)
        }
    )
    return min(count, key=lambda place: (-count[place], place), default=None)


def rate_rows(
    plan: PlanDocument,
    results: Sequence[Result],
    speedups: Sequence[Speedup],
    place: DeviceOnMachine | None = None,
) -> tuple[RateRow, ...]:
    """The sweep points of a plan at which something can be divided by a base.

    Args:
        plan: the plan.
        results: its results.
        speedups: the speedups of the plan, from `speedups_of`.
        place: device and machine of the base; the plan's own baseline where most was measured
            of it when absent.
    """
    rules = rules_of(plan, results)
    by_point: dict[object, list[Group]] = {}
    for group in groups_of(results):
        by_point.setdefault(point_key(plan.baseline.beside(group.point)), []).append(group)
    known = {(id_of(pair.own), id_of(pair.base)): pair for pair in speedups if pair.base}
    rows = []
    for there in by_point.values():
        timed = [side for side in there if side.timed and matches(side.point, plan.baseline.where)]
        device = place[0] if place else plan.baseline.device
        bases = [side for side in timed if side.device == device]
        if place:
            bases = [side for side in bases if side.machine == place[1]]
        if not bases:
            continue
        base = max(bases, key=lambda side: (len(side.timed), side.machine))
        own = [side for side in there if side.timed and side is not base]
        pairs = [
            known.get((id_of(side), id_of(base))) or speedup(side, base, rules) for side in own
        ]
        rows.append(
            RateRow(
                base.point,
                base,
                tuple(pair for pair in pairs if pair.estimate and not pair.withheld),
                _printed(plan, results, base),
            )
        )
    return tuple(rows)


def id_of(group: Group | None) -> tuple[object, ...]:
    """What identifies a group within its plan."""
    return (group.device, group.machine, point_key(group.point)) if group else ()


def _printed(plan: PlanDocument, results: Sequence[Result], base: Group) -> tuple[PrintedRate, ...]:
    """One rate for each device of a source: figures that restate one another are one."""
    here = [row for row in results if row.machine == base.machine and row.at(base.point)]
    base_rate = rate_of_base(base).value
    rates = [
        PrintedRate(published, rate, rate / base_rate if published.validation == 1 else nan)
        for published in published_results(plan, here, beside=base.device)
        if published.figure in RATES and published.ratio > 0 and published.row.comparable
        if (rate := _rate(plan, published))
    ]
    # What contradicts arithmetic is no rate; what contradicts the chip's peak is shown as such.
    rates = [printed for printed in rates if printed.beyond_peak or not printed.result.flags]
    rates.sort(
        key=lambda printed: (printed.result.row.device, RATES[printed.result.figure], printed.slack)
    )
    kept: list[PrintedRate] = []
    for _, own in groupby(rates, key=lambda printed: printed.result.row.device):
        taken: list[PrintedRate] = []
        for one in own:
            if not any(_restates(one, other) for other in taken):
                taken.append(one)
        kept += taken
    return tuple(kept)


def _rate(plan: PlanDocument, result: PublishedResult) -> float | None:
    """A published figure as a rate, multiplied and divided by units alone."""
    if result.figure in RATES_THEMSELVES:
        return result.value
    return examples_per_second(conditions(plan, result.row), result.figure, result.value)


def _restates(one: PrintedRate, other: PrintedRate) -> bool:
    """Whether two figures of one device are the same measurement in another unit."""
    if one.result.source != other.result.source:
        return False
    if one.result.row.label == other.result.row.label and one.beyond_peak == other.beyond_peak:
        return True
    apart = max(one.rate, other.rate) / min(one.rate, other.rate)
    return apart <= 1 + UNLIKE + one.slack + other.slack
