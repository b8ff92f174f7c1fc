"""How long cells will take, from what they took before; kept up as they end."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accelreport.results.record import Record
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell


@dataclass(frozen=True)
class TimeEstimate:
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
        if record.measured:
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


class RemainingTime:
    """The cells of a run that are not through, and the seconds that they will take.

    The sum is kept up as cells end and never made anew over all cells: a display asks for it
    twice a second, of a run of many thousand cells as of one of ten.

    Args:
        expectation: what is known of wall times; it learns the records of the run here.
        cells: the cells of the run.
    """

    def __init__(self, expectation: Expectation, cells: Iterable[Cell]) -> None:
        self._expectation = expectation
        self._likes: dict[str, str] = {}
        self._waiting: Counter[str] = Counter()
        self._known_s = 0.0
        self._unknown = 0
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
        """A cell is through: it is left no more, and says how long others will take."""
        like = likeness(record.cell)
        if record.measured and record.times.wall_s is not None:
            self._took_s += record.times.wall_s
            self._took += 1
        before = self._expectation.of_like(like)
        self._expectation.learn(record)
        after = self._expectation.of_like(like)
        alike = self._waiting[like]
        if after is not None and before is None:
            self._unknown -= alike
        if after is not None:
            self._known_s += alike * (after - (before or 0.0))
        mine = self._likes.pop(record.key, None)
        if mine is not None:
            self._count(mine, -1)

    def of(self, key: str) -> float | None:
        """Seconds that a cell that is left will take; None where that is not known."""
        like = self._likes.get(key)
        return None if like is None else self._expectation.of_like(like)

    @property
    def known_s(self) -> float:
        """Seconds of all cells that are left and whose like was measured before."""
        return max(0.0, self._known_s)

    @property
    def unknown(self) -> int:
        """How many other cells are left."""
        return self._unknown

    @property
    def mean_s(self) -> float | None:
        """What a cell took that was measured in this run; None before the first one."""
        return self._took_s / self._took if self._took else None

    @property
    def expected_s(self) -> float | None:
        """Seconds of all cells that are left, one after the other; None where that is not known.

        Cells whose like was never measured are taken for as long as those that ended.
        """
        if not self.unknown:
            return self.known_s
        return None if self.mean_s is None else self.known_s + self.unknown * self.mean_s

    def _count(self, like: str, more: int) -> None:
        seconds = self._expectation.of_like(like)
        self._waiting[like] += more
        if seconds is None:
            self._unknown += more
        else:
            self._known_s += more * seconds
