"""One cell as a row: what it is, what became of it, and what its timings come to."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import Any

from accelreport.analysis.energy import joules_per_step
from accelreport.analysis.peaks import cited_peak, hardware_name
from accelreport.analysis.refusals import REFUSED, REMEDY, above_peak, refused
from accelreport.analysis.steadiness import Finding, findings
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
    "bytes_per_step",
    "cpu_joules_per_step",
    "gpu_joules_per_step",
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


def _identity(plan: PlanDocument, cell: PlannedCell, machine: str) -> dict[str, Any]:
    point = {axis: cell.point.get(axis) for axis in plan.axes}
    known = {"key": cell.key, "device": cell.device, "machine": machine}
    return known | {"repeat": cell.repeat, "seed": cell.seed} | point


def missing_row(plan: PlanDocument, cell: PlannedCell) -> dict[str, Any]:
    """The row of a planned cell that has no record."""
    return _identity(plan, cell, "") | {"status": "missing", "warnings": ()}


def cell_row(
    plan: PlanDocument, cell: PlannedCell, record: Record, further: Iterable[Finding] = ()
) -> dict[str, Any]:
    """The row of a planned cell on the machine of its record, by column.

    Args:
        plan: what was asked for.
        cell: the planned cell.
        record: what its process left.
        further: what its siblings say of it.
    """
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
    if failure is not None and failure.kind == REFUSED and (why := refused(row["warnings"])):
        return _refused(row, *why)
    if record.status in MEASURED:
        row |= _timings(record)
        peak = cited_peak(plan, cell.device, cell.point, row["hardware"], record.environment)
        if peak:
            row |= {"peak_tflops": peak.tflops, "mfu": row["tflops"] / peak.tflops}
            high = above_peak(row["tflops"], peak)
            further = [*further, *([high] if high else [])]
        row["warnings"] += tuple((found.kind, found.message) for found in further)
        why = refused(row["warnings"])
        if why is not None:
            return _refused(row, *why)
        row |= {name: value for name, value in record.final.items() if name not in row}
    return row


def _refused(row: dict[str, Any], kind: str, message: str) -> dict[str, Any]:
    """The row without its numbers, and with what was found against them."""
    kept = {name: value for name, value in row.items() if name not in TIMINGS}
    said = {"failure_kind": kind, "failure_message": message, "failure_remedy": REMEDY}
    return kept | {"status": REFUSED} | said


def _hardware(plan: PlanDocument, cell: PlannedCell, record: Record) -> str:
    kind = plan.devices[cell.device].kind if cell.device in plan.devices else "CPU"
    return hardware_name(record.environment, kind)


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
        "bytes_per_step": _bytes(record),
        "cpu_joules_per_step": _joules(record, "RAPL"),
        "gpu_joules_per_step": _joules(record, "NVML"),
        "samples_per_step": samples,
        "planned_steps": record.planned_steps or nan,
    }


def _bytes(record: Record) -> float:
    counted = record.flops.bytes_per_step if record.flops else None
    return nan if counted is None else counted


def _joules(record: Record, sensor: str) -> float:
    """Joules of a steady step by a sensor; NaN where it was not read."""
    known = [joules_per_step(energy) for energy in record.energy if energy.sensor == sensor]
    return next((value for value in known if value is not None), nan)


def _cold_tflops(record: Record, flops: float) -> float:
    """TFLOPS of the first call of a kernel; NaN for training, whose first block is a step."""
    cold_s = record.times.first_step_s
    if record.epochs or not record.blocks or not cold_s:
        return nan
    return flops * record.blocks[0].steps / cold_s / 1e12
