"""What one run's trained model predicted, misclassified, forecast or wrote."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import nan

from accelreport.analysis.findings import Finding, Kind
from accelreport.analysis.learning import DAY_S, ForecastErrors, errors_of, forecasts_of
from accelreport.analysis.learning_findings import Run, first_run
from accelreport.analysis.stats import Interval, Verdict
from accelreport.report import quantity
from accelreport.report.charts.curves import Track, forecast_lines
from accelreport.report.charts.drawing import ROOMY, WIDE, Chart, drawable
from accelreport.report.charts.scales import NOT_FROM_ZERO, nice_ticks
from accelreport.report.model import (
    Badge,
    Block,
    Code,
    Gallery,
    Picture,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Token,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.pages.badges import origin_badges
from accelreport.report.say import Speaker
from accelreport.report.text import beginning, clean, in_quotes, label, sentence, tail, written
from accelreport.report.theme import share_bin
from accelreport.report.view import SUPPLIED, BenchmarkView, Series, replaced_data
from accelreport.results.record import Confusion, Epoch, Forecast, Record, Sample


@dataclass(frozen=True)
class NamedRun:
    """A run.

    Attributes:
        record: its record.
        series: its device.
        name: device, sweep point and seed, for a caption.
        href: the page of its cell.
    """

    record: Record
    series: Series
    name: str
    href: str

    @property
    def badges(self) -> tuple[Badge, ...]:
        """Where its data came from, unless they are the official files."""
        data = self.record.data
        own = data and data.origin == SUPPLIED and not replaced_data([self.record])
        return tuple(origin_badges([data.origin] if data and not own else []))


def shown_run(bench: BenchmarkView, has: Callable[[Record], bool]) -> NamedRun | None:
    """The run of which a page shows what it predicted (`first_run`)."""
    run = first_run(bench, has)
    return named(bench, run) if run else None


def named(bench: BenchmarkView, run: Run) -> NamedRun:
    """A run with its name and its page."""
    row, record = run
    place = row.device, row.machine
    series = next(s for s in bench.series if (s.device, s.machine) == place)
    where = bench.at(bench.point_of(row), ", ")
    return NamedRun(record, series, f"{series.title}{where}, seed {row.seed}", bench.cell_page(row))


LARGEST = 512
"""Rows or columns of a picture; larger ones are left out."""
MOST = 168
"""Pictures on a page, as many as S2 shows."""


def predictions_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run kept anything that its model predicted."""
    blocks: list[Block] = []
    if run := shown_run(bench, lambda record: bool(record.samples)):
        samples = run.record.samples
        blocks.append(gallery(run, samples, MOST, "Predictions"))
    blocks += _confusion(bench)
    blocks += [plot.figure(Size(WIDE, 220), ON_A_PHONE) for plot in forecast_plots(bench)]
    blocks += _texts(bench)
    if not blocks:
        return None
    detail = Speaker(bench).number_of(Kind.MISCLASSIFIED, Kind.FORECAST, Kind.WRITES)
    if run and not detail:
        wrong = "misclassified " * all(map(_wrong, run.record.samples))
        detail = f"{quantity.count(len(run.record.samples))} {wrong}{bench.words.sample}"
    return Section("predictions", "Predictions", tuple(blocks), folded=True, detail=detail)


def gallery(run: NamedRun, samples: Sequence[Sample], most: int, title: str = "") -> Gallery:
    """Some predictions of a run: the most confident mistakes, then the least confident others."""
    shown = sorted(samples, key=_surest)[:most]
    rule = f"{run.name}{'; most confident errors first' * any(map(_wrong, shown))}."
    return Gallery(tuple(map(_picture, shown)), rule, run.badges, run.href, title)


