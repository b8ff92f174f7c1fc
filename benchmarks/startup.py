"""How long a person waits for commands that measure nothing.

Each round starts every command once, in a shuffled order, beside a Python that does nothing:
what that one takes belongs to the machine and not to accelreport. Wall time from start to
end of the process, medians over the rounds.

    .venv/bin/python benchmarks/startup.py [--rounds 11] [--specs specs/]

Ends with 1 when a median is above its limit.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

BARE = "python -c pass"

LIMITS_S = {"accelreport --help": 0.35, "accelreport check specs/": 0.8}
"""Command → seconds it may take on two cores."""


def commands(specs: str) -> dict[str, list[str]]:
    """What is started, by what it is called."""
    program = str(Path(sys.executable).with_name("accelreport"))
    return {
        BARE: [sys.executable, "-c", "pass"],
        "accelreport --help": [program, "--help"],
        "accelreport check specs/": [program, "check", specs],
    }


def seconds(command: Sequence[str]) -> float:
    """Wall seconds from the start of a process to its end.

    Raises:
        subprocess.CalledProcessError: it failed, so its time says nothing.
    """
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(started: dict[str, list[str]], rounds: int) -> dict[str, list[float]]:
    """Wall seconds of every command in every round, after one that fills the disk's cache."""
    times: dict[str, list[float]] = {name: [] for name in started}
    shuffler = random.Random(0)  # noqa: S311 - an order, not a secret
    for number in range(rounds + 1):
        for name in shuffler.sample(sorted(started), k=len(started)):
            taken = seconds(started[name])
            if number:
                times[name].append(taken)
    return times


def main() -> int:
    """Measure, print, and compare with the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=11, help="at least 7")
    parser.add_argument("--specs", default="specs/")
    options = parser.parse_args()
    if options.rounds < 7:
        parser.error("a median of fewer than 7 rounds says little")

    slow = 0
    print(f"{'command':<26} {'median':>8} {'min':>8} {'max':>8} {'limit':>8}   (seconds)")
    for name, times in measure(commands(options.specs), options.rounds).items():
        median = statistics.median(times)
        limit = LIMITS_S.get(name)
        slow += limit is not None and median > limit
        told = f"{limit:8.2f}" if limit else f"{'':>8}"
        print(f"{name:<26} {median:8.3f} {min(times):8.3f} {max(times):8.3f} {told}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
