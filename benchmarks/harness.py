"""What accelreport itself costs: the wall time of a run that is no measured work.

Runs the specs once as a person does, in a new folder, and reads the times of their records.
Measured work is what the workload itself computes: first steps (trace, compile, run), all
other timed steps, evaluations, and the observations that specs ask for. Everything else is
overhead: imports, starting processes, data, building models, closing, the runner.

    .venv/bin/python benchmarks/harness.py [--specs specs/] [--profile quick] [--no-fork]

Nothing else may run on the machine, or the figures are those of other programs. Ends
with 1 when a cell costs more, or the measured share is less, than its limit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from accelreport.results.store import Store
from accelreport.runner.events import LINES, EndLine

MOST_PER_CELL_S = 4.0
"""Seconds of a cell that are no measured work, on two cores."""

LEAST_SHARE = 0.60
"""Measured work ÷ wall time of the quick profile."""


def timed_run(options: argparse.Namespace, folder: Path) -> tuple[float, float, int]:
    """Wall time and measured work of a real run in seconds, and the number of its cells.

    Args:
        options: specs, profile, and whether processes are forked.
        folder: takes results and files in passing.

    Raises:
        subprocess.CalledProcessError: it failed, so its time says nothing.
    """
    program = [str(Path(sys.executable).with_name("accelreport")), "run", *options.specs]
    chosen = ["--profile", options.profile, "--results", str(folder / "results")]
    forked = ["--no-fork"] if options.no_fork else []
    done = subprocess.run(
        [*program, *chosen, *forked, "--json"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    line = LINES.validate_json(done.stdout.splitlines()[-1])
    assert isinstance(line, EndLine)
    times = [record.times for record in Store(folder / "results").records()]
    times = [cell for cell in times if cell.wall_s is not None]
    work = ((cell.train_s, cell.evaluate_s, cell.observe_s) for cell in times)
    return line.wall_s, sum(s or 0.0 for parts in work for s in parts), len(times)


def main() -> int:
    """Run, print, and compare with the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--specs", nargs="+", default=["specs/"], help="spec files and folders")
    parser.add_argument("--profile", default="quick", help="the profile to run")
    parser.add_argument("--no-fork", action="store_true", help="start every process from nothing")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        wall_s, measured_s, cells = timed_run(options, Path(folder))
    outside_s, share = (wall_s - measured_s) / cells, measured_s / wall_s
    print(f"load before: {busy:.2f} on {os.cpu_count()} cores")
    print(f"overhead of a cell: {outside_s:.2f} s (limit {MOST_PER_CELL_S:g})")
    print(f"measured share: {share:.1%} (limit {LEAST_SHARE:.0%})")
    return 0 if outside_s <= MOST_PER_CELL_S and share >= LEAST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
