"""Somebody else's figures beside what was measured here; never mixed into a statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import pandas as pd

from accelreport.analysis.flags import (
    changed_keys,
    conditions,
    conditions_here,
    flags_of,
    stated_workload,
)
from accelreport.analysis.frames import why_withheld
from accelreport.analysis.intervals import NOTHING, Interval, geometric_mean, mean
from accelreport.analysis.results import (
    QUALITIES,
    PointKey,
    Result,
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
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import Published, Source

COLUMNS = (
    "device",
    "label",
    "where",
    "point",
    "machine",
    "figure",
    "published",
    "measured",
    "low",
    "high",
    "n",
    "ratio",
    "over",
    "comparable",
    "mark",
    "note",
    "caveat",
    "flags",
    "source",
    "source_url",
    "imported",
)
"""Columns of `published_frame`."""

LENGTH = frozenset(
    {
        "epochs",
        "steps_per_epoch",
        "train_examples",
        "validation_examples",
        "evaluation_batch_size",
        "samples",
        "data",
    }
)
"""Keys of a workload that change how much is done, and not what a step takes."""

OF_A_STEP = frozenset({"step_time", "sample_time", "throughput", "tflops", "speedup"})
"""Figures that do not depend on how much is done."""


@dataclass(frozen=True)
class Changed:
    """A key that was another one here than in the source: dotted key, theirs, ours."""

    key: str
    theirs: Any
    ours: Any


@dataclass(frozen=True)
class PublishedResult:
    """One published figure beside what one machine measured at one sweep point.

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
        extrapolated: whether a total is, because the budget ended a process.
        synthetic: whether a stand-in for the data was read.
        withheld: of a speedup, the comparison that must not stand alone; None where it may.
        flags: what cannot be right about the published figures themselves.
        source: who published it.
    """

    row: Published
    figure: str
    value: float
    over: str
    point: Mapping[str, Any]
    flags: tuple[str, ...]
    source: Source | None
    machine: str = ""
    measured: Interval = NOTHING
    changed: tuple[Changed, ...] = ()
    ratio: float = nan
    per_step: bool = False
    extrapolated: bool = False
    synthetic: bool = False
    withheld: Speedup | None = None

    @property
    def comparable(self) -> bool:
        """Whether both were made under the same conditions, or are compared by the step."""
        return self.row.comparable and not (isnan(self.ratio) and self.measured.n)


def published_results(plan: PlanDocument, results: Sequence[Result]) -> tuple[PublishedResult, ...]:
    """Each published figure at each sweep point it speaks of, on each machine.

    A figure that nothing was measured for is one result with machine "" and no value. Only like
    is divided by like: where the number of steps differs, the time of an epoch is compared by
    the step, and totals, accuracies and losses are not compared at all; where anything differs
    that changes a step, nothing is.
    """
    rules = rules_of(plan, results)
    groups: dict[PointKey, list[Group]] = {}
    for group in groups_of(results):
        groups.setdefault(point_key(group.point), []).append(group)
    return tuple(
        each
        for row in plan.published
        for figure, value in row.figures().items()
        for each in _beside(plan, groups, rules, row, figure, value)
    )


def _beside(
    plan: PlanDocument,
    groups: Mapping[PointKey, Sequence[Group]],
    rules: Rules,
    row: Published,
    figure: str,
    value: float,
) -> list[PublishedResult]:
    places = [each for each in groups.values() if matches(each[0].point, row.where)]
    found = PublishedResult(
        row=row,
        figure=figure,
        value=value,
        over=(row.over or plan.baseline) if figure == "speedup" else "",
        point=dict(places[0][0].point if len(places) == 1 else row.where),
        flags=flags_of(plan, row, figure),
        source=row.source or plan.source,
    )
    measured = [
        _measured(plan, replace(found, point=dict(group.point)), group, place, rules)
        for place in places
        for group in sorted(place, key=lambda each: each.machine)
        if group.device == row.device
    ]
    return [each for each in measured if each.measured.n or each.withheld] or [found]


def _measured(
    plan: PlanDocument, found: PublishedResult, own: Group, place: Sequence[Group], rules: Rules
) -> PublishedResult:
    """The figure beside what one group of processes came to."""
    kept = [each for each in own.results if each.measured]
    if found.figure == "speedup":
        base = baseline_beside(own, [each for each in place if each.device == found.over])
        compared = speedup(own, base, rules) if base and own.timed else None
        held = compared if compared and compared.withheld else None
        measured = compared.interval if compared else NOTHING
    else:
        values = [quantity(each, found.figure) for each in kept]
        average = mean if found.figure in QUALITIES else geometric_mean
        held, measured = None, average([each for each in values if not isnan(each)], rules.each)
    found = replace(
        found,
        machine=own.machine,
        measured=measured,
        changed=_changed(plan, found),
        extrapolated=any(each.extrapolated for each in kept),
        synthetic=any(each.origin == "synthetic" for each in kept),
        withheld=held,
    )
    return _divided(plan, found)


def _divided(plan: PlanDocument, found: PublishedResult) -> PublishedResult:
    """The figure with its ratio, where like is divided by like."""
    theirs, ours = conditions(plan, found.row), conditions_here(plan, found.point)
    figure, changed = found.figure, {each.key for each in found.changed}
    if not found.value or not found.measured.n or changed - LENGTH:
        return found
    plain = found.measured.value / found.value
    same_steps = theirs.steps == ours.steps
    if figure in OF_A_STEP or not (changed & LENGTH or found.synthetic):
        return replace(found, ratio=plain)
    if figure in QUALITIES:
        return found
    if figure == "total_time":
        alike = same_steps and theirs.epochs == ours.epochs
        return replace(found, ratio=plain) if alike else found
    if same_steps:
        return replace(found, ratio=plain)
    if figure == "epoch_time" and theirs.steps and ours.steps:
        return replace(found, ratio=plain * theirs.steps / ours.steps, per_step=True)
    return found


def _changed(plan: PlanDocument, found: PublishedResult) -> tuple[Changed, ...]:
    """The keys that a profile or the command line changed, and so are not the source's."""
    told = []
    for key in changed_keys(plan):
        if key in found.point:
            continue
        theirs = found.row.where.get(key, _at(stated_workload(plan.text), key))
        ours = _at(plan.workload, key)
        if theirs != ours:
            told.append(Changed(key, theirs, ours))
    return tuple(told)


