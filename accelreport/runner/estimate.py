"""How long cells will take, from what they took before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accelreport.results.record import Record
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell

MEASURED = frozenset({"ok", "partial"})
"""Statuses of records that hold a measurement."""


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
        self._took: dict[str, tuple[float, int]] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take a record of this machine into account, if it holds a measurement."""
        if record.status in MEASURED:
            self.took(likeness(record.cell), record.times.wall_s)

    def took(self, like: str, seconds: float | None) -> None:
        """Take into account what a cell took.

        Args:
            like: the cell's likeness.
            seconds: its wall time; None where no process told one.
        """
        if seconds is None:
            return
        total, count = self._took.get(like, (0.0, 0))
        self._took[like] = total + seconds, count + 1

    def of(self, cell: Cell) -> float | None:
        """Seconds that a cell will take; None when its like was never measured."""
        return self.of_like(likeness(cell))

    def of_like(self, like: str) -> float | None:
        """Seconds that a cell of this likeness will take; None when none was ever measured."""
        total, count = self._took.get(like, (0.0, 0))
        return total / count if count else None

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


def likeness(cell: Cell, budget: float | None = None) -> str:
    """What a cell's identity is without its seed: repeats of one condition are alike.

    Args:
        cell: the cell.
        budget: the budget in seconds; the cell's own when absent.

    Returns:
        A digest, so that those of many conditions are small.
    """
    measure = cell.measure
    parts: Sequence[object] = (
        cell.workload,
        cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        measure.model_dump(mode="json", include=MEASURED_BY),
        measure.budget if budget is None else budget,
    )
    text = json.dumps(parts, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
