"""The tutorial as a new user follows it, from the wheel in an empty folder.

Each of its first sections is a task of somebody with work of their own: at most two files of theirs
and three commands. The other sections are one task. The commands and the code are those of the
page; some get an option more, by which they measure less of the same.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from accelreport.errors import ExitCode
from tests.house.conftest import environment
from tests.house.documents import FENCE, text_of
from tests.support.notebooks import run_all, shown
from tests.support.program import alone

pytestmark = pytest.mark.e2e

PAGE = text_of("docs/tutorial.md")

SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^#+ ", PAGE, flags=re.MULTILINE)}
"""The text of each section of the tutorial, by its heading."""

HEADINGS = [heading for heading in SECTIONS if heading]
TASKS = HEADINGS[: HEADINGS.index("Install")]
REST = "".join(SECTIONS[heading] for heading in HEADINGS[len(TASKS) + 1 :])
"""What is behind the installation, from the file of devices to more repeats."""


class NewUser:
    """Somebody in an empty folder who has installed the wheel and follows a part of the tutorial.

    Args:
        folder: the empty folder.
        programs: where the command is installed.
        text: the part.
    """

    def __init__(self, folder: Path, programs: Path, text: str) -> None:
        self.folder = folder
        self.text = text
        found = [(block["language"], block["body"]) for block in FENCE.finditer(text)]
        self.code = [body for language, body in found if language == "python"]
        self.commands = [
            line for language, body in found if language == "sh" for line in body.splitlines()
        ]
        self.entered: set[int] = set()
        self.environment = {
            **os.environ,
            **alone(folder.parent),
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        self.environment.pop("PYTHONPATH", None)

    def enters(self, number: int, code: int = ExitCode.OK, *, less: str = "") -> str:
        """What a command of the part prints, which must end with this exit code.

        Args:
            number: of the command.
            code: expected.
            less: options by which it measures less.
        """
        self.entered.add(number)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{self.commands[number]} {less}"],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=1200,
        )  # fmt: skip
        assert done.returncode == code, f"{self.commands[number]}: {done.stdout}{done.stderr}"
        return done.stdout

    def statuses(self) -> list[str]:
        """What came of each cell."""
        cells = sorted((self.folder / "results" / "cells").rglob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8"))["status"] for path in cells]

    def page(self) -> str:
        """The text of the report's first page."""
        return (self.folder / "site" / "index.html").read_text(encoding="utf-8")


@pytest.fixture
def user(
    request: pytest.FixtureRequest, whole_environment: Path, tmp_path: Path
) -> Iterator[NewUser]:
    folder = tmp_path / "empty"
    folder.mkdir()
    made = NewUser(folder, whole_environment, request.param)
    yield made
    assert made.entered == set(range(len(made.commands))), "a command is not run"


FOLLOWED: list[str] = []
"""Headings of the sections that tests follow."""


def follows(heading: str) -> pytest.MarkDecorator:
    """Has a test follow a section of the tutorial."""
    FOLLOWED.append(heading)
    return pytest.mark.parametrize("user", [SECTIONS[heading]], indirect=True, ids=[""])


FIRST = "A first report of your own"
MODEL = next(b["body"] for b in FENCE.finditer(SECTIONS[FIRST]) if b["language"] == "python")


def write_table(folder: Path) -> None:
    """A model, and a table of four columns and one to predict."""
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    rows = (f"{i % 7},{i % 5},{i % 3},{i % 2},{i % 11 / 3}\n" for i in range(256))
    (folder / "train.csv").write_text("a,b,c,d,price\n" + "".join(rows), encoding="utf-8")


MINE = """
schema = 1
title = "Mine, elsewhere"
devices = ["cpu"]
baseline = "cpu"

[workload]
kind = "keras"
model = "../model.py:build"
data = "../train.csv"
target = "price"
task = "regression"
epochs = {epochs}

[measure]
repeats = {repeats}
"""


