"""What became of trained models: saved and read back, served over HTTP, made 8-bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accelreport.analysis.learning import Change, QuantisedResult, quantised_results
from accelreport.analysis.stats import percentile
from accelreport.report import formatting
from accelreport.report.charts.drawing import WIDE, Chart
from accelreport.report.charts.paired import (
    PLAIN,
    Bar,
    Bars,
    Difference,
    bars_in_words,
    differences,
    paired_bars,
)
from accelreport.report.heroes.hero import ON_A_PHONE, HeroFigure, Size
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
)
from accelreport.report.pages.sections.predictions import NamedRun, runs
from accelreport.report.text import label, sentence
from accelreport.report.theme import series
from accelreport.report.view import BenchmarkView, median, present
from accelreport.results.record import SavedWeights, Served

SHOWN_DIGITS = 16
"""Of a checksum in a table."""


@dataclass(frozen=True)
class EightBits:
    """What became of the models of one device, at one sweep point, in 8-bit integers.

    Attributes:
        runs: the runs, a seed each.
        rows: what quantisation did to each of them.
    """

    runs: tuple[NamedRun, ...]
    rows: tuple[QuantisedResult, ...]

    @property
    def size_ratio(self) -> str:
        """How many times smaller the quantised model is, the median over seeds."""
        return formatting.ratio(median([row.size_ratio for row in self.rows]))

    @property
    def faster(self) -> float:
        """How many times as fast it answers, the median over seeds; NaN where not measured."""
        return median([row.latency_ratio for row in self.rows])

    @property
    def accuracy(self) -> str:
        """What the tests of all seeds say of the accuracy, in a few words."""
        said = [row.change for row in self.rows]
        words = {Change.WORSE: "less accurate", Change.BETTER: "more accurate"}
        found = [(words[change], said.count(change)) for change in words if change in said]
        if not found:
            return "no change in accuracy shown"
        if len(said) == 1 or found[0][1] == len(said):
            return found[0][0]
        return ", ".join(f"{text} in {count} of {len(said)} seeds" for text, count in found)

    @property
    def title(self) -> str:
        """The finding."""
        speed = f", {formatting.pace(self.faster)}" if present(self.faster) else ""
        return f"Eight bits: {self.size_ratio} smaller{speed}; {self.accuracy}"

    @property
    def change(self) -> str:
        """Every seed's difference of the accuracy, without its test."""
        found = [formatting.signed(100 * row.difference, 2) for row in self.rows]
        seeds = formatting.plural(len(found), "seed")
        listed = formatting.listed(found)
        return f"8 bits change the accuracy by {listed}{formatting.SPACE}points in {seeds}"

    @property
    def answer(self) -> str:
        """Every seed's difference of the accuracy."""
        found = [formatting.signed(100 * row.difference, 2) for row in self.rows]
        tested = [formatting.probability(row.p) for row in self.rows]
        examples = formatting.count(max(row.found.examples for row in self.rows))
        seeds = formatting.plural(len(found), "seed")
        return (
            f"Accuracy changes by {formatting.listed(found)}{formatting.SPACE}points in {seeds}, "
            f"each on {examples} examples ({formatting.listed(tested)}, McNemar)."
        )

    def bars(self) -> list[Bars]:
        """Size, latency, throughput and accuracy, medians over seeds, in both arithmetics."""
        colour = series(self.runs[0].series.colour)
        both = [(row.found.float32, row.found.int8) for row in self.rows]
        sizes = _medians([(old.bytes, new.bytes) for old, new in both])
        latencies = _medians([(row.float32_latency_s, row.int8_latency_s) for row in self.rows])
        rates = _medians([(old.throughput, new.throughput) for old, new in both])
        right = _medians([(row.float32_accuracy, row.int8_accuracy) for row in self.rows])
        more = formatting.ratio(rates[1] / rates[0])
        found: list[tuple[str, tuple[float, float], Callable[[float], str], str]] = [
            ("file", sizes, formatting.size, f"{self.size_ratio} smaller"),
            ("one answer takes", latencies, formatting.duration,
             formatting.pace(self.faster)),
            ("answers a second", rates, formatting.number, f"{more} as many"),
            ("right", right, formatting.percent, self._verdict),
        ]  # fmt: skip
        return [
            Bars(
                title,
                (
                    Bar("float32", values[0], text(values[0]), PLAIN),
                    Bar("8 bits", values[1], text(values[1]), colour),
                ),
                verdict,
            )
            for title, values, text, verdict in found
            if all(map(present, values))
        ]

    @property
    def _verdict(self) -> str:
        """The same beside a bar: the differences of all seeds, the least and the greatest."""
        found = sorted(100 * row.difference for row in self.rows)
        ends = dict.fromkeys(formatting.signed(value, 2) for value in (found[0], found[-1]))
        return f"{' to '.join(ends)}{formatting.SPACE}points"

    def figures(self) -> tuple[HeroFigure, HeroFigure]:
        """Both arithmetics, and each seed's difference."""
        bars = self.bars()
        both = HeroFigure(
            id="hero-bits",
            title="The same networks in float32 and in 8 bits",
            description=bars_in_words(bars),
            chart=lambda size: paired_bars(bars, size.width, size.height),
            badges=self.runs[0].badges,
        )
        seeds = HeroFigure(
            id="hero-seeds",
            title="What 8 bits change in accuracy, in percentage points",
            description=self.answer,
            chart=self._differences,
            caption="Bands: 95 % intervals over the examples (Bonett and Price).",
            badges=self.runs[0].badges,
        )
        return both, seeds

    def _differences(self, size: Size) -> Chart:
        found = [
            Difference(
                f"seed {run.record.cell.seed}",
                100 * row.difference,
                100 * row.low,
                100 * row.high,
                formatting.points(row.difference),
            )
            for run, row in zip(self.runs, self.rows, strict=True)
        ]
        sides = ("8 bits are right less often", "more often")
        colour = series(self.runs[0].series.colour)
        return differences(found, sides, colour, size.width, size.height)


