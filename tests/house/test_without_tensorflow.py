"""Where TensorFlow is not installed, everything works that measures nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from tests.house.tree import ROOT, module_name, sources
from tests.support.records import assorted, store_of, study

pytestmark = pytest.mark.e2e


def _run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, timeout=1200
    )


@pytest.fixture
def accelreport(plain_environment: Path, empty_folder: Path) -> Path:
    """The installed command, in an empty folder, without TensorFlow."""
    return plain_environment / "accelreport"


def test_tensorflow_is_really_not_there(plain_environment: Path, empty_folder: Path) -> None:
    for name in ("tensorflow", "keras"):
        told = _run(plain_environment / "python", "-c", f"import {name}")
        assert "ModuleNotFoundError" in told.stderr


ENGINES = ("accelreport.backend.frameworks.", "accelreport.workloads.numerics.")
"""Where a framework is imported as soon as the module is."""


def test_every_module_except_the_engines_is_imported_without_a_framework(
    plain_environment: Path, empty_folder: Path
) -> None:
    modules = [module_name(name) for name, _ in sources("accelreport")]
    light = [module for module in modules if not module.startswith(ENGINES)]
    light.remove("accelreport.__main__")
    lines = [
        *(f"import {module}" for module in light),
        f"assert {str(ROOT)!r} not in accelreport.__file__",
        "import sys",
        "assert not {'jax', 'torch'} & sys.modules.keys()",
    ]
    imported = _run(plain_environment / "python", "-W", "error", "-c", "\n".join(lines))
    assert imported.returncode == 0, imported.stderr


def test_an_empty_folder_is_told_the_commands_that_lead_to_a_report(
    accelreport: Path, empty_folder: Path
) -> None:
    told = _run(accelreport, "run")
    assert told.returncode == ExitCode.BAD_SPEC
    new, run, build = re.findall(r"`accelreport ([^`]*)`", told.stderr)
    assert build == "build"
    unbuilt = _run(accelreport, "build").stderr
    assert all(each in unbuilt for each in (new, run, build))
    written = _run(accelreport, *new.split())
    assert written.returncode == ExitCode.OK, written.stderr
    planned = _run(accelreport, *run.split(), "--dry-run")
    assert planned.returncode == ExitCode.OK, planned.stderr
    for name in ("mnist_batch_sweep", "devices"):
        text = (empty_folder / "specs" / f"{name}.toml").read_text(encoding="utf-8")
        assert text == (ROOT / "specs" / f"{name}.toml").read_text(encoding="utf-8")
        schema = empty_folder / "specs" / text.partition("#:schema ")[2].split("\n")[0]
        assert schema.read_text() == (ROOT / "specs/schema" / schema.name).read_text()


def test_the_shipped_specs_are_checked(accelreport: Path, empty_folder: Path) -> None:
    shutil.copytree(ROOT / "specs", empty_folder / "specs")
    told = _run(accelreport, "check", "specs")
    assert told.returncode == ExitCode.OK, told.stderr


def test_a_page_is_built_in_an_empty_folder(accelreport: Path, empty_folder: Path) -> None:
    store_of(empty_folder / "results", study("training", fate=assorted), study("matmul"))
    told = _run(accelreport, "build")
    assert told.returncode == ExitCode.OK, told.stderr
    index = (empty_folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "MNIST CNN: batch size" in index
    assert "Matrix product, cold and warm" in index
