"""The values a spec becomes: strict, frozen, and the same after a journey through JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accelreport.spec.base import Baseline
from accelreport.spec.claims import (
    CHECKS,
    BoundCheck,
    Claim,
    EquivalentCheck,
    TrendCheck,
)
from accelreport.spec.device import Device
from accelreport.spec.models import Measure, Published, Target
from accelreport.spec.validators import FieldsError

WHERE = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.just(0.0)
    | st.floats(1e-30, 1e30)
    | st.floats(-1e30, -1e-30)
    | st.text(),
    max_size=2,
)
CHECK = st.one_of(
    st.builds(dict, rises=st.just("speedup"), of=st.just("gpu"), along=st.just("x"), where=WHERE),
    st.builds(dict, falls=st.just("loss"), of=st.just("gpu"), along=st.just("x"), where=WHERE),
    st.builds(dict, ratio=st.just("tflops"), of=st.just("gpu"), about=st.floats(1, 99)),
    st.builds(
        dict, value=st.just("loss"), of=st.just("gpu"), at_most=st.floats(0.001, 9), where=WHERE
    ),
    st.builds(dict, equivalent=st.just("accuracy"), within=st.floats(0.001, 1)),
    st.builds(
        dict,
        difference=st.just("val_loss"),
        of=st.just("gpu"),
        at_least=st.floats(-1, 1, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-9),
        where=WHERE,
    ),
    st.builds(dict, faster=st.just("gpu"), than=st.just("cpu"), by_about=st.floats(1, 99)),
)


@given(CHECK)
def test_a_claim_is_the_same_after_a_journey_through_json(check: dict[str, Any]) -> None:
    claim = Claim.model_validate({"text": "x", "check": check})
    assert isinstance(claim.check, CHECKS[next(iter(check))])
    assert Claim.model_validate_json(claim.model_dump_json()) == claim
    assert Claim.model_validate(claim.model_dump()) == claim


def test_the_first_telling_key_decides_which_rule_a_check_is() -> None:
    claim = Claim.model_validate(
        {"text": "x", "check": {"of": "gpu", "along": "b", "rises": "loss"}}
    )
    assert isinstance(claim.check, TrendCheck)
    with pytest.raises(ValidationError) as caught:
        Claim.model_validate({"text": "x", "check": {"ratio": "loss", "rises": "loss", "of": "a"}})
    assert {error["loc"][1] for error in caught.value.errors()} == {"BoundCheck"}


def test_nothing_is_converted_but_times_and_shares() -> None:
    with pytest.raises(ValidationError):
        Measure.model_validate({"repeats": "3"})
    with pytest.raises(ValidationError):
        Measure.model_validate({"repeats": 3.0})
    assert Measure.model_validate({"budget": "2 h", "timeout": "3 h"}).budget == 7200
    row = {"device": "gpu", "label": "x", "val_accuracy": "98.5 %", "epoch_time": "6 s"}
    assert Published.model_validate(row).figures() == {"epoch_time": 6.0, "val_accuracy": 0.985}


def test_a_row_may_have_a_source_of_its_own_and_an_older_one_has_none() -> None:
    row = {"device": "gpu", "label": "x", "tflops": "350 TFLOPS"}
    plain = Published.model_validate(row)
    assert (plain.source, plain.imported, plain.tflops) == (None, "", 350.0)
    source = {"title": "A paper", "url": "https://example.org", "accessed": "2026-05-31"}
    cited = Published.model_validate({**row, "source": source, "imported": "theirs.csv"})
    assert Published.model_validate_json(cited.model_dump_json()) == cited
    assert Published.model_validate_json(plain.model_dump_json()) == plain
    older = '{"device":"gpu","label":"x","tflops":350.0,"source":null}'
    assert Published.model_validate_json(older) == plain
    with pytest.raises(ValidationError, match="is not a date"):
        Published.model_validate({**row, "source": {**source, "accessed": "May"}})


@pytest.mark.parametrize(
    ("model", "values", "fields"),
    [
        (Target, {"metric": "loss"}, ()),
        (Target, {"metric": "loss", "at_least": 1, "at_most": 1}, ("at_most", "at_least")),
        (Measure, {"calls": 2, "warmup_calls": 2}, ("warmup_calls", "calls")),
        (Published, {"device": "a", "label": "b"}, ()),
        (Device, {"kind": "CPU", "strategy": "tpu"}, ("strategy", "kind")),
        (Device, {"kind": "TPU"}, ("strategy", "kind")),
        (Device, {"kind": "GPU", "replicas": 2}, ("replicas", "strategy")),
        (Device, {"kind": "GPU", "strategy": "mirrored", "workers": 2}, ("workers", "strategy")),
        (Device, {"kind": "CPU", "tf32": True}, ("tf32", "kind")),
        (Device, {"kind": "TPU", "strategy": "tpu", "tf32": True}, ("tf32", "kind")),
        (Device, {"kind": "GPU", "spread": True}, ("spread", "strategy")),
        (Device, {"kind": "GPU", "address": "grpc://tpu"}, ("address", "kind")),
        (Device, {"kind": "GPU", "peak_tflops": {"float32": 8.1}}, ("peak_tflops",)),
        (BoundCheck, {"ratio": "loss", "of": "a"}, ()),
        (BoundCheck, {"ratio": "loss", "of": "a", "about": 1, "at_most": 2}, ("about", "at_most")),
        (TrendCheck, {"rises": "loss", "of": "a", "along": "b", "over": "c"}, ("over",)),
        (BoundCheck, {"ratio": "loss", "value": "loss", "of": "a"}, ("ratio", "value")),
        (BoundCheck, {"value": "loss", "of": "a", "over": "b", "at_least": 1}, ("over",)),
        (BoundCheck, {"difference": "loss", "of": "a", "over": "b", "about": 1}, ("about",)),
        (BoundCheck, {"difference": "loss", "of": "a", "to": "speedup", "at_least": 1}, ("to",)),
        (BoundCheck, {"value": "accuracy", "of": "a", "at_least": 90}, ("at_least",)),
        (BoundCheck, {"value": "loss", "of": "a", "at_least": 2, "tolerance": 2}, ("tolerance",)),
        (EquivalentCheck, {"equivalent": "val_accuracy", "within": 2}, ("within",)),
    ],
)
def test_fields_that_cannot_mean_anything_together_are_named(
    model: type[Any], values: dict[str, Any], fields: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(values)
    (error,) = caught.value.errors()
    assert isinstance(error["ctx"]["error"], FieldsError)
    assert error["ctx"]["error"].fields == fields


def test_a_target_is_reached_on_its_side_of_its_level() -> None:
    least, most = Target(metric="a", at_least=0.5), Target(metric="b", at_most=0.5)
    assert [least.reached_by(value) for value in (0.4, 0.5, 0.6)] == [False, True, True]
    assert [most.reached_by(value) for value in (0.4, 0.5, 0.6)] == [True, True, False]
    assert (least.bound, least.level, most.bound, most.level) == ("at least", 0.5, "at most", 0.5)


def test_a_ratio_is_about_a_number_within_a_factor() -> None:
    assert BoundCheck(ratio="loss", of="a", about=2).bounds == (1.6, 2.5)
    assert BoundCheck(ratio="loss", of="a", at_least=2).bounds == (2, None)


def test_a_bound_of_an_accuracy_may_be_written_in_per_cent() -> None:
    check = {"value": "val_accuracy", "of": "a", "at_least": "90 %", "at_most": 0.95}
    assert BoundCheck.model_validate(check).bounds == (0.9, 0.95)
    alike = EquivalentCheck.model_validate({"equivalent": "accuracy", "within": "1 %"})
    assert alike.within == 0.01
    with pytest.raises(ValidationError, match="should be a valid number"):
        BoundCheck.model_validate({"value": "total_time", "of": "a", "at_least": "90 %"})


@pytest.mark.parametrize(
    ("bounds", "reading"),
    [
        ({"at_least": 0}, "loss of a is higher than loss of b"),
        ({"at_least": 0.1}, "loss of a is higher than loss of b by at least 0.1"),
        ({"at_most": 0}, "loss of a is lower than loss of b"),
        ({"at_most": -0.1}, "loss of a is lower than loss of b by at least 0.1"),
        ({"at_least": -1, "at_most": 2}, "loss of a minus loss of b is at least -1 and at most 2"),
    ],
)
def test_a_difference_says_which_side_is_higher(bounds: dict[str, float], reading: str) -> None:
    check = BoundCheck.model_validate({"difference": "loss", "of": "a", "over": "b", **bounds})
    assert check.reading(Baseline(device="c"), []) == f"{reading}, seed by seed"


@pytest.mark.parametrize("value", [5e-324, 1e-31, -1e31, 1e308])
def test_a_number_with_which_nothing_can_be_computed_is_refused(value: float) -> None:
    for figures in (
        {"loss": value},
        {"step_time": abs(value)},
        {"loss": 1.0, "where": {"x": value}},
    ):
        with pytest.raises(ValidationError, match=r"out of bounds; write 0 or a number from"):
            Published.model_validate({"device": "gpu", "label": "A", **figures})
