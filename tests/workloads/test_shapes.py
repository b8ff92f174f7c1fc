"""What `accelreport check` finds out of a model of one's own before anything is trained on it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from accelreport.backend.shapes import ShapeQuestion, misfit
from accelreport.datasets import beijing, weather_denmark
from accelreport.loader.load import load
from accelreport.spec.problems import SpecErrors
from accelreport.workloads import keras_model
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES
from accelreport.workloads.series_forecast import ROWS
from tests.support.children import Measures, python
from tests.support.packages import EXAMPLE, install

pytestmark = pytest.mark.e2e

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n'
HEAD = 'schema = 1\ntitle = "{name}"\ndevices = ["cpu"]\n'

KERAS = """
[workload]
kind = "keras"
architecture = "mine.json"
dataset = "mnist"
data = "sample"
divide_by = 255
from_logits = true
"""

SEA = """
[workload]
kind = "series_forecast"
dataset = "csv"
window = {window}
ignored_steps = 2
units = 4
steps_per_epoch = 4
batch_size = 2
[workload.series]
path = "data/sea.csv"
time = ["day"]
targets = ["level"]
"""

POINTS = '[workload]\nkind = "points"\nunits = 8\n'


def architecture(shape: tuple[int, ...] = (28, 28), outputs: int = 10) -> str:
    """A model as Keras writes it."""
    import keras
    from keras import layers

    return str(
        keras.Sequential(
            [keras.Input(shape), layers.Flatten(), layers.Dense(outputs)], name="mine"
        ).to_json()
    )


def specs(folder: Path, document: str = "", **named: str) -> Path:
    """A folder of specs, with a CSV file of 200 days and a Keras document beside them."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    days = (f"{date(2000, 1, 1) + timedelta(number)},{number % 9}" for number in range(200))
    (folder / "data" / "sea.csv").write_text("\n".join(["day,level", *days]))
    (folder / "mine.json").write_text(document)
    (folder / "devices.toml").write_text(DEVICES)
    for name, text in named.items():
        (folder / f"{name}.toml").write_text(HEAD.format(name=name) + text)
    return folder


def question(spec: Path) -> ShapeQuestion:
    """What is asked of the first cell of a spec."""
    cell = load([spec]).cells[0]
    return ShapeQuestion(workload=cell.workload, folder=cell.folder)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"shape": (32, 32, 3)}, "takes inputs of shape (32, 32, 3), and an example has the shape"),
        ({"outputs": 7}, "gives 7 outputs, and the labels go from 0 to 9"),
        ({}, ""),
    ],
)
def test_a_document_is_held_against_the_shapes_and_classes_of_its_data(
    model: dict[str, Any], says: str, tmp_path: Path
) -> None:
    found = misfit(question(specs(tmp_path, architecture(**model), mine=KERAS) / "mine.toml"))
    assert (found is not None) == bool(says)
    if found:
        assert says in found.what
        assert found.remedy
        assert found.key == "architecture"


@pytest.mark.parametrize(("window", "key"), [(2000, "window"), (24, None)])
def test_a_window_is_held_against_the_rows_of_ones_own_file(
    window: int, key: str | None, tmp_path: Path
) -> None:
    found = misfit(question(specs(tmp_path, sea=SEA.format(window=window)) / "sea.toml"))
    assert (found.key if found else None) == key
    assert found is None or "is too short" in found.what


def test_a_model_that_no_batch_passes_is_told_in_the_words_of_its_framework(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def one_for_all(parameters: Any, data: Any) -> TrainingProblem:
        return replace(
            keras_model.problem(parameters, data),
            loss=lambda targets, outputs: outputs,
            compiled=False,
        )

    family = replace(keras_model.FAMILY, problem=lambda p, d, seed: one_for_all(p, d))
    monkeypatch.setitem(FAMILIES, "keras", family)
    found = misfit(question(specs(tmp_path, architecture(), mine=KERAS) / "mine.toml"))
    assert found
    assert "loss has the shape (2, 10) for 2 examples" in found.why


def test_the_check_tells_each_misfit_with_its_place_and_of_all_by_one_process(
    tmp_path: Path,
) -> None:
    swept = SEA.format(window=24) + "[sweep]\nwindow = [24, 2000]\n"
    folder = specs(tmp_path, architecture((32, 32)), mine=KERAS, sea=swept, points=POINTS)
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(tmp_path / "site", project["name"], project["entry-points"])
    told = python(
        "-m", "accelreport", "check", str(folder), "--json", paths=[tmp_path / "site", EXAMPLE]
    )
    assert told.returncode == 3, told.stderr
    problems = json.loads(told.stdout)["problems"]
    assert [(each["code"], each["key"]) for each in problems] == [
        ("misfit", "workload.architecture"),
        ("misfit", "workload.window"),
    ]
    lines = [Path(each["place"]["file"]).read_text().splitlines() for each in problems]
    places = [each["place"]["line"] for each in problems]
    assert lines[0][places[0] - 1] == 'architecture = "mine.json"'
    assert lines[1][places[1] - 1] == "window = [24, 2000]"
    assert "at window = 2000" in problems[1]["message"]
    assert all(each["help"] for each in problems)


def test_a_file_beside_the_spec_is_read_whatever_the_working_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: Measures
) -> None:
    folder = specs(tmp_path / "specs", sea=SEA.format(window=24))
    (cell, *_) = load([folder / "sea.toml"]).cells
    monkeypatch.chdir(tmp_path)
    record = measure(cell)
    assert record.status == "ok", record.failure
    assert record.data is not None
    assert list(record.data.files) == ["sea.csv"]
    assert cell.folder == str(folder)
    assert str(tmp_path) not in record.model_dump_json(), "a record tells nobody where it was made"


def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    spec = specs(tmp_path, sea=SEA.replace("data/sea.csv", "../sea.csv").format(window=24))
    with pytest.raises(SpecErrors, match="below the spec's folder or the data folder"):
        load([spec / "sea.toml"])


def test_a_window_longer_than_a_published_series_is_told_without_a_framework(
    tmp_path: Path,
) -> None:
    assert ROWS == {"weather_denmark": weather_denmark.ROWS, "beijing_pm25": beijing._ROWS}
    for name in ROWS:
        text = (
            SEA.format(window=400_000).replace('"csv"', f'"{name}"').split("[workload.series]")[0]
        )
        spec = specs(tmp_path / name, **{name: text}) / f"{name}.toml"
        with pytest.raises(SpecErrors) as refused:
            load([spec])
        (problem,) = refused.value.problems
        assert "a window of 400,000 steps is longer than the" in problem.message
        assert problem.place.source.startswith("window = ")
