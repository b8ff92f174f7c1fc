"""Tables on what is decided: power, how many more processes, equivalence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from accelreport.analysis.stats import LEAST, MARGIN, MOST, POWER
from benchmarks.calibration.looks import first
from benchmarks.calibration.methods import paired
from benchmarks.calibration.noise import Floats, simulate
from benchmarks.calibration.tables import SIZES, Bank, markdown, scenario, verdicts


def power_table(bank: Bank) -> str:
    """What is said of true speedups, under ordinary noise."""
    head = ["true speedup"]
    head += [f"n = {n}: FASTER / SAME / UNDECIDED / SLOWER" for n in SIZES]
    rows = []
    for speedup in (1.0, 1.02, 1.05, 1.1, 1.25, 2.0):
        row = [f"{speedup:g}×"]
        for n in SIZES:
            low, high = paired(bank.get(scenario("ordinary"), n))
            shift = np.log(speedup)
            faster, slower, same = (
                float(np.mean(each)) for each in verdicts((low + shift, high + shift))
            )
            undecided = 1 - faster - slower - same
            row.append(" / ".join(f"{100 * x:.0f}" for x in (faster, same, undecided, slower)))
        rows.append(row)
    return markdown(head, rows)


def needed(logs: Floats) -> NDArray[np.int64]:
    """`verdicts.processes_needed` for many experiments; 0 beyond `MOST`."""
    difference = logs[:, 0] - logs[:, 1]
    value, spread = difference.mean(axis=1), difference.std(axis=1, ddof=1)
    room = np.maximum(np.abs(value), np.log(1 + MARGIN) - np.abs(value))
    sizes = np.arange(LEAST, MOST + 1)
    reach = (stdtrit(sizes - 1, 0.975) + stdtrit(sizes - 1, POWER)) / np.sqrt(sizes)
    # `reach` falls with n, so the first n that is enough is found by bisection.
    least = np.searchsorted(-reach, -room / spread, side="right")
    return np.where(least < len(sizes), sizes[np.minimum(least, len(sizes) - 1)], 0)


MOST_SIMULATED = 40
"""Processes simulated for the table about running more of them."""


def needed_table(count: int, seed: int = 5) -> str:
    """Whether as many more processes as an UNDECIDED row asks for do decide it."""
    head = ["true speedup", "n", "undecided", "median estimate", "then decided", "rightly"]
    rows = []
    made = simulate(scenario("ordinary"), MOST_SIMULATED, count, np.random.default_rng(seed))
    for speedup in (1.0, 1.05, 1.1):
        for n in (3, 5):
            logs = made.logs + np.log(speedup) * np.array([1.0, 0.0])[:, None]
            rows.append([f"{speedup:g}×", str(n), *_after_needed(logs, n, speedup)])
    return markdown(head, rows)


def _after_needed(logs: Floats, n: int, speedup: float) -> list[str]:
    faster, slower, same = verdicts(paired(first(logs, n)))
    undecided = ~(faster | slower | same)
    asked = needed(logs[:, :, :n])
    able = undecided & (asked > n) & (asked <= MOST_SIMULATED)
    decided = right = 0
    for size in np.unique(asked[able]):
        chosen = logs[able & (asked == size)]
        faster, slower, same = verdicts(paired(first(chosen, int(size))))
        decided += int((faster | slower | same).sum())
        right += int((same if speedup == 1 else faster).sum())
    more = np.median(asked[undecided & (asked > 0)] - n)
    total = int(able.sum())
    return [
        f"{100 * undecided.mean():.0f} %",
        f"{more:.0f} more",
        f"{100 * decided / total:.0f} %",
        f"{100 * right / max(decided, 1):.1f} %",
    ]


PAIRS = (2, 3, 5, 10)
"""Runs of each device whose accuracies are compared seed by seed."""


def parity_table(count: int, seed: int = 8) -> str:
    """TOST over paired seeds: how often it says EQUIVALENT, by the true difference."""
    head = ["true difference ÷ margin", *[f"n = {n}" for n in PAIRS]]
    rng = np.random.default_rng(seed)
    rows = []
    for share in (0.0, 0.5, 1.0, 1.5):
        row = [f"{share:g}"]
        for n in PAIRS:
            # Spread of one pair's difference: a fifth of the margin, as for MNIST at ± 0.01.
            drawn = rng.normal(share, 0.2, (count, n))
            half = stdtrit(n - 1, 0.95) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
            mean = drawn.mean(axis=1)
            row.append(f"{100 * np.mean((mean - half >= -1) & (mean + half <= 1)):.1f} %")
        rows.append(row)
    return markdown(head, rows)
