"""The hero of one configuration: the source's whole training, then and here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from accelreport.analysis.published import conditions
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Chart
from accelreport.report.charts.scales import plain_duration
from accelreport.report.heroes.general import rates_table, signs
from accelreport.report.heroes.hero import Hero, HeroFigure, Size
from accelreport.report.heroes.rates import (
    NamedRate,
    baseline_series,
    beside_number,
    dots_at,
    fullest_point,
    kicker,
    published_at,
    usual_numbers,
)
from accelreport.report.model import LargeNumber
from accelreport.report.pages.badges import loud_badges
from accelreport.report.view import BenchmarkView


def then_and_now_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None with a sweep, or where no source did the same work and says how much."""
    point = fullest_point(bench)
    if point is None or bench.axes or bench.words.kernel:
        return None
    sound = [e for e in published_at(bench, point) if e.found.comparable and not e.found.flags]
    examples = _examples(bench, sound)
    if examples is None:
        return None
    names = {each.name: each for each in sound}
    dots = [
        _timed(dot, examples, names.get(dot.name))
        for dot in dots_at(bench, point)
        if not dot.published or dot.name in names
    ]
    ours = [dot for dot in dots if not dot.published]
    theirs = [dot for dot in dots if dot.published]
    if not ours or not theirs:
        return None
    base = baseline_series(bench)
    own = next((dot for dot in ours if dot.device is base), ours[0])
    dots.sort(key=lambda dot: -dot.value)
    title = _title(own, theirs)
    figure = HeroFigure(
        id="then-and-now",
        title="Time for the whole training of the source",
        description="; ".join(f"{dot.name}, {dot.detail}: {dot.text}" for dot in dots) + ".",
        caption=signs(dots),
        chart=partial(_chart, dots),
        badges=loud_badges(bench),
        table=rates_table(dots, "time for the whole training"),
    )
    return Hero(
        kicker=kicker(bench),
        title=title,
        answer=_answer(own, theirs, examples),
        figures=(figure,),
        note=(
            "Published: the source’s total, or as many examples at its printed pace. Here: as "
            "many examples at the pace of the measured steps, extrapolated; evaluation and "
            "compilation are not in it."
        ),
        numbers=usual_numbers(bench, _printed(own, min(theirs, key=lambda dot: dot.value))),
        thumbnail=figure,
        sentence=f"{title}.",
    )


def _examples(bench: BenchmarkView, found: list[NamedRate]) -> float | None:
    """Examples that the source trained on in all; None where it does not say, or says several."""
    counts = set()
    for each in found:
        known = conditions(bench.plan, each.found.row)
        if known.samples and known.epochs:
            counts.add(known.samples * known.epochs)
    return counts.pop() if len(counts) == 1 else None


def _timed(dot: Dot, examples: float, published: NamedRate | None) -> Dot:
    """A row of rates as one of times."""
    value = examples / dot.value
    text, detail = formatting.duration(value), dot.detail
    total = published.found.row.total_time if published else None
    if total is not None:
        value, text = total, formatting.duration(total)
    elif not dot.published:
        detail = f"{dot.detail}, extrapolated"
    low, high = sorted((examples / dot.high, examples / dot.low))
    ends = (value, value) if dot.published else (low, high)
    return replace(dot, value=value, text=text, detail=detail, low=ends[0], high=ends[1])


def _chart(dots: list[Dot], size: Size) -> Chart:
    return dot_plot(
        dots,
        axis_title="time for the whole training",
        tick=plain_duration,
        width=size.width,
        height=size.height,
    )


def _title(own: Dot, theirs: list[Dot]) -> str:
    """Then and now: the slowest of what was slower then, else the fastest."""
    slower = [dot for dot in theirs if dot.value > own.value]
    then = max(slower, key=lambda dot: dot.value) if slower else min(theirs, key=lambda d: d.value)
    year = then.detail.removeprefix("published").strip()
    when = f"in {year}" if year.isdigit() else "then"
    return f"The same training: {then.text} {when} on {then.name}, {own.text} here"


def _printed(own: Dot, fastest: Dot) -> LargeNumber:
    """The fastest published training beside ours, by the times that the figure shows."""
    return beside_number(own.value / fastest.value, f"{fastest.name}, {fastest.detail},", own.name)


def _answer(own: Dot, theirs: list[Dot], examples: float) -> str:
    others = sorted(theirs, key=lambda dot: dot.value)
    said = [f"the {dot.name} {formatting.pace(own.value / dot.value)}" for dot in others]
    return (
        f"{formatting.count(examples)} examples in all. Beside {own.name}, as published: "
        f"{formatting.listed(said)}."
    )
