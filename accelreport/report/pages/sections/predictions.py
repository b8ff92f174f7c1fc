"""What one run's trained model predicted, took for another class, forecast or wrote."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from accelreport.report import formatting
from accelreport.report.charts.drawing import drawable, panel
from accelreport.report.charts.forecast import Track, forecast_lines, thinned
from accelreport.report.model import (
    Badge,
    Block,
    Code,
    Column,
    Entry,
    Figure,
    Gallery,
    Key,
    Line,
    Panel,
    Picture,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Token,
)
from accelreport.report.pages.badges import origin_badges
from accelreport.report.text import clean, label, sentence, tail
from accelreport.report.theme import share_bin
from accelreport.report.view import BenchmarkView, Series
from accelreport.results.record import Confusion, Forecast, Record, Sample


@dataclass(frozen=True)
class Run:
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
        """What its data were, where that must be said."""
        return tuple(origin_badges([self.record.data.origin if self.record.data else ""]))


def first_run(bench: BenchmarkView, has: Callable[[Record], bool]) -> Run | None:
    """The first measured run, in the order of the plan, of which something is true."""
    for run in runs(bench):
        if has(run.record):
            return run
    return None


def runs(bench: BenchmarkView) -> list[Run]:
    """Every measured run, in the order of the plan."""
    found = []
    for series in bench.shown_series:
        for point in bench.points:
            for row in bench.measured(series, point):
                record = bench.record(row)
                if record:
                    where = f", {bench.point_title(point)}" if bench.axes else ""
                    name = f"{series.title}{where}, seed {row.seed}"
                    found.append(Run(record, series, name, bench.cell_page(row)))
    return found


LARGEST = 512
"""Rows or columns of a picture; larger ones are left out."""
MOST = 168
"""Pictures on a page."""


def samples_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run kept predictions."""
    run = first_run(bench, lambda record: bool(record.samples))
    if run is None:
        return None
    record = run.record
    ordered = sorted(record.samples, key=lambda each: (each.true == each.predicted, each.index))
    shown = ordered[:MOST]
    wrong = sum(each.true != each.predicted for each in record.samples)
    rule = (
        f"From {run.name}: {len(shown)} of {formatting.plural(len(record.samples), 'prediction')} "
        f"kept by the run, wrong ones first, then in the order of the evaluation data; {wrong} "
        "are wrong. They are chosen to show errors, so their share says nothing about accuracy. "
        "Under each picture the true label (✗: true → predicted) and the probability given to "
        "the prediction."
    )
    gallery = Gallery(tuple(_picture(each) for each in shown), rule, run.badges, run.href)
    return Section("samples", "Predictions, wrong ones first", (gallery,))


def _picture(sample: Sample) -> Picture:
    source, width, height = "", 0, 0
    pixels = _pixels(sample)
    if pixels is not None:
        height, width = sample.shape[0], sample.shape[1]
        source = "data:image/png;base64," + base64.b64encode(grey_png(pixels, width)).decode()
    return Picture(
        source=source,
        width=width,
        height=height,
        true=label(sample.true, 30),
        predicted=label(sample.predicted, 30),
        probability=formatting.percent(sample.probability, 1),
        wrong=sample.true != sample.predicted,
    )


def _pixels(sample: Sample) -> bytes | None:
    """The bytes of a picture; None where there is none or it is not what it says."""
    if len(sample.shape) != 2 or not all(0 < side <= LARGEST for side in sample.shape):
        return None
    try:
        pixels = base64.b64decode(sample.pixels, validate=True)
    except ValueError:
        return None
    return pixels if len(pixels) == sample.shape[0] * sample.shape[1] else None


