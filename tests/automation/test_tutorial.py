"""The tutorial, done as a reader does it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.house.documents import FENCE, blocks, text_of
from tests.support.program import alone, executable

pytestmark = pytest.mark.e2e

PAGE = "docs/tutorial.md"


def shorter(spec: str) -> str:
    """The spec with little work: what is measured here is looked at by nobody."""
    return spec.replace("count = 800", "count = 20")


def save_files(folder: Path) -> list[str]:
    """Saves each TOML block under the name that the text before it gives."""
    names = []
    text = text_of(PAGE)
    for found in FENCE.finditer(text):
        if found["language"] == "toml":
            (*_, name) = re.findall(r"`([\w/]+\.toml)`", text[: found.start()])
            names.append(name)
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(shorter(found["body"]), encoding="utf-8")
    return names


def own_files(folder: Path) -> Path:
    """A folder with the model of the tutorial, and a table of four numbers and one to predict."""
    folder.mkdir()
    (model,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    (folder / "model.py").write_text(model, encoding="utf-8")
    rows = (f"{i % 7},{i % 5},{i % 3},{i % 2},{i % 11 / 3}\n" for i in range(256))
    (folder / "train.csv").write_text("a,b,c,d,price\n" + "".join(rows), encoding="utf-8")
    return folder


def test_the_tutorial_measures_ones_own_model_within_its_first_ten_lines() -> None:
    first = "\n".join(text_of(PAGE).splitlines()[:10])
    assert "accelreport try model.py:build" in first
    assert "accelreport run" in first


def test_every_command_of_the_tutorial_works_in_its_order(tmp_path: Path) -> None:
    assert save_files(tmp_path) == ["specs/devices.toml", "specs/products.toml"]
    program = executable(tmp_path / "bin" / "accelreport", forked=True)
    said: list[str] = []
    own, _, *shown = [block.text for block in blocks(PAGE) if block.language == "sh"]
    folder = own_files(tmp_path / "own")
    lines = [(folder, line) for line in own.splitlines()]
    for place, line in [*lines, *((tmp_path, line) for line in "".join(shown).splitlines())]:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=place,
            env={
                **os.environ,
                "PATH": f"{program.parent}:{os.environ['PATH']}",
                **alone(tmp_path),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said.append(done.stdout)
    text = text_of(PAGE)
    checked = next(each for each in said if "no errors" in each)
    _, _, reading, counted = checked.splitlines()
    assert f"`{reading.strip()}`" in text
    assert f"`{counted}`" in text
    assert "Matrix products: do more threads pay?" in (tmp_path / "site" / "index.html").read_text(
        encoding="utf-8"
    )
    # Two sizes on two devices that every machine has, with two seeds, and the GPU's.
    assert len(list((tmp_path / "results" / "cells").iterdir())) == 3 * 2 * 2
    assert re.search(r"products \(full\): \d+ run, \d+ done", said[-1])
