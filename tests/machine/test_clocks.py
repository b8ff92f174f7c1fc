"""What a clock is worth: clocks that are set, machines that sleep, processes that stop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.stability import findings
from accelreport.machine.clocks import (
    BEAT_S,
    LEAST_STOP_S,
    Heartbeat,
    Instant,
    Stopwatch,
    Window,
    stamped_seconds,
)
from accelreport.results.record import Block
from tests.support.records import study


def _lap(before: Instant, after: Instant) -> Window:
    readings = iter((before, after))
    return Stopwatch(read=lambda: next(readings)).lap()


set_by = st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 0.01)
slept_for = st.floats(0.01, 1e5)


@given(set_by, slept_for)
def test_a_clock_that_was_set_is_told_from_a_machine_that_slept(away: float, asleep: float) -> None:
    before = Instant(monotonic=100.0, wall=2e9, boot=300.0)
    still = _lap(before, Instant(100.5, 2e9 + 0.5, 300.5))
    assert (still.clock_set_s, still.asleep_s) == (0.0, 0.0)
    moved = _lap(before, Instant(100.5, 2e9 + 0.5 + away, 300.5))
    assert moved.clock_set_s == pytest.approx(away, abs=1e-3)
    assert moved.asleep_s == 0.0
    slept = _lap(before, Instant(100.5, 2e9 + 0.5 + asleep, 300.5 + asleep))
    assert slept.asleep_s == pytest.approx(asleep, abs=1e-3)
    assert slept.clock_set_s == 0.0


@given(st.lists(st.floats(1e-4, 1e-2), min_size=2, max_size=50), st.data())
def test_stamps_are_times_only_within_their_window(steps: list[float], data: st.DataObject) -> None:
    stamps = 1.7e9 + np.concatenate([[0.0], np.cumsum(steps)])
    window = Window(wall_s=sum(steps) + 0.001, cpu_s=0.0, other_cpu_s=0.0)
    assert stamped_seconds(stamps, window, by_wall=True) == pytest.approx(steps, abs=1e-6)
    moved = stamps.copy()
    moved[data.draw(st.integers(1, len(steps))) :] += data.draw(st.sampled_from((-1.9, 1.9)))
    assert stamped_seconds(moved, window, by_wall=True) == []
    noticed = Window(wall_s=9.0, cpu_s=0.0, other_cpu_s=0.0, clock_set_s=1e-3)
    assert stamped_seconds(stamps, noticed, by_wall=True) == []
    # A host that stamps by a monotonic clock has nothing to do with the wall clock.
    assert stamped_seconds(stamps, noticed, by_wall=False) == pytest.approx(steps, abs=1e-6)


class _Process:
    """A process as its own clocks see it."""

    def __init__(self) -> None:
        self.now = 50.0
        self.cpu_s = 1.0
        self.delayed_s = 0.0
        self.continued = 0
        self.heart = Heartbeat(
            cpu_s=lambda: self.cpu_s,
            now=lambda: self.now,
            delayed_s=lambda: self.delayed_s,
            continued=lambda: self.continued,
        )

    def runs(self, seconds: float, cores: float = 1.0) -> None:
        while seconds > 1e-9:
            passed = min(BEAT_S, seconds)
            self.now += passed
            self.cpu_s += passed * cores
            seconds -= passed
            self.heart.beat()

    def silent(self, seconds: float, cores: float = 0.0) -> None:
        self.now += seconds
        self.cpu_s += seconds * cores


@given(st.floats(LEAST_STOP_S + 2 * BEAT_S, 1e5), st.floats(0.1, 64.0), st.booleans())
def test_a_stop_is_found_and_belongs_to_the_window_it_befell(
    stop_s: float, cores: float, beaten: bool
) -> None:
    process = _Process()
    process.runs(1.0, cores)
    began = process.now
    process.runs(0.2, cores)
    process.silent(stop_s)
    if beaten:  # else the thread has not had its turn when the window ends
        process.heart.beat()
    ended = process.now
    assert process.heart.stopped_s(began, ended) == pytest.approx(stop_s, abs=2 * BEAT_S)
    process.runs(1.0, cores)
    assert process.heart.stopped_s(began, ended) == pytest.approx(stop_s, abs=2 * BEAT_S)
    assert process.heart.stopped_s(began - 1.0, began) == 0.0
    assert process.heart.stopped_s(ended, process.now) == 0.0


@pytest.mark.parametrize("cores", [1.0, 4.0])
def test_short_stops_by_a_signal_are_found_in_their_window_alone(cores: float) -> None:
    process = _Process()
    process.runs(1.0, cores)
    began = process.now
    for _ in range(30):
        process.silent(0.1)
        process.continued += 1
        process.runs(0.1, cores)
    assert process.heart.stopped_s(began, process.now) == pytest.approx(3.0, abs=0.1)
    assert process.heart.stopped_s(began - 1.0, began) == 0.0
    ended = process.now
    process.runs(1.0, cores)
    assert process.heart.stopped_s(ended, process.now) == 0.0


def test_stamps_that_are_no_times_count_as_none_in_records_of_every_age() -> None:
    record = study().records[0]
    block = next(block for block in record.blocks if block.steady)
    kept = [block.wall_s / block.steps] * (block.steps - 1)
    for impossible in (-1.9, 0.0, 1.9 + block.wall_s):
        hit = block.model_copy(update={"step_s": [*kept, impossible]})
        spoilt = record.model_copy(
            update={"blocks": [hit if b is block else b for b in record.blocks]}
        )
        assert hit.stamped_s == []
        assert "bad-timing" not in {found.kind for found in findings(spoilt)}
        assert spoilt.steady.step_s == record.steady.step_s


def test_a_block_in_which_the_process_stood_still_is_no_steady_one() -> None:
    record = study().records[0]
    number = next(n for n, block in enumerate(record.blocks) if block.steady)
    hit = record.blocks[number].model_copy(update={"wall_s": 20.0, "stopped_s": 19.9})
    blocks = [*record.blocks]
    blocks[number] = hit
    spoilt = record.model_copy(update={"blocks": blocks}).steady
    usual = record.steady.window_s - record.blocks[number].wall_s
    assert spoilt.window_s == pytest.approx(usual)
    assert spoilt.steps == record.steady.steps - hit.steps
    assert Block.model_validate_json(hit.model_dump_json()) == hit
