"""What a start-up takes."""

from __future__ import annotations

from statistics import mean

import pytest

from accelreport.analysis.cost import STAGES, start_of
from accelreport.analysis.results import Result, results_of
from tests.support.records import study


def total(row: Result) -> float:
    return sum(read(row) for _, readers in STAGES for read in readers)


@pytest.mark.parametrize(("repeats", "middle"), [(3, slice(1, 2)), (4, slice(1, 3))])
def test_a_start_up_is_that_of_the_median_process(repeats: int, middle: slice) -> None:
    made = study(devices=("cpu",), axes={}, repeats=repeats)
    rows = results_of(made.plan, made.records)
    totals = sorted(map(total, rows))
    assert len(set(totals)) == repeats
    start = start_of(rows, 1.0)
    assert start
    assert start.total == pytest.approx(mean(totals[middle]))
