"""Break-even steps, prices and joules: against brute force and counts by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accelreport.analysis.compute import blur, joules_per_step, watts
from accelreport.analysis.cost import TimeLine, overtakes, price_of
from accelreport.results.record import Energy
from accelreport.spec.device import Device

# Whole numbers: a line of them is exact in floating point, and so is brute force.
LINES = st.builds(TimeLine, st.integers(0, 500).map(float), st.integers(1, 40).map(float))


# Break-even ------------------------------------------------------------------------------------


def test_a_slower_start_pays_off_once_its_steps_have_saved_as_much() -> None:
    gpu, cpu = TimeLine(10.0, 0.01), TimeLine(2.0, 0.05)
    assert gpu.at(1) == 10.0, "a start-up ends with the first step"
    assert overtakes(gpu, cpu) == 202
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
