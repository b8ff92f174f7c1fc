"""Time to a quality."""

from __future__ import annotations

import pandas as pd
import pytest

from accelreport.analysis.learning import target_times
from accelreport.analysis.results import results_of
from accelreport.report.frames import targets_frame
from accelreport.results.record import Epoch, Record
from accelreport.spec.models import Target
from tests.support.records import Study, study

ACCURACIES = {0: [0.90, 0.96, 0.985], 1: [0.90, 0.95, 0.97]}


def _study(target: Target | None, accuracies: dict[int, list[float]] = ACCURACIES) -> Study:
    made = study(axes={}, devices=("cpu",), repeats=2, epochs=3, target=target)
    records: list[Record] = []
    for record in made.records:
        epochs = [
            Epoch(
                epoch=number + 1,
                steps=60,
                train_s=10.0,
                evaluate_s=1.0,
                elapsed_s=10.0 * (number + 1),
                metrics={"val_accuracy": value, "loss": 1 - value},
            )
            for number, value in enumerate(accuracies[record.cell.repeat])
        ]
        records.append(record.model_copy(update={"epochs": epochs}))
    return Study(plan=made.plan, records=tuple(records))


def _rows(made: Study) -> pd.DataFrame:
    found = target_times(made.plan, results_of(made.plan, made.records), made.records)
    return targets_frame(made.plan, found)


def test_the_first_epoch_at_the_target_stops_the_clock() -> None:
    row = _rows(_study(Target(metric="val_accuracy", at_least=0.96))).iloc[0]
    assert row["reached"]
    assert (row["epoch"], row["elapsed_s"]) == (2, 20.0)


def test_a_target_that_is_exactly_met_is_reached() -> None:
    assert _rows(_study(Target(metric="val_accuracy", at_least=0.985))).iloc[0]["epoch"] == 3


def test_a_process_that_never_reached_it_is_a_row_with_its_best() -> None:
    row = _rows(_study(Target(metric="val_accuracy", at_least=0.98))).iloc[1]
    assert not row["reached"]
    assert row["said"] == "never reached"
    assert row["best"] == 0.97
    assert pd.isna(row["elapsed_s"])


def test_a_loss_is_reached_from_above() -> None:
    rows = _rows(_study(Target(metric="loss", at_most=0.045)))
    assert list(rows["epoch"]) == [2, 3]
    assert set(rows["direction"]) == {"at most"}
    assert rows["best"].iloc[0] == pytest.approx(0.015)


def test_values_that_are_not_numbers_are_never_the_target() -> None:
    made = _study(
        Target(metric="val_accuracy", at_least=0.5), {0: [float("nan")], 1: [float("nan"), 0.9]}
    )
    rows = _rows(made)
    assert list(rows["reached"]) == [False, True]
    assert pd.isna(rows["best"].iloc[0])


def test_a_metric_that_no_curve_has_is_said_to_be_absent() -> None:
    rows = _rows(_study(Target(metric="f1", at_least=0.5)))
    assert set(rows["said"]) == {"no learning curve"}


def test_without_a_target_there_is_nothing_to_reach() -> None:
    rows = _rows(_study(None))
    assert len(rows) == 0
    assert "elapsed_s" in rows.columns


def test_cells_that_failed_have_no_row() -> None:
    target = Target(metric="val_accuracy", at_least=0.5)
    made = study(axes={}, target=target, fate=lambda c: "ok" if c.device == "cpu" else "timeout")
    assert set(_rows(made)["device"]) == {"cpu"}
