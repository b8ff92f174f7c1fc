"""The second part of the tutorial, done as a reader does it; `test_new_user` does the first."""

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


def test_every_command_of_the_tutorial_works_in_its_order(tmp_path: Path) -> None:
    assert save_files(tmp_path) == ["specs/devices.toml", "specs/products.toml"]
    program = executable(tmp_path / "bin" / "accelreport", forked=True)
    said: list[str] = []
    begins = text_of(PAGE).partition("## Say what to run on")[0].count("\n")
    shown = [b.text for b in blocks(PAGE) if b.language == "sh" and b.line > begins]
    for line in "".join(shown).splitlines():
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=tmp_path,
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
