"""Whether the kernel killed a process because memory ran out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accelreport.backend import failures

ROOT = Path("/")

OUT_OF_MEMORY = (
    *("std::bad_alloc", "MemoryError", "Cannot allocate memory"),
    "OpenBLAS error: Memory allocation",
)
"""What programs print that could not get memory and gave up by themselves."""

AT_A_LIMIT = (*OUT_OF_MEMORY, *failures.AT_A_LIMIT, "pthread_create")
"""What they print, too, where the memory of their process is limited."""


def oom_kills(root: Path = ROOT) -> int:
    """Processes the kernel has killed for want of memory, by every counter that can be read.

    The counters are those of this process' control groups (versions 1 and 2) and the whole
    machine's. Only the difference between two calls means anything.
    """
    return sum(_count(path) for path in _counters(root))


def _counters(root: Path) -> Iterator[Path]:
    yield root / "proc/vmstat"
    groups = root / "sys/fs/cgroup"
    membership = root / "proc/self/cgroup"
    lines = membership.read_text().splitlines() if membership.exists() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        inside = path.strip("/")
        if not controllers:
            # In a container the path may be the host's; its own group is then at the top.
            yield from {groups / inside / "memory.events", groups / "memory.events"}
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            yield from {top / inside / "memory.oom_control", top / "memory.oom_control"}


def _count(path: Path) -> int:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0  # this system does not have it
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
