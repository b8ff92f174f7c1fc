"""The canary: short windows after the measured ones, timed wrongly on purpose and rightly.

A window whose result nobody waits for must read far less than the same window timed rightly,
where the device runs asynchronously; on a device that does not, both read alike. Twice the
steps must take about twice as long, or some of the work was not done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from accelreport.backend.checks import CheckLog
from accelreport.machine.clocks import busy_s
from accelreport.results.record import OTHER_LOAD

ALLOWED_S = 0.3
"""Seconds the canary may take; where two steps take longer, there is none."""

WINDOW_S = 0.015
"""Seconds of the shorter window of a pair."""

LONGEST_S = ALLOWED_S / 8
"""Seconds of a window beyond which it is made no longer: it is to be repeated a few times."""

LEAST_S = 0.001
"""A window that takes no more than this beyond an empty one is too short to tell anything."""

ROUNDS = 3
"""Pairs of windows; the shortest of each length counts, since load only adds time."""

MORE_ROUNDS = 9
"""Further pairs where the first ones look wrong: an alarm has to survive them."""

MOST_STEPS = 2**16
"""Turns of a loop that takes time, whatever is in it."""

LEAST_STEP_S = 1e-7
"""Seconds of a turn that does anything; TensorFlow's loop alone needs ten times as many."""

ASYNCHRONOUS = 0.5
"""An unsynchronised window below this share of the true one: the device runs on its own."""

SCALES = 1.4
"""Twice the steps take at least this many times as long."""

PACE = 2.0
"""Steady steps and the canary's own differ by less than this factor."""


@dataclass(frozen=True)
class Canary:
    """What the canary needs of a cell.

    Attributes:
        run: number of steps (or operations), also none → what has to be waited for.
        wait: waits for it.
        settled: waits for everything, whatever the placement says.
        step_s: seconds of a steady step, as measured.
        most: steps that one call may run.
        synchronous: what the placement says of its device.
        cpu_s: CPU seconds spent so far by the cell's processes.
        busy_s: CPU seconds spent so far by every process of the machine.
        agreed: one worker's number → the chief's (see `Placement.agreed`).
    """

    run: Callable[[int], Any]
    wait: Callable[[Any], object]
    settled: Callable[[], object]
    step_s: float
    most: int
    synchronous: bool
    cpu_s: Callable[[], float] = time.process_time
    busy_s: Callable[[], float] = busy_s
    agreed: Callable[[float], float] = float


@dataclass(frozen=True)
class CanaryStep:
    """A step by the canary, without what a window costs in itself.

    Attributes:
        step_s: its wall-clock seconds.
        cpu_s: its CPU seconds.
    """

    step_s: float
    cpu_s: float


@dataclass
class _Windows:
    """Wall-clock and CPU seconds of windows of one length."""

    count: int
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, canary: Canary) -> None:
        canary.settled()
        cpu, began = canary.cpu_s(), time.perf_counter()
        canary.wait(canary.run(self.count))
        canary.settled()
        self.wall.append(time.perf_counter() - began)
        self.cpu.append(canary.cpu_s() - cpu)

    def beyond(self, empty: _Windows) -> float:
        """Seconds of the shortest window beyond an empty one."""
        return min(self.wall) - min(empty.wall)

    def worked(self, empty: _Windows) -> float:
        """CPU seconds of a window beyond an empty one; waiting adds nothing to their median."""
        return median(self.cpu) - median(empty.cpu)


class _Load:
    """Whether other programs compute while the canary runs.

    The windows before it may have been too short for the machine's own count of CPU time, which
    goes by hundredths of a second.
    """

    def __init__(self, canary: Canary, log: CheckLog) -> None:
        self._canary, self._log = canary, log
        self._began = self._read()

    def heavy(self) -> bool:
        others, wall = (now - then for now, then in zip(self._read(), self._began, strict=True))
        return self._log.failed("loaded-machine") or others > OTHER_LOAD * wall

    def _read(self) -> tuple[float, float]:
        return self._canary.busy_s() - self._canary.cpu_s(), time.perf_counter()


def judge_windows(canary: Canary, log: CheckLog) -> CanaryStep | None:
    """Run the canary and note what it shows.

    Returns:
        What a step takes by its windows; None where there are no pairs of them.
    """
    step_s = canary.agreed(max(canary.step_s, 1e-7))
    if 2 * step_s > ALLOWED_S:
        why = f"two steps take {2 * step_s:.2g} s; the canary has {ALLOWED_S:g} s"
        log.inapplicable("canary", why)
        log.inapplicable("time-not-scaling", why)
        return None
    load = _Load(canary, log)
    empty = _Windows(0)
    for _ in range(2):
        empty.add(canary)
    one = _long_enough(canary, step_s, empty)
    unit_s = canary.agreed(min(one.wall))
    rounds = _rounds(unit_s)
    _without_sync(canary, log, one.count, max(1, rounds))
    if canary.most < 2 or rounds < 1:
        alone = "an epoch has too few steps"
        why = f"a window takes {unit_s:.2g} s, too long for several" if rounds < 1 else alone
        log.inapplicable("time-not-scaling", why)
        return None
    return _scaling(canary, log, (empty, one), rounds, load)


def _rounds(unit_s: float) -> int:
    """How often the canary can time a window without waiting, one with, and one twice as long."""
    return min(ROUNDS, int(ALLOWED_S / max(unit_s, 1e-9) / 4))


