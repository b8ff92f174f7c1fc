"""What one run's trained model predicted, took for another class, forecast or wrote."""

from __future__ import annotations

import base64
import math
import statistics
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from accelreport.analysis.learning import DAY_S, ForecastErrors, forecast_errors
from accelreport.analysis.stability import complete_epochs
from accelreport.report import formatting
from accelreport.report.charts.curves import Track, forecast_lines
from accelreport.report.charts.drawing import ROOMY, WIDE, Chart, drawable
from accelreport.report.charts.scales import nice_ticks
from accelreport.report.heroes.hero import ON_A_PHONE, HeroFigure, Size
from accelreport.report.model import (
    Badge,
    Block,
    Code,
    Column,
    Gallery,
    Picture,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Token,
    entry,
    under,
)
from accelreport.report.pages.badges import origin_badges
from accelreport.report.text import beginning, clean, label, sentence, tail
from accelreport.report.theme import share_bin
from accelreport.report.view import BenchmarkView, Series
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
        """What its data were, where that must be said."""
        return tuple(origin_badges([self.origin]))

    @property
    def origin(self) -> str:
        """Where its data are from; empty where it had none."""
        return self.record.data.origin if self.record.data else ""


def first_run(bench: BenchmarkView, has: Callable[[Record], bool]) -> NamedRun | None:
    """The first measured run of which something is true.

    Sweep points that are as the workload itself says, before it is swept, come before others.
    """
    found = [run for run in runs(bench) if has(run.record)]
    usual = [
        run
        for run in found
        if all(
            bench.plan.workload.get(axis) == value for axis, value in run.record.cell.point.items()
        )
    ]
    return next(iter(usual or found), None)


def runs(bench: BenchmarkView) -> list[NamedRun]:
    """Every measured run, in the order of the plan."""
    found = []
    for series in bench.shown_series:
        for point in bench.points:
            for row in bench.measured(series, point):
                record = bench.record(row)
                if record:
                    where = bench.at(point, ", ")
                    name = f"{series.title}{where}, seed {row.seed}"
                    found.append(NamedRun(record, series, name, bench.cell_page(row)))
    return found


LARGEST = 512
"""Rows or columns of a picture; larger ones are left out."""
MOST = 168
"""Pictures on a page, as many as S2 shows."""


