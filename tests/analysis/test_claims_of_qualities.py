"""Claims about values that may be zero or negative, 8-bit models and failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import Why
from accelreport.spec.claims import (
    BoundCheck,
    Check,
    Claim,
    EquivalentCheck,
    FasterCheck,
    MemoryCheck,
    QuantisedCheck,
    TrendCheck,
)
from tests.analysis.test_claims import row_of, rows_of
from tests.analysis.test_quantised import quantised
from tests.support.records import Study, study

# Values that may be zero or negative ----------------------------------------------------------


def _with_final(made: Study, name: str, values: Sequence[float]) -> Study:
    """The study with a final metric of each repeat on the CPU."""
    records = [
        record.model_copy(update={"final": record.final | {name: values[record.cell.repeat]}})
        if record.cell.device == "cpu"
        else record
        for record in made.records
    ]
    return Study(plan=made.plan, records=tuple(records))


def _alone(check: Check, name: str, values: Sequence[float], **of_study: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"axes": {}, "devices": ("cpu",), "repeats": len(values)}
    made = study(claims=[Claim(text="Said", check=check)], **(given | of_study))
    (row,) = rows_of(_with_final(made, name, values))
    return row


def test_a_loss_of_accuracy_that_may_be_negative_is_averaged_with_all_its_values() -> None:
    check = BoundCheck(value="quantised_accuracy_loss", of="cpu", at_least=0.0)
    row = _alone(check, "quantised_accuracy_loss", (0.001, 0.0012, -0.02))
    (number,) = row["evidence"]
    assert row["verdict"] == "UNDECIDED"
    assert number["n"] == 3
    assert number["value"] == pytest.approx((0.001 + 0.0012 - 0.02) / 3)
    opposite = _alone(check, "quantised_accuracy_loss", (-0.02, -0.021, -0.019))
    assert opposite["verdict"] == "REFUTED"


@given(
    st.lists(st.floats(-1, 1), min_size=3, max_size=8).filter(lambda x: len(set(x)) > 1),
    st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000),
)
@settings(deadline=None, max_examples=15)
def test_a_bound_on_such_a_value_is_held_against_the_t_interval_of_its_mean(
    values: list[float], bound: float
) -> None:
    interval = ttest_1samp(values, 0).confidence_interval(0.95)
    check = BoundCheck(value="quantised_accuracy_loss", of="cpu", at_least=bound)
    row = _alone(check, "quantised_accuracy_loss", values)
    (number,) = row["evidence"]
    assert (number["low"], number["high"]) == pytest.approx((interval.low, interval.high))
    expected = "REFUTED" if interval.high < bound else "UNDECIDED"
    assert row["verdict"] == ("CONFIRMED" if interval.low >= bound else expected)


def test_a_trend_of_values_that_may_be_negative_is_one_of_differences() -> None:
    made = study(
        axes={"epochs": (2, 4)},
        devices=("cpu",),
        origin="official",
        claims=[
            Claim(text="Down", check=TrendCheck(falls="val_loss", of="cpu", along="epochs")),
            Claim(text="Up", check=TrendCheck(rises="val_loss", of="cpu", along="epochs")),
        ],
    )
    records = [
        record.model_copy(
            update={"final": {"val_loss": {2: 0.5, 4: -0.5}[epochs] + record.cell.repeat / 1000}}
        )
        for record in made.records
        for epochs in [int(str(record.cell.point["epochs"]))]
    ]
    down, up = rows_of(Study(plan=made.plan, records=tuple(records)))
    assert (down["verdict"], up["verdict"]) == ("CONFIRMED", "REFUTED")


# Differences ----------------------------------------------------------------------------------


def test_a_quality_is_higher_than_another_of_the_same_processes() -> None:
    check = BoundCheck(difference="accuracy", to="val_accuracy", of="cpu", at_least=0.05)
    for training, verdict in (((0.99, 0.98, 0.985), "CONFIRMED"), ((0.9, 0.91, 0.9), "REFUTED")):
        claims = [Claim(text="Overfits", check=check)]
        made = study(axes={}, devices=("cpu",), origin="official", claims=claims)
        made = _with_final(made, "val_accuracy", (0.89, 0.88, 0.89))
        (row,) = rows_of(_with_final(made, "accuracy", training))
        assert row["verdict"] == verdict


@pytest.mark.parametrize("origin", ["sample", "synthetic"])
@pytest.mark.parametrize(
    "check",
    [
        BoundCheck(value="val_accuracy", of="cpu", at_least=0.5),
        BoundCheck(difference="accuracy", to="val_accuracy", of="cpu", at_least=0),
        BoundCheck(ratio="val_accuracy", of="cpu", over="gpu", at_least=0.5),
    ],
    ids=["value", "difference", "ratio"],
)
def test_what_a_sample_or_stand_in_taught_decides_no_claim_about_the_data(
    origin: Any, check: Check
) -> None:
    claims = [
        Claim(text="Of the data", check=check),
        Claim(text="Timed", check=FasterCheck(faster="gpu", than="cpu", by_at_least=2)),
        Claim(text="Alike", check=EquivalentCheck(equivalent="val_accuracy", within=0.5)),
    ]
    made = study(axes={}, devices=("cpu", "gpu"), origin=origin, claims=claims)
    verdicts = [row["verdict"] for row in rows_of(made)]
    assert verdicts == ["WITHHELD", "CONFIRMED", "CONFIRMED"]
    (found, timed, alike) = claim_results(made.plan, results_of(made.plan, made.records), [])
    assert found.numbers
    assert [each.why for each in found.withheld] == [Why.DATA]
    assert timed.stand_in == ("synthetic" if origin == "synthetic" else "")
    assert alike.stand_in == origin


@settings(max_examples=10, deadline=None)
@given(values=st.lists(st.floats(0.1, 0.99), min_size=3, max_size=3), lower=st.booleans())
def test_what_is_equal_on_every_seed_is_neither_higher_nor_lower(
    values: list[float], lower: bool
) -> None:
    bound: dict[str, Any] = {"at_most" if lower else "at_least": 0}
    axes = {"layers": (1, 2, 3)}
    check = BoundCheck(
        difference="val_accuracy", of="cpu", over="gpu", mean_over=["layers"], **bound
    )
    made = study(
        axes=axes,
        devices=("cpu", "gpu"),
        origin="official",
        claims=[Claim(text="Said", check=check)],
    )
    records = [
        record.model_copy(
            update={"final": record.final | {"val_accuracy": values[record.cell.repeat]}}
        )
        for record in made.records
    ]
    (row,) = rows_of(Study(plan=made.plan, records=tuple(records)))
    assert row["verdict"] == "REFUTED"


def test_a_training_that_its_budget_ended_is_not_called_a_device_that_is_absent() -> None:
    given: dict[str, Any] = {"origin": "official", "fate": lambda _: "partial"}
    value = BoundCheck(value="val_accuracy", of="cpu", at_least=0.5)
    row = _alone(value, "val_accuracy", (0.9, 0.9, 0.9), **given)
    assert row["verdict"] == "NOT TESTED HERE"
    assert row["numbers"] == (
        "numbers of cpu are missing (its budget ended before its training did)"
    )


def test_a_point_that_failed_is_told_by_what_became_of_it_and_not_of_the_others() -> None:
    given: dict[str, Any] = {"devices": ("cpu", "gpu"), "axes": {"batch_size": (64, 128)}}
    check = FasterCheck(faster="gpu", than="cpu", by_at_least=2, where={"batch_size": 128})
    row = _alone(
        check,
        "val_accuracy",
        (0.9, 0.9, 0.9),
        fate=lambda c: "missing" if (c.device, c.point["batch_size"]) == ("cpu", 128) else "ok",
        **given,
    )
    assert row["verdict"] == "NOT TESTED HERE"
    assert row["numbers"] == "numbers of cpu are missing (not run)"


# 8-bit models and memory ----------------------------------------------------------------------


def _eight_bit(*models: tuple[int, int], without: int = 0) -> dict[str, Any]:
    """A claim about models of which only float32, and only 8 bits, had so many right.

    Args:
        models: those counts of each repeat.
        without: batch sizes beside one whose models were not quantised.
    """
    check = QuantisedCheck(quantised_costs="accuracy", of="cpu")
    made = study(
        axes={"batch_size": [32, 64, 128][: 1 + without]},
        devices=("cpu",),
        repeats=len(models),
        claims=[Claim(text="Costs", check=check)],
    )
    records = [
        record.model_copy(update={"quantised": quantised(*models[record.cell.repeat])})
        if record.cell.point["batch_size"] == 32
        else record
        for record in made.records
    ]
    (row,) = rows_of(Study(plan=made.plan, records=tuple(records)))
    return row


def test_eight_bits_cost_accuracy_where_mcnemars_test_says_so_of_every_model() -> None:
    row = _eight_bit((30, 5), (28, 6), (25, 4))
    assert row["verdict"] == "CONFIRMED"
    assert len(row["evidence"]) == 3
    assert "McNemar" in row["rule"]


def test_some_of_the_planned_points_refute_a_claim_of_all_and_do_not_confirm_it() -> None:
    assert _eight_bit((30, 5), (28, 6), without=1)["verdict"] == "UNDECIDED"
    assert _eight_bit((1, 1), (0, 1), without=1)["verdict"] == "REFUTED"

    def fate(one: str, other: str) -> Any:
        return lambda cell: one if cell.point["batch_size"] == 32 else other

    check = MemoryCheck(runs_out_of="memory", of="cpu")
    given: dict[str, Any] = {"axes": {"batch_size": [32, 64]}, "devices": ("cpu", "gpu")}
    told = {
        ("oom-host", "oom-host"): "CONFIRMED",
        ("oom-host", "missing"): "UNDECIDED",
        ("ok", "missing"): "REFUTED",
    }
    for fates, verdict in told.items():
        row = row_of(check, fate=fate(*fates), repeats=2, **given)
        assert row["verdict"] == verdict, fates


@pytest.mark.parametrize(
    "models", [((1, 1), (0, 1), (1, 0)), ((5, 30), (6, 28), (4, 25)), ((0, 0), (0, 0), (0, 0))]
)
def test_eight_bits_that_cost_nothing_that_matters_refute_it(
    models: tuple[tuple[int, int], ...],
) -> None:
    assert _eight_bit(*models)["verdict"] == "REFUTED"


def test_eight_bits_that_may_cost_something_leave_it_open() -> None:
    assert _eight_bit((12, 8), (9, 9), (8, 13))["verdict"] == "UNDECIDED"
    assert _eight_bit((30, 5), (1, 1), (1, 0))["verdict"] == "UNDECIDED"


def test_without_a_quantised_model_nothing_is_said_of_eight_bits() -> None:
    row = row_of(QuantisedCheck(quantised_costs="accuracy", of="cpu"), axes={})
    assert row["verdict"] == "NOT TESTED HERE"
    assert row["numbers"] == "no model that was trained on cpu was quantised"


def test_too_little_memory_is_confirmed_by_two_failures_and_refuted_by_one_success() -> None:
    check = MemoryCheck(runs_out_of="memory", of="cpu")

    def fate(*fates: str) -> Any:
        return lambda cell: fates[cell.repeat]

    given: dict[str, Any] = {"axes": {}, "devices": ("cpu", "gpu")}
    told = {
        ("oom-host", "oom-host"): "CONFIRMED",
        ("oom-host", "ok"): "REFUTED",
        ("oom-host", "missing"): "UNDECIDED",
        ("timeout", "timeout"): "NOT TESTED HERE",
    }
    for fates, verdict in told.items():
        row = row_of(check, fate=fate(*fates), repeats=2, **given)
        assert row["verdict"] == verdict, fates


def test_a_profile_with_less_work_does_not_refute_that_the_work_needs_more_memory() -> None:
    """A quick run of a hundredth of the batch fits anywhere, and says nothing of the whole one."""
    check = MemoryCheck(runs_out_of="memory", of="cpu")
    quick = row_of(check, axes={}, devices=("cpu", "gpu"), profile="quick")
    assert quick["verdict"] == "WITHHELD"
    for profile in ("full", "full+workload.data=synthetic"):
        whole = row_of(check, axes={}, devices=("cpu", "gpu"), profile=profile)
        assert whole["verdict"] == "REFUTED"
