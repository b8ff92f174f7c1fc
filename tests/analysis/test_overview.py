"""All benchmarks at once."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from scipy.stats import gmean

from accelreport.analysis.choice import BEST_COLUMNS, best_devices
from accelreport.analysis.frames import cells_frame
from accelreport.analysis.overview import (
    MATRIX_COLUMNS,
    MEAN_COLUMNS,
    Benchmark,
    geometric_means,
    speedup_matrix,
)
from accelreport.analysis.speedup import speedups
from tests.support.records import Study, assorted, study
from tests.support.rows import the_row


def _benchmark(made: Study) -> Benchmark:
    return Benchmark(made.plan, cells_frame(made.plan, made.records))


def test_a_benchmark_is_one_geometric_mean_over_its_sweep() -> None:
    made = study(repeats=5)
    matrix = speedup_matrix([_benchmark(made)])
    assert list(matrix.columns) == list(MATRIX_COLUMNS)
    row = the_row(matrix, device="gpu")
    single = speedups(cells_frame(made.plan, made.records), baseline="cpu", axes=["batch_size"])
    each = single[single["device"] == "gpu"]["speedup"]
    assert row["speedup"] == pytest.approx(gmean(each))
    assert (row["smallest"], row["largest"]) == pytest.approx((each.min(), each.max()))
    assert row["low"] < row["speedup"] < row["high"]
    assert (row["points"], row["points_planned"]) == (3, 3)
    assert row["verdict"] == "FASTER"


def test_points_that_failed_are_counted_as_missing() -> None:
    def fate(cell: Any) -> str:
        big = cell.point["batch_size"] == 1024
        return "oom-device" if big and cell.device == "gpu" else "ok"

    row = the_row(speedup_matrix([_benchmark(study(fate=fate))]), device="gpu")
    assert (row["points"], row["points_planned"]) == (2, 3)


def test_a_device_that_did_not_run_is_a_row_with_its_reason() -> None:
    row = the_row(speedup_matrix([_benchmark(study(fate=assorted))]), device="tpu")
    assert row["verdict"] == "NOT MEASURED"
    assert "no TPU on this machine" in row["reason"]


def test_without_a_baseline_the_reason_is_the_baselines() -> None:
    made = study(fate=lambda cell: "timeout" if cell.device == "cpu" else "ok")
    row = the_row(speedup_matrix([_benchmark(made)]), device="gpu")
    assert row["verdict"] == "NOT MEASURED"
    assert row["reason"].startswith("cpu was not measured (failed (timeout)")


def test_the_mean_over_benchmarks_is_geometric_and_names_them() -> None:
    matrix = speedup_matrix([_benchmark(study()), _benchmark(study("matmul"))])
    means = geometric_means(matrix)
    assert list(means.columns) == list(MEAN_COLUMNS)
    row = the_row(means, device="gpu")
    each = matrix[matrix["device"] == "gpu"]["speedup"]
    assert row["speedup"] == pytest.approx(gmean(each))
    assert row["benchmarks"] == ("example_training", "example_matmul")
    assert row["low"] < row["speedup"] < row["high"]
    assert "cpu" not in set(means["device"])


def test_a_benchmark_without_an_interval_leaves_the_mean_without_one() -> None:
    matrix = speedup_matrix([_benchmark(study(repeats=1)), _benchmark(study("matmul"))])
    assert pd.isna(the_row(geometric_means(matrix), device="gpu")["low"])


def test_the_fastest_device_is_named_at_every_point() -> None:
    frame = best_devices([_benchmark(study(devices=("cpu", "gpu")))])
    assert list(frame.columns) == list(BEST_COLUMNS)
    assert [row["point"] for row in frame.to_dict("records")] == [
        {"batch_size": 256},
        {"batch_size": 512},
        {"batch_size": 1024},
    ]
    assert set(frame["best"]) == {"gpu"}
    assert frame["decided"].all()
    assert set(frame["runner_up"]) == {"cpu"}
    assert (frame["low"] > 1).all()


def test_devices_that_cannot_be_told_apart_are_ties() -> None:
    made = study(devices=("cpu", "cpu-1"), axes={}, factors={"cpu-1": 0.535})
    row = the_row(best_devices([_benchmark(made)]))
    assert not row["decided"]
    assert len(row["ties"]) == 1


def test_the_cheapest_device_need_not_be_the_fastest() -> None:
    row = the_row(best_devices([_benchmark(study(axes={"batch_size": (1024,)}))]))
    assert row["best"] == "tpu"
    assert row["cheapest"] == "gpu"
    assert row["currency"] == "USD"
    assert row["cost_per_million_steps"] == pytest.approx(0.0747 * 0.35 / 3600 * 1e6, rel=0.1)


def test_one_device_alone_is_not_better_than_another() -> None:
    row = the_row(best_devices([_benchmark(study(devices=("cpu",), axes={}))]))
    assert not row["decided"]
    assert row["runner_up"] == ""
    assert row["cheapest"] == ""


def test_points_that_nothing_measured_are_left_out() -> None:
    assert len(best_devices([_benchmark(study(fate=lambda _: "missing"))])) == 0


def test_nothing_gives_empty_frames_with_their_columns() -> None:
    matrix = speedup_matrix([])
    assert list(matrix.columns) == list(MATRIX_COLUMNS)
    assert len(geometric_means(matrix)) == 0
    assert len(best_devices([])) == 0
