"""The canary: short windows after the measured ones, timed wrongly on purpose and rightly.

A window whose result nobody waits for must read far less than the same window timed rightly,
where the device runs asynchronously; on a device that does not, both read alike. Twice the
steps must take about twice as long, or some of the work was not done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from accelreport.backend.checks.found import Found

ALLOWED_S = 0.3
"""Seconds the canary may take; where a single step takes longer, there is none."""

WINDOW_S = 0.015
"""Seconds of the shorter window of a pair."""

ROUNDS = 3
"""Pairs of windows; the shortest of each length counts, since load only adds time."""

MORE_ROUNDS = 9
"""Further pairs where the first ones look wrong: an alarm has to survive them."""

ASYNCHRONOUS = 0.5
"""An unsynchronised window below this share of the true one: the device runs on its own."""

SCALES = 1.4
"""Twice the steps take at least this many times as long."""

PACE = 2.0
"""Steady steps and the canary's own differ by less than this factor."""


@dataclass(frozen=True)
class Bird:
    """What the canary needs of a cell.

    Attributes:
        run: number of steps (or operations) → what has to be waited for.
        wait: waits for it.
        settled: waits for everything, whatever the placement says.
        step_s: seconds of a steady step, as measured.
        most: steps that one call may run.
        synchronous: what the placement says of its device.
        cpu_s: CPU seconds spent so far by the cell's processes.
        agreed: one worker's number → the chief's (see `Placement.agreed`).
    """

    run: Callable[[int], Any]
    wait: Callable[[Any], object]
    settled: Callable[[], object]
    step_s: float
    most: int
    synchronous: bool
    cpu_s: Callable[[], float] = time.process_time
    agreed: Callable[[float], float] = float


@dataclass(frozen=True)
class Own:
    """A step by the canary, without what a window costs in itself.

    Attributes:
        step_s: its wall-clock seconds.
        cpu_s: its CPU seconds.
    """

    step_s: float
    cpu_s: float


@dataclass
class _Pairs:
    """Wall-clock and CPU seconds of windows of `count` and of twice as many steps."""

    count: int
    one: list[float] = field(default_factory=list)
    two: list[float] = field(default_factory=list)
    cpu_one: list[float] = field(default_factory=list)
    cpu_two: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        return min(self.two) / min(self.one)

    @property
    def own(self) -> Own:
        wall, cpu = (
            (min(two) - min(one)) / self.count
            for one, two in ((self.one, self.two), (self.cpu_one, self.cpu_two))
        )
        return Own(wall, cpu)


def sing(bird: Bird, found: Found) -> Own | None:
    """Run the canary and note what it shows.

    Returns:
        What a step takes by its windows; None where there are no pairs of them.
    """
    step_s = bird.agreed(max(bird.step_s, 1e-7))
    count = max(1, min(round(WINDOW_S / step_s), bird.most // 2))
    unit_s = count * step_s
    if step_s > ALLOWED_S:
        why = f"a step takes {step_s:.2g} s, longer than the canary may"
        found.inapplicable("canary", why)
        found.inapplicable("time-not-scaling", why)
        return None
    tries = max(1, min(ROUNDS, int(ALLOWED_S / 3 / unit_s)))
    _without_sync(bird, found, count, tries)
    rounds = min(ROUNDS, int((ALLOWED_S - tries * unit_s) / (3 * unit_s)))
    if bird.most < 2 or rounds < 1:
        why = f"a step takes {step_s:.2g} s" if rounds < 1 else "an epoch has a single step"
        found.inapplicable("time-not-scaling", why)
        return None
    pairs = _Pairs(count)
    _add(pairs, bird, rounds)
    if bird.agreed(pairs.ratio) < SCALES:
        _add(pairs, bird, MORE_ROUNDS)
    found.judge(
        "time-not-scaling",
        sound=pairs.ratio >= SCALES,
        expected="twice the work takes about twice as long",
        seen=f"{count} steps took {min(pairs.one):.3g} s, {2 * count} took {min(pairs.two):.3g} s",
    )
    if not bird.synchronous:
        _pace(found, bird.step_s, pairs.own.step_s)
    return pairs.own


def _without_sync(bird: Bird, found: Found, count: int, tries: int) -> None:
    """Time windows without waiting, and how long they really took."""
    bird.settled()
    hasty, whole = [], []
    for _ in range(tries):
        began = time.perf_counter()
        pending = bird.run(count)
        hasty.append(time.perf_counter() - began)
        bird.wait(pending)
        bird.settled()
        whole.append(time.perf_counter() - began)
    early = min(hasty) < ASYNCHRONOUS * min(whole)
    seen = (
        f"without waiting the clock reads {min(hasty):.3g} s for {count} steps, with waiting "
        f"{min(whole):.3g} s"
    )
    if bird.synchronous:
        expected = "both read alike, for an operation has ended when the next one begins"
    else:
        expected = "the first reads far less, for the device runs asynchronously"
    if not bird.synchronous and not early:
        why = f"{seen}: the device keeps pace with its host, so that nothing is left to wait for"
        found.inapplicable("canary", why)
        return
    # Where one said to be synchronous returns early, every stamp inside the graph is a lie.
    found.judge("canary", sound=bird.synchronous != early, expected=expected, seen=seen)


def _add(pairs: _Pairs, bird: Bird, rounds: int) -> None:
    for _ in range(rounds):
        for times, walls, cpus in (
            (1, pairs.one, pairs.cpu_one),
            (2, pairs.two, pairs.cpu_two),
        ):
            bird.settled()
            cpu, began = bird.cpu_s(), time.perf_counter()
            bird.wait(bird.run(times * pairs.count))
            bird.settled()
            walls.append(time.perf_counter() - began)
            cpus.append(bird.cpu_s() - cpu)


def _pace(found: Found, steady: float, own: float) -> None:
    """Where no stamps look into a window, its steps are held against the canary's."""
    if found.failed("loaded-machine"):
        found.inapplicable("window-pace", "the machine is loaded: its paces cannot be compared")
        return
    if own <= 0 or steady <= 0:
        found.inapplicable("window-pace", "the canary's windows are too short for a pace")
        return
    seen = f"a steady step took {steady:.3g} s, one of the canary's {own:.3g} s"
    expected = "steps of the windows take as long as bare ones"
    found.judge("window-pace", sound=1 / PACE < steady / own < PACE, expected=expected, seen=seen)
