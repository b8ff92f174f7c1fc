"""The setup: the model's layers, how it is trained, and what the spec says of both."""

from __future__ import annotations

from collections import Counter
from math import log2, prod

from accelreport.analysis.results import shortest
from accelreport.analysis.stats import grouped
from accelreport.report import quantity
from accelreport.report.charts.scales import plain_duration
from accelreport.report.metrics import axis_title
from accelreport.report.model import Block, Fact, Facts, LayerBox, Layers, Prose, Section
from accelreport.report.openings.registry import data_title
from accelreport.report.pages.machines import machine_line
from accelreport.report.pages.sections.about import budgets, web_address
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, measured_records
from accelreport.results.plan_document import profile_of
from accelreport.results.record import Layer, Network
from accelreport.spec.source import FULL

TRAINING = ("epochs", "batch_size", "steps_per_epoch", "train_examples", "validation_examples")
"""Keys of a workload that say how long and on what it trains, in the order in which they stand."""
MOST_BOXES = 14
"""Boxes of a network; of a deeper one each kind of layer has one, with its number."""
LARGEST, THIN, MOST_SHEETS = 48, 7, 3
"""Pixels of the largest side of a box, and of its smallest; sheets of one with many channels."""
SHOWN_SETTINGS = ("kernel_size", "pool_size", "strides", "padding", "rate", "activation")
"""Settings below a box, beside those that its shape says."""


def network_section(bench: BenchmarkView) -> Section:
    """The section; a benchmark without records has what its spec says."""
    network = largest_network(bench)
    description = label(" ".join(bench.plan.description.split()), 1200).partition(". ")[0]
    # What a profile, an option or a run of some sweep points changes, a description does not say.
    part = any(len(ran_values(bench, axis)) < len(of) for axis, of in bench.plan.axes.items())
    changed = part or bench.plan.overrides or profile_of(bench.plan) != FULL
    described = description and not changed
    blocks: list[Block] = [Prose(f"{description.rstrip('.')}.")] if described else []
    if network is not None:
        blocks.append(layer_boxes(network))
    facts = (*_drawn(bench), *run_facts(bench, network), *measured_facts(bench))
    blocks.append(Facts(facts, id="run-facts", inline=True))
    return Section("run", "Setup", tuple(blocks))


def _drawn(bench: BenchmarkView) -> tuple[Fact, ...]:
    """Which network is drawn, where a sweep has several."""
    sizes = {r.parameters or 0 for r in bench.records.values() if r.network and r.network.layers}
    if len(sizes) < 2:
        return ()
    which = f"the largest of {len(sizes)}, {quantity.count(max(sizes))} parameters"
    return (Fact("Network drawn", which),)


def measured_facts(bench: BenchmarkView) -> tuple[Fact, ...]:
    """After whom, on what, how often and when it was measured."""
    source, measured = bench.plan.source, measured_records([bench])
    facts = []
    if source is not None:
        title = label(source.title, 140)
        by = ", ".join(filter(None, (label(source.authors, 80), str(source.year or ""))))
        value = f"{title} ({by})" if by else title
        facts.append(Fact("Source", value, href=web_address(source.url)))
    if machines := machine_line(measured):
        facts.append(Fact("Measured on", machines))
    counts = Counter(
        (row.device, row.machine, bench.point_of(row)) for row in bench.results if row.timed
    )
    if counts:
        every = Counter((row.device, row.machine, bench.point_of(row)) for row in bench.results)
        # What was not run has no machine.
        planned = [every[at] + every[at[0], "", at[2]] for at in counts]
        done, of = (quantity.extent(own, quantity.count) for own in (counts.values(), planned))
        facts.append(Fact("Repeats", done + f" of {of}" * (done != of)))
    if least := shortest(bench.results):
        facts.append(Fact("Shortest run", Speaker(bench).steps(least.steps, least)))
    if known := budgets(measured or bench.records.values()):
        facts.append(Fact("Budget per cell", quantity.extent(known, plain_duration)))
    if dates := quantity.days(record.started_at for record in measured):
        facts.append(Fact("Date", dates))
    return tuple(facts)


def largest_network(bench: BenchmarkView) -> Network | None:
    """The network with the most parameters; None where no record has its layers."""
    known = [r for r in bench.records.values() if r.network and r.network.layers]
    return max(known, key=lambda record: record.parameters or 0).network if known else None


