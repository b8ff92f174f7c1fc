"""What works where only some of the dependencies are installed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from accelreport.errors import ExitCode
from accelreport.results.store import Store
from tests.house.conftest import OF_PAGES, environment
from tests.house.documents import FENCE, text_of
from tests.house.tree import ROOT
from tests.support.children import QUICKLY
from tests.support.program import alone, write_specs

pytestmark = pytest.mark.e2e

DEVICES = """
schema = 1
[cpu-jax]
kind = "CPU"
framework = "jax"
"""

PRODUCTS = """
schema = 1
title = "Products"
devices = ["cpu-jax"]
baseline = "cpu-jax"
[workload]
kind = "matmul"
size = 64
count = 10
[measure]
repeats = 2
calls = 3
"""


def _run(program: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        env={"PATH": str(program.parent), **alone(Path.cwd()), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


def test_a_machine_that_only_measures_needs_nothing_that_pages_are_made_with(
    measuring_environment: Path, empty_folder: Path
) -> None:
    for name in OF_PAGES:
        told = _run(measuring_environment / "python", "-c", f"import {name}")
        assert "ModuleNotFoundError" in told.stderr
    write_specs(empty_folder, devices=DEVICES, products=PRODUCTS)
    told = _run(measuring_environment / "accelreport", "run")
    assert told.returncode == ExitCode.OK, told.stdout + told.stderr
    # The results at the end are there as well.
    assert "2 measured" in told.stdout + told.stderr
    assert "Next: accelreport build" in told.stdout
    records = list(Store(empty_folder / "results").records())
    assert [record.status for record in records] == ["ok", "ok"]


FRAMEWORKS = {"jax": "JAX", "torch": "PyTorch"}
"""Frameworks that measure where TensorFlow is not installed."""

(COMMANDS,) = [
    block["body"].splitlines()
    for block in FENCE.finditer(text_of("README.md"))
    if block["body"].startswith("accelreport new")
]
"""What README tells a new user to enter in an empty folder."""

LESS = "--filter spec=matmul --set measure.repeats=1"
"""Options by which a test measures less of the same."""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_commands_of_the_readme_measure_and_build_with_one_framework_and_no_tensorflow(
    framework: str, wheel: Path, empty_folder: Path, tmp_path: Path
) -> None:
    others = ("tensorflow", *FRAMEWORKS.keys() - {framework})
    programs = environment(tmp_path / "venv", wheel, without=others)
    for name in others:
        told = _run(programs / "python", "-c", f"import {name}")
        assert "ModuleNotFoundError" in told.stderr
    for command in COMMANDS:
        less = LESS if command.startswith("accelreport run") else ""
        told = _run(Path("/bin/bash"), "-c", f'PATH="{programs}:$PATH" {command} {less}', **QUICKLY)
        assert told.returncode == ExitCode.OK, f"{command}: {told.stdout}{told.stderr}"
    records = [r for r in Store(empty_folder / "results").records() if r.status != "skipped"]
    assert [(r.status, any(block.steady for block in r.blocks)) for r in records] == [
        ("ok", True)
    ] * 2
    for record in records:
        assert record.cell.device in {f"cpu-{framework}", f"cpu-{framework}-1"}
        assert record.cell.device_spec.framework == framework
        assert record.environment is not None
        assert record.environment.runtime["framework"].startswith(FRAMEWORKS[framework])
        assert "tensorflow" not in record.environment.packages
    index = (empty_folder / "site" / "index.html").read_text(encoding="utf-8")
    assert FRAMEWORKS[framework] in index
    assert "not installed" not in index
    page = min((empty_folder / "site").glob("matmul.quick*.html"))
    assert f", {FRAMEWORKS[framework]}" in page.read_text(encoding="utf-8")
    listed = _run(programs / "accelreport", "devices").stdout
    for row, verdict in {
        "cpu": f"can run on {FRAMEWORKS[framework]}",
        "cpu-xla": "cannot run: TensorFlow is not installed: pip",
        "gpu": "cannot run: no GPU on this machine",
    }.items():
        assert re.search(rf"^{row} +[CG]PU  {verdict}", listed, re.MULTILINE), listed


def test_ci_enters_the_same_commands_with_each_framework_alone() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["alone"]
    assert job["strategy"]["matrix"]["framework"] == list(FRAMEWORKS)
    entered = "\n".join(step.get("run", "") for step in job["steps"]).splitlines()
    assert [line for line in entered if line.startswith("accelreport ")] == [
        command.partition("#")[0].strip() for command in COMMANDS
    ]
