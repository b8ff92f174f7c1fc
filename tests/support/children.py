"""Cells made by hand, and processes of their own, started as the runner starts them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from accelreport.backend import environment as backend_environment
from accelreport.backend.protocol import Job
from accelreport.results.reading import read_record
from accelreport.results.record import Record
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import CHILD, LocalLauncher
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Measure
from accelreport.workloads.registry import FAMILIES
from tests.support.forks import Forks

QUICKLY = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}
"""Environment of a process for which a few steps take less time than making them faster."""


def bare_cell(
    workload: Mapping[str, Any],
    *,
    device: Device | None = None,
    measure: Measure | None = None,
    seed: int = 3,
) -> Cell:
    """A cell whose workload is left as it is; of the CPU unless said otherwise."""
    return Cell(
        spec="test",
        profile="full",
        device="cpu",
        point={},
        repeat=0,
        seed=seed,
        workload=dict(workload),
        device_spec=device or Device(kind="CPU"),
        measure=measure or Measure(),
    )


def cell(kind: str, parameters: Mapping[str, Any], **conditions: Any) -> Cell:
    """A cell of a family, with the family's defaults; `conditions` as of `bare_cell`."""
    resolved = FAMILIES[kind].parameters(**{**parameters, "kind": kind})
    return bare_cell(resolved.model_dump(mode="json"), **conditions)


def job(what: Cell, folder: Path, events: int | None = None) -> Job:
    """The orders of a process that leaves `folder / "record.json"`."""
    folder.mkdir(exist_ok=True)
    path = folder / "record.json"
    return Job(
        cell=what,
        record_path=str(path),
        events_fd=events,
        launched_at=time.time(),
        launched_s=time.monotonic(),
    )


def command(what: Cell, folder: Path, events: int | None = None) -> list[str]:
    """What starts the process of a cell; its orders are written to `folder / "job.json"`."""
    orders = folder / "job.json"
    orders.write_text(job(what, folder, events).model_dump_json())
    return [*CHILD, str(orders)]


def python(
    *arguments: str, paths: Sequence[Path] = (), environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs Python with folders in front of its path."""
    path = os.pathsep.join([*map(str, paths), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        timeout=1200,
    )


def measured(
    what: Cell,
    folder: Path,
    *,
    paths: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
) -> Record:
    """The record that the process of a cell leaves, one that was started from nothing."""
    arguments = command(what, folder)[1:]
    done = python(*arguments, paths=paths, environment=environment)
    assert done.returncode == 0, done.stderr
    return read_record(folder / "record.json")


Measures = Callable[[Cell], Record]
"""The record of a cell, as a run on this machine has it."""


@contextmanager
def one_environment() -> Iterator[None]:
    """Leaves the name of the test out of the environment.

    Cells are forks of a process that has theirs: with the name in it, each test would wait for
    another import of TensorFlow.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        yield


@contextmanager
def forking(folder: Path) -> Iterator[Measures]:
    """Measures cells as runs do: in forks of processes that have imported TensorFlow already."""
    launcher = LocalLauncher(folder, backend_environment.environment, forks=Forks(folder))

    def measure(what: Cell) -> Record:
        with one_environment():
            return launcher.measure(
                what,
                stop=Stop(),
                on_event=lambda _: None,
                on_tick=lambda: None,
                on_file=lambda _: None,
            )

    yield measure
    launcher.close()
