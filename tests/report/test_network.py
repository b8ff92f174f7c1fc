"""A page says what was run: the spec's words, how the model is trained, and its layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelreport.report.model import Facts, Layers, Prose
from accelreport.report.openings.registry import data_title
from accelreport.report.pages.sections.network import layer_boxes, network_section
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Layer, Network
from accelreport.spec.models import Source
from tests.report.scenarios import Results
from tests.support.records import study


def bench() -> BenchmarkView:
    (made,) = gather(Results((study(devices=("cpu",), repeats=1),)))
    source = Source(title="A piece", note="Its mean leaves the first epoch out.")
    plan = made.plan.model_copy(update={"description": "Digits\nare learnt.", "source": source})
    return replace(made, plan=plan)


def test_layers_have_their_settings_shapes_and_weights() -> None:
    section = network_section(bench())
    (layers,) = [block for block in section.blocks if isinstance(block, Layers)]
    boxes = [(*box.kinds, box.shape, box.settings, box.weights) for box in layers.items]
    assert boxes == [
        ("Conv2D", "28 × 28 × 64", "2 × 2, same", "320"),
        ("Flatten", "50,176", "", ""),
        ("LSTM", "any × 8", "", ""),
    ]
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    assert facts.rows[0].term == "Model", "a count of parameters stands in the kicker"


def test_data_that_nobody_publishes_have_the_name_of_their_file() -> None:
    made = bench()
    data = {"dataset": "csv", "series": {"path": "weather/hours.csv"}}
    plan = made.plan.model_copy(update={"workload": {**made.plan.workload, **data}})
    assert data_title(replace(made, plan=plan, records={})).startswith("hours.csv")


def test_neighbours_without_weights_and_many_layers_of_a_kind_share_a_box() -> None:
    def layer(kind: str, *shape: int, parameters: int = 0) -> Layer:
        return Layer(kind=kind, shape=list(shape), parameters=parameters)

    pooled = [layer("Conv2D", 8, 8, 4, parameters=9), layer("MaxPooling2D", 4, 4, 4)]
    network = Network(layers=[*pooled, layer("Dropout", 4, 4, 4)], loss="", optimizer="")
    assert [box.kinds for box in layer_boxes(network).items] == [
        ("Conv2D",), ("MaxPooling2D", "Dropout"),
    ]  # fmt: skip
    deep = Network(layers=pooled * 20, loss="", optimizer="")
    conv, pool = layer_boxes(deep).items
    assert (conv.kinds, conv.weights, pool.kinds) == (("20 Conv2D",), "180", ("20 MaxPooling2D",))


@pytest.mark.parametrize(
    "changed", [{"profile": "quick"}, {"profile": "full+measure.repeats=5"}, {}], ids=str
)
def test_a_description_is_of_the_full_profile(changed: dict[str, str]) -> None:
    made = bench()
    overrides = {"measure.repeats": 5} if "+" in str(changed) else {}
    plan = made.plan.model_copy(update={**changed, "overrides": overrides})
    said = [
        block.text
        for block in network_section(replace(made, plan=plan)).blocks
        if isinstance(block, Prose)
    ]
    assert said == ([] if changed else ["Digits are learnt."])


def test_how_it_is_trained_and_what_is_swept() -> None:
    section = network_section(bench())
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    known = {fact.term: fact.value for fact in facts.rows}
    assert known["Loss"] == "sparse categorical cross-entropy"
    assert known["Optimizer"] == "Adam 0.001"
    assert known["Batch size"] == "256, 512 and 1,024"
    assert "False" not in known.values()


def test_the_words_of_the_spec_are_there_and_without_records_its_keys() -> None:
    made = bench()
    texts = [b.text for b in network_section(made).blocks if isinstance(b, Prose)]
    assert texts == ["Digits are learnt."]
    workload = {"kind": "keras", "optimizer": {"name": "sgd", "learning_rate": 0.1}}
    plan = made.plan.model_copy(update={"workload": workload})
    section = network_section(replace(made, records={}, plan=plan))
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    assert ("Optimizer", "sgd 0.1") in [(f.term, f.value) for f in facts.rows]
    assert not [block for block in section.blocks if isinstance(block, Layers)]


def test_values_of_a_sweep_that_were_not_run_are_not_what_was_run() -> None:
    made = bench()
    records = {
        place: record.model_copy(update={"planned_steps": 30})
        for place, record in made.records.items()
        if record.cell.point["batch_size"] == 256
    }
    section = network_section(replace(made, records=records))
    assert not [block for block in section.blocks if isinstance(block, Prose)]
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    known = {fact.term: fact.value for fact in facts.rows}
    assert known["Batch size"] == "256"
    assert known["Training examples"] == "7,680 of 15,360", "of a part it is said"
