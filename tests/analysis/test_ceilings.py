"""Nothing is faster than its ceiling: what others published, what was measured, what is counted."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.ceilings import (
    FAST_CONVOLUTION,
    ON_CHIP,
    Limit,
    StepWork,
    ceiling,
    known_limits,
    limits_named,
    public_rates,
)

RATES = [row for source in public_rates() for row in source.rows]
SIZES = st.floats(1.0, 1e15)


def test_no_throughput_that_others_published_is_above_its_ceiling() -> None:
    assert len(RATES) >= 20
    assert len({row.hardware for row in RATES}) >= 4
    assert all(source.address.startswith("https://") for source in public_rates())
    assert all(row.counted for row in RATES)
    shares = {(row.hardware, row.model, row.batch_size, row.dtype): row.share for row in RATES}
    assert len(shares) == len(RATES)
    assert all(0 < share <= 1 for share in shares.values())
    assert 0.05 < median(shares.values()) < 0.2


def test_counted_operations_alone_would_be_no_ceiling_where_convolutions_are_fast() -> None:
    """Winograd's algorithms do fewer: a published VGG-16 did more than a P100's peak as counted."""
    beyond = [row for row in RATES if row.share_of_peak > 1]
    assert {(row.hardware, row.model) for row in beyond} == {("Tesla P100 SXM2", "VGG-16")}
    assert all(row.convolutional for row in beyond)
    assert max(row.share_of_peak for row in beyond) == pytest.approx(1.35, abs=0.01)


@given(SIZES, st.floats(0, 1), SIZES, SIZES)
def test_a_ceiling_is_the_slower_of_arithmetic_and_memory(
    operations: float, part: float, batch: float, state: float
) -> None:
    work = StepWork(operations, part * operations, batch, state)
    for limits in known_limits("float32"):
        found = ceiling(work, limits)
        least = work.least_operations / limits.peak.tflops / 1e12
        assert operations / FAST_CONVOLUTION <= work.least_operations * (1 + 1e-9)
        assert found.seconds >= least * (1 - 1e-9)
        if found.limit is Limit.MEMORY:
            assert limits.bandwidth is not None
            moved = work.compulsory_bytes(limits.kind)
            assert found.seconds == pytest.approx(moved / limits.bandwidth.gbps / 1e9)
        assert ceiling(work.times(2), limits).seconds >= found.seconds * (1 - 1e-9)


def test_what_fits_on_the_chip_need_not_cross_the_memory() -> None:
    small = StepWork(1e9, 0.0, batch_bytes=1e6, state_bytes=1e7)
    large = StepWork(1e9, 0.0, batch_bytes=1e6, state_bytes=ON_CHIP["GPU"] + 1e9)
    assert small.compulsory_bytes("GPU") == 1e6
    assert large.compulsory_bytes("GPU") == pytest.approx(1e6 + 2e9)


def test_hardware_is_found_by_the_name_that_its_maker_or_a_label_gives_it() -> None:
    board = limits_named("Colab TPU v2-8", "float32")
    assert board is not None
    assert (board.kind, board.peak.tflops) == ("TPU", 180)
    assert limits_named("some abacus", "float32") is None
    for each in known_limits("float32"):
        again = limits_named(each.name, "float32")
        assert again is not None
        assert again.peak.tflops == each.peak.tflops
