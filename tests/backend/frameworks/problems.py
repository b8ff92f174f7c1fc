"""One small problem of each family, without anything that is drawn while it is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.base import Dataset
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES

EXAMPLES, VALIDATION, BATCH = 64, 21, 16

PARAMETERS: dict[str, dict[str, Any]] = {
    "keras": {
        "architecture": "dense.json",
        "dataset": "mnist",
        "divide_by": 255,
        "from_logits": True,
        "metrics": ["accuracy", "top_5_accuracy"],
    },
    "text_classification": {
        "words": 200,
        "length": 12,
        "embedding": 8,
        "units": 8,
        "optimizer": {"name": "sgd", "learning_rate": 0.1},
    },
    "sequence_classification": {"model": "stacked_bilstm", "layers": 1, "units": 8},
    "series_forecast": {
        "dataset": "beijing_pm25",
        "window": 60,
        "units": 8,
        "forecast_steps": 60,
        "optimizer": {"name": "rmsprop", "learning_rate": 0.01},
    },
    "text_generation": {
        "length": 12,
        "embedding": 8,
        "units": 8,
        "layers": 1,
        "texts": 2,
        "characters": 10,
        "optimizer": {"name": "sgd", "learning_rate": 0.1},
    },
}


def problem(kind: str) -> TrainingProblem:
    """The problem of a family; Keras must have been imported."""
    return _problem(kind, {"document": dense()} if kind == "keras" else {})


def plain() -> TrainingProblem:
    """A network of one layer, which is soon compiled; Keras must have been imported."""
    import keras

    layers = [keras.Input((28, 28)), keras.layers.Flatten(), keras.layers.Dense(10)]
    own = {"document": str(keras.Sequential(layers).to_json()), "metrics": ["accuracy"]}
    return _problem("keras", {**own, "optimizer": {"name": "sgd", "learning_rate": 0.1}})


def _problem(kind: str, own: Mapping[str, Any]) -> TrainingProblem:
    family = FAMILIES[kind]
    parameters = family.parameters.model_validate(
        {"kind": kind, "batch_size": BATCH, **PARAMETERS[kind], **own}
    )
    found = family.problem(parameters, _data(kind) if family.data(parameters) else None, 0)
    assert isinstance(found, TrainingProblem)
    if found.validation is None:
        return replace(found, validation=found.resident, validation_examples=found.examples)
    return found


def dense() -> str:
    """Moving statistics, a penalty and ten classes, as Keras writes them."""
    import keras
    from keras import layers, regularizers

    penalty = regularizers.L2(1e-3)
    return str(
        keras.Sequential(
            [
                keras.Input((28, 28)),
                layers.Flatten(),
                layers.Dense(12, kernel_regularizer=penalty),
                layers.BatchNormalization(),
                layers.Activation("relu"),
                layers.Dense(10),
            ]
        ).to_json()
    )


Arrays = Mapping[str, NDArray[Any]]


def _data(kind: str) -> Dataset:
    generator = np.random.default_rng(7)
    makers: dict[str, Callable[[int], Arrays]] = {
        "keras": lambda count: {
            "x": generator.integers(0, 256, (count, 28, 28), np.uint8),
            "y": (np.arange(count) % 10).astype(np.uint8),
        },
        "text_classification": lambda count: {
            "x": generator.integers(0, 200, (count, 12), np.int32),
            "y": (np.arange(count) % 2).astype(np.uint8),
        },
        "sequence_classification": lambda count: {
            "x": generator.standard_normal((count, 20, 4)).astype(np.float32),
            "y": (np.arange(count) % 3).astype(np.uint8),
        },
        "series_forecast": lambda count: {
            "inputs": generator.random((count + 60, 5), np.float32),
            "targets": generator.random((count + 60, 2), np.float32),
        },
        "text_generation": lambda count: {
            "text": generator.integers(0, 256, 13 * count, np.uint8),
        },
    }
    make = makers[kind]
    return _dataset(make(EXAMPLES), make(VALIDATION))


def _dataset(train: Arrays, validation: Arrays) -> Dataset:
    return Dataset(
        name="test",
        train=train,
        validation=validation,
        classes=("A", "B", "C"),
        origin="synthetic",
        files={},
        fingerprint="0" * 64,
        seed=0,
        details={
            "targets": ("first", "second"),
            "target_range": ((0.0, 10.0), (-1.0, 1.0)),
            "step_s": 3600,
            "horizon": 24,
            "validation_time": "2014-01-01T00:00:00",
        },
    )
