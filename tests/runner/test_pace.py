from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.results.record import Times
from accelreport.runner import run
from accelreport.runner.run import LEAST_BUDGET_S, Pace, exit_code
from accelreport.spec.cells import Cell
from tests.runner.scripted import Bench, cell
from tests.support.program import call

pytestmark = pytest.mark.e2e


class Clock:
    """A clock that only tests move."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(run, "time", clock)
    return clock


def measured(
    pace: Pace, clock: Clock, cells: list[Cell], *, outside_s: float, first_step_s: float = 0.0
) -> list[float]:
    """Budgets of cells whose trainings spend them after the first step, and take so long beside."""
    budgets = []
    for one in cells:
        if (begun := pace.begins(one)) is not None:
            budgets.append(begun.measure.budget)
            train_s = first_step_s + begun.measure.budget
            clock.now += train_s + outside_s
            wall_s = train_s + outside_s
            pace.ended(Times(train_s=train_s, wall_s=wall_s, first_step_s=first_step_s))
    return budgets


def configurations(count: int, budget: float, repeats: int = 1) -> list[Cell]:
    return [
        cell(point={"number": number}, repeat=repeat, budget=budget)
        for repeat in range(repeats)
        for number in range(count)
    ]


def test_a_machine_that_is_fast_enough_measures_what_the_specs_say(clock: Clock) -> None:
    cells = configurations(20, budget=5.0, repeats=2)
    assert measured(Pace(300.0, 20), clock, cells, outside_s=1.0) == [5.0] * 40
    assert clock.now <= 300.0


def test_a_slower_machine_measures_every_configuration_once_within_the_time(clock: Clock) -> None:
    slow = Pace(300.0, 20)
    budgets = measured(slow, clock, configurations(20, budget=30.0, repeats=3), outside_s=5.0)
    assert len(budgets) == 20
    assert slow.left_out == 40
    assert budgets[0] == 30.0, "before a cell has ended nobody knows how fast the machine is"
    assert min(budgets) > LEAST_BUDGET_S
    assert 270.0 < clock.now <= 300.0


def test_a_share_of_the_time_holds_the_first_step_beside_the_budget(clock: Clock) -> None:
    slow = Pace(300.0, 5)
    budgets = measured(slow, clock, configurations(5, 60.0), outside_s=10.0, first_step_s=20.0)
    assert budgets[0] == 60.0
    assert budgets[1:] == pytest.approx([22.5] * 4)
    assert clock.now == pytest.approx(300.0)


def test_a_run_without_time_measures_each_configuration_once_and_repeats_later(
    tmp_path: Path,
) -> None:
    cells = configurations(2, budget=30.0, repeats=2)
    cells = [cells[0], cells[2], cells[1], cells[3]]
    bench = Bench(tmp_path, within_s=0.001)
    end = bench.run(cells)
    assert (end.ok, end.left) == (2, 0)
    assert exit_code(end) == ExitCode.OK
    assert [line.repeat for line in bench.observer.ends] == [0, 0]
    budgets = [line.record.cell.measure.budget for line in bench.observer.ends]
    assert budgets == [30, LEAST_BUDGET_S]
    end = Bench(tmp_path).run(cells)
    assert (end.ok, end.done_before) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--within", "soon"], "--within"),
        (["--within", "0 s"], "greater than 0"),
        (["--within", "4m", "--until-decided"], "without --until-decided"),
        (["--within", "4m", "--on", "ray"], "on one machine"),
    ],
)
def test_a_time_that_cannot_be_kept_is_refused(
    arguments: list[str], says: str, tmp_path: Path
) -> None:
    done = call(tmp_path, "run", *arguments)
    assert done.returncode == ExitCode.USAGE
    assert says in " ".join(done.stderr.split())
