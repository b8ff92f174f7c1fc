"""The results that are shipped as an example: what they say of themselves, and their report."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.results.store import Store
from tests.house.tree import ROOT
from tests.support.sites import build

EXAMPLE = ROOT / "examples" / "two_core_cpu"


def test_every_number_of_the_example_was_measured_of_a_full_profile_on_an_idle_machine() -> None:
    records = [each for each in Store(EXAMPLE).records() if each.status in ("ok", "partial")]
    assert {each.cell.spec for each in records} == {each.spec for each in Store(EXAMPLE).plans()}
    for record in records:
        assert record.cell.profile == "full"
        assert record.environment is not None
        assert record.environment.commit
        assert not record.environment.dirty
        assert "loaded-machine" not in {warning.kind for warning in record.warnings}
        assert record.data is not None
        # Matrices are nobody's data.
        made = record.cell.spec == "matmul" and record.data.origin == "generated"
        assert made or record.data.origin in ("official", "user-supplied")


def test_the_example_makes_the_claims_of_the_shipped_specs() -> None:
    specs = {spec.name: spec for spec in load([ROOT / "specs"]).specs}
    for plan in Store(EXAMPLE).plans():
        assert plan.claims == list(specs[plan.spec].claims)
        assert {cell.key for cell in plan.cells} <= {cell.key for cell in specs[plan.spec].cells}


@pytest.mark.e2e
def test_the_example_makes_a_report_that_stands_beside_the_sources(tmp_path: Path) -> None:
    build(Store(EXAMPLE), tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "as fast as this 2-core CPU" in page
    assert "synthetic" not in page
