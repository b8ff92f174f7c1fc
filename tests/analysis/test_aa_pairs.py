"""The benchmark of pairs that are the same: what it measures, and what it says of few pairs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "aa_pairs.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    found = importlib.util.spec_from_file_location("aa_pairs", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_both_sides_are_the_same_but_no_process_stands_for_two(script: ModuleType) -> None:
    made = [cell for number in range(3) for cell in script.pair(number, 4, 64, 10).cells]
    assert len({cell.key for cell in made}) == len(made) == 3 * 4 * 2
    first, second = ([cell for cell in made if cell.device == side] for side in script.SIDES)
    for one, other in zip(first, second, strict=True):
        assert (one.workload, one.device_spec, one.seed) == (
            other.workload,
            other.device_spec,
            other.seed,
        )


def test_few_pairs_are_said_to_prove_little(script: ModuleType) -> None:
    # Of 30 none: the "rule of three" gives some 10 %; Clopper and Pearson, two-sided, 11.6 %.
    assert script.judged(0, 30)["high"] == pytest.approx(0.1157, abs=1e-3)
    assert script.judged(0, 30)["p"] == 1
    assert script.judged(0, 30)["most"] == 4
    assert script.judged(4, 30)["p"] >= 0.05 > script.judged(5, 30)["p"]
    assert script.judged(30, 30)["high"] == 1


def test_what_is_told_counts_faster_and_slower_as_wrong(script: ModuleType) -> None:
    said = [
        ("SAME", 0.99, 1.01),
        ("FASTER", 1.1, 1.2),
        ("UNDECIDED", 0.8, 1.2),
        ("SLOWER", 0.8, 0.9),
    ]
    rows = [{"verdict": verdict, "low": low, "high": high} for verdict, low, high in said]
    lines, values = script.told(rows)
    assert (values["pairs"], values["different"], values["intervals_without_1"]) == (4, 2, 2)
    assert lines[1].startswith("2 of 4 pairs were called different: 50.0%")
    nothing = [{"verdict": "UNDECIDED", "low": None, "high": None}]
    assert script.told(nothing)[0] == ["No pair has an interval: nothing can be said."]
