"""A spec as a notebook: valid, the same every time, and holding the spec as it is."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport import __version__, origin
from accelreport.errors import ExitCode, UsageError
from accelreport.loader.notebook import _literal, notebook
from accelreport.spec.problems import SpecErrors
from tests.house.tree import ROOT
from tests.support.notebooks import carried, run_all, shown, sources
from tests.support.program import alone, call

SPECS = sorted(path for path in (ROOT / "specs").glob("*.toml") if path.name != "devices.toml")


VALIDATE = """
import json, sys
import nbformat
for name, text in json.load(sys.stdin).items():
    try:
        nbformat.validate(nbformat.reads(text, as_version=4))
    except nbformat.ValidationError as error:
        print(name, error)
"""


@pytest.fixture(scope="module")
def notebooks() -> dict[str, str]:
    """The notebook of each shipped spec; each packs the wheel that it carries."""
    return {spec.stem: notebook(spec) for spec in SPECS}


def test_every_shipped_spec_becomes_a_valid_notebook(notebooks: dict[str, str]) -> None:
    # In a process of its own, since nbformat warns; in one, since it takes long to import.
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", VALIDATE],
        input=json.dumps(notebooks), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == ""
    assert len(notebooks) > 10


def test_a_notebook_is_the_same_every_time(notebooks: dict[str, str]) -> None:
    assert notebook(SPECS[0]) == notebooks[SPECS[0].stem]


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_a_notebook_of_a_shipped_spec_holds_it_as_it_is(
    spec: Path, notebooks: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = notebooks[spec.stem]
    monkeypatch.chdir(tmp_path)
    exec(sources(text)[0], {})  # noqa: S102 -- our own text
    for written in (spec, spec.with_name("devices.toml")):
        assert (tmp_path / "specs" / written.name).read_bytes() == written.read_bytes()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_any_text_comes_back_from_its_literal(content: str) -> None:
    assert ast.literal_eval(_literal(content).removesuffix("[1:]")) in (content, f"\n{content}")


WHEEL = f"accelreport-{__version__}-py3-none-any.whl"


@pytest.mark.parametrize(
    ("there", "driver", "expected"),
    [
        ({"tensorflow"}, None, WHEEL),
        (set(), None, f"{WHEEL}[cpu]"),
        (set(), "nvidia-smi", f"{WHEEL}[gpu]"),
        ({"tensorflow"}, "nvidia-smi", WHEEL),
        ({"accelreport", "tensorflow"}, None, None),
    ],
)
def test_a_runtime_keeps_the_tensorflow_it_has_and_gets_one_where_it_has_none(
    there: set[str],
    driver: str | None,
    expected: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    text = notebook(SPECS[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command[-1]))
    monkeypatch.setattr("shutil.which", lambda name: driver if name == driver else None)
    exec(sources(text)[1], {})  # noqa: S102 -- our own text
    assert asked == ([] if expected is None else [str(tmp_path / expected)])
    assert (tmp_path / WHEEL).is_file()


@pytest.mark.parametrize(
    ("direct_url", "expected"),
    [
        (
            {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}},
            "pip install 'accelreport[jax] @ git+https://example.org/a.git@12ab'",
        ),
        # Advice stands in records, too, which are published: it names no folder of the machine.
        (
            {"url": "file:///home/me/a-1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'a-1.0-py3-none-any.whl[jax]' in the folder of that file",
        ),
        (
            {"url": "file:///home/me/a", "dir_info": {}},
            "pip install '.[jax]' in the folder of accelreport's checkout",
        ),
        (None, "pip install '.[jax]' in the folder of accelreport's checkout"),
    ],
)
def test_an_extra_is_installed_from_where_the_program_came_from(
    direct_url: dict[str, Any] | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if direct_url is None else json.dumps(direct_url)
    monkeypatch.setattr(origin, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))
    assert origin.install_command("jax") == expected


MINE = """
schema = 1
title = "My network"
devices = ["cpu", "gpu"]
baseline = "cpu"

[workload]
kind = "keras"
model = "../model.py:build"
data = "../img.npz"
task = "classification"
batch_size = 32
epochs = 2

[measure]
repeats = 3
"""

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n'

MODEL = """
import keras

from layers_of_mine import hidden

