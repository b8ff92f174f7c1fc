"""Published figures compared with measured ones; never mixed into a statistic.

Rules find figures that contradict physics, or one another.

Each rule reads only what the source printed and the spec's own workload, so that the same
rule speaks of every source alike. A published number is rounded: half a unit of its last
digit is allowed for before anything is called a contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property, partial
from math import isnan, nan
from typing import Any, Literal

import tomli

from accelreport.analysis.ceilings import above
from accelreport.analysis.compute import peak_for, peak_of_hardware
from accelreport.analysis.hardware import RUNTIMES, Hardware, named_in
from accelreport.analysis.results import (
    CONVERTED,
    QUALITIES,
    STAND_INS,
    PointKey,
    Result,
    later_epoch,
    matches,
    point_key,
    quantity,
)
from accelreport.analysis.speedup import (
    Group,
    Rules,
    Speedup,
    baseline_beside,
    groups_of,
    rules_of,
    speedup,
)
from accelreport.analysis.stats import NOTHING, Interval, geometric_mean, grouped, mean
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.results.plan_document import PlanDocument, profile_of
from accelreport.spec.base import dotted_values, parse_duration
from accelreport.spec.claims import TIME_QUANTITIES
from accelreport.spec.models import TIME_FIGURES, Measure, Published, Source

TOO_SHORT = 0.10
"""A total may be this share below its epochs' sum before it is impossible."""

TOO_LONG = 0.40
"""A total may be this share above it: evaluation and compilation belong to no epoch."""

UNLIKE = 0.15
"""Two figures for the same thing may differ by this share."""


@dataclass(frozen=True)
class Conditions:
    """What the rules know of the workload a source ran; None where the spec does not say."""

    epochs: int | None
    batch_size: int | None
    steps_per_epoch: int | None
    examples: int | None
    dtype: str

    @property
    def samples(self) -> float | None:
        """Samples of one epoch."""
        if self.steps_per_epoch and self.batch_size:
            return self.steps_per_epoch * self.batch_size
        return self.examples

    @property
    def steps(self) -> float | None:
        """Steps in one epoch."""
        if self.steps_per_epoch:
            return self.steps_per_epoch
        return self.examples / self.batch_size if self.examples and self.batch_size else None


@dataclass(frozen=True)
class Printed:
    """A published row as the rules read it.

    Attributes:
        published: what the source printed.
        plan: what it is compared with.
        operations: that a step at its sweep point takes at the least, by the records' counts; NaN
            if no record has them.
    """

    published: Published
    plan: PlanDocument
    operations: float = nan

    @cached_property
    def known(self) -> Conditions:
        """What the spec says of the workload."""
        return conditions(self.plan, self.published)


@dataclass(frozen=True)
class Contradiction:
    """A published figure that contradicts physics, or another figure of its source.

    Attributes:
        kind: what is wrong, such as `above-peak`.
        printed: the figure.
        other: what it contradicts: a peak in TFLOPS, seconds, or a speedup.
        count: how many epochs, steps or samples the two are apart, or the seconds of a step that
            a rate follows from; NaN where nothing is counted.
        of: what the other one is of: a quantity, or an element type.
        source: where the other one is written, or the chip that is inferred; empty where it is the
            same source.
        inferred: whether the row's own source names no chip.
    """

    kind: Literal[
        "above-peak",
        "not-of-epochs",
        "not-of-samples",
        "step-is-a-sample",
        "steps-unlike-epoch",
        "samples-unlike-epoch",
        "speedup-unlike-times",
    ]
    printed: float
    other: float
    count: float = nan
    of: str = ""
    source: str = ""
    inferred: bool = False


def flags_of(
    plan: PlanDocument, published: Published, figure: str, operations: float = nan
) -> tuple[Contradiction, ...]:
    """What about one figure of a published row cannot be right as printed.

    Args:
        plan: what it is compared with.
        published: the row.
        figure: which of its figures.
        operations: that a step at its sweep point takes at the least; NaN where none are known.
    """
    row = Printed(published, plan, operations)
    flags = [flag for rule in RULES.get(figure, ()) for flag in rule(row)]
    return (*flags, *_above_ceiling(row, figure))


