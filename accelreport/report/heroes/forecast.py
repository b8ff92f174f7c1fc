"""The hero of a forecast: the line, the miss, and the guesses that it has to beat."""

from __future__ import annotations

from functools import partial

from accelreport.report import formatting
from accelreport.report.charts.drawing import Chart, drawable
from accelreport.report.charts.paired import PLAIN, Bar, Bars, paired_bars
from accelreport.report.heroes.hero import MOST_NUMBERS, Hero, HeroFigure, Size
from accelreport.report.heroes.rates import (
    claims_number,
    device_number,
    kicker,
    of_stand_ins,
    step_number,
)
from accelreport.report.model import LargeNumber
from accelreport.report.pages.sections.predictions import (
    NamedRun,
    errors_of,
    forecast_answer,
    forecast_figure,
    forecast_run,
    forecasts_of,
    model_errors,
    number_text,
)
from accelreport.report.text import label, sentence
from accelreport.report.theme import series
from accelreport.report.view import BenchmarkView, median
from accelreport.results.record import Forecast

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
        description="; ".join(
            f"{group.title}: " + ", ".join(f"{bar.name} {bar.text}" for bar in group.bars)
            for group in groups
        ),
        caption="How far each is off on average: the shorter, the better.",
        chart=partial(_errors, groups),
        badges=run.badges,
    )
    return Hero(
        kicker=kicker(bench),
        title=title,
        answer=forecast_answer(bench, run),
        figures=(line, errors),
        note=(
            "Shaded: the miss. All errors are means over the same "
            f"{formatting.plural(errors_of(run.record, first).values, 'value')} of data that the "
            "network never trained on; no guess knows more than the network did."
        ),
        numbers=_numbers(bench, run, first),
        thumbnail=line,
        sentence=f"{title}.",
        findings=(title, _errors_title(bench, run)),
    )


def _errors_title(bench: BenchmarkView, run: NamedRun) -> str:
    """In how many of the series that are drawn the network beats every guess, in all runs.

    Of made-up series nobody wins anything, and their miss is told as it is.
    """
    origin = run.record.data.origin if run.record.data else ""
    if origin == "synthetic":
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
    return of_stand_ins(told if won else none, [origin])


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
    origin = run.record.data.origin if run.record.data else ""
    if origin == "synthetic":
        told = f"the network misses by {own}, “{best.name}” by {theirs}"
    elif all(error > best.error for error in every):
        told = f"“{sentence(best.name)}” beats the network: {theirs} against {own}"
    elif all(error < best.error for error in every):
        told = f"The network beats “{best.name}”: {own} against {theirs}"
    else:
        told = f"The network is no surer than “{best.name}”: {own} against {theirs}"
    return of_stand_ins(told, [origin])


def _group(bench: BenchmarkView, run: NamedRun, forecast: Forecast) -> Bars:
    """Errors of one series, the median over runs before the guesses."""
    found = errors_of(run.record, forecast)
    every = [error for error in model_errors(bench, run, forecast) if drawable(error)]
    bars = [Bar(each.name, each.error, number_text(each.error), PLAIN) for each in found.naive]
    if every:
        own = median(every)
        bars.insert(0, Bar("the network", own, number_text(own), series(run.series.colour)))
    return Bars(f"{sentence(label(forecast.target, 24))}{_in(forecast.unit)}", tuple(bars))


def _numbers(bench: BenchmarkView, run: NamedRun, forecast: Forecast) -> tuple[LargeNumber, ...]:
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
    others = (step_number(bench), device_number(bench), claims_number(bench))
    return (*own, *naive, *(each for each in others if each is not None))[:MOST_NUMBERS]
