"""How much memory a process has held, and how near it came to a limit of its own."""

from __future__ import annotations

import os
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

LIMITS = {"RLIMIT_AS": "VmPeak", "RLIMIT_DATA": "VmData"}
"""The limits of a process' memory that Linux heeds, and what `/proc` says of each (proc(5)).

A limit that is met gives no signal: `mmap` fails, and what follows is whatever the library does
that asked for memory; TensorFlow's ends by SIGSEGV or SIGABRT as often as by an exception.
"""


LARGE_SHARE = 0.8
"""Who was ended while it held this share of the memory it may have was ended for it."""


@dataclass(frozen=True)
class Limited:
    """How much of its limited memory a process holds, in bytes."""

    held: int
    limit: int

    @property
    def share(self) -> float:
        """What it holds as a share of the limit; the limit may be zero."""
        return self.held / max(self.limit, 1)


def nearest_limit(pid: int) -> Limited | None:
    """The limit of its memory that a process is nearest to.

    None where it has no limit, has ended, or the system is not Linux: macOS heeds none.
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
    """Peak resident set of a process on Linux in bytes; None elsewhere, or when it has ended."""
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

    `getrusage` is the second choice: on Linux it begins with the peak of the program that
    started this one, which is not ours.
    """
    # Linux counts kibibytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return peak_bytes(os.getpid()) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
