"""Ranking many machines: seconds to verify and to build, and bytes of the ranked page.

Usage: python benchmarks/rank.py [MACHINES]

The machines are invented, from a real contribution (tests/chips/invented.py). The limits, 20 s and
300 kB for 500 machines, are those of an otherwise idle machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from accelreport.chips.board import board_of
from accelreport.report.site.chips import build_chips
from tests.chips.invented import folder


def main(number: int) -> None:
    """Print a line for each part."""
    with tempfile.TemporaryDirectory() as name:
        chips, site = folder(Path(name) / "chips", number), Path(name) / "site"
        started = time.perf_counter()
        board = board_of(chips)
        verified = time.perf_counter()
        pages = build_chips(board, chips, site)
        built = time.perf_counter()
        size = (site / "index.html").stat().st_size
    times = os.times()
    print(f"verified {number} contributions: {verified - started:.1f} s")
    print(f"built {pages} pages: {built - verified:.1f} s; index.html has {size:,} bytes")
    print(f"{os.cpu_count()} processors; CPU time of children {times.children_user:.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
