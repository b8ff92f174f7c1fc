"""A fixed cost and a cost for each example describe how a step's time depends on its batch."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.batch_law import (
    Fit,
    Law,
    NoLaw,
    TimedRun,
    against,
    fit,
)
from accelreport.analysis.stats import geometric_mean
from accelreport.loader.load import load

SPEC = Path(__file__).parents[2] / "specs" / "mnist_batch_sweep.toml"

BATCHES = (32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)

MEASURED = (
    dict(zip(BATCHES, (9.4e-3, 17.3e-3, 29.8e-3, 60.1e-3, 120e-3, 227e-3), strict=True)),
    dict(zip(BATCHES, (9.1e-3, 17.1e-3, 30.9e-3, 58.5e-3, 116e-3, 296e-3), strict=True)),
)
"""Seconds of a step of S3's network on two cores, of two processes."""

COSTS = st.floats(1e-7, 1e2)


@pytest.fixture(scope="module")
def published() -> dict[str, Fit]:
    """The laws of what S3 printed: microseconds a sample, at three batch sizes, on two devices."""
    (spec,) = load([SPEC]).specs
    runs: dict[str, dict[float, float]] = {}
    for row in spec.published:
        if row.sample_time is not None:
            batch = float(row.where["batch_size"])
            runs.setdefault(row.device, {})[batch] = batch * row.sample_time
    return {device: fit([run]) for device, run in runs.items()}


def _law(of: Fit) -> Law:
    assert of.law is not None
    return of.law


def test_the_published_times_are_a_fixed_cost_and_a_cost_for_each_example(
    published: dict[str, Fit],
) -> None:
    gpu, tpu = (_law(published[name]) for name in ("gpu", "tpu"))
    assert (round(1e3 * gpu.fixed_s, 1), round(1e6 * gpu.each_s)) == (5.2, 73)
    assert (round(1e3 * tpu.fixed_s, 1), round(1e6 * tpu.each_s)) == (20.6, 17)
    assert (round(gpu.half_rate_batch), round(tpu.half_rate_batch)) == (71, 1211)
    residuals = [abs(each) for found in published.values() for each in found.residuals.values()]
    assert len(residuals) == 6
    assert max(residuals) < 0.016


def test_the_published_devices_must_be_equal_at_a_batch_of_275(published: dict[str, Fit]) -> None:
    found = against(published["tpu"], published["gpu"])
    assert round(found.crossing.value) == 275
    assert round(found.largest.value, 1) == 4.3
    assert found.grows
    gpu, tpu = (_law(published[name]) for name in ("gpu", "tpu"))
    assert gpu.seconds(1024) / tpu.seconds(1024) == pytest.approx(2, abs=0.15)


def test_three_points_say_little(published: dict[str, Fit]) -> None:
    """One degree of freedom: what is read off a printed table is wide, and says so."""
    found = against(published["tpu"], published["gpu"])
    assert found.crossing.low < 150 < 350 < found.crossing.high
    assert found.largest.high > 2 * found.largest.value
    assert published["gpu"].fixed_s().low == 0
    assert published["gpu"].df == 1


def test_what_two_cores_measured_follows_the_law() -> None:
    found = fit(MEASURED)
    assert round(1e3 * _law(found).fixed_s, 1) == 1.8
    assert round(1e6 * _law(found).each_s) == 232
    assert found.n == 2
    assert -0.04 < min(found.residuals.values()) < max(found.residuals.values()) < 0.08
    errors = [_left_out(MEASURED, batch) for batch in MEASURED[0]]
    assert errors == pytest.approx((-0.000, -0.038, 0.049, 0.044, 0.033, -0.103), abs=5e-4)


def _left_out(runs: Sequence[TimedRun], batch: float) -> float:
    """By how much the law of all other batches misses the mean time of one."""
    others = [{size: each for size, each in run.items() if size != batch} for run in runs]
    timed = geometric_mean([run[batch] for run in runs]).value
    return _law(fit(others)).seconds(batch) / timed - 1


@given(COSTS, COSTS, st.lists(st.integers(1, 10**5), min_size=3, max_size=8, unique=True))
def test_times_that_follow_a_law_give_it_back(
    fixed: float, each: float, batches: list[int]
) -> None:
    law = Law(fixed, each)
    times = {float(batch): law.seconds(batch) for batch in batches}
    found = fit([times, times])
    assert found.refused is None
    for batch, seconds in times.items():
        assert _law(found).seconds(batch) == pytest.approx(seconds, rel=1e-6)
        assert found.residuals[batch] == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 10_000), st.floats(1e-3, 1e3))
