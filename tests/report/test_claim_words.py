"""Figures as words."""

from __future__ import annotations

import pytest

from accelreport.report.claim_text import (
    duration_text,
    point_text,
    rule_text,
    span_text,
    value_text,
)
from accelreport.spec.claims import ValueCheck
from tests.support.records import study


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (94e-6, "94 µs"),
        (0.0241, "24.1 ms"),
        (3e-8, "30 ns"),
        (6.0, "6 s"),
        (102.0, "102 s"),
        (300.0, "5 min"),
        (9000.0, "2.5 h"),
    ],
)
def test_a_time_stands_in_the_unit_a_reader_would_choose(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        ("epoch_time", 6.0, "6 s"),
        ("val_accuracy", 0.9867, "98.67 %"),
        ("tflops_cold", 35.47, "35.5 TFLOPS"),
        ("throughput", 12061.6, "12,062 samples/s"),
        ("speedup", 17.0, "17×"),
        ("loss", 0.0123, "0.0123"),
    ],
)
def test_a_figure_has_its_unit(quantity: str, value: float, text: str) -> None:
    assert value_text(quantity, value) == text


def test_the_bounds_of_a_time_have_its_unit() -> None:
    check = ValueCheck(value="total_time", of="cpu", at_least=28_800, at_most=36_000)
    rule = rule_text(study(axes={}).plan, check)
    assert rule.endswith("is at least 8 h and at most 10 h")


def test_an_interval_has_its_unit_once_where_both_ends_share_it() -> None:
    assert span_text("speedup", 4.81, 5.14) == "4.81–5.14×"
    assert span_text("tflops", 0.195, 0.208) == "0.195–0.208 TFLOPS"
    assert span_text("epoch_time", 0.9, 1.1) == "900 ms–1.1 s"
    assert span_text("difference", -0.001, 0.002) == "-0.001 to 0.002"


def test_a_point_is_its_keys_and_values() -> None:
    assert point_text({"batch_size": 256, "units": 4}) == "batch_size = 256, units = 4"
