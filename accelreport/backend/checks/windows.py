"""Every timed window seen from outside: what was compiled in it, and who else computed meanwhile.

Where steps are stamped as they end, a window must be as long as its steps. What it is longer
by was spent at work when the processor was busy meanwhile, and idle when it was not.

What is asked of the framework of this process is asked here, not through `Placement.synchronise`:
the checks must not rely on what they check.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import median, median_low
from typing import Any, NamedTuple

import psutil

from accelreport.backend.checks import CheckLog
from accelreport.backend.checks.canary import CanaryStep
from accelreport.backend.frameworks import framework_module
from accelreport.machine.clocks import Clock, Heartbeat, Window, waited_s
from accelreport.results.record import OTHER_LOAD, Block

FELL = 0.10
"""A clock this share lower at the end than at the beginning is a device that slowed down."""

NAME_PROGRAMS = "ACCELREPORT_NAME_PROGRAMS"
"""Set to 1, records name the programs that were busy beside a cell."""

SHOWN = 3
"""Other processes that are named."""

LEAST_SHARE = 0.03
"""Cores below which a process is not worth naming."""


def judge_clock(log: CheckLog, before: Clock, after: Clock) -> None:
    """Whether the device was slowed down between the first window and the last."""
    if before.mhz is None and before.hindrances is None:
        log.inapplicable("clock-fell", "the machine does not tell the clock of this device")
        return
    rose = (after.hindrances or 0) > (before.hindrances or 0)
    share = 1 - after.mhz / before.mhz if before.mhz and after.mhz else 0.0
    speeds = (
        f"{before.mhz:.0f} MHz before and {after.mhz:.0f} after"
        if before.mhz and after.mhz
        else "no frequency is told"
    )
    log.judge(
        "clock-fell",
        sound=not rose and share <= FELL,
        expected="the same clock at the end as at the beginning, and nothing that slows it down",
        observed=f"{speeds}; slow-downs: {before.hindrances} before, {after.hindrances} after",
    )


class Used(NamedTuple):
    """A process's name and the CPU seconds it has used since it began."""

    name: str
    seconds: float


class OtherProcesses:
    """CPU time of every process that is not the cell's, from its making to `judge`.

    They are looked at only where their names are asked for. Processes of this one's group, and
    those it started, are the cell's.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        asked = os.environ.get(NAME_PROGRAMS, "0") not in {"", "0"}
        self._before = _used() if asked else None

    def judge(self, log: CheckLog, other_cores: float) -> None:
        """Note how busy others were.

        Args:
            log: takes the check.
            other_cores: cores that others kept busy inside the windows, by the machine's own
                count; it also holds processes that came and went.
        """
        named = ""
        if self._before is not None:
            wall = time.perf_counter() - self._began
            none = Used("", 0.0)
            shares = [
                ((used.seconds - self._before.get(key, none).seconds) / wall, used.name)
                for key, used in _used().items()
            ]
            top = [pair for pair in sorted(shares, reverse=True) if pair[0] >= LEAST_SHARE]
            named = ", ".join(f"{name} {share:.2f}" for share, name in top[:SHOWN])
        log.judge(
            "loaded-machine",
            sound=other_cores <= OTHER_LOAD,
            expected=f"at most {OTHER_LOAD:g} cores",
            observed=f"other processes kept {other_cores:.3g} cores busy"
            + f" ({named})" * bool(named),
        )


def _used() -> dict[tuple[int, float], Used]:
    """What each process that is not the cell's has used, by its number and when it began.

    Not by its name: a process may change that, and the kernel's workers do with every task.
    """
    group = os.getpgrp()
    shares = {}
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or os.getpgid(process.pid) == group:
                continue
            times = process.cpu_times()
            used = Used(process.name(), times.user + times.system)
            shares[process.pid, process.create_time()] = used
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue  # it ended meanwhile, or may not be looked at
    return shares


def compiled() -> frozenset[Hashable]:
    """What was traced or compiled so far; takes microseconds.

    Of TensorFlow the names of the functions that it has traced, of another framework one thing
    for each program that it has compiled.
    """
    compiled: frozenset[Hashable] = _framework().compiled()
    return compiled


def everything_done() -> None:
    """Wait until every device of this process has done all it was given."""
    _framework().everything_done()


def can_wait() -> bool:
    """Whether `everything_done` can wait: not where TensorFlow is one worker of several."""
    return bool(_framework().can_wait())


def _framework() -> Any:
    import keras

    return framework_module(keras.backend.backend())


MOST_LEFT = 0.10
"""Work left after the clock was stopped, as a share of the windows, without the time of reading a
counter: a tenth is work that no window holds."""

LEAST_LEFT_S = 0.01
"""Less than this, after all windows, is the scheduler's doing."""

