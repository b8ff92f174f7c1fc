"""What a run keeps of its ended cells, and how long the remaining cells will take."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import NamedTuple, Self

from accelreport.results.record import FailureKind, Record, Status
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell


class CellSummary(NamedTuple):
    """What a run keeps in memory of an ended cell.

    A record of a long training is large, and a run may have thousands of them.
    """

    status: Status
    failure: FailureKind | None
    timed: bool

    @classmethod
    def of(cls, record: Record) -> Self:
        """The part of a record that a run keeps."""
        kind = record.failure.kind if record.failure else None
        return cls(record.status, kind, bool(record.steady.blocks))


@dataclass(frozen=True)
class TimeEstimate:
    """Estimated time of some cells.

    Attributes:
        seconds: for the cells whose like was measured before.
        unknown: how many cells have no such record.
        at_most_s: for those: the sum of their budgets, without the time to start them.
    """

    seconds: float
    unknown: int
    at_most_s: float


class Expectation:
    """Wall times of cells by likeness: the same cell with any seed."""

    def __init__(self) -> None:
        self._took: dict[str, tuple[float, int]] = {}

    def learn(self, record: Record) -> None:
        """Take a record of this machine into account, if it holds a measurement."""
        if record.measured:
            self.took(likeness(record.cell), record.times.wall_s)

    def took(self, like: str, seconds: float | None) -> None:
        """Take the time of a cell into account.

        Args:
            like: the cell's likeness.
            seconds: its wall time; None if no process reported one.
        """
        if seconds is None:
            return
        total, count = self._took.get(like, (0.0, 0))
        self._took[like] = total + seconds, count + 1

    def of(self, cell: Cell) -> float | None:
        """Seconds that a cell will take; None if no such cell was measured."""
        return self.of_like(likeness(cell))

    def of_like(self, like: str) -> float | None:
        """Seconds that a cell of this likeness will take; None if none was measured."""
        total, count = self._took.get(like, (0.0, 0))
        return total / count if count else None

    def total(self, cells: Iterable[Cell]) -> TimeEstimate:
        """Seconds that cells will take one after the other."""
        known: list[float] = []
        unknown: list[Cell] = []
        for cell in cells:
            seconds = self.of(cell)
            if seconds is None:
                unknown.append(cell)
            else:
                known.append(seconds)
        return TimeEstimate(sum(known), len(unknown), sum(cell.measure.budget for cell in unknown))


def likeness(cell: Cell, budget: float | None = None) -> str:
    """A cell's identity without its seed: repeats of one condition are alike.

    Args:
        cell: the cell.
        budget: the budget in seconds; default: the cell's own.

    Returns:
        A digest, so that the keys of many conditions are small.
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


class RemainingTime:
    """The remaining cells of a run, and the time that they will take.

    The sum is updated as cells end and is never computed over all cells again, because a display
    reads it twice a second, also in a run of many thousand cells.

    Args:
        expectation: known wall times; a copy learns from the records of the run.
        cells: the cells of the run.

    Attributes:
        unknown: number of the remaining cells whose like was not measured before.
    """

    def __init__(self, expectation: Expectation, cells: Iterable[Cell]) -> None:
        self.unknown = 0
        # Each learns by itself: a record that another one took into account would change its sum.
        self._expectation = deepcopy(expectation)
        self._likes: dict[str, str] = {}
        self._waiting: Counter[str] = Counter()
        self._known_s = 0.0
        self._took_s = 0.0
        self._took = 0
        self.add(cells)

    def __len__(self) -> int:
        return len(self._likes)

    def __contains__(self, key: str) -> bool:
        return key in self._likes

    def add(self, cells: Iterable[Cell]) -> None:
        """Take further cells into account."""
        names: dict[str, str] = {}
        for cell in cells:
            if cell.key in self._likes:
                continue
            like = likeness(cell)
            # Cells of one condition share one text: there may be a hundred thousand of them.
            self._likes[cell.key] = names.setdefault(like, like)
            self._count(like, 1)

    def ended(self, record: Record) -> None:
        """Remove a cell that has ended, and learn how long others will take."""
        like = likeness(record.cell)
        if record.measured and record.times.wall_s is not None:
            self._took_s += record.times.wall_s
            self._took += 1
        before = self._expectation.of_like(like)
        self._expectation.learn(record)
        after = self._expectation.of_like(like)
        alike = self._waiting[like]
        if after is not None and before is None:
            self.unknown -= alike
        if after is not None:
            self._known_s += alike * (after - (before or 0.0))
        mine = self._likes.pop(record.key, None)
        if mine is not None:
            self._count(mine, -1)

    def of(self, key: str) -> float | None:
        """Seconds that a remaining cell will take; None if unknown."""
        like = self._likes.get(key)
        return None if like is None else self._expectation.of_like(like)

    @property
    def known_s(self) -> float:
        """Seconds of all remaining cells whose like was measured before."""
        return max(0.0, self._known_s)

    @property
    def mean_s(self) -> float | None:
        """Time of a cell that this run measured; None before the first one."""
        return self._took_s / self._took if self._took else None

    def _count(self, like: str, more: int) -> None:
        seconds = self._expectation.of_like(like)
        self._waiting[like] += more
        if seconds is None:
            self.unknown += more
        else:
            self._known_s += more * seconds
