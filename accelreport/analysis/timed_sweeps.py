"""Times of a step over a swept amount of work, and the law of each device: measured and published.

The amount is the batch where it is swept. Where something else is, such as units or the side of a
matrix, it is the operations of a step as the records counted them: then r∞ is a rate of
arithmetic, and n½ the operations at which half of it is reached.

What was published and what was measured are never fitted together, and never compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import combinations

from accelreport.analysis.batch_law import (
    FEWEST,
    Against,
    Fit,
    TimedRun,
    against,
    costs_of_part,
    fit,
)
from accelreport.analysis.published import (
    STEP_FIGURES,
    conditions,
    flags_of,
    rounding,
    step_seconds,
)
from accelreport.analysis.results import PartTimes, PointKey, Result, point_key
from accelreport.analysis.speedup import Speedup
from accelreport.analysis.stats import Interval
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Scalar
from accelreport.spec.models import Published

BATCH = "batch_size"
FIRST = (BATCH, "units", "size")
"""Axes that are taken before all others."""

MOST_ROUNDED = 0.02
"""A printed time that may be off by more than this share, such as "6 s", is fitted to nothing."""


class Cause(StrEnum):
    """What a step spends its time on."""

    DISPATCH = "dispatch"
    """Driving a step from one to the next."""
    INPUT = "input"
    """Taking its batch."""
    COMPUTE = "compute"
    """The loss and its gradients, the launches of their operations among them."""
    OPTIMIZER = "optimizer"
    """Updating the weights."""
    UNEXPLAINED = "unexplained"
    """What these do not add up to."""


@dataclass(frozen=True)
class CauseCost:
    """What a cause has of the costs of a law.

    Attributes:
        cause: the cause.
        fixed_s: of the fixed cost of a step, with its interval; below 0 where the cause grows
            faster than the work, and where what is unexplained was faster as a whole.
        each_s: of the cost of an example.
    """

    cause: Cause
    fixed_s: Interval
    each_s: Interval


@dataclass(frozen=True)
class TimedSweep:
    """One device over amounts of work.

    Attributes:
        device: its name.
        machine: where it was measured; empty for what was published.
        label: what a publication calls it; empty for what was measured.
        source: title of what it was published in.
        axis: what was swept.
        fixed: where the other axes stood.
        runs: for each repeat, or for the one publication, seconds of a step by amount of work.
        parts: of each repeat that has every amount, the run and the same of each cause that was
            timed by itself; empty without any, and where it was timed for some amounts alone.
    """

    device: str
    machine: str
    label: str
    source: str
    axis: str
    fixed: Mapping[str, Scalar | None]
    runs: tuple[TimedRun, ...] = field(repr=False)
    parts: tuple[tuple[TimedRun, Mapping[Cause, TimedRun]], ...] = field(repr=False, default=())

    @property
    def published(self) -> bool:
        """Whether somebody else printed it."""
        return not self.machine

    @property
    def of_batches(self) -> bool:
        """Whether amounts are examples; operations otherwise."""
        return self.axis == BATCH

    @property
    def amounts(self) -> list[float]:
        """Every amount, from the least."""
        return sorted({amount for run in self.runs for amount in run})

    @cached_property
    def fit(self) -> Fit:
        """The law, or why there is none."""
        return fit(self.runs)

    @cached_property
    def split(self) -> tuple[CauseCost, ...]:
        """The law's costs by cause; empty where no parts were timed, or the fixed cost is none."""
        law = self.fit.law
        if not self.parts or law is None or not law.fixed_s:
            return ()
        runs, parts = zip(*self.parts, strict=True)
        rest = [
            {amount: seconds - sum(part[amount] for part in of.values())
             for amount, seconds in run.items()}
            for run, of in zip(runs, parts, strict=True)
        ]  # fmt: skip
        causes = {cause: [of[cause] for of in parts] for cause in PART_OF}
        causes[Cause.UNEXPLAINED] = rest
        return tuple(CauseCost(cause, *costs_of_part(runs, of)) for cause, of in causes.items())


PART_OF: Mapping[Cause, Callable[[PartTimes], float]] = {
    Cause.DISPATCH: lambda parts: parts.dispatch_s,
    Cause.INPUT: lambda parts: parts.input_s,
    Cause.COMPUTE: lambda parts: parts.compute_s,
    Cause.OPTIMIZER: lambda parts: parts.optimizer_s,
}
"""Cause → its seconds."""


def law_axis(plan: PlanDocument) -> str | None:
    """The swept number that laws are over: one of at least `FEWEST` positive values."""
    fit_for = [axis for axis, values in plan.axes.items() if len(_positive(values)) >= FEWEST]
    return min(fit_for, key=lambda axis: FIRST.index(axis) if axis in FIRST else 99, default=None)


def _positive(values: Sequence[Scalar]) -> set[float]:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return {float(v) for v in numbers if v > 0} if len(numbers) == len(values) else set()


