"""Results as data frames, for Python and for files: one row a cell, a step, a point of a curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from math import isnan, nan
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.learning import Parity, TargetTime
from accelreport.analysis.published import Changed, PublishedResult
from accelreport.analysis.results import MemoryPeaks, Result, Stages, Timings
from accelreport.analysis.sequential import LOOKS
from accelreport.analysis.speedup import (
    Group,
    Speedup,
    Why,
    Withheld,
    missing_interval,
    only_precision,
    widened,
)
from accelreport.analysis.stats import NOTHING, Interval
from accelreport.report.warning_text import (
    failure_text,
    flag_text,
    problem_text,
    remedy_text,
    warning_text,
)
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Block, Record
from accelreport.spec.claims import AS_WRITTEN, Names
from accelreport.spec.models import Source
from accelreport.spec.problems import counted

IDENTITY = ("key", "device", "machine", "repeat", "seed")
"""Columns that say which cell a row is; the axes follow them."""

TEXTS = (
    "status",
    "failure_kind",
    "failure_message",
    "failure_remedy",
    "origin",
    "fingerprint",
    "precision",
    "hardware",
)
"""Columns of text; empty where there is nothing to say."""

TIMINGS = tuple(field.name for field in fields(Timings))
"""Columns derived from timed steps; NaN unless the status is ok or partial."""

STAGES = tuple(field.name for field in fields(Stages))
"""Columns taken from `Record.times`, in seconds; NaN where the stage was not reached."""

MEMORY = tuple(field.name for field in fields(MemoryPeaks))
"""Columns taken from `Record.memory`."""


def results_frame(plan: PlanDocument, results: Sequence[Result]) -> pd.DataFrame:
    """One row for each planned cell and machine that has a record of it.

    A planned cell without any record is one row with status `missing`. One whose number is
    refused (`warnings.REFUSING`) has the status `refused`, what was found against it in
    `failure_kind` and `failure_message`, and no timings.

    Seconds, bytes and fractions throughout; the columns are `IDENTITY`, the axes by their
    dotted names, `TEXTS`, `warnings` (a tuple of (kind, message): the record's own, then those
    of `stability`), `TIMINGS`, `total_extrapolated`, `STAGES`, `MEMORY`, and one column for
    each final metric. A metric that is named like one of the others is `final.` and its name.

    Times of a failed or skipped cell are NaN: they may be read in its record, and enter
    no statistic. `mfu` (model FLOPs utilisation) is `tflops` over `peak_tflops`, the cited
    peak of what the cell ran on, where there is one. `epoch_s` is the mean over complete
    epochs after the first.
    """
    columns: dict[str, Any] = {}
    for name in IDENTITY:
        kind = int if name in {"repeat", "seed"} else object
        columns[name] = np.array([getattr(result, name) for result in results], dtype=kind)
    for axis in plan.axes:
        columns[axis] = pd.Series([result.point[axis] for result in results])
    texts = {"failure_message": failure_text, "failure_remedy": remedy_text}
    for name in TEXTS:
        text = texts.get(name, attrgetter(name))
        columns[name] = pd.Series([text(result) for result in results], dtype=str)
    warnings = [
        tuple((warning.kind, warning_text(warning)) for warning in result.warnings)
        for result in results
    ]
    columns["warnings"] = pd.Series(warnings, dtype=object)
    columns["total_extrapolated"] = [result.extrapolated for result in results]
    for part, names in (("timings", TIMINGS), ("stages", STAGES), ("memory", MEMORY)):
        parts = [getattr(result, part) for result in results]
        for name in names:
            columns[name] = np.array([getattr(values, name) for values in parts], dtype=float)
    for column, metric in metric_columns(results, columns).items():
        columns[column] = np.array([result.final.get(metric) for result in results], dtype=float)
    return pd.DataFrame(columns)


def metric_columns(results: Iterable[Result], taken: Iterable[str]) -> dict[str, str]:
    """Column → final metric, by name; a name that is taken gets `final.` before it."""
    metrics = sorted({name for result in results for name in result.final})
    others = {*taken}
    named = {metric: metric for metric in metrics if metric not in others}
    for metric in metrics:
        column = metric
        while column in others or named.get(column, metric) != metric:
            column = f"final.{column}"
        named[column] = metric
    return dict(sorted(named.items()))


SPEEDUP_COLUMNS: dict[str, Callable[[Speedup], object]] = {
    "device": lambda one: one.device,
    "machine": lambda one: one.machine,
    "n": lambda one: len(one.own.timed),
    "n_baseline": lambda one: len(base.timed) if (base := _base(one)) else 0,
    "baseline_machine": lambda one: base.machine if (base := _base(one)) else "",
    "seconds": lambda one: one.seconds.value,
    "seconds_low": lambda one: one.seconds.low,
    "seconds_high": lambda one: one.seconds.high,
    "speedup": lambda one: _ratio(one).value,
    "low": lambda one: _ratio(one).low,
    "high": lambda one: _ratio(one).high,
    "level": lambda one: one.rules.level,
    "verdict": lambda one: one.verdict.value,
    "needed": lambda one: (one.estimate and one.estimate.needed) or nan,
    "paired": lambda one: bool(one.computed and one.computed.paired and not one.is_baseline),
    "reason": lambda one: why_incomplete(one),
    "parity": lambda one: _parity(one),
    "parity_metric": lambda one: one.rules.quality.metric if one.rules.quality else "",
    "parity_within": lambda one: one.rules.quality.within if one.rules.quality else nan,
    "parity_difference": lambda one: _difference(one).value,
    "parity_low": lambda one: _difference(one).low,
    "parity_high": lambda one: _difference(one).high,
    "withheld": lambda one: why_withheld(one),
}
"""Column of `speedups_frame`, after the axes → its value."""

NOT_APPLICABLE = "NOT APPLICABLE"
"""The parity of a kernel, which trains nothing."""


def speedups_frame(plan: PlanDocument, speedups: Iterable[Speedup]) -> pd.DataFrame:
    """One row for each speedup: the axes, then `SPEEDUP_COLUMNS`.

    Times are in seconds. A speedup that must not stand alone is a row with its number, the
    verdict WITHHELD, and why in `withheld`. `needed` is how many more processes of each device
    would decide an UNDECIDED row with probability 0.8 (NaN where that is unknown or nothing is
    left to decide); `paired`, whether the comparison was made within repeats; `reason`, why there
    is no speedup, or no interval, or why there are fewer processes than planned. `parity` is the
    verdict of the equivalence test on `parity_metric` (NOT APPLICABLE for a kernel), with its
    difference and 90 % interval.
    """
    rows = [
        {**one.point, **{name: value(one) for name, value in SPEEDUP_COLUMNS.items()}}
        for one in speedups
    ]
    return pd.DataFrame(rows, columns=[*plan.axes, *SPEEDUP_COLUMNS])


def _base(one: Speedup) -> Group | None:
    return one.base if one.own.timed else None


def _ratio(one: Speedup) -> Interval:
    return one.computed.interval if one.computed else NOTHING


def _parity(one: Speedup) -> str:
    if not one.rules.quality:
        return NOT_APPLICABLE
    return (one.agreement.verdict if one.agreement else Parity.NOT_MEASURED).value


def _difference(one: Speedup) -> Interval:
    return one.agreement.difference if one.agreement else NOTHING


def why_withheld(speedup: Speedup, other: str = "the baseline") -> str:
    """Why a speedup must not stand alone; empty where it may.

    Args:
        speedup: the speedup.
        other: what the device was compared with, in words.
    """
    return "; ".join(withheld_text(withheld, other) for withheld in speedup.withheld)


def withheld_word(withheld: Iterable[Withheld]) -> str:
    """What stands in the place of a verdict or a ratio that is withheld."""
    return "precision differs" if only_precision(withheld) else "withheld"


def withheld_text(held: Withheld, other: str = "the baseline") -> str:
    """One reason for which a speedup must not stand alone, in words."""
    if held.why is Why.INPUT:
        return f"its input differs from that of {held.base}"
    if held.why is Why.PRECISION:
        own, base = (COMPUTE_DTYPE.get(policy, policy) for policy in (held.own, held.base))
        return f"it computes in {own} instead of {base}"
    if held.why is Why.DATA:
        read = "a sample" if held.own == "sample" else "a synthetic stand-in"
        return f"it learnt from {read}, and the claim is about the whole data"
    if held.why is Why.PROFILE:
        return f"the profile {held.own} changes the work, and the claim is about the spec’s own"
    return f"it does not reach the same quality as {other}"


WIDENED = "its interval is as wide as slow processes at other points demand"
"""Said of a speedup whose own processes vary less than is known of the two devices."""


def why_incomplete(speedup: Speedup, baseline: str = "") -> str:
    """Why there is no time, speedup or interval, or which processes are missing of them.

    Args:
        speedup: the speedup.
        baseline: what a page calls the baseline; its name in the spec when empty.
    """
    own, base = speedup.own, speedup.base
    if not own.timed:
        return "; ".join(problems_of(own))
    if base is None or not base.timed:
        return f"{baseline or f'the baseline {speedup.baseline}'} has no steady time here"
    differing = [withheld for withheld in speedup.withheld if withheld.why is Why.INPUT]
    if differing:
        return f"withheld: {withheld_text(differing[0])}"
    lone = missing_interval(speedup)
    reasons = [no_interval_text(" and of ".join(lone), _ratio(speedup).n)] if lone else []
    reasons += [WIDENED] if widened(speedup) else []
    reasons += of_processes(problems_of(own), len(own.results))
    return "; ".join(reasons)


def no_interval_text(of: str, n: int, preposition: str = "of") -> str:
    """That one process, or two, of something give no interval."""
    few = "one process" if n == 1 else "two processes"
    return f"{few} {preposition} {of} {'gives' if n == 1 else 'give'} no interval"


def needed_text(needed: int | None, n: int, *, paired: bool) -> str:
    """How many more processes would decide a comparison that has `n`; empty where nobody knows."""
    if not needed or n + needed > LOOKS[-1]:
        return f"needs more than {LOOKS[-1]} repeats" if needed else ""
    each_side = f"{counted(needed, 'more process', 'more processes')} of each"
    more = counted(needed, "more pair") if paired else each_side
    return f"about {more} would probably decide"


def problems_of(group: Group) -> Counter[str]:
    """Why processes have no time → how many of them."""
    return Counter(map(problem_text, group.untimed))


def of_processes(problems: Mapping[str, int], planned: int) -> list[str]:
    """Each problem, with how many of the planned processes it befell where that is not all."""
    return [
        f"{count} of {planned} processes: {why}" if count < planned else why
        for why, count in problems.items()
    ]


def not_refused(records: Iterable[Record], results: Iterable[Result]) -> list[Record]:
    """The records whose numbers may be shown, by the results that were made of them."""
    refused = {(result.key, result.machine) for result in results if result.refused}
    return [record for record in records if (record.key, record.machine) not in refused]


STEP_COLUMNS = ("key", "machine", "step", "seconds", "steps", "warmup", "exact")


def steps_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Every timed step: the raw material of distributions, never of an interval.

    Columns: key, machine, step (number within the cell, from 0), seconds, steps (how many
    steps the row stands for), warmup, exact. A block whose steps were stamped one by one
    gives a row for each stamp; any other block gives one row with its mean, `exact` only
    where it holds a single step.
    """
    rows = [
        (record.key, record.machine, step, seconds, steps, not block.steady, steps == 1)
        for record in records
        for block, step, seconds, steps in timed_steps(record)
    ]
    return pd.DataFrame(rows, columns=list(STEP_COLUMNS))