def eight_bits(bench: BenchmarkView) -> EightBits | None:
    """The models of the first device and sweep point of which any was quantised."""
    rows = {(row.key, row.machine): row for row in quantised_results(bench.shown_records)}
    found = [
        (run, rows[run.record.key, run.record.machine])
        for run in runs(bench)
        if (run.record.key, run.record.machine) in rows
    ]
    if not found:
        return None
    first = found[0][0]
    own = [
        (run, row)
        for run, row in found
        if run.series == first.series and run.record.cell.point == first.record.cell.point
    ]
    return EightBits(tuple(run for run, _ in own), tuple(row for _, row in own))


def _medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The median of each side."""
    return median([before for before, _ in pairs]), median([after for _, after in pairs])


def deployment_section(bench: BenchmarkView, *, opened: bool = False) -> Section | None:
    """The section; None where no trained model was used any further.

    Args:
        bench: the benchmark.
        opened: whether the page begins with what 8 bits did, so that tables suffice here.
    """
    found = runs(bench)
    blocks: list[Block] = []
    served = [(run, run.record.served) for run in found if run.record.served]
    saved = [(run, run.record.weights) for run in found if run.record.weights]
    eight = eight_bits(bench)
    if eight:
        places = ((Size(WIDE, 300), ON_A_PHONE), (Size(WIDE, 200), ON_A_PHONE))
        drawn = zip(eight.figures(), places, strict=True)
        blocks += [] if opened else [figure.figure(*sizes) for figure, sizes in drawn]
        blocks.append(_quantised(bench, found))
    if served:
        blocks.append(_served(served))
    if saved:
        blocks.append(_saved(saved))
    if any(run.record.artefacts for run in found):
        blocks.append(_kept(found))
    if not blocks:
        return None
    finding = f"{eight.title}. {eight.answer}" if eight else ""
    return Section("afterwards", "The trained model in use", tuple(blocks), finding=finding)


def _entry(*lines: str, badges: tuple[Badge, ...] = (), href: str = "") -> Entry:
    first, *rest = lines
    return entry(first, *(Line(text, "interval") for text in rest), href=href, badges=badges)


def _quantised(bench: BenchmarkView, found: list[NamedRun]) -> Table:
    rows = {(row.key, row.machine): row for row in quantised_results(bench.records.values())}
    groups = []
    for run in found:
        row = rows.get((run.record.key, run.record.machine))
        if row:
            groups.append(RowGroup(_precisions(run, row), title=run.name, href=run.href))
    first = next(run.record.quantised for run in found if run.record.quantised)
    count = first.calibration_examples
    calibrated = f", calibrated on {formatting.plural(count, 'training example')}" if count else ""
    return Table(
        id="quantised-table",
        title="The same model in float32 and in 8-bit integers",
        caption=(
            f"{sentence(label(first.method, 200))}{calibrated}; both run by "
            f"the LiteRT interpreter with {formatting.plural(first.threads, 'thread')}. Latency is "
            "the median for one example. The difference of the accuracies has a 95 % interval "
            "(Bonett and Price) and is tested by McNemar's exact test."
        ),
        corner="arithmetic",
        columns=number_columns(("size", "latency", "throughput", "accuracy", "difference")),
        groups=tuple(groups),
    )


def _precisions(run: NamedRun, row: QuantisedResult) -> tuple[Row, Row]:
    quantised = row.found
    low, high = (formatting.signed(100 * end, 2) for end in (row.low, row.high))
    ratio = formatting.ratio
    before = Row(
        entry("float32"),
        (
            _entry(formatting.size(quantised.float32.bytes)),
            _entry(formatting.duration(row.float32_latency_s)),
            _entry(formatting.rate(quantised.float32.throughput, "examples")),
            _entry(formatting.percent(row.float32_accuracy), badges=run.badges),
            _entry("–"),
        ),
    )
    faster = quantised.int8.throughput / quantised.float32.throughput
    after = Row(
        entry("8-bit integers"),
        (
            _entry(formatting.size(quantised.int8.bytes), f"{ratio(row.size_ratio)} smaller"),
            _entry(
                formatting.duration(row.int8_latency_s),
                formatting.pace(row.latency_ratio) if present(row.latency_ratio) else "–",
            ),
            _entry(
                formatting.rate(quantised.int8.throughput, "examples"), f"{ratio(faster)} as many"
            ),
            _entry(formatting.percent(row.int8_accuracy), badges=run.badges),
            _entry(
                formatting.points(row.difference),
                f"{low} to {high}",
                f"{formatting.probability(row.p)}: {row.change.value.lower()}",
            ),
        ),
    )
    return before, after


def _served(served: list[tuple[NamedRun, Served]]) -> Table:
    rows = tuple(_served_row(run, found) for run, found in served)
    titles = ("p50", "p95", "p99", "throughput", "largest difference", "same class", "export")
    return Table(
        id="served-table",
        title="Exported, and asked over HTTP in a process of its own",
        caption=(
            f"{label(served[0][1].server, 200)}. Percentiles are of requests for one example, one "
            "after the other; throughput is of several clients at once. The difference is that "
            "between an answer and the training process's own prediction."
        ),
        corner="run",
        columns=number_columns(titles),
        groups=(RowGroup(rows),),
    )


def _served_row(run: NamedRun, found: Served) -> Row:
    times = [percentile(found.latency_s, share) for share in (0.5, 0.95, 0.99)]
    same = "–" if found.same_class is None else formatting.percent(found.same_class, 1)
    clients = formatting.plural(found.throughput_clients, "client")
    return Row(
        entry(Line(run.name, href=run.href)),
        (
            *(_entry(formatting.duration(seconds)) for seconds in times),
            _entry(
                formatting.rate(found.throughput, "examples"),
                f"{clients}, {found.throughput_batch} a request",
            ),
            _entry(formatting.tiny(found.max_difference)),
            _entry(f"{same}", f"of {formatting.count(found.examples)}"),
            _entry(formatting.size(found.bytes), label(found.format, 40)),
        ),
    )


def _saved(saved: list[tuple[NamedRun, SavedWeights]]) -> Table:
    rows = tuple(
        Row(
            entry(Line(run.name, href=run.href)),
            (
                _entry(label(found.format, 60)),
                _entry(formatting.size(found.bytes)),
                _entry(formatting.count(found.examples)),
                _entry(formatting.tiny(found.max_difference)),
            ),
        )
        for run, found in saved
    )
    titles = ("form", "size", "examples compared", "largest difference")
    return Table(
        id="weights-table",
        title="Weights saved, and read back into a model built anew",
        corner="run",
        columns=(Column(titles[0]), *(Column(title, number=True) for title in titles[1:])),
        groups=(RowGroup(rows),),
    )


def _kept(found: list[NamedRun]) -> Table:
    groups = [
        RowGroup(
            tuple(
                Row(
                    entry(label(artefact.what, 80)),
                    (
                        _entry(formatting.size(artefact.bytes)),
                        _entry(f"{artefact.sha256[:SHOWN_DIGITS]}….{artefact.name}"),
                    ),
                )
                for artefact in run.record.artefacts
            ),
            title=run.name,
            href=run.href,
        )
        for run in found
        if run.record.artefacts
    ]
    return Table(
        id="artefacts-table",
        title="Files kept with the results",
        caption=(
            "They lie in the folder artefacts/ of the results, each named by the SHA-256 of its "
            "content; the record of the run has the whole of it."
        ),
        corner="file",
        columns=(Column("size", number=True), Column("name begins and ends with")),
        groups=tuple(groups),
        folded=True,
    )
