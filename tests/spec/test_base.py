"""Times and shares are read as people and sources write them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.spec.base import parse_duration, parse_fraction, parse_tflops


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6 s", 6.0),
        ("94 µs", 94e-6),
        ("94 μs", 94e-6),
        ("94us", 94e-6),
        ("24.1 ms", 0.0241),
        ("2.5 h", 9000.0),
        ("10m", 600.0),
        ("10 min", 600.0),
        ("7 m 12 s", 432.0),
        ("1h40min", 6000.0),
        (".5 s", 0.5),
        ("1e-3 s", 0.001),
        ("3 d", 259_200.0),
        (600, 600.0),
        (0.25, 0.25),
    ],
)
def test_a_time_is_read_to_the_nearest_float(text: object, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("6", 'has no unit after 6; write for example "6 s"'),
        ("6 parsecs", 'has the unknown unit "parsecs"'),
        ("11,164 s", "write a decimal point and no thousands separator"),
        ("12 s 7 m", "write the larger unit first, each once"),
        ("1 s 1 s", "write the larger unit first, each once"),
        ("-3 s", "is negative"),
        ("", "is empty"),
        ("soon", "is not a time"),
        ("1e999 s", "is not a finite time"),
        (math.nan, "is not a finite time"),
        (math.inf, "is not a finite time"),
        (10**400, "is not a finite time"),
        (True, "is not a finite time"),
        ([6], "is not a finite time"),
    ],
)
def test_what_is_no_time_is_refused_with_what_to_write(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        parse_duration(value)


@pytest.mark.parametrize(
    ("text", "share"),
    [("58 %", 0.58), ("84.5%", 0.845), ("0.3", 0.3), (1, 1.0), ("100 %", 1.0), ("-5 %", -0.05)],
)
def test_a_share_is_read_to_the_nearest_float(text: object, share: float) -> None:
    assert parse_fraction(text) == share


@pytest.mark.parametrize("value", ["58 percent", "", "%", True, None, math.nan, {"a": 1}])
def test_what_is_no_share_is_refused_with_what_to_write(value: object) -> None:
    with pytest.raises(ValueError, match='write a number from 0 to 1, or text such as "58 %"'):
        parse_fraction(value)


@pytest.mark.parametrize(
    ("text", "tflops"),
    [
        ("350 TFLOPS", 350.0),
        ("0.53TFLOP/s", 0.53),
        ("15.70 TFLOPs", 15.7),
        ("12 GFLOPS", 0.012),
        ("1.1 PFLOPS", 1100.0),
        ("2e9 FLOPS", 0.002),
        (158.91, 158.91),
        (29, 29.0),
    ],
)
def test_a_rate_is_read_to_the_nearest_float(text: object, tflops: float) -> None:
    assert parse_tflops(text) == tflops


@pytest.mark.parametrize("value", ["350", "350 TOPS", "-1 TFLOPS", "1,5 TFLOPS", "", True, [1]])
def test_what_is_no_rate_is_refused_with_what_to_write(value: object) -> None:
    with pytest.raises(ValueError, match='write a number of TFLOPS, or text such as "350 TFLOPS"'):
        parse_tflops(value)


def _outcome(text: str) -> float | str:
    try:
        return parse_duration(text)
    except ValueError as error:
        return str(error)


@given(st.text(max_size=20) | st.from_regex(r"[0-9.eEµmshdin, -]{1,12}", fullmatch=True))
def test_any_text_is_either_a_finite_time_or_refused_with_a_reason(text: str) -> None:
    outcome = _outcome(text)
    assert outcome != ""
    assert isinstance(outcome, str) or (math.isfinite(outcome) and outcome >= 0)
