"""A page says what was run: the spec's words, how the model is trained, and its layers."""

from __future__ import annotations

from dataclasses import replace

from accelreport.report.model import Facts, Prose, Table
from accelreport.report.pages.sections.network import network_section
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import Source
from tests.report.scenarios import Results
from tests.support.records import study


def bench() -> BenchmarkView:
    (made,) = gather(Results((study(devices=("cpu",), repeats=1),)))
    source = Source(title="A piece", note="Its mean leaves the first epoch out.")
    plan = made.plan.model_copy(update={"description": "Digits\nare learnt.", "source": source})
    return replace(made, plan=plan)


def test_layers_have_their_settings_shapes_and_weights() -> None:
    (table,) = [b for b in network_section(bench()).blocks if isinstance(b, Table)]
    rows = [
        [entry.lines[0].text for entry in (row.header, *row.entries)]
        for group in table.groups
        for row in group.rows
    ]
    assert rows == [
        ["Conv2D", "filters 64, kernel size 2 × 2, padding same", "28 × 28 × 64", "320"],
        ["Flatten", "", "50,176", "–"],
        ["LSTM", "units 8, return sequences", "any × 8", "–"],
        ["all", "", "", "320"],
    ]


def test_how_it_is_trained_and_what_is_swept() -> None:
    section = network_section(bench())
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    known = {fact.term: fact.value for fact in facts.rows}
    assert known["Loss"] == "sparse categorical cross-entropy"
    assert known["Optimizer"] == "Adam, learning rate 0.001"
    assert known["Batch size"] == "256, 512 and 1,024"
    assert "False" not in known.values()


def test_the_words_of_the_spec_are_there_and_without_records_its_keys() -> None:
    made = bench()
    texts = [b.text for b in network_section(made).blocks if isinstance(b, Prose)]
    assert texts == ["Digits are learnt.", "About the source: Its mean leaves the first epoch out."]
    workload = {"kind": "keras", "optimizer": {"name": "sgd", "learning_rate": 0.1}}
    plan = made.plan.model_copy(update={"workload": workload})
    section = network_section(replace(made, records={}, plan=plan))
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    assert ("Optimizer", "sgd, learning rate 0.1") in [(f.term, f.value) for f in facts.rows]
    assert not [block for block in section.blocks if isinstance(block, Table)]