def conditions(plan: PlanDocument, published: Published) -> Conditions:
    """The workload a published row was measured with, as far as the spec states it.

    A profile or the command line changes epochs and data to make a run short, and a source
    knows nothing of that: then only what `[workload]` itself says is used.
    """
    stated: Mapping[str, Any] = plan.workload
    if plan.profile != "full" or plan.overrides:
        stated = stated_workload(plan.text)
    return _conditions({**stated, **published.where}.get)


def _conditions(at: Callable[[str], Any]) -> Conditions:
    def count(key: str) -> int | None:
        """A count; a plan may hold anything else as a value of a sweep."""
        value = at(key)
        return value if type(value) is int and value > 0 else None

    entry = CATALOGUE.get(str(at("dataset")))
    return Conditions(
        epochs=count("epochs"),
        batch_size=count("batch_size"),
        steps_per_epoch=count("steps_per_epoch"),
        examples=count("train_examples") or (entry.examples if entry else None),
        dtype=str(at("dtype") or ""),
    )


def changed_keys(plan: PlanDocument) -> list[str]:
    """Keys of the workload that its profile or the command line gave another value."""
    profile = plan.profile.partition("+")[0]
    table = _table(_read(plan.text), "profiles", profile)
    written = (key for key, value in dotted_values(table) if value != {})
    keys = [*written, *plan.overrides]
    return [key.removeprefix("workload.") for key in keys if key.startswith("workload.")]


def stated_workload(text: str) -> Mapping[str, Any]:
    """The table `[workload]` of a spec, as it is written."""
    return _table(_read(text), "workload")


def stated_budget(plan: PlanDocument) -> float:
    """Seconds of the budget that the spec gives the profile; the plan's own without a spec."""
    document = _read(plan.text)
    own = dict(dotted_values(_table(document, "profiles", profile_of(plan))))
    budget = own.get("measure.budget", _table(document, "measure").get("budget"))
    if budget is None:
        budget = Measure.model_fields["budget"].default if document else plan.measure.budget
    return parse_duration(budget)


