"""Which rows of a frame a sentence speaks of: device, machine, sweep point, quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from accelreport.analysis.frames import MEASURED
from accelreport.spec.models import Scalar

COLUMN_OF: dict[str, str] = {
    "steady_step_time": "steady_step_s",
    "step_time": "steady_step_s",
    "epoch_time": "epoch_s",
    "first_epoch_time": "first_epoch_s",
    "total_time": "total_s",
    "throughput": "throughput",
    "tflops": "tflops",
    "tflops_cold": "tflops_cold",
    "accuracy": "accuracy",
    "val_accuracy": "val_accuracy",
    "loss": "loss",
    "val_loss": "val_loss",
}
"""Column of `cells_frame` that holds each quantity of a claim or figure of a source."""

TIME_QUANTITIES = frozenset(
    {"steady_step_time", "step_time", "epoch_time", "first_epoch_time", "total_time", "sample_time"}
)
"""Quantities of which less is faster."""

FINAL_QUANTITIES = frozenset({"accuracy", "val_accuracy", "loss", "val_loss"})
"""Quantities that only a complete training has."""

Point = dict[str, Scalar]


def same(one: object, other: object) -> bool:
    """Whether two values of an axis are the same; `true` is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def matches(point: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a sweep point has every value that `where` asks for."""
    return all(key in point and same(point[key], value) for key, value in where.items())


def points(
    cells: pd.DataFrame, axes: Sequence[str], where: Mapping[str, Any] | None = None
) -> list[Point]:
    """The sweep points of `cells` that match `where`, in the order of the plan."""
    if not axes:
        return [{}] if len(cells) else []
    found: dict[tuple[Any, ...], Point] = {}
    for values in zip(*(cells[axis].tolist() for axis in axes), strict=True):
        point = dict(zip(axes, values, strict=True))
        if matches(point, where or {}):
            found.setdefault(tuple((type(value), value) for value in values), point)
    return list(found.values())


def measured(
    cells: pd.DataFrame, *, device: str, machine: str = "", where: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Rows with a measurement of `device`, on `machine` (any when empty), where asked for."""
    rows = cells[(cells["device"] == device) & cells["status"].isin(MEASURED)]
    if machine:
        rows = rows[rows["machine"] == machine]
    for key, value in (where or {}).items():
        if key not in rows:
            return rows.iloc[:0]
        rows = rows[[same(each, value) for each in rows[key].tolist()]]
    return rows


def machines(cells: pd.DataFrame, device: str) -> list[str]:
    """Machines on which `device` was measured, in order of their fingerprints."""
    return sorted(set(measured(cells, device=device)["machine"].tolist()))


def quantity(rows: pd.DataFrame, name: str) -> list[float]:
    """One value of a quantity for each process that has it."""
    if name == "sample_time":
        values = rows["steady_step_s"] / rows["samples_per_step"]
    elif COLUMN_OF[name] in rows:
        values = rows[COLUMN_OF[name]]
        if name in FINAL_QUANTITIES:
            values = values[rows["status"] == "ok"]
    else:
        return []
    return [float(value) for value in values.tolist() if pd.notna(value)]