def measured_sweeps(plan: PlanDocument, results: Sequence[Result]) -> list[TimedSweep]:
    """Every device on every machine, wherever the other axes stand, in the order of the plan."""
    axis = law_axis(plan)
    if axis is None:
        return []
    timed_runs: dict[tuple[str, str, PointKey], dict[int, dict[float, float]]] = {}
    held: dict[PointKey, dict[str, Scalar | None]] = {}
    amounts: dict[tuple[str, str, PointKey], dict[float, float]] = {}
    parts: dict[tuple[str, str, PointKey], dict[int, dict[float, PartTimes]]] = {}
    for result in results:
        examples = float(str(result.point[axis])) if axis == BATCH else None
        amount = result.timings.flops_per_step if examples is None else examples
        if not result.measured or not result.seconds > 0 or not amount > 0:
            continue
        fixed = {name: value for name, value in result.point.items() if name != axis}
        place = (result.device, result.machine, point_key(fixed))
        held[place[2]] = fixed
        # Two runs of one point may count one operation more or less: the point is one amount.
        swept = float(str(result.point[axis]))
        amount = amounts.setdefault(place, {}).setdefault(swept, amount)
        timed_runs.setdefault(place, {}).setdefault(result.repeat, {})[amount] = result.seconds
        if result.parts:
            parts.setdefault(place, {}).setdefault(result.repeat, {})[amount] = result.parts
    return [
        TimedSweep(
            device, machine, "", "", axis, held[key], tuple(runs.values()),
            _parts(runs, parts.get((device, machine, key), {})),
        )
        for (device, machine, key), runs in timed_runs.items()
        # What changes no work, such as a learning rate, has no law.
        if len(set(amounts[device, machine, key].values())) >= FEWEST
    ]  # fmt: skip


def _parts(
    runs: Mapping[int, TimedRun], timed: Mapping[int, Mapping[float, PartTimes]]
) -> tuple[tuple[TimedRun, Mapping[Cause, TimedRun]], ...]:
    """Each run that has every amount, with its causes, where they are known of all amounts."""
    every = {amount for run in runs.values() for amount in run}
    return tuple(
        (runs[repeat], {cause: {amount: seconds(parts) for amount, parts in by_amount.items()}
                        for cause, seconds in PART_OF.items()})
        for repeat, by_amount in timed.items()
        if by_amount.keys() == every
    )  # fmt: skip


def published_sweeps(plan: PlanDocument) -> list[TimedSweep]:
    """Every device of every source that printed times for at least `FEWEST` batch sizes."""
    groups: dict[tuple[str, str, PointKey], list[Published]] = {}
    for row in plan.published:
        if BATCH in row.where:
            fixed = point_key({name: v for name, v in row.where.items() if name != BATCH})
            source = row.source or plan.source
            by = source.title if source else ""
            groups.setdefault((row.device, by, fixed), []).append(row)
    sweeps = []
    for (device, by, _), rows in groups.items():
        kinds = (_printed_run(plan, rows, figure) for figure in STEP_FIGURES)
        timed = next((run for run in kinds if len(run) >= FEWEST), None)
        if timed:
            where = {name: v for name, v in rows[0].where.items() if name != BATCH}
            label = rows[0].label.partition(",")[0]
            sweeps.append(TimedSweep(device, "", label, by, BATCH, where, (timed,)))
    return sweeps


def _printed_run(plan: PlanDocument, rows: Iterable[Published], figure: str) -> dict[float, float]:
    """Batch size → seconds of a step by one kind of figure, leaving out what is flagged."""
    run: dict[float, float] = {}
    for row in rows:
        value = row.figures().get(figure)
        if not value or rounding(value) > MOST_ROUNDED or flags_of(plan, row, figure):
            continue
        batch = row.where[BATCH]
        if isinstance(batch, bool | str):
            continue
        if seconds := step_seconds(conditions(plan, row), figure, value):
            run.setdefault(float(batch), seconds)
    return run


@dataclass(frozen=True)
class LawPair:
    """Two laws side by side.

    Attributes:
        own: the device whose speedup grows with the work.
        base: the other one.
        against: what the laws say of `own` over `base`.
    """

    own: TimedSweep
    base: TimedSweep
    against: Against

    @property
    def crossing_timed(self) -> bool:
        """Whether they meet between amounts that were timed."""
        ends = [(sweep.amounts[0], sweep.amounts[-1]) for sweep in (self.own, self.base)]
        where = self.against.crossing.value
        return max(low for low, _ in ends) <= where <= min(high for _, high in ends)


def law_pairs(sweeps: Sequence[TimedSweep], compared: Sequence[Speedup]) -> Iterator[LawPair]:
    """Laws that may be held against each other: of one source, or of one machine.

    A device one of whose speedups is withheld (it computes something else, or reaches another
    quality) is compared with none.

    Args:
        sweeps: of one plan.
        compared: its speedups.
    """
    apart = {(speedup.device, speedup.machine) for speedup in compared if speedup.withheld}
    usable = [
        sweep
        for sweep in sweeps
        if sweep.fit.law is not None and (sweep.device, sweep.machine) not in apart
    ]
    for one, other in combinations(usable, 2):
        places = [(s.machine, s.source, s.axis, point_key(s.fixed)) for s in (one, other)]
        if places[0] != places[1]:
            continue
        comparison = against(one.fit, other.fit)
        own, base = (one, other) if comparison.grows else (other, one)
        yield LawPair(own, base, against(own.fit, base.fit))
