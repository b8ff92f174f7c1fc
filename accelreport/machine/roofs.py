"""The measured roofs of this machine's processor: arithmetic and memory bandwidth.

A matrix product performs the most arithmetic per second, and a sum of long arrays ("STREAM",
McCalpin 1995) moves the most bytes. Both are measured once on a machine, in half a second, outside
every timed window, and kept in the platform's cache folder. If other processes kept the machine
busy, a later cell measures it again, and the best values are kept.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np
import psutil

from accelreport.atomic import cache_folder, refuse_links, write_whole
from accelreport.machine.clocks import Stopwatch, Window
from accelreport.machine.inventory import Inventory, inventory
from accelreport.results.record import OTHER_LOAD, Roofs

SIDE = 768
"""Rows and columns of the matrices: 0.9·10⁹ operations, and 7 MB, which fit into the L2 cache."""

SPENT_S = 0.11
"""Seconds for which each of the three loops is repeated."""

LEAST = 3
"""Fewest repetitions of each loop; the first call of a library starts its threads."""

LONGEST = 64 * 2**20
"""Largest size of each of the three arrays in bytes. If it is less than four times the last-level
cache, the arrays are partly cached, and the roof is too high rather than too low."""

SHARE = 16
"""Each array takes at most this fraction, 1 / SHARE, of the free memory."""


def roofs() -> Roofs | None:
    """The roofs of this machine, measured if they are not known yet.

    None if too little memory or too few threads are left for the measurement.
    """
    machine = inventory()
    path = cache_folder("roofs") / f"{machine.machine}.json"
    known: Roofs | None = None
    with contextlib.suppress(OSError, ValueError):  # not measured yet, or by another version
        known = Roofs.model_validate_json(path.read_bytes())
    if known is not None and known.other_cores <= OTHER_LOAD:
        return known
    try:
        roofs = measured_roofs(machine)
    except (MemoryError, RuntimeError):  # the latter if no thread can be started
        return known
    if known is not None:
        names = ("tflops", "core_tflops", "gbps")
        best = {name: max(getattr(known, name), getattr(roofs, name)) for name in names}
        roofs = roofs.model_copy(update=best)
    with contextlib.suppress(OSError):  # without a writable folder, the next cell measures again
        refuse_links(path.parent, path.parents[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, roofs.model_dump_json().encode())
    return roofs


def measured_roofs(machine: Inventory) -> Roofs:
    """The roofs of this machine as they are now."""
    one = np.random.default_rng(0).standard_normal((SIDE, SIDE), dtype=np.float32)
    out = np.empty_like(one)
    # Systems count CPU time in hundredths of a second, and a product takes a few thousandths: in a
    # sum over windows that short, an idle machine would seem to be busy.
    everything = Stopwatch()
    products = _repeated(lambda: np.matmul(one, one, out=out))
    operations = 2.0 * SIDE**3
    # A library whose threads did not survive a fork multiplies on one core.
    at_once = _on_threads(
        lambda out: np.matmul(one, one, out=out), [out.copy() for _ in range(machine.threads)]
    )
    best = min(window.wall_s for window in products)
    best_at_once = min(window.wall_s for window in at_once) / machine.threads
    free = min(int(psutil.virtual_memory().available), machine.memory_bytes)
    length = max(1, min(LONGEST, free // SHARE) // 8 // machine.threads) * machine.threads
    sums = _sums(length, machine.threads)
    whole = everything.lap()
    return Roofs(
        tflops=operations / min(best, best_at_once) / 1e12,
        core_tflops=operations / min(max(w.cpu_s, 1e-9) for w in products) / 1e12,
        gbps=3 * 8 * length / min(window.wall_s for window in sums) / 1e9,
        method=f"NumPy {np.__version__}: the best of {len(products)} products of float32 matrices "
        f"{SIDE} × {SIDE}, alone and one on each thread, and of {len(sums)} sums a + b → c of "
        f"float64 arrays of {8 * length / 2**20:.0f} MiB by {machine.threads} threads",
        other_cores=round(whole.other_cpu_s / whole.wall_s, 3),
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _sums(length: int, threads: int) -> list[Window]:
    one, two, out = (np.full(length, value) for value in (1.0, 2.0, 0.0))
    parts = [slice(n * length // threads, (n + 1) * length // threads) for n in range(threads)]

    def add(part: slice) -> None:
        np.add(one[part], two[part], out=out[part])

    return _on_threads(add, parts)


_Part = TypeVar("_Part")


def _on_threads(work: Callable[[_Part], object], parts: Sequence[_Part]) -> list[Window]:
    with ThreadPoolExecutor(len(parts)) as pool:
        return _repeated(lambda: list(pool.map(work, parts)))


def _repeated(work: Callable[[], object]) -> list[Window]:
    windows: list[Window] = []
    until = time.perf_counter() + SPENT_S
    while len(windows) < LEAST or time.perf_counter() < until:
        stopwatch = Stopwatch()
        work()
        windows.append(stopwatch.lap())
    return windows
