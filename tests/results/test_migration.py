from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.results.reading import (
    STEPS,
    NewerVersion,
    NoVersion,
    migrate,
    read_plan,
    read_record,
    to_bytes,
)
from accelreport.results.record import RECORD_VERSION
from accelreport.spec.claims import BoundCheck, TrendCheck
from tests.support.records import study


def trail(name: str) -> Any:
    return lambda record: {**record, "trail": [*record.get("trail", []), name]}


def test_an_older_record_goes_through_every_step_in_order() -> None:
    steps = {1: trail("1→2"), 2: trail("2→3"), 3: trail("3→4")}

    migrated = migrate({"record_version": 2, "kept": "x"}, steps=steps, current=4)

    assert migrated == {"record_version": 4, "kept": "x", "trail": ["2→3", "3→4"]}


def test_a_record_of_the_current_version_is_left_as_it_is() -> None:
    record = {"record_version": RECORD_VERSION, "any": [1]}
    assert migrate(record) == record


def test_every_version_that_ever_was_has_its_step() -> None:
    assert sorted(STEPS) == list(range(1, RECORD_VERSION))


@given(st.integers(min_value=RECORD_VERSION + 1))
def test_a_newer_record_is_refused_with_what_to_do(version: int) -> None:
    with pytest.raises(NewerVersion, match="update accelreport"):
        migrate({"record_version": version})


@given(st.one_of(st.integers(max_value=0), st.booleans(), st.none(), st.text(), st.floats()))
def test_what_is_no_version_is_refused(version: object) -> None:
    with pytest.raises(NoVersion):
        migrate({"record_version": version})


def test_the_original_is_not_changed() -> None:
    original = {"record_version": 1}
    migrate(original, steps={1: trail("x")}, current=2)
    assert original == {"record_version": 1}


EARLIER_CHECKS: tuple[dict[str, Any], ...] = (
    {"higher": "val_accuracy", "lower": None, "of": "gpu", "than": "cpu", "to": None,
     "by_at_least": 0.1, "where": {"batch_size": 256}, "than_where": {}, "mean_over": []},
    {"lower": "loss", "of": "gpu", "to": "val_loss", "by_at_least": 0.0},
    {"below_peak": True},
    {"rises": "speedup", "falls": None, "of": "gpu", "over": "", "along": "batch_size",
     "starting_at": 256.0, "tolerance": 1.5, "where": {}, "mean_over": []},
)  # fmt: skip


def test_claims_of_an_earlier_plan_are_tested_by_their_rules_of_today(tmp_path: Path) -> None:
    document = study().plan.model_dump(mode="json")
    document["claims"] = [
        {"text": str(number), "check": check} for number, check in enumerate(EARLIER_CHECKS)
    ]
    file = tmp_path / "earlier.full.json"
    file.write_text(json.dumps(document))
    assert {claim.text: claim.check for claim in read_plan(file).claims} == {
        "0": BoundCheck(
            difference="val_accuracy", of="gpu", over="cpu", at_least=0.1, where={"batch_size": 256}
        ),
        "1": BoundCheck(difference="loss", of="gpu", to="val_loss", at_most=0),
        "3": TrendCheck(rises="speedup", of="gpu", along="batch_size"),
    }


def test_records_and_plans_of_the_version_that_timed_parts_of_a_step_are_read() -> None:
    folder = Path(__file__).parents[2] / "examples" / "whole_trainings"
    cell = folder / "cells" / "1aae70df056969fc.f9c59622.json"
    assert '"split":true' in cell.read_text(encoding="utf-8")
    record = read_record(cell)
    assert record.parts is not None
    assert len(record.parts.gradient_s) == 3
    assert record.cell.key == record.key, "what it is remains"
    assert to_bytes(record) == cell.read_bytes(), "nothing of it is lost"
    plan = folder / "plans" / "mnist_batch_sweep.full.json"
    assert '"split":true' in plan.read_text(encoding="utf-8")
    assert read_plan(plan).measure.repeats == 3
