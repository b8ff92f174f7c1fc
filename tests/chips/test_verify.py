"""What `accelreport verify` refuses, and that it refuses no honest measurement."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from accelreport.chips.board import board_of
from accelreport.chips.contribution import SHIPPED, Contribution, read, write
from accelreport.chips.verify import doubts, record_doubts, shared_plans
from accelreport.results.plan_document import PlanDocument
from accelreport.results.store import Store
from tests.chips.forgeries import KINDS, forgeries
from tests.house.tree import ROOT

EXAMPLE = ROOT / "examples" / "two_core_cpu"
HONEST = Path(__file__).with_name("honest.json")
"""What `accelreport contribute` wrote on a processor with other programs beside it."""

(SHIPPED_FILE,) = SHIPPED.glob("*.json")
"""What the same machine contributed later, with more cells."""

EACH = 10
"""Forgeries of each kind."""

NOT_CAUGHT = {
    "all complete trainings of a device scaled": 3,
    "all complete calls of a device scaled": 0,
}
"""Kinds that agree with themselves where the digest fits, and how many of five are refused."""


@pytest.fixture(scope="module")
def honest() -> Contribution:
    return read(HONEST)


@pytest.fixture(scope="module")
def shared() -> Mapping[str, PlanDocument]:
    return shared_plans()


@pytest.fixture(scope="module")
def shipped() -> Contribution:
    return read(SHIPPED_FILE)


@pytest.mark.parametrize("path", [HONEST, SHIPPED_FILE], ids=["honest", "shipped"])
def test_an_honest_contribution_is_accepted(path: Path, shared: Mapping[str, PlanDocument]) -> None:
    """Both were measured beside many other programs."""
    others = [read(other) for other in (HONEST, SHIPPED_FILE) if other != path]
    reasons = doubts(read(path), shared=shared, others=others)
    assert not [doubt for doubt in reasons if doubt.refuses]


def test_no_measured_record_of_the_example_is_refused() -> None:
    """189 records of all families, strategies and frameworks that this project measured."""
    records = [record for record in Store(EXAMPLE).records() if record.measured]
    assert len(records) == 189
    refused = [d for record in records for d in record_doubts(record) if d.refuses]
    assert refused == []


def table(shipped: Contribution, shared: Mapping[str, PlanDocument]) -> Iterator[str]:
    """The table of docs/chips.md: what is forged, how many of it are refused, and by what."""
    caught: dict[str, Counter[bool]] = defaultdict(Counter)
    checks: dict[str, set[str]] = defaultdict(set)
    for forgery in forgeries(shipped, EACH):
        reasons = {
            doubt.kind for doubt in doubts(forgery.contribution, shared=shared) if doubt.refuses
        }
        caught[forgery.kind][forgery.careful] += bool(reasons)
        if forgery.careful:
            checks[forgery.kind] |= reasons
    half = EACH // 2
    yield "| forged | refused as it is | refused with a digest that fits | by |"
    yield "|---|--:|--:|---|"
    for kind, count in caught.items():
        by = ", ".join(f"`{name}`" for name in sorted(checks[kind])) or "–"
        yield f"| {kind} | {count[False]} of {half} | {count[True]} of {half} | {by} |"
    plain, careful = (sum(count[way] for count in caught.values()) for way in (False, True))
    whole = half * len(caught)
    yield f"| **all {2 * whole}** | **{plain} of {whole}** | **{careful} of {whole}** | |"


def test_the_documentation_has_the_share_of_forgeries_that_is_refused(
    shipped: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    """Every forgery but two kinds; where these numbers change, so does the page."""
    assert EACH * len(KINDS) >= 200
    rows = list(table(shipped, shared))
    page = (ROOT / "docs" / "chips.md").read_text(encoding="utf-8")
    assert "\n".join(rows) in page
    every = f"{EACH // 2} of {EACH // 2}"
    missed = [row for row in rows[2:-1] if row.count(every) < 2]
    for row, (kind, caught) in zip(missed, NOT_CAUGHT.items(), strict=True):
        assert row.startswith(f"| {kind} | {every} | {caught} of {EACH // 2} |")


def of_another_machine(contribution: Contribution) -> Contribution:
    """The same under another fingerprint."""
    values = contribution.model_dump(mode="json")
    for record in values["records"]:
        record["environment"]["machine"] = "0" * 8
    values["name"] = f"{contribution.name[:-8]}00000000"
    return Contribution.model_validate(values)


def test_a_forgery_that_agrees_with_itself_is_unlike_chips_of_its_kind(
    shipped: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    """What one file cannot show, another machine of the same hardware does."""
    unlike = Counter(
        forgery.kind
        for forgery in forgeries(shipped, 6, kinds=NOT_CAUGHT)
        for other in (of_another_machine(forgery.contribution),)
        if "unlike" in {reason.kind for reason in doubts(other, shared=shared, others=[shipped])}
    )
    assert all(unlike[kind] > 2 for kind in NOT_CAUGHT)


def test_the_same_measurement_is_contributed_once(
    honest: Contribution, shared: Mapping[str, PlanDocument]
) -> None:
    again = of_another_machine(honest)
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


MALFORMED: dict[str, Callable[[dict[str, Any]], object]] = {
    "an accuracy that is none": lambda raw: raw["final"].update(val_accuracy="NaN"),
    "no batch size": lambda raw: raw["cell"]["workload"].pop("batch_size"),
    "a batch of nothing": lambda raw: raw["cell"]["workload"].update(batch_size=0),
    "a batch in words": lambda raw: raw["cell"]["workload"].update(batch_size="many"),
    "a confusion of no classes": lambda raw: raw.update(confusion={"classes": [], "counts": []}),
    "steps that take no time": lambda raw: [
        block.update(step_s=[0.0] * len(block["step_s"])) for block in raw["blocks"]
    ],
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=list(MALFORMED))
def test_a_malformed_file_is_refused_by_name_and_the_others_are_ranked(
    change: Callable[[dict[str, Any]], object],
    shared: Mapping[str, PlanDocument],
    tmp_path: Path,
) -> None:
    values = read(HONEST).model_dump(mode="json")
    change(next(raw for raw in values["records"] if raw["epochs"] and raw["final"]))
    forged = Contribution.model_validate(values)
    forged = forged.model_copy(update={"digest": forged.content})
    reasons = [doubt for doubt in doubts(forged, shared=shared) if doubt.refuses]
    assert "invalid" in {reason.kind for reason in reasons}
    write(forged, tmp_path / "malformed.json")
    shutil.copy(SHIPPED_FILE, tmp_path / "sound.json")
    board = board_of(tmp_path)
    (refusal,) = board.refused
    assert refusal.file == "malformed.json"
    assert any("is none that a measurement has" in reason for reason in refusal.reasons)
    assert [machine.file for machine in board.machines] == ["sound.json"]
