"""The intervals cover as often as they say, and the tables of the docs come from here."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from accelreport.analysis.calibration.__main__ import build, replace
from accelreport.analysis.calibration.decisions import needed
from accelreport.analysis.calibration.methods import CHOSEN, paired, unpaired
from accelreport.analysis.calibration.noise import SCENARIOS, Experiments, simulate
from accelreport.analysis.calibration.tables import (
    Bank,
    called_different,
    covers,
    scenario,
    verdicts,
)
from accelreport.analysis.intervals import compare, welch
from accelreport.analysis.verdicts import Verdict, processes_needed, verdict

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"

EXPERIMENTS = 4000
"""Enough to tell 95 % from 93 % or 97 %: the standard error of a share is 0.35 %."""

CLUSTERED = [each.name for each in SCENARIOS if each.name != "two modes"]
"""Scenarios the intervals must cover in; a machine with two modes is warned of instead."""


def _experiments(n: int, count: int = 50) -> Experiments:
    return simulate(scenario("ordinary"), n, count, np.random.default_rng(3))


@pytest.mark.parametrize("n", [2, 3, 7])
def test_what_is_simulated_is_what_pages_show(n: int) -> None:
    made = _experiments(n)
    within, between = paired(made), unpaired(made)
    said = verdicts(within)
    for number, (first, second) in enumerate(made.logs):
        shown = compare((1.0, dict(enumerate(first))), (-1.0, dict(enumerate(second))))
        assert shown.linear().low == pytest.approx(within[0][number])
        assert shown.linear().high == pytest.approx(within[1][number])
        other = welch((1.0, first.tolist()), (-1.0, second.tolist())).linear()
        assert other.low == pytest.approx(between[0][number])
        assert other.high == pytest.approx(between[1][number])
        expected = verdict(shown.ratio())
        assert bool(said[0][number]) == (expected is Verdict.FASTER)
        assert bool(said[1][number]) == (expected is Verdict.SLOWER)
        assert bool(said[2][number]) == (expected is Verdict.SAME)


def test_the_simulated_need_for_processes_is_the_one_pages_show() -> None:
    made = _experiments(3)
    asked = needed(made.logs)
    for number, (first, second) in enumerate(made.logs):
        shown = compare((1.0, dict(enumerate(first))), (-1.0, dict(enumerate(second))))
        assert asked[number] == (processes_needed(shown.value, shown.spread) or 0)


@pytest.mark.parametrize("name", CLUSTERED)
@pytest.mark.parametrize("n", [3, 5])
def test_the_interval_covers_under_clustered_noise(name: str, n: int) -> None:
    made = simulate(scenario(name), n, EXPERIMENTS, np.random.default_rng(11))
    truth = float(made.logs[:, 0].mean() - made.logs[:, 1].mean())
    ends = CHOSEN.ends(made, 0.95)
    # The bounds are widened by two standard errors of the simulation.
    assert 92.3 <= covers(ends, truth) <= 97.7
    assert called_different(ends, truth) <= 5.7


def test_counting_steps_as_independent_would_be_wrong_half_of_the_time() -> None:
    table = build(200)["methods"]
    row = next(line for line in table.splitlines() if line.startswith("| steps taken"))
    shares = [float(share) for share in re.findall(r"–(\d+\.\d) %", row)]
    assert max(shares) < 90


def test_the_same_seed_gives_the_same_experiments() -> None:
    one, other = Bank(20).get(SCENARIOS[1], 3), Bank(20).get(SCENARIOS[1], 3)
    np.testing.assert_array_equal(one.logs, other.logs)


def test_a_table_replaces_what_stood_between_its_markers() -> None:
    page = "a\n<!-- table: x -->\nold\n<!-- end: x -->\nb"
    assert replace(page, "x", "new") == "a\n<!-- table: x -->\nnew\n<!-- end: x -->\nb"
    with pytest.raises(ValueError, match="no table markers named y"):
        replace(page, "y", "new")


def _column(name: str, scenarios: list[str]) -> dict[str, list[float]]:
    text = PAGE.read_text(encoding="utf-8")
    table = text.split(f"<!-- table: {name} -->")[1].split(f"<!-- end: {name} -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| **")]
    values = {
        line.split("**")[1]: [float(share) for share in re.findall(r"\| (\d+\.\d) %", line)]
        for line in rows
    }
    return {each: values[each] for each in scenarios}


def test_the_page_says_that_coverage_lies_between_93_and_97_percent() -> None:
    shares = _column("coverage", CLUSTERED)
    assert all(len(row) == 4 for row in shares.values())
    assert all(93 <= share <= 97 for row in shares.values() for share in row[1:])


def test_the_page_says_that_equals_are_rarely_called_different() -> None:
    shares = _column("difference", CLUSTERED)
    # A share of 5 % is told from 20,000 experiments to ± 0.3 points.
    assert all(share <= 5.3 for row in shares.values() for share in row)
