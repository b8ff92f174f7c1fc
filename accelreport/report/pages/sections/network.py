"""What was run: the model's layers, how it is trained, and what the spec says of both."""

from __future__ import annotations

from accelreport.report import quantity
from accelreport.report.metrics import axis_title
from accelreport.report.model import (
    Block,
    Column,
    Fact,
    Facts,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    table_row,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Layer, Network

TRAINING = ("epochs", "batch_size", "steps_per_epoch", "train_examples", "validation_examples")
"""Keys of a workload that say how long and on what it trains, in the order in which they stand."""
APART = {"kind", "model", "optimizer", "samples", "dataset", "data", *TRAINING}
"""Keys that are told in a row of their own, or that only decide what the page shows."""


def network_section(bench: BenchmarkView) -> Section:
    """The section; a benchmark without records has what its spec says."""
    network = next((r.network for r in bench.records.values() if r.network), None)
    blocks: list[Block] = []
    if bench.plan.description:
        blocks.append(Prose(label(" ".join(bench.plan.description.split()), 1200)))
    if bench.plan.source and bench.plan.source.note:
        note = label(" ".join(bench.plan.source.note.split()), 1200)
        blocks.append(Prose(f"About the source: {note}"))
    blocks.append(Facts(_facts(bench, network), id="run-facts"))
    if network is not None and network.layers:
        blocks.append(_layers(network))
    return Section("run", "What was run", tuple(blocks))


def _facts(bench: BenchmarkView, network: Network | None) -> tuple[Fact, ...]:
    workload, axes = bench.plan.workload, bench.axes
    facts = []
    if model := workload.get("model"):
        facts.append(Fact("Model", label(str(model), 80)))
    if dataset := workload.get("dataset"):
        data = workload.get("data", "real")
        facts.append(Fact("Data", f"{label(str(dataset), 60)}, {label(str(data), 20)}"))
    if network is not None and network.loss:
        facts.append(Fact("Loss", label(network.loss, 80)))
    if (optimizer := _optimizer(workload.get("optimizer"), network)) is not None:
        facts.append(Fact("Optimizer", optimizer))
    for key in (*TRAINING, *sorted(workload.keys() - APART)):
        value = workload.get(key)
        if key in axes:
            swept = quantity.listed([quantity.setting(each) for each in bench.plan.axes[key]])
            facts.append(Fact(_title(key), label(swept, 120)))
        elif value is True:
            facts.append(Fact(_title(key), "yes"))
        elif isinstance(value, int | float | str) and value not in {"", False}:
            facts.append(Fact(_title(key), label(quantity.setting(value), 120)))
    return tuple(facts)


def _title(key: str) -> str:
    title = axis_title(key)
    return title[:1].upper() + title[1:]


def _optimizer(asked: object, network: Network | None) -> str | None:
    """The optimizer with its first learning rate: "Adam, learning rate 0.001"."""
    if network is not None and network.optimizer:
        name, rate = network.optimizer, network.learning_rate
    elif isinstance(asked, dict) and asked.get("name"):
        name, rate = str(asked["name"]), asked.get("learning_rate")
    else:
        return None
    name = label(name, 40)
    return f"{name}, learning rate {quantity.setting(rate)}" if rate is not None else name


def _layers(network: Network) -> Table:
    every = sum(layer.parameters for layer in network.layers)
    return Table(
        id="layers",
        title="Layers, from the input to the output",
        caption="As the model that was measured reports them; shapes are without the batch.",
        corner="layer",
        folded=True,
        columns=(Column("settings"), Column("output", number=True), Column("weights", number=True)),
        groups=(
            RowGroup(tuple(map(_layer, network.layers))),
            RowGroup((table_row("all", "", "", quantity.count(every)),)),
        ),
    )


def _layer(layer: Layer) -> Row:
    settings = ", ".join(
        axis_title(key) + ("" if value is True else f" {_sizes(value)}")
        for key, value in layer.settings.items()
    )
    shape = " × ".join("any" if size is None else quantity.count(size) for size in layer.shape)
    weights = quantity.count(layer.parameters) if layer.parameters else "–"
    return table_row(label(layer.kind, 60), label(settings, 200), shape, weights)


def _sizes(value: object) -> str:
    if isinstance(value, list):
        return " × ".join(map(str, value))
    return quantity.setting(value)