def write_spec(folder: Path, *, epochs: int, repeats: int) -> None:
    """The model, its table, and a spec of both for the CPU."""
    write_table(folder)
    (folder / "specs").mkdir()
    (folder / "specs" / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    (folder / "specs" / "mine.toml").write_text(MINE.format(epochs=epochs, repeats=repeats))


def test_a_model_is_measured_within_the_first_ten_lines() -> None:
    first = "\n".join(PAGE.splitlines()[:10])
    for command in ("new specs/mine.toml --model model.py:build", "run specs/mine.toml", "build"):
        assert f"accelreport {command}" in first


@follows(FIRST)
def test_own_model_on_own_table(user: NewUser) -> None:
    write_table(user.folder)
    for number in range(3):
        user.enters(number)
    assert "Mine" in user.page()
    assert "ok" in user.statuses()
    assert set(user.statuses()) <= {"ok", "skipped"}


@follows("Your network on your arrays")
def test_own_network_on_own_arrays(user: NewUser) -> None:
    (user.folder / "cnn.py").write_text(user.code[0])
    x = np.random.default_rng(0).integers(0, 256, (300, 8, 8, 1), np.uint8)
    np.savez(user.folder / "img.npz", x=x, y=np.arange(300) % 3)
    for number in range(3):
        user.enters(number)
    assert "Images" in user.page()
    assert user.statuses() == ["ok"] * 2


@follows("The latency at batch sizes of 1, 8 and 64")
def test_latency_at_1_8_and_64(user: NewUser) -> None:
    (user.folder / "model.py").write_text(MODEL)
    user.enters(0)
    printed = user.enters(1, less="--set measure.repeats=2")
    assert set(re.findall(r"batch_size=(\d+) ", printed)) == {"1", "8", "64"}
    assert user.statuses() == ["ok"] * 3 * 2


@follows("Two ways to compute the same result")
def test_two_ways_of_one_computation(user: NewUser) -> None:
    (user.folder / "specs").mkdir()
    (user.folder / "specs" / "step.py").write_text(user.code[0])
    user.enters(0)
    printed = user.enters(1, less="--set measure.repeats=2 --set measure.calls=200")
    user.enters(2)
    assert printed.count("BASELINE") == 1
    assert "Ways" in user.page()
    assert user.statuses() == ["ok"] * 4


@follows("Is XLA at least 1.3 times as fast for my model?")
def test_is_xla_at_least_so_fast(user: NewUser) -> None:
    (user.folder / "model.py").write_text(MODEL)
    user.enters(0)
    spec = user.folder / "specs" / "xla.toml"
    *lines, table, text, check = spec.read_text(encoding="utf-8").splitlines()
    claim = [line.removeprefix("# ") for line in (table, text, check)]
    assert text.split('"')[1] in " ".join(user.text.split())
    spec.write_text("\n".join([*lines, *claim, ""]), encoding="utf-8")
    verdict = r"(confirmed|refuted|undecided) +cpu-xla is at least 1.3 times as fast as cpu"
    assert re.search(verdict, user.enters(1, less="--set measure.repeats=2"))
    assert re.search(verdict, user.enters(2))


@follows("Is my change slower?")
def test_an_edited_model_is_compared_and_held_by_the_gate(user: NewUser) -> None:
    # Enough steady steps, as many repeats as a gate needs, and an edit that beats any load.
    write_spec(user.folder, epochs=40, repeats=3)
    model = user.folder / "model.py"
    user.enters(0)
    model.write_text(MODEL.replace('layers.Dense(64, "relu")', 'layers.Dense(100_000, "relu")'))
    user.enters(1)
    printed = user.enters(2, ExitCode.SLOWER)
    assert re.search(r"code changed: \S*model\.py, 1 line", printed)
    assert "FAILS" in printed


@follows("The free GPU or TPU of Colab")
def test_the_archive_of_a_notebook_becomes_a_page(user: NewUser, tmp_path: Path) -> None:
    write_spec(user.folder, epochs=3, repeats=2)
    user.enters(0)
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    file = (user.folder / "mine.ipynb").rename(runtime / "mine.ipynb")
    # A runtime that has TensorFlow, and has never heard of accelreport.
    programs = environment(tmp_path / "elsewhere", None)
    variables = {**user.environment, "PATH": f"{programs}:{os.environ['PATH']}"}
    assert run_all(programs / "python", file, variables) == ""
    assert "This is a CPU runtime." in shown(file)[1]
    (archive,) = runtime.glob("results-*.zip")
    archive.rename(user.folder / archive.name)
    user.enters(1)
    user.enters(2)
    assert "Mine, elsewhere" in user.page()
    assert user.statuses() == ["ok"] * 2


@pytest.mark.parametrize("user", [REST], indirect=True, ids=[""])
def test_a_spec_of_ones_own_from_the_devices_to_the_page(user: NewUser) -> None:
    for block in FENCE.finditer(REST):
        if block["language"] == "toml":
            (*_, name) = re.findall(r"`(specs/\w+\.toml)`", REST[: block.start()])
            (user.folder / name).parent.mkdir(exist_ok=True)
            # Little work: nobody looks at what is measured here.
            text = block["body"].replace("count = 800", "count = 20")
            (user.folder / name).write_text(text, encoding="utf-8")
    printed = [user.enters(number) for number in range(len(user.commands))]
    checked = next(text for text in printed if "no errors" in text)
    _, _, reading, counted = checked.splitlines()
    assert f"`{reading.strip()}`" in REST
    assert f"`{counted}`" in REST
    assert "Matrix products: do more threads pay?" in user.page()
    # Two sizes on two devices that every machine has, with three seeds, and the GPU's.
    assert len(user.statuses()) == 3 * 2 * 3
    assert re.search(r"products \(full\): \d+ run, \d+ done", printed[-1])


def test_every_section_before_the_installation_is_followed_and_short() -> None:
    assert FOLLOWED == TASKS
    for heading in FOLLOWED:
        blocks = FENCE.finditer(SECTIONS[heading])
        commands = "".join(block["body"] for block in blocks if block["language"] == "sh")
        assert len(commands.splitlines()) <= 3
