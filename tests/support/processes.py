"""Looking at other processes, any of which may end while it is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil

PATIENCE_S = 300.0
"""Seconds within which anything happens that is going to; what hangs on purpose does so for 600."""


def command_line(process: psutil.Process) -> str:
    """What it was started as; empty where it has ended meanwhile."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def name(process: psutil.Process) -> str:
    """Its name; empty where it has ended meanwhile."""
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


def parent_pid(process: psutil.Process) -> int | None:
    """The process that started it; None where it has ended meanwhile."""
    try:
        return int(process.ppid())
    except psutil.NoSuchProcess:
        return None


def kill(process: psutil.Process) -> bool:
    """Kill it; whether it had not ended by itself meanwhile."""
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def processes_of(folder: Path) -> list[psutil.Process]:
    """Living processes whose command line names a folder, or something in it."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        command = " ".join(process.info["cmdline"] or [])
        dead = process.info["status"] == psutil.STATUS_ZOMBIE
        if str(folder) in command and not dead:
            found.append(process)
    return found


def gone(process: psutil.Process) -> bool:
    """Whether it runs no more; one that nobody has reaped yet is dead all the same."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def gone_soon(folder: Path) -> bool:
    """Whether all processes of a folder end by themselves, as fast as a loaded machine lets them.

    Cells that hang on purpose do so for longer.
    """
    return soon(lambda: not processes_of(folder))


def soon(happens: Callable[[], object]) -> bool:
    """Whether something happens, however long a loaded machine takes to come to it."""
    deadline = time.monotonic() + PATIENCE_S
    while not (happened := bool(happens())) and time.monotonic() < deadline:
        time.sleep(0.02)
    return happened
