"""The test that tells a quantised model's accuracy from its float32 twin's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.learning import Change, difference, mcnemar, quantised_results
from accelreport.results.record import Precision, Quantised, Record
from tests.support.records import study


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    # Binomial(n, ½) summed by hand: 2 · (1 + 6)/64, 2 · 1/32, and both sides at once.
    [(5, 1, 14 / 64), (5, 0, 2 / 32), (0, 5, 2 / 32), (3, 3, 1.0), (0, 0, 1.0), (1, 0, 1.0)],
)
def test_mcnemar_is_the_fair_coin_over_the_examples_on_which_both_disagree(
    only_first: int, only_second: int, p: float
) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 2000))
def test_interval_and_test_do_not_depend_on_which_model_is_named_first(
    first: int, second: int, rest: int
) -> None:
    examples = first + second + rest
    seen, low, high = difference(first, second, examples)
    mirrored, other_low, other_high = difference(second, first, examples)
    assert seen == -mirrored
    assert (low, high) == pytest.approx((-other_high, -other_low))
    assert -1 <= low <= high <= 1
    assert mcnemar(first, second) == mcnemar(second, first)


def test_the_interval_is_that_of_the_formula() -> None:
    # p = 8/23, q = 2/23: q − p = −.26087, √((10/23 − .06805)/23) = .12627, times 1.95996.
    seen, low, high = difference(7, 1, 21)
    assert seen == pytest.approx(-6 / 21)
    assert (low, high) == pytest.approx((-0.50836, -0.01338), abs=1e-4)


def record() -> Record:
    return study(repeats=1, devices=("cpu",), axes={"batch_size": [64]}).records[0]


def quantised(float32_only: int, int8_only: int) -> Quantised:
    def run(size: int, seconds: float) -> Precision:
        return Precision(bytes=size, latency_s=[seconds] * 3, batch=100, throughput=1.0)

    return Quantised(
        method="test",
        calibration_examples=10,
        threads=1,
        float32=run(4000, 3e-5),
        int8=run(1000, 1e-5),
        examples=1000,
        both_right=900,
        float32_only=float32_only,
        int8_only=int8_only,
        neither=100 - float32_only - int8_only,
    )


@pytest.mark.parametrize(
    ("float32_only", "int8_only", "verdict"),
    [(20, 2, Change.WORSE), (2, 20, Change.BETTER), (12, 8, Change.NOT_SHOWN)],
)
def test_a_difference_is_claimed_only_where_the_coin_would_hardly_do_it(
    float32_only: int, int8_only: int, verdict: Change
) -> None:
    found = record().model_copy(update={"quantised": quantised(float32_only, int8_only)})
    (row,) = quantised_results([found, record()])  # a record without such a model has none
    assert row.change is verdict
    assert row.size_share == 1 / 4
    assert row.latency_ratio == pytest.approx(3)
    assert row.float32_accuracy - row.int8_accuracy == pytest.approx(-row.difference)
