"""Timing a window: wall clock, this process's CPU time, everybody else's CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Window:
    """What one timed window took, in seconds."""

    wall_s: float
    cpu_s: float
    other_cpu_s: float


def _busy_s() -> float:
    times = psutil.cpu_times()
    # iowait and idle are the only shares in which nobody computes; guest time is already
    # inside user time on Linux.
    idle = times.idle + getattr(times, "iowait", 0.0)
    guest = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    return float(sum(times) - guest - idle)


class Stopwatch:
    """Measures from its making to each `lap`.

    CPU time beside wall time tells a slow step from a step that waited, and other
    processes' CPU time tells a loaded machine from a slow one.

    Args:
        cpu_s: CPU seconds spent so far by the cell's processes.
    """

    def __init__(self, cpu_s: Callable[[], float] = time.process_time) -> None:
        self._cpu_s = cpu_s
        self._busy = _busy_s()
        self._cpu = cpu_s()
        self._wall = time.perf_counter()

    def lap(self) -> Window:
        """The window since the beginning; the stopwatch goes on."""
        wall = time.perf_counter() - self._wall
        cpu = self._cpu_s() - self._cpu
        busy = _busy_s() - self._busy
        return Window(wall_s=wall, cpu_s=cpu, other_cpu_s=max(0.0, busy - cpu))
