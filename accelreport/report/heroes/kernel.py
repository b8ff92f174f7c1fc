"""The hero of a kernel: what each device computes against what its chip can do at most."""

from __future__ import annotations

from dataclasses import replace

from accelreport.analysis.ceilings import own_limits
from accelreport.analysis.compute import Peak, peak_for, peak_of_hardware
from accelreport.analysis.results import matches
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot
from accelreport.report.heroes.general import rates_figure, rates_title
from accelreport.report.heroes.hero import Hero
from accelreport.report.heroes.rates import (
    dots_at,
    fullest_point,
    kicker,
    published_at,
    usual_numbers,
)
from accelreport.report.heroes.sweep import devices_title
from accelreport.report.pages.hardware import environment_of, peak_of
from accelreport.report.pages.headline import headline
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series


def kernel_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no limit is known of anything."""
    point = fullest_point(bench) if bench.words.kernel else None
    if point is None:
        return None
    dots = [_limited(bench, dot, point) for dot in dots_at(bench, point)]
    if not any(dot.limit for dot in dots):
        return None
    above = [dot for dot in dots if dot.published and dot.limit and dot.value > dot.limit]
    told = devices_title(bench)
    title = _title(bench, point, dots, above) if above or not told else told
    figure = rates_figure(bench, point, dots, ", against what the chip can do")
    figure = replace(
        figure, caption=f"Grey: what the chip can do; red: beyond it. {figure.caption}"
    )
    return Hero(
        kicker=kicker(bench),
        title=title,
        answer=_answer(dots, above) if above or not told else headline(bench),
        figures=(figure,),
        note=(
            "Peaks are by the makers’ sheets; where none is cited, the roof is what this machine’s "
            "own product of matrices reached on a thread, times its threads."
        ),
        numbers=usual_numbers(bench),
        thumbnail=figure,
        sentence=f"{title}.",
    )


def _limited(bench: BenchmarkView, dot: Dot, point: Point) -> Dot:
    """The row with the limit of its chip, where one is known."""
    peak = _published_peak(bench, dot, point) if dot.published else _own_peak(bench, dot, point)
    if peak is None:
        return dot
    limit, what = peak
    text = f"{what} {formatting.number(limit)}"
    share = f"{formatting.percent(dot.value / limit, 0)} of its {what}"
    if dot.value > limit:
        share = f"{formatting.ratio(dot.value / limit)} its {what}"
    return replace(dot, limit=limit, limit_text=text, share=share)


def _own_peak(bench: BenchmarkView, dot: Dot, point: Point) -> tuple[float, str] | None:
    series = dot.device
    if not isinstance(series, Series):
        return None
    peak = peak_of(bench, series, point)
    if peak is not None:
        return peak.tflops, "peak"
    environment = environment_of(bench, series, point)
    if environment is None or bench.plan.devices[series.device].kind != "CPU":
        return None
    values = {**bench.plan.workload, **dict(zip(bench.axes, point, strict=True))}
    own = own_limits(environment, str(values.get("dtype", "")))
    return (own.peak.tflops, "own roof") if own and own.peak else None


def _published_peak(bench: BenchmarkView, dot: Dot, point: Point) -> tuple[float, str] | None:
    found = next(each for each in published_at(bench, point) if each.name == dot.name)
    row = found.found.row
    values = dict(zip(bench.axes, point, strict=True))
    at = {**bench.plan.workload, **(values if matches(values, found.found.where) else {})}
    dtype = str(at.get("dtype", ""))
    device = bench.plan.devices.get(row.device)
    peak: Peak | None = peak_of_hardware(row.hardware or row.label, dtype)
    peak = peak or (peak_for(device, dtype) if device else None)
    return (peak.tflops, "peak") if peak else None


def _title(bench: BenchmarkView, point: Point, dots: list[Dot], above: list[Dot]) -> str:
    if above:
        count = len(above)
        who = "One published figure is" if count == 1 else f"{_word(count)} published figures are"
        return f"{who} faster than the chip can be"
    own = [dot for dot in dots if not dot.published and dot.limit]
    if not own:
        return rates_title(bench, point)
    best = max(own, key=lambda dot: dot.value / (dot.limit or 1.0))
    share = formatting.percent(best.value / (best.limit or 1.0), 0)
    return f"{sentence(best.name)} reaches {share} of its {best.limit_text.rsplit(' ', 1)[0]}"


_WORDS = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def _word(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else formatting.count(count)


def _answer(dots: list[Dot], above: list[Dot]) -> str:
    own = next((dot for dot in dots if not dot.published), None)
    said = []
    if own is not None:
        said.append(sentence(f"{own.name} computes {own.text} TFLOPS here."))
    for dot in above[:2]:
        over = formatting.ratio(dot.value / (dot.limit or 1.0))
        said.append(f"{sentence(dot.name)}: {dot.text} printed, {over} its {dot.limit_text}.")
    return " ".join(said)
