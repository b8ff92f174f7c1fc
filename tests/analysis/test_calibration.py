"""The intervals cover as often as they say, and the tables of the docs come from here."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from accelreport.analysis.sequential import LOOK_LEVEL, LOOKS, UntilDecided
from accelreport.analysis.stats import (
    Verdict,
    compare,
    known_spread,
    last_calibration,
    logarithms,
    processes_needed,
    verdict,
    welch,
)
from accelreport.results.record import Record
from benchmarks.calibration.__main__ import replace
from benchmarks.calibration.decisions import needed
from benchmarks.calibration.looks import looked
from benchmarks.calibration.methods import CHOSEN, unpaired, widened
from benchmarks.calibration.noise import SCENARIOS, Experiments, simulate
from benchmarks.calibration.tables import (
    called_different,
    covers,
    scenario,
    verdicts,
)
from tests.support.records import study

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "statistics.md", ROOT / "benchmarks" / "calibration" / "tables.md")

EXPERIMENTS = 4000
"""Enough to tell 95 % from 93 % or 97 %: the standard error of a share is 0.35 %."""

NAMES = [each.name for each in SCENARIOS]


def _experiments(n: int, count: int = 50, name: str = "ordinary") -> Experiments:
    return simulate(scenario(name), n, count, np.random.default_rng(3))


def _known(made: Experiments, number: int) -> float:
    """What pages know of the spread of an experiment, its other points beside it."""
    points = [
        [dict(enumerate(np.exp(device))) for device in made.logs[number - shift]]
        for shift in range(made.points)
    ]
    return known_spread(
        (compare((1.0, logarithms(above)), (-1.0, logarithms(below))), above, below)
        for above, below in points
    )


@pytest.mark.parametrize("name", ["ordinary", "two modes"])
@pytest.mark.parametrize("n", [3, 7])
def test_what_is_simulated_is_what_pages_show(n: int, name: str) -> None:
    made = _experiments(n, name=name)
    within, between = widened(made), unpaired(made)
    said = verdicts(within)
    for number, (first, second) in enumerate(made.logs):
        one, other = dict(enumerate(first)), dict(enumerate(second))
        shown = compare((1.0, one), (-1.0, other), spread=_known(made, number))
        assert shown.linear().low == pytest.approx(within[0][number])
        assert shown.linear().high == pytest.approx(within[1][number])
        apart = welch((1.0, first.tolist()), (-1.0, second.tolist())).linear()
        assert apart.low == pytest.approx(between[0][number])
        assert apart.high == pytest.approx(between[1][number])
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


def _timed(template: Record, seconds: float) -> Record:
    warm, steady = (
        template.blocks[0].model_copy(
            update={"steps": 10, "wall_s": wall, "cpu_s": wall, "warmup": warmup}
        )
        for wall, warmup in ((1.0, True), (10 * seconds, False))
    )
    return template.model_copy(update={"blocks": [warm, steady], "flops": None})


def test_the_simulated_looks_are_those_that_a_run_takes() -> None:
    made = study(devices=("cpu", "cpu-1"), axes={}, repeats=20, epochs=1, steps_per_epoch=5)
    rule = {"until_decided": UntilDecided().looks(3)}
    measure = made.plan.measure.model_copy(update={"repeats": 3})
    plan = made.plan.model_copy(update={"measure": measure, **rule})
    templates = {record.key: record for record in made.records}
    counts = {"different": 0, "same": 0}
    ends = []
    logs = simulate(scenario("quiet"), 20, 30, np.random.default_rng(4)).logs
    for experiment in logs:
        seconds = {"cpu": np.exp(experiment[0]), "cpu-1": np.exp(experiment[1])}
        records = [
            _timed(templates[cell.key], float(seconds[cell.device][cell.repeat]))
            for cell in plan.cells
        ]
        (look,) = UntilDecided().latest(plan, records)
        counts["same"] += look.verdict == "SAME"
        counts["different"] += look.verdict in {"FASTER", "SLOWER"}
        ends.append(look.repeats)
    different, same, sizes = looked(logs, LOOKS, LOOK_LEVEL)
    assert counts == {"different": round(30 * different), "same": round(30 * same)}
    assert ends == sizes.tolist()
    assert len(set(ends)) > 1, "a schedule that always ends at once tests nothing"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_interval_covers_under_clustered_noise(name: str, n: int) -> None:
    made = simulate(scenario(name), n, EXPERIMENTS, np.random.default_rng(11))
    truth = float(made.logs[:, 0].mean() - made.logs[:, 1].mean())
    ends = CHOSEN.ends(made, 0.95)
    # The bounds are widened by two or three standard errors of the simulation.
    assert covers(ends, truth) >= 94.0
    assert called_different(ends, truth) <= 5.7


def test_a_table_replaces_what_stood_between_its_markers() -> None:
    page = "a\n<!-- table: x -->\nold\n<!-- end: x -->\nb"
    assert replace(page, "x", "new") == "a\n<!-- table: x -->\nnew\n<!-- end: x -->\nb"
    with pytest.raises(ValueError, match="no table markers named y"):
        replace(page, "y", "new")


def _table(name: str) -> str:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    return text.split(f"<!-- table: {name} -->")[1].split(f"<!-- end: {name} -->")[0]


def _column(name: str, scenarios: list[str]) -> dict[str, list[float]]:
    rows = [line for line in _table(name).splitlines() if line.startswith("| **")]
    values = {
        line.split("**")[1]: [float(share) for share in re.findall(r"\| (\d+\.\d) %", line)]
        for line in rows
    }
    return {each: values[each] for each in scenarios}


def test_the_page_says_that_no_noise_takes_the_truth_out_of_more_intervals_than_it_may() -> None:
    shares = _column("coverage", NAMES)
    assert all(len(row) == 3 for row in shares.values())
    # A share of 95 % is told from 100,000 experiments to ± 0.07 points; of 48, one may be off by 4.
    assert all(share >= 94.7 for row in shares.values() for share in row)


def test_the_page_says_that_equals_are_rarely_called_different() -> None:
    shares = _column("difference", NAMES)
    # A share of 5 % is told from 100,000 experiments to ± 0.07 points.
    assert all(share <= 5.2 for row in shares.values() for share in row)


def test_the_page_says_that_balance_holds_what_a_shuffle_lost_to_drift() -> None:
    table = _table("order")
    pairs = re.findall(r"(\d+\.\d) → (\d+\.\d) %", table)
    assert len(pairs) == 6 * 6
    rows = [pairs[start : start + 6] for start in range(0, len(pairs), 6)]
    assert all(float(after) >= 94.7 for row in rows for _, after in row[:2])
    assert all(float(after) <= 0.5 for row in rows for _, after in row[2:4])
    assert any(float(before) < 80 for row in rows for before, _ in row[:2])


def test_the_page_says_that_adding_repeats_until_it_is_decided_errs_in_no_more_than_5_percent() -> (
    None
):
    shares = _column("sequential", [each.name for each in SCENARIOS])
    assert all(row[0] <= 5.3 for row in shares.values())


def test_the_page_says_that_a_gate_measured_in_turns_seldom_closes_on_what_is_the_same() -> None:
    shares = _column("gate", [each.name for each in SCENARIOS])
    assert all(len(row) == 6 for row in shares.values())
    assert all(share <= 2.5 for row in shares.values() for share in row[3:])
    # One run after the other, only what comes and goes with the hour can close it.
    steady = {name: row for name, row in shares.items() if name not in {"walk", "jump"}}
    assert all(share <= 2.5 for row in steady.values() for share in row[:3])
    assert shares["walk"][2] > 2.5, "measuring in turns would not matter"


def test_what_the_page_of_methods_shows_is_what_the_tables_of_the_docs_say() -> None:
    kept = last_calibration()
    for name, rows in (("coverage", kept.coverage), ("difference", kept.differences)):
        written = _column(name, [row.name for row in rows])
        shown = {row.name: [float(f"{value:.1f}") for value in row.percent] for row in rows}
        assert shown == written
    held = re.findall(r"→ (\d+\.\d) %", _table("modes"))
    assert len(held) == 6 * len(kept.modes)
    for number, row in enumerate(kept.modes):
        of_page = [float(share) for share in held[6 * number : 6 * number + 3]]
        assert of_page == pytest.approx(row.percent, abs=0.051)
