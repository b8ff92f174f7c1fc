"""The memory of a process, and its limits."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

LIMITS = {"RLIMIT_AS": "VmPeak", "RLIMIT_DATA": "VmData"}
"""The memory limits that Linux enforces, and the size in `/proc` that each applies to (proc(5)).

A process at a limit gets no signal: `mmap` fails, and the library that asked for memory decides
what follows; TensorFlow ends by SIGSEGV or SIGABRT as often as by an exception.
"""

LARGE_SHARE = 0.8
"""A process that ended while it held this share of its limit ended because of the limit."""


@dataclass(frozen=True)
class Limited:
    """The memory that a process holds, and its limit, in bytes."""

    held: int
    limit: int

    @property
    def share(self) -> float:
        """The memory as a share of the limit, which may be zero."""
        return self.held / max(self.limit, 1)


def nearest_limit(pid: int) -> Limited | None:
    """The memory limit that a process is nearest to.

    None if it has no limit or has ended, or the system is not Linux: macOS enforces no such limit.
    """
    if sys.platform != "linux":
        return None
    limits = []
    for name, counted in LIMITS.items():
        try:
            limit, _ = resource.prlimit(pid, getattr(resource, name))
        except (ProcessLookupError, PermissionError):
            return None
        if limit != resource.RLIM_INFINITY:
            limits.append(Limited(_status(pid, counted) or 0, limit))
    return max(limits, key=lambda limit: limit.share, default=None)


def peak_bytes(pid: int) -> int | None:
    """Peak resident set of a process in bytes; None if it has ended, or elsewhere than on Linux."""
    return _status(pid, "VmHWM")


def _status(pid: int, counted: str) -> int | None:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{counted}:"):
            return int(line.split()[1]) * 1024
    return None


def own_peak_bytes() -> int:
    """Peak resident set of this process in bytes.

    `getrusage` is the second choice: on Linux it includes the peak of the program that started this
    process.
    """
    # Linux counts kibibytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return peak_bytes(os.getpid()) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
