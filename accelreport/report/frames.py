"""Results as data frames, for Python and for files: one row a cell, a step, a point of a curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import isnan, nan
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.learning import Parity, TargetTime
from accelreport.analysis.results import MemoryPeaks, Result, Stages, Timings
from accelreport.analysis.speedup import Group, Speedup, Why, Withheld, missing_interval, widened
from accelreport.analysis.stats import NOTHING
from accelreport.report.warning_text import failure_text, problem_text, remedy_text, warning_text
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Block, Record

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

TIMINGS = tuple(each.name for each in fields(Timings))
"""Columns derived from timed steps; NaN unless the status is ok or partial."""

STAGES = tuple(each.name for each in fields(Stages))
"""Columns taken from `Record.times`, in seconds; NaN where the stage was not reached."""

MEMORY = tuple(each.name for each in fields(MemoryPeaks))
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
        columns[name] = np.array([getattr(each, name) for each in results], dtype=kind)
    for axis in plan.axes:
        columns[axis] = pd.Series([each.point[axis] for each in results])
    told = {"failure_message": failure_text, "failure_remedy": remedy_text}
    for name in TEXTS:
        text = told.get(name, attrgetter(name))
        columns[name] = pd.Series([text(each) for each in results], dtype=str)
    said = [tuple((found.kind, warning_text(found)) for found in each.warnings) for each in results]
    columns["warnings"] = pd.Series(said, dtype=object)
    columns["total_extrapolated"] = [each.extrapolated for each in results]
    for part, names in (("timings", TIMINGS), ("stages", STAGES), ("memory", MEMORY)):
        parts = [getattr(each, part) for each in results]
        for name in names:
            columns[name] = np.array([getattr(values, name) for values in parts], dtype=float)
    for column, metric in metric_columns(results, columns).items():
        columns[column] = np.array([each.final.get(metric) for each in results], dtype=float)
    return pd.DataFrame(columns)


def metric_columns(results: Iterable[Result], taken: Iterable[str]) -> dict[str, str]:
    """Column → final metric, by name; a name that is taken gets `final.` before it."""
    metrics = sorted({name for each in results for name in each.final})
    others = {*taken}
    named = {metric: metric for metric in metrics if metric not in others}
    for metric in metrics:
        column = metric
        while column in others or named.get(column, metric) != metric:
            column = f"final.{column}"
        named[column] = metric
    return dict(sorted(named.items()))


SPEEDUP_COLUMNS = (
    "device",
    "machine",
    "n",
    "n_baseline",
    "baseline_machine",
    "seconds",
    "seconds_low",
    "seconds_high",
    "speedup",
    "low",
    "high",
    "level",
    "verdict",
    "needed",
    "paired",
    "reason",
    "parity",
    "parity_metric",
    "parity_within",
    "parity_difference",
    "parity_low",
    "parity_high",
    "withheld",
)
"""Columns of `speedups_frame`, after the axes."""

NOT_APPLICABLE = "NOT APPLICABLE"
"""The parity of a kernel, which trains nothing."""


def speedups_frame(plan: PlanDocument, found: Iterable[Speedup]) -> pd.DataFrame:
    """One row for each speedup: the axes, then `SPEEDUP_COLUMNS`.

    Times are in seconds. A speedup that must not stand alone is a row with its number, the
    verdict NOT MEASURED, and why in `withheld`. `needed` is how many more processes of each device
    would decide an UNDECIDED row with probability 0.8 (NaN where that is unknown or nothing is
    left to decide); `paired`, whether the comparison was made within repeats; `reason`, why there
    is no speedup, or no interval, or why there are fewer processes than planned. `parity` is the
    verdict of the equivalence test on `parity_metric` (NOT APPLICABLE for a kernel), with its
    difference and 90 % interval.
    """
    rows = [{**each.point, **_speedup_row(each)} for each in found]
    return pd.DataFrame(rows, columns=[*plan.axes, *SPEEDUP_COLUMNS])


def _speedup_row(found: Speedup) -> dict[str, Any]:
    estimate = found.estimate or found.qualified
    interval = estimate.interval if estimate else NOTHING
    base = found.base if found.base and found.own.timed else None
    quality, agreed = found.rules.quality, found.agreement
    difference = agreed.difference if agreed else NOTHING
    parity = agreed.verdict if agreed else Parity.NOT_MEASURED
    seconds = found.seconds
    return {
        "device": found.device,
        "machine": found.machine,
        "n": len(found.own.timed),
        "n_baseline": len(base.timed) if base else 0,
        "baseline_machine": base.machine if base else "",
        "seconds": seconds.value,
        "seconds_low": seconds.low,
        "seconds_high": seconds.high,
        "speedup": interval.value,
        "low": interval.low,
        "high": interval.high,
        "level": found.rules.level,
        "verdict": found.verdict.value,
        "needed": estimate.needed if estimate and estimate.needed else nan,
        "paired": estimate.paired if estimate and not found.is_baseline else False,
        "reason": why_incomplete(found),
        "parity": parity.value if quality else NOT_APPLICABLE,
        "parity_metric": quality.metric if quality else "",
        "parity_within": quality.within if quality else nan,
        "parity_difference": difference.value,
        "parity_low": difference.low,
        "parity_high": difference.high,
        "withheld": why_withheld(found),
    }


def why_withheld(found: Speedup, other: str = "the baseline") -> str:
    """Why a speedup must not stand alone; empty where it may.

    Args:
        found: the speedup.
        other: what the device was compared with, in words.
    """
    return "; ".join(withheld_text(each, other) for each in found.withheld)


def withheld_text(held: Withheld, other: str = "the baseline") -> str:
    """One reason for which a speedup must not stand alone, in words."""
    if held.why is Why.INPUT:
        return f"its input differs from that of {held.base}"
    if held.why is Why.PRECISION:
        return f"it computes in {held.own}, {other} in {held.base}"
    if held.why is Why.DATA:
        read = "a sample" if held.own == "sample" else "a synthetic stand-in"
        return f"it learnt from {read}, and the claim is about the whole data"
    if held.why is Why.PROFILE:
        return f"the profile {held.own} changes the work, and the claim is about the spec’s own"
    return f"it does not reach the same quality as {other}"


WIDENED = "its interval is as wide as slow processes at other points demand"
"""Said of a speedup whose own processes vary less than is known of the two devices."""


def why_incomplete(found: Speedup) -> str:
    """Why there is no time, speedup or interval, or which processes are missing of them."""
    own, base = found.own, found.base
    if not own.timed:
        return "; ".join(problems_of(own))
    if base is None or not base.timed:
        return f"the baseline {found.baseline} was not measured here"
    differing = [each for each in found.withheld if each.why is Why.INPUT]
    if differing:
        return f"withheld: {withheld_text(differing[0])}"
    lone = missing_interval(found)
    said = [f"one process of {' and of '.join(lone)} gives no interval"] if lone else []
    said += [WIDENED] if widened(found) else []
    said += of_processes(problems_of(own), len(own.results))
    return "; ".join(said)


def problems_of(group: Group) -> Counter[str]:
    """Why processes have no time → how many of them."""
    return Counter(map(problem_text, group.untimed))


def of_processes(problems: Mapping[str, int], planned: int) -> list[str]:
    """Each problem with how many of the planned processes it befell."""
    return [f"{count} of {planned} processes: {why}" for why, count in problems.items()]


def not_refused(records: Iterable[Record], results: Iterable[Result]) -> list[Record]:
    """The records whose numbers may be shown, by the results that were made of them."""
    refused = {(each.key, each.machine) for each in results if each.refused}
    return [record for record in records if (record.key, record.machine) not in refused]


STEP_COLUMNS = ("key", "machine", "step", "seconds", "steps", "warmup", "exact")
"""Columns of `steps_frame`."""


def steps_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Every timed step: the raw material of distributions, never of an interval.

    Columns: key, machine, step (number within the cell, from 0), seconds, steps (how many
    steps the row stands for), warmup, exact. A block whose steps were stamped one by one
    gives a row for each stamp; any other block gives one row with its mean, `exact` only
    where it holds a single step.
    """
    keys: list[str] = []
    machines: list[str] = []
    counts: list[int] = []
    parts: dict[str, list[Any]] = {name: [] for name in STEP_COLUMNS[2:]}
    for record in records:
        length = 0
        for block in record.blocks:
            length += _append_block(parts, block)
        keys.append(record.key)
        machines.append(record.machine)
        counts.append(length)
    columns: Mapping[str, Any] = {
        "key": np.repeat(np.array(keys, dtype=object), counts),
        "machine": np.repeat(np.array(machines, dtype=object), counts),
        "step": np.array(parts["step"], dtype=np.int64),
        "seconds": np.array(parts["seconds"], dtype=float),
        "steps": np.array(parts["steps"], dtype=np.int64),
        "warmup": np.array(parts["warmup"], dtype=bool),
        "exact": np.array(parts["exact"], dtype=bool),
    }
    return pd.DataFrame(columns)


