"""How many steps go into one timed window, and when a cell must stop."""

from __future__ import annotations

import time
from collections.abc import Callable

WINDOW_S = 0.5
"""A window long enough that starting and synchronising it do not count, short enough for
progress, the budget and Ctrl-C."""


class Pace:
    """Chooses the steps of the next call from how long the last ones took.

    Args:
        budget_s: measured seconds after which the cell stops.
        total: steps of a complete cell.
        warmup: steps left out of the steady time; a window never crosses this edge.
        agreed: one worker's number → the chief's, on every worker (see `Placement.agreed`).
    """

    def __init__(
        self,
        *,
        budget_s: float,
        total: int,
        warmup: int,
        agreed: Callable[[float], float] = float,
    ) -> None:
        self._deadline = time.perf_counter() + budget_s
        self._total = total
        self._warmup = warmup
        self._agreed = agreed
        self._step_s: float | None = None

    def steps(self, done: int, left_in_epoch: int) -> int:
        """Steps of the next call: one at first, then about half a second's worth.

        Args:
            done: steps done so far in the cell.
            left_in_epoch: steps until the epoch's end.
        """
        if done == 0:
            return 1  # traced and compiled: timed alone
        count = 2 if self._step_s is None else max(1, round(WINDOW_S / self._step_s))
        if done < self._warmup:
            count = min(count, self._warmup - done)
        return round(self._agreed(max(1, min(count, left_in_epoch))))

    def saw(self, steps: int, wall_s: float, *, first: bool) -> None:
        """Learn from a window; the first one tells nothing about steps."""
        if not first:
            self._step_s = max(wall_s / steps, 1e-9)

    def extend(self, seconds: float) -> None:
        """Give back what the process could not use of its budget, since it was stopped."""
        self._deadline += seconds

    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return bool(self._agreed(time.perf_counter() >= self._deadline))

    def left_s(self) -> float:
        """Seconds of the budget that are left."""
        return max(0.0, self._deadline - time.perf_counter())

    def eta_s(self, done: int) -> float:
        """Seconds until the cell ends: by its steps or by its budget, whichever is sooner."""
        left = self.left_s()
        return left if self._step_s is None else min(left, (self._total - done) * self._step_s)


def grace_s(budget_s: float) -> float:
    """Seconds by which the work after the last step may overrun a budget.

    A cell that the budget ends is worth little without its accuracy, and evaluating costs a
    fraction of training; what does not fit is left out and said so.
    """
    return max(5.0, 0.25 * budget_s)
