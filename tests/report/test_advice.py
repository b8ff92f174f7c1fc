"""A page quotes who advises on devices, and puts no number of its own beside it."""

from __future__ import annotations

from dataclasses import replace

from accelreport.report.model import Table
from accelreport.report.pages.sections.published import published_section
from accelreport.report.site.assembly import gather
from accelreport.spec.models import Advice, Source
from tests.report.scenarios import Results
from tests.support.records import study

SOURCE = Source(title="A guide", authors="A. Author", year=2018)
ADVICE = [
    Advice(use="CPU", words=["small models"], source=SOURCE),
    Advice(use="GPU", words=["larger models"], others=["custom operations"], source=SOURCE),
]


def test_advice_stands_word_for_word_with_its_author_among_what_others_published() -> None:
    (bench,) = gather(Results((study(devices=("cpu", "gpu"), axes={}),)))
    assert published_section(bench) is None
    plan = bench.plan.model_copy(update={"advice": ADVICE})
    section = published_section(replace(bench, plan=plan))
    assert section is not None
    assert section.detail == "advice on 3\N{NO-BREAK SPACE}cases"
    (table,) = section.blocks
    assert isinstance(table, Table)
    rows = table.groups[0].rows
    assert [row.header.lines[0].text for row in rows] == ["CPU", "GPU"]
    words, by = rows[1].entries
    assert [line.text for line in words.lines] == ["“larger models”", "“custom operations”"]
    assert "A. Author" in by.lines[0].text
