"""What a program takes: seconds, CPU seconds, and memory.

This module imports nothing of accelreport: the memory that the system tells of a process counts
that of the one it was started by, so who measures has to stay small.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a program took: seconds by the wall, CPU seconds of it and its children, and MB."""

    wall: float
    cpu: float
    memory: float
    output: str = ""


def cost_of(
    command: list[str],
    cache: Path,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    told: Path | None = None,
) -> Cost:
    """Runs a program to its end; the memory is that of its largest process.

    Args:
        command: the program and its arguments.
        cache: its `ACCELREPORT_CACHE`.
        environment: further variables.
        folder: where it is started; here when absent.
        told: takes what it prints, the beginning of which is then in the result; else that is
            thrown away.

    Raises:
        SystemExit: it failed.
    """
    started = time.perf_counter()
    variables = os.environ | {"ACCELREPORT_CACHE": str(cache)} | dict(environment or {})
    with (told or Path(os.devnull)).open("wb") as output:
        process = subprocess.Popen(command, stdout=output, env=variables, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes here
    printed = told.read_bytes()[:10_000].decode(errors="replace") if told else ""
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, printed)
