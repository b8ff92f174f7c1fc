"""Openings of networks that learn: curves, mistakes, forecasts, what one writes, int8."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.findings import Finding, Kind
from accelreport.report.charts.drawing import drawable
from accelreport.report.charts.paired import PLAIN, Bar, Bars, bars_in_words, paired_bars
from accelreport.report.model import Code, Gallery, Token
from accelreport.report.openings.opening import Plot, Scene
from accelreport.report.pages.sections.deployment import int8_plot
from accelreport.report.pages.sections.learning import curves_of
from accelreport.report.pages.sections.predictions import (
    epochs_written,
    few_mistakes,
    forecast_plots,
    shown_run,
    text_by_epoch,
)
from accelreport.report.say import Speaker
from accelreport.report.say_learning import naive_name
from accelreport.report.text import beginning, clean, label, sentence, written
from accelreport.report.theme import series
from accelreport.report.view import BenchmarkView

MOST_PICTURES = 12
"""Mistakes beside a chart: three rows."""
MOST_EPOCHS, LONGEST = 3, 150
"""Epochs whose text stands in the first screen, and letters of each."""


def quality_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Curves of training and validation, and the surest mistakes; the figure of the title first."""
    mistakes = finding if finding.kind is Kind.MISCLASSIFIED else _next(bench, Kind.MISCLASSIFIED)
    pictures = few_mistakes(bench, mistakes, MOST_PICTURES) if mistakes else None
    beside = (Scene(mistakes, pictures),) if mistakes and pictures else ()
    if mistakes is finding:
        return (*beside, *_curves(bench, _next(bench, Kind.OVERFITS, Kind.LEARNS)))
    return (*_curves(bench, finding), *beside)


def _next(bench: BenchmarkView, *kinds: Kind) -> Finding | None:
    """The first finding of some kinds."""
    return next((finding for finding in bench.findings if finding.kind in kinds), None)


def _curves(bench: BenchmarkView, finding: Finding | None) -> tuple[Scene, ...]:
    if finding is None:
        return ()
    curves = curves_of(bench)
    plot = curves.plot(curves.metrics[0], finding.values[0].of.point, finding)
    return (Scene(finding, plot),) if plot else ()


def writing_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """What a network wrote after some epochs, and its curves."""
    run = shown_run(bench, lambda record: bool(record.texts))
    if run is None:
        return ()
    record = run.record
    rows = epochs_written(record, MOST_EPOCHS)
    text = text_by_epoch(bench, record, rows, "", LONGEST)
    if not rows:
        last = record.texts[0]
        tokens = (Token(clean(last.prompt), "head"), Token(beginning(written(last.text), LONGEST)))
        text = Code("", tokens, wrapped=True)
    return (Scene(finding, text), *_curves(bench, _next(bench, Kind.LEARNS)))


def forecast_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """The forecast of one series and, of several, the errors of all."""
    (first, *_) = forecast_plots(bench)
    findings = [other for other in bench.findings if other.kind is Kind.FORECAST]
    if len(findings) < 2:
        return (Scene(finding, first),)
    every = Finding(Kind.FORECAST, tuple(other.values[0] for other in findings))
    return (Scene(finding, first), Scene(every, _errors(bench, findings)))


def _errors(bench: BenchmarkView, findings: Sequence[Finding]) -> Plot:
    """Mean absolute errors of the network and of the best naive guess, series by series."""
    speaker, groups = Speaker(bench), []
    for finding in findings:
        own, base = finding.values[0], finding.base
        colour = series(bench.colours[own.of.device])
        bars = [Bar("the network", own.number, speaker.number(own), colour)]
        bars = bars if drawable(own.number) else []
        if base:
            bars.append(Bar(naive_name(base), base.number, speaker.number(base), PLAIN))
        groups.append(Bars(sentence(label(own.of.part, 24)), tuple(bars)))
    return Plot(
        id="forecast-errors",
        title="Mean absolute error",
        description=bars_in_words(groups),
        chart=lambda size: paired_bars(groups, size.width, size.height),
        caption="The shorter, the better.",
        values=tuple(
            value for f in findings for value in (*f.values, *([f.base] if f.base else []))
        ),
    )


def int8_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """The network in both arithmetics, and its curves."""
    plot = int8_plot(bench)
    both = (Scene(finding, plot),) if plot else ()
    return (*both, *_curves(bench, _next(bench, Kind.LEARNS)))


QUALITY_FORMS = {
    Kind.LEARNS: quality_scenes,
    Kind.OVERFITS: quality_scenes,
    Kind.MISCLASSIFIED: quality_scenes,
    Kind.WRITES: writing_scenes,
    Kind.FORECAST: forecast_scenes,
    Kind.INT8: int8_scenes,
}
"""Kind of the title's finding → the form of its figures."""


def pictures_of(scenes: Sequence[Scene]) -> Gallery | Code | None:
    """What a card shows of an opening: its pictures, or what a network wrote last."""
    for scene in scenes:
        if isinstance(scene.shown, Gallery):
            return scene.shown
        if isinstance(scene.shown, Code):
            return Code("", scene.shown.tokens[-2:], wrapped=True)
    return None