def few_mistakes(bench: BenchmarkView, finding: Finding, most: int) -> Gallery | None:
    """The surest mistakes of the run that a finding is about, or correct ones if it has none."""
    run = shown_run(bench, lambda record: bool(record.samples))
    if run is None:
        return None
    wrong = [sample for sample in run.record.samples if _wrong(sample)]
    if not wrong:
        return gallery(run, run.record.samples, most, "Correct, least confident")
    of = quantity.count(finding.values[0].number)
    kept = min(most, len(wrong))
    title = f"{kept} of {of} misclassified {bench.words.sample}"
    return gallery(run, wrong, most, title)


def _surest(sample: Sample) -> tuple[bool, float, int]:
    """Where a prediction stands: by confidence, mistakes falling and right ones rising."""
    wrong = _wrong(sample)
    return not wrong, -sample.probability if wrong else sample.probability, sample.index


def _wrong(sample: Sample) -> bool:
    return sample.true != sample.predicted


def _picture(sample: Sample) -> Picture:
    source, width, height = "", 0, 0
    pixels = _pixels(sample)
    if pixels is not None:
        height, width = sample.shape[0], sample.shape[1]
        source = "data:image/png;base64," + base64.b64encode(grey_png(pixels, width)).decode()
    # No mistake is 100 % sure.
    sure = quantity.percent(sample.probability, 0)
    if sure.startswith("100") and sample.probability < 1:
        sure = f"over 99{quantity.SPACE}%"
    return Picture(
        source=source,
        width=width,
        height=height,
        true=label(sample.true, 30),
        predicted=label(sample.predicted, 30),
        probability=sure,
        wrong=_wrong(sample),
    )


def _pixels(sample: Sample) -> bytes | None:
    """The bytes of a picture; None where there is none or it is not what it says."""
    if len(sample.shape) != 2 or not all(0 < side <= LARGEST for side in sample.shape):
        return None
    size = sample.shape[0] * sample.shape[1]
    try:
        pixels = base64.b64decode(sample.pixels, validate=True)
        if len(pixels) != size:
            pixels = zlib.decompressobj().decompress(pixels, size + 1)
    except (ValueError, zlib.error):
        return None
    return pixels if len(pixels) == size else None