@cache
def _read(text: str) -> Mapping[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError:
        return {}


def _table(document: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    value = _at(document, *path)
    return value if isinstance(value, Mapping) else {}


def rounding(value: float) -> float:
    """Half a unit of the last digit of a number, as a share of it: "6" → 0.083."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    unit = 10.0 ** min(int(exponent), 0)
    return 0.5 * unit / abs(value) if value else 0.0


def _unlike(one: float, other: float, slack: float, tolerance: float = UNLIKE) -> bool:
    """Whether two values are further apart than a tolerance and the rounding of printed figures."""
    return max(one, other) / min(one, other) > 1 + tolerance + slack


def _above_ceiling(row: Printed, figure: str) -> Iterator[Contradiction]:
    """A rate of operations that the hardware leaves no room for, printed or implied by a time."""
    published, dtype = row.published, row.known.dtype
    device = row.plan.devices.get(published.device)
    named = published.hardware or published.label
    peak = peak_of_hardware(named, dtype) or (device and peak_for(device, dtype))
    if peak and peak.tf32_tflops:  # no source says that its framework left TensorFloat-32 out
        peak = replace(peak, tflops=peak.tf32_tflops, dtype="tensorfloat32")
    rate = implied_tflops(row, figure)
    slack = rounding(published.figures()[figure])
    if not peak or rate is None or not above(rate / (1 + slack), peak):
        return
    seconds = nan if figure.startswith("tflops") else row.operations / rate / 1e12
    yield Contradiction(
        "above-peak",
        rate,
        peak.tflops,
        seconds,
        peak.dtype,
        known.name if published.hardware_by and (known := named_in(named)) else str(peak.source),
        bool(published.hardware_by),
    )


@dataclass(frozen=True)
class NamedHardware:
    """The hardware of a published row.

    Attributes:
        known: its row in the table of known hardware.
        by: who names it; empty where the row's own source does.
    """

    known: Hardware
    by: str = ""


def hardware_of(row: Published) -> NamedHardware | None:
    """The hardware of a published row, and who names it; None if it is not named.

    A hosted machine is one that a source calls exactly so. Last comes what the row's price is of.
    """
    if known := named_in(row.hardware):
        return NamedHardware(known, row.hardware_by)
    if known := named_in(row.label):
        return NamedHardware(known)
    hosted = [runtime for runtime in RUNTIMES if runtime.name == row.label.partition(",")[0]]
    texts = [(runtime.hardware, runtime.by) for runtime in hosted]
    texts += [(row.price.of, "its cited price list")] if row.price else []
    named = (NamedHardware(known, by) for text, by in texts if (known := named_in(text)))
    return next(named, None)


STEP_FIGURES = ("sample_time", "throughput", "step_time", "epoch_time")
"""Figures from which the time of a step follows, the most direct ones first."""


def examples_per_second(known: Conditions, figure: str, value: float) -> float | None:
    """Examples trained in a second by a printed time or throughput; None where none follows.

    In a total evaluation and compilation are, too, so that any other figure is better.
    """
    if figure == "throughput":
        return value
    whole = known.samples * known.epochs if known.samples and known.epochs else None
    examples = {
        "sample_time": 1,
        "step_time": known.batch_size,
        "epoch_time": known.samples,
        "total_time": whole,
    }.get(figure)
    return examples / value if examples else None


def step_seconds(known: Conditions, figure: str, value: float) -> float | None:
    """Seconds of a step by one of `STEP_FIGURES`; None for others, and where none follows."""
    if figure == "step_time" or figure not in STEP_FIGURES:
        return value if figure == "step_time" else None
    rate = examples_per_second(known, figure, value)
    return known.batch_size / rate if rate and known.batch_size else None


def implied_tflops(row: Printed, figure: str) -> float | None:
    """10¹² operations a second that a figure says at the least; None where it says none."""
    value = row.published.figures()[figure]
    if figure in {"tflops", "tflops_cold"}:
        return value
    seconds = step_seconds(row.known, figure, value)
    if not seconds or isnan(row.operations):
        return None
    return row.operations / seconds / 1e12


def _total_against_epochs(row: Printed) -> Iterator[Contradiction]:
    published, known = row.published, row.known
    total, epoch, epochs = published.total_time, published.epoch_time, known.epochs
    if total is None or epoch is None or not epochs:
        return
    first = published.first_epoch_time or epoch
    parts = first + (epochs - 1) * epoch
    if not _adds_up(total, parts, rounding(epoch)):
        yield Contradiction("not-of-epochs", total, parts, epochs)


def _total_against_samples(row: Printed) -> Iterator[Contradiction]:
    published, known = row.published, row.known
    total, sample = published.total_time, published.sample_time
    if total is None or sample is None or not known.epochs or not known.samples:
        return
    count = known.samples * known.epochs
    if not _adds_up(total, sample * count, rounding(sample)):
        yield Contradiction("not-of-samples", total, sample * count, count)


def _adds_up(total: float, parts: float, slack: float) -> bool:
    allowed = slack + rounding(total)
    return -TOO_SHORT - allowed <= total / parts - 1 <= TOO_LONG + allowed


def _step_is_a_sample(row: Printed) -> Iterator[Contradiction]:
    published, known = row.published, row.known
    step, epoch = published.step_time, published.epoch_time
    if step is None or epoch is None or not known.steps or not known.samples:
        return
    slack = rounding(step) + rounding(epoch)
    if not _unlike(step * known.steps, epoch, slack, TOO_LONG):
        return
    if not _unlike(step * known.samples, epoch, slack, TOO_LONG):
        yield Contradiction("step-is-a-sample", step, epoch, known.samples)
    else:
        yield Contradiction("steps-unlike-epoch", step, epoch, known.steps)


def _sample_against_epoch(row: Printed) -> Iterator[Contradiction]:
    published, known = row.published, row.known
    sample, epoch = published.sample_time, published.epoch_time
    if sample is None or epoch is None or not known.samples:
        return
    if _unlike(sample * known.samples, epoch, rounding(sample) + rounding(epoch), TOO_LONG):
        yield Contradiction("samples-unlike-epoch", sample, epoch, known.samples)


def _speedup_against_times(row: Printed) -> Iterator[Contradiction]:
    published = row.published
    over, elsewhere = row.plan.baseline.place(published.over, published.where)
    elsewhere |= published.over_where
    same = (over, elsewhere) == (published.device, published.where)
    # Of other work, such as an announcement, no times of the source are.
    if published.speedup is None or same or not published.comparable:
        return
    names: tuple[str, ...] = (published.quantity,)
    if published.quantity == "speedup":
        names = ("sample_time", "step_time", "epoch_time", "total_time", "tflops")
    elif published.quantity == "steady_step_time":
        names = ("step_time",)
    for name in names:
        own = _figure(row, published.device, published.where, name)
        other = _figure(row, over, elsewhere, name)
        if own is None or other is None:
            continue
        implied = other / own if name in TIME_QUANTITIES else own / other
        slack = rounding(own) + rounding(other) + rounding(published.speedup)
        if _unlike(implied, published.speedup, slack):
            yield Contradiction("speedup-unlike-times", published.speedup, implied, of=name)


def _figure(row: Printed, device: str, where: Mapping[str, Any], name: str) -> float | None:
    """The one value a row's own source has for a device and point; None where it has several."""
    values = {
        value
        for other in row.plan.published
        if other.device == device and other.where == where and other.source == row.published.source
        if (value := other.figures().get(name)) is not None
    }
    return values.pop() if len(values) == 1 else None


Rule = Callable[[Printed], Iterator[Contradiction]]
"""A published row → what in it cannot be right."""

RULES: dict[str, tuple[Rule, ...]] = {
    "total_time": (_total_against_epochs, _total_against_samples),
    "step_time": (_step_is_a_sample,),
    "sample_time": (_sample_against_epoch,),
    "speedup": (_speedup_against_times,),
}
"""The rules for each figure, in addition to that of the ceiling."""

OUTSIDE_A_STEP = frozenset(
    {
        "epochs",
        "steps_per_epoch",
        "train_examples",
        "validation_examples",
        "evaluation_batch_size",
        "samples",
        "data",
        "optimizer.learning_rate",
    }
)
"""Keys of a workload that change how much is done or learnt, and not what a step takes."""

OF_A_STEP = frozenset({"step_time", "sample_time", "throughput", "tflops", "speedup"})
"""Figures that do not depend on how much is done; a speedup does where it is of whole trainings."""


@dataclass(frozen=True)
class Changed:
    """A key that was another one here than in the source: dotted key, theirs, ours."""

    key: str
    theirs: Any
    ours: Any


@dataclass(frozen=True)
class PublishedResult:
    """One published figure, and what one machine measured at one sweep point.

    Attributes:
        row: what the source printed.
        figure: which of its figures.
        value: in seconds, as a fraction or as counted.
        over: of a speedup, the device it is over; empty otherwise.
        point: the sweep point, or what the source says of it where there is no single one.
        machine: where it was measured; empty where it was not.
        measured: geometric mean over processes for times, rates and speedups, arithmetic mean
            for accuracies and losses, with its interval.
        changed: what differs from the source's conditions, as far as the spec states them.
        ratio: measured over published; NaN where the two are not alike.
        per_step: whether the ratio is of the time of a step, since their number differs.
        extrapolated: whether a total or an epoch is, because the budget ended a process.
        stand_in: what was read instead of the whole data: "synthetic", "sample" or nothing.
        withheld: of a speedup, the comparison that must not be shown alone; None if it may.
        validation: how many times as long `measured` is by its validation, where the published time
            includes one; 1 where it does not, NaN where ours was not measured and is left out.
        flags: what cannot be right about the published figures themselves.
        source: who published it.
    """

    row: Published
    figure: str
    value: float
    over: str
    point: Mapping[str, Any]
    flags: tuple[Contradiction, ...]
    source: Source | None
    machine: str = ""
    measured: Interval = NOTHING
    changed: tuple[Changed, ...] = ()
    ratio: float = nan
    per_step: bool = False
    extrapolated: bool = False
    stand_in: str = ""
    withheld: Speedup | None = None
    validation: float = 1.0

    @property
    def longer(self) -> float:
        """How many times as long the measured time is by the validation that it counts."""
        return 1.0 if isnan(self.validation) else self.validation

    @property
    def comparable(self) -> bool:
        """Whether both were made under the same conditions, or are compared by the step."""
        return self.row.comparable and not (isnan(self.ratio) and self.measured.n)


def published_results(
    plan: PlanDocument, results: Sequence[Result], *, beside: str = ""
) -> tuple[PublishedResult, ...]:
    """Each published figure at each sweep point it speaks of, on each machine.

    A figure that nothing was measured for is one result with machine "" and no value. Only like
    is divided by like: where the number of steps differs, the time of an epoch is compared by
    the step, and totals, accuracies and losses are not compared at all; where anything differs
    that changes a step, nothing is.

    Args:
        plan: holds the figures.
        results: what was measured.
        beside: the device whose measurements they are compared with; each its own when empty.
    """
    rules = rules_of(plan, results)
    groups = grouped(groups_of(results), lambda group: point_key(group.point))
    return tuple(
        result
        for row in plan.published
        for figure in row.figures()
        for result in _beside(plan, groups, rules, row, figure, beside)
    )


def _beside(
    plan: PlanDocument,
    groups: Mapping[PointKey, Sequence[Group]],
    rules: Rules,
    row: Published,
    figure: str,
    device: str,
) -> list[PublishedResult]:
    places = [place for place in groups.values() if matches(place[0].point, row.where)]
    one_place = places[0] if len(places) == 1 else ()
    counted = [
        result.timings.least_flops_per_step for group in one_place for result in group.results
    ]
    operations = max((count for count in counted if not isnan(count)), default=nan)
    unmeasured = PublishedResult(
        row=row,
        figure=figure,
        value=row.figures()[figure],
        over=(row.over or plan.baseline.device) if figure == "speedup" else "",
        point=dict(one_place[0].point if one_place else row.where),
        flags=flags_of(plan, row, figure, operations),
        source=row.source or plan.source,
    )

    def there(place: Sequence[Group]) -> Sequence[Group]:
        """What was measured where the device is that a row's speedup is over."""
        _, point = plan.baseline.place(row.over, place[0].point)
        return groups.get(point_key(point | row.over_where), ())

    measured = [
        _measured(
            plan,
            replace(unmeasured, point=dict(group.point)),
            group,
            there(place),
            rules,
        )
        for place in places
        for group in sorted(place, key=lambda one: one.machine)
        if group.device == (device or row.device)
    ]
    return [result for result in measured if result.measured.n or result.withheld] or [unmeasured]


def _measured(
    plan: PlanDocument, result: PublishedResult, own: Group, place: Sequence[Group], rules: Rules
) -> PublishedResult:
    """A published figure with what one group of processes measured."""
    kept = [process for process in own.results if process.measured]
    epochs = plan.value("epochs", own.point)
    if result.figure == "speedup":
        base = baseline_beside(own, [group for group in place if group.device == result.over])
        by = replace(rules, by=result.row.quantity)
        compared = speedup(own, base, by) if base and own.timed else None
        held = compared if compared and compared.withheld else None
        measured = compared.interval if compared else NOTHING
    else:
        values = [
            later_epoch(process, epochs)[0]
            if result.figure == "epoch_time"
            else quantity(process, result.figure)
            for process in kept
        ]
        average = mean if result.figure in QUALITIES else geometric_mean
        held = None
        measured = average([value for value in values if not isnan(value)], rules.interval_level)
    extrapolated = result.figure == "total_time" and any(process.extrapolated for process in kept)
    if result.figure == "epoch_time":
        extrapolated = any(later_epoch(process, epochs)[1] for process in kept)
    longer = validation_factor(plan, result.row, result.figure, kept) if measured.n else 1.0
    result = replace(result, validation=longer)
    factor = 1 / result.longer if result.figure == "throughput" else result.longer
    result = replace(
        result,
        machine=own.machine,
        measured=measured.times(factor),
        changed=_changed(plan, result),
        extrapolated=extrapolated,
        stand_in=next((process.origin for process in kept if process.origin in STAND_INS), ""),
        withheld=held,
    )
    return _divided(plan, result)


VALIDATES = frozenset({"data", "steps_per_epoch", "train_examples", "validation_examples"})
"""Keys of a workload that change what share of an epoch its validation takes."""


def validation_factor(
    plan: PlanDocument, row: Published, figure: str, results: Sequence[Result]
) -> float:
    """How many times as long a measured time is with the validation after each epoch.

    Args:
        plan: says how many epochs there are.
        row: the published row that the time is compared with.
        figure: which of its figures.
        results: the processes that were measured.

    Returns:
        1 where the published figure includes no validation; NaN where it does and ours is not
        known, or does not take the same share of an epoch.
    """
    if row.includes != "validation" or figure not in TIME_FIGURES:
        return 1.0
    timed = [result for result in results if result.timed]
    other_share = VALIDATES.intersection(changed_keys(plan)) or any(
        result.origin in STAND_INS for result in timed
    )
    if other_share or figure == "first_epoch_time":
        return nan
    factors = [
        1 + result.validation_s * epochs / (result.seconds * result.timings.planned_steps)
        if (epochs := plan.value("epochs", result.point))
        else nan
        for result in timed
    ]
    return nan if any(map(isnan, factors)) else geometric_mean(factors).value


def _divided(plan: PlanDocument, result: PublishedResult) -> PublishedResult:
    """The figure with its ratio, where like is divided by like."""
    theirs = conditions(plan, result.row)
    ours = _conditions(partial(plan.value, point=result.point))
    figure, changed = result.figure, {change.key for change in result.changed}
    if not result.value or not result.measured.n or changed - OUTSIDE_A_STEP:
        return result
    if figure in CONVERTED and not result.row.comparable:  # sizes of two networks
        return result
    plain = result.measured.value / result.value
    same_steps = theirs.steps == ours.steps
    of_a_step = figure in OF_A_STEP and result.row.quantity != "total_time"
    if of_a_step or not (changed & OUTSIDE_A_STEP or result.stand_in):
        return replace(result, ratio=plain)
    if figure in QUALITIES:
        return result
    if "total_time" in {figure, result.row.quantity}:
        alike = same_steps and theirs.epochs == ours.epochs
        return replace(result, ratio=plain) if alike else result
    if same_steps:
        return replace(result, ratio=plain)
    if figure == "epoch_time" and theirs.steps and ours.steps:
        return replace(result, ratio=plain * theirs.steps / ours.steps, per_step=True)
    return result


def _changed(plan: PlanDocument, result: PublishedResult) -> tuple[Changed, ...]:
    """The keys that a profile or the command line changed, and so are not the source's."""
    changes = []
    for key in changed_keys(plan):
        if key in result.point:
            continue
        theirs = result.row.where.get(key, _at(stated_workload(plan.text), *key.split(".")))
        ours = _at(plan.workload, *key.split("."))
        if theirs != ours:
            changes.append(Changed(key, theirs, ours))
    return tuple(changes)


def _at(tree: Mapping[str, Any], *path: str) -> Any:
    value: Any = tree
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
