"""Somebody of a telling name runs and builds: what they publish does not say who they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelreport.results.store import Store
from tests.support.private import HOST, PROGRAM, USER, found_in
from tests.support.program import Finished, call_from_nothing, write_specs
from tests.support.program_server import ROOT

pytestmark = pytest.mark.e2e

SPEC = """
schema = 1
title = "A step that talks"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "python"
file = "step.py"
batch_size = 4
[sweep]
"options.fails" = [false, true]
[measure]
repeats = 1
calls = 4
warmup_calls = 1
"""

STEP = """
import getpass, platform
from pathlib import Path

import numpy as np


def build(batch_size, seed, fails=False):
    who = f"{getpass.getuser()}@{platform.node()}"
    print(f"{who} of {platform.node()} by {getpass.getuser()} in {Path.home()}/data", flush=True)
    if fails:
        raise RuntimeError(f"{Path.home()}/data is not on {platform.node()}")
    return lambda batch: batch.sum(), [np.random.default_rng(seed).random(batch_size)]
"""

MACHINE = f"""
import platform, socket
platform.node = socket.gethostname = lambda: "{HOST}"
"""
"""What every Python here imports first."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / USER / "project"
    folder.mkdir(parents=True)
    specs = write_specs(folder, devices='schema = 1\n[cpu]\nkind = "CPU"\n', talks=SPEC)
    (specs / "step.py").write_text(STEP)
    (tmp_path / "machine").mkdir()
    (tmp_path / "machine" / "sitecustomize.py").write_text(MACHINE)
    return folder


@pytest.fixture
def neighbour() -> Iterator[subprocess.Popen[bytes]]:
    """A program that computes beside the cells."""
    busy = f"open('/proc/self/comm', 'w').write('{PROGRAM}')\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", busy], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def call(project: Path, *arguments: str) -> Finished:
    home = project.parent
    return call_from_nothing(
        project,
        *arguments,
        HOME=str(home),
        USER=USER,
        LOGNAME=USER,
        PYTHONPATH=os.pathsep.join([str(home.parents[1] / "machine"), str(ROOT)]),
    )


def test_what_is_run_and_built_names_neither_user_nor_home_nor_host_nor_programs(
    project: Path, neighbour: subprocess.Popen[bytes]
) -> None:
    ran = call(project, "run", "--no-fork")
    neighbour.kill()
    assert ran.returncode == 4, ran.stderr
    assert f"{USER}/data is not on {HOST}" in ran.stdout, "the one who runs it reads what happened"
    records = list(Store(project / "results").records())
    assert sorted(record.status for record in records) == ["failed", "ok"]
    for record in records:
        assert "user@host-1 of host-1 by user in ~/data" in record.log_tail
    (failure,) = [record.failure for record in records if record.failure]
    assert failure.message.endswith("RuntimeError: ~/data is not on host-1")
    built = call(project, "build")
    assert built.returncode == 0, built.stderr
    single = call(project, "build", "--single-file")
    assert single.returncode == 0, single.stderr
    folders = (project / "results", project / "site", project / "report.html")
    assert found_in(*folders) == []

    looked = call(project, "results", "private", "--json")
    kinds = {row["what"] for row in json.loads(looked.stdout)}
    assert kinds <= {"path", "variable"}, "nothing is left to be replaced"
