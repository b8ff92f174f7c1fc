"""The program as its users call it, on small specs."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.support.program_server import ROOT, ask

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
    """Run `accelreport` in a folder, with its own folder for temporary files.

    It is a fork of a process that has imported the program, since Python's start takes most of
    the time of most calls.
    """
    return program(folder, arguments, _environment(folder, variables))


def program(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str] = os.environ
) -> Finished:
    """What `call` does, in an environment that is left as it is."""
    done = _forked(folder, arguments, environment)
    return done or _started(folder, arguments, environment)


def call_from_nothing(folder: Path, *arguments: str, **variables: str) -> Finished:
    """What `call` does, in a Python that is started for it, as people start it."""
    return _started(folder, arguments, _environment(folder, variables))


def _environment(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    return {**os.environ, **alone(temporary), **variables}


def _started(folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> Finished:
    return subprocess.run(
        [sys.executable, "-m", "accelreport", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )


def _forked(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str]
) -> Finished | None:
    """What a fork of the program's server did; None where it must be started from nothing."""
    if (where := server()) is None:
        return None
    with (
        Path(os.devnull).open() as nothing,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as error,
    ):
        files = [file.fileno() for file in (nothing, out, error)]
        code = ask(where, arguments, str(folder), environment, files)
        if code is None:
            return None
        said = []
        for file in (out, error):
            file.seek(0)
            said.append(file.read())
    return Finished(arguments, code, *said)


@cache
def server() -> str | None:
    """The socket of a server of the program, which lives as long as this process.

    None outside Linux, whose libraries are made to be forked.
    """
    if sys.platform != "linux":
        return None
    where = str(Path(tempfile.mkdtemp(prefix="program-")) / "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.program_server", "serve", where],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"

    @atexit.register
    def end() -> None:
        process.communicate()
        shutil.rmtree(Path(where).parent)

    return where


def executable(place: Path, *, forked: bool = False) -> Path:
    """Writes the command `accelreport`, which runs the code of this checkout, and returns it.

    Args:
        place: where.
        forked: whether it is a fork of the program's server where it can be, as in `call`.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    what = "-m accelreport"
    if forked and (where := server()):
        what = f'-I -S "{ROOT}/tests/support/program_server.py" ask "{where}" accelreport'
    program = f'PYTHONPATH="{ROOT}" exec "{sys.executable}" {what} "$@"'
    place.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    place.chmod(0o755)
    return place
