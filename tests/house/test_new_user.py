"""Tasks of a new user, from the wheel in an empty folder: two files and three commands at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.support.program import alone

pytestmark = pytest.mark.e2e

MODEL = """
import keras
from keras import layers

def build(input_shape, outputs):
    hidden = layers.Dense(16, activation="relu")
    return keras.Sequential([keras.Input(input_shape), hidden, layers.Dense(outputs)])
"""

CNN = """
import keras
from keras import layers

def build():
    convolution = [layers.Conv2D(4, 3, activation="relu"), layers.GlobalAveragePooling2D()]
    end = layers.Dense(3, activation="softmax")
    return keras.Sequential([keras.Input((8, 8, 1)), *convolution, end])
"""


class NewUser:
    """Somebody in an empty folder who has the wheel and its dependencies.

    Args:
        folder: the empty folder.
        package: the unpacked wheel.
    """

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder = folder
        self._package = package
        self.commands = 0

    def calls(self, line: str) -> str:
        """What a command prints that must end well."""
        self.commands += 1
        environment = {**os.environ, **alone(self.folder.parent), "PYTHONPATH": str(self._package)}
        done = subprocess.run(
            [sys.executable, "-P", "-m", *line.split()],
            cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        return done.stdout

    def records(self) -> list[dict[str, object]]:
        """What was measured."""
        cells = sorted((self.folder / "results" / "cells").rglob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in cells]


@pytest.fixture
def user(wheel: Path, tmp_path: Path) -> NewUser:
    package, folder = tmp_path / "installed", tmp_path / "empty"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(package)
    folder.mkdir()
    return NewUser(folder, package)


def one_device(user: NewUser) -> None:
    """A smaller machine, so that the test is short: the spec is as it was written otherwise."""
    spec = user.folder / "specs" / "mine.toml"
    lines = spec.read_text(encoding="utf-8").splitlines()
    short = {"devices": 'devices = ["cpu-1", "cpu"]', "repeats": "repeats = 2"}
    lines = [short.get(line.partition(" ")[0], line) for line in lines]
    spec.write_text("\n".join(lines), encoding="utf-8")


def test_own_model_on_own_csv(user: NewUser) -> None:
    (user.folder / "model.py").write_text(MODEL)
    rows = (f"{i % 13},{'AB'[i % 2]},{i % 13 * 2.5}\n" for i in range(300))
    (user.folder / "train.csv").write_text("age,city,price\n" + "".join(rows))
    user.calls("accelreport new specs/mine.toml --model model.py:build --data train.csv")
    one_device(user)
    user.calls("accelreport run")
    user.calls("accelreport build")
    assert user.commands == 3
    assert "Mine" in (user.folder / "site" / "index.html").read_text(encoding="utf-8")
    statuses = [record["status"] for record in user.records()]
    assert statuses == ["ok"] * 4


def test_own_network_on_own_arrays(user: NewUser) -> None:
    (user.folder / "model.py").write_text(CNN)
    generator = np.random.default_rng(0)
    x = generator.integers(0, 256, (300, 8, 8), np.uint8)
    np.savez(user.folder / "img.npz", x=x, y=np.arange(300) % 3)
    user.calls("accelreport new specs/mine.toml --model model.py:build --data img.npz")
    one_device(user)
    user.calls("accelreport run")
    user.calls("accelreport build")
    assert user.commands == 3
    assert [record["status"] for record in user.records()] == ["ok"] * 4


def test_latency_at_1_8_and_64(user: NewUser) -> None:
    (user.folder / "model.py").write_text(CNN)
    printed = user.calls("accelreport try model.py:build --batch 1,8,64 --repeats 2")
    table = printed.partition("batch size")[2].splitlines()
    assert [row.split()[1] for row in table[1:4]] == ["1", "8", "64"]
    assert user.commands == 1
    assert len(user.records()) == 12
