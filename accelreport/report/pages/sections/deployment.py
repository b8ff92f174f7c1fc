"""What became of trained models: saved and read back, served over HTTP, converted to int8."""

from __future__ import annotations

from dataclasses import replace

from accelreport.analysis.findings import Finding, Kind, Unit
from accelreport.analysis.learning import QuantisedResult, quantised_results
from accelreport.analysis.learning_findings import BATCHES, LATENCY, SIZE, quantised_runs
from accelreport.analysis.stats import percentile
from accelreport.report import quantity
from accelreport.report.charts.dots import Base, Dot
from accelreport.report.charts.drawing import WIDE
from accelreport.report.charts.scales import factor_text
from accelreport.report.forms import why_hollow
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size, dots_plot
from accelreport.report.pages.sections.predictions import NamedRun, named
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Series, present
from accelreport.results.record import Quantised, Record, SavedWeights, Served


def int8_text(quantised: Quantised) -> str:
    """What is int8 of a network, and how it ran: "weights only, 1 thread"."""
    integers = "weights and activations" if quantised.calibration_examples else "weights only"
    return f"{integers}, {quantity.plural(quantised.threads, 'thread')}"


def examples_text(record: Record) -> str:
    """On how many validation examples accuracies of int8 are; empty where on all of them."""
    if not record.quantised or not record.data:
        return ""
    examples, every = record.quantised.examples, record.data.validation_examples
    of = f"on {quantity.count(examples)} of {quantity.count(every)} examples"
    return of * (examples < every)


def int8_plot(bench: BenchmarkView) -> Plot | None:
    """Speed of int8 over float32; None where nothing was converted."""
    finding = next((f for f in bench.findings if f.kind is Kind.INT8), None)
    converted = quantised_runs(bench)
    if finding is None or not {LATENCY, BATCHES} & {value.of.part for value in finding.values}:
        return None
    first = named(bench, converted[0][0])
    texts = (int8_text(result.quantised) for _, result in converted)
    size = next(Speaker(bench).number(value) for value in finding.values if value.of.part == SIZE)
    return dots_plot(
        _int8_dots(finding, first.series),
        axis="speed over float32",
        tick=factor_text,
        base=Base(name="float32 = 1×", below="← slower", above="faster →"),
        id="int8",
        title=f"Speed of int8 over float32{bench.at(bench.point_of(converted[0][0][0]))}",
        note=f"int8: {'; '.join(dict.fromkeys(texts))}; {size} of the file size.",
        badges=first.badges,
        values=finding.values,
    )


def _int8_dots(finding: Finding, device: Series) -> list[Dot]:
    """A call and batches of the int8 network, as fast as those of float32."""
    parts = {value.of.part: value for value in finding.values}
    dots = []
    for part, name in ((LATENCY, "one call"), (BATCHES, "batches")):
        if (faster := parts.get(part)) is None:
            continue
        text = quantity.ratio_of(faster.interval)
        dot = Dot(name, "", device, faster.number, text, *faster.interval.ends)
        dots.append(replace(dot, hollow=why_hollow(faster.caveats)))
    return dots


def deployment_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no trained model was used any further."""
    runs = [named(bench, run) for run in bench.runs]
    blocks: list[Block] = []
    served = [(run, run.record.served) for run in runs if run.record.served]
    saved = [(run, run.record.weights) for run in runs if run.record.weights]
    plot = int8_plot(bench)
    if plot:
        blocks += [plot.figure(Size(WIDE, 0), ON_A_PHONE), _quantised(runs)]
    if served:
        blocks.append(_served(served))
    if saved:
        blocks.append(_saved(saved))
    if not blocks:
        return None
    detail = Speaker(bench).number_of(Kind.INT8)
    if served and not plot:
        detail = f"{quantity.plural(len(served), 'run')} served"
    return Section("deployed", "Deployed model", tuple(blocks), folded=True, detail=detail)


def _entry(*lines: str, badges: tuple[Badge, ...] = (), href: str = "") -> Entry:
    first, *rest = lines
    return entry(first, *(Line(text, "interval") for text in rest), href=href, badges=badges)


def _quantised(runs: list[NamedRun]) -> Table:
    groups = [
        RowGroup(_precisions(run, row), title=run.name, href=run.href)
        for run in runs
        for row in quantised_results([run.record])
    ]
    parts = dict.fromkeys(text for run in runs if (text := examples_text(run.record)))
    return Table(
        id="quantised-table",
        title="Size, latency, accuracy",
        corner="arithmetic",
        columns=number_columns(("size", "latency", "throughput", "accuracy", "difference")),
        groups=tuple(groups),
        caption=f"Accuracies {', '.join(parts)}." if parts else "",
    )


def _precisions(run: NamedRun, row: QuantisedResult) -> tuple[Row, Row]:
    quantised = row.quantised
    ratio = quantity.ratio
    before = table_row(
        "float32",
        quantity.size(quantised.float32.bytes),
        quantity.duration(row.float32_latency_s),
        quantity.rate(quantised.float32.throughput, "examples"),
        entry(quantity.percent(row.float32_accuracy), badges=run.badges),
        "–",
    )
    faster = quantised.int8.throughput / quantised.float32.throughput
    after = table_row(
        "int8",
        _entry(
            quantity.size(quantised.int8.bytes),
            f"{quantity.write(row.size_share, Unit.SHARE)} of float32",
        ),
        _entry(
            quantity.duration(row.int8_latency_s),
            f"{ratio(row.latency_ratio)} as fast" if present(row.latency_ratio) else "–",
        ),
        _entry(quantity.rate(quantised.int8.throughput, "examples"), f"{ratio(faster)} as many"),
        entry(quantity.percent(row.int8_accuracy), badges=run.badges),
        _entry(
            quantity.points(row.difference),
            quantity.points_between(row.low, row.high),
            f"{quantity.probability(row.p)}: {row.change.value.lower()}",
        ),
    )
    return before, after


def _served(served: list[tuple[NamedRun, Served]]) -> Table:
    titles = ("p50", "p95", "p99", "throughput", "largest difference", "same class", "export")
    return Table(
        id="served-table",
        title="Served over HTTP",
        corner="run",
        columns=number_columns(titles),
        groups=(RowGroup(tuple(_served_row(run, result) for run, result in served)),),
    )


def _served_row(run: NamedRun, served: Served) -> Row:
    times = [percentile(served.latency_s, share) for share in (0.5, 0.95, 0.99)]
    same = "–" if served.same_class is None else quantity.percent(served.same_class, 1)
    clients = quantity.plural(served.throughput_clients, "client")
    return table_row(
        Line(run.name, href=run.href),
        *map(quantity.duration, times),
        _entry(
            quantity.rate(served.throughput, "examples"),
            f"{clients} × {served.throughput_batch}",
        ),
        quantity.tiny(served.max_difference),
        _entry(same, f"of {quantity.count(served.examples)}"),
        _entry(quantity.size(served.bytes), label(served.format, 40)),
    )


def _saved(saved: list[tuple[NamedRun, SavedWeights]]) -> Table:
    rows = tuple(
        table_row(
            Line(run.name, href=run.href),
            label(weights.format, 60),
            quantity.size(weights.bytes),
            quantity.count(weights.examples),
            quantity.tiny(weights.max_difference),
        )
        for run, weights in saved
    )
    titles = ("size", "examples compared", "largest difference")
    return Table(
        id="weights-table",
        title="Saved weights",
        corner="run",
        columns=(Column("form"), *number_columns(titles)),
        groups=(RowGroup(rows),),
    )
