"""Intervals from a handful of processes.

What an interval allows to be said.
"""

from __future__ import annotations

from math import exp, inf, isnan, log, nan, sqrt
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from accelreport.analysis.stats import (
    MARGIN,
    NOTHING,
    Contrast,
    Interval,
    Sample,
    Verdict,
    compare,
    geometric_mean,
    known_spread,
    logarithms,
    percentile,
    processes_needed,
    verdict,
    welch,
)

TIMES = st.floats(1e-6, 1e4)
SAMPLES = st.lists(TIMES, min_size=2, max_size=10)


def ratio(numerator: Sample, denominator: Sample) -> Interval:
    """Geometric mean of `numerator` over that of `denominator`."""
    above, below = logarithms(numerator), logarithms(denominator)
    return compare((1.0, above), (-1.0, below)).ratio() if above and below else NOTHING


def _by_repeat(values: list[float]) -> dict[int, float]:
    return dict(enumerate(values))


def test_paired_processes_give_students_t_on_the_logarithm_of_the_ratio() -> None:
    slow, fast = [2.0, 2.2, 2.1, 2.4], [1.0, 1.15, 1.02, 1.1]
    found = ratio(_by_repeat(slow), _by_repeat(fast))
    logs = np.log(slow) - np.log(fast)
    expected = stats.t.interval(0.95, 3, logs.mean(), logs.std(ddof=1) / sqrt(4))
    assert found.low == pytest.approx(exp(expected[0]))
    assert found.high == pytest.approx(exp(expected[1]))
    assert found.n == 4


def test_unpaired_processes_give_welchs_t() -> None:
    first, second = [0.1, 0.3, 0.2, 0.25], [0.0, 0.02, 0.01, 0.03]
    found = welch((1.0, first), (-1.0, second)).linear()
    expected = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)


def test_welchs_degrees_of_freedom_are_bounded_by_the_smallest_group() -> None:
    quiet, noisy = [0.0, 1e-6], [float(x) for x in np.linspace(0, 1, 10)]
    assert welch((1.0, quiet), (-1.0, noisy)).df == 2.0


@given(st.lists(st.tuples(TIMES, TIMES), min_size=2, max_size=10))
def test_the_inverse_ratio_has_the_inverse_interval(pairs: list[tuple[float, float]]) -> None:
    one, other = _by_repeat([a for a, _ in pairs]), _by_repeat([b for _, b in pairs])
    forth, back = ratio(one, other), ratio(other, one)
    assume(forth.low > 0 and forth.high < inf)
    assert forth.value * back.value == pytest.approx(1)
    assert forth.low * back.high == pytest.approx(1)
    assert forth.high * back.low == pytest.approx(1)


@given(SAMPLES, SAMPLES)
def test_processes_of_different_machines_are_not_paired(
    one: list[float], other: list[float]
) -> None:
    here = {("here", key): value for key, value in _by_repeat(one).items()}
    there = {("there", key): value for key, value in _by_repeat(other).items()}
    assert not compare((1.0, here), (-1.0, there)).paired


@given(SAMPLES)
def test_a_sample_is_as_fast_as_itself(values: list[float]) -> None:
    found = ratio(_by_repeat(values), _by_repeat(values))
    assert found.value == 1
    assert (found.low, found.high) == (1, 1) or (len(values) == 2 and found.two == (1, 1))