def _long_enough(canary: Canary, step_s: float, empty: _Windows) -> _Windows:
    """A window of steps that takes some time beyond an empty one, where there is any.

    Load may make a window long for once, so that a few have to agree. Where the host computes,
    a window that was long by waiting alone took no CPU time, and is made longer while it may.
    """
    count, most = round(WINDOW_S / step_s), max(1, min(canary.most // 2, MOST_STEPS))
    while True:
        count = max(1, min(count, most))
        windows = _Windows(count)
        windows.add(canary)
        likely_s = canary.agreed(min(windows.wall[0], max(step_s * count, 1e-4)))
        while len(windows.wall) < _rounds(likely_s):
            windows.add(canary)
        net_s = windows.beyond(empty)
        if canary.synchronous:
            net_s = min(net_s, windows.worked(empty))
        net_s = canary.agreed(max(net_s, WINDOW_S / 16))
        longer = canary.agreed(min(WINDOW_S / net_s, LONGEST_S / min(windows.wall)))
        if net_s >= WINDOW_S / 3 or count == most or int(count * longer) <= count:
            return windows
        count = int(count * longer)


def _without_sync(canary: Canary, log: CheckLog, count: int, tries: int) -> None:
    """Time windows without waiting, and how long they really took."""
    canary.settled()
    hasty, whole = [], []
    for _ in range(tries):
        began = time.perf_counter()
        pending = canary.run(count)
        hasty.append(time.perf_counter() - began)
        canary.wait(pending)
        canary.settled()
        whole.append(time.perf_counter() - began)
    early = min(hasty) < ASYNCHRONOUS * min(whole)
    observed = (
        f"without waiting the clock reads {min(hasty):.3g} s for {count} steps, with waiting "
        f"{min(whole):.3g} s"
    )
    if canary.synchronous:
        expected = "both read alike, for an operation has ended when the next one begins"
    else:
        expected = "the first reads far less, for the device runs asynchronously"
    if not canary.synchronous and not early:
        why = (
            f"{observed}: the device keeps pace with its host, so that nothing is left to wait for"
        )
        log.inapplicable("canary", why)
        return
    # Where one said to be synchronous returns early, every stamp inside the graph is a lie.
    log.judge("canary", sound=canary.synchronous != early, expected=expected, observed=observed)


def _scaling(
    canary: Canary,
    log: CheckLog,
    shorter: tuple[_Windows, _Windows],
    rounds: int,
    load: _Load,
) -> CanaryStep:
    """Time windows of twice as many steps beside the shorter ones."""
    empty, one = shorter
    two = _Windows(2 * one.count)
    least_s = max(LEAST_S, LEAST_STEP_S * one.count)

    def kept_waiting() -> bool:
        # Where others compute, all windows of one length may have been kept waiting. What is
        # never done takes no CPU time either, however long the wait.
        return canary.synchronous and load.heavy()

    def grows() -> bool:
        if two.beyond(empty) >= SCALES * one.beyond(empty):
            return True
        return kept_waiting() and two.worked(empty) >= SCALES * one.worked(empty) > 0

    for _ in range(rounds):
        two.add(canary)
    if not canary.agreed(grows()) or one.count == MOST_STEPS:
        for _ in range(MORE_ROUNDS):
            for windows in (empty, one, two):
                windows.add(canary)
    observed = (
        f"{one.count} step{'s' * (one.count > 1)} took {min(one.wall):.3g} s, "
        f"{two.count} took {min(two.wall):.3g} s, and none {min(empty.wall):.3g} s"
    )
    net_s = one.beyond(empty)
    told_s = min(net_s, one.worked(empty)) if kept_waiting() and not grows() else net_s
    if told_s < least_s and one.count < MOST_STEPS:
        log.inapplicable("time-not-scaling", f"{observed}: too short to tell")
    else:
        log.judge(
            "time-not-scaling",
            sound=net_s >= least_s and grows(),
            expected="twice the work takes about twice as long",
            observed=observed,
        )
    more_s = min(two.wall) - min(one.wall)
    own = CanaryStep(
        step_s=more_s / one.count,
        # Waiting adds nothing to CPU time, so that its median says more than its least.
        cpu_s=(median(two.cpu) - median(one.cpu)) / one.count,
    )
    if not canary.synchronous:
        _pace(log, canary.step_s, own.step_s, more_s)
    return own


def _pace(log: CheckLog, steady: float, own: float, more_s: float) -> None:
    """Where no stamps look into a window, its steps are held against the canary's.

    Args:
        log: takes the check.
        steady: seconds of a steady step.
        own: seconds of one of the canary's.
        more_s: what its longer windows took more than the shorter ones, from which that is.
    """
    if log.failed("loaded-machine"):
        log.inapplicable("window-pace", "the machine is loaded: its paces cannot be compared")
        return
    if more_s < WINDOW_S / 3 or steady <= 0:
        log.inapplicable("window-pace", "the canary's windows are too short for a pace")
        return
    observed = f"a steady step took {steady:.3g} s, one of the canary's {own:.3g} s"
    expected = "steps of the windows take as long as bare ones"
    log.judge(
        "window-pace", sound=1 / PACE < steady / own < PACE, expected=expected, observed=observed
    )
