"""Claims on pages and slides: what was decided on made-up data says so where it stands."""

from __future__ import annotations

from typing import Literal

import pytest

from accelreport.report.model import Table
from accelreport.report.pages.sections.claims import claims_section
from accelreport.report.slides.claims import claim_slides
from accelreport.spec.claims import Claim, FasterCheck, PeakCheck
from tests.report.test_resources import bench_of
from tests.support.records import study

FAST = Claim(text="Fast", check=FasterCheck(faster="gpu", than="cpu", by_at_least=2))
ABSENT = Claim(text="Faster yet", check=FasterCheck(faster="tpu", than="gpu", by_at_least=2))


@pytest.mark.parametrize("origin", ["synthetic", "official"])
def test_a_verdict_from_synthetic_data_is_marked_on_page_index_and_slide(
    origin: Literal["synthetic", "official"],
) -> None:
    made = study(
        claims=[FAST, ABSENT],
        origin=origin,
        fate=lambda cell: "skipped" if cell.device == "tpu" else "ok",
    )
    bench = bench_of(made)
    other = bench_of(study("matmul", claims=[Claim(text="x", check=PeakCheck(below_peak=True))]))
    for shown in ([bench], [bench, other]):
        sections = [claims_section(shown), *claim_slides(shown)]
        tables = [
            block
            for section in sections
            if section is not None
            for block in section.blocks
            if isinstance(block, Table)
        ]
        marked = {
            row.header.lines[0].text: [badge.text for badge in row.entries[0].badges]
            for table in tables
            for group in table.groups
            for row in group.rows
        }
        extra = ["synthetic data"] if origin == "synthetic" else []
        assert marked["Fast"] == ["confirmed", *extra]
        assert marked["Faster yet"] == ["not tested here"]
        told = " ".join(section.finding for section in sections if section is not None)
        assert ("synthetic data" in told) is (origin == "synthetic")
