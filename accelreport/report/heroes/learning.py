"""Heroes of networks that learn: curves, mistakes, forecasts, what one writes, what 8 bits cost."""

from __future__ import annotations

from functools import partial

import numpy as np

from accelreport.report import formatting
from accelreport.report.charts.curves import Curve, told_by_dash
from accelreport.report.charts.drawing import ROOMY, THUMBNAIL, Chart, drawable
from accelreport.report.charts.paired import PLAIN, Bar, Bars, bars_in_words, paired_bars
from accelreport.report.heroes.general import paired_title, rates_figure, rates_title
from accelreport.report.heroes.hero import MOST_NUMBERS, Hero, HeroFigure, Shown, Size
from accelreport.report.heroes.rates import (
    baseline_series,
    claims_number,
    device_number,
    fullest_point,
    of_stand_ins,
    origins_of,
    stand_in,
    step_number,
    usual_numbers,
)
from accelreport.report.metrics import is_share, metric_title
from accelreport.report.model import Code, Gallery, LargeNumber, Token
from accelreport.report.pages.badges import keys, loud_badges
from accelreport.report.pages.sections.deployment import EightBits, eight_bits
from accelreport.report.pages.sections.learning import Curves, curves_of
from accelreport.report.pages.sections.predictions import (
    NamedRun,
    epochs_written,
    errors_of,
    few_mistakes,
    first_run,
    forecast_answer,
    forecast_figure,
    forecast_run,
    forecasts_of,
    mistakes,
    model_errors,
    number_text,
    text_by_epoch,
    whole_epochs,
)
from accelreport.report.text import beginning, clean, label, sentence
from accelreport.report.theme import series
from accelreport.report.view import BenchmarkView, Point, median
from accelreport.results.record import Forecast, Record

OVERFITTED = 0.10
"""A share that much lower in validation than in training is told before anything else."""
MOST_PICTURES = 12
"""Mistakes beside a chart: three rows."""
MOST_SMALL_PICTURES = 8
"""Mistakes on a card: two rows."""
PHONE_HEIGHT = 200
"""Of each panel where panels stand under one another."""

MISTAKES = "What it still gets wrong, the surest mistakes first"
"""What the pictures are, where nobody counted them."""
Ends = tuple[Point, Curve, Curve | None]
"""A sweep point with its curves of validation and of training."""


def images_hero(bench: BenchmarkView) -> Hero | None:
    """Curves and the surest mistakes; None where no mistakes were kept."""
    found = told_mistakes(bench, MOST_PICTURES)
    if found is None:
        return None
    _, small = told_mistakes(bench, MOST_SMALL_PICTURES) or found
    return _hero(bench, found, small)


def told_mistakes(bench: BenchmarkView, most: int = MOST_PICTURES) -> tuple[str, Gallery] | None:
    """The surest mistakes of its first run that kept some, under how many there are in all.

    Args:
        bench: the benchmark.
        most: pictures.

    Returns:
        A title, empty where nobody counted them, and the pictures; None where none were kept.
    """
    run = first_run(bench, lambda record: bool(record.samples))
    pictures = few_mistakes(run, most) if run else None
    if run is None or pictures is None:
        return None
    wrong = mistakes(run.record)
    if not wrong.of or not wrong.exact:
        return "", pictures
    seconds = formatting.duration(run.record.epochs[-1].elapsed_s) if run.record.epochs else ""
    images = f"{formatting.count(wrong.of)}{formatting.SPACE}{bench.words.sample}"
    after = f" after {seconds} of training" if seconds else ""
    return f"{formatting.count(wrong.count)} of {images} wrong{after}", pictures


def classes_hero(bench: BenchmarkView) -> Hero | None:
    """Curves and rates; None where nothing was timed, or the pace of pairs is the question."""
    point = fullest_point(bench)
    if point is None or paired_title(bench, point):
        return None
    return _hero(bench, (rates_title(bench, point), rates_figure(bench, point)), None)


def _hero(bench: BenchmarkView, beside: tuple[str, Shown], small: Shown | None) -> Hero | None:
    """The hero; beside the curves stands another figure, with what it shows.

    Pictures, which come with a small version, are a finding about quality as the curves are.
    """
    if not bench.quality:
        return None
    curves = curves_of(bench)
    lines = _lines(curves)
    if not lines:
        return None
    figure = curves_figure(curves, lines[-1])
    # After a single epoch there is a point and no line.
    drawn = (figure,) if figure.points > 1 else ()
    origins = origins_of(bench)
    # What a generated stand-in taught says nothing about over-fitting.
    gap = "" if "synthetic" in origins else _gap(bench, lines)
    learned = of_stand_ins(gap or _learned(curves, lines), origins)
    said, other = beside
    wrong = of_stand_ins(said, origins) if small and said else ""
    title = learned if gap else wrong or (learned if drawn or not said else said)
    answer = "; ".join(_line_text(bench, *line) for line in lines)
    return Hero(
        title=title,
        answer=f"{sentence(answer)}.",
        figures=(*drawn, other),
        note="Solid: validation, on data that the network never trains on. Dotted: training."
        * len(drawn),
        numbers=_numbers(bench, lines),
        small=small,
        findings=(learned, wrong or said or MISTAKES)[-len(drawn) - 1 :],
    )


