"""Looking at other processes, any of which may end while it is looked at."""

from __future__ import annotations

import time
from pathlib import Path

import psutil


def command_line(process: psutil.Process) -> str:
    """What it was started as; empty where it has ended meanwhile."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def parent_pid(process: psutil.Process) -> int | None:
    """The process that started it; None where it has ended meanwhile."""
    try:
        return int(process.ppid())
    except psutil.NoSuchProcess:
        return None


def processes_of(folder: Path) -> list[psutil.Process]:
    """Living processes whose command line or working files lie in a folder, but this one."""
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


def gone_within(seconds: float, folder: Path) -> bool:
    """Whether all processes of a folder end within a time."""
    deadline = time.monotonic() + seconds
    while (left := processes_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not left
