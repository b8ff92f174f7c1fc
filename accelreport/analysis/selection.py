"""Which rows of a frame a sentence speaks of: device, machine, sweep point, quantity."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any

import pandas as pd

from accelreport.results.record import MEASURED
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
    "quantised_size_ratio": "quantised_size_ratio",
    "quantised_accuracy_loss": "quantised_accuracy_loss",
}
"""Column of `cells_frame` that holds each quantity of a claim or figure of a source."""

FINAL_QUANTITIES = frozenset({"accuracy", "val_accuracy", "loss", "val_loss"})
"""Quantities that only a complete training has."""

SIGNED_QUANTITIES = FINAL_QUANTITIES | {"quantised_accuracy_loss"}
"""Quantities that may be zero or negative: their means are arithmetic, never geometric, and
they are compared by their difference."""

Point = dict[str, Scalar]
"""Values of the axes."""

Row = dict[str, Any]
"""A row of `cells_frame`, by column."""


def same(one: object, other: object) -> bool:
    """Whether two values of an axis are the same; `true` is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def matches(point: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether a sweep point has every value that `where` asks for."""
    return all(key in point and same(point[key], value) for key, value in where.items())


def quantity(rows: Iterable[Row], name: str) -> dict[Hashable, float]:
    """One value of a quantity for each process that has it, by machine and repeat.

    Accuracies and losses are those of complete trainings only.
    """
    kept = [row for row in rows if name not in FINAL_QUANTITIES or row["status"] == "ok"]
    if name == "sample_time":
        values = [row["steady_step_s"] / row["samples_per_step"] for row in kept]
    else:
        values = [row.get(COLUMN_OF[name], nan) for row in kept]
    return {
        (row["machine"], row["repeat"]): value
        for row, value in zip(kept, values, strict=True)
        if not isnan(value)
    }


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """The rows of a frame as dicts of plain values; several times as fast as `to_dict`."""
    names = [str(name) for name in frame.columns]
    columns = [frame[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


class Measurements:
    """The rows of `cells_frame`, found by device, machine and sweep point."""

    def __init__(self, cells: pd.DataFrame, axes: Sequence[str]) -> None:
        self.axes = list(axes)
        self.rows = rows_of(cells)
        self._by_device: dict[str, list[Row]] = {}
        for row in self.rows:
            if row["status"] in MEASURED:
                self._by_device.setdefault(row["device"], []).append(row)

    def machines(self, device: str) -> list[str]:
        """Machines on which `device` was measured, in order of their fingerprints."""
        return sorted({row["machine"] for row in self._by_device.get(device, ())})

    def tried_on(self, device: str) -> list[str]:
        """Machines that have a record of `device`, whatever became of it."""
        return sorted({row["machine"] for row in self.rows if row["device"] == device} - {""})

    def points(self, where: Mapping[str, Any] | None = None) -> list[Point]:
        """The planned sweep points that match `where`, in the order of the plan."""
        found: dict[tuple[Any, ...], Point] = {}
        for row in self.rows:
            point = {axis: row[axis] for axis in self.axes}
            if matches(point, where or {}):
                found.setdefault(tuple((type(value), value) for value in point.values()), point)
        return list(found.values())

    def at(
        self, device: str, where: Mapping[str, Any] | None = None, machine: str = ""
    ) -> list[Row]:
        """Measured rows of `device` on `machine` (any when empty) where asked for."""
        return [
            row
            for row in self._by_device.get(device, ())
            if (not machine or row["machine"] == machine) and matches(row, where or {})
        ]

    def near(self, device: str, where: Mapping[str, Any], machine: str) -> list[Row]:
        """Rows of `device` on `machine`; without any, on the machine that has most."""
        here = self.at(device, where, machine)
        if here:
            return here
        others = [self.at(device, where, name) for name in self.machines(device)]
        return max(others, key=len, default=[])

    def why_not(self, device: str) -> str:
        """Why nothing was measured on `device`, in the records' own words."""
        said = {
            f"{row['status']} ({row['failure_kind']}): {row['failure_message']}"
            if row["failure_kind"]
            else "not run yet"
            for row in self.rows
            if row["device"] == device and row["status"] not in MEASURED
        }
        return f"{device} was not measured ({'; '.join(sorted(said)) or 'not in the plan'})"
