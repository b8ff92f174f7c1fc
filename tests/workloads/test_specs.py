"""The specs of the systems say what their sources did, and what their sources printed."""

from pathlib import Path
from typing import Any

import pytest

from accelreport.loader.load import load
from accelreport.spec.cells import Spec

SPECS = Path(__file__).parents[2] / "specs"


def spec(name: str, profile: str | None = None) -> Spec:
    (found,) = load([SPECS / f"{name}.toml"], profile=profile).specs
    return found


WORK: dict[str, dict[str, Any]] = {
    "mnist_cnn": {"model": "conv32_conv64_conv64", "epochs": 10, "steps_per_epoch": 60},
    "mnist_gorner": {"model": "conv12_conv24_conv32", "epochs": 10, "steps_per_epoch": 117},
    "fashion_mnist": {
        "model": "conv64_conv128_conv256",
        "scale_pixels": False,
        "epochs": 15,
        "steps_per_epoch": 100,
        "batch_size": 512,
    },
    "imdb_lstm": {"words": 15000, "length": 250, "embedding": 32, "units": 100, "epochs": 20},
    "har_sample": {"model": "bilstm128_bilstm128_lstm64", "epochs": 30, "batch_size": 64},
    "weather_gru": {
        "window": 1344,
        "ignored_steps": 50,
        "units": 512,
        "epochs": 10,
        "steps_per_epoch": 10,
        "batch_size": 256,
        "restore_best_weights": True,
    },
    "shakespeare": {
        "length": 100,
        "embedding": 512,
        "units": 512,
        "layers": 2,
        "batch_size": 1024,
        "epochs": 10,
        "steps_per_epoch": 100,
        "texts": 5,
        "characters": 250,
    },
}


@pytest.mark.parametrize("name", WORK)
def test_a_system_does_the_work_of_its_source(name: str) -> None:
    workload = spec(name).workload
    assert {key: workload[key] for key in WORK[name]} == WORK[name]
    assert workload["data"] == "real"
    assert list(spec(name).devices) == ["cpu", "gpu", "tpu"]


AXES: dict[str, dict[str, list[Any]]] = {
    "mnist_cnn": {"batch_size": [1024, 8192]},
    "imdb_lstm": {"kernel": ["default", "no_cudnn", "hard_sigmoid"]},
    "har_sweep": {
        "layers": [1, 2, 3],
        "units": [32, 64, 128, 256],
        "batch_size": [64, 128],
    },
}


@pytest.mark.parametrize("name", AXES)
def test_a_sweep_has_the_points_of_its_source(name: str) -> None:
    assert spec(name).axes == AXES[name]


FIGURES: dict[str, list[tuple[str, str, dict[str, float]]]] = {
    "mnist_cnn": [
        ("tpu", "S", {"epoch_time": 3}),
        ("gpu", "S", {"epoch_time": 11}),
        ("tpu", "O", {"first_epoch_time": 7, "epoch_time": 3, "val_accuracy": 0.9925}),
        ("tpu", "S", {"speedup": 4}),
    ],
    "mnist_gorner": [
        ("tpu", "O", {"epoch_time": 1, "val_accuracy": 0.9945}),
        ("tpu", "O", {"first_epoch_time": 21, "epoch_time": 4.5, "val_accuracy": 0.9922}),
    ],
    "fashion_mnist": [
        ("tpu", "S", {"epoch_time": 7, "total_time": 102}),
        ("gpu", "S", {"total_time": 196}),
        ("cpu", "S", {"total_time": 11164}),
        ("tpu", "S", {"speedup": 2}),
        ("tpu", "S", {"speedup": 110}),
        (
            "tpu",
            "O",
            {"first_epoch_time": 17, "epoch_time": 7, "total_time": 113, "val_accuracy": 0.9267},
        ),
    ],
    "imdb_lstm": [
        (
            "tpu",
            "S",
            {
                "sample_time": 680e-6,
                "epoch_time": 17.5,
                "val_accuracy": 0.8253,
                "accuracy": 0.9915,
            },
        ),
        (
            "gpu",
            "S",
            {
                "sample_time": 0.012,
                "epoch_time": 300,
                "total_time": 9000,
                "val_accuracy": 0.845,
            },
        ),
        ("tpu", "S", {"speedup": 17}),
        ("tpu", "D", {"total_time": 680e-6 * 25_000 * 20}),
        ("gpu", "D", {"total_time": 0.012 * 25_000 * 20}),
    ],
    "har_sweep": [("tpu", "S", {"speedup": 25}), ("tpu", "S", {"speedup": 55})],
    "weather_gru": [
        ("gpu", "S", {"epoch_time": 43, "loss": 0.0035, "total_time": 7 * 60 + 12}),
        ("tpu", "O", {"first_epoch_time": 14, "epoch_time": 5, "total_time": 66}),
        ("gpu", "O", {"step_time": 2.5 * 60 / 100}),
    ],
    "shakespeare": [
        ("tpu", "O", {"first_epoch_time": 27, "epoch_time": 17}),
        ("tpu", "O", {"accuracy": 0.6437, "loss": 1.1344}),
    ],
}


@pytest.mark.parametrize("name", FIGURES)
def test_published_figures_are_those_of_the_source_with_their_marks(name: str) -> None:
    rows = [(row.device, row.mark, row.figures()) for row in spec(name).published]
    assert [row[:2] for row in rows] == [row[:2] for row in FIGURES[name]]
    for (_, _, found), (_, _, printed) in zip(rows, FIGURES[name], strict=True):
        assert found == pytest.approx(printed, rel=0.005)


def test_what_is_not_comparable_says_why() -> None:
    for name in (*WORK, "har_sweep", "beijing_gru", "mnist_deploy"):
        for row in spec(name).published:
            assert row.comparable or row.note


QUICK = (*WORK, "har_sweep", "beijing_gru", "mnist_deploy")


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_profile_needs_no_data_and_little_time(name: str) -> None:
    quick = spec(name, "quick")
    assert len([cell for cell in quick.cells if cell.device == "cpu"]) <= 4
    for cell in quick.cells:
        assert cell.workload["data"] == "synthetic"
        assert cell.measure.budget <= 15
        assert cell.workload["epochs"] * cell.workload["steps_per_epoch"] <= 20
        assert (
            cell.measure.warmup_steps < cell.workload["epochs"] * cell.workload["steps_per_epoch"]
        )
