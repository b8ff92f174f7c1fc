"""What works where only some of the dependencies are installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.results.store import Store
from tests.house.conftest import OF_PAGES
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
