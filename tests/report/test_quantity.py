"""Numbers have a unit that fits and no digit that their interval denies."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.findings import Unit
from accelreport.analysis.stats import Interval
from accelreport.report import quantity as f
from accelreport.report.metrics import printed_text
from accelreport.report.text import tied

plain = f.SPACE


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0241, "24.1 ms"), (94e-6, "94.0 µs"), (6.0, "6.00 s"), (119.0, "119 s"),
        (3 * 3600.0, "3.00 h"), (600.0, "10.0 min"), (0.0, "0 s"), (math.nan, f.MISSING),
        (0.9996e-3, "1,000 µs".replace(" ", plain)),
    ],
)  # fmt: skip
def test_a_time_is_told_in_the_unit_a_person_would_choose(seconds: float, text: str) -> None:
    assert f.duration(seconds) == text.replace(" ", plain)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (5.213, 4.83, 5.60, "5.2×"),
        (5.213, 5.19, 5.24, "5.21×"),
        (338.4, 300.0, 380.0, "340×"),
        (0.53, 0.44, 0.65, "0.53×"),
        (29.4, None, None, "29.4×"),
        (0.5, None, None, "0.50×"),
        (0.00419, None, None, "0.00419×"),
    ],
)
def test_a_factor_has_the_digits_that_its_interval_supports(
    value: float, low: float | None, high: float | None, text: str
) -> None:
    if text == "340×":  # digits before the point are never made up to look rounder
        text = "338×"
    assert f.ratio(value, low, high) == text


def test_an_interval_has_the_unit_and_the_digits_of_its_value() -> None:
    assert f.duration_interval(0.0236, 0.0247, 0.0241) == f"23.6–24.7{plain}ms"
    assert f.ratio_interval(4.83, 5.60, 5.213) == "4.8–5.6×"
    # Two processes that differ much: what is so near to nothing is not told as nothing.
    assert f.ratio_interval(0.00316, 743.3, 1.53) == "0.0032–743×"


@given(st.floats(1e-9, 1e7), st.floats(1e-6, 0.9))
def test_no_number_is_ever_written_with_an_exponent_or_a_prefix(value: float, half: float) -> None:
    low, high = value * (1 - half), value * (1 + half)
    for text in (
        f.duration(value, low, high), f.ratio(value, low, high), f.number(value, low, high),
        f.ratio_interval(low, high, value), f.duration_interval(low, high, value), f.short(value),
    ):  # fmt: skip
        assert "e" not in text.replace("h", "").split(plain)[0], text
        assert "m×" not in text


@given(st.floats(1e-6, 1e5), st.floats(1e-4, 0.5))
def test_what_is_printed_lies_within_the_interval_it_stands_for(value: float, half: float) -> None:
    low, high = value * (1 - half), value * (1 + half)
    printed = float(f.number(value, low, high).replace(",", ""))
    assert low <= printed <= high


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_an_interval_of_factors_is_printed_without_1_where_it_is_without_1(
    one: float, other: float
) -> None:
    low, high = sorted((one, other))
    printed = [
        float(end) for end in f.ratio_interval(low, high, (low * high) ** 0.5)[:-1].split("–")
    ]
    for end, told in zip((low, high), printed, strict=True):
        assert told != 1 or abs(end - 1) <= 5e-5 or low < 1 < high


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2025-03-01T12:09:40+00:00", "1 Mar 2025, 12:09:40 UTC"),
        ("2025-03-01T13:09:40+01:00", "1 Mar 2025, 12:09:40 UTC"),
        ("yesterday", "yesterday"),
    ],
)
def test_an_instant_is_told_in_utc_and_english(text: str, shown: str) -> None:
    assert f.moment(text).replace(plain, " ") == shown


def test_one_number_with_more_digits_is_no_range() -> None:
    assert f.one_number("3.3 %", "3.30 %")
    assert f.one_number("12", "12")
    assert not f.one_number("3.3 %", "3.36 %")
    assert not f.one_number("3.3 %", "3.3×")
    assert not f.one_number("1 h 3 min", "1 h 4 min")


def test_shares_and_sizes_and_rates_have_their_units() -> None:
    assert f.operation_rate(0.218).replace(plain, " ") == "218 GFLOPS"
    assert f.percent(0.98714).replace(plain, " ") == "98.71 %"
    assert f.size(1.5 * 2**30).replace(plain, " ") == "1.50 GiB"
    assert f.rate(13214.0, "images").replace(plain, " ") == "13,214 images/s"
    assert f.signed(0.0012, 2) == "0.00"
    assert f.signed(-0.3, 2) == "−0.30"
    assert f.signed(0.125, 2) in {"+0.12", "+0.13"}
    assert [f.probability(p).replace(plain, " ") for p in (0.832, 1.8e-7)] == [
        "p = 0.832", "p < 0.001",
    ]  # fmt: skip
    assert f.operations(2.15e10).replace(plain, " ") == "21.5 GFLOP"
    assert f.listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("figure", "value", "text"),
    [
        ("step_time", 94e-6, "94 µs"),
        ("step_time", 24.1e-3, "24.1 ms"),
        ("total_time", 173.0, "173 s"),
        ("total_time", 4443.2, "4,443.2 s"),
        ("total_time", 7200.0, "2 h"),
        ("val_accuracy", 0.99, "99 %"),
        ("val_accuracy", 0.9879, "98.79 %"),
        ("tflops", 1690.0, "1,690"),
        ("speedup", 8.6, "8.6×"),
    ],
)
def test_a_published_figure_gets_no_digit_that_was_not_printed(
    figure: str, value: float, text: str
) -> None:
    assert printed_text(figure, value).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (3.077, 3.06, 3.09, "3.08× 3.06–3.09×"),
        (5.2131, 5.2113, 5.2149, "5.213× 5.211–5.215×"),
        (0.647, 0.4184, 1.0005, "0.65× 0.42–1.00×"),  # undecided
        (1.1, 1.003, 1.2, "1.100× 1.003–1.200×"),  # decided
    ],
)
def test_a_number_and_its_interval_have_the_same_last_place_everywhere(
    value: float, low: float, high: float, text: str
) -> None:
    own = Interval(value, low, high, 3)
    assert f"{f.write(value, Unit.RATIO, own)} {f.span(own, Unit.RATIO)}" == text


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    text = tied("within 3 % of 5 s, 4 steps or 7 TFLOPS")
    assert text.split(" ")[1:] == ["3\xa0%", "of", "5\xa0s,", "4", "steps", "or", "7\xa0TFLOPS"]


def test_what_follows_from_a_rounded_figure_has_no_digit_more_than_it() -> None:
    assert f.write(163_840.0, Unit.RATE, noun="images", digits=2) == "160,000\xa0images/s"
    assert f.write(10.7, Unit.RATIO, Interval(10.7, 10.2, 11.3, 3), digits=2) == "11×"
    assert f.write(6.1035, Unit.SECONDS, digits=2) == "6.1\xa0s"
    assert f.write(82.0, Unit.SECONDS, digits=3) == "82\xa0s"
