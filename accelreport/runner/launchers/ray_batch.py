"""Cells that a node was given, and what it has told of them so far."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from accelreport.results.record import Environment
from accelreport.runner.artefacts import LeftFile
from accelreport.runner.launchers.base import Finished, Watch
from accelreport.runner.launchers.letters import Began, Broke, Said, Through, Waits
from accelreport.runner.launchers.losses import STOPPED, Loss, Losses
from accelreport.runner.launchers.ray_nodes import Node
from accelreport.runner.launchers.ray_outbox import Letters
from accelreport.spec.cells import Cell

LATE_S = 30.0
"""A worker starts and imports what cells need within this, unless somebody else uses the node."""


class Batch:
    """One task: some cells that a worker measures one after the other.

    Args:
        node: where.
        cells: the cells in their order.

    Attributes:
        node: where.
        since: when it was asked for, by the monotonic clock.
        began: the cell that is being measured.
        environment: its machine, once it has begun with a cell.
        took: seconds of the process of the cell that was through last.
        loss: why nothing more will come of it.
    """

    def __init__(self, node: Node, cells: Iterable[Cell]) -> None:
        self.node = node
        self.since = time.monotonic()
        self.began: Cell | None = None
        self.environment: Environment | None = None
        self.took: float | None = None
        self.loss: Loss | None = None
        self._cells = {cell.key: cell for cell in cells}
        self._left: list[LeftFile] = []

    @property
    def cells(self) -> list[Cell]:
        """Those that are not through, in their order."""
        return list(self._cells.values())

    @property
    def over(self) -> bool:
        """Whether it has nothing more to tell."""
        return not self._cells or self.loss is not None

    def hear(self, heard: Letters | Loss, watch: Watch) -> Iterator[Finished]:
        """Take what its task told; the cells that are through."""
        if isinstance(heard, Loss):
            self.loss = heard
            return
        for letter in heard:
            match letter:
                case LeftFile():
                    self._left.append(letter)
                case Began() if letter.key in self._cells:
                    self.began, self.environment = self._cells[letter.key], letter.environment
                    watch.started(self.began, letter.environment.host)
                case Said() if letter.key in self._cells:
                    watch.said(self._cells[letter.key], letter.says)
                case Waits():
                    watch.waiting(f"on {letter.host}: {letter.reason}")
                case Through() if self._cells.pop(letter.record.key, None) is not None:
                    left, self._left, self.began = self._left, [], None
                    self.took = letter.record.times.wall_s
                    yield Finished(letter.record, left)
                case Broke():
                    message = f"{self.node.host}: {letter.message}"
                    self.loss = Loss(
                        "harness-error", message, traceback=letter.traceback, told=True
                    )

    def lost(self, losses: Losses) -> tuple[list[Finished], list[Cell]]:
        """The cells that failed with it, and those that are to be measured again.

        Only a cell that was being measured counts as tried: a worker that ends while it starts
        says nothing of any cell. What a worker says itself, is said of the cell whose turn it
        was.

        Args:
            losses: counts how often a cell was lost.
        """
        failed: list[Finished] = []
        again = self.cells
        spoke = self.loss is not None and self.loss.told
        tried = self.began or (again[0] if again and spoke else None)
        if self.loss is not None and tried is not None:
            finished = losses.of(tried, self.loss, self.environment)
            if finished is not None:
                failed.append(finished)
                again.remove(tried)
        return failed, again

    def stopped(self, losses: Losses) -> Finished | None:
        """What becomes of the cell that was being measured when the run was stopped."""
        return losses.of(self.began, STOPPED, self.environment) if self.began else None


def tell_late(running: Iterable[Batch], watch: Watch) -> None:
    """Say which node has not begun with its cells."""
    now = time.monotonic()
    begun = {each.node.id for each in running if each.environment is not None}
    for each in running:
        if each.node.id not in begun and now - each.since > LATE_S:
            watch.waiting(
                f"{each.node.host}: Ray gives its CPUs to other work at the moment, or its worker "
                "takes long to start"
            )
            return