def curves_figure(curves: Curves, small: Ends | None = None) -> HeroFigure:
    """Training against validation in the metric that the page speaks of.

    Args:
        curves: of all devices and points.
        small: what a thumbnail shows of them.
    """
    name = metric_title(f"val_{curves.metric}").removeprefix("validation ")
    lines = [line for p in curves.points(curves.metric) for line in curves.of(curves.metric, p)]
    shown = [s for s in curves.bench.shown_series if any(s == line.device for line in lines)]
    return HeroFigure(
        id="hero-curves",
        title=f"{sentence(name)}, training and validation",
        description=curves.description(curves.metric),
        chart=partial(_chart, curves, small),
        caption=f"Bands reach from the lowest seed to the highest.{curves.cut(curves.metric)}",
        badges=loud_badges(curves.bench),
        table=curves.table(curves.metric, "hero-curves-data"),
        points=max((len(line.value) for line in lines), default=0),
        keys=keys(shown, dashed=told_by_dash(shown)) if len(shown) > 1 else (),
        up=name,
    )


def _chart(curves: Curves, small: Ends | None, size: Size) -> Chart:
    points = curves.points(curves.metric)
    if small and size.width <= THUMBNAIL:
        point, validation, _ = small
        return curves.thumbnail(validation.device, point, size.width, size.height)
    one_above_another = len(points) > 1 and size.width <= ROOMY
    height = PHONE_HEIGHT if one_above_another else size.height
    return curves.chart(curves.metric, size.width, height, alone=True)


def _lines(curves: Curves) -> list[Ends]:
    """The baseline's curves at each point that is drawn."""
    series = baseline_series(curves.bench)
    found = []
    for point in curves.points(curves.metric) if series else ():
        own = [curve for curve in curves.of(curves.metric, point) if curve.device == series]
        ends = {curve.validation: curve for curve in own}
        if True in ends:
            found.append((point, ends[True], ends.get(False)))
    return found


def _gap(bench: BenchmarkView, lines: list[Ends]) -> str:
    """That training ends far above validation, where it does; empty where it does not."""
    if not is_share(bench.quality):
        return ""
    gaps = [
        (training.value[-1] - validation.value[-1], point, validation, training)
        for point, validation, training in lines
        if training
    ]
    if not gaps:
        return ""
    gap, point, validation, training = max(gaps, key=lambda each: each[0])
    if gap < OVERFITTED:
        return ""
    where = f" at {bench.point_title(point)}" if len(lines) > 1 else ""
    new = f"{bench.words.sample} never seen"
    return f"Trained to {training.end}, right in {validation.end} of {new}{where}"


def _learned(curves: Curves, lines: list[Ends]) -> str:
    pick = max if is_share(curves.metric) else min
    _, best, _ = pick(lines, key=lambda line: line[1].value[-1])
    after = f"after {formatting.duration(best.elapsed_s[-1])} of training"
    name = metric_title(f"val_{curves.metric}")
    return f"{best.end} {name} {after}" if is_share(curves.metric) else (
        f"{sentence(name)} falls to {best.end} {after}"
    )  # fmt: skip


def _line_text(
    bench: BenchmarkView, point: Point, validation: Curve, training: Curve | None
) -> str:
    where = f"at {bench.point_title(point)} " if bench.axes else ""
    trained = f", training at {training.end}," if training else ""
    series = baseline_series(bench)
    rows = bench.measured(series, point) if series else ()
    lengths = {trained_for(record) for record in map(bench.record, rows) if record}
    # Runs that a budget ended differ in their steps, and are alike in their time.
    after = [*(lengths if len(lengths) == 1 else ()), formatting.duration(validation.elapsed_s[-1])]
    return f"{where}validation ends at {validation.end}{trained} after {' and '.join(after)}"


