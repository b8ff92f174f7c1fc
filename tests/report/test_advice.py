"""A page puts its numbers beside what a source advises, and says where it has none."""

from __future__ import annotations

from dataclasses import replace

from accelreport.report.model import Table
from accelreport.report.pages.sections.published import advice_section
from accelreport.report.site.assembly import gather
from accelreport.spec.models import Advice, Source
from tests.report.scenarios import Results
from tests.support.records import study

SOURCE = Source(title="A guide", authors="A. Author", year=2018)
ADVICE = [
    Advice(use="CPU", words=["small models"], source=SOURCE),
    Advice(use="GPU", words=["larger models"], others=["custom operations"], source=SOURCE),
    Advice(use="TPU", others=["models that train for weeks"], source=SOURCE),
]


def test_advice_stands_beside_the_numbers_of_its_kind_of_device() -> None:
    (bench,) = gather(Results((study(devices=("cpu", "gpu"), axes={}),)))
    assert advice_section(bench) is None
    plan = bench.plan.model_copy(update={"advice": ADVICE})
    section = advice_section(replace(bench, plan=plan))
    assert section is not None
    assert section.finding.startswith(
        "Numbers of this benchmark bear on 2 of 4 cases of the advice by A. Author (2018)."
    )
    (alone,) = gather(Results((study(devices=("cpu",), axes={}),)))
    other = advice_section(replace(alone, plan=alone.plan.model_copy(update={"advice": ADVICE})))
    assert other is not None
    assert "bear on 1 of 4 cases" in other.finding, "no GPU has a number"
    plan_of_tpu = alone.plan.model_copy(update={"advice": ADVICE[2:]})
    none = advice_section(replace(alone, plan=plan_of_tpu))
    assert none is not None
    assert none.finding == (
        "No number of this benchmark bears on the advice by A. Author (2018) yet."
    )
    (table,) = section.blocks
    assert isinstance(table, Table)
    rows = table.groups[0].rows
    cpu, gpu, tpu = (
        [" ".join(line.text for line in entry.lines) for entry in row.entries] for row in rows
    )
    assert cpu[0] == "“small models”"
    assert cpu[1].startswith("Example trains 2,")
    assert gpu[1].startswith("Example T4 trains ")
    assert tpu[1] == "No number of this benchmark bears on it."
    assert [line.text for line in rows[1].entries[0].more] == ["“custom operations”"]
