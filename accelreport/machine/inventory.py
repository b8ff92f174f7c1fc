"""The hardware and system of this machine, read without a framework.

A container hides some of its machine and grants a part of the rest.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from accelreport.machine.nvidia import Board, DriverError, answered, boards, driver, visible
from accelreport.results.plan_document import Document
from accelreport.results.record import Gpu

ROOT = Path("/")

MARKS = (".dockerenv", "run/.containerenv")
"""Files that Docker and Podman put into every container."""

NUMBERS = ("etc/machine-id", "var/lib/dbus/machine-id")
"""Where systemd and D-Bus keep the number of a machine, see machine-id(5)."""

UNSET = ("", "uninitialized")
"""Contents of that file in an image that has not been started, see machine-id(5)."""

BOOT = "proc/sys/kernel/random/boot_id"
"""The kernel's number of this boot, see random(4); all containers of a machine share it."""


def identity(root: Path = ROOT) -> str:
    """What distinguishes this machine: its number, or in a container without one its boot's.

    The host name is the last resort, because a container gets a new one with every start.
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
    """Seconds of processors that the control groups grant in a second; None without a limit.

    `--cpus` of a container sets it. It is no number of processors: threads may run on all of them,
    and are stopped once their share of a period is used up. The lowest limit of a group and of
    those that contain it applies (control groups version 2 and version 1).
    """
    return min(_granted(root), default=None)


def _granted(root: Path) -> Iterator[float]:
    """The limits of this process' group and of each that contains it."""
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
        return "", ""  # this system has no such file, or the container hides it


class Inventory(Document):
    """The hardware and the system of this machine."""

    machine: str
    """Fingerprint, eight hexadecimal digits: stable over restarts, different elsewhere."""
    os: str
    """Operating system and kernel."""
    cpu: str
    """CPU model."""
    cores: int | None
    """Physical cores."""
    threads: int
    """Logical processors this process may use."""
    cpu_limit: float | None = None
    """Seconds of processors that a control group grants in a second, where it limits them."""
    memory_bytes: int
    """Memory of the machine, or of its container when that is less."""
    gpus: list[Gpu]
    """NVIDIA GPUs, as their driver lists them."""


def cpu_model() -> str:
    """The CPU's name as the system gives it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if platform.system() == "Darwin":
        done = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.stdout.strip():
            return done.stdout.strip()
    return platform.processor() or platform.machine() or "unknown CPU"


def memory_limit() -> int:
    """Bytes of memory: the machine's, or the container's limit when that is less."""
    total = int(psutil.virtual_memory().total)
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        path = Path(name)
        if path.exists() and (text := path.read_text().strip()).isdigit():
            return min(total, int(text))
    return total


class Gpus(NamedTuple):
    """NVIDIA's GPUs: those of the machine, and those of them that CUDA shows this process."""

    listed: list[Gpu]
    shown: list[Gpu]


@functools.cache
def nvidia_gpus() -> Gpus:
    """GPUs as their driver lists them; none without a driver.

    If it is unknown which of them CUDA shows (see `nvidia.visible`), all count as shown.
    """

    def gpus() -> Gpus:
        listed = boards()
        try:
            shown = visible(listed).boards
        except DriverError:
            shown = listed
        return Gpus(_gpus(listed), _gpus(shown))

    try:
        return answered(gpus)
    except DriverError:
        return Gpus([], [])


def _gpus(chosen: Sequence[Board]) -> list[Gpu]:
    with driver() as pynvml:
        version = pynvml.nvmlSystemGetDriverVersion()
    return [Gpu(name=b.name, memory_bytes=b.memory_bytes(), driver=version) for b in chosen]


@functools.cache
def inventory() -> Inventory:
    """This machine; takes milliseconds, or as long as NVIDIA's driver if there is a GPU."""
    cpu, memory, gpus = cpu_model(), memory_limit(), nvidia_gpus().listed
    affine = hasattr(os, "sched_getaffinity")
    threads = len(os.sched_getaffinity(0)) if affine else os.cpu_count() or 1
    parts = [identity(), cpu, str(threads), str(round(memory / 2**30)), *(g.name for g in gpus)]
    if (limit := cpu_limit()) is not None:
        parts.append(f"{limit:g} CPUs")
    return Inventory(
        machine=hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8],
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        cpu=cpu,
        cores=psutil.cpu_count(logical=False),
        threads=threads,
        cpu_limit=limit,
        memory_bytes=memory,
        gpus=gpus,
    )