def run_facts(bench: BenchmarkView, network: Network | None) -> tuple[Fact, ...]:
    """How it is trained and on what."""
    workload, axes = bench.plan.workload, bench.axes
    facts = []
    if model := workload.get("model"):
        facts.append(Fact("Model", label(str(model), 80)))
    if data := data_title(bench):
        facts.append(Fact("Data", data))
    if network is not None and network.loss:
        facts.append(Fact("Loss", label(network.loss, 80)))
    asked = workload.get("optimizer")
    asked = asked if isinstance(asked, dict) else {}
    name, rate = asked.get("name"), asked.get("learning_rate")
    if network is not None and network.optimizer:
        name, rate = network.optimizer, network.learning_rate
    if name:
        # A framework keeps the rate in 32 bits, which hold seven digits of it.
        rate = float(f"{rate:.6g}") if isinstance(rate, float) else rate
        pace = f" {quantity.setting(rate)}" if rate is not None else ""
        facts.append(Fact("Optimizer", f"{label(str(name), 40)}{pace}"))
    uses = [
        (min(own.train_examples, planned), own.train_examples)
        for record in bench.records.values()
        if (own := record.data) and (planned := record.planned_steps * record.samples_per_step)
    ]
    for key in dict.fromkeys((*TRAINING, *axes)):
        value = workload.get(key)
        if key == "train_examples" and bench.words.trains and uses:
            read, loaded = (quantity.extent(own, quantity.count) for own in zip(*uses, strict=True))
            value = f"{read} of {loaded}" if read != loaded else value and read
        if key in axes:
            swept = quantity.listed(list(map(quantity.setting, ran_values(bench, key))))
            facts.append(Fact(sentence(axis_title(key)), label(swept, 120)))
        elif isinstance(value, int | float | str):
            facts.append(Fact(sentence(axis_title(key)), label(quantity.setting(value), 120)))
    return tuple(facts)


def ran_values(bench: BenchmarkView, axis: str) -> list[object]:
    """The values of a swept key that were run; all of them where nothing was."""
    rows = [row for row in bench.results if row.ran] or bench.results
    known = {str(row.point[axis]) for row in rows}
    return [value for value in bench.plan.axes[axis] if str(value) in known]


def layer_boxes(network: Network) -> Layers:
    """The layers as boxes; a layer that keeps the shape shares that of the one before it.

    A layer with weights has a box of its own, unless it normalises.
    """
    runs: list[list[Layer]] = []
    for layer in network.layers:
        own = layer.parameters > 0 and "Normalization" not in layer.kind
        if own or not runs or layer.shape != runs[-1][-1].shape:
            runs.append([])
        runs[-1].append(layer)
    if len(runs) > MOST_BOXES:
        runs = list(grouped(network.layers, lambda layer: layer.kind).values())
    return Layers(tuple(map(_box, runs)))


def _box(layers: list[Layer]) -> LayerBox:
    """A box as wide, high and deep as what the last of some layers puts out, on a log scale."""
    last, parameters = layers[-1], sum(layer.parameters for layer in layers)
    sizes = [1 if size is None else size for size in last.shape]
    if len(sizes) == 3:
        (height, width), sheets = map(_pixels, sizes[:2]), min(int(log2(sizes[2] + 1)), MOST_SHEETS)
    elif len(sizes) == 2:
        width, height, sheets = _pixels(sizes[0]), _pixels(sizes[1]), 0
    else:
        width, height, sheets = THIN, _pixels(prod(sizes)), 0
    names = dict.fromkeys(layer.kind for layer in layers)
    alike = len(names) == 1 < len(layers)
    return LayerBox(
        kinds=tuple(f"{len(layers)} {name}" if alike else label(name, 60) for name in names),
        shape=" × ".join("any" if size is None else quantity.count(size) for size in last.shape),
        settings="" if alike else label(" · ".join(filter(None, map(_settings, layers))), 200),
        weights=quantity.count(parameters) if parameters else "",
        width=width,
        height=height,
        sheets=sheets,
    )


def _pixels(size: int) -> int:
    return round(min(LARGEST, THIN + 5 * log2(max(size, 1))))


def _settings(layer: Layer) -> str:
    """The settings below a box: "3 × 3, same, relu", "rate 0.4"."""
    texts = []
    for key, value in ((key, layer.settings.get(key)) for key in SHOWN_SETTINGS):
        if value is True:
            texts.append(axis_title(key))
        elif isinstance(value, list):
            texts.append(" × ".join(map(str, value)))
        elif isinstance(value, str):
            texts.append(quantity.setting(value))
        elif key in layer.settings:
            texts.append(f"{axis_title(key)} {quantity.setting(value)}")
    return ", ".join(texts)
