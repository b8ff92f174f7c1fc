"""The program as its users call it, on small specs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

Finished = subprocess.CompletedProcess[str]

DEVICES = """
schema = 1
[cpu]
kind = "CPU"
[tpu]
kind = "TPU"
strategy = "tpu"
"""

MNIST = """
schema = 1
title = "A small sweep"
devices = ["cpu", "tpu"]
baseline = "cpu"
[workload]
kind = "image_classification"
dataset = "mnist"
[sweep]
batch_size = [128, 256]
[measure]
repeats = 2
[profiles.quick]
"measure.repeats" = 1
"workload.epochs" = 2
"""

MATMUL = """
schema = 1
title = "Products"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "matmul"
size = 64
[measure]
repeats = 1
"""


def write_specs(root: Path, **files: str) -> Path:
    """The new folder `root / "specs"` with these files; the small specs above without any."""
    folder = root / "specs"
    folder.mkdir()
    for name, text in (files or {"devices": DEVICES, "mnist": MNIST, "matmul": MATMUL}).items():
        (folder / f"{name}.toml").write_text(text)
    return folder


def alone(temporary: Path) -> dict[str, str]:
    """Variables by which a run has a folder for temporary files, and a machine, to itself."""
    return {"TMPDIR": str(temporary), "ACCELREPORT_LOCK": str(temporary / "machine.lock")}


def call(folder: Path, *arguments: str, **variables: str) -> Finished:
    """Run `accelreport` in a folder, with its own folder for temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "accelreport", *arguments],
        cwd=folder,
        env={**os.environ, **alone(temporary), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


def executable(place: Path) -> Path:
    """Writes the command `accelreport`, which runs the code of this checkout, and returns it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).parents[2]
    program = f'PYTHONPATH="{root}" exec "{sys.executable}" -m accelreport "$@"'
    place.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    place.chmod(0o755)
    return place
