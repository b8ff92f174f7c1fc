"""Repeats are added by a fixed schedule, and all its looks together keep their level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.results import results_of
from accelreport.analysis.sequential import LOOKS, UntilDecided
from accelreport.analysis.stats import LEVEL, level_over
from accelreport.results.plan_document import Halt, Halted, Look, PlanDocument
from accelreport.results.record import Record, Warned
from accelreport.spec.claims import Claim, EquivalentCheck
from tests.support.records import Noise, Study, slowed, study
from tests.support.rows import speedup_rows, the_row


def _study(factor: float = 1.0, repeats: int = 20, seed: int = 0, noise: float = 0.02) -> Study:
    return study(
        devices=("cpu", "cpu-1"),
        axes={},
        repeats=repeats,
        epochs=1,
        steps_per_epoch=30,
        noise=Noise(process=noise),
        factors={"cpu-1": factor * (2e-3 + 256 * 4.0e-4) / (2e-3 + 256 * 7.5e-4)},
        seed=seed,
    )


def _asked(made: Study, planned: int = 3, most: int = 20) -> PlanDocument:
    measure = made.plan.measure.model_copy(update={"repeats": planned})
    return made.plan.model_copy(
        update={"until_decided": UntilDecided(most).looks(planned), "measure": measure}
    )


def _last(made: Study, records: tuple[Record, ...], most: int = 20) -> Look:
    (look,) = UntilDecided().latest(_asked(made, most=most), records)
    return look


@given(planned=st.integers(1, 1000), most=st.integers(3, 20))
def test_a_schedule_never_looks_more_often_than_its_level_allows(planned: int, most: int) -> None:
    looks = UntilDecided(most).looks(planned)
    assert looks.at == sorted(set(looks.at))
    assert looks.at[0] == max(planned, LOOKS[0])
    assert looks.at[-1] == max(planned, most, LOOKS[0])
    assert len(looks.at) * (1 - looks.level) <= 1 - LEVEL + 1e-12


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), n=st.integers(1, 20), factor=st.sampled_from([1.0, 1.05, 1.3]))
def test_what_lies_beyond_a_look_does_not_change_it(seed: int, n: int, factor: float) -> None:
    made = _study(factor, seed=seed)
    whole = _last(made, made.records)
    some = tuple(record for record in made.records if record.cell.repeat < n)
    cut = _last(made, some)
    if cut.wanted:
        assert cut.wanted > n or cut.repeats == 0
        assert whole.repeats >= cut.repeats
    else:
        assert cut == whole, "once decided, always decided"


def test_a_decided_comparison_says_what_its_page_says() -> None:
    for seed in range(6):
        made = _study(1.06, seed=seed)
        look = _last(made, made.records)
        plan = _asked(made)
        kept = [record for record in made.records if record.cell.repeat < look.repeats]
        row = the_row(speedup_rows(plan, kept), device="cpu-1")
        assert (row["verdict"], row["n"]) == (look.verdict, look.repeats)
        assert row["level"] == LEVEL


def test_the_intervals_of_a_page_are_those_of_one_look_and_wider_than_without_looks() -> None:
    made = _study(repeats=5)
    plain = the_row(speedup_rows(made.plan, made.records), device="cpu-1")
    plan = _asked(made)
    assert level_over(plan.until_decided) == pytest.approx(0.9875)
    assert level_over(made.plan.until_decided) == LEVEL
    looked = the_row(speedup_rows(plan, made.records), device="cpu-1")
    direct = the_row(speedup_rows(made.plan, made.records, level=0.9875), device="cpu-1")
    np.testing.assert_allclose([looked["low"], looked["high"]], [direct["low"], direct["high"]])
    assert looked["low"] < plain["low"]
    assert looked["high"] > plain["high"]


def test_missing_repeats_are_asked_for_and_failed_ones_are_not() -> None:
    made = _study(noise=0.1)
    three = tuple(record for record in made.records if record.cell.repeat < 3)
    assert _last(made, three).wanted == 5
    assert _last(made, three[:-1]).wanted == 3
    lost = study(
        devices=("cpu", "cpu-1"),
        axes={},
        repeats=3,
        fate=lambda cell: "oom-host" if cell.device == "cpu" and cell.repeat == 1 else "ok",
    )
    (look,) = UntilDecided().latest(_asked(lost), lost.records)
    assert (look.wanted, look.verdict) == (0, "NOT MEASURED")
    assert look.halted == Halted(Halt.UNTIMED, 1, baseline=True, problem="oom-host")


def test_a_number_that_the_page_refuses_decides_nothing() -> None:
    made = _study(factor=3.0)
    three = [record for record in made.records if record.cell.repeat < 3]
    assert _last(made, tuple(three)).verdict == "SLOWER"
    warned = [Warned(kind="no-sync", message="seen")]
    three[0] = three[0].model_copy(update={"warnings": warned})
    look = _last(made, tuple(three))
    assert (look.wanted, look.verdict) == (0, "NOT MEASURED")
    assert look.halted is not None
    assert (look.halted.repeat, look.halted.problem) == (0, "refused: no-sync")


def test_a_look_knows_of_the_slow_processes_that_other_points_showed_by_then() -> None:
    made = study(
        devices=("cpu", "cpu-1"),
        axes={"batch_size": [64, 256]},
        repeats=5,
        epochs=1,
        steps_per_epoch=30,
        noise=Noise(process=0.005, step=0.01, outlier_share=0),
        factors={"cpu-1": 0.7},
    )
    plan = _asked(made, most=5)

    def looks(slow_repeat: int) -> list[Look]:
        slow = slowed(made, 1.6, device="cpu-1", repeat=slow_repeat, batch_size=256)
        return UntilDecided().latest(plan, slow.records)

    (at_once, _), (late, _), (early, _) = looks(-1), looks(4), looks(1)
    assert at_once.repeats == late.repeats == 3, "a look knows nothing of what came after it"
    assert early.repeats == 5


def test_input_that_is_generated_in_the_shape_of_a_point_is_no_other_input() -> None:
    made = study(
        "matmul",
        devices=("cpu",),
        axes={"size": (256, 512)},
        baseline={"device": "cpu", "size": 256},
    )
    records = tuple(
        each.model_copy(
            update={
                "data": each.data.model_copy(
                    update={"fingerprint": repr((each.cell.point, each.cell.seed))}
                )
            }
        )
        for each in made.records
        if each.data
    )
    (look,) = UntilDecided().latest(_asked(made), records)
    assert look.halted is None
    assert look.verdict == "FASTER"


def test_no_repeat_is_asked_for_the_number_of_a_device_that_is_not_here() -> None:
    check = EquivalentCheck(equivalent="val_accuracy", within=0.05)
    made = study(
        devices=("cpu", "cpu-1", "gpu"),
        axes={},
        origin="official",
        fate=lambda cell: "skipped" if cell.device == "gpu" else "ok",
        claims=[Claim(text="All learn alike", check=check)],
    )
    plan = _asked(made)
    (result,) = claim_results(plan, results_of(plan, made.records), made.records)
    assert result.verdict is ClaimVerdict.UNDECIDED
    (look,) = UntilDecided().claims(plan, made.records)
    assert look.wanted == 0
