"""The specs of the systems say what their sources did."""

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
    kinds = {device.kind for device in spec(name).devices.values()}
    assert kinds == {"CPU", "GPU", "TPU"}
    assert {"cpu", "gpu", "tpu"} <= set(spec(name).devices)


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


def test_what_is_not_comparable_says_why() -> None:
    for name in (*WORK, "har_sweep", "beijing_gru", "mnist_deploy"):
        for row in spec(name).published:
            assert row.comparable or row.note


NO_SAMPLE = {"imdb", "weather_denmark"}
"""Data sets whose licences do not say that a part of them may be passed on."""

QUICK = (
    *WORK, "har_sweep", "beijing_gru", "mnist_deploy", "har_strategies", "precision_cnn",
    "precision_lstm",
)  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_profile_learns_without_a_download_in_little_time(
    name: str,
) -> None:
    quick = spec(name, "quick")
    assert len([cell for cell in quick.cells if cell.device == "cpu"]) <= 6
    for cell in quick.cells:
        own = NO_SAMPLE.isdisjoint({cell.workload["dataset"]})
        assert cell.workload["data"] == ("sample" if own else "synthetic")
        assert cell.measure.budget <= 30
        steps = cell.workload["epochs"] * cell.workload["steps_per_epoch"]
        assert steps <= 150 or steps * cell.workload["batch_size"] <= 5120
        assert cell.measure.warmup_steps < steps


def test_a_first_report_starts_few_processes_where_there_is_only_a_cpu() -> None:
    """A process takes two to three seconds before its first steady step, whatever it then does."""
    found = [each for each in load([SPECS], profile="quick").specs if not each.only_named]
    cells = [
        cell for each in found for cell in each.cells if each.devices[cell.device].kind == "CPU"
    ]
    assert len({cell.spec for cell in cells}) == len(found), "every system has a page with a time"
    assert len(cells) <= 97
