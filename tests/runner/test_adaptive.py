"""Repeats are added until comparisons with the baseline are decided, and never lost again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from accelreport.analysis.sequential import UntilDecided
from accelreport.backend.availability import no_device
from accelreport.results.plan_document import PlanDocument, plan_document
from accelreport.runner.adaptive import AdaptiveRepeats
from accelreport.runner.events import CellEndLine, EndLine, LookLine, RunLine
from accelreport.runner.plan_documents import continued
from accelreport.spec.base import Baseline, Scalar
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.claims import Claim, FasterCheck
from accelreport.spec.models import Measure
from tests.runner.scripted import DEVICES, MACHINE, Bench
from tests.support.records import AnyParameters

pytestmark = pytest.mark.e2e

CLEAR = {"cpu": [0.250, 0.251, 0.252], "cpu-1": [0.500, 0.503, 0.504]}
"""Seconds by device and repeat: half as fast, without doubt."""

EQUAL = {"cpu": [0.250, 0.251, 0.252], "cpu-1": [0.2501, 0.2512, 0.2519]}
"""The same, within 3 % without doubt."""

VAGUE = {"cpu": [0.25], "cpu-1": [0.20, 0.31, 0.24, 0.27, 0.20]}
"""Neither, however often it is repeated."""

LATE = {"cpu": [0.25], "cpu-1": [0.26, 0.40, 0.36, 0.35, 0.37]}
"""Slower, but three repeats do not show it."""


@dataclass
class Study:
    """A spec of scripted cells, and runs of it into one folder."""

    folder: Path
    repeats: int = 3
    most: int = 20
    points: Sequence[dict[str, Scalar]] = ({},)
    seconds: dict[str, list[float]] = field(default_factory=lambda: dict(VAGUE))
    absent: Sequence[str] = ()
    claims: Sequence[Claim] = ()
    do: str = "ok"
    possible: int = 0

    @property
    def spec(self) -> Spec:
        devices = {name: DEVICES[name] for name in ("cpu", "cpu-1")}
        measure = Measure(repeats=self.repeats)
        work: dict[str, Any] = {"kind": "scripted", "do": self.do, "kind_of_failure": "nan-loss"}
        work |= {"seconds": self.seconds}
        found = [
            Cell(
                spec="sweep",
                profile="full",
                device=name,
                point=point,
                repeat=repeat,
                seed=repeat,
                workload={**work, **point},
                device_spec=device,
                measure=measure,
            ).typed(AnyParameters(**{**work, **point}))
            for point in self.points
            for repeat in range(self.repeats)
            for name, device in devices.items()
        ]
        return Spec(
            name="sweep",
            path=Path("sweep.toml"),
            text="",
            profile="full",
            title="Scripted",
            description="",
            source=None,
            devices=devices,
            baseline=Baseline(device="cpu"),
            parameters=AnyParameters(**work),
            axes={key: [point[key] for point in self.points] for key in self.points[0]},
            measure=measure,
            published=(),
            claims=tuple(self.claims),
            cells=tuple(found),
        )

    def document(self) -> PlanDocument:
        """The plan document that lies in the results folder."""
        (document,) = Bench(self.folder).store.plans()
        return document

    def run(self, bench: Bench, *, decide: bool = True, chosen: Sequence[str] = ()) -> EndLine:
        """As `prepare` and `carry_out` do it, with scripted processes."""
        spec, rule = self.spec, UntilDecided(self.most)
        earlier = bench.store.plans()
        document, added = continued(plan_document(spec, {}), spec, earlier[0] if earlier else None)
        if decide:
            looks = rule.looks(self.repeats)
            document = document.model_copy(update={"until_decided": looks})
        bench.store.write_plan(document)
        picked = [c for c in (*spec.cells, *added) if not chosen or c.device in chosen]
        if not decide:
            return bench.carry_out(bench.plan(picked))
        adaptive = AdaptiveRepeats(
            stopping_rule=rule,
            documents=[document],
            chosen=picked,
            store=bench.store,
            machine=MACHINE,
            unavailable=lambda one: no_device("not here") if one.device in self.absent else None,
            policy=bench.policy,
        )
        self.possible = len(adaptive.possible())
        plan = bench.plan(picked, absent=self.absent)
        return bench.carry_out(plan, partial(adaptive.further, bench.observer))


def faster(**bounds: float) -> Claim:
    """A sentence about how many times as fast all threads are as one."""
    check = FasterCheck.model_validate({"faster": "cpu", "than": "cpu-1", **bounds})
    return Claim(text="So many times as fast", check=check)


@pytest.mark.parametrize(
    ("bounds", "repeats"),
    [
        ({"by_at_least": 1.5}, 3),
        ({"by_at_least": 3.0}, 3),
        ({"by_at_least": 2.0}, 10),  # Three repeats hold 2.0, ten of these do not.
    ],
)
def test_repeats_are_added_until_a_claim_is_decided_although_the_comparison_is(
    tmp_path: Path, bounds: dict[str, float], repeats: int
) -> None:
    bench = Bench(tmp_path)
    made = Study(tmp_path, seconds=CLEAR, claims=[faster(**bounds)], most=10)
    end = made.run(bench)
    assert [each.verdict for each in looks(bench)[-1].comparisons] == ["SLOWER"]
    assert (end.ok, end.left) == (2 * repeats, 0)
    assert {cell.repeat for cell in made.document().cells} == set(range(repeats))


def looks(bench: Bench) -> list[LookLine]:
    return [line for line in bench.observer.lines if isinstance(line, LookLine)]


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(CLEAR, "SLOWER"), (EQUAL, "SAME")], ids=["clear", "equal"]
)
def test_what_is_decided_by_the_planned_repeats_gets_no_more(
    tmp_path: Path, seconds: dict[str, list[float]], verdict: str
) -> None:
    bench = Bench(tmp_path)
    end = Study(tmp_path, seconds=seconds).run(bench)
    assert (end.ok, end.left) == (6, 0)
    (look,) = looks(bench)
    assert [(each.verdict, each.repeats, each.wanted) for each in look.comparisons] == [
        (verdict, 3, 0)
    ]
    assert look.cells == []


def test_repeats_are_added_on_both_devices_until_it_is_decided(tmp_path: Path) -> None:
    bench, study = Bench(tmp_path), Study(tmp_path, seconds=LATE)
    end = study.run(bench)

    assert [[each.verdict for each in look.comparisons] for look in looks(bench)] == [
        ["UNDECIDED"],
        ["SLOWER"],
    ]
    assert end.ok == 10
    records = list(bench.store.records())
    assert sorted((one.cell.device, one.cell.seed) for one in records) == [
        (device, seed) for device in ("cpu", "cpu-1") for seed in range(5)
    ]
    assert {cell.key for cell in study.document().cells} == {one.key for one in records}


def test_it_ends_at_the_most_repeats_and_says_so(tmp_path: Path) -> None:
    bench, study = Bench(tmp_path), Study(tmp_path, most=7)
    end = study.run(bench)
    assert [max(each.wanted for each in look.comparisons) for look in looks(bench)] == [5, 7, 0]
    assert end.ok == 14
    assert study.possible == 8
    (last,) = looks(bench)[-1].comparisons
    assert (last.verdict, last.reason) == ("UNDECIDED", "7 repeats are the most allowed")


def test_a_run_that_is_stopped_goes_on_with_the_repeats_that_were_added(tmp_path: Path) -> None:
    study, bench = Study(tmp_path, most=10), Bench(tmp_path)

    def stop_in_the_added_ones(line: RunLine) -> None:
        if isinstance(line, CellEndLine) and line.repeat == 3:
            bench.stop.request("SIGINT")

    bench.observer.react = stop_in_the_added_ones
    end = study.run(bench)
    assert (end.ok, end.stopped_by, end.left) == (7, "SIGINT", 3)

    again = Bench(tmp_path)
    end = study.run(again)
    assert (end.done_before, end.ok, end.left) == (7, 13, 0)
    assert [len(look.cells) for look in looks(again)] == [10, 0]

    idle = Bench(tmp_path)
    end = study.run(idle)
    assert (end.done_before, end.ok) == (20, 0)
    assert idle.observer.ends == []


def test_only_comparisons_that_are_undecided_get_more(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    seconds = {f"{device} 1": paces for device, paces in VAGUE.items()}
    seconds |= {f"{device} 2": paces for device, paces in CLEAR.items()}
    Study(tmp_path, most=5, points=[{"n": 1}, {"n": 2}], seconds=seconds).run(bench)
    first, last = looks(bench)
    assert [each.verdict for each in first.comparisons] == ["UNDECIDED", "SLOWER"]
    assert [cell.point["n"] for cell in first.cells] == [1] * 4
    assert [each.repeats for each in last.comparisons] == [5, 3]


@pytest.mark.parametrize("leave_out", ["baseline", "absent", "failing"])
def test_nothing_is_added_where_device_or_baseline_cannot_be_measured(
    tmp_path: Path, leave_out: str
) -> None:
    bench = Bench(tmp_path)
    study = Study(
        tmp_path,
        absent=["cpu"] if leave_out == "absent" else (),
        do="fail" if leave_out == "failing" else "ok",
    )
    study.run(bench, chosen=["cpu-1"] if leave_out == "baseline" else ())
    assert [look.cells for look in looks(bench)] == [[]]
    assert len(study.document().cells) == 6
    if leave_out == "failing":
        (told,) = looks(bench)[0].comparisons
        assert "nan-loss" in told.reason