def timed_steps(record: Record) -> Iterator[tuple[Block, int, float, int]]:
    """Block, number, seconds and 1 of each stamped step; of other blocks the mean of so many."""
    for block in record.blocks:
        if stamps := block.stamped_s:
            first = block.first_step + block.steps - len(stamps)
            yield from ((block, step, seconds, 1) for step, seconds in enumerate(stamps, first))
        elif block.steps:
            yield block, block.first_step, block.wall_s / block.steps, block.steps


CURVE_COLUMNS = ("key", "machine", "device", "repeat", "epoch", "elapsed_s", "metric", "value")


def curve_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Every point of every learning curve, one row for each metric.

    `elapsed_s` is timed training only: evaluations are not in it.
    """
    rows = [
        (
            record.key,
            record.machine,
            record.cell.device,
            record.cell.repeat,
            epoch.epoch,
            epoch.elapsed_s,
            metric,
            value,
        )
        for record in records
        for epoch in record.epochs
        for metric, value in epoch.metrics.items()
    ]
    return pd.DataFrame(rows, columns=list(CURVE_COLUMNS))


TARGETS: dict[str, Callable[[TargetTime], object]] = {
    "key": lambda one: one.result.key,
    "device": lambda one: one.result.device,
    "machine": lambda one: one.result.machine,
    "repeat": lambda one: one.result.repeat,
    "metric": lambda one: one.target.metric,
    "target": lambda one: one.target.level,
    "direction": lambda one: one.target.bound,
    "reached": lambda one: one.reached,
    "epoch": lambda one: one.epoch,
    "elapsed_s": lambda one: one.elapsed_s,
    "best": lambda one: one.best,
    "last_epoch": lambda one: one.last_epoch,
    "said": lambda one: why_not_reached(one),
}
"""Column of `targets_frame` → its value; the axes stand after `repeat`."""


def targets_frame(plan: PlanDocument, target_times: Iterable[TargetTime]) -> pd.DataFrame:
    """One row for each `TargetTime`: `TARGETS`, with the axes after `repeat`.

    `direction` is "at least" or "at most"; `said` tells why a target was not reached.
    """
    names = list(TARGETS)
    rows = [
        {**one.result.point, **{name: value(one) for name, value in TARGETS.items()}}
        for one in target_times
    ]
    return pd.DataFrame(rows, columns=[*names[:4], *plan.axes, *names[4:]])


def why_not_reached(target_time: TargetTime) -> str:
    """Why a process did not reach its target; empty where it did."""
    if target_time.reached:
        return ""
    if target_time.result.status == "partial":
        return "stopped by the budget before it was reached"
    return "no learning curve" if isnan(target_time.last_epoch) else "never reached"


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as dicts of plain values; several times as fast as `to_dict`."""
    names = [str(name) for name in frame.columns]
    columns = [frame[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


# Published figures ------------------------------------------------------------------------------

PUBLISHED_COLUMNS: dict[str, Callable[[PublishedResult], object]] = {
    "device": lambda one: one.row.device,
    "label": lambda one: one.row.label,
    "where": lambda one: dict(one.row.where),
    "point": lambda one: dict(one.point),
    "machine": lambda one: one.machine,
    "figure": lambda one: one.figure,
    "published": lambda one: one.value,
    "measured": lambda one: one.measured.value,
    "low": lambda one: one.measured.low,
    "high": lambda one: one.measured.high,
    "n": lambda one: one.measured.n,
    "ratio": lambda one: one.ratio,
    "over": lambda one: one.over,
    "comparable": lambda one: one.comparable,
    "mark": lambda one: one.row.mark,
    "note": lambda one: one.row.note,
    "caveat": lambda one: caveat(one),
    "flags": lambda one: tuple(map(flag_text, one.flags)),
    "source": lambda one: citation(one.source),
    "source_url": lambda one: one.source.url if one.source else "",
    "imported": lambda one: one.row.imported,
}
"""Column of `published_frame` → its value for a figure."""


def published_frame(results: Iterable[PublishedResult]) -> pd.DataFrame:
    """One row for each published figure, sweep point and machine: `PUBLISHED_COLUMNS`."""
    rows = [{name: value(one) for name, value in PUBLISHED_COLUMNS.items()} for one in results]
    return pd.DataFrame(rows, columns=list(PUBLISHED_COLUMNS))


def caveat(result: PublishedResult, names: Names = AS_WRITTEN) -> str:
    """What makes the measured side unlike the published one, in words; empty where nothing does."""
    parts = []
    if isnan(result.validation):
        parts.append("published with validation, measured without")
    elif result.validation > 1:
        parts.append("measured with validation")
    if result.extrapolated:
        parts.append("extrapolated")
    if result.stand_in:
        parts.append("sample data" if result.stand_in == "sample" else "synthetic data")
    changes = [change for change in result.changed if change.key != "data"]
    if changes:
        parts.append(
            f"measured with {', '.join(_changed_text(change, names) for change in changes)}"
        )
    if result.per_step:
        parts.append("by step time")
    elif changes and isnan(result.ratio) and result.measured.n:
        parts.append("not divided")
    if result.withheld:
        parts.append(f"withheld: {why_withheld(result.withheld, result.over)}")
    return "; ".join(parts)


def _changed_text(changed: Changed, names: Names) -> str:
    instead = "" if changed.theirs is None else f" instead of {names.value(changed.theirs)}"
    return f"{names.axis(changed.key)} {names.value(changed.ours)}{instead}"


def citation(source: Source | None) -> str:
    """A source in a line: "Title (authors, year); licence; read 2026-05-31"; empty without one."""
    if source is None:
        return ""
    by = ", ".join(part for part in (source.authors, str(source.year or "")) if part)
    read = f"read {source.accessed}" if source.accessed else ""
    parts = (f"{source.title} ({by})" if by else source.title, source.licence, read)
    return "; ".join(part for part in parts if part)
