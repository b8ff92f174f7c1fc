"""Records as frames."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from accelreport.report.frames import (
    CURVE_COLUMNS,
    IDENTITY,
    MEMORY,
    STAGES,
    STEP_COLUMNS,
    TEXTS,
    TIMINGS,
    curve_frame,
    steps_frame,
)
from accelreport.results.record import Record
from tests.support.records import Study, assorted, study
from tests.support.rows import cells_frame, the_row


def _frame(made: Study) -> pd.DataFrame:
    return cells_frame(made.plan, made.records)


def test_every_planned_cell_is_a_row_whatever_became_of_it() -> None:
    made = study(fate=assorted, devices=("cpu", "cpu-1", "gpu", "tpu"))
    frame = _frame(made)
    assert len(frame) == len(made.plan.cells)
    assert set(frame["status"]) == {"ok", "partial", "failed", "skipped", "missing"}
    assert list(frame["key"]) == [cell.key for cell in made.plan.cells]


def test_the_columns_are_the_same_whether_anything_was_measured_or_not() -> None:
    made = study()
    empty = cells_frame(made.plan, ())
    fixed = [*IDENTITY, "batch_size", *TEXTS, "warnings", "total_extrapolated"]
    fixed += [*TIMINGS, *STAGES, *MEMORY]
    assert list(empty.columns) == fixed
    assert list(_frame(made).columns) == [*fixed, "accuracy", "loss", "val_accuracy", "val_loss"]
    numbers = [*TIMINGS, *STAGES, *MEMORY]
    assert {str(dtype) for dtype in empty[numbers].dtypes} == {"float64"}


def test_the_steady_step_time_leaves_out_exactly_the_warm_up() -> None:
    made = study(repeats=1)
    record = made.records[0]
    blocks = [block for block in record.blocks if not block.warmup]
    row = the_row(_frame(made), key=record.key)
    seconds = sum(block.wall_s for block in blocks)
    steps = sum(block.steps for block in blocks)
    assert row["steady_step_s"] == pytest.approx(seconds / steps)
    assert row["steady_steps"] == steps
    assert row["window_s"] == pytest.approx(seconds)
    assert row["throughput"] == pytest.approx(record.samples_per_step * steps / seconds)
    assert row["cpu_per_wall"] == pytest.approx(1.8)


def test_epochs_after_the_first_make_the_epoch_time() -> None:
    made = study(repeats=1, epochs=4)
    record = made.records[0]
    row = the_row(_frame(made), key=record.key)
    later = [epoch.train_s for epoch in record.epochs[1:]]
    assert row["first_epoch_s"] == record.epochs[0].train_s
    assert row["epoch_s"] == pytest.approx(sum(later) / 3)
    assert pd.isna(_frame(study(repeats=1, epochs=1))["epoch_s"]).all()


def test_an_incomplete_epoch_is_no_epoch() -> None:
    made = study(repeats=1, epochs=3)
    record = made.records[0]
    cut = record.epochs[2].model_copy(update={"steps": 7, "train_s": 0.1})
    short = record.model_copy(update={"status": "partial", "epochs": [*record.epochs[:2], cut]})
    row = the_row(cells_frame(made.plan, [short]), key=record.key)
    assert row["epoch_s"] == record.epochs[1].train_s


def test_a_run_that_the_budget_ended_has_an_extrapolated_total() -> None:
    made = study(repeats=1, epochs=4, fate=lambda _: "partial")
    record = made.records[0]
    row = the_row(_frame(made), key=record.key)
    done = sum(block.steps for block in record.blocks)
    assert record.times.train_s is not None
    expected = record.times.train_s + (record.planned_steps - done) * row["steady_step_s"]
    assert row["total_extrapolated"]
    assert row["total_s"] == pytest.approx(expected)


def test_a_complete_run_has_the_total_it_took() -> None:
    made = study(repeats=1)
    row = the_row(_frame(made), key=made.records[0].key)
    assert row["total_s"] == made.records[0].times.train_s
    assert not row["total_extrapolated"]


def test_a_failed_cell_has_its_reason_and_no_time() -> None:
    made = study(repeats=1, devices=("cpu", "gpu"), fate=lambda cell: "oom-device")
    frame = _frame(made)
    assert set(frame["failure_kind"]) == {"oom-device"}
    assert (frame["failure_remedy"] == "Use a smaller batch.").all()
    assert frame[list(TIMINGS)].isna().all(axis=None)


def test_a_kernel_has_the_rates_of_its_cold_and_of_its_warm_calls() -> None:
    made = study("matmul", repeats=1, devices=("cpu",), axes={"size": (512,)})
    record = made.records[0]
    row = the_row(_frame(made))
    assert record.flops is not None
    assert record.times.first_step_s is not None
    warm = [block for block in record.blocks if not block.warmup]
    rate = record.flops.per_step * 100 * len(warm) / sum(block.wall_s for block in warm)
    assert row["tflops"] == pytest.approx(rate / 1e12)
    cold = record.flops.per_step * 100 / record.times.first_step_s
    assert row["tflops_cold"] == pytest.approx(cold / 1e12)
    assert pd.isna(row["throughput"])


def test_utilisation_is_of_the_peak_that_the_devices_file_cites() -> None:
    frame = _frame(study("matmul", repeats=1, devices=("cpu", "cpu-1"), axes={}))
    cpu = the_row(frame, device="cpu")
    assert cpu["peak_tflops"] == 0.234
    assert cpu["mfu"] == pytest.approx(cpu["tflops"] / 0.234)
    assert pd.isna(the_row(frame, device="cpu-1")["mfu"])


def test_a_cell_measured_on_two_machines_is_two_rows() -> None:
    here, there = study(machine="aaaaaaaa"), study(machine="bbbbbbbb", seed=1)
    frame = cells_frame(here.plan, [*there.records, *here.records])
    assert len(frame) == 2 * len(here.plan.cells)
    assert list(frame["machine"][:2]) == ["aaaaaaaa", "bbbbbbbb"]


def test_a_metric_cannot_take_the_place_of_a_column() -> None:
    made = study(repeats=1, devices=("cpu",), axes={})
    hostile = made.records[0].model_copy(update={"final": {"steady_step_s": 0.0, "f1": 0.5}})
    row = the_row(cells_frame(made.plan, [hostile]))
    assert row["steady_step_s"] > 0
    assert row["f1"] == 0.5


def test_what_the_process_said_stands_before_what_its_timings_say() -> None:
    made = study(repeats=1, devices=("cpu",), axes={})
    record = made.records[0]
    loaded = [block.model_copy(update={"other_cpu_s": block.wall_s}) for block in record.blocks]
    frame = cells_frame(made.plan, [record.model_copy(update={"blocks": loaded})])
    assert [kind for kind, _ in frame["warnings"][0]][:2] == ["data-synthetic", "loaded-machine"]


def test_every_stamped_step_is_a_row() -> None:
    made = study(repeats=1, devices=("cpu",), axes={})
    record = made.records[0]
    frame = steps_frame([record])
    assert tuple(frame.columns) == STEP_COLUMNS
    stamps = sum(len(block.step_s) for block in record.blocks)
    single = sum(1 for block in record.blocks if block.steps == 1)
    assert len(frame) == stamps + single
    assert frame["exact"].all()
    assert frame["step"].is_monotonic_increasing
    assert frame["step"].is_unique


def test_a_block_without_stamps_is_one_row_that_stands_for_all_its_steps() -> None:
    record = study(repeats=1, devices=("cpu",), axes={}, stamps=False).records[0]
    frame = steps_frame([record])
    assert len(frame) == len(record.blocks)
    assert frame["steps"].sum() == sum(block.steps for block in record.blocks)
    assert (frame["exact"] == (frame["steps"] == 1)).all()
    total = (frame["seconds"] * frame["steps"]).sum()
    assert total == pytest.approx(sum(block.wall_s for block in record.blocks))


def test_every_point_of_every_curve_is_a_row() -> None:
    made = study(repeats=2, devices=("cpu",), axes={}, epochs=3)
    frame = curve_frame(made.records)
    assert tuple(frame.columns) == CURVE_COLUMNS
    assert len(frame) == 2 * 3 * 4
    assert set(frame["repeat"]) == {0, 1}


@pytest.mark.parametrize("make", [steps_frame, curve_frame])
def test_without_records_the_frames_are_empty_and_have_their_columns(make: Any) -> None:
    nothing: list[Record] = []
    assert len(make(nothing)) == 0
    assert "key" in make(nothing).columns


@pytest.mark.parametrize("metric", ["precision", "batch_size", "seed", "epoch_s", "warnings"])
def test_a_metric_may_be_named_like_a_column_or_a_swept_key(metric: str) -> None:
    made = study(repeats=1, devices=("cpu",))
    final = {"accuracy": 0.5, metric: 0.3394}
    records = [each.model_copy(update={"final": final}) for each in made.records]
    plain, frame = cells_frame(made.plan, made.records), cells_frame(made.plan, records)
    assert list(frame[f"final.{metric}"]) == [0.3394] * 3
    assert list(frame["accuracy"]) == [0.5] * 3
    assert list(frame[metric]) == list(plain[metric])