def samples_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run kept predictions."""
    run = first_run(bench, lambda record: bool(record.samples))
    if run is None:
        return None
    wrong = mistakes(run.record)
    words = (
        formatting.plural(wrong.count, "mistake") if wrong.exact else f"Over {wrong.count} mistakes"
    )
    return Section("samples", f"{words}, the surest first", (gallery(run, MOST),))


@dataclass(frozen=True)
class Mistakes:
    """How many of the evaluation's examples a run got wrong.

    Attributes:
        count: wrong ones; only those that were kept where nothing says how many there are.
        of: examples that were predicted; 0 where that is not known.
        exact: whether there are no more.
    """

    count: int
    of: int
    exact: bool


def mistakes(record: Record) -> Mistakes:
    """How many of its predictions were wrong.

    Wrong ones are kept before right ones, so with a right one among the kept none is missing;
    else the accuracy of the whole evaluation says how many there are.
    """
    kept = sum(map(_wrong, record.samples))
    examples = record.data.validation_examples if record.data else 0
    cut = any(warned.kind == "samples-cut" for warned in record.warnings)
    accuracy = record.final.get("val_accuracy")
    if kept < len(record.samples) or cut or accuracy is None or not examples:
        return Mistakes(kept, 0 if cut else examples, exact=kept < len(record.samples) and not cut)
    return Mistakes(max(kept, round((1 - accuracy) * examples)), examples, exact=True)


def few_mistakes(run: NamedRun, most: int) -> Gallery | None:
    """The surest mistakes of a run; None where it has none."""
    wrong = [each for each in sorted(run.record.samples, key=_surest) if _wrong(each)][:most]
    if not wrong:
        return None
    count = mistakes(run.record)
    more = "" if count.exact else " or more"
    rule = (
        f"{len(wrong)} of {formatting.plural(count.count, 'mistake')}{more}, the surest first: "
        "true → predicted, and the probability given to it."
    )
    title = "What it gets wrong, the surest mistakes first"
    return Gallery(tuple(_picture(each) for each in wrong), rule, run.badges, title=title)


def gallery(run: NamedRun, most: int) -> Gallery:
    """Predictions of a run: wrong ones, the surest first, then right ones, the least sure first."""
    ordered = sorted(run.record.samples, key=_surest)
    shown = ordered[:most]
    wrong = mistakes(run.record)
    total = f" of {formatting.plural(wrong.of, 'image')}" if wrong.of else ""
    rule = (
        f"From {run.name}: {formatting.count(wrong.count)}{total} are wrong, here {len(shown)} of "
        f"{formatting.plural(len(ordered), 'prediction')} that the run kept: wrong ones (✗: true → "
        "predicted), the surest first, then right ones. The share is the probability that the "
        "model gave its prediction. They are chosen to show errors and say nothing about accuracy."
    )
    return Gallery(tuple(_picture(each) for each in shown), rule, run.badges, run.href)


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
    return Picture(
        source=source,
        width=width,
        height=height,
        true=label(sample.true, 30),
        predicted=label(sample.predicted, 30),
        probability=_sure(sample.probability),
        wrong=_wrong(sample),
    )


def _sure(probability: float) -> str:
    """How sure, in whole per cent; no mistake is 100 % sure."""
    text = formatting.percent(probability, 0)
    return f"over 99{formatting.SPACE}%" if text.startswith("100") and probability < 1 else text


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
        below = under(formatting.count(count) if count else "", "detail")
        entries.append(entry(text, *below, heat=shade, ramp="c", mark="small"))
    return Row(entry(_title(found.classes[number])), tuple(entries))


MOST_PAIRS = 3
"""Pairs of classes that a sentence names."""


def _finding(found: Confusion) -> str:
    """Which class was taken for which most often, to the digits that the table shows."""
    pairs = [
        (formatting.percent(count / total, 0), count / total, true, predicted)
        for true, counts in enumerate(found.counts)
        if (total := sum(counts))
        for predicted, count in enumerate(counts)
        if predicted != true and count
    ]
    if not pairs:
        return "No example was taken for another class."
    share = max(pairs, key=lambda pair: pair[1])[0]
    if share == formatting.percent(0.0, 0):
        return "No example was taken for another class often."
    most = [pair for pair in pairs if pair[0] == share]
    if len(most) > MOST_PAIRS:
        return f"No confusion stands out: {len(most)} pairs of classes are at {share}."
    named = [
        f"{label(found.classes[true], 40)} was taken for {label(found.classes[predicted], 40)}"
        for _, _, true, predicted in most
    ]
    return (
        f"Most often {formatting.listed(named)}: {share} of the former{', each' * (len(most) > 1)}."
    )


MOST_TARGETS = 6
MOST_DAYS, MOST_STEPS = 14, 336
"""Of a forecast's drawing: as much as lets a reader see every miss."""
USUAL_HORIZON = 24
"""Rows by which a forecast lies ahead where neither record nor spec says."""


def forecast_section(bench: BenchmarkView, *, opened: bool = False) -> Section | None:
    """The section; None where no run predicted a series.

    Args:
        bench: the benchmark.
        opened: whether the page begins with the drawing of the first series.
    """
    run = forecast_run(bench)
    shown = forecasts_of(run) if run else []
    if run is None or len(shown) <= opened:
        return None
    drawn = [
        forecast_figure(run, each, f"forecast-{number}").figure(Size(WIDE, 240), ON_A_PHONE)
        for number, each in enumerate(shown[opened:], start=opened)
    ]
    return Section("forecast", "Forecasts", tuple(drawn), finding=forecast_answer(bench, run))


