"""What went on around the windows: other processes' load, and the clock of the device."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

from accelreport.backend.checks import CheckLog
from accelreport.machine.nvidia import DriverError, answered, boards, visible
from accelreport.results.record import OTHER_LOAD

ANSWER_WITHIN_S = 5
"""NVIDIA's driver tells a clock in a tenth of a second, or it is in trouble."""

FELL = 0.10
"""A clock this share lower at the end than at the beginning is a device that slowed down."""

SHOWN = 3
"""Other processes that are named."""

LEAST_SHARE = 0.03
"""Cores below which a process is not worth naming."""


@dataclass(frozen=True)
class Clock:
    """The clock of a device at one moment; None where the machine does not say.

    Attributes:
        mhz: its frequency.
        hindrances: how often it was slowed down so far, or whether it is now (0 or 1).
    """

    mhz: float | None = None
    hindrances: int | None = None


def cpu_clock(root: Path = Path("/sys/devices/system/cpu")) -> Clock:
    """The CPUs' mean frequency and their count of thermal slow-downs, where Linux tells them."""
    speeds = [_number(each) for each in root.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")]
    counts = [_number(each) for each in root.glob("cpu[0-9]*/thermal_throttle/core_throttle_count")]
    known = [speed for speed in speeds if speed is not None]
    return Clock(
        mhz=sum(known) / len(known) / 1e3 if known else None,
        hindrances=int(sum(count or 0 for count in counts)) if counts else None,
    )


def gpu_clock(number: int = 0, variables: Mapping[str, str] = os.environ) -> Clock:
    """The clock of a GPU, and whether its driver slows it down.

    Args:
        number: CUDA's number of it in this process.
        variables: environment variables, for which GPUs CUDA shows.
    """

    def clock() -> Clock:
        shown = visible(boards(), variables)
        if number >= len(shown.boards) or (len(shown.boards) > 1 and not shown.ordered):
            return Clock()  # which of them has this number is not known
        board = shown.boards[number]
        return Clock(board.sm_mhz(), int(board.hindered()))

    try:
        return answered(clock, ANSWER_WITHIN_S)
    except DriverError:
        return Clock()  # no driver, or one that does not tell it


def judge_clock(found: CheckLog, before: Clock, after: Clock) -> None:
    """Whether the device was slowed down between the first window and the last."""
    if before.mhz is None and before.hindrances is None:
        found.inapplicable("clock-fell", "the machine does not tell the clock of this device")
        return
    rose = (after.hindrances or 0) > (before.hindrances or 0)
    share = 1 - after.mhz / before.mhz if before.mhz and after.mhz else 0.0
    speeds = (
        f"{before.mhz:.0f} MHz before and {after.mhz:.0f} after"
        if before.mhz and (after.mhz)
        else "no frequency is told"
    )
    found.judge(
        "clock-fell",
        sound=not rose and share <= FELL,
        expected="the same clock at the end as at the beginning, and nothing that slows it down",
        seen=f"{speeds}; slow-downs: {before.hindrances} before, {after.hindrances} after",
    )


class Used(NamedTuple):
    """A process's name and the CPU seconds it has used since it began."""

    name: str
    seconds: float


class OtherProcesses:
    """CPU time of every process that is not the cell's, from its making to `judge`.

    Processes of this one's group, and those it started, are the cell's.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._before = _used()

    def judge(self, found: CheckLog, other_cores: float | None) -> None:
        """Note how busy others were.

        Args:
            found: takes the check.
            other_cores: cores that others kept busy inside the windows, by the machine's own
                count; it also holds processes that came and went.
        """
        wall = time.perf_counter() - self._began
        none = Used("", 0.0)
        shares = [
            ((used.seconds - self._before.get(key, none).seconds) / wall, used.name)
            for key, used in _used().items()
        ]
        top = [each for each in sorted(shares, reverse=True) if each[0] >= LEAST_SHARE][:SHOWN]
        named = ", ".join(f"{name} {share:.2f}" for share, name in top)
        said = "unknown" if other_cores is None else f"{other_cores:.2g}"
        found.judge(
            "loaded-machine",
            sound=other_cores is None or other_cores <= OTHER_LOAD,
            expected=f"other processes keep at most {OTHER_LOAD:g} cores busy",
            seen=f"other processes kept {said} cores busy" + (f" ({named})" if named else ""),
        )


def _used() -> dict[tuple[int, float], Used]:
    """What each process that is not the cell's has used, by its number and when it began.

    Not by its name: a process may change that, and the kernel's workers do with every task.
    """
    group = os.getpgrp()
    found = {}
    for process in psutil.process_iter():
        try:
            if process.pid == os.getpid() or os.getpgid(process.pid) == group:
                continue
            times = process.cpu_times()
            used = Used(process.name(), times.user + times.system)
            found[process.pid, process.create_time()] = used
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue  # it ended meanwhile, or may not be looked at
    return found


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None  # a processor that is offline has the file and no answer
