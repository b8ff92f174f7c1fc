"""Rates over one base: what may stand in a row of the front page's picture, and what may not."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import Any

import pytest

from accelreport.analysis.overview import RateRow, common_base, published_rates, rate_rows
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.spec.models import Published
from tests.support.records import Study, study

OTHER = "ffffffff"


def rows_of(made: Study, place: tuple[str, str] | None = None) -> tuple[RateRow, ...]:
    results = results_of(made.plan, made.records)
    return rate_rows(made.plan, results, speedups_of(made.plan, results), place)


def only_row(*published: Published, **of_study: Any) -> RateRow:
    options = {"devices": ("cpu", "gpu"), "axes": {}} | of_study
    (row,) = rows_of(study(published=published, **options))
    return row


def printed(device: str = "tpu", label: str = "Colab TPU", **figures: Any) -> Published:
    return Published.model_validate({"device": device, "label": label} | figures)


def test_a_published_rate_is_divided_by_the_base_and_not_by_its_own_device() -> None:
    base = only_row().base.seconds().value
    row = only_row(printed(step_time=base / 4), printed("gpu", "A GPU", step_time=base / 2))
    assert {each.result.row.device: each.factor for each in row.printed} == pytest.approx(
        {"gpu": 2.0, "tpu": 4.0}
    )


def test_a_rate_of_a_time_with_validation_is_over_no_rate_without_one() -> None:
    base = only_row(origin="official").base.seconds().value
    row = only_row(printed(step_time=base / 4, includes="validation"), origin="official")
    (mark,) = row.printed
    assert mark.rate == pytest.approx(4 * 256 / base), "the rate itself is as printed"
    assert isnan(mark.factor)


def test_one_measurement_told_as_epoch_step_and_sample_is_one_mark() -> None:
    base = only_row().base.seconds().value
    step = round(base / 4, 4)
    row = only_row(
        printed(label="Colab TPU", epoch_time=round(60 * step, 1)),
        printed(label="Colab TPU (converted)", step_time=step, sample_time=round(step / 256, 7)),
    )
    (mark,) = row.printed
    assert mark.factor == pytest.approx(4, rel=0.02)


def test_the_time_of_a_sample_is_the_rate_and_not_a_step_that_was_worked_out_of_it() -> None:
    row = only_row(printed(mark="D", sample_time=94e-6, step_time=24.1e-3))
    (mark,) = row.printed
    assert mark.rate == pytest.approx(1 / 94e-6), "the step has more digits, and they are rounded"


def test_of_step_and_epoch_the_one_of_more_digits_is_the_rate_as_on_the_benchmark_s_own_page() -> (
    None
):
    row = printed(step_time=4.0, epoch_time=264.0)
    (mark,) = only_row(row).printed
    (own,) = published_rates(study(published=(row,), axes={}).plan)
    assert mark.result.figure == own.figure == "epoch_time"
    assert mark.rate == own.rate


def test_a_printed_throughput_is_a_rate_like_the_time_of_a_sample() -> None:
    time = only_row().base.seconds().value / 256
    (mark,) = only_row(printed(throughput=4 / time)).printed
    (same,) = only_row(printed(sample_time=time / 4)).printed
    assert mark.factor == pytest.approx(same.factor) == pytest.approx(4)
    plans = [
        study(published=(row,)).plan for row in (printed(throughput=5.0), printed(sample_time=0.2))
    ]
    rates = [(each.rate, each.where) for plan in plans for each in published_rates(plan)]
    assert rates == [(5.0, {}), (5.0, {})]


def test_two_measurements_of_one_device_stay_two() -> None:
    base = only_row().base.seconds().value
    row = only_row(
        printed(label="TPU (one notebook)", step_time=base / 4),
        printed(label="TPU (another notebook)", step_time=base / 9),
    )
    assert sorted(each.factor for each in row.printed) == pytest.approx([4, 9])


def test_what_contradicts_itself_or_was_made_otherwise_is_not_in_a_row() -> None:
    base = only_row().base.seconds().value
    flagged = printed(label="A step that is a sample", step_time=4e-4, epoch_time=6.0)
    unlike = printed(
        "gpu", "Another batch", step_time=base, comparable=False, note="batch is per core"
    )
    row = only_row(flagged, unlike)
    assert [each.result.figure for each in row.printed] == ["epoch_time"]


def test_of_a_profile_that_changes_the_step_nothing_published_is_divided() -> None:
    made = study(devices=("cpu",), axes={}, published=(printed(step_time=0.01),), profile="quick")
    text = made.plan.text + (
        '[workload]\nbatch_size = 512\n[profiles.quick]\n"workload.batch_size" = 256\n'
    )
    (row,) = rows_of(replace(made, plan=made.plan.model_copy(update={"text": text})))
    assert row.printed == ()


def test_a_rate_beyond_the_peak_of_its_chip_is_kept_as_such() -> None:
    made = study(
        "matmul", devices=("cpu", "gpu"), axes={},
        published=(printed("gpu", "Tesla K80", tflops=15.7), printed("gpu", "Tesla T4", tflops=4)),
    )  # fmt: skip
    (row,) = rows_of(made)
    assert {each.result.row.label: each.beyond_peak for each in row.printed} == {
        "Tesla K80": True,
        "Tesla T4": False,
    }


def test_devices_of_every_machine_stand_over_one_base() -> None:
    one = study("matmul", spec="k", devices=("cpu", "gpu"), axes={})
    slow = study(
        "matmul", spec="k", devices=("cpu", "gpu"), axes={}, machine=OTHER, seed=7,
        factors={"cpu": 4.0},
    )  # fmt: skip
    both = replace(one, records=one.records + slow.records)
    results = results_of(both.plan, both.records)
    place = common_base([(both.plan, results)])
    assert place is not None
    (row,) = rows_of(both, place)
    assert (row.base.device, row.base.machine) == place
    assert len(row.measured) == 3
    own = row.base.seconds().value
    for each in row.measured:
        assert each.base
        assert (each.base.device, each.base.machine) == place
        assert each.interval.value == pytest.approx(own / each.own.seconds().value)


def test_a_withheld_comparison_has_no_mark() -> None:
    made = study(devices=("cpu", "gpu"), axes={})
    devices = {
        name: each.model_copy(update={"precision": "mixed_float16"}) if name == "gpu" else each
        for name, each in made.plan.devices.items()
    }
    plan = made.plan.model_copy(update={"devices": devices})
    (row,) = rows_of(replace(made, plan=plan))
    assert row.measured == ()
