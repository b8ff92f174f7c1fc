"""The steady time of one process: what is left once warm-up is taken away.

One process gives one number, however many steps it timed. Steps of one process share its
memory layout, its clock and its thread placement, so they are not independent; only whole
processes are (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time").
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

from accelreport.results.record import Record


@dataclass(frozen=True)
class Steady:
    """Sums over the blocks of one process that are not warm-up.

    Attributes:
        steps: steps (for a kernel: chained operations) in them.
        window_s: their wall-clock seconds.
        cpu_s: CPU seconds the process spent in them.
        other_cpu_s: CPU seconds other processes spent meanwhile; NaN where not observed.
    """

    steps: int
    window_s: float
    cpu_s: float
    other_cpu_s: float

    @property
    def step_s(self) -> float:
        """Seconds of one step: Σ wall / Σ steps; NaN where that is no positive number."""
        seconds = self.window_s / self.steps if self.steps > 0 else nan
        return seconds if 0 < seconds < inf else nan

    @property
    def cpu_per_wall(self) -> float:
        """Cores the process kept busy: Σ cpu / Σ wall."""
        return self.cpu_s / self.window_s if self.window_s > 0 else nan

    @property
    def other_cpu_per_wall(self) -> float:
        """Cores other processes kept busy meanwhile."""
        return self.other_cpu_s / self.window_s if self.window_s > 0 else nan


def steady(record: Record) -> Steady:
    """Sums the blocks of `record` that are not warm-up."""
    blocks = [block for block in record.blocks if block.steady]
    others = [block.other_cpu_s for block in blocks if block.other_cpu_s is not None]
    return Steady(
        steps=sum(block.steps for block in blocks),
        window_s=sum(block.wall_s for block in blocks),
        cpu_s=sum(block.cpu_s for block in blocks),
        other_cpu_s=sum(others) if len(others) == len(blocks) else nan,
    )


def complete_epochs(record: Record) -> list[float]:
    """Timed seconds of the epochs that ran all their steps, from the first one on.

    The steps of an epoch are `planned_steps` over the workload's `epochs`; where either is
    unknown, those of the longest epoch. The list ends at the first incomplete epoch.
    """
    if not record.epochs:
        return []
    epochs = record.cell.workload.get("epochs")
    full = max(epoch.steps for epoch in record.epochs)
    # A family of another package may mean something else by the word.
    if isinstance(epochs, int) and epochs > 0 and record.planned_steps > 0:
        full = record.planned_steps // epochs
    seconds: list[float] = []
    for epoch in record.epochs:
        if epoch.steps < full:
            break
        seconds.append(epoch.train_s)
    return seconds


def total_seconds(record: Record, steady_step_s: float) -> float:
    """Timed training seconds of a complete run.

    A `partial` run is extrapolated: what was measured, plus the missing steps at the pace
    of the steady ones. NaN when the run is neither complete nor has a steady step.
    """
    measured = record.times.train_s
    if measured is None:
        measured = sum(block.wall_s for block in record.blocks) if record.blocks else nan
    if record.status == "ok":
        return measured
    missing = record.planned_steps - sum(block.steps for block in record.blocks)
    return measured + max(missing, 0) * steady_step_s