def _numbers(bench: BenchmarkView, lines: list[Ends]) -> tuple[LargeNumber, ...]:
    point, validation, _ = lines[-1]
    seeds = max(len(bench.measured(each, point)) for each in bench.shown_series)
    over = f", median of {formatting.plural(seeds, 'seed')}" if seeds > 1 else ""
    own = LargeNumber(validation.end, f"{metric_title(bench.quality)}{bench.at(point)}{over}",
                      loud_badges(bench))  # fmt: skip
    return (own, *filter(None, (step_number(bench), device_number(bench), claims_number(bench))))


LEAST_SHARE = 0.01
"""A share below it has a decimal: it is little, and not nothing."""
MOST_EPOCHS = 3
"""Epochs whose text stands in the first screen."""
LONGEST, LONGEST_ON_A_CARD = 150, 70
"""Letters of each."""


def writing_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no run wrote anything."""
    run = first_run(bench, lambda record: bool(record.texts))
    if run is None:
        return None
    text = _text(run.record, MOST_EPOCHS, LONGEST)
    title = _title(run.record)
    told = of_stand_ins(title, [run.origin])
    figures: tuple[Shown, ...] = (text,)
    if bench.quality and (curves := curves_figure(curves_of(bench))).points > 1:
        figures = (text, curves)
    return Hero(
        title=told,
        answer=_answer(run.record),
        figures=figures,
        note=f"From {run.name}. In bold what the network had read before it wrote.",
        numbers=usual_numbers(bench),
        small=_text(run.record, 1, LONGEST_ON_A_CARD),
        findings=(told, _answer(run.record).rstrip("."))[: len(figures)],
    )


def _text(record: Record, epochs: int, longest: int) -> Code:
    """What was written, after some epochs where that was kept, the last one among them."""
    rows = epochs_written(record, epochs) if epochs > 1 else epochs_written(record, 2)[-1:]
    if rows:
        return text_by_epoch(record, rows, "", longest)
    last = record.texts[0]
    tokens = (Token(clean(last.prompt), "head"), Token(beginning(clean(last.text), longest)))
    return Code("", tokens, wrapped=True)


def _title(record: Record) -> str:
    trained, share = trained_for(record), _right(record, -1)
    if not share:
        return f"What it writes after {trained}"
    return f"After {trained} it guesses {share} of the letters that come next"


def trained_for(record: Record) -> str:
    """How long a run trained: "4 epochs", or its steps where one of them was cut short."""
    if whole_epochs(record) == len(record.epochs):
        return formatting.plural(len(record.epochs), "epoch")
    return formatting.plural(sum(epoch.steps for epoch in record.epochs), "step")


def _answer(record: Record) -> str:
    if not record.epochs:
        return "It wrote before an epoch had ended."
    seconds = formatting.duration(record.epochs[-1].elapsed_s)
    first, last = _right(record, 0), _right(record, -1)
    if not first or len(record.epochs) == 1:
        return f"This is what {seconds} of training taught it."
    return f"From {first} after the first epoch to {last}, in {seconds} of training."


def _right(record: Record, place: int) -> str:
    """The share of letters guessed rightly after an epoch; empty where that is not known."""
    if not record.epochs:
        return ""
    metrics = record.epochs[place].metrics
    share = metrics.get("val_accuracy", metrics.get("accuracy"))
    return "" if share is None else formatting.percent(share, int(0 < share < LEAST_SHARE))


MOST_SERIES = 3
"""Series whose errors stand beside one another."""


def forecast_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no run predicted a series."""
    run = forecast_run(bench)
    if run is None:
        return None
    first = forecasts_of(run)[0]
    title = forecast_title(bench, run)
    line = forecast_figure(run, first, "hero-forecast")
    groups = [_group(bench, run, each) for each in forecasts_of(run)[:MOST_SERIES]]
    errors = HeroFigure(
        id="hero-errors",
        title="Missed by, on average",
        description=bars_in_words(groups),
        caption="How far each is off on average: the shorter, the better.",
        chart=partial(_errors, groups),
        badges=run.badges,
    )
    return Hero(
        title=title,
        answer=forecast_answer(bench, run),
        figures=(line, errors),
        note=(
            "Shaded: the miss. All errors are means over the same "
            f"{formatting.plural(errors_of(run.record, first).values, 'value')} of data that the "
            "network never trained on; no guess knows more than the network did."
        ),
        numbers=_forecast_numbers(bench, run, first),
        findings=(title, _errors_title(bench, run)),
    )


