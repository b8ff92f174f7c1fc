"""What a launcher costs and loses: many cells that do nothing, through Ray on this machine.

A run has cells measured that take no time of their own, while the worker that measures is killed
every few seconds. What is told afterwards:

- cells a second, from the first cell's start to the last one's end, kills included;
- the memory of the process that launches, after a tenth, a half and all of the cells;
- lost: cells without a measurement; doubled: measurements that no kill made necessary.

    .venv/bin/python benchmarks/launchers.py [--cells 1000] [--kill-every 5]

Needs a checkout, because the cells are those of the tests, and the extra `ray`. Ends with 1 when
a cell was lost or doubled, or a limit is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accelreport.results.store import Store

ROOT = Path(__file__).resolve().parents[1]

LEAST_PER_S = 50.0
"""Trivial cells a second, on two cores."""

MOST_GROWTH = 0.10
"""Share by which the launching process may grow between a tenth and all of the cells."""

WORKER = "ray::measure"


@dataclass
class Seen:
    """What was seen of a run.

    Attributes:
        ends: cells that were said to have ended, with their status.
        memory: resident bytes of the launching process, by cells that had ended.
        first_s: when the first cell started, by the monotonic clock.
        last_s: when the last one ended.
        kills: workers that were killed.
    """

    ends: list[tuple[str, str]] = field(default_factory=list)
    memory: dict[int, int] = field(default_factory=dict)
    first_s: float = 0.0
    last_s: float = 0.0
    kills: int = 0

    @property
    def per_s(self) -> float:
        """Cells a second."""
        return len(self.ends) / (self.last_s - self.first_s)


def kill_now_and_then(runner: subprocess.Popen[str], every_s: float, seen: Seen) -> None:
    """Kill the worker that measures, again and again, until the run has ended.

    Args:
        runner: the run.
        every_s: seconds between two kills.
        seen: counts them.
    """
    while runner.poll() is None:
        time.sleep(every_s)
        try:
            for process in psutil.Process(runner.pid).children(recursive=True):
                if " ".join(process.cmdline()).startswith(WORKER):
                    process.kill()
                    seen.kills += 1
        except psutil.Error:
            continue


def watched(folder: Path, cells: int, kill_every_s: float) -> Seen:
    """Run so many cells and look.

    Args:
        folder: takes results and files in passing.
        cells: how many.
        kill_every_s: seconds between two kills; 0 for none.
    """
    seen = Seen()
    command = [sys.executable, "-m", "tests.runner.scripted_ray", str(folder), str(cells), "0"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "RAY_ADDRESS": ""},
        stdout=subprocess.PIPE,
        text=True,
    ) as runner:
        assert runner.stdout is not None
        marks = {max(1, cells // 10), max(1, cells // 2), cells}
        for line in runner.stdout:
            words = line.split()
            if words[0] == "start" and not seen.first_s:
                seen.first_s = time.monotonic()
                if kill_every_s > 0:
                    arguments = (runner, kill_every_s, seen)
                    threading.Thread(target=kill_now_and_then, args=arguments, daemon=True).start()
            if words[0] == "end":
                seen.last_s = time.monotonic()
                seen.ends.append((words[1], words[2]))
                if len(seen.ends) in marks:
                    seen.memory[len(seen.ends)] = psutil.Process(runner.pid).memory_info().rss
    return seen


def main() -> int:
    """Run, count, print, and compare with the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000, help="cells of the run")
    parser.add_argument("--kill-every", type=float, default=5.0, help="seconds; 0 kills nothing")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seen = watched(folder, options.cells, options.kill_every)
        records = Counter(record.status for record in Store(folder / "results").records())
        measured = Counter((folder / "trace").read_text().split())
    if len(seen.ends) < options.cells:
        print(f"The run ended after {len(seen.ends)} of {options.cells} cells.")
        return 1
    lost = options.cells - records["ok"]
    doubled = max(0, measured.total() - len(measured) - seen.kills)
    doubled += len(seen.ends) - len({key for key, _ in seen.ends})
    memory = [f"{size / 2**20:.0f} MiB after {cells}" for cells, size in seen.memory.items()]
    sizes = list(seen.memory.values())
    growth = sizes[-1] / sizes[0] - 1
    print(f"{len(seen.ends)} cells, {seen.kills} kills: {seen.per_s:.1f} cells/s")
    print(f"records: {', '.join(f'{count} {status}' for status, count in records.items())}")
    print(f"measurements: {measured.total()}; lost {lost}, doubled {doubled}")
    print(f"memory of the launching process: {', '.join(memory)} ({growth:+.1%})")
    print(f"load before: {busy:.2f} on {os.cpu_count()} cores")
    print(f"limits: {LEAST_PER_S:g} cells/s, {MOST_GROWTH:.0%} growth, nothing lost or doubled")
    well = seen.per_s >= LEAST_PER_S and growth <= MOST_GROWTH
    return 0 if well and not lost and not doubled else 1


if __name__ == "__main__":
    sys.exit(main())
