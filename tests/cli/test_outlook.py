"""What is said before the first cell: data that are absent, steps that are too few, long plans."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from accelreport.results.store import Store
from accelreport.runner.timings import TimeEstimate
from accelreport.terminal.run_text import too_long
from tests.support.program import MNIST, program, write_specs

NET = """
schema = 1
title = "Net"
devices = ["cpu"]
[workload]
kind = "keras"
model = "model.py:build"
data = "train.csv"
target = "y"
task = "classification"
batch_size = 128
epochs = 2
"""

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n[tpu]\nkind = "TPU"\nstrategy = "tpu"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_specs(tmp_path, devices=DEVICES, net=NET)
    (tmp_path / "specs" / "model.py").write_text(
        "def build(input_shape, outputs):\n    import keras\n\n"
        "    layers = [keras.Input(input_shape), keras.layers.Dense(outputs)]\n"
        "    return keras.Sequential(layers)\n"
    )
    (tmp_path / "specs" / "train.csv").write_text("a,y\n" + "1,p\n2,q\n" * 1000)
    return tmp_path


def told(folder: Path, *arguments: str) -> str:
    done = program(folder, arguments, {**os.environ, "ACCELREPORT_DATA": str(folder / "none")})
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]])
def test_data_that_are_not_here_are_told_with_the_way_out(command: list[str], folder: Path) -> None:
    assert "warning" not in told(folder, *command)
    (folder / "specs" / "train.csv").rename(folder / "train.csv")
    said = told(folder, *command)
    assert "warning: net: There are no data train.csv." in said
    assert "Move" in said
    quick = MNIST.replace('"measure.repeats" = 1', '"workload.data" = "synthetic"')
    (folder / "specs" / "mnist.toml").write_text(quick)
    said = told(folder, *command)
    assert "`accelreport data fetch mnist` brings it. --profile quick needs none." in said
    assert "mnist" not in told(folder, "run", "--dry-run", "--profile", "quick")


def test_cells_without_data_are_not_started_one_after_another(folder: Path) -> None:
    devices = 'schema = 1\n[cpu]\nkind = "CPU"\nthreads = 1\n'
    (folder / "specs" / "devices.toml").write_text(devices)
    for name, dataset in (("mnist", 'dataset = "mnist"'), ("own", 'dataset = "csv"')):
        kind = "image_classification" if name == "mnist" else "series_forecast"
        (folder / "specs" / f"{name}.toml").write_text(
            f'schema = 1\ntitle = "{name}"\ndevices = ["cpu"]\n[workload]\nkind = "{kind}"\n'
            + dataset
            + ('\nseries = { path = "x.csv", time = ["t"], targets = ["a"] }' * (name == "own"))
            + "\n[measure]\nrepeats = 3\n"
        )
    products = 'schema = 1\ntitle = "P"\ndevices = ["cpu"]\n[workload]\nkind = "matmul"\n'
    (folder / "specs" / "net.toml").write_text(products + "size = 8\n[measure]\nrepeats = 1\n")
    done = program(folder, ["run"], {**os.environ, "ACCELREPORT_DATA": str(folder / "none")})
    assert done.returncode == 4
    assert "7 cells: 1 to run" in done.stdout
    assert done.stdout.count("`accelreport data fetch mnist` brings it") == 1
    assert "cpu: 3 cells skipped: There is no file x.csv; looked for" in done.stdout
    assert "1 measured, 6 failed" in done.stdout
    found = Store(folder / "results").records()
    kinds = Counter(str(each.failure and each.failure.kind) for each in found)
    assert kinds == {"None": 1, "data-unavailable": 6}


def test_a_run_that_could_measure_nothing_ends_before_its_first_cell(folder: Path) -> None:
    (folder / "specs" / "train.csv").unlink()
    done = program(folder, ["run"])
    assert done.returncode == 8
    assert "Nothing was run: no data are here." in done.stderr
    assert "There are no data train.csv." in done.stderr
    assert not (folder / "results" / "cells").exists()


@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]])
def test_steps_that_end_within_the_warm_up_and_metrics_that_nobody_has_are_told(
    command: list[str], folder: Path
) -> None:
    path = folder / "specs" / "net.toml"
    path.write_text(
        NET + 'train_examples = 1024\nearly_stopping = { monitor = "val_f1" }\n'
        '[measure]\ntarget = { metric = "val_acuracy", at_least = 0.9 }\n'
    )
    said = told(folder, *command)
    assert "a training has at most 16 steps, and `warmup_steps` leaves out the first 20" in said
    assert "`measure.target` waits for val_acuracy, which the model does not have" in said
    assert "`workload.early_stopping` waits for val_f1" in said
    path.write_text(
        NET.replace("epochs = 2", "epochs = 3") + "train_examples = 1024\n"
        '[measure]\ntarget = { metric = "val_accuracy", at_least = 0.9 }\n'
    )
    assert "warning" not in told(folder, *command)


@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]])
def test_steps_that_are_too_few_are_told_of_data_that_no_one_has_read(
    command: list[str], folder: Path
) -> None:
    rows = np.arange(1280)
    (folder / "specs" / "train.csv").write_text(
        "a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in rows)
    )
    np.savez(folder / "specs" / "split.npz", x=np.ones((1280, 1)), y=rows % 2)
    x, y = np.ones((1024, 1)), rows[:1024] % 2
    np.savez(folder / "specs" / "whole.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    for name in ("split", "whole"):
        text = NET.replace('"train.csv"', f'"{name}.npz"').replace('target = "y"\n', "")
        (folder / "specs" / f"{name}.toml").write_text(text.replace("Net", name))
    mnist = MNIST.replace("[sweep]", "epochs = 1\n[sweep]").replace("[128, 256]", "[4096]")
    (folder / "specs" / "mnist.toml").write_text(mnist)
    said = told(folder, *command)
    for name in ("net", "split", "whole"):
        assert f"{name}: a training has at most 16 steps, and `warmup_steps` leaves out" in said
    assert "mnist: a training has at most 15 steps at batch_size = 4096, and" in said
    (folder / "specs" / "net.toml").write_text(NET.replace("epochs = 2", "epochs = 3"))
    assert "net: a training" not in told(folder, *command)


def test_a_plan_of_more_than_a_day_says_so() -> None:
    assert not too_long(TimeEstimate(seconds=3600.0, unknown=100, at_most_s=60_000.0))
    text = too_long(TimeEstimate(seconds=0.0, unknown=500, at_most_s=300_000.0))
    assert text.startswith("this may take 3.5 days by its budgets. --profile quick")
