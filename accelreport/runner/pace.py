"""Has a run end within a time: trainings get shares of it, and repeats what is left."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from accelreport.results.record import Times
from accelreport.runner.plan import Planned
from accelreport.spec.cells import Cell

LEAST_BUDGET_S = 4.0
"""A training gets no less."""

FIRST_STEPS = 2.0
"""Nor less than so many first steps: a budget must hold one, and some of those that are timed."""


def first_repeats_first(todo: Sequence[Planned]) -> list[Planned]:
    """The cells in their order, but each configuration is measured once before any is repeated."""
    return sorted(todo, key=lambda planned: planned.cell.repeat > 0)


@dataclass
class Pace:
    """The time of a run, and what has become of it.

    While the cells that ended took no more than their share, budgets are those of the specs. A
    slower machine lowers them, so that every configuration is measured once, with fewer steps.

    Attributes:
        within_s: seconds that the run should take.
        firsts: cells to come that are the first of their configuration.
        left_out: repeats for which no time was left.
    """

    within_s: float
    firsts: int
    left_out: int = 0

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._ended = 0
        self._wall_s = 0.0
        self._outside_s = 0.0
        self._first_step_s = 0.0

    def begins(self, cell: Cell) -> Cell | None:
        """The cell with the budget that it may have; None for a repeat without time left."""
        left_s = self.within_s - (time.monotonic() - self._began)
        mean_s = self._wall_s / self._ended if self._ended else 0.0
        if cell.repeat:
            if left_s < mean_s or left_s <= 0:
                self.left_out += 1
                return None
            return cell
        share_s = left_s / max(1, self.firsts)
        self.firsts -= 1
        if not self._ended or mean_s <= share_s:
            return cell
        share_s -= self._outside_s / self._ended
        first_steps_s = FIRST_STEPS * self._first_step_s / self._ended
        budget = min(round(max(LEAST_BUDGET_S, first_steps_s, share_s), 1), cell.measure.budget)
        return cell.model_copy(
            update={"measure": cell.measure.model_copy(update={"budget": budget})}
        )

    def ended(self, times: Times) -> None:
        """A cell has ended; one whose process told no times tells nothing of the machine."""
        if times.wall_s is not None:
            self._ended += 1
            self._wall_s += times.wall_s
            self._outside_s += times.wall_s - (times.train_s or 0.0)
            self._first_step_s += times.first_step_s or 0.0
