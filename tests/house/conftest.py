"""The wheel, and environments in which it is installed, with TensorFlow and without."""

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

FRAMEWORKS = ("tensorflow", "keras")
OF_PAGES = ("altair", "segno", "vl_convert", "jinja2")
OURS = ("accelreport", "_editable", "__editable__", "__pycache__")


def environment(folder: Path, wheel: Path | None, *, without: tuple[str, ...] = ()) -> Path:
    """The `bin` of an environment with the dependencies, and the wheel where one is given.

    The dependencies are links to the ones that run the tests; what is not linked is not
    installed there.

    Args:
        folder: where it is made.
        wheel: what is installed in it.
        without: beginnings of names that are not linked.
    """
    venv.create(folder, with_pip=False, symlinks=True)
    base = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", vars=base))
    known = [Path(place) for place in sys.path if Path(place).name == site.name]
    for entry in (entry for place in known for entry in place.iterdir()):
        # `.pth` files would bring back the folder from which the package is linked.
        left_out = entry.name.lower().lstrip("~").startswith((*OURS, *without))
        if not (left_out or entry.suffix == ".pth"):
            (site / entry.name).symlink_to(entry)
    if wheel is not None:
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
        subprocess.run(
            [folder / "bin" / "python", *install],
            check=True,
            capture_output=True,
            env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
    return folder / "bin"


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
    """The `bin` of an environment without TensorFlow, as on a machine that only builds pages."""
    return environment(tmp_path_factory.mktemp("plain") / "venv", wheel, without=FRAMEWORKS)


@pytest.fixture(scope="session")
def measuring_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment without what only pages need."""
    return environment(tmp_path_factory.mktemp("measuring") / "venv", wheel, without=OF_PAGES)


@pytest.fixture(scope="session")
def whole_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with the wheel and TensorFlow, as on a machine that measures."""
    return environment(tmp_path_factory.mktemp("whole") / "venv", wheel)


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, with a cache of its own and no link to the tree."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("ACCELREPORT_DATA", str(tmp_path / "data"))
    return folder
