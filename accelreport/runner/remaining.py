"""How long the rest of a run takes, kept up as its cells end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from accelreport.results.record import Record
from accelreport.runner.estimate import Expectation, likeness
from accelreport.spec.cells import Cell


class Remaining:
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

    def _count(self, like: str, more: int) -> None:
        seconds = self._expectation.of_like(like)
        self._waiting[like] += more
        if seconds is None:
            self._unknown += more
        else:
            self._known_s += more * seconds