def build(input_shape, outputs):
    flat = keras.layers.Flatten()
    return keras.Sequential([keras.Input(input_shape), flat, hidden(), keras.layers.Dense(outputs)])
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A spec of a model and data of somebody's own, in a folder of its own."""
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    (project / "specs" / "mine.toml").write_text(MINE)
    (project / "specs" / "devices.toml").write_text(DEVICES)
    (project / "model.py").write_text(MODEL)
    module = "import keras\ndef hidden():\n    return keras.layers.Dense(8)\n"
    (project / "layers_of_mine.py").write_text(module)
    x = np.random.default_rng(0).random((128, 4, 4)).astype("float32")
    np.savez(project / "img.npz", x=x, y=np.arange(128) % 2)
    return project / "specs" / "mine.toml"


def test_own_code_is_shown_and_own_data_are_carried(mine: Path) -> None:
    text = notebook(mine)
    visible = sources(text)[0]
    for name in ("specs/mine.toml", "specs/devices.toml", "model.py", "layers_of_mine.py"):
        assert f"texts[{name!r}] = " in visible
    assert set(carried(text).namelist()) == {WHEEL, "img.npz"}
    assert text == notebook(mine)


def test_data_that_a_notebook_cannot_carry_are_refused(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("accelreport.loader.notebook.LIMIT", 1000)
        with pytest.raises(UsageError, match="too large for a notebook"):
            notebook(mine)
    outside = mine.parents[2] / "img.npz"
    (mine.parents[1] / "img.npz").rename(outside)
    mine.write_text(MINE.replace("../img.npz", "../../img.npz"))
    with pytest.raises(UsageError, match=re.escape("../../img.npz")):
        notebook(mine)


STOP = """
import os, signal, threading, time
from pathlib import Path

def stop():
    while not list(Path("results/cells").rglob("*.json")):
        time.sleep(.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=stop, daemon=True).start()
"""


@pytest.mark.e2e
def test_an_interrupted_notebook_is_continued_and_says_which_devices_are_absent(
    mine: Path, tmp_path: Path
) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    file = runtime / "mine.ipynb"
    asked = call(mine.parents[1], "notebook", "specs/mine.toml", "-o", str(file))
    assert asked.returncode == ExitCode.OK
    text = file.read_text(encoding="utf-8")

    document = json.loads(text)
    pressed: dict[str, object] = {"cell_type": "code", "id": "stop", "metadata": {}, "outputs": []}
    pressed |= {"execution_count": None, "source": STOP}
    document["cells"].insert(3, pressed)
    file.write_text(json.dumps(document))
    variables = {**os.environ, **alone(tmp_path)}
    assert run_all(sys.executable, file, variables) == "KeyboardInterrupt"
    cells = runtime / "results" / "cells"
    first = {path: path.read_bytes() for path in cells.rglob("*.json")}
    assert 0 < len(first) < 6

    # A driver that lists a board where TensorFlow finds none.
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA T4'\n")
    program.chmod(0o755)
    file.write_text(text)
    variables["PATH"] = f"{program.parent}:{variables['PATH']}"
    assert run_all(sys.executable, file, variables) == ""
    _, installed, measured, packed = shown(file)
    assert "This is a GPU runtime." in installed
    assert "<table>" in measured
    assert "gpu: skipped (device not present)" in measured
    assert "results-" in packed
    later = {path: path.read_bytes() for path in cells.rglob("*.json")}
    assert len(later) == 6
    # Every run looks for absent devices again; what was measured is not measured again.
    kept = {p: data for p, data in first.items() if json.loads(data)["status"] == "ok"}
    assert kept.items() <= later.items()
    assert [json.loads(data)["status"] for data in later.values()].count("ok") == 3
    assert len(list(runtime.glob("results-*.zip"))) == 1


def test_a_notebook_that_is_there_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    target = tmp_path / "x.ipynb"
    target.write_text("mine")
    asked = ("notebook", str(SPECS[0]), "-o", str(target))
    told = call(tmp_path, *asked)
    assert told.returncode == ExitCode.USAGE
    assert "is there already" in told.stderr
    assert target.read_text() == "mine"
    assert call(tmp_path, *asked, "--force").returncode == ExitCode.OK
    assert json.loads(target.read_text(encoding="utf-8"))["nbformat"] == 4


def test_a_notebook_that_cannot_be_written_is_an_error_of_the_command_line(tmp_path: Path) -> None:
    done = call(tmp_path, "notebook", str(SPECS[0]), "-o", "missing/x.ipynb")
    assert done.returncode == ExitCode.USAGE
    assert "missing/x.ipynb cannot be written." in done.stderr


def test_a_wrong_spec_is_told_before_anything_is_written(tmp_path: Path) -> None:
    spec = tmp_path / "wrong.toml"
    spec.write_text("schema = 1\n")
    with pytest.raises(SpecErrors):
        notebook(spec)