@given(SAMPLES, SAMPLES, st.randoms())
def test_the_order_of_processes_changes_nothing(
    one: list[float], other: list[float], random: object
) -> None:
    first, second = _by_repeat(one), _by_repeat(other)
    shuffled = list(first.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    there, here = ratio(dict(shuffled), second), ratio(first, second)
    assert (there.value, there.ends, there.n, there.two) == (
        here.value, here.ends, here.n, here.two
    )  # fmt: skip


def test_incomplete_repeats_are_left_out_when_three_are_complete() -> None:
    one = {0: 0.1, 1: 0.2, 2: 0.3, 3: 9.0}
    other = {0: 0.0, 1: 0.1, 2: 0.2, 4: -9.0}
    found = compare((1.0, one), (-1.0, other))
    assert found.paired
    assert found.n == 3
    assert found.value == pytest.approx(0.1)


def test_without_enough_complete_repeats_nothing_is_paired() -> None:
    found = compare((1.0, {0: 0.1, 1: 0.2, 2: 0.3}), (-1.0, {2: 0.1, 3: 0.2, 4: 0.3}))
    assert not found.paired
    assert found.n == 3


def test_one_process_gives_a_value_and_no_interval() -> None:
    found = ratio({0: 2.0}, {0: 1.0, 1: 1.1, 2: 1.2})
    assert found.value == pytest.approx(2.0 / (1.0 * 1.1 * 1.2) ** (1 / 3))
    assert not found.known
    assert isnan(geometric_mean([3.0]).low)
    assert geometric_mean([3.0]).value == pytest.approx(3.0)


def test_two_processes_give_both_values_and_no_interval_so_that_they_decide_nothing() -> None:
    found = ratio({0: 2.0, 1: 1.0}, {0: 1.0, 1: 1.0})
    assert not found.known
    assert found.two == pytest.approx((1.0, 2.0))
    assert found.value == pytest.approx(2**0.5)
    assert verdict(found) is Verdict.UNDECIDED
    assert geometric_mean([1.0, 4.0]).two == pytest.approx((1.0, 4.0))
    assert ratio(dict.fromkeys(range(3), 2.0), dict.fromkeys(range(3), 1.0)).two == ()


def test_processes_that_disagree_wildly_have_an_endless_interval_and_no_error() -> None:
    found = ratio({0: 1e-300, 1: 1e-300, 2: 1e300}, dict.fromkeys(range(3), 1.0))
    assert found.high == inf
    assert found.low == 0


def _point(device: list[float], baseline: list[float]) -> tuple[Contrast, Sample, Sample]:
    one, other = _by_repeat(device), _by_repeat(baseline)
    return compare((1.0, logarithms(other)), (-1.0, logarithms(one))), one, other


FAST = _point([1.0, 1.01, 1.02], [2.0, 2.02, 2.0])
"""Nothing in these three repeats tells of a slow mode."""

MODES = _point([1.0, 1.02, 1.6], [2.0, 2.01, 2.02])
"""One process in three is slow."""

VARIES = _point([1.0, 1.25, 1.5], [2.0, 2.01, 2.02])
"""Varies much, and has no modes."""


def test_nothing_is_known_of_the_spread_of_a_device_that_never_was_slow() -> None:
    assert known_spread([FAST, FAST]) == 0.0
    assert known_spread([FAST, VARIES]) == 0.0
    assert known_spread([]) == 0.0
    assert known_spread([_point([1.0], [2.0])]) == 0.0


def test_a_mode_at_one_point_is_known_at_all_of_them() -> None:
    spreads = [each[0].spread for each in (FAST, MODES)]
    pooled = sqrt(fmean([spread * spread for spread in spreads]))
    assert known_spread([FAST, MODES]) == pytest.approx(pooled)
    one, other = FAST[1:]
    terms = (1.0, logarithms(other)), (-1.0, logarithms(one))
    plain, wider = compare(*terms).ratio(), compare(*terms, spread=pooled).ratio()
    assert (wider.value, wider.n) == (plain.value, plain.n)
    assert log(wider.high / wider.low) == pytest.approx(
        log(plain.high / plain.low) * pooled / spreads[0]
    )


@given(st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=6), st.floats(0, 10), st.booleans())
def test_what_is_known_never_makes_an_interval_narrower(
    pairs: list[tuple[float, float]], spread: float, together: bool
) -> None:
    one = _by_repeat([a for a, _ in pairs])
    other = {
        key if together else key + 100: b for key, b in _by_repeat([b for _, b in pairs]).items()
    }
    terms = (1.0, logarithms(one)), (-1.0, logarithms(other))
    plain, known = compare(*terms), compare(*terms, spread=spread)
    assert known.value == plain.value
    if isnan(plain.error):
        assert isnan(known.error)
    else:
        assert known.n < 3 or known.half_width() >= plain.half_width()
        assert known.spread >= spread * (1 - 1e-12)


