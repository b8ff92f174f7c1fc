"""Metrics that are named like something else stand on the page under their own value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from accelreport.report.metrics import metric_text, metric_title
from tests.report.scenarios import Results
from tests.support.records import study
from tests.support.sites import build


@pytest.mark.parametrize("metric", ["precision", "loss", "machine"])
def test_a_metric_is_shown_whatever_it_is_named_like(metric: str, tmp_path: Path) -> None:
    made = study(devices=("cpu",), axes={"batch_size": (256,)}, repeats=1)
    records = tuple(
        each.model_copy(update={"final": {"val_accuracy": 0.9, metric: 0.3394}})
        for each in made.records
    )
    build(Results((replace(made, records=records),)), tmp_path)
    table = (tmp_path / "example_training.full" / "cells.csv").read_text(encoding="utf-8")
    assert "0.3394" in table


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("accuracy", "training accuracy"),
        ("val_accuracy", "validation accuracy"),
        ("quantised_val_accuracy", "quantised validation accuracy"),
        ("quantised_size_ratio", "quantised size ratio"),
        ("val_micro_f1", "validation micro F1 at probability > ½"),
    ],
)
def test_what_was_found_after_the_training_is_no_figure_of_it(metric: str, title: str) -> None:
    assert metric_title(metric) == title


@pytest.mark.parametrize(
    ("metric", "share"),
    [
        ("val_accuracy", True),
        ("f1", True),
        ("out_1_precision", True),
        ("accuracy_loss", False),
        ("conf1_mae", False),
    ],
)
def test_the_last_word_of_a_metric_says_whether_it_is_a_share(metric: str, share: bool) -> None:
    assert metric_text(metric, 0.5) == ("50.00\N{NO-BREAK SPACE}%" if share else "0.500")