def _errors_title(bench: BenchmarkView, run: NamedRun) -> str:
    """In how many of the series that are drawn the network beats every guess, in all runs.

    Of made-up series nobody wins anything, and their miss is told as it is.
    """
    if run.origin == "synthetic":
        return forecast_answer(bench, run).split(";")[0]
    shown = forecasts_of(run)[:MOST_SERIES]
    best = {each.target: errors_of(run.record, each).naive[0].error for each in shown}
    won = [
        label(each.target, 24)
        for each in shown
        if all(error < best[each.target] for error in model_errors(bench, run, each))
    ]
    of = formatting.plural(len(shown), "series", "series")
    which = f": {formatting.listed(won)}" if len(won) < len(shown) else ""
    told = f"The network beats every naive guess in {len(won)} of {of}{which}"
    none = f"In none of {of} does the network beat every naive guess"
    return of_stand_ins(told if won else none, [run.origin])


def _errors(groups: list[Bars], size: Size) -> Chart:
    return paired_bars(groups, size.width, size.height)


def _in(unit: str) -> str:
    return f" ({label(unit, 20)})" if unit else ""


def forecast_title(bench: BenchmarkView, run: NamedRun) -> str:
    """Who wins, the network or the best guess that needs none; each run must agree.

    Of made-up series nobody wins anything.
    """
    first = forecasts_of(run)[0]
    every = model_errors(bench, run, first)
    best = errors_of(run.record, first).naive[0]
    own, theirs = (number_text(value, first.unit) for value in (median(every), best.error))
    if not all(map(drawable, every)):
        return "The network diverged and forecasts nothing"
    if run.origin == "synthetic":
        told = f"the network misses by {own}, “{best.name}” by {theirs}"
    elif all(error > best.error for error in every):
        told = f"“{sentence(best.name)}” beats the network: {theirs} against {own}"
    elif all(error < best.error for error in every):
        told = f"The network beats “{best.name}”: {own} against {theirs}"
    else:
        told = f"The network is no surer than “{best.name}”: {own} against {theirs}"
    return of_stand_ins(told, [run.origin])


def _group(bench: BenchmarkView, run: NamedRun, forecast: Forecast) -> Bars:
    """Errors of one series, the median over runs before the guesses."""
    found = errors_of(run.record, forecast)
    every = [error for error in model_errors(bench, run, forecast) if drawable(error)]
    bars = [Bar(each.name, each.error, number_text(each.error), PLAIN) for each in found.naive]
    if every:
        own = median(every)
        bars.insert(0, Bar("the network", own, number_text(own), series(run.series.colour)))
    return Bars(f"{sentence(label(forecast.target, 24))}{_in(forecast.unit)}", tuple(bars))


def _forecast_numbers(
    bench: BenchmarkView, run: NamedRun, forecast: Forecast
) -> tuple[LargeNumber, ...]:
    every = model_errors(bench, run, forecast)
    found = errors_of(run.record, forecast)
    unit = forecast.unit
    name = label(forecast.target, 40)
    own = [LargeNumber(number_text(median(every), unit), f"{name}: mean miss of the network",
                       run.badges)] if all(map(drawable, every)) else []  # fmt: skip
    naive = [
        LargeNumber(number_text(n.error, unit), f"{name}: mean miss of “{n.name}”")
        for n in found.naive[:1]
    ]
    others = filter(None, (step_number(bench), device_number(bench), claims_number(bench)))
    return (*own, *naive, *others)[:MOST_NUMBERS]


def deployment_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no trained network was made 8-bit."""
    found = eight_bits(bench)
    if found is None:
        return None
    figures = found.figures()
    # Only what it says last, of the accuracy, depends on the data.
    on = stand_in(origins_of(bench))
    title = f"{found.title} on a {on}" if on else found.title
    first = found.runs[0].record.quantised
    method = f"{sentence(label(first.method, 120))}, {first.threads} thread. " if first else ""
    return Hero(
        title=title,
        answer=found.answer,
        figures=figures,
        note=f"{method}Bars: medians over seeds.",
        numbers=_eight_bit_numbers(bench, found),
        findings=(title, found.change),
    )


def _eight_bit_numbers(bench: BenchmarkView, found: EightBits) -> tuple[LargeNumber, ...]:
    numbers = []
    served = [run.record.served for run in found.runs if run.record.served]
    if served and served[0].latency_s:
        seconds = median([float(np.median(each.latency_s)) for each in served])
        text = "one answer over HTTP, from a process of its own"
        numbers.append(LargeNumber(formatting.duration(seconds), text))
        same = [each.same_class for each in served if each.same_class is not None]
        if same:
            text = f"of {formatting.count(served[0].examples)} served answers name the same class"
            numbers.append(LargeNumber(formatting.percent(min(same), 1), text))
    saved = [run.record.weights for run in found.runs if run.record.weights]
    if saved:
        largest = formatting.tiny(max(each.max_difference for each in saved))
        numbers.append(
            LargeNumber(largest, "largest difference of an answer after saving and loading weights")
        )
    return (*numbers, *filter(None, [claims_number(bench)]))