def test_another_unit_of_time_changes_the_costs_and_nothing_else(seed: int, unit: float) -> None:
    rng = np.random.default_rng(seed)
    runs = [
        {b: Law(2e-3, 1e-4).seconds(b) * float(np.exp(rng.normal(0, 0.01))) for b in BATCHES}
        for _ in range(3)
    ]
    before = fit(runs)
    after = fit([{batch: unit * seconds for batch, seconds in run.items()} for run in runs])
    assert _law(after).fixed_s == pytest.approx(unit * _law(before).fixed_s, rel=1e-6)
    assert after.each_s().high == pytest.approx(unit * before.each_s().high, rel=1e-6)
    assert after.half_rate_batch().low == pytest.approx(before.half_rate_batch().low, rel=1e-6)


def _two_devices(seed: int) -> list[Fit]:
    """Five processes of each that vary by 2 %; they are equal at 300, and one is 3.5× at most."""
    rng = np.random.default_rng(seed)
    return [
        fit(
            [
                {b: Law(a, c).seconds(b) * float(np.exp(rng.normal(0, 0.02))) for b in BATCHES}
                for _ in range(5)
            ]
        )
        for a, c in ((20e-3, 20e-6), (5e-3, 70e-6))
    ]


def test_intervals_over_processes_hold_the_truth_as_often_as_they_say() -> None:
    held = {"crossing": 0, "largest": 0, "half rate": 0}
    for seed in range(400):
        own, base = _two_devices(seed)
        found = against(own, base)
        held["crossing"] += found.crossing.low <= 300 <= found.crossing.high
        held["largest"] += found.largest.low <= 3.5 <= found.largest.high
        half_rate = own.half_rate_batch()
        held["half rate"] += half_rate.low <= 1000 <= half_rate.high
    # 95 % with a standard error of 1.1 points; fewer degrees of freedom than there are make more.
    assert min(held.values()) >= 0.93 * 400


@given(st.integers(0, 500))
def test_exchanging_the_devices_inverts_what_is_said_of_them(seed: int) -> None:
    own, base = _two_devices(seed)
    one, other = against(own, base), against(base, own)
    assert one.crossing.value == pytest.approx(other.crossing.value)
    assert one.crossing.low == pytest.approx(other.crossing.low)
    assert one.largest.value * other.smallest.value == pytest.approx(1)
    assert one.grows != other.grows


def test_a_device_that_is_faster_at_everything_crosses_nowhere() -> None:
    slow, fast = (
        fit([{b: Law(a, c).seconds(b) for b in BATCHES}]) for a, c in ((9e-3, 9e-5), (1e-3, 3e-5))
    )
    found = against(fast, slow)
    assert isnan(found.crossing.value)
    assert found.largest.value == pytest.approx(9)
    assert found.smallest.value == pytest.approx(3)
    assert not found.grows


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ({64.0: 1.0, 128.0: 2.0}, NoLaw.FEW),
        ({}, NoLaw.FEW),
        ({64.0: 3.0, 128.0: 2.0, 256.0: 1.0}, NoLaw.FLAT),
        (dict(zip(BATCHES, (1, 2, 4, 16, 64, 160), strict=True)), NoLaw.BAD),
    ],
)
def test_no_line_is_drawn_where_the_law_does_not_hold(
    times: dict[float, float], why: NoLaw
) -> None:
    found = fit([times])
    assert found.law is None
    assert found.refused is why
    with pytest.raises(ValueError, match=why.value):
        found.each_s()
    with pytest.raises(ValueError, match="no law"):
        against(found, fit(MEASURED))


def test_a_run_that_lacks_a_batch_size_is_left_out() -> None:
    short = {64.0: 1.0, 128.0: 1.0}
    assert fit([*MEASURED, short]).law == fit(MEASURED).law
    assert fit([{64.0: 1.0}, {128.0: 1.0}, {256.0: 1.0}]).refused is NoLaw.FEW


def test_a_step_without_a_cost_for_examples_has_no_rate() -> None:
    assert Law(1.0, 0.0).rate == Law(1.0, 0.0).half_rate_batch == inf
