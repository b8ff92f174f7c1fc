"""The timer's checks one by one, on windows, clocks and canaries made for the purpose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.backend.checks import CheckLog, canary
from accelreport.backend.checks.canary import ALLOWED_S, Canary, CanaryStep
from accelreport.backend.checks.windows import (
    ObservedWindow,
    WindowWatch,
    judge_clock,
    judge_gaps,
)
from accelreport.machine.clocks import Clock, Window, cpu_clock
from accelreport.results.record import Block

STEP_S = 0.002

WINDOW = Window(wall_s=0.5, cpu_s=0.5, other_cpu_s=0.0)


def outcomes(found: CheckLog) -> dict[str, str]:
    return {check.name: check.outcome for check in found.checks}


# Gaps -----------------------------------------------------------------------------------------


def block(steps: int, extra_s: float, cores: float) -> Block:
    """A window of equal steps that keep a core busy, and something else beside them."""
    wall = steps * STEP_S + extra_s
    return Block(
        epoch=1,
        first_step=20,
        steps=steps,
        wall_s=wall,
        cpu_s=steps * STEP_S + cores * extra_s,
        warmup=False,
        step_s=[STEP_S] * (steps - 1),
    )


@settings(max_examples=50, deadline=None)
@given(
    steps=st.integers(10, 250),
    extra_s=st.floats(0.1, 5.0),
    working=st.booleans(),
    windows=st.integers(1, 20),
)
def test_what_a_window_holds_beside_its_steps_is_work_or_idleness_by_its_cpu_time(
    steps: int, extra_s: float, working: bool, windows: int
) -> None:
    found = CheckLog()
    blocks = [block(steps, extra_s, cores=1.0 if working else 0.0)] * windows
    judge_gaps(found, blocks, [0.0] * windows, CanaryStep(STEP_S, STEP_S))
    names = ("work-inside", "idle-inside") if working else ("idle-inside", "work-inside")
    assert outcomes(found) == {names[0]: "failed", names[1]: "passed"}
    only_steps = CheckLog()
    alone = [block(steps, 0.0, 0.0)] * windows
    judge_gaps(only_steps, alone, [0.0] * windows, CanaryStep(STEP_S, STEP_S))
    assert set(outcomes(only_steps).values()) == {"passed"}


def test_a_slow_first_step_in_a_window_of_three_is_a_step_and_no_work_beside_them() -> None:
    for first_s, outcome in ((0.33, "passed"), (1.0, "failed")):
        found = CheckLog()
        wall_s = 0.2 + first_s + 0.2
        slow = Block(
            epoch=2,
            first_step=4,
            steps=3,
            wall_s=wall_s,
            cpu_s=1.8 * wall_s,
            warmup=False,
            step_s=[0.2, 0.2],
        )
        judge_gaps(found, [slow], [0.0], None)
        assert outcomes(found)["work-inside"] == outcome


def test_a_window_that_waited_for_a_processor_holds_no_sleep() -> None:
    for delay_s, outcome in ((0.5, "passed"), (0.0, "failed")):
        found = CheckLog()
        judge_gaps(found, [block(50, 0.5, 0.0)] * 4, [delay_s] * 4, CanaryStep(STEP_S, STEP_S))
        assert outcomes(found)["idle-inside"] == outcome


def test_windows_of_single_steps_are_held_against_the_canary() -> None:
    found = CheckLog()
    judge_gaps(found, [block(1, 0.8, 0.0)] * 4, [0.0] * 4, CanaryStep(STEP_S, STEP_S))
    assert outcomes(found)["idle-inside"] == "failed"
    alone = CheckLog()
    judge_gaps(alone, [block(1, 0.8, 0.0)] * 4, [0.0] * 4, None)
    assert set(outcomes(alone).values()) == {"not-applicable"}


# Windows --------------------------------------------------------------------------------------


@pytest.mark.e2e
def test_a_function_traced_inside_a_window_is_seen_and_one_outside_is_not() -> None:
    import tensorflow as tf

    watch = WindowWatch(lambda: None)
    step = tf.function(lambda x: x + 1)
    for number, inside in enumerate((True, False, True)):
        watch.before()
        if inside:
            step(tf.zeros([number + 1]))
        watch.after(1, WINDOW, warmup=False)
        step(tf.zeros([number + 10]))
    found = CheckLog()
    watch.judge(found)
    assert [seen.traced > 0 for seen in watch.windows] == [True, False, True]
    assert outcomes(found)["compile-inside"] == "failed"
    watch.windows = [replace(seen, warmup=True) for seen in watch.windows]
    watch.judge(unsteady := CheckLog())
    assert outcomes(unsteady)["compile-inside"] == "not-applicable"


@pytest.mark.e2e
@pytest.mark.parametrize(("skips", "outcome"), [(False, "failed"), (True, "passed")])
def test_fewer_steps_than_claimed_are_a_fault_unless_losses_are_scaled(
    skips: bool, outcome: str
) -> None:
    counts = iter([0, 10, 10, 10, 19, 19])  # read before a window, and twice after it
    watch = WindowWatch(lambda: next(counts))
    for _ in range(2):
        watch.before()
        watch.after(10, WINDOW, warmup=False)
    found = CheckLog()
    watch.judge(found, skips=skips)
    assert outcomes(found)["step-count"] == outcome


@pytest.mark.parametrize(
    ("left_s", "outcome"),
    [
        ([0.004, 0.004, 0.004, 0.004], "failed"),
        ([0.004, 0.0], "passed"),
        ([0.013, 0.0, 0.014, 0.0, 0.0], "passed"),
        ([0.002, 0.002, 0.003, 0.001], "passed"),
        ([0.013], "failed"),
    ],
    ids=["after each", "after one of two", "after two of five", "too little", "after the only one"],
)
def test_work_left_after_most_windows_is_a_missing_sync_and_after_a_few_a_wait(
    left_s: list[float], outcome: str
) -> None:
    watch = WindowWatch(lambda: None)
    for seconds in left_s:
        watch.windows.append(
            ObservedWindow(1, None, 0.02, seconds, traced=0, warmup=False, delayed_s=0.0)
        )
    found = CheckLog()
    watch.judge(found)
    assert outcomes(found)["no-sync"] == outcome


# The canary -----------------------------------------------------------------------------------


class VirtualTime:
    """Time that passes only where somebody computes or waits, however busy the machine is."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        self.now += 1e-8  # looking takes time, too
        return self.now

    def sleep_until(self, then: float) -> None:
        self.now = max(self.now, then)


