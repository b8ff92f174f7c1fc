"""The largest resident set a process has had."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def peak_bytes(pid: int) -> int | None:
    """Peak resident set of a process on Linux in bytes; None elsewhere, or when it has ended."""
    status = Path(f"/proc/{pid}/status")
    try:
        text = status.read_text()
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
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
