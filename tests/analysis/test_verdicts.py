"""What an interval allows to be said."""

from __future__ import annotations

from math import log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.stats import MARGIN, Interval, Verdict, processes_needed, verdict

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
    assert needed[0] == 2


def test_equal_devices_need_enough_processes_to_be_called_the_same() -> None:
    needed = processes_needed(0.0, 0.02)
    assert needed is not None
    # (t 97.5 % + t 80 %) · 0.02/√n < ln 1.03
    assert 4 <= needed <= 8


def test_what_no_number_of_processes_decides_asks_for_none() -> None:
    assert processes_needed(log(1 + MARGIN) / 2, 10.0) is None
    assert processes_needed(nan, 0.1) is None
    assert processes_needed(0.1, nan) is None
