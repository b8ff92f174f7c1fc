"""Tables on what is decided by several looks, and by a gate between two folders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.sequential import LOOK_LEVEL, LOOKS
from benchmarks.calibration.methods import Ends, paired, widened
from benchmarks.calibration.noise import SCENARIOS, Experiments, Floats, simulate
from benchmarks.calibration.tables import SIZES, Bank, markdown, scenario, verdicts

GATE = 0.05
"""The gate of the tables: 5 %."""

MOST_SIMULATED = 20
"""Processes simulated where repeats are added."""


def first(logs: Floats, n: int, points: int = 1) -> Experiments:
    """The same experiments, stopped after `n` repeats, with so many sweep points."""
    return Experiments(logs[:, :, :n], np.zeros(0), points)


def looked(
    logs: Floats, looks: Sequence[int], level: float, points: int = 1
) -> tuple[float, float, NDArray[np.int64]]:
    """Shares called different and SAME by a schedule of looks, and where each ended."""
    going = np.ones(len(logs), dtype=bool)
    called = np.zeros(len(logs), dtype=bool)
    equal = np.zeros(len(logs), dtype=bool)
    sizes = np.full(len(logs), looks[-1])
    for n in looks:
        faster, slower, same = verdicts(widened(first(logs, n, points), level))
        sizes[going & (faster | slower | same)] = n
        called |= going & (faster | slower)
        equal |= going & same
        going &= ~(faster | slower | same)
    return float(called.mean()), float(equal.mean()), sizes


def peeking_table(count: int, seed: int = 6) -> str:
    """A/A: how often a difference is called when one runs on until something is decided."""
    head = ["rule", "called different", "SAME", "still undecided", "median n"]
    rng = np.random.default_rng(seed)
    made = simulate(scenario("ordinary"), MOST_SIMULATED, count, rng)
    several = f"looks at {', '.join(map(str, LOOKS[:-1]))} and {LOOKS[-1]}"
    schedules: tuple[tuple[str, Sequence[int], float], ...] = (
        ("one look at n = 5", (5,), 0.95),
        ("one look at n = 10", (10,), 0.95),
        ("a look after every process, 3 to 20", range(3, 21), 0.95),
        (several, LOOKS, 0.95),
        (f"**{several}, each at {100 * LOOK_LEVEL:g} % (used)**", LOOKS, LOOK_LEVEL),
    )
    rows = [[name, *_row(made.logs, looks, level)] for name, looks, level in schedules]
    return markdown(head, rows)


def sequential_table(count: int, seed: int = 9) -> str:
    """A/A under `--until-decided`, for every kind of noise."""
    head = ["noise", "called different", "SAME", "still undecided", "median n"]
    rows = []
    for number, each in enumerate(SCENARIOS):
        rng = np.random.default_rng([seed, number])
        logs = simulate(each, LOOKS[-1], count, rng).logs
        # The devices of a scenario may vary differently, and then their means differ a little.
        logs = logs - logs.mean(axis=(0, 2), keepdims=True)
        rows.append([f"**{each.name}**: {each.text}", *_row(logs, LOOKS, LOOK_LEVEL, each.points)])
    return markdown(head, rows)


def _row(logs: Floats, looks: Sequence[int], level: float, points: int = 1) -> list[str]:
    different, same, sizes = looked(logs, looks, level, points)
    shares = [f"{100 * share:.1f} %" for share in (different, same, 1 - different - same)]
    return [*shares, f"{np.median(sizes):.0f}"]


def _apart(experiments: Experiments, slower: float = 0.0) -> Ends:
    """Intervals of one device measured twice, in two runs at different times.

    NEW is the same device in another experiment: it shares no moment with OLD, only the
    number of the repeat and what the machine does in the course of any run.
    """
    old = experiments.logs[:, 0]
    new = np.roll(old, 1, axis=0) + np.log1p(slower)
    return paired(Experiments(np.stack([new, old], axis=1), np.zeros(0)))


def gate_table(bank: Bank) -> str:
    """A/A: how often the gate closes when the same device is measured in two folders.

    One run after the other, and in turns, a repeat of each at a time.
    """
    head = ["noise"]
    head += [f"n = {n}, {how}" for how in ("one after the other", "in turns") for n in SIZES]
    rows = []
    for each in SCENARIOS:
        made = [bank.get(each, n) for n in SIZES]
        closed = [_closed(_apart(one)) for one in made] + [_closed(_in_turns(one)) for one in made]
        name = f"**{each.name}**: {each.text}"
        rows.append([name, *(f"{100 * share:.1f} %" for share in closed)])
    return markdown(head, rows)


def _in_turns(experiments: Experiments) -> Ends:
    """Intervals of two devices that are measured in one run, as equally fast as can be."""
    logs = experiments.logs
    # The devices of a scenario may vary differently, and then their means differ a little.
    return paired(Experiments(logs - logs.mean(axis=(0, 2), keepdims=True), np.zeros(0)))


def _closed(ends: Ends) -> float:
    return float(np.mean(ends[0] > np.log1p(GATE)))


def gate_power_table(bank: Bank) -> str:
    """What the gate says of true slowdowns, under ordinary noise."""
    head = ["true slowdown", *(f"n = {n}: FAILS / OPEN / PASSES" for n in SIZES)]
    rows = []
    for slower in (0.0, 0.05, 0.1, 0.2):
        row = [f"{100 * slower:g} %"]
        for n in SIZES:
            low, high = _apart(bank.get(scenario("ordinary"), n), slower)
            fails, passes = np.mean(low > np.log1p(GATE)), np.mean(high <= np.log1p(GATE))
            shares = (fails, 1 - fails - passes, passes)
            row.append(" / ".join(f"{100 * share:.0f}" for share in shares))
        rows.append(row)
    return markdown(head, rows)
