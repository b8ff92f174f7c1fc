"""The tables of docs/statistics.md, each from simulated experiments, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from accelreport.analysis.calibration.methods import (
    CHOSEN,
    METHODS,
    Ends,
    Method,
    paired,
    unpaired_groups,
)
from accelreport.analysis.calibration.noise import (
    SCENARIOS,
    Experiments,
    Floats,
    Scenario,
    simulate,
)
from accelreport.analysis.verdicts import MARGIN, MOST, POWER

SIZES = (2, 3, 5, 10)
"""Processes of each device."""

Bools = NDArray[np.bool_]


def scenario(name: str) -> Scenario:
    """The scenario of that name."""
    return next(each for each in SCENARIOS if each.name == name)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is set to the right."""
    lines = [" | ".join(head), " | ".join([":--"] + ["--:"] * (len(head) - 1))]
    lines += [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def covers(ends: Ends, truth: float) -> float:
    """Share of the intervals that hold the true value, in percent."""
    low, high = ends
    return 100 * float(np.mean((low <= truth) & (truth <= high)))


def half_width(ends: Ends) -> float:
    """Median half-width, in percent of the ratio."""
    return 100 * float(np.median(np.expm1((ends[1] - ends[0]) / 2)))


def _truth(experiments: Experiments, *, arithmetic: bool) -> float:
    """The logarithm of the ratio that the intervals should hold, from all experiments.

    The devices of a scenario may vary differently, and then their means differ a little.
    """
    first, second = experiments.logs[:, 0], experiments.logs[:, 1]
    if arithmetic:
        return float(np.log(np.exp(first).mean() / np.exp(second).mean()))
    return float(first.mean() - second.mean())


class Bank:
    """Simulated experiments by scenario and number of processes, made once."""

    def __init__(self, count: int, seed: int = 2013) -> None:
        self.count = count
        self._seed = seed
        self._made: dict[tuple[str, int], Experiments] = {}

    def get(self, each: Scenario, n: int) -> Experiments:
        """The experiments of a scenario with `n` processes of each device."""
        if (each.name, n) not in self._made:
            number = [other.name for other in SCENARIOS].index(each.name)
            rng = np.random.default_rng([self._seed, number, n])
            self._made[each.name, n] = simulate(each, n, self.count, rng)
        return self._made[each.name, n]


def coverage_table(bank: Bank) -> str:
    """Share of the intervals in use that hold the true ratio, for each scenario and n."""
    return _by_scenario(bank, covers)


def difference_table(bank: Bank) -> str:
    """Share of A/A comparisons called FASTER or SLOWER, for each scenario and n."""
    return _by_scenario(bank, called_different)


def width_table(bank: Bank) -> str:
    """Median half-width of the intervals, for each scenario and n."""
    return _by_scenario(bank, lambda ends, _: half_width(ends))


def _by_scenario(bank: Bank, measure: Callable[[Ends, float], float]) -> str:
    rows = []
    for each in SCENARIOS:
        made = [bank.get(each, n) for n in SIZES]
        values = [measure(paired(one), _truth(one, arithmetic=False)) for one in made]
        rows.append([f"**{each.name}**: {each.text}", *(f"{value:.1f} %" for value in values)])
    return markdown(["noise", *(f"n = {n}" for n in SIZES)], rows)


def called_different(ends: Ends, truth: float) -> float:
    """Share of comparisons of equals that are called FASTER or SLOWER, in percent."""
    faster, slower, _ = verdicts((ends[0] - truth, ends[1] - truth))
    return 100 * float(np.mean(faster | slower))


def verdicts(ends: Ends) -> tuple[Bools, Bools, Bools]:
    """FASTER, SLOWER and SAME by the rule of `verdicts.verdict`."""
    low, high = ends
    margin = np.log(1 + MARGIN)
    same = (low >= -margin) & (high <= margin)
    return (low > 0) & ~same, (high < 0) & ~same, same


def methods_table(bank: Bank) -> str:
    """Every candidate: the range of its coverage over the scenarios, and its width."""
    head = ["method"]
    head += [f"covers, n = {n}" for n in SIZES]
    head += [f"± half-width, n = {n}" for n in SIZES]
    tried = [each for each in SCENARIOS if each.name != "two modes"]
    rows = []
    for method in METHODS:
        ranges, widths = [], []
        for n in SIZES:
            shares = [_coverage_of(method, bank.get(each, n)) for each in tried]
            ranges.append(f"{min(shares):.1f}–{max(shares):.1f} %")
            ends = method.ends(bank.get(scenario("ordinary"), n), 0.95)
            widths.append(f"{half_width(ends):.1f} %")
        name = f"**{method.name}**" if method is CHOSEN else method.name
        rows.append([name, *ranges, *widths])
    return markdown(head, rows)


def _coverage_of(method: Method, experiments: Experiments) -> float:
    truth = _truth(experiments, arithmetic=method.arithmetic)
    return covers(method.ends(experiments, 0.95), truth)


def fallback_table(bank: Bank) -> str:
    """Welch's interval for devices on different machines, for like and unlike n."""
    head = ["processes", "equal spread", "unequal, few vary more", "unequal, few vary less"]
    rows = []
    for few, many in ((2, 2), (3, 3), (5, 5), (10, 10), (2, 3), (3, 5), (3, 10), (5, 10)):
        row = [f"{few} and {many}"]
        for name, devices in (("ordinary", (0, 1)), ("unequal", (0, 1)), ("unequal", (1, 0))):
            whole = bank.get(scenario(name), 10).logs
            # Different machines share no moment, so repeats of different experiments are taken.
            first, second = whole[:, devices[0], :few], np.roll(whole[:, devices[1]], 1, axis=0)
            truth = float(whole[:, devices[0]].mean() - whole[:, devices[1]].mean())
            row.append(f"{covers(unpaired_groups(first, second[:, :many]), truth):.1f} %")
        rows.append(row)
    return markdown(head, rows)


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
    sizes = np.arange(2, MOST + 1)
    reach = (stdtrit(sizes - 1, 0.975) + stdtrit(sizes - 1, POWER)) / np.sqrt(sizes)
    # `reach` falls with n, so the first n that is enough is found by bisection.
    first = np.searchsorted(-reach, -room / spread, side="right")
    return np.where(first < len(sizes), sizes[np.minimum(first, len(sizes) - 1)], 0)


MOST_SIMULATED = 40
"""Processes simulated for the tables about running more of them."""


def needed_table(count: int, seed: int = 5) -> str:
    """Whether as many more processes as an UNDECIDED row asks for do decide it."""
    head = ["true speedup", "n", "undecided", "median asked for", "then decided", "rightly"]
    rows = []
    made = simulate(scenario("ordinary"), MOST_SIMULATED, count, np.random.default_rng(seed))
    for speedup in (1.0, 1.05, 1.1):
        for n in (3, 5):
            logs = made.logs + np.log(speedup) * np.array([1.0, 0.0])[:, None]
            rows.append([f"{speedup:g}×", str(n), *_after_needed(logs, n, speedup)])
    return markdown(head, rows)


def _after_needed(logs: Floats, n: int, speedup: float) -> list[str]:
    faster, slower, same = verdicts(paired(_stopped(logs, n)))
    undecided = ~(faster | slower | same)
    asked = needed(logs[:, :, :n])
    able = undecided & (asked > n) & (asked <= MOST_SIMULATED)
    decided = right = 0
    for size in np.unique(asked[able]):
        chosen = logs[able & (asked == size)]
        faster, slower, same = verdicts(paired(_stopped(chosen, int(size))))
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


def _stopped(logs: Floats, n: int) -> Experiments:
    return Experiments(logs[:, :, :n], np.zeros(0))


def peeking_table(count: int, seed: int = 6) -> str:
    """A/A: how often a difference is called when one runs on until something is decided."""
    head = ["rule", "called different", "SAME", "still undecided", "median n"]
    made = simulate(scenario("ordinary"), MOST_SIMULATED, count, np.random.default_rng(seed))
    schedules: tuple[tuple[str, Sequence[int], float], ...] = (
        ("one look at n = 5", (5,), 0.95),
        ("one look at n = 10", (10,), 0.95),
        ("a look after every process, 3 to 20", range(3, 21), 0.95),
        ("looks at 3, 5, 10 and 20", (3, 5, 10, 20), 0.95),
        ("looks at 3, 5, 10 and 20, each at 98.75 %", (3, 5, 10, 20), 0.9875),
    )
    rows = []
    for name, looks, level in schedules:
        different, same, sizes = _looked(made.logs, looks, level)
        undecided = 1 - different - same
        shares = [f"{100 * share:.1f} %" for share in (different, same, undecided)]
        rows.append([name, *shares, f"{np.median(sizes):.0f}"])
    return markdown(head, rows)


def _looked(
    logs: Floats, looks: Sequence[int], level: float
) -> tuple[float, float, NDArray[np.int64]]:
    going = np.ones(len(logs), dtype=bool)
    called = np.zeros(len(logs), dtype=bool)
    equal = np.zeros(len(logs), dtype=bool)
    sizes = np.full(len(logs), looks[-1])
    for n in looks:
        faster, slower, same = verdicts(paired(_stopped(logs, n), level))
        sizes[going & (faster | slower | same)] = n
        called |= going & (faster | slower)
        equal |= going & same
        going &= ~(faster | slower | same)
    return float(called.mean()), float(equal.mean()), sizes


def parity_table(count: int, seed: int = 8) -> str:
    """TOST over paired seeds: how often it says EQUIVALENT, by the true difference."""
    head = ["true difference ÷ margin", *[f"n = {n}" for n in (2, 3, 5, 10)]]
    rng = np.random.default_rng(seed)
    rows = []
    for share in (0.0, 0.5, 1.0, 1.5):
        row = [f"{share:g}"]
        for n in SIZES:
            # Spread of one pair's difference: a fifth of the margin, as for MNIST at ± 0.01.
            drawn = rng.normal(share, 0.2, (count, n))
            half = stdtrit(n - 1, 0.95) * drawn.std(axis=1, ddof=1) / np.sqrt(n)
            mean = drawn.mean(axis=1)
            row.append(f"{100 * np.mean((mean - half >= -1) & (mean + half <= 1)):.1f} %")
        rows.append(row)
    return markdown(head, rows)
