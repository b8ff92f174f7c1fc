"""What a launcher tells of its cells, told to whoever shows the run."""

from __future__ import annotations

from collections.abc import Mapping

from accelreport.runner.events import CellEventLine, CellStartLine, Observer, WaitingLine, named
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import ChildEvent
from accelreport.spec.cells import Cell


class Watching:
    """The `Watch` of a sweep.

    Args:
        observer: is told what happens.
        stop: ends the run.
        numbers: key → which of the cells to be measured it is, from 1.
        of: how many there are.
    """

    def __init__(self, observer: Observer, stop: Stop, numbers: Mapping[str, int], of: int) -> None:
        self._observer = observer
        self._stop = stop
        self._numbers = numbers
        self._of = of
        self._running: set[str] = set()
        self._reason = ""

    @property
    def stop(self) -> Stop:
        """See `Watch.stop`."""
        return self._stop

    def started(self, cell: Cell, host: str = "") -> None:
        """See `Watch.started`."""
        self._running.add(cell.key)
        self._reason = ""
        number = self._numbers[cell.key]
        self._observer.on(CellStartLine(**named(cell), number=number, of=self._of, host=host))

    def said(self, cell: Cell, event: ChildEvent) -> None:
        """See `Watch.said`."""
        self._observer.on(CellEventLine(key=cell.key, says=event))

    def waiting(self, reason: str) -> None:
        """See `Watch.waiting`; the same reason is told once."""
        if reason != self._reason:
            self._reason = reason
            self._observer.on(WaitingLine(reason=reason))

    def tick(self) -> None:
        """See `Watch.tick`."""
        self._observer.tick()

    def ended(self, cell: Cell) -> None:
        """A cell is through; one that was lost before it started is told of as the others are."""
        if cell.key not in self._running:
            self.started(cell)
        self._running.discard(cell.key)
