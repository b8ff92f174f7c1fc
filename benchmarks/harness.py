"""What accelreport itself costs: the wall time of a run that is no measured work.

Runs the specs once as a person does, in a new folder, and reads what `run --timings` says.
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

from accelreport.runner.events import LINES
from accelreport.runner.timings import TimingsLine
from accelreport.terminal.run_text import timings_text

MOST_PER_CELL_S = 4.0
"""Seconds of a cell that are no measured work, on two cores."""

LEAST_SHARE = 0.60
"""Measured work ÷ wall time of the quick profile."""


def timed_run(options: argparse.Namespace, folder: Path) -> TimingsLine:
    """What a real run says of its time.

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
        [*program, *chosen, *forked, "--json", "--timings"],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    line = LINES.validate_json(done.stdout.splitlines()[-1])
    assert isinstance(line, TimingsLine)
    return line


def main() -> int:
    """Run, print, and compare with the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--specs", nargs="+", default=["specs/"], help="spec files and folders")
    parser.add_argument("--profile", default="quick", help="the profile to run")
    parser.add_argument("--no-fork", action="store_true", help="start every process from nothing")
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        line = timed_run(options, Path(folder))
    print("\n".join(timings_text(line)))
    print(f"load before: {busy:.2f} on {os.cpu_count()} cores")
    print(f"overhead of a cell: {line.outside_per_cell_s:.2f} s (limit {MOST_PER_CELL_S:g})")
    print(f"measured share: {line.measured_share:.1%} (limit {LEAST_SHARE:.0%})")
    well = line.outside_per_cell_s <= MOST_PER_CELL_S and line.measured_share >= LEAST_SHARE
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
