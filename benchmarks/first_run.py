"""What the first five minutes decide: the commands of `make report`, run as a newcomer does.

Each run has an empty folder: it writes the systems of a first run, measures their quick profile
within a time, builds the report, and counts decided comparisons and claims, and refused numbers.

    python benchmarks/first_run.py [--runs 5] [--within 4m] [--same]

With --same, the baseline is measured beside itself, as a second device that only writes out how
many threads it has: every comparison that is decided as faster or slower is wrong. Verdicts are
made at 95 %. Nothing else may run on the machine. Ends with 1 where a run takes longer, or decides
less, than its limit, or refuses a number; with --same, where so many comparisons were called
different that 5 % is no longer credible (one-sided binomial test at 5 %).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scipy.stats import binom

from accelreport.analysis.outcome import outcome_of
from accelreport.analysis.stats import Verdict
from accelreport.analysis.warnings import REFUSED
from accelreport.machine.inventory import inventory
from accelreport.results.store import Store
from accelreport.terminal.answer import measured_now

MOST_S = 300.0
"""Seconds of a run with its report."""

COMPARISONS, CLAIMS = 7, 5
"""Fewest that two cores of 0.1 TFLOPS decide."""

ALLOWED = 0.05
"""Share of comparisons of a device with itself that verdicts at 95 % may call different."""

SAME = "cpu-same"
"""The baseline under another name."""


def first_run(folder: Path, within: str, *, same: bool) -> float:
    """Seconds of a first run and its report in an empty folder.

    Raises:
        subprocess.CalledProcessError: a command failed.
    """

    def call(*arguments: str) -> None:
        program = Path(sys.executable).with_name("accelreport")
        subprocess.run([program, *arguments], cwd=folder, check=True, stdout=sys.stderr)

    call("new", "--from", "quick")
    chosen = ["--device", "cpu", "--device", SAME] if same else []
    with (folder / "specs" / "devices.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[{SAME}]\nkind = "CPU"\nthreads = {inventory().threads}\n')
    began = time.monotonic()
    call("run", "--profile", "quick", "--within", within, *chosen)
    call("build")
    return time.monotonic() - began


def main() -> int:
    """Run, print a line for each run, and compare with the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--within", default="4m", metavar="TIME")
    parser.add_argument("--same", action="store_true", help="measure the baseline beside itself")
    options = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores", flush=True)
    well, every, different = True, 0, 0
    for number in range(options.runs):
        with tempfile.TemporaryDirectory() as name:
            seconds = first_run(Path(name), options.within, same=options.same)
            store = Store(Path(name) / "results")
            benches = measured_now(store, store.plans())
        outcome = outcome_of(benches)
        refused = sum(row.status == REFUSED for bench in benches for row in bench.results)
        same = [r for b in benches for r in b.compared if r.device == SAME and r.interval.known]
        wrong = sum(row.verdict in {Verdict.FASTER, Verdict.SLOWER} for row in same)
        every, different = every + len(same), different + wrong
        decided = len(outcome.comparisons), len(outcome.claims)
        waiting = sum(len(rerun.comparisons) for rerun in outcome.reruns)
        print(
            f"run {number + 1}: {seconds:.0f} s, decided {decided[0]} comparisons and {decided[1]} "
            f"claims, undecided {waiting} comparisons, refused {refused} numbers",
            f"; {wrong} of {len(same)} differ from themselves" if options.same else "",
            flush=True,
        )
        enough = options.same or (decided[0] >= COMPARISONS and decided[1] >= CLAIMS)
        well &= seconds <= MOST_S and enough and not refused
    credible = not different or binom.sf(different - 1, every, ALLOWED) >= ALLOWED
    return 0 if well and credible else 1


if __name__ == "__main__":
    sys.exit(main())
