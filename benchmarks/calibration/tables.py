"""The tables of intervals and methods, each from simulated experiments, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.stats import MARGIN, Shares
from benchmarks.calibration.methods import (
    CHOSEN,
    METHODS,
    Ends,
    Method,
    paired,
    unpaired_groups,
    widened,
)
from benchmarks.calibration.noise import (
    SCENARIOS,
    SKEWED,
    Experiments,
    Scenario,
    simulate,
)

SIZES = (3, 5, 10)
"""Processes of each device: fewer have no interval."""

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
            number = (*SCENARIOS, *SKEWED).index(each)
            rng = np.random.default_rng([self._seed, number, n])
            self._made[each.name, n] = simulate(each, n, self.count, rng)
        return self._made[each.name, n]


def coverage(bank: Bank) -> list[Shares]:
    """Share of the intervals in use that hold the true ratio, for each scenario and n."""
    return _by_scenario(bank, covers)


def differences(bank: Bank) -> list[Shares]:
    """Share of A/A comparisons called FASTER or SLOWER, for each scenario and n."""
    return _by_scenario(bank, called_different)


def widths(bank: Bank) -> list[Shares]:
    """Median half-width of the intervals, for each scenario and n."""
    return _by_scenario(bank, lambda ends, _: half_width(ends))


def modes(bank: Bank) -> list[Shares]:
    """Share of the intervals in use that hold the true ratio, where one device has a slow mode."""
    return _by_scenario(bank, covers, SKEWED)


def modes_table(bank: Bank) -> str:
    """Coverage, and how often SAME is said, without and with what other points show."""
    head = ["mode", *(f"{what}, n = {n}" for what in ("holds", "SAME") for n in SIZES)]
    rows = []
    for each in SKEWED:
        made = [bank.get(each, n) for n in SIZES]
        holds, same = [], []
        for one in made:
            both = [method(one) for method in (paired, widened)]
            held = [covers(ends, _truth(one, arithmetic=False)) for ends in both]
            said = [100 * float(np.mean(verdicts(ends)[2])) for ends in both]
            holds.append(f"{held[0]:.1f} → {held[1]:.1f} %")
            same.append(f"{said[0]:.1f} → {said[1]:.1f} %")
        rows.append([f"**{each.name}**: {each.text}", *holds, *same])
    return markdown(head, rows)


def _by_scenario(
    bank: Bank,
    measure: Callable[[Ends, float], float],
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> list[Shares]:
    rows = []
    for each in scenarios:
        made = [bank.get(each, n) for n in SIZES]
        values = [measure(widened(one), _truth(one, arithmetic=False)) for one in made]
        rows.append(Shares(name=each.name, text=each.text, percent=tuple(values)))
    return rows


def shares_table(rows: Iterable[Shares]) -> str:
    """The quantity as Markdown, a row for each scenario."""
    texts = [
        [f"**{each.name}**: {each.text}", *(f"{value:.1f} %" for value in each.percent)]
        for each in rows
    ]
    return markdown(["noise", *(f"n = {n}" for n in SIZES)], texts)


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
    for few, many in ((3, 3), (5, 5), (10, 10), (3, 5), (3, 10), (5, 10)):
        row = [f"{few} and {many}"]
        for name, devices in (("ordinary", (0, 1)), ("unequal", (0, 1)), ("unequal", (1, 0))):
            whole = bank.get(scenario(name), 10).logs
            # Different machines share no moment, so repeats of different experiments are taken.
            first, second = whole[:, devices[0], :few], np.roll(whole[:, devices[1]], 1, axis=0)
            truth = float(whole[:, devices[0]].mean() - whole[:, devices[1]].mean())
            row.append(f"{covers(unpaired_groups(first, second[:, :many]), truth):.1f} %")
        rows.append(row)
    return markdown(head, rows)