FEWEST_PACES = 3
"""In fewer windows a clock of another pace and one that was set look alike."""

MOST_PACE = 0.1
"""Two clocks whose paces differ by this share: none is slewed so fast."""


@dataclass(frozen=True)
class ObservedWindow:
    """One window.

    Attributes:
        steps: steps it claims.
        done: steps that the optimizer counted; None where nobody counts.
        wall_s: seconds it took.
        left_s: seconds the device was still at work after the clock had been stopped.
        traced: functions that were traced, or programs that were compiled, meanwhile.
        warmup: whether it is left out of the steady time.
        delayed_s: seconds this thread was ready to run and another one ran instead.
        stopped_s: seconds of `wall_s` in which this process did not run at all.
        asleep_s: seconds beside them in which the machine slept.
        clock_set_s: how far the wall clock was set meanwhile.
    """

    steps: int
    done: int | None
    wall_s: float
    left_s: float
    traced: int
    warmup: bool
    delayed_s: float
    stopped_s: float = 0.0
    asleep_s: float = 0.0
    clock_set_s: float = 0.0

    @property
    def lost_s(self) -> float | None:
        """Seconds that make this window no measurement; None where it is one."""
        return round(self.stopped_s + self.asleep_s, 3) or None


class WindowWatch:
    """Looks at a window before its clock is started and after it was stopped.

    Args:
        settled: waits until the device has done everything, whatever the placement says, and
            returns how many steps were done so far (None where nobody counts).
        framework: who traces or compiles, for people.

    Attributes:
        windows: what was seen.
        clock: reads the device's clock; not read when None.
        first_clock: the clock after the first steady window, when the device was at work.
        heartbeat: notices when this process is stopped; nobody does when None.
        wall_stamps: windows whose stamps were dropped since the wall clock, by which they were
            made, was set; None where none is stamped by it.
    """

    def __init__(
        self,
        settled: Callable[[], int | None],
        framework: str = "TensorFlow",
    ) -> None:
        self.windows: list[ObservedWindow] = []
        self.clock: Callable[[], Clock] | None = None
        self.first_clock: Clock | None = None
        self.heartbeat: Heartbeat | None = None
        self.wall_stamps: int | None = None
        self._settled = settled
        self._done: int | None = None
        self._delayed_s = 0.0
        self._framework = framework
        self._functions: frozenset[Hashable] = frozenset()

    def before(self) -> None:
        """A window is about to be timed."""
        self._done = self._settled()
        self._functions = compiled()
        self._delayed_s = waited_s()

    def after(self, steps: int, window: Window, *, warmup: bool) -> ObservedWindow:
        """A window of so many steps was timed."""
        delayed_s = waited_s() - self._delayed_s
        traced = len(compiled() - self._functions)
        began = time.perf_counter()
        done = self._settled()
        ended = time.perf_counter()
        # The second time nothing is left: what it takes is the reading's own, milliseconds on a
        # slow machine.
        self._settled()
        reading_s = time.perf_counter() - ended
        counted = None if done is None or self._done is None else done - self._done
        if self.clock is not None and self.first_clock is None and not warmup:
            self.first_clock = self.clock()
        observed = ObservedWindow(
            steps=steps,
            done=counted,
            wall_s=window.wall_s,
            left_s=max(0.0, ended - began - self._stopped_s(began, ended) - reading_s),
            traced=traced,
            warmup=warmup,
            delayed_s=delayed_s,
            stopped_s=self._stopped_s(window.began_s, window.began_s + window.wall_s),
            asleep_s=window.asleep_s,
            clock_set_s=window.clock_set_s,
        )
        self.windows.append(observed)
        return observed

    def judge(self, log: CheckLog, *, settles: bool = True, skips: bool = False) -> None:
        """Note what the windows show.

        Args:
            log: takes the checks.
            settles: whether `settled` can wait for the work from here.
            skips: whether the optimizer may leave a step out (loss scaling does).
        """
        steady = [window for window in self.windows if not (window.warmup or window.lost_s)]
        if settles:
            self._left(log, steady or self.windows)
        else:
            log.inapplicable("no-sync", "the work lies on other processes")
        if steady:
            self._traced(log, steady)
        else:
            log.inapplicable("compile-inside", "no steady window")
        self._counted(log, skips=skips)
        self._ran(log)
        self._wall_clock(log)
        self._pace(log)

    def _stopped_s(self, since: float, until: float) -> float:
        return self.heartbeat.stopped_s(since, until) if self.heartbeat else 0.0

    def _ran(self, log: CheckLog) -> None:
        stops = [window.lost_s for window in self.windows if window.lost_s]
        observed = (
            f"it stood still for {sum(stops):.3g} s within {len(stops)} of {len(self.windows)} "
            "windows, which are left out of the steady time"
        )
        log.judge(
            "stopped",
            sound=not stops,
            expected="the cell's process runs all the time while it is timed",
            observed=observed if stops else "it ran all the time",
        )

    def _pace(self, log: CheckLog) -> None:
        """A clock that is set is away in one window, one of another pace in all of them."""
        timed = [window for window in self.windows if window.wall_s > LEAST_LEFT_S]
        if len(timed) < FEWEST_PACES:
            log.inapplicable("clock-pace", f"{len(timed)} windows are too few to compare clocks")
            return
        paces = sorted(1 + window.clock_set_s / window.wall_s for window in timed)
        low, pace, high = (paces[len(paces) * n // 4] for n in (1, 2, 3))
        log.judge(
            "clock-pace",
            sound=abs(pace - 1) <= MOST_PACE or high - low > MOST_PACE,
            expected="the clock that windows are timed by and the wall clock run at one pace",
            observed=f"the wall clock ran at {pace:.2f} times the monotonic clock's rate, by "
            f"{len(timed)} windows",
        )

    def _wall_clock(self, log: CheckLog) -> None:
        if self.wall_stamps is None:
            log.inapplicable("clock-set", "no step is stamped by the wall clock here")
            return
        furthest = max((window.clock_set_s for window in self.windows), key=abs, default=0.0)
        log.judge(
            "clock-set",
            sound=not self.wall_stamps,
            expected="nobody sets the wall clock while steps are stamped by it",
            observed=f"the wall clock was set by {furthest:+.3g} s; the stamps of the steps in "
            f"{self.wall_stamps} of {len(self.windows)} windows are dropped, and the windows kept"
            if self.wall_stamps
            else "it was not set",
        )

    def _left(self, log: CheckLog, steady: list[ObservedWindow]) -> None:
        # A missing sync leaves work after every window. After a few of them, the process waited for
        # its processor.
        wall_s = median(window.wall_s for window in steady)
        left_s = median_low(window.left_s for window in steady)
        log.judge(
            "no-sync",
            sound=left_s <= max(MOST_LEFT * wall_s, LEAST_LEFT_S / len(steady)),
            expected="the device has nothing left to do when the clock is stopped",
            observed=f"after the median of {len(steady)} windows, of {wall_s:.2g} s, it worked for "
            f"another {left_s:.2g} s",
        )

    def _traced(self, log: CheckLog, steady: list[ObservedWindow]) -> None:
        traced = sum(window.traced for window in steady if window is not self.windows[0])
        did = "traced {} functions" if self._framework == "TensorFlow" else "compiled {} programs"
        inside = sum(window.traced > 0 for window in steady if window is not self.windows[0])
        log.judge(
            "compile-inside",
            sound=not traced,
            expected="nothing is traced or compiled in a steady window",
            observed=f"{self._framework} {did.format(traced)} in {inside} of {len(steady)} windows",
        )

    def _counted(self, log: CheckLog, *, skips: bool) -> None:
        counted = [
            (window.steps, window.done) for window in self.windows if window.done is not None
        ]
        if len(counted) < len(self.windows):
            log.inapplicable("step-count", "nothing counts steps here but the loop itself")
            return
        claimed, done = sum(one for one, _ in counted), sum(two or 0 for _, two in counted)
        wrong = [pair for pair in counted if pair[0] != pair[1]]
        log.judge(
            "step-count",
            sound=not wrong or (skips and all((two or 0) <= one for one, two in wrong)),
            expected="the optimizer counts as many steps as the windows claim",
            observed=f"the windows claim {claimed:,} steps, the optimizer counted {done:,}",
        )


MOST_GAP = 0.10
"""Share of the steady windows that may belong to no step; usual is a hundredth."""

MOST_GAP_UNSTAMPED = 0.67
"""The same where steps are known from the canary alone, whose windows are short."""

LEAST_GAP_S = 0.03
"""Seconds of a window below which a gap is what starting it costs on a busy machine."""

BUSY = 0.3
"""Cores busy in the gaps, over those busy in steps, from which on they are called work. Steps
are the measure because on a loaded machine they get a share of a core, too."""

FIRST_STEP = 2.0
"""Longest steps that the first one of a window may take. It has no stamp before it and begins with
cold caches and waiting threads: 1.5 was seen in a window of three steps that held nothing else."""

FEWEST_STEPS = 3
"""A window of fewer steps has too few stamps."""


@dataclass(frozen=True)
class _Gaps:
    windows: int
    wall_s: float
    gap_s: float
    steps: int
    cpu_s: float

    @property
    def share(self) -> float:
        return self.gap_s / self.wall_s if self.wall_s > 0 else 0.0


def judge_gaps(
    log: CheckLog, blocks: list[Block], delays: Sequence[float], own: CanaryStep | None
) -> None:
    """Note whether the windows hold anything but their steps.

    Args:
        log: takes the checks.
        blocks: the timed windows.
        delays: seconds in each of them in which other programs had the processor instead.
        own: what a step takes by the canary; None without one.
    """
    steady = [pair for pair in zip(blocks, delays, strict=True) if pair[0].steady]
    stamped = [pair for pair in steady if pair[0].steps >= FEWEST_STEPS and pair[0].step_s]
    if stamped:
        gaps, most = _gaps(stamped, _stamped), MOST_GAP
    elif steady and own is not None and own.step_s > 0 and not log.failed("loaded-machine"):
        step_s = own.step_s
        gaps, most = _gaps(steady, lambda block: block.steps * step_s), MOST_GAP_UNSTAMPED
    else:
        for name in ("work-inside", "idle-inside"):
            why = "steps are not stamped here, and no canary says how long they take"
            log.inapplicable(name, why)
        return
    wrong = gaps.share > most and gaps.gap_s > LEAST_GAP_S * gaps.windows
    busy = _busy(gaps, own) if wrong else 0.0
    observed = f"{gaps.share:.1%} of {gaps.wall_s:.3g} s belong to no step"
    if wrong:
        observed += f", and the processor was {busy:.2g} times as busy then as in steps"
    expected = f"at most {100 * most:.0f} % of the windows belong to no step"
    for name, is_it in (("work-inside", busy >= BUSY), ("idle-inside", busy < BUSY)):
        log.judge(name, sound=not (wrong and is_it), expected=expected, observed=observed)


def _gaps(pairs: list[tuple[Block, float]], in_steps: Callable[[Block], float]) -> _Gaps:
    blocks = [block for block, _ in pairs]
    left = (block.wall_s - in_steps(block) - delay for block, delay in pairs)
    return _Gaps(
        windows=len(blocks),
        wall_s=sum(block.wall_s for block in blocks),
        gap_s=sum(max(0.0, seconds) for seconds in left),
        steps=sum(block.steps for block in blocks),
        cpu_s=sum(block.cpu_s for block in blocks),
    )


def _stamped(block: Block) -> float:
    """Seconds of all steps, with the most that the first one may have taken."""
    return sum(block.step_s) + FIRST_STEP * max(block.step_s)


def _busy(gaps: _Gaps, own: CanaryStep | None) -> float:
    """Cores busy in the gaps, from what is left of the CPU time, over those busy in steps."""
    if own is None or own.cpu_s <= 0:
        return gaps.cpu_s / gaps.wall_s
    in_steps_s = gaps.steps * own.cpu_s
    cores = min(1.0, in_steps_s / max(gaps.wall_s - gaps.gap_s, 1e-9))
    return max(0.0, gaps.cpu_s - in_steps_s) / gaps.gap_s / cores
