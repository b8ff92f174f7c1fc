"""One timed window of a cell: the device waits before and after it, and its sensors are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.windows import ObservedWindow, WindowWatch
from accelreport.backend.placement import Placement
from accelreport.machine.clocks import Stopwatch, stamped_seconds
from accelreport.machine.energy import Meter
from accelreport.results.record import Block

NO_STAMPS = np.zeros(0, np.float64)


@dataclass(frozen=True)
class TimedWindow:
    """What a window gave.

    Attributes:
        block: as the record holds it.
        result: what its work returned.
        seen: what the timer's checks saw of it.
        ran_s: seconds in which the process ran.
    """

    block: Block
    result: Any
    seen: ObservedWindow
    ran_s: float


@dataclass(frozen=True)
class WindowTimer:
    """Times windows; whatever is read for them is read outside.

    Attributes:
        placement: synchronises the devices.
        watch: looks at every window.
        meter: counts the energy of steady ones.
    """

    placement: Placement
    watch: WindowWatch
    meter: Meter

    def time(
        self,
        work: Callable[[], Any],
        *,
        epoch: int,
        first_step: int,
        steps: int,
        warmup: bool,
        stamps: Callable[[Any], NDArray[Any]] = lambda result: NO_STAMPS,  # noqa: ARG005
    ) -> TimedWindow:
        """Time so much work.

        Args:
            work: does the steps and waits for a result that depends on all of them.
            epoch: number of the epoch, or of a kernel's call, from 1.
            first_step: number of its first step within the cell, from 0.
            steps: how many steps it claims.
            warmup: whether it is left out of the steady time.
            stamps: the result → instants in seconds at which each step ended, [steps] or empty;
                called once the clock has been stopped.
        """
        self.watch.before()
        if not warmup:
            self.meter.begin()
        self.placement.synchronise()
        stopwatch = Stopwatch(self.placement.cpu_s)
        result = work()
        self.placement.synchronise()
        window = stopwatch.lap()
        self.meter.passed(steps)
        seen = self.watch.after(steps, window, warmup=warmup)
        if seen.lost_s:
            self.meter.discard()
        instants, by_wall = stamps(result), self.watch.wall_stamps is not None
        step_s = stamped_seconds(instants, window, by_wall=by_wall)
        if len(instants) > 1 and not step_s and self.watch.wall_stamps is not None:
            self.watch.wall_stamps += 1
        block = Block(
            epoch=epoch,
            first_step=first_step,
            steps=steps,
            wall_s=round(window.wall_s, 9),
            cpu_s=round(window.cpu_s, 6),
            other_cpu_s=round(window.other_cpu_s, 3),
            warmup=warmup,
            stopped_s=seen.lost_s,
            step_s=step_s,
        )
        return TimedWindow(block, result, seen, window.wall_s - seen.stopped_s)
