"""Runs one cell as the runner does, and reads the record it leaves."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from accelreport.backend.job import Job
from accelreport.results.record import Record
from accelreport.spec.cells import Cell
from accelreport.spec.models import Device, Measure


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
        timeout=300,
    )


def measure(
    workload: Mapping[str, Any],
    folder: Path,
    *,
    paths: Sequence[Path] = (),
    budget: float = 60.0,
    warmup_steps: int = 2,
) -> Record:
    """The record of a cell with this workload."""
    cell = Cell(
        spec="test",
        profile="full",
        device="cpu",
        point={},
        repeat=0,
        seed=3,
        workload=dict(workload),
        device_spec=Device(kind="CPU"),
        measure=Measure(warmup_steps=warmup_steps, budget=budget),
    )
    job = Job(cell=cell, record_path=str(folder / "record.json"), launched_at=time.time())
    (folder / "job.json").write_text(job.model_dump_json())
    done = python("-m", "accelreport.backend.child", str(folder / "job.json"), paths=paths)
    assert done.returncode == 0, done.stderr
    return Record.model_validate_json((folder / "record.json").read_text())
