"""Rooflines, break-even steps, prices and joules: against brute force and counts by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accelreport.analysis.compute import (
    Bandwidth,
    NoPosition,
    Peak,
    Position,
    blur,
    joules_per_step,
    position,
    watts,
)
from accelreport.analysis.cost import TimeLine, overtakes, price_of
from accelreport.results.record import Energy
from accelreport.spec.device import Device

PEAK = Peak(8.0, "float32", "a sheet")
WIDTH = Bandwidth(320.0, "a sheet")

# Whole numbers: a line of them is exact in floating point, and so is brute force.
LINES = st.builds(TimeLine, st.integers(0, 500).map(float), st.integers(1, 40).map(float))


# Roofline --------------------------------------------------------------------------------------


def test_left_of_the_ridge_the_memory_is_the_lower_roof() -> None:
    found = position(2e9, 1e9, 1e-2, PEAK, WIDTH)
    assert isinstance(found, Position)
    assert found.intensity == pytest.approx(2.0)
    assert found.ridge == pytest.approx(25.0)
    assert found.bound == "memory"
    assert found.attainable == pytest.approx(0.64)
    assert found.share == pytest.approx(0.2 / 0.64)


def test_right_of_the_ridge_the_peak_is() -> None:
    found = position(1e12, 1e9, 1.0, PEAK, WIDTH)
    assert isinstance(found, Position)
    assert (found.bound, found.attainable) == ("arithmetic", 8.0)
    assert found.share == pytest.approx(1 / 8)


@given(flops=st.floats(1e3, 1e15), moved=st.floats(1e3, 1e15), seconds=st.floats(1e-6, 1e4))
def test_what_can_be_reached_never_exceeds_a_roof(
    flops: float, moved: float, seconds: float
) -> None:
    found = position(flops, moved, seconds, PEAK, WIDTH)
    assert isinstance(found, Position)
    assert found.attainable <= PEAK.tflops
    assert found.attainable <= found.intensity * WIDTH.gbps / 1000 * (1 + 1e-12)
    assert math.isclose(found.share * found.attainable, found.tflops, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("flops", "moved", "peak", "width", "why"),
    [
        (math.nan, 1e9, PEAK, WIDTH, NoPosition.OPERATIONS),
        (1e9, math.nan, PEAK, WIDTH, NoPosition.BYTES),
        (1e9, 1e9, None, WIDTH, NoPosition.PEAK),
        (1e9, 1e9, PEAK, None, NoPosition.BANDWIDTH),
        (1e9, 1e9, Peak(8, "float32", "", checked=False), WIDTH, NoPosition.UNCHECKED),
        (1e9, 1e9, PEAK, Bandwidth(320, "", checked=False), NoPosition.UNCHECKED),
    ],
)
def test_without_a_known_roof_there_is_no_position_and_the_reason_is_given(
    flops: float, moved: float, peak: Peak | None, width: Bandwidth | None, why: NoPosition
) -> None:
    assert position(flops, moved, 1.0, peak, width) is why


# Break-even ------------------------------------------------------------------------------------


def test_a_slower_start_pays_off_once_its_steps_have_saved_as_much() -> None:
    gpu, cpu = TimeLine(10.0, 0.01), TimeLine(2.0, 0.05)
    assert overtakes(gpu, cpu) == 201
    assert overtakes(cpu, gpu) is None
    assert gpu.worth == pytest.approx(1000)


@given(LINES, LINES)
def test_break_even_is_what_counting_step_by_step_finds(own: TimeLine, other: TimeLine) -> None:
    found = overtakes(own, other)
    ahead = [own.at(n) < other.at(n) for n in range(1, 1200)]
    if not ahead[-1]:
        assert found is None
    else:
        first = len(ahead) - ahead[::-1].index(False) + 1 if False in ahead else 1
        assert found == first


# Cost ------------------------------------------------------------------------------------------


def test_a_price_is_of_an_hour_and_names_its_day() -> None:
    device = Device(kind="GPU", price_per_hour=0.36, price_date="2026-05-31", currency="EUR")
    price = price_of(device)
    assert price is not None
    assert price.of(50.0) == pytest.approx(0.005)
    assert (price.currency, price.date) == ("EUR", "2026-05-31")
    assert price_of(Device(kind="GPU")) is None
    assert price_of(None) is None


@pytest.mark.parametrize("day", ["2026-02-30", "31.5.2026", "2026-5-31", "today", "20260531"])
def test_a_day_that_is_none_is_refused(day: str) -> None:
    with pytest.raises(ValidationError, match="is not a date"):
        Device(kind="GPU", price_date=day)


def test_a_bandwidth_without_a_source_is_refused() -> None:
    with pytest.raises(ValidationError, match="has no source"):
        Device(kind="GPU", memory_gbps=320.0)


# Energy ----------------------------------------------------------------------------------------


def test_joules_of_a_step_and_watts_come_from_the_windows_alone() -> None:
    energy = Energy(
        sensor="NVML", scope="GPU board", joules=600.0, window_s=4.0, steps=200, windows=2,
        update_s=0.1,
    )  # fmt: skip
    assert joules_per_step(energy) == pytest.approx(3.0)
    assert watts(energy) == pytest.approx(150.0)
    assert blur(energy) == pytest.approx(0.1)


def test_a_sensor_that_was_not_read_gives_no_number() -> None:
    energy = Energy(sensor="RAPL", scope="CPU package", absent="only root may read it")
    assert joules_per_step(energy) is None
    assert watts(energy) is None
    assert blur(energy) is None