@given(st.lists(st.lists(st.tuples(TIMES, TIMES), min_size=2, max_size=5), max_size=4))
def test_what_is_known_lies_among_what_the_points_show(
    points: list[list[tuple[float, float]]],
) -> None:
    made = [_point([a for a, _ in pairs], [b for _, b in pairs]) for pairs in points]
    spreads = [each[0].spread for each in made]
    found = known_spread(made)
    assert found == 0 or min(spreads) * (1 - 1e-9) <= found <= max(spreads) * (1 + 1e-9)


INVERSE = {
    Verdict.FASTER: Verdict.SLOWER,
    Verdict.SLOWER: Verdict.FASTER,
    Verdict.SAME: Verdict.SAME,
    Verdict.UNDECIDED: Verdict.UNDECIDED,
}


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (1.2, 1.5, Verdict.FASTER),
        (0.5, 0.8, Verdict.SLOWER),
        (0.99, 1.02, Verdict.SAME),
        (1.005, 1.02, Verdict.SAME),
        (0.9, 1.2, Verdict.UNDECIDED),
        (0.99, 1.2, Verdict.UNDECIDED),
        (1.01, 1.2, Verdict.FASTER),
        (nan, nan, Verdict.UNDECIDED),
    ],
)
def test_the_verdict_follows_from_the_interval(low: float, high: float, said: Verdict) -> None:
    assert verdict(Interval(1.0, low, high, 3)) is said


@given(st.floats(-2, 2), st.floats(0.001, 1))
def test_the_other_way_round_the_verdict_is_the_opposite(middle: float, half: float) -> None:
    low, high = 2 ** (middle - half), 2 ** (middle + half)
    forth = verdict(Interval(1.0, low, high, 3))
    back = verdict(Interval(1.0, 1 / high, 1 / low, 3))
    assert back is INVERSE[forth]


def test_a_wider_margin_calls_more_the_same() -> None:
    interval = Interval(1.05, 1.04, 1.06, 5)
    assert verdict(interval) is Verdict.FASTER
    assert verdict(interval, margin=0.1) is Verdict.SAME


def test_a_smaller_difference_needs_more_processes() -> None:
    needed = [processes_needed(log(speedup), 0.05) for speedup in (2.0, 1.2, 1.1, 1.05)]
    assert None not in needed
    assert needed == sorted(needed)  # type: ignore[type-var]
    assert needed[0] == 3


def test_equal_devices_need_enough_processes_to_be_called_the_same() -> None:
    needed = processes_needed(0.0, 0.02)
    assert needed is not None
    # (t 97.5 % + t 80 %) · 0.02/√n < ln 1.03
    assert 4 <= needed <= 8


def test_what_no_number_of_processes_decides_asks_for_none() -> None:
    assert processes_needed(log(1 + MARGIN) / 2, 10.0) is None
    assert processes_needed(nan, 0.1) is None
    assert processes_needed(0.1, nan) is None


@given(
    values=st.lists(st.floats(1e-6, 1e3), max_size=250), share=st.sampled_from([0.01, 0.95, 0.99])
)
def test_a_percentile_stands_only_where_at_least_one_value_is_expected_beyond_it(
    values: list[float], share: float
) -> None:
    found = percentile(values, share)
    assert (found is None) == (len(values) < {0.01: 100, 0.95: 20, 0.99: 100}[share])
    assert found is None or min(values) <= found <= max(values)


def test_the_longest_of_a_few_calls_is_no_99th_percentile() -> None:
    assert percentile([1.0] * 98 + [9.0], 0.99) is None
    assert percentile([1.0] * 99 + [9.0], 0.99) == pytest.approx(1.08)
    assert percentile([1.0, 9.0], 1) == 9.0
