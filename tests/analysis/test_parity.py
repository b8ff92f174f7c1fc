"""Whether devices train to the same quality."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from accelreport.analysis.learning import Agreement, Parity, Quality, agreement, judge
from accelreport.analysis.results import Result, results_of
from accelreport.analysis.stats import one_sample
from accelreport.report.frames import NOT_APPLICABLE
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.spec.claims import Claim, EquivalentCheck
from tests.support.records import Study, study
from tests.support.rows import speedup_rows

SHIFTS = [0.0, 0.006, -0.006, 0.004, -0.004]
BASE = [0.981, 0.984, 0.979, 0.985, 0.982]


def _with_accuracy(made: Study, of: dict[str, list[float]]) -> list[Record]:
    records: list[Record] = []
    for record in made.records:
        value = of[record.cell.device][record.cell.repeat]
        records.append(record.model_copy(update={"final": {"val_accuracy": value}}))
    return records


def _row(accuracy: list[float], base: list[float] = BASE, within: float = 0.01) -> Agreement:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=len(base), epochs=1, steps_per_epoch=30)
    records = _with_accuracy(made, {"cpu": base, "gpu": accuracy})
    return _agreed(made.plan, records, Quality("val_accuracy", within))["gpu"]


def _agreed(
    plan: PlanDocument, records: Iterable[Record], quality: Quality, comparisons: int = 1
) -> dict[str, Agreement]:
    by_device: dict[str, list[Result]] = {}
    for each in results_of(plan, records):
        by_device.setdefault(each.device, []).append(each)
    base = by_device["cpu"]
    return {name: agreement(own, base, quality, comparisons) for name, own in by_device.items()}


def test_differences_well_within_the_margin_are_equivalent() -> None:
    row = _row([value + 0.001 for value in BASE])
    assert row.verdict == "EQUIVALENT"
    assert row.difference.value == pytest.approx(0.001)
    assert row.n == 5


def test_a_clear_difference_beyond_the_margin_is_different() -> None:
    noise = [0.0, 0.001, -0.001, 0.0005, -0.0005]
    row = _row([value - 0.05 + extra for value, extra in zip(BASE, noise, strict=True)])
    assert row.verdict == "DIFFERENT"


def test_too_much_noise_leaves_it_undecided() -> None:
    assert _row([0.95, 0.999, 0.96, 0.995, 0.97]).verdict == "UNDECIDED"


@pytest.mark.parametrize("loss", [0.0, 0.004, 0.007, 0.009, 0.0095])
def test_equivalent_is_what_both_one_sided_tests_reject(loss: float) -> None:
    accuracy = [value - loss for value in (0.984, 0.983, 0.985, 0.984, 0.986)]
    differences = np.subtract(accuracy, BASE)
    below = stats.ttest_1samp(differences, -0.01, alternative="greater").pvalue
    above = stats.ttest_1samp(differences, 0.01, alternative="less").pvalue
    assert (_row(accuracy).verdict == "EQUIVALENT") == (max(below, above) < 0.05)


@given(st.lists(st.floats(-0.05, 0.05), min_size=2, max_size=8), st.floats(0.001, 0.05))
def test_a_verdict_does_not_depend_on_which_device_is_called_the_baseline(
    differences: list[float], within: float
) -> None:
    there = judge(one_sample(differences), within)
    back = judge(one_sample([-value for value in differences]), within)
    assert there is back


@given(st.lists(st.floats(-0.02, 0.02), min_size=2, max_size=8), st.floats(0.001, 0.05))
def test_a_wider_margin_never_makes_equivalent_devices_different(
    differences: list[float], within: float
) -> None:
    if judge(one_sample(differences), within) is Parity.EQUIVALENT:
        assert judge(one_sample(differences), 2 * within) is Parity.EQUIVALENT


def test_runs_that_the_budget_ended_prove_nothing_about_accuracy() -> None:
    made = study(
        devices=("cpu", "gpu"), axes={}, fate=lambda c: "partial" if c.device == "gpu" else "ok"
    )
    found = _agreed(made.plan, made.records, Quality("val_accuracy", 0.01))
    assert [each.verdict for each in found.values()] == ["BASELINE", "NOT MEASURED"]


def test_a_metric_that_nothing_has_is_not_measured() -> None:
    made = study(axes={})
    found = _agreed(made.plan, made.records, Quality("f1", 0.01))
    assert {each.verdict for each in found.values()} == {"NOT MEASURED"}


def test_one_difference_among_many_comparisons_takes_more_to_be_called_one() -> None:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=5, epochs=1, steps_per_epoch=30)
    worse = [value - 0.02 + extra for value, extra in zip(BASE, SHIFTS, strict=True)]
    records = _with_accuracy(made, {"cpu": BASE, "gpu": worse})
    one, many = (
        _agreed(made.plan, records, Quality("val_accuracy", 0.01), count)["gpu"].verdict
        for count in (1, 12)
    )
    assert (one, many) == (Parity.DIFFERENT, Parity.UNDECIDED)


@given(st.lists(st.floats(-0.02, 0.02), min_size=2, max_size=8), st.integers(1, 50))
def test_that_all_are_equivalent_takes_no_more_than_each_of_them(
    differences: list[float], comparisons: int
) -> None:
    alone = judge(one_sample(differences), 0.01)
    among = judge(one_sample(differences), 0.01, comparisons)
    assert (among is Parity.EQUIVALENT) == (alone is Parity.EQUIVALENT)


# Headlines ------------------------------------------------------------------------------------


def _headlines(plan: PlanDocument, records: Iterable[Record]) -> pd.DataFrame:
    return speedup_rows(plan, records).set_index("device")


def test_a_headline_stands_beside_its_parity_verdict() -> None:
    made = study(axes={}, repeats=3)
    frame = _headlines(made.plan, made.records)
    assert frame.loc["gpu", "parity"] == "EQUIVALENT"
    assert frame.loc["gpu", "parity_metric"] == "val_accuracy"
    assert frame.loc["gpu", "withheld"] == ""


def test_a_headline_is_withheld_when_the_devices_learn_differently() -> None:
    made = study(axes={}, devices=("cpu", "gpu"), repeats=3)
    records = _with_accuracy(made, {"cpu": [0.98, 0.981, 0.982], "gpu": [0.9, 0.901, 0.902]})
    frame = _headlines(made.plan, records)
    assert frame.loc["gpu", "parity"] == "DIFFERENT"
    assert frame.loc["gpu", "withheld"] == "it does not reach the same quality as the baseline"


def test_a_headline_is_withheld_when_the_precision_differs() -> None:
    made = study(axes={}, devices=("cpu", "gpu"))
    mixed = made.plan.devices["gpu"].model_copy(update={"precision": "mixed_float16"})
    plan = made.plan.model_copy(update={"devices": made.plan.devices | {"gpu": mixed}})
    frame = _headlines(plan, made.records)
    assert frame.loc["gpu", "withheld"] == "it computes in float16 instead of float32"


def test_a_headline_is_withheld_when_the_data_differ() -> None:
    made = study(axes={}, devices=("cpu", "gpu"))
    other = study(axes={}, devices=("cpu", "gpu"), origin="official")
    records = [record for record in made.records if record.cell.device == "cpu"]
    records += [record for record in other.records if record.cell.device == "gpu"]
    frame = _headlines(made.plan, records)
    assert frame.loc["gpu", "withheld"] == "its input differs from that of cpu"


def test_a_kernel_has_no_parity_to_prove() -> None:
    made = study("matmul", axes={})
    frame = _headlines(made.plan, made.records)
    assert set(frame["parity"]) == {NOT_APPLICABLE}
    assert set(frame["withheld"]) == {""}


def test_a_claim_of_equivalence_says_which_metric_and_how_close() -> None:
    check = EquivalentCheck(equivalent="accuracy", within=0.002)
    made = study(axes={}, claims=[Claim(text="The same", check=check)])
    frame = _headlines(made.plan, made.records)
    assert set(frame["parity_metric"]) == {"accuracy"}
    assert set(frame["parity_within"]) == {0.002}