def forecast_figure(run: NamedRun, forecast: Forecast, identity: str) -> HeroFigure:
    """What came, and what had been said of it, for the first weeks of the validation data."""
    unit = f" ({label(forecast.unit, 20)})" if forecast.unit else ""
    name = f"{sentence(label(forecast.target, 60))}{unit}"
    error = number_text(errors_of(run.record, forecast).model, forecast.unit)
    return HeroFigure(
        id=identity,
        title=f"{name}: what came, and what had been said of it",
        description=f"From {run.name}: missed by {error} on average.",
        chart=lambda size: forecast_chart(run, forecast, size.width, size.height),
        caption=_how_drawn(forecast),
        badges=run.badges,
        table=_table(run, forecast, f"{identity}-data"),
        up=name,
    )


def forecast_run(bench: BenchmarkView) -> NamedRun | None:
    """The run whose forecasts are shown; None where no run predicted a series."""
    return first_run(bench, lambda record: any(len(each.true) > 1 for each in record.forecasts))


def forecasts_of(run: NamedRun) -> list[Forecast]:
    """Its series that are shown; made-up values, such as a wind below 0, are in no unit."""
    made_up = run.record.data is not None and run.record.data.origin == "synthetic"
    shown = [each for each in run.record.forecasts if len(each.true) > 1][:MOST_TARGETS]
    return [each.model_copy(update={"unit": ""}) for each in shown] if made_up else shown


def errors_of(record: Record, forecast: Forecast) -> ForecastErrors:
    """What a forecast and the naive guesses miss by."""
    given = (record.cell.workload.get("series") or {}).get("horizon")
    return forecast_errors(forecast, given if isinstance(given, int) else USUAL_HORIZON)


def forecast_chart(run: NamedRun, forecast: Forecast, width: int, height: int) -> Chart:
    """The line, the forecast and the miss, for the first two weeks that count."""
    first = min(forecast.ignored_steps, len(forecast.true) - 2)
    days = MOST_DAYS if width > ROOMY else MOST_DAYS / 2
    steps = int(days * DAY_S / forecast.step_s) if forecast.step_s else 0
    end = first + (min(max(steps, 2), MOST_STEPS) if steps > 1 else MOST_STEPS)
    true, predicted = forecast.true[first:end], forecast.predicted[first:end]
    start = formatting.instant(forecast.first_time)
    begin = start + timedelta(seconds=first * forecast.step_s) if start else None
    track = Track(
        days=[i * forecast.step_s / DAY_S for i in range(len(true))],
        true=true,
        predicted=predicted,
        device=run.series,
    )
    since = f"days since {formatting.day(begin)}" if begin else "days"
    return forecast_lines(track, since, width, height)


def _how_drawn(forecast: Forecast) -> str:
    """What is said of values that are not drawn, and of an axis that leaves 0 out."""
    lost = sum(not drawable(value) for value in forecast.predicted)
    lowest = min(filter(drawable, (*forecast.true, *forecast.predicted)), default=0)
    highest = max(filter(drawable, (*forecast.true, *forecast.predicted)), default=0)
    cut = nice_ticks(lowest, highest, 4)[0] > 0
    said = ["The vertical axis starts near the lowest value, not at 0."] if cut else []
    if lost:
        of = formatting.plural(len(forecast.predicted), "predicted value")
        said.append(
            f"The model diverged: {lost} of {of} are no finite numbers and leave gaps in the line."
        )
    return " ".join(said)


def number_text(value: float, unit: str = "") -> str:
    """An error with its unit; one that no axis can hold is without bound."""
    if not drawable(value):
        return "no bound, because the model diverged"
    return formatting.number(value) + (f"{formatting.SPACE}{label(unit, 20)}" if unit else "")


