"""Each family as a cell of its own: what its record shows beside the times."""

from typing import Any

import pytest

from accelreport.results.record import Record
from accelreport.spec.models import Measure
from tests.support.children import Measures, bare_cell

pytestmark = pytest.mark.e2e

SMALL: dict[str, Any] = {
    "data": "synthetic",
    "epochs": 2,
    "steps_per_epoch": 6,
    "batch_size": 16,
    "train_examples": 500,
}


def complete(workload: dict[str, Any], measure: Measures) -> Record:
    record = measure(bare_cell({**SMALL, **workload}, measure=Measure(warmup_steps=2)))
    assert record.failure is None
    assert record.status == "ok"
    assert sum(block.steps for block in record.blocks) == record.planned_steps == 12
    assert record.epochs[1].metrics["loss"] < record.epochs[0].metrics["loss"]
    return record


def test_a_text_classifier_leaves_a_curve_of_both_accuracies(measure: Measures) -> None:
    # As many examples as an epoch has, so that the second one sees them again.
    sizes = {"words": 5000, "length": 50, "train_examples": 96, "validation_examples": 101}
    record = complete(
        {"kind": "text_classification", "optimizer": {"learning_rate": 0.02}, **sizes}, measure
    )
    assert {"accuracy", "val_accuracy", "val_loss"} <= set(record.final)
    assert record.data is not None
    assert record.data.validation_examples == 101


def test_an_activity_classifier_leaves_ratios_of_every_epoch_and_its_confusions(
    measure: Measures,
) -> None:
    record = complete(
        {
            "kind": "sequence_classification",
            "model": "stacked_bilstm",
            "layers": 1,
            "units": 8,
            "validation_examples": 50,
        },
        measure,
    )
    for row in record.epochs:
        names = ("precision", "recall", "f1", "micro_precision", "micro_recall", "micro_f1")
        for name in names:
            assert 0 <= row.metrics[name] <= 1
            assert 0 <= row.metrics[f"val_{name}"] <= 1
    assert record.confusion is not None
    assert record.confusion.classes[0] == "WALKING"
    assert sum(map(sum, record.confusion.counts)) == 50
    hits = sum(row[number] for number, row in enumerate(record.confusion.counts))
    assert record.final["val_accuracy"] == pytest.approx(hits / 50)


def test_a_forecaster_leaves_its_forecast_and_the_epoch_it_chose(measure: Measures) -> None:
    record = complete(
        {
            "kind": "series_forecast",
            "dataset": "beijing_pm25",
            "target_units": ["°C", "m/s", "hPa"],
            "window": 80,
            "units": 16,
            "validation_rows": 300,
            "forecast_steps": 120,
            "optimizer": {"name": "rmsprop", "learning_rate": 0.01},
            "early_stopping": {"patience": 5},
            "restore_best_weights": True,
            "reduce_on_plateau": {"patience": 0, "min_learning_rate": 1e-4},
        },
        measure,
    )
    assert [forecast.unit for forecast in record.forecasts] == ["°C", "m/s", "hPa"]
    assert all(len(forecast.predicted) == 120 for forecast in record.forecasts)
    assert record.forecasts[0].ignored_steps == 50
    assert record.selection is not None
    assert record.selection.restored
    best = min(row.metrics["val_loss"] for row in record.epochs)
    assert record.final["val_loss"] == record.selection.best == best


def test_a_writer_leaves_what_it_wrote(measure: Measures) -> None:
    record = complete(
        {
            "kind": "text_generation",
            "length": 20,
            "embedding": 16,
            "units": 32,
            "validation_examples": 10,
            "texts": 2,
            "characters": 30,
            "optimizer": {"name": "rmsprop", "learning_rate": 0.01},
        },
        measure,
    )
    assert [len(text.text) for text in record.texts] == [30, 30]
    by_epoch = [epoch.text.text for epoch in record.epochs if epoch.text]
    assert [len(text) for text in by_epoch] == [30] * len(record.epochs)
    assert len(set(by_epoch)) == len(by_epoch) > 1, "it writes otherwise as it learns"
    assert record.final["val_loss"] < 5.545, "better than 256 characters alike"


def test_an_evaluation_that_the_budget_does_not_allow_is_left_out_and_said_so(
    measure: Measures,
) -> None:
    workload = {
        **SMALL,
        "kind": "sequence_classification",
        "epochs": 50,
        "steps_per_epoch": 2,
        "evaluation_batch_size": 1,
        "validation_examples": 2900,
    }
    short = Measure(warmup_steps=2, budget=1.0)
    record = measure(bare_cell(workload, measure=short))
    assert record.status == "partial"
    assert record.epochs
    assert "val_loss" not in record.epochs[-1].metrics
    assert "not-evaluated" in [warned.kind for warned in record.warnings]
