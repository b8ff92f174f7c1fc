"""What `accelreport verify` refuses, and that it refuses no honest measurement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from accelreport.chips.contribution import Contribution, read
from accelreport.chips.verify import doubts, record_doubts, shared_plans
from accelreport.results.plan_document import PlanDocument
from accelreport.results.store import Store
from tests.chips.forgeries import KINDS, forgeries

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_core_cpu"
HONEST = Path(__file__).with_name("honest.json")
"""What `accelreport contribute` wrote on a processor with other programs beside it."""

EACH = 10
"""Forgeries of each kind."""

NOT_CAUGHT = {"all complete calls of a device scaled"}
"""Kinds that one file cannot show where the digest fits, because everything in it agrees."""


@pytest.fixture(scope="module")
def honest() -> Contribution:
    return read(HONEST)


@pytest.fixture(scope="module")
def shared() -> Mapping[str, PlanDocument]:
    return shared_plans()


def test_an_honest_contribution_is_accepted(
    honest: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    assert not [doubt for doubt in doubts(honest, shared=shared) if doubt.refuses]


def test_no_measured_record_of_the_example_is_refused() -> None:
    """189 records of all families, strategies and frameworks that this project measured."""
    records = [record for record in Store(EXAMPLE).records() if record.measured]
    assert len(records) == 189
    refused = [d for record in records for d in record_doubts(record) if d.refuses]
    assert refused == []


def test_forgeries_are_refused(honest: Contribution, shared: Mapping[str, PlanDocument]) -> None:
    caught: Counter[tuple[str, bool]] = Counter()
    every = list(forgeries(honest, EACH))
    assert len(every) == EACH * len(KINDS) >= 200
    for forgery in every:
        reasons = doubts(forgery.contribution, shared=shared)
        caught[forgery.kind, forgery.careful] += any(reason.refuses for reason in reasons)
    missed = {
        (kind, careful): EACH // 2 - caught[kind, careful]
        for kind in KINDS
        for careful in (False, True)
        if caught[kind, careful] < EACH // 2
    }
    assert {kind for kind, careful in missed if careful} <= NOT_CAUGHT
    assert not any(not careful for _, careful in missed)


def test_a_forgery_that_agrees_with_itself_is_unlike_chips_of_its_kind(
    honest: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    """What one file cannot show, another machine of the same hardware does."""
    (kind,) = NOT_CAUGHT
    for forgery in forgeries(honest, EACH):
        if forgery.kind == kind and forgery.careful:
            renamed = forgery.contribution.model_copy(update={"name": honest.name[:-8] + "0" * 8})
            reasons = doubts(renamed, shared=shared, others=[honest])
            assert {"duplicate", "unlike"} & {reason.kind for reason in reasons}


def test_the_same_measurement_is_contributed_once(
    honest: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    again = honest.model_copy(update={"name": f"{honest.name[:-8]}00000000"})
    kinds = {doubt.kind for doubt in doubts(again, shared=shared, others=[honest])}
    assert "duplicate" in kinds


def test_a_file_that_lacks_a_later_key_keeps_its_digest(honest: Contribution) -> None:
    """What a later version adds to a record is not in the file, and no edit of it."""
    values = honest.model_dump(mode="json")
    for record in values["records"]:
        del record["hosts"]
    older = Contribution.model_validate(values)
    assert older.content != honest.content
    assert older.records == honest.records
