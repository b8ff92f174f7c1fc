"""What a container hides of the machine it runs on, and what it grants of it."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")

MARKS = (".dockerenv", "run/.containerenv")
"""Files that Docker and Podman put into every container."""

NUMBERS = ("etc/machine-id", "var/lib/dbus/machine-id")
"""Where systemd and D-Bus keep the number of a machine, see machine-id(5)."""

UNSET = ("", "uninitialized")
"""What stands there in an image that is not yet a machine, see machine-id(5)."""

BOOT = "proc/sys/kernel/random/boot_id"
"""The kernel's number of this boot, see random(4); all containers of a machine share it."""


def identity(root: Path = ROOT) -> str:
    """What tells this machine from others: its number, or in a container without one its boot's.

    The host name is the last resort: a container has another one with every start.
    """
    for name in NUMBERS:
        path = root / name
        if path.is_file() and (text := path.read_text().strip()) not in UNSET:
            return text
    boot = root / BOOT
    if any((root / mark).exists() for mark in MARKS) and boot.is_file():
        return boot.read_text().strip()
    return platform.node()


def cpu_limit(root: Path = ROOT) -> float | None:
    """Seconds of processors that the control groups grant in a second; None where all of them.

    This is what `--cpus` of a container sets. It is no number of processors: threads may run on
    all of them, and are stopped once their share of a period is used up. Of a group and those
    it is in, the least counts (control groups version 2, and version 1).
    """
    return min(_granted(root), default=None)


def _granted(root: Path) -> Iterator[float]:
    groups = root / "sys/fs/cgroup"
    membership = root / "proc/self/cgroup"
    lines = membership.read_text().splitlines() if membership.is_file() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = groups / "cpu" if controllers else groups
        # In a container the path may be the host's; its own group is then at the top.
        inside = Path(path.strip("/"))
        for folder in (inside, *inside.parents):
            quota, period = _share(top / folder, modern=not controllers)
            if quota.isdigit() and period.isdigit():
                yield int(quota) / int(period)


def _share(group: Path, *, modern: bool) -> tuple[str, str]:
    """Quota and period of a group, in µs; the quota is no number where there is no limit."""
    try:
        if modern:
            quota, period = (group / "cpu.max").read_text().split()
            return quota, period
        quota = (group / "cpu.cfs_quota_us").read_text().strip()
        return quota, (group / "cpu.cfs_period_us").read_text().strip()
    except OSError:
        return "", ""  # this system does not have it, or the group is not shown here
