"""A model and data of one's own, from the command line and from a notebook."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import accelreport
from accelreport.errors import AccelReportError
from accelreport.loader.first_spec import own_workload
from accelreport.loader.load import load
from tests.support.program import program

BUILD = "def build(input_shape, outputs):\n    raise SystemExit\n"

TABLE = "size;city;price\n" + "".join(f"{i};{'AB'[i % 2]};{i / 3}\n" for i in range(400))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(BUILD)
    (tmp_path / "train.csv").write_text(TABLE)
    return tmp_path


@pytest.mark.parametrize("where", ["mine.toml", "specs/mine.toml"])
def test_a_spec_of_ones_own_model_and_data_is_written_without_a_question(
    where: str, folder: Path
) -> None:
    done = program(folder, ["new", where, "--model", "model.py", "--data", "train.csv"])
    assert done.returncode == 0, done.stderr
    (spec,) = load([folder / where]).specs
    above = "../" if "/" in where else ""
    workload = spec.workload
    assert (workload["model"], workload["data"]) == (f"{above}model.py:build", f"{above}train.csv")
    assert (workload["task"], workload["target"]) == ("regression", ["price"])
    assert workload["separator"] == ";"
    assert workload["document"] == BUILD, "read, and not run"
    steps = workload["epochs"] * (320 // workload["batch_size"])
    assert steps >= 200, "a first run has steady steps"
    assert load([folder / where], profile="quick").specs[0].workload["data"] == f"{above}train.csv"


def test_a_table_whose_columns_are_divided_by_tabs_becomes_a_spec(folder: Path) -> None:
    (folder / "train.csv").write_text(TABLE.replace(";", "\t"))
    asked = ["new", "mine.toml", "--model", "model.py", "--data", "train.csv", "--device", "cpu"]
    done = program(folder, asked)
    assert done.returncode == 0, done.stderr
    (spec,) = load([folder / "mine.toml"]).specs
    assert spec.workload["separator"] == "\t"


def test_data_that_only_code_loads_are_passed_over_often_enough(folder: Path) -> None:
    (folder / "data.py").write_text("def load():\n    raise SystemExit\n")
    asked = ["new", "mine.toml", "--model", "model.py", "--data", "data.py:load"]
    done = program(folder, [*asked, "--set", "task=classification"])
    assert done.returncode == 0, done.stderr
    (spec,) = load([folder / "mine.toml"]).specs
    # Of 300 examples, as many as a first try has.
    steps = spec.workload["epochs"] * (240 // spec.workload["batch_size"])
    assert steps >= 2 * spec.measure.warmup_steps


@pytest.mark.parametrize(
    ("model", "divides"),
    [
        (BUILD, True),
        (BUILD + "    layers.BatchNormalization()\n", True),
        (BUILD + "    layers.Rescaling(1 / 255)\n", False),
        (BUILD + "    preprocess_input(x)\n", False),
        ("EfficientNetB0", False),
        ("MobileNetV2", True),
    ],
)
def test_pixels_are_divided_where_the_model_does_not_rescale_them(
    model: str, divides: bool, folder: Path
) -> None:
    np.savez(folder / "img.npz", x=np.zeros((4, 2, 2), np.uint8), y=np.arange(4))
    (folder / "model.py").write_text(model)
    named = "model.py:build" if "\n" in model else model
    keys = own_workload(named, "img.npz", folder)
    assert keys.get("divide_by") == (255.0 if divides else None)


def test_images_are_brought_to_the_shape_that_a_document_says(folder: Path) -> None:
    Image.new("RGB", (9, 7)).save(folder / "a.png")
    for name in ("cat", "dog"):
        (folder / "pets" / name).mkdir(parents=True)
        shutil.copy(folder / "a.png", folder / "pets" / name)
    model = {"class_name": "InputLayer", "config": {"batch_shape": [None, 32, 24, 1]}}
    (folder / "net.json").write_text(json.dumps(model))
    keys = own_workload("net.json", "pets/", folder)
    assert (keys["image_size"], keys["color_mode"]) == ([32, 24], "grayscale")
    assert own_workload("MobileNetV2", "pets/", folder)["image_size"] == [7, 9]


def test_the_same_from_python(folder: Path) -> None:
    written = accelreport.new("mine.toml", model="MobileNetV2", devices=["cpu"])
    (spec,) = load([written]).specs
    assert spec.workload["application"] == "MobileNetV2"
    assert spec.workload["data"] == "synthetic"
    assert list(spec.devices) == ["cpu"]
    with pytest.raises(AccelReportError, match="is there already"):
        accelreport.new("mine.toml", model="MobileNetV2")
    with pytest.raises(AccelReportError, match=r"There is no gone\.csv"):
        accelreport.new("other.toml", model="model.py:build", data="gone.csv")
    assert not (folder / "other.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "train.csv"], "A model is needed."),
        (["--model", "net.h5"], "net.h5 is no model"),
        (["--model", "model.py:made"], "defines no function `made`"),
        (["--model", "model.py:build", "--data", "data.py:load"], "There is no data.py"),
        (["--model", "model.py:build", "--data", "model.py:build"], "task (classification or"),
        (["--model", "model.py:build", "--kind", "matmul"], "of the kind keras"),
    ],
)
def test_what_is_missing_is_told_and_nothing_is_written(
    arguments: list[str], message: str, folder: Path
) -> None:
    done = program(folder, ["new", "specs/mine.toml", *arguments])
    assert done.returncode in {2, 3}
    assert message in done.stderr
    assert not (folder / "specs").exists()
