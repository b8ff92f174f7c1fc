"""What trained models leave in their records: curves, predictions, forecasts, texts, int8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from accelreport.results.record import (
    Epoch,
    Forecast,
    GeneratedText,
    Precision,
    Quantised,
    Sample,
)
from tests.support.records import Study, study


def trained(*updates: dict[str, Any], **changes: Any) -> Study:
    """A training with a seed for each of the updates of its records, by default of one device."""
    asked = {"origin": "official", "devices": ("cpu",), "axes": {}} | changes
    whole = study(repeats=len(updates), **asked)
    records = (r.model_copy(update=updates[r.cell.repeat]) for r in whole.records)
    return replace(whole, records=tuple(records))


def curve(*values: float, metric: str = "val_accuracy", text: bool = False) -> list[Epoch]:
    """Whole epochs of a second each, with one metric and perhaps a text."""
    return [
        Epoch(
            epoch=number, steps=60, train_s=1, evaluate_s=1, elapsed_s=number,
            metrics={metric: value},
            text=GeneratedText(prompt="To be", text=f" <{number}>") if text else None,
        )
        for number, value in enumerate(values, 1)
    ]  # fmt: skip


def apart(training: Sequence[float], validation: Sequence[float]) -> dict[str, Any]:
    """Curves of training and of validation accuracy."""
    rows = zip(curve(*validation), training, strict=True)
    return {
        "epochs": [
            row.model_copy(update={"metrics": {**row.metrics, "accuracy": value}})
            for row, value in rows
        ]
    }


def sample(index: int, true: str, predicted: str, probability: float = 0.5) -> Sample:
    """A prediction without a picture."""
    return Sample(index=index, true=true, predicted=predicted, probability=probability)


def forecast(error: float, target: str = "temperature") -> Forecast:
    """A series that is 1 higher every day, forecast with the same error everywhere."""
    true = [float(i % 24 + i // 24) for i in range(200)]
    return Forecast(
        target=target, unit="°C", first_time="2014-05-14T03:00:00", step_s=3600.0,
        ignored_steps=10, horizon_steps=24, train_mean=9.0, true=true,
        predicted=[value + error for value in true],
    )  # fmt: skip


def quantised(float32_only: int, int8_only: int, latency_s: float = 20e-6) -> dict[str, Any]:
    """A network converted to int8, of 1,000 examples, that took 40 µs before."""
    both = 940 - float32_only - int8_only
    return {
        "quantised": Quantised(
            method="post-training int8", calibration_examples=200, threads=1, examples=1000,
            float32=Precision(bytes=1_560_000, latency_s=[40e-6], batch=64, throughput=8000.0),
            int8=Precision(bytes=400_000, latency_s=[latency_s], batch=64, throughput=36000.0),
            both_right=both, float32_only=float32_only, int8_only=int8_only, neither=60,
        )
    }  # fmt: skip
