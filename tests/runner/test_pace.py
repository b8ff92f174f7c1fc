"""A run with a given time measures whole benchmarks, the first ones in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.runner import run
from accelreport.runner.run import WholeBenchmarks, exit_code
from accelreport.terminal.run_text import closing
from tests.runner.scripted import Bench, cell
from tests.support.program import call
from tests.support.records import study

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
    clock: Clock, tmp_path: Path, within_s: float, costs: dict[str, float], repeats: int = 3
) -> tuple[list[str], WholeBenchmarks]:
    """What is measured of benchmarks of two cells a repeat, each of which costs so many seconds."""
    cells = [
        cell(spec=spec, repeat=repeat, point={"number": number}, of=spec)
        for spec in costs
        for repeat in range(repeats)
        for number in range(2)
    ]
    plan = Bench(tmp_path).plan(cells)
    whole = WholeBenchmarks(within_s, plan)
    done = []
    (like, *_) = study().records
    for one in sorted(cells, key=lambda one: one.repeat):
        if whole.begins(one):
            done.append(f"{one.spec} {one.repeat}")
            clock.now += costs[one.spec]
            times = like.times.model_copy(update={"wall_s": costs[one.spec]})
            whole.ended(like.model_copy(update={"key": one.key, "cell": one, "times": times}))
    assert len(done) + sum(left for left, _ in whole.left_out.values()) == len(cells)
    return done, whole


@pytest.mark.parametrize(
    ("within_s", "middle_s", "kept", "tried"),
    [
        (60.0, 5.0, "abc", "abc"),  # 6, 30 and 24 seconds
        (45.0, 5.0, "ab", "abc"),
        (60.0, 20.0, "ac", "abc"),  # what a costly one would have taken is left to those after it
        (14.0, 5.0, "a", "ab"),
        (8.0, 5.0, "a", "a"),
        (0.5, 5.0, "", "a"),
    ],
)
def test_whole_benchmarks_are_kept_in_their_order_as_far_as_the_time_suffices(
    within_s: float, middle_s: float, kept: str, tried: str, clock: Clock, tmp_path: Path
) -> None:
    done, whole = measured(clock, tmp_path, within_s, {"a": 1.0, "b": middle_s, "c": 4.0})
    for spec in "abc":
        repeats = {one for one in done if one.startswith(spec)}
        assert len(repeats) == (3 if spec in kept else 1 if spec in tried else 0), spec
    out = {spec: (5 if spec in tried else 6, 6) for spec in "abc" if spec not in kept}
    assert whole.left_out == out
    spread = [one for one in done if one[0] in kept]
    assert [one[-1] for one in spread] == sorted(one[-1] for one in spread), "repeats are spread"


def test_a_run_without_time_leaves_benchmarks_out_by_name_and_the_next_one_measures_them(
    tmp_path: Path,
) -> None:
    cells = [
        cell(spec=spec, repeat=repeat, of=spec) for spec in ("one", "two") for repeat in range(2)
    ]
    bench = Bench(tmp_path, within_s=0.001)
    end = bench.run(cells)
    assert (end.ok, end.left, end.left_out) == (1, 0, {"one": (1, 2), "two": (2, 2)})
    assert "1 of 2 cells of one and all 2 cells of two; the others of one are" in " ".join(
        closing(end)
    )
    assert exit_code(end) == ExitCode.OK
    end = Bench(tmp_path, within_s=600.0).run(cells)
    assert (end.ok, end.done_before, end.left_out) == (3, 1, {})


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
