"""Cells of several processes, run as the runner runs them or step by step."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from accelreport.results.reading import read_record
from accelreport.results.record import Record
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Measure
from tests.backend.strategies.plain_cnn import SEED, WORKLOAD
from tests.support import children
from tests.support.nets import dense
from tests.support.processes import PATIENCE_S, command_line, name

TWO_WORKERS = Device(kind="CPU", strategy="multi_worker_mirrored", workers=2, threads=1)

Start = Callable[..., "subprocess.Popen[bytes]"]
"""`start_child`, with somebody who cleans up."""

EVENTS = "events.jsonl"
"""What the process of a cell tells, in its folder."""

ENDLESS: dict[str, Any] = dense(64, 1, batch_size=64, steps_per_epoch=32, epochs=10_000)
"""A training that a test has to end, of a network that each process has soon traced."""


def cell(device: Device, workload: Mapping[str, Any] = WORKLOAD, **measure: Any) -> Cell:
    kind = workload.get("kind", "image_classification")
    conditions = Measure(warmup_steps=2, **measure)
    return children.cell(kind, workload, device=device, measure=conditions, seed=SEED)


def start_child(
    what: Cell, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """The cell's own process; its record will be `folder / "record.json"`."""
    folder.mkdir(exist_ok=True)
    with (folder / "log.txt").open("wb") as log, (folder / EVENTS).open("wb") as events:
        return subprocess.Popen(
            children.command(what, folder, events.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=log,
            pass_fds=[events.fileno()],
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )


def trains(folder: Path) -> bool:
    """Whether the process of a cell has told of a step."""
    return b'"progress"' in (folder / EVENTS).read_bytes()


def record_of(child: subprocess.Popen[bytes], folder: Path) -> Record:
    code = child.wait(PATIENCE_S)
    assert code == 0, (folder / "log.txt").read_text()[-3000:]
    return read_record(folder / "record.json")


def task_process(task: str, parent: int | None = None) -> psutil.Process | None:
    """The process of a task, known by the file of its orders, or as a fork by its name.

    Args:
        task: such as `worker:0`.
        parent: a process above it; this one unless said otherwise.
    """
    stem = task.replace(":", "-")
    for process in psutil.Process(parent).children(recursive=True):
        if f"{stem}.orders.json" in command_line(process) or name(process) == stem:
            return process
    return None


def wait_for(what: Callable[[], Any]) -> Any:
    """What it returns, as soon as that is true."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError(f"it did not happen within {PATIENCE_S:g} s")


def two_worker_configuration(ports: list[int], index: int) -> str:
    addresses = [f"127.0.0.1:{port}" for port in ports]
    return json.dumps(
        {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
    )