def _append_block(parts: dict[str, list[Any]], block: Block) -> int:
    stamps = block.stamped_s
    if stamps:
        first = block.first_step + block.steps - len(stamps)
        rows = len(stamps)
        parts["step"].extend(range(first, first + rows))
        parts["seconds"].extend(stamps)
        parts["steps"].extend([1] * rows)
        parts["warmup"].extend([not block.steady] * rows)
        parts["exact"].extend([True] * rows)
        return rows
    if not block.steps:
        return 0
    parts["step"].append(block.first_step)
    parts["seconds"].append(block.wall_s / block.steps)
    parts["steps"].append(block.steps)
    parts["warmup"].append(not block.steady)
    parts["exact"].append(block.steps == 1)
    return 1


CURVE_COLUMNS = ("key", "machine", "device", "repeat", "epoch", "elapsed_s", "metric", "value")
"""Columns of `curve_frame`."""


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


TARGETS = (
    "key",
    "device",
    "machine",
    "repeat",
    "metric",
    "target",
    "direction",
    "reached",
    "epoch",
    "elapsed_s",
    "best",
    "last_epoch",
    "said",
)
"""Columns of `targets_frame`; the axes stand after `repeat`."""


def targets_frame(plan: PlanDocument, found: Iterable[TargetTime]) -> pd.DataFrame:
    """One row for each `TargetTime`: `TARGETS`, with the axes after `repeat`.

    `direction` is "at least" or "at most"; `said` tells why a target was not reached.
    """
    rows = [
        {
            "key": each.result.key,
            "device": each.result.device,
            "machine": each.result.machine,
            "repeat": each.result.repeat,
            **{axis: each.result.point[axis] for axis in plan.axes},
            "metric": each.target.metric,
            "target": each.level,
            "direction": "at least" if each.target.at_least is not None else "at most",
            "reached": each.reached,
            "epoch": each.epoch,
            "elapsed_s": each.elapsed_s,
            "best": each.best,
            "last_epoch": each.last_epoch,
            "said": why_not_reached(each),
        }
        for each in found
    ]
    return pd.DataFrame(rows, columns=[*TARGETS[:4], *plan.axes, *TARGETS[4:]])


def why_not_reached(found: TargetTime) -> str:
    """Why a process did not reach its target; empty where it did."""
    if found.reached:
        return ""
    if found.result.status == "partial":
        return "stopped by the budget before it was reached"
    return "no learning curve" if isnan(found.last_epoch) else "never reached"


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as dicts of plain values; several times as fast as `to_dict`."""
    names = [str(name) for name in frame.columns]
    columns = [frame[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
