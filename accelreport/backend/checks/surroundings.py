"""What went on around the windows: other processes' load, and the clock of the device."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

from accelreport.backend.checks.found import Found
from accelreport.results.checks import OTHER_LOAD

SMI_LIMIT_S = 5
"""`nvidia-smi` answers in a tenth of a second, or its driver is in trouble."""

FELL = 0.10
"""A clock this share lower at the end than at the beginning is a device that slowed down."""

SHOWN = 3
"""Other processes that are named."""

LEAST_SHARE = 0.03
"""Cores below which a process is not worth naming."""

HINDERED = 0x8 | 0x20 | 0x40 | 0x80
"""NVML's clock event reasons that take speed away: hardware slow-down, software and hardware
thermal slow-down, power brake. A power cap (0x4) is how every full load runs."""


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


def gpu_clock() -> Clock:
    """The first GPU's SM clock, and whether its driver is slowing it down."""
    if shutil.which("nvidia-smi") is None:
        return Clock()
    query = "--query-gpu=clocks.sm,clocks_throttle_reasons.active"
    try:
        done = subprocess.run(
            ["nvidia-smi", query, "--format=csv,noheader,nounits", "--id=0"],
            capture_output=True,
            text=True,
            check=False,
            timeout=SMI_LIMIT_S,
        )
        speed, reasons = (part.strip() for part in done.stdout.strip().split(","))
        return Clock(float(speed), int(bool(int(reasons, 16) & HINDERED)))
    except (subprocess.TimeoutExpired, ValueError):
        return Clock()  # another form of answer, or none: then nothing is known


def judge_clock(found: Found, before: Clock, after: Clock) -> None:
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


class Neighbours:
    """CPU time of every process that is not the cell's, from its making to `judge`.

    Processes of this one's group, and those it started, are the cell's.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._before = _used()

    def judge(self, found: Found, other_cores: float | None) -> None:
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
