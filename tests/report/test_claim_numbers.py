"""The numbers behind a verdict can be read: with units, and many of a sweep on one line."""

from __future__ import annotations

import re
from dataclasses import replace
from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.claims import Number
from accelreport.analysis.stats import Interval
from accelreport.report.claim_text import (
    MOST_TOLD,
    foremost,
    number_lines,
    point_text,
    rule_text,
)
from accelreport.spec.claims import BoundCheck, Names
from tests.support.records import study


def number(value: float, *span: float, quantity: str = "step_time", **point: Any) -> Number:
    low, high = span or (nan, nan)
    interval = Interval(value, low, high, 3 if span else 1)
    device = str(point.pop("device", ""))
    return Number(quantity, interval, point, device)


def lines(*evidence: Number) -> list[str]:
    made = number_lines(evidence, Names(axis=lambda name: name.replace("_", " ")))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in made]


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        ("steady_step_time", "250 ms (230–270 ms, n = 3)"),
        ("ratio", "0.25× (0.23–0.27×, n = 3)"),
        ("speedup", "0.25× (0.23–0.27×, n = 3)"),
        ("tflops", "0.25 TFLOPS (0.23–0.27 TFLOPS, n = 3)"),
        ("throughput", "0.25 examples/s (0.23–0.27 examples/s, n = 3)"),
        ("val_accuracy", "25 % (23–27 %, n = 3)"),
        ("energy_per_example", "0.25 J (0.23–0.27 J, n = 3)"),
    ],
)
def test_a_number_has_the_unit_of_what_was_measured(quantity: str, text: str) -> None:
    assert lines(number(0.25, 0.23, 0.27, quantity=quantity)) == [text]


@pytest.mark.parametrize(
    ("quantity", "of_one", "text"),
    [
        ("ratio", 1.03, "0.892× (0.774–1.027×, n = 3)"),
        ("val_accuracy", 0.0103, "0.892 % (0.774–1.027 %, n = 3)"),
        ("total_time", 60 * 1.03, "53.5 s (46.4–61.6 s, n = 3)"),
    ],
)
def test_no_end_is_written_as_the_limit_that_it_misses(
    quantity: str, of_one: float, text: str
) -> None:
    scale = of_one / 1.03
    near = number(0.892 * scale, 0.774 * scale, 1.0266 * scale, quantity=quantity)
    assert lines(replace(near, limits=(of_one,))) == [text]


def test_a_limit_within_an_interval_asks_for_no_more_digits() -> None:
    near = number(1.0418, 0.9447, 1.1489, quantity="ratio")
    assert lines(replace(near, limits=(1.05,))) == lines(near) == ["1.0× (0.9–1.1×, n = 3)"]


def test_a_difference_that_may_be_negative_says_so() -> None:
    assert lines(number(0.001, -0.02, 0.022, quantity="difference", device="gpu")) == [
        "gpu: 0.001 (−0.020 to 0.022, n = 3)"
    ]


def test_of_a_whole_grid_the_ends_are_told_and_the_others_counted() -> None:
    grid = [
        number(0.001 * size - 0.02, quantity="difference", device=device, units=size, layers=layers)
        for size in (32, 16, 8, 24)
        for layers in (1, 2, 3, 4)
        for device in ("gpu", "tpu")
    ]
    assert lines(*grid) == [
        "gpu, units 8, layers 1: −0.0120 (one process)",
        "tpu, units 32, layers 4: 0.0120 (one process)",
        "30 others lie between them; the file of this table has each",
    ]


def test_where_not_all_are_shown_those_come_first_that_leave_a_bound_open() -> None:
    ends = ((0.2, 0.4), (-0.9, 0.3), (0.5, 1.2))
    few = tuple(replace(number(high, low, high), limits=(-1.0, 1.0)) for low, high in ends)
    assert foremost(few, 2) == few[::-1]
    assert foremost(few, 3) == few


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=MOST_TOLD))
def test_no_number_is_left_out_however_they_are_joined(
    points: list[tuple[str, bool]],
) -> None:
    evidence = [
        number(30.0 + i, *((29.0 + i, 31.0 + i) if known else ()), axis=held, size=i)
        for i, (held, known) in enumerate(points)
    ]
    said = " ".join(lines(*evidence))
    assert all(re.search(rf"\b{30 + i}(\.0)? s", said) for i in range(len(points)))
    assert said.count("–") == sum(known for _, known in points)


def test_a_rule_has_the_unit_of_its_numbers_and_a_point_its_keys() -> None:
    bounds = ("total_time", 28_800, "8 h"), ("quantised_speedup", 1.03, "1.03×")
    for quantity, least, text in bounds:
        check = BoundCheck.model_validate({"value": quantity, "of": "cpu", "at_least": least})
        rule = rule_text(study(axes={}).plan, check).replace("\N{NO-BREAK SPACE}", " ")
        assert rule.endswith(f"is at least {text}")
    assert point_text({"batch_size": 256, "units": 4}) == "batch_size = 256, units = 4"
