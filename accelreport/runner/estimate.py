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


class Expectation:
    """Wall times of cells by their likeness: the same cell with any seed."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._took: dict[str, list[float]] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take a record of this machine into account, if it holds a measurement."""
        if record.status in {"ok", "partial"} and record.times.wall_s is not None:
            self._took.setdefault(likeness(record.cell), []).append(record.times.wall_s)

    def of(self, cell: Cell) -> float | None:
        """Seconds that a cell will take; None when its like was never measured."""
        took = self._took.get(likeness(cell))
        return fmean(took) if took else None

    def total(self, cells: Iterable[Cell]) -> Estimate:
        """Seconds that cells will take one after the other."""
        known: list[float] = []
        unknown: list[Cell] = []
        for cell in cells:
            seconds = self.of(cell)
            if seconds is None:
                unknown.append(cell)
            else:
                known.append(seconds)
        return Estimate(sum(known), len(unknown), sum(cell.measure.budget for cell in unknown))


def likeness(cell: Cell) -> str:
    """What a cell's identity is without its seed: repeats of one condition are alike."""
    parts: Sequence[object] = (
        cell.workload,
        cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        cell.measure.model_dump(mode="json", include={*MEASURED_BY, "budget"}),
    )
    return json.dumps(parts, sort_keys=True)
