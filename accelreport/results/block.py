"""The timed blocks of a cell, and the step time of its steady ones: one rule for all readers.

A record has thousands of blocks, so what most of them lack is not written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, nan
from typing import Annotated, Self

from pydantic import Field

from accelreport.results.plan_document import Count, Document, Seconds

WINDOW_S = 0.5
"""A window long enough that starting and synchronising it do not count, short enough for
progress, the budget and Ctrl-C."""

Stamp = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
"""Seconds between two stamps; negative if earlier versions met a clock that was set."""


class Block(Document):
    """Steps that were timed together; the device is synchronised before and after."""

    epoch: Count
    """The epoch, from 1; the number of the call, from 1, for a kernel."""
    first_step: Count
    """Number of its first step within the cell, from 0."""
    steps: Count
    """Number of steps (for a kernel: of chained operations)."""
    wall_s: Seconds
    """Wall-clock seconds, by a monotonic clock."""
    cpu_s: Seconds
    """CPU seconds of the cell's processes on this machine in that time; divided by `wall_s`, the
    number of cores used.
    """
    other_cpu_s: Seconds | None = None
    """CPU seconds of every other process of the machine in that time."""
    warmup: Annotated[bool, Field(exclude_if=lambda warmup: not warmup)] = False
    """Whether it is excluded from the steady time."""
    stopped_s: Annotated[Seconds | None, Field(exclude_if=lambda seconds: seconds is None)] = None
    """Seconds in which the process stood still, because it was stopped or the machine slept.
    Such a block is also excluded from the steady time. Absent if the process ran all the time.
    """
    step_s: Annotated[list[Stamp], Field(exclude_if=lambda stamps: not stamps)] = []
    """Seconds of each step from the second on, stamped inside the graph when the step's loss is
    ready. Empty if the device runs asynchronously, where a stamp would be wrong, and if the wall
    clock, the only clock that a graph can read, was set.
    """

    @property
    def steady(self) -> bool:
        """Whether it belongs to the steady time: not warm-up, and the process ran all the time."""
        return not self.warmup and not self.stopped_s

    @property
    def stamped_s(self) -> list[float]:
        """`step_s` if it is a valid series of times within this block; otherwise empty.

        Earlier versions kept the stamps of a wall clock that was set.
        """
        possible = min(self.step_s, default=1.0) > 0 and sum(self.step_s) <= 1.01 * self.wall_s
        return self.step_s if possible else []

    @property
    def single_s(self) -> list[float]:
        """Seconds of the steps that were timed individually; empty if there are none."""
        return self.stamped_s or [self.wall_s] * (self.steps == 1)


@dataclass(frozen=True)
class Steady:
    """The steady blocks of one process."""

    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Self:
        """Those of some blocks that are steady."""
        return cls(tuple(block for block in blocks if block.steady))

    @property
    def steps(self) -> int:
        """Steps (for a kernel: chained operations) in them."""
        return sum(block.steps for block in self.blocks)

    @property
    def window_s(self) -> float:
        """Their wall-clock seconds."""
        return sum(block.wall_s for block in self.blocks)

    @property
    def step_s(self) -> float:
        """Seconds of one step: Σ wall / Σ steps; NaN where that is no positive number."""
        seconds = self.window_s / self.steps if self.steps > 0 else nan
        return seconds if 0 < seconds < inf else nan

    @property
    def single_s(self) -> list[float]:
        """Seconds of the steps that were timed individually."""
        return [seconds for block in self.blocks for seconds in block.single_s]

    @property
    def cpu_per_wall(self) -> float:
        """Cores the process kept busy: Σ cpu / Σ wall."""
        cpu_s = sum(block.cpu_s for block in self.blocks)
        return cpu_s / self.window_s if self.window_s > 0 else nan

    @property
    def other_cpu_per_wall(self) -> float:
        """Cores other processes kept busy meanwhile; NaN where a block did not observe it."""
        others = [block.other_cpu_s for block in self.blocks if block.other_cpu_s is not None]
        complete = len(others) == len(self.blocks) and self.window_s > 0
        return sum(others) / self.window_s if complete else nan
