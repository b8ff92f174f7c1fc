"""How long cells will take, from what they took before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from accelreport.results.record import Record
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell


@dataclass(frozen=True)
class Estimate:
    """Time for a number of cells.

    Attributes:
        seconds: for the cells whose like was measured before.
        unknown: how many cells have no such record.
        at_most_s: for those: the sum of their budgets, without the time to start them.
    """

    seconds: float
    unknown: int
    at_most_s: float


def estimate(todo: Iterable[Cell], records: Iterable[Record]) -> Estimate:
    """The mean wall time of earlier records of the same cell with any seed.

    Args:
        todo: the cells to be measured.
        records: records of this machine.
    """
    took: dict[str, list[float]] = {}
    for record in records:
        if record.status in {"ok", "partial"} and record.times.wall_s is not None:
            took.setdefault(_likeness(record.cell), []).append(record.times.wall_s)
    known: list[float] = []
    unknown: list[Cell] = []
    for cell in todo:
        if like := took.get(_likeness(cell)):
            known.append(fmean(like))
        else:
            unknown.append(cell)
    return Estimate(sum(known), len(unknown), sum(cell.measure.budget for cell in unknown))


def _likeness(cell: Cell) -> str:
    """What a cell's identity is without its seed."""
    parts: Sequence[object] = (
        cell.workload,
        cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        cell.measure.model_dump(mode="json", include={*MEASURED_BY, "budget"}),
    )
    return json.dumps(parts, sort_keys=True)
