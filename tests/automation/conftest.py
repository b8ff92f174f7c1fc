"""A small project that was measured once, and results folders to compare it with."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from accelreport.results.store import Store
from tests.support.program import call, write_specs
from tests.support.workers import made_once

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n'

PRODUCTS = """\
schema = 1
title = "Products"
devices = ["cpu"]
[workload]
kind = "matmul"
size = 256
[measure]
repeats = 3
calls = 4
"""


def paced(results: Path, out: Path, factor: float) -> Path:
    """A copy of a results folder in which every step took `factor` times as long.

    Of its processor nothing is known, so that no rate is more than it can do.
    """
    unknown: dict[str, Any] = {
        "cpu": "a processor",
        "vector": [],
        "clock_max_mhz": None,
        "roofs": None,
    }
    store, copy = Store(results), Store(out)
    for plan in store.plans():
        copy.write_plan(plan)
    for record in store.records():
        blocks = [
            block.model_copy(
                update={"wall_s": block.wall_s * factor, "cpu_s": block.cpu_s * factor}
            )
            for block in record.blocks
        ]
        assert record.environment
        environment = record.environment.model_copy(update=unknown)
        copy.write(record.model_copy(update={"blocks": blocks, "environment": environment}))
    return out


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose specs were measured, with baselines beside them: slower, faster, shorter."""

    def make(folder: Path) -> None:
        folder.mkdir()
        write_specs(folder, devices=DEVICES, products=PRODUCTS)
        done = call(folder, "run", "specs", "--quiet")
        assert done.returncode == 0, done.stderr
        paced(folder / "results", folder / "slow", 10.0)
        paced(folder / "results", folder / "fast", 0.1)
        # One process gives no interval.
        one = paced(folder / "results", folder / "one", 0.9)
        next((one / "cells").iterdir()).unlink()
        shutil.rmtree(folder / "tmp")

    return made_once(tmp_path_factory, "measured", make)


@pytest.fixture
def project(measured: Path, tmp_path: Path) -> Path:
    """The project to work in; nothing of it has to be measured again."""
    return shutil.copytree(measured, tmp_path / "project")
