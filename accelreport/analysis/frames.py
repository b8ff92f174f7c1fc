"""Records as tidy frames: one row a cell, one row a step, one row a point of a curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.cell_rows import (
    IDENTITY,
    MEASURED,
    MEMORY,
    STAGES,
    TEXTS,
    TIMINGS,
    cell_row,
    machine_of,
    missing_row,
)
from accelreport.analysis.refusals import REFUSED
from accelreport.analysis.seeds import reused_seeds
from accelreport.analysis.siblings import slow_processes
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Block, Record

__all__ = [
    "CURVE_COLUMNS",
    "IDENTITY",
    "MEASURED",
    "MEMORY",
    "STAGES",
    "STEP_COLUMNS",
    "TEXTS",
    "TIMINGS",
    "cells_frame",
    "curve_frame",
    "machine_of",
    "not_refused",
    "steps_frame",
]


def cells_frame(plan: PlanDocument, records: Iterable[Record]) -> pd.DataFrame:
    """One row for each planned cell and machine that has a record of it.

    A planned cell without any record is one row with status `missing`. One whose number is
    refused (`refusals`) has the status `refused`, what was found against it in `failure_kind`
    and `failure_message`, and no timings.

    Seconds, bytes and fractions throughout; the columns are `IDENTITY`, the axes by their
    dotted names, `TEXTS`, `warnings` (a tuple of (kind, message): the record's own, then those
    of `steadiness`), `TIMINGS`, `total_extrapolated`, `STAGES`, `MEMORY`, and one column for
    each final metric.

    Times of a failed or skipped cell are NaN: they may be read in its record, and enter
    no statistic. `mfu` (model FLOPs utilisation) is `tflops` over `peak_tflops`, the cited
    peak of what the cell ran on, where there is one. `epoch_s` is the mean over complete
    epochs after the first.
    """
    planned = {cell.key for cell in plan.cells}
    records = [record for record in records if record.key in planned]
    reused = reused_seeds(records)
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    rows: list[dict[str, Any]] = []
    for cell in plan.cells:
        precision = plan.devices[cell.device].precision if cell.device in plan.devices else ""
        of_cell = sorted(by_key.get(cell.key, ()), key=machine_of)
        known = [
            cell_row(plan, cell, record, reused.get((record.key, machine_of(record)), ()))
            for record in of_cell
        ] or [missing_row(plan, cell)]
        rows.extend(row | {"precision": precision} for row in known)
    frame = _typed(plan, rows)
    slow = slow_processes(frame, list(plan.axes))
    if slow:
        processes = zip(frame["key"], frame["machine"], frame["warnings"], strict=True)
        frame["warnings"] = [
            (*said, (slow[key, machine].kind, slow[key, machine].message))
            if (key, machine) in slow
            else said
            for key, machine, said in processes
        ]
    return frame


def not_refused(records: Iterable[Record], cells: pd.DataFrame) -> list[Record]:
    """The records whose numbers may be shown, by the rows that `cells_frame` made of them."""
    rows = zip(cells["key"], cells["machine"], cells["status"], strict=True)
    refused = {(key, machine) for key, machine, status in rows if status == REFUSED}
    return [record for record in records if (record.key, machine_of(record)) not in refused]


def _typed(plan: PlanDocument, rows: list[dict[str, Any]]) -> pd.DataFrame:
    numbers = (*TIMINGS, *STAGES, *MEMORY)
    fixed = [*IDENTITY, *plan.axes, *TEXTS, "warnings", "total_extrapolated", *numbers]
    metrics = sorted({name for row in rows for name in row} - set(fixed))
    typed: dict[str, Any] = {
        name: pd.Series([_text(row.get(name)) for row in rows], dtype=str) for name in TEXTS
    }
    for name in (*numbers, *metrics):
        typed[name] = np.array([row.get(name) for row in rows], dtype=float)  # None is NaN
    for name in ("repeat", "seed"):
        typed[name] = np.array([row[name] for row in rows], dtype=int)
    typed["total_extrapolated"] = [row.get("total_extrapolated") is True for row in rows]
    # All columns at once: each that is put into a frame later costs as much as a whole frame.
    rest = pd.DataFrame(rows, columns=[name for name in fixed if name not in typed])
    return pd.DataFrame({name: typed.get(name, rest.get(name)) for name in (*fixed, *metrics)})


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


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
        machines.append(machine_of(record))
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
    stamps = block.step_s
    if stamps:
        first = block.first_step + block.steps - len(stamps)
        rows = len(stamps)
        parts["step"].extend(range(first, first + rows))
        parts["seconds"].extend(stamps)
        parts["steps"].extend([1] * rows)
        parts["warmup"].extend([block.warmup] * rows)
        parts["exact"].extend([True] * rows)
        return rows
    if not block.steps:
        return 0
    parts["step"].append(block.first_step)
    parts["seconds"].append(block.wall_s / block.steps)
    parts["steps"].append(block.steps)
    parts["warmup"].append(block.warmup)
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
            machine_of(record),
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
