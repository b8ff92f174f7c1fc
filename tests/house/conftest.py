"""The wheel, and an environment in which it is installed and TensorFlow is not."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.support.workers import made_once

NOT_INSTALLED = ("tensorflow", "keras", "accelreport", "_editable", "__editable__", "__pycache__")


def _not_wanted(name: str) -> bool:
    # `.pth` files would bring back the folder from which the package is linked.
    return name.endswith(".pth") or name.lower().lstrip("~").startswith(NOT_INSTALLED)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the tree without a network."""

    def build(out: Path) -> None:
        target = ["--target", "wheel", "--directory", str(out)]
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", *target],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )

    out = made_once(tmp_path_factory, "wheel", build)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def plain_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with the wheel and its dependencies, but no TensorFlow.

    The dependencies are links to the ones that run the tests; what is not linked is not
    installed there, as on a machine that only builds pages.
    """
    folder = tmp_path_factory.mktemp("plain") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    site = Path(
        sysconfig.get_path("purelib", "venv", vars={"base": str(folder), "platbase": str(folder)})
    )
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not _not_wanted(entry.name):
            (site / entry.name).symlink_to(entry)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        check=True,
        capture_output=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    return folder / "bin"


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, with a cache of its own and no link to the tree."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("ACCELREPORT_DATA", str(tmp_path / "data"))
    return folder