def grey_png(pixels: bytes, width: int) -> bytes:
    """A grey 8-bit PNG of pixels given row by row (the format of RFC 2083)."""
    height = len(pixels) // width
    lines = b"".join(b"\0" + pixels[row * width : (row + 1) * width] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


MOST_CLASSES = 20
"""Classes of a table; a larger one could not be read."""


def confusion_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run counted classes, or too many of them."""
    run = first_run(bench, lambda record: record.confusion is not None)
    found = run.record.confusion if run else None
    if run is None or found is None or not 2 <= len(found.classes) <= MOST_CLASSES:
        return None
    rows = tuple(_row(found, number) for number in range(len(found.classes)))
    table = Table(
        id="confusion-table",
        title="True classes down, predicted classes across",
        caption=(
            f"From {run.name}, the last evaluation. Each row adds up to 100 %; under each share "
            "is the count. The diagonal is right."
        ),
        corner="true class",
        columns=(*(Column(_title(name), number=True) for name in found.classes),),
        groups=(RowGroup(rows),),
        style="matrix",
        badges=run.badges,
    )
    return Section("confusion", "What was taken for what", (table,), finding=_finding(found))


def _title(name: str) -> str:
    """The name of a class; a long one may be broken after an underscore, so that all fit."""
    return label(name, 40).replace("_", "_\N{ZERO WIDTH SPACE}")


def _row(found: Confusion, number: int) -> Row:
    counts = found.counts[number]
    total = sum(counts)
    entries = []
    for count in counts:
        share = count / total if total else 0.0
        shade = share_bin(share) if count else None
        text = formatting.percent(share, 0) if count else "–"
        lines = (Line(text), Line(formatting.count(count), "detail")) if count else (Line(text),)
        entries.append(Entry(lines, heat=shade, ramp="c", mark="small"))
    return Row(Entry((Line(_title(found.classes[number])),)), tuple(entries))


def _finding(found: Confusion) -> str:
    pairs = [
        (count / total, true, predicted)
        for true, counts in enumerate(found.counts)
        if (total := sum(counts))
        for predicted, count in enumerate(counts)
        if predicted != true and count
    ]
    if not pairs:
        return "No example was taken for another class."
    share, true, predicted = max(pairs)
    return (
        f"Most often {label(found.classes[true], 40)} was taken for "
        f"{label(found.classes[predicted], 40)}: {formatting.percent(share, 0)} of the former."
    )


MOST_TARGETS = 6
DAY_S = 86_400.0


def forecast_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run predicted a series."""
    run = first_run(bench, lambda record: bool(record.forecasts))
    if run is None:
        return None
    shown = [each for each in run.record.forecasts if len(each.true) > 1][:MOST_TARGETS]
    if not shown:
        return None
    every = -(-max(len(each.true) for each in shown) // 500)
    figure = Figure(
        id="forecasts",
        title="What was, and what the model said a while before",
        subtitle=f"From {run.name}, the beginning of the validation data.",
        caption=(
            "The grey line is what was measured, the coloured one the prediction for the same "
            "moment. In the shaded part the model had seen too little; its loss leaves that out."
            + (" Axes of values start near the lowest one, not at 0." if _cut(shown) else "")
            + (f" One value in {every} is drawn." if every > 1 else "")
            + _gaps(shown)
        ),
        panels=tuple(_panel(run, each, number) for number, each in enumerate(shown)),
        keys=(
            Key("measured", "soft", "bar"),
            Key(f"predicted on {run.series.title}", run.series.css),
        ),
        badges=run.badges,
        table=_table(shown),
        stacked=True,
    )
    return Section("forecast", "Forecasts", (figure,), finding=_forecast_finding(shown))


def _panel(run: Run, forecast: Forecast, number: int) -> Panel:
    kept = thinned(len(forecast.true))
    track = Track(
        days=tuple(i * forecast.step_s / DAY_S for i in kept),
        true=tuple(forecast.true[i] for i in kept),
        predicted=tuple(forecast.predicted[i] for i in kept),
        warm_up_days=forecast.ignored_steps * forecast.step_s / DAY_S,
        device=run.series,
    )
    unit = f" ({label(forecast.unit, 20)})" if forecast.unit else ""
    title = f"{sentence(label(forecast.target, 60))}{unit}"
    start = formatting.instant(forecast.first_time)
    since = f"days since {formatting.day(start)}" if start else "days"
    drawn = panel(
        forecast_lines(track, axis_title=since),
        prefix=f"fc{number}",
        title=f"{title}: measured and predicted",
        description=f"Mean absolute error {_number(_error(forecast))} after the shaded part.",
    )
    return Panel(drawn.wide, drawn.narrow, title=title)


def _gaps(shown: list[Forecast]) -> str:
    """How many predicted values are not drawn, because no axis can hold them."""
    predicted = [value for each in shown for value in each.predicted]
    lost = sum(not drawable(value) for value in predicted)
    if not lost:
        return ""
    return (
        f" The model diverged: {lost} of {formatting.plural(len(predicted), 'predicted value')} "
        "are no finite numbers and leave gaps in the line."
    )


def _cut(shown: list[Forecast]) -> bool:
    """Whether an axis leaves 0 out."""
    lowest = (min(filter(drawable, (*each.true, *each.predicted)), default=0) for each in shown)
    return any(value > 0 for value in lowest)


def _error(forecast: Forecast) -> float:
    """Mean absolute error after the ignored steps; of all where nothing is left."""
    pairs = list(zip(forecast.true, forecast.predicted, strict=True))
    counted = pairs[forecast.ignored_steps :] or pairs
    return sum(abs(true - said) for true, said in counted) / len(counted)


def _naive(forecast: Forecast) -> float:
    """The error of always saying the mean of what was: what a model has to beat."""
    counted = forecast.true[forecast.ignored_steps :] or forecast.true
    mean = sum(counted) / len(counted)
    return sum(abs(value - mean) for value in counted) / len(counted)


def _number(value: float) -> str:
    return formatting.number(value)


def _forecast_finding(shown: list[Forecast]) -> str:
    first = shown[0]
    unit = f"{formatting.SPACE}{label(first.unit, 20)}" if first.unit else ""
    error = _error(first)
    if drawable(error):
        missed = f"missed by {_number(error)}{unit} on average"
    else:
        missed = "missed without bound, because the model diverged"
    return (
        f"{sentence(label(first.target, 60))} is {missed}; always saying its mean would miss by "
        f"{_number(_naive(first))}{unit}."
    )


def _table(shown: list[Forecast]) -> Table:
    rows = tuple(
        Row(
            Entry((Line(label(each.target, 60)),)),
            tuple(
                Entry((Line(text),))
                for text in (
                    label(each.unit, 20) or "–",
                    _number(_error(each)),
                    _number(_naive(each)),
                    formatting.count(len(each.true)),
                )
            ),
        )
        for each in shown
    )
    titles = ("unit", "mean absolute error", "error of saying the mean", "values")
    return Table(
        id="forecast-data",
        title="Errors of the forecasts",
        caption="Each value stands in the record of the run.",
        corner="target",
        columns=tuple(Column(title, number=i > 0) for i, title in enumerate(titles)),
        groups=(RowGroup(rows),),
    )


MOST_TEXTS = 5


def generated_text_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run wrote anything."""
    run = first_run(bench, lambda record: bool(record.texts))
    if run is None:
        return None
    synthetic = bool(run.record.data and run.record.data.origin == "synthetic")
    note = f"From {run.name}. In bold what the model had read before it began to write."
    if synthetic:
        note += (
            " It was trained on synthetic text and had nothing of the real author to learn from."
        )
    blocks: list[Block] = [Prose(note)]
    for number, text in enumerate(run.record.texts[:MOST_TEXTS], start=1):
        tokens = (Token(clean(text.prompt), "head"), Token(tail(text.text)))
        blocks.append(Code(f"Text {number}", tokens, wrapped=True))
    return Section("writing", "What the model wrote", tuple(blocks))