class Machine:
    """A device whose work is time that passes, at once or when somebody waits for it."""

    def __init__(
        self, *, asynchronous: bool = False, alive: bool = True, step_s: float = STEP_S
    ) -> None:
        self.asynchronous, self.alive, self.step_s = asynchronous, alive, step_s
        self.until, self.steps = 0.0, 0
        self.time, self.cpu_s, self.waited_s = VirtualTime(), 0.0, 0.0
        self.other_cores = 0.0

    def run(self, count: int) -> None:
        self.steps += count
        work_s = (count if self.alive else min(count, 1)) * self.step_s
        self.cpu_s += work_s
        self.until = self.time.now + max(work_s, self.waited_s if count else 0.0)
        if not self.asynchronous:
            self.wait()

    def wait(self, _: object = None) -> None:
        self.time.sleep_until(self.until)

    def test(
        self, found: CheckLog, *, synchronous: bool = True, most: int = 1000
    ) -> CanaryStep | None:
        """The canary on this machine and by its clock."""
        cell = Canary(
            run=self.run,
            wait=self.wait,
            settled=self.wait,
            step_s=self.step_s,
            most=most,
            synchronous=synchronous,
            cpu_s=lambda: self.cpu_s,
            busy_s=lambda: self.cpu_s + self.other_cores * self.time.now,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(canary, "time", self.time)
            return canary.judge_windows(cell, found)


@pytest.mark.parametrize(
    ("asynchronous", "synchronous", "outcome"),
    [
        (True, False, "passed"),
        (False, True, "passed"),
        (True, True, "failed"),
        (False, False, "not-applicable"),
    ],
)
def test_the_canary_knows_a_device_that_does_not_wait(
    asynchronous: bool, synchronous: bool, outcome: str
) -> None:
    found = CheckLog()
    own = Machine(asynchronous=asynchronous).test(found, synchronous=synchronous)
    assert outcomes(found)["canary"] == outcome
    assert outcomes(found)["time-not-scaling"] == "passed"
    assert own is not None


@pytest.mark.parametrize(("alive", "outcome"), [(True, "passed"), (False, "failed")])
def test_a_loaded_machine_that_keeps_all_windows_waiting_alike_makes_no_work_undone(
    alive: bool, outcome: str
) -> None:
    def judged(*, loaded: bool) -> str:
        machine, found = Machine(alive=alive), CheckLog()
        machine.waited_s = 0.04
        found.judge("loaded-machine", sound=not loaded, expected="", observed="")
        machine.test(found)
        return outcomes(found)["time-not-scaling"]

    assert judged(loaded=True) == outcome
    assert judged(loaded=False) == "failed"


@pytest.mark.parametrize(
    ("step_s", "alive", "outcome"),
    [
        (STEP_S, True, "passed"),
        (1e-6, False, "not-applicable"),
        (STEP_S, False, "failed"),
    ],
)
@pytest.mark.parametrize(("waited_s", "others"), [(0.0, 0.0), (0.04, 3.0)])
def test_work_not_done_is_an_alarm_and_windows_too_short_to_show_it_are_none(
    step_s: float, alive: bool, outcome: str, waited_s: float, others: float
) -> None:
    machine, found = Machine(step_s=step_s, alive=alive), CheckLog()
    machine.waited_s, machine.other_cores = waited_s, others
    machine.test(found, most=64)
    assert outcomes(found)["time-not-scaling"] == outcome


def test_a_window_that_was_long_by_waiting_is_made_longer_until_it_tells() -> None:
    machine, found = Machine(alive=False), CheckLog()
    machine.waited_s, machine.other_cores = 0.006, 3.0
    machine.test(found, most=10**9)
    assert outcomes(found)["time-not-scaling"] == "failed"


@pytest.mark.parametrize("step_s", [1e-4, 0.004, 0.04, 0.09, 0.14])
def test_the_canary_runs_no_more_steps_than_fit_into_its_time(step_s: float) -> None:
    machine, found = Machine(step_s=step_s), CheckLog()
    machine.test(found)
    assert 0 < machine.steps * step_s <= ALLOWED_S
    assert outcomes(found)["canary"] == "passed"
    assert (outcomes(found)["time-not-scaling"] == "passed") is (step_s < 0.06)


def test_there_is_no_canary_where_two_steps_take_longer_than_it_may() -> None:
    machine, found = Machine(step_s=2 * ALLOWED_S), CheckLog()
    assert machine.test(found) is None
    assert machine.steps == 0
    assert set(outcomes(found).values()) == {"not-applicable"}


# Clocks ---------------------------------------------------------------------------------------


def test_a_cpu_s_clock_and_its_slow_downs_are_read_where_linux_tells_them(tmp_path: Path) -> None:
    assert cpu_clock(tmp_path) == Clock()
    for number, (speed, count) in enumerate([("2000000", "3"), ("3000000", "4")]):
        for name, text in (
            ("cpufreq/scaling_cur_freq", speed),
            ("thermal_throttle/core_throttle_count", count),
        ):
            path = tmp_path / f"cpu{number}" / name
            path.parent.mkdir(parents=True)
            path.write_text(f"{text}\n")
    assert cpu_clock(tmp_path) == Clock(mhz=2500.0, hindrances=7)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (Clock(2000.0, 0), Clock(1900.0, 0), "passed"),
        (Clock(2000.0, 0), Clock(1700.0, 0), "failed"),
        (Clock(None, 5), Clock(None, 6), "failed"),
        (Clock(2000.0), Clock(2100.0), "passed"),
        (Clock(), Clock(), "not-applicable"),
    ],
)
def test_a_clock_that_falls_by_a_tenth_or_is_held_back_is_said(
    before: Clock, after: Clock, outcome: str
) -> None:
    found = CheckLog()
    judge_clock(found, before, after)
    assert outcomes(found) == {"clock-fell": outcome}


# Two clocks -----------------------------------------------------------------------------------


@given(st.floats(0.05, 20.0).filter(lambda pace: abs(pace - 1) > 0.12), st.integers(3, 30))
def test_a_clock_of_another_pace_is_told_from_one_that_was_set(pace: float, count: int) -> None:
    def judged(*away_s: float) -> str:
        watch = WindowWatch(lambda: None)
        for each in away_s:
            watch.windows.append(
                ObservedWindow(
                    1, None, 0.5, 0.0, traced=0, warmup=False, delayed_s=0.0, clock_set_s=each
                )
            )
        found = CheckLog()
        watch.judge(found)
        return outcomes(found)["clock-pace"]

    away_s = 0.5 * (pace - 1)
    assert judged(*[away_s] * count) == "failed"
    assert judged(*[0.0] * count) == "passed"
    assert judged(away_s, *[0.0] * (3 * count)) == "passed"
    assert judged(away_s, away_s) == "not-applicable"