def _at(tree: Mapping[str, Any], key: str) -> Any:
    value: Any = tree
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def published_frame(found: Sequence[PublishedResult]) -> pd.DataFrame:
    """One row for each published figure, sweep point it speaks of, and machine: `COLUMNS`."""
    return pd.DataFrame([_row(each) for each in found], columns=list(COLUMNS))


def _row(found: PublishedResult) -> dict[str, Any]:
    return {
        "device": found.row.device,
        "label": found.row.label,
        "where": dict(found.row.where),
        "point": dict(found.point),
        "machine": found.machine,
        "figure": found.figure,
        "published": found.value,
        "measured": found.measured.value,
        "low": found.measured.low,
        "high": found.measured.high,
        "n": found.measured.n,
        "ratio": found.ratio,
        "over": found.over,
        "comparable": found.comparable,
        "mark": found.row.mark,
        "note": found.row.note,
        "caveat": caveat(found),
        "flags": found.flags,
        "source": citation(found.source),
        "source_url": found.source.url if found.source else "",
        "imported": found.row.imported,
    }


def caveat(found: PublishedResult) -> str:
    """What makes the measured side unlike the published one, in words; empty where nothing does."""
    said = []
    if found.figure == "total_time" and found.extrapolated:
        said.append("extrapolated from the steady steps")
    if found.synthetic:
        said.append("measured on a synthetic stand-in for the data")
    told = [each for each in found.changed if each.key != "data"]
    if told:
        said.append(f"measured with {', '.join(_told(each) for each in told)}")
    if found.per_step:
        said.append("compared by the time of a step")
    elif told and isnan(found.ratio) and found.measured.n:
        said.append("not divided, since that changes it")
    if found.withheld:
        said.append(f"withheld: {why_withheld(found.withheld, found.over)}")
    return "; ".join(said)


def _told(changed: Changed) -> str:
    instead = "" if changed.theirs is None else f" instead of {changed.theirs}"
    return f"{changed.key} {changed.ours}{instead}"


def citation(source: Source | None) -> str:
    """A source in a line: "Title (authors, year); licence; read 2026-05-31"; empty without one."""
    if source is None:
        return ""
    by = ", ".join(part for part in (source.authors, str(source.year or "")) if part)
    read = f"read {source.accessed}" if source.accessed else ""
    parts = (f"{source.title} ({by})" if by else source.title, source.licence, read)
    return "; ".join(part for part in parts if part)
