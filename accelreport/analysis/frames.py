"""Records as tidy frames: one row a cell, one row a step, one row a point of a curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.peaks import cited_peak
from accelreport.analysis.steadiness import findings, slow_processes
from accelreport.analysis.steady import complete_epochs, steady, total_seconds
from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.results.record import Record

MEASURED = ("ok", "partial")
"""Statuses whose times enter a statistic."""

UNKNOWN_MACHINE = "unknown"
"""The machine of a record that names none."""

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

TIMINGS = (
    "steady_step_s",
    "steady_steps",
    "window_s",
    "cpu_per_wall",
    "other_cpu_per_wall",
    "first_step_s",
    "first_epoch_s",
    "epoch_s",
    "total_s",
    "throughput",
    "tflops",
    "tflops_cold",
    "peak_tflops",
    "mfu",
    "flops_per_step",
    "samples_per_step",
    "planned_steps",
)
"""Columns derived from timed steps; NaN unless the status is ok or partial."""

STAGES = ("process_s", "import_s", "data_s", "build_s", "evaluate_s", "wall_s")
"""Columns taken from `Record.times`, in seconds; NaN where the stage was not reached."""

MEMORY = ("host_peak_bytes", "device_peak_bytes")
"""Columns taken from `Record.memory`."""


def machine_of(record: Record) -> str:
    """Fingerprint of the machine a record was made on."""
    return record.environment.machine if record.environment else UNKNOWN_MACHINE


def cells_frame(plan: PlanDocument, records: Iterable[Record]) -> pd.DataFrame:
    """One row for each planned cell and machine that has a record of it.

    A planned cell without any record is one row with status `missing`. Seconds, bytes and
    fractions throughout; the columns are `IDENTITY`, the axes by their dotted names,
    `TEXTS`, `warnings` (a tuple of (kind, message): the record's own, then those of
    `steadiness`), `TIMINGS`, `total_extrapolated`, `STAGES`, `MEMORY`, and one column for
    each final metric.

    Times of a failed or skipped cell are NaN: they may be read in its record, and enter
    no statistic. `mfu` (model FLOPs utilisation) is `tflops` over `peak_tflops`, the cited
    peak of what the cell ran on, where there is one. `epoch_s` is the mean over complete
    epochs after the first.
    """
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    rows: list[dict[str, Any]] = []
    for cell in plan.cells:
        precision = plan.devices[cell.device].precision if cell.device in plan.devices else ""
        of_cell = sorted(by_key.get(cell.key, ()), key=machine_of)
        known = [_row(plan, cell, record) for record in of_cell] or [_missing(plan, cell)]
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


def _identity(plan: PlanDocument, cell: PlannedCell, machine: str) -> dict[str, Any]:
    point = {axis: cell.point.get(axis) for axis in plan.axes}
    known = {"key": cell.key, "device": cell.device, "machine": machine}
    return known | {"repeat": cell.repeat, "seed": cell.seed} | point


def _missing(plan: PlanDocument, cell: PlannedCell) -> dict[str, Any]:
    return _identity(plan, cell, "") | {"status": "missing", "warnings": ()}


def _row(plan: PlanDocument, cell: PlannedCell, record: Record) -> dict[str, Any]:
    failure = record.failure
    row = _identity(plan, cell, machine_of(record))
    row |= {
        "status": record.status,
        "failure_kind": failure.kind if failure else "",
        "failure_message": failure.message if failure else "",
        "failure_remedy": failure.remedy if failure else "",
        "origin": record.data.origin if record.data else "",
        "fingerprint": record.data.fingerprint if record.data else "",
        "warnings": _warnings(record),
        "total_extrapolated": record.status == "partial",
        "hardware": _hardware(plan, cell, record),
    }
    row |= {name: getattr(record.times, name) for name in STAGES}
    row |= {name: getattr(record.memory, name) for name in MEMORY}
    if record.status in MEASURED:
        row |= _timings(record)
        peak = cited_peak(plan, cell.device, cell.point, row["hardware"])
        if peak:
            row |= {"peak_tflops": peak.tflops, "mfu": row["tflops"] / peak.tflops}
        row |= {name: value for name, value in record.final.items() if name not in row}
    return row


def _hardware(plan: PlanDocument, cell: PlannedCell, record: Record) -> str:
    """What did the arithmetic, by the name its driver or the kernel knows it by."""
    environment = record.environment
    if environment is None:
        return ""
    kind = plan.devices[cell.device].kind if cell.device in plan.devices else "CPU"
    if kind == "CPU":
        return environment.cpu
    return environment.gpus[0].name if kind == "GPU" and environment.gpus else ""


def _warnings(record: Record) -> tuple[tuple[str, str], ...]:
    """What the process said of itself, then what its timings say of it."""
    said = {warned.kind: warned.message for warned in record.warnings}
    if record.status in MEASURED:
        for found in findings(record):
            said.setdefault(found.kind, found.message)
    return tuple(said.items())


def _timings(record: Record) -> dict[str, float]:
    window = steady(record)
    step_s = window.step_s
    epochs = complete_epochs(record)
    flops = record.flops.per_step if record.flops else nan
    samples = record.samples_per_step or nan
    return {
        "steady_step_s": step_s,
        "steady_steps": window.steps,
        "window_s": window.window_s,
        "cpu_per_wall": window.cpu_per_wall,
        "other_cpu_per_wall": window.other_cpu_per_wall,
        "first_step_s": nan if record.times.first_step_s is None else record.times.first_step_s,
        "first_epoch_s": epochs[0] if epochs else nan,
        "epoch_s": sum(epochs[1:]) / len(epochs[1:]) if len(epochs) > 1 else nan,
        "total_s": total_seconds(record, step_s),
        "throughput": samples / step_s if step_s else nan,
        "tflops": flops / step_s / 1e12 if step_s else nan,
        "tflops_cold": _cold_tflops(record, flops),
        "flops_per_step": flops,
        "samples_per_step": samples,
        "planned_steps": record.planned_steps or nan,
    }


def _cold_tflops(record: Record, flops: float) -> float:
    """TFLOPS of the first call of a kernel; NaN for training, whose first block is a step."""
    cold_s = record.times.first_step_s
    if record.epochs or not record.blocks or not cold_s:
        return nan
    return flops * record.blocks[0].steps / cold_s / 1e12


def _typed(plan: PlanDocument, rows: list[dict[str, Any]]) -> pd.DataFrame:
    numbers = (*TIMINGS, *STAGES, *MEMORY)
    fixed = [*IDENTITY, *plan.axes, *TEXTS, "warnings", "total_extrapolated", *numbers]
    metrics = sorted({name for row in rows for name in row} - set(fixed))
    frame = pd.DataFrame(rows, columns=[*fixed, *metrics])
    for name in TEXTS:
        frame[name] = frame[name].astype(object).where(frame[name].notna(), "").astype(str)
    for name in (*numbers, *metrics):
        frame[name] = pd.to_numeric(frame[name]).astype(float)
    for name in ("repeat", "seed"):
        frame[name] = frame[name].astype(int)
    frame["total_extrapolated"] = frame["total_extrapolated"].eq(True)  # noqa: FBT003
    return frame


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


def _append_block(parts: dict[str, list[Any]], block: Any) -> int:
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