def forecast_answer(bench: BenchmarkView, run: NamedRun) -> str:
    """What the first series is missed by, in every run, and by what without a network."""
    first = forecasts_of(run)[0]
    found = errors_of(run.record, first)
    every = model_errors(bench, run, first)
    naive = formatting.listed(
        [f"“{each.name}” by {number_text(each.error, first.unit)}" for each in found.naive]
    )
    over = f", the median of {formatting.plural(len(every), 'run')}" if len(every) > 1 else ""
    missed = number_text(median_of(every), first.unit)
    return f"{sentence(label(first.target, 60))} is missed by {missed} on average{over}; {naive}."


def model_errors(bench: BenchmarkView, run: NamedRun, forecast: Forecast) -> list[float]:
    """Mean absolute errors of a series in all runs like one: its device and sweep point."""
    return [
        errors_of(each.record, other).model
        for each in runs(bench)
        if each.series == run.series and each.record.cell.point == run.record.cell.point
        for other in each.record.forecasts
        if other.target == forecast.target and len(other.true) > 1
    ]


def median_of(errors: Sequence[float]) -> float:
    """The median; NaN where one of them has no bound and so many do that it is the median."""
    return statistics.median(value if drawable(value) else math.inf for value in errors)


def _table(run: NamedRun, forecast: Forecast, identity: str) -> Table:
    found = errors_of(run.record, forecast)
    errors = [("the network", found.model), *((each.name, each.error) for each in found.naive)]
    return Table(
        id=identity,
        title=f"Mean absolute errors over {formatting.plural(found.values, 'value')}",
        caption="The values stand in the record of the run.",
        corner="forecast by",
        columns=(Column("error", number=True),),
        groups=(
            RowGroup(
                tuple(
                    Row(entry(name), (entry(number_text(value, forecast.unit)),))
                    for name, value in errors
                )
            ),
        ),
    )


MOST_TEXTS = 5
"""Texts, and epochs, on a page."""


def generated_text_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run wrote anything."""
    run = first_run(bench, lambda record: bool(record.texts))
    if run is None:
        return None
    note = f"From {run.name}. In bold what the model had read before it began to write."
    if run.record.data and run.record.data.origin == "synthetic":
        note += (
            " It was trained on synthetic text and had nothing of the real author to learn from."
        )
    blocks: list[Block] = [Prose(note)]
    rows = epochs_written(run.record, MOST_TEXTS)
    if rows:
        blocks.append(text_by_epoch(run.record, rows, "The same prompt, epoch by epoch"))
    for number, text in enumerate(run.record.texts[:MOST_TEXTS], start=1):
        tokens = (Token(clean(text.prompt), "head"), Token(tail(text.text)))
        blocks.append(
            Code(
                f"Text {number}, when the training had ended",
                tokens,
                folded=number > 1,
                wrapped=True,
            )
        )
    return Section("writing", "What the model wrote", tuple(blocks))


def epochs_written(record: Record, most: int) -> list[Epoch]:
    """Epochs after which something was written: the first, the last, and others between."""
    rows = [row for row in record.epochs if row.text]
    if len(rows) <= most:
        return rows
    return [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


def whole_epochs(record: Record) -> int:
    """Epochs of which no step is missing."""
    return len(record.epochs if record.status == "ok" else complete_epochs(record))


def text_by_epoch(record: Record, rows: Sequence[Epoch], title: str, longest: int = 400) -> Code:
    """What was written after each of some epochs, the prompt before the first of them."""
    tokens: list[Token] = []
    for row in rows:
        if row.text is None:
            continue
        accuracy = row.metrics.get("val_accuracy", row.metrics.get("accuracy"))
        right = "" if accuracy is None else f", {formatting.percent(accuracy, 0)} of letters right"
        break_before = "\n\n" if tokens else ""
        after = "After" if row.epoch <= whole_epochs(record) else "Within"
        tokens.append(Token(f"{break_before}{after} epoch {row.epoch}{right}\n", "note"))
        tokens.append(Token(clean(row.text.prompt), "head"))
        tokens.append(Token(beginning(clean(row.text.text), longest)))
    return Code(title, tuple(tokens), wrapped=True)
