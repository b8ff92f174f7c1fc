"""`accelreport run` with TensorFlow, on the smallest spec there is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from accelreport.errors import ExitCode
from accelreport.results.store import Store
from tests.support.processes import PATIENCE_S, command_line, processes_of, soon
from tests.support.program import Finished, alone, call_from_nothing, write_specs

pytestmark = pytest.mark.e2e

DEVICES = """
schema = 1
[cpu]
kind = "CPU"
[gpu]
kind = "GPU"
"""

PRODUCTS = """
schema = 1
title = "Small products"
devices = ["cpu", "gpu"]
baseline = "cpu"
[workload]
kind = "matmul"
count = 4
[sweep]
size = [32]
[measure]
repeats = 1
calls = 3
[[claims]]
text = "The GPU is faster"
check = { ratio = "tflops", of = "gpu", over = "cpu", at_least = 1.0 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_specs(tmp_path, devices=DEVICES, products=PRODUCTS)
    return tmp_path


def run(folder: Path, *arguments: str) -> Finished:
    return call_from_nothing(folder, "run", "--device", "cpu", *arguments)


def test_a_run_measures_resumes_and_becomes_a_page(folder: Path) -> None:
    first = run(folder)
    assert first.returncode == ExitCode.OK, first.stderr
    assert "✓ cpu size=32 #0" in first.stdout
    assert "TFLOPS" in first.stdout
    assert "Small products (products, full)" in first.stdout
    assert first.stdout.endswith("Next: accelreport build\n")
    assert first.stderr == "", "TensorFlow's own words belong into the record"

    (record,) = Store(folder / "results").records()
    assert record.status == "ok"
    times = record.times
    assert times.process_s is not None
    assert times.import_s is not None
    assert times.wall_s is not None
    own = times.process_s + times.import_s - (times.prepared_s or 0)
    assert times.wall_s > own > 0
    assert record.environment is not None

    again = run(folder, "--json")
    end = json.loads(again.stdout.splitlines()[-1])
    assert (end["ok"], end["done_before"]) == (0, 1)

    built = call_from_nothing(folder, "build")
    assert built.returncode == ExitCode.OK, built.stderr
    assert "Small products" in (folder / "site" / "index.html").read_text()


def _loading(run: int) -> list[psutil.Process]:
    """Processes of a run that load TensorFlow."""
    children = psutil.Process(run).children(recursive=True)
    return [each for each in children if "accelreport.backend" in command_line(each)]


def test_ctrl_c_while_tensorflow_loads_ends_the_run_and_does_not_wait_for_it(folder: Path) -> None:
    temporary = folder / "tmp"
    temporary.mkdir()
    program = subprocess.Popen(
        [sys.executable, "-m", "accelreport", "run", "--device", "cpu", "--json"],
        cwd=folder,
        env={**os.environ, **alone(temporary)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    for line in program.stdout:
        if json.loads(line)["event"] == "cell-event":
            break
    # Not before it is a program of its own: until then the run waits in the kernel for it.
    loading = partial(_loading, program.pid)
    assert soon(loading)
    for process in loading():
        process.suspend()
    program.send_signal(signal.SIGINT)
    rest, _ = program.communicate(timeout=PATIENCE_S)

    assert program.returncode == ExitCode.INTERRUPTED
    assert json.loads(rest.splitlines()[-1])["stopped_by"] == "SIGINT"
    assert processes_of(temporary) == []