def grey_png(pixels: bytes, width: int) -> bytes:
    """A grey 8-bit PNG of pixels given row by row (the format of RFC 2083)."""
    height = len(pixels) // width
    lines = b"".join(b"\0" + pixels[row * width : (row + 1) * width] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n"
    for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")):
        checksum = struct.pack(">I", zlib.crc32(name + data))
        png += struct.pack(">I", len(data)) + name + data + checksum
    return png


MOST_CLASSES = 20
"""Classes of a table; a larger one could not be read."""


def _confusion(bench: BenchmarkView) -> Iterator[Table]:
    """The confusion matrix of a run, where one counted classes and not too many of them."""
    run = shown_run(bench, lambda record: record.confusion is not None)
    confusion = run.record.confusion if run else None
    if run is None or confusion is None or not 2 <= len(confusion.classes) <= MOST_CLASSES:
        return
    rows = tuple(_row(confusion, number) for number in range(len(confusion.classes)))
    yield Table(
        id="confusion-table",
        title="Confusion matrix",
        caption=run.name,
        corner="true ↓ predicted →",
        columns=number_columns(map(_title, confusion.classes)),
        groups=(RowGroup(rows),),
        style="matrix",
        badges=run.badges,
    )


def _title(name: str) -> str:
    """The name of a class; a long one may be broken after an underscore, so that all fit."""
    return label(name, 40).replace("_", "_\N{ZERO WIDTH SPACE}")


def _row(confusion: Confusion, number: int) -> Row:
    counts = confusion.counts[number]
    total = sum(counts)
    entries = []
    for count in counts:
        share = count / total if total else 0.0
        shade = share_bin(share) if count else None
        text = quantity.percent(share, 0) if count else "–"
        below = under(quantity.count(count) if count else "", "detail")
        entries.append(entry(text, *below, heat=shade, ramp="c", mark="small"))
    return table_row(_title(confusion.classes[number]), *entries)


MOST_DAYS, MOST_STEPS = 6, 144
"""Of a forecast's drawing: as much as lets a reader tell its lines apart."""


def forecast_plots(bench: BenchmarkView) -> list[Plot]:
    """A drawing for each finding about a forecast, in their order."""
    run = shown_run(bench, lambda record: bool(forecasts_of(record)))
    series = {forecast.target: forecast for forecast in forecasts_of(run.record)} if run else {}
    findings = [finding for finding in bench.findings if finding.kind is Kind.FORECAST]
    return [
        _forecast_plot(bench, run, series[finding.values[0].of.part], finding, f"forecast-{number}")
        for number, finding in enumerate(findings)
        if run
    ]


def _forecast_plot(
    bench: BenchmarkView, run: NamedRun, forecast: Forecast, finding: Finding, identity: str
) -> Plot:
    """Actual values and their forecast, for the first days of the validation data."""
    speaker, value, scores = Speaker(bench), finding.values[0], errors_of(run.record, forecast)
    unit = f" ({label(forecast.unit, 20)})" if forecast.unit else ""
    name = f"{sentence(label(forecast.target, 60))}{unit}"
    seed, errors = f"seed {run.record.cell.seed}, " * (value.interval.n > 1), ""
    if finding.base and quantity.present(value.number):
        own, theirs = map(speaker.number, (value, finding.base))
        mean = f"; mean of {value.interval.n} seeds: {own}" if seed else ""
        errors = f"error: {number_text(scores.model, forecast.unit) if seed else own}{mean}; "
        errors += f"{in_quotes(finding.base.of.part)}: {theirs}"
    return Plot(
        id=identity,
        title=name,
        description=f"{'; '.join(filter(None, (f'From {run.name}', errors)))}.",
        chart=lambda size: forecast_chart(run, forecast, scores, size.width, size.height),
        caption=_how_drawn(forecast, scores),
        badges=run.badges,
        table=_table(speaker, finding, forecast, scores, f"{identity}-data"),
        up=name,
        values=finding.every_value,
    )


def forecast_chart(
    run: NamedRun,
    forecast: Forecast,
    scores: ForecastErrors,
    width: int,
    height: int,
) -> Chart:
    """The line, its forecast and the best naive guess, for the first days that count."""
    first, end = _drawn(forecast, scores, MOST_DAYS if width > ROOMY else MOST_DAYS / 2)
    guess, true = scores.naive[0], forecast.true[first:end]
    start = quantity.instant(forecast.first_time)
    begin = start + timedelta(seconds=first * forecast.step_s) if start else None
    track = Track(
        days=[i * forecast.step_s / DAY_S for i in range(len(true))],
        true=true,
        predicted=forecast.predicted[first:end],
        device=run.series,
        guesses=guess.guesses[: end - first] if scores.values > 1 else (),
        naive=guess.name,
    )
    since = f"days since {quantity.day(begin)}" if begin else "days"
    return forecast_lines(track, since, width, height)


def _drawn(forecast: Forecast, scores: ForecastErrors, days: float) -> tuple[int, int]:
    """Which values are drawn: the first that count."""
    first = len(forecast.true) - max(scores.values, 2)
    steps = int(days * DAY_S / forecast.step_s) if forecast.step_s else 0
    return first, first + (min(max(steps, 2), MOST_STEPS) if steps > 1 else MOST_STEPS)


def _how_drawn(forecast: Forecast, scores: ForecastErrors) -> str:
    """The caption: an axis that leaves 0 out, and values of a model that diverged."""
    lost = sum(not drawable(value) for value in forecast.predicted)
    first, end = _drawn(forecast, scores, MOST_DAYS)
    shown = [*filter(drawable, (*forecast.true[first:end], *forecast.predicted[first:end]))]
    lowest, highest = min(shown, default=0), max(shown, default=0)
    cut = nice_ticks(lowest, highest, 4)[0] > 0
    sentences = [NOT_FROM_ZERO] if cut else []
    if lost:
        of = quantity.plural(len(forecast.predicted), "predicted value")
        sentences.append(f"{lost} of {of} not finite: diverged.")
    return " ".join(sentences)


def number_text(value: float, unit: str) -> str:
    """An error with its unit; one that no axis can hold is without bound."""
    if not drawable(value):
        return "diverged"
    return quantity.number(value) + (f"{quantity.SPACE}{label(unit, 20)}" if unit else "")


def _table(
    speaker: Speaker, finding: Finding, forecast: Forecast, scores: ForecastErrors, identity: str
) -> Table:
    value, own = finding.values[0], number_text(scores.model, forecast.unit)
    rows = [table_row("the network", own)]
    if value.interval.n > 1:
        open_ = under("undecided" * (value.verdict is Verdict.UNDECIDED))
        mean = entry(speaker.number(value), *under(speaker.interval(value), "interval"), *open_)
        rows = [table_row(f"network, seed {value.processes[0].seed}", own)]
        rows += [table_row(f"mean of {value.interval.n} seeds", mean)]
    rows += [
        table_row(guess.name, number_text(guess.error, forecast.unit)) for guess in scores.naive
    ]
    return Table(
        id=identity,
        title=f"Mean absolute error, {quantity.plural(scores.values, 'value')}",
        corner="forecast by",
        columns=number_columns(("error",)),
        groups=(RowGroup(tuple(rows)),),
    )


MOST_TEXTS = 5
"""Texts, and epochs, on a page."""


def _texts(bench: BenchmarkView) -> Iterator[Block]:
    """What a network wrote, after its epochs and at the end."""
    run = shown_run(bench, lambda record: bool(record.texts))
    if run is None:
        return
    yield Prose(run.name)
    if rows := epochs_written(run.record, MOST_TEXTS):
        yield text_by_epoch(bench, run.record, rows, "What it wrote")
    cut = " (partial run)" if run.record.status == "partial" else ""
    for number, text in enumerate(run.record.texts[:MOST_TEXTS], start=1):
        tokens = (Token(clean(text.prompt), "head"), Token(tail(written(text.text))))
        yield Code(f"Text {number}{cut}", tokens, folded=number > 1, wrapped=True)


def epochs_written(record: Record, most: int) -> list[Epoch]:
    """Epochs after which something was written: the first, the last, and others between."""
    rows = [row for row in record.epochs if row.text]
    if len(rows) <= most:
        return rows
    return [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


def text_by_epoch(
    bench: BenchmarkView, record: Record, rows: Sequence[Epoch], title: str, longest: int = 400
) -> Code:
    """What a network wrote after each of some epochs, with its prompt.

    The shares of the finding about it stand at the first epoch and the last.
    """
    speaker, epochs = Speaker(bench), record.epochs
    values = next((f.values for f in bench.findings if f.kind is Kind.WRITES), ())
    tokens: list[Token] = []
    for row in rows:
        if row.text is None:
            continue
        steps = sum(epoch.steps for epoch in epochs if epoch.epoch <= row.epoch)
        note = f"After {quantity.plural(steps, bench.words.step)}"
        shown = values[:1] if row is epochs[-1] else values[2:] if row is epochs[0] else ()
        for value in shown:
            own = row.metrics.get(value.of.part, value.number)
            note += (
                f": accuracy {speaker.number(replace(value, interval=Interval(own, nan, nan, 1)))}"
            )
            if value.interval.n > 1:
                note += f" with seed {record.cell.seed}, mean of {value.interval.n} seeds "
                note += speaker.number(value)
        break_before = "\n\n" if tokens else ""
        tokens.append(Token(f"{break_before}{note}\n", "note"))
        tokens.append(Token(clean(row.text.prompt), "head"))
        tokens.append(Token(beginning(written(row.text.text), longest)))
    return Code(title, tuple(tokens), wrapped=True)
