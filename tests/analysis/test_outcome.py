"""What a report decides is told from what waits, and the time of the rest is that of its cells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claims import ClaimState
from accelreport.analysis.findings import Kind
from accelreport.analysis.outcome import outcome_of
from accelreport.analysis.speed_findings import difference_of
from accelreport.report.claim_text import next_steps
from accelreport.spec.cells import Cell
from accelreport.spec.claims import BoundCheck, Check, Claim, FasterCheck, TrendCheck
from tests.support.edited import W, edited
from tests.support.records import Noise, Study, study


def _bench(made: Study) -> Benchmark:
    return Benchmark(made.plan, {(record.key, record.machine): record for record in made.records})


@pytest.mark.parametrize(
    ("repeats", "noise", "further"),
    [(1, 0.2, 2), (3, 0.2, 0), (5, 0.2, 5), (5, 0.04, 15), (20, 0.2, 0)],
)
def test_an_undecided_comparison_costs_what_its_next_look_needs_if_any_look_has_it(
    repeats: int, noise: float, further: int
) -> None:
    pace = (2e-3 + 256 * 4.0e-4) / (2e-3 + 256 * 7.5e-4)
    equal = _bench(
        study(
            devices=("cpu", "cpu-1"), axes={}, repeats=repeats, noise=Noise(process=noise),
            factors={"cpu-1": pace}, seed=3,
        )
    )  # fmt: skip
    outcome = outcome_of([equal])
    assert not outcome.comparisons
    assert (bool(outcome.reruns), bool(outcome.beyond)) == (further > 0, further == 0)
    for rerun in outcome.reruns:
        (_, finding), *others = rerun.comparisons
        assert (finding.kind, others) == (Kind.UNDECIDED, [])
        wall = sum(record.times.wall_s or 0 for record in equal.records.values()) / repeats
        assert rerun.seconds >= further * wall * 0.999


@pytest.mark.parametrize(("bound", "needed"), [(1.0, 8), (0.8, 707)])
def test_a_claim_says_how_many_processes_its_scatter_asks_for(bound: float, needed: int) -> None:
    claim = Claim(text="fast", check=BoundCheck(ratio="speedup", of="cpu-1", at_least=bound))
    pace = (2e-3 + 256 * 4.0e-4) / (2e-3 + 256 * 7.5e-4)
    equal = _bench(
        study(
            devices=("cpu", "cpu-1"), axes={}, repeats=5, noise=Noise(process=0.2),
            factors={"cpu-1": pace}, seed=3, claims=[claim], origin="synthetic",
        )
    )  # fmt: skip
    (tested,), outcome = equal.tested, outcome_of([equal])
    assert tested.needed == needed
    assert bool(outcome.claims_beyond) is (needed > 20)
    assert any(rerun.claims for rerun in outcome.reruns) is (needed <= 20)


def test_the_time_to_decide_the_rest_counts_what_the_looks_open_again() -> None:
    undecided, decided = (
        _bench(
            study(
                spec=name, devices=("cpu", "cpu-1"), axes={}, repeats=5, noise=Noise(process=0.05),
                factors={"cpu-1": factor}, first_seed=first, seed=3,
            )
        )
        for name, factor, first in (("undecided", 0.54, 0), ("decided", 0.56, 100))
    )  # fmt: skip
    alone, both = outcome_of([undecided]), outcome_of([undecided, decided])
    assert (len(alone.comparisons), len(both.comparisons)) == (0, 1)
    assert both.reruns[0].comparisons == alone.reruns[0].comparisons
    assert both.reruns[0].seconds > alone.reruns[0].seconds


def _without_gpu(cell: Cell) -> str:
    return "skipped" if cell.device == "gpu" else "ok"


def _left_out(cell: Cell) -> str:
    return "skipped" if cell.device == "gpu" else "missing"


def test_what_was_left_out_is_measured_by_the_same_command_and_needs_no_device() -> None:
    claims = [
        Claim(text=device, check=FasterCheck(faster=device, than="cpu", by_at_least=1))
        for device in ("cpu-1", "gpu")
    ]
    made, other = (
        study(
            spec=name, devices=("cpu", "cpu-1", "gpu"), axes={}, claims=claims, first_seed=seed,
            fate=fate,
        )
        for name, seed, fate in (("measured", 0, _without_gpu), ("left_out", 100, _left_out))
    )  # fmt: skip
    here = [record for record in made.records if record.cell.device != "gpu"]
    outcome = outcome_of([_bench(made), _bench(other)])
    (rerun,) = outcome.reruns
    assert [bench.plan.spec for bench in rerun.missing] == ["left_out"]
    assert ("left_out", "cpu-1") in {(claim.spec, claim.claim.text) for claim in rerun.claims}
    assert {claim.claim.text for claim in outcome.device} == {"gpu"}
    assert len(outcome.device) == 2
    wall_s = sum(record.times.wall_s or 0 for record in here) / len(here)
    assert rerun.seconds >= 6 * wall_s * 0.999


def test_no_command_of_a_profile_decides_what_its_plan_has_not() -> None:
    """Another point, a trend of one value, a device of another profile; and a CPU is everywhere."""
    checks: dict[str, Check] = {
        "planned": FasterCheck(faster="cpu", than="cpu-1", by_at_least=1),
        "point": BoundCheck(value="throughput", of="cpu", at_least=1, where={"batch_size": 2}),
        "trend": TrendCheck(
            rises="throughput", of="cpu", along="batch_size", where={"batch_size": 64}
        ),
        "device": FasterCheck(faster="cpu-eager", than="cpu", by_at_least=1),
        "gpu": BoundCheck(value="throughput", of="gpu", at_least=1, where={"batch_size": 2}),
    }
    claims = [Claim(text=text, check=check) for text, check in checks.items()]
    axes = {"batch_size": [64, 128]}
    devices = ("cpu", "cpu-1", "gpu")
    made, other = (
        study(
            spec=name, profile="quick", devices=devices, axes=axes, claims=claims, first_seed=seed,
            fate=fate,
        )
        for name, seed, fate in (("measured", 0, _without_gpu), ("not_run", 100, _left_out))
    )  # fmt: skip
    outcome = outcome_of([_bench(made), _bench(other)])
    (rerun,) = outcome.reruns
    assert [(c.spec, c.claim.text) for c in rerun.claims] == [("not_run", "planned")]
    unplanned = [c.claim.text for c in outcome.unmeasured if not c.planned]
    assert unplanned == ["point", "trend", "device"] * 2
    assert {c.claim.text for c in outcome.device} == {"gpu"}
    titles = [step.title.replace("\xa0", " ") for step in next_steps(outcome, "")]
    assert "2 claims need another device and a larger profile" in titles
    begun = _bench(study(axes=axes, claims=claims, fate=lambda _: "missing", devices=devices))
    assert [c.claim.text for c in begun.tested if c.state is ClaimState.NEEDS_DEVICE] == ["gpu"]


def test_a_claim_whose_runs_their_budget_ended_needs_a_larger_one() -> None:
    learns = Claim(text="Learns", check=BoundCheck(value="val_accuracy", of="cpu", at_least=0.5))
    made = study(devices=("cpu",), axes={}, claims=[learns], fate=lambda _: "partial")
    outcome = outcome_of([_bench(made)])
    (step,) = (s for s in next_steps(outcome, "accelreport run x") if "budget" in s.title)
    assert step.title.replace("\xa0", " ") == "1 claim needs a larger budget"
    assert step.command.startswith("accelreport run x --budget ")


def test_a_claim_waits_for_the_cells_that_a_run_of_its_plan_left_out() -> None:
    claim = Claim(text="waits", check=FasterCheck(faster="cpu-1", than="cpu", by_at_least=1))
    made = study(
        devices=("cpu", "cpu-1"), axes={}, claims=[claim],
        fate=lambda cell: "missing" if cell.device == "cpu" else "ok",
    )  # fmt: skip
    here = tuple(record for record in made.records if record.cell.device == "cpu-1")
    (rerun,) = outcome_of([_bench(replace(made, records=here))]).reruns
    assert [one.claim.text for one in rerun.claims] == ["waits"]
    assert rerun.seconds >= 0.999 * sum(record.times.wall_s or 0 for record in here)


def test_every_claim_is_in_one_group_and_decided_comparisons_come_by_size() -> None:
    benches = [_bench(made) for made in edited(W).studies]
    outcome = outcome_of(benches)
    again = [claim for rerun in outcome.reruns for claim in rerun.claims]
    groups = (
        *(outcome.claims, again),
        *(outcome.claims_beyond, outcome.unmeasured, outcome.device),
    )
    claims = [(claim.spec, claim.claim.text) for group in groups for claim in group]
    assert len(claims) == len(set(claims))
    assert set(claims) == {(b.plan.spec, claim.text) for b in benches for claim in b.plan.claims}
    for rerun in outcome.reruns:
        assert rerun.profile == "full"
        named = " ".join(f"specs/{spec}.toml" for spec in rerun.specs)
        assert rerun.command.startswith(f"accelreport run {named} ")
        assert rerun.command.endswith("--until-decided")
    pairs = [(b, f.values[0]) for b, f in (*outcome.comparisons, *outcome.undecided)]
    assert all(len(difference_of(bench, value)) == 1 for bench, value in pairs)
    every = [f.values[0].interval.ends for _, f in outcome.comparisons if f.kind is not Kind.SAME]
    sizes = [max(low, 1 / high) for low, high in every]
    assert sizes == sorted(sizes, reverse=True)
