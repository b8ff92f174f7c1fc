"""How long a person waits for a stand-in that was not drawn before.

CPU seconds of drawing each data set's stand-in, in a cache of its own; the median of three draws,
each from another seed. A person's own file has no stand-in of a form known beforehand.

    .venv/bin/python benchmarks/stand_ins.py

Ends with 1 when a median is above its limit.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time

from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.load import load

DRAWS = 3

LIMIT_S = 10.0
"""CPU seconds that any of them may take."""


def seconds(name: str, seed: int) -> float:
    """CPU seconds of one draw."""
    begin = time.process_time()
    load(name, mode="synthetic", seed=seed)
    return time.process_time() - begin


def main() -> int:
    """Draw, print, and compare with the limit."""
    slow = 0
    print(f"{'stand-in':<24} {'median':>8} {'max':>8} {'limit':>8}   (CPU seconds)")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ACCELREPORT_CACHE"] = folder
        for name in (name for name, entry in CATALOGUE.items() if entry.files):
            times = [seconds(name, seed) for seed in range(DRAWS)]
            median = statistics.median(times)
            slow += median > LIMIT_S
            print(f"{name:<24} {median:8.2f} {max(times):8.2f} {LIMIT_S:8.2f}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
