"""Step times as distributions, because a mean hides stalls and two modes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.speed_findings import rate_of
from accelreport.analysis.stats import percentile
from accelreport.report import quantity
from accelreport.report.charts.ecdf import (
    QUANTILES,
    Distribution,
    quantiles,
    starts_late,
    step_ecdf,
)
from accelreport.report.model import Download, Figure, Row, Section, Table, number_columns
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.badges import groups_by_point, keys, loud_badges, measured_row
from accelreport.report.say_run import step_tail
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, SeriesPoint, Times, step_times

FEWEST = 8
"""Timed steps below which a distribution is not drawn."""


def steps_section(bench: BenchmarkView) -> Section | None:
    """The section; None where too few steps were timed one by one."""
    times, exact = step_times(bench)
    times = {place: values for place, values in times.items() if len(values) >= FEWEST}
    if not times:
        return None
    tails = {place: late for place, values in times.items() if (late := _tail(values))}
    worst = max(tails, key=lambda place: tails[place], default=None)
    figure = _figure(bench, times, worst[1] if worst else next(iter(times))[1], exact=exact)
    found = (
        step_tail(bench, worst, tails[worst])
        if worst
        else (f"too few {bench.words.step}s for a 99th percentile")
    )
    title = f"{sentence(bench.words.step)} times: {found}"
    return Section("steps", title, (figure,), folded=not bench.words.calls)


def _tail(values: NDArray[np.float64]) -> float | None:
    late = percentile(values, 0.99)
    return None if late is None else late / float(np.median(values))


def _figure(bench: BenchmarkView, times: Times, point: Point, *, exact: bool) -> Figure:
    """Distributions at one sweep point: that of the longest tail, which the finding tells."""
    points = len({where for _, where in times})
    own = {series: values for (series, where), values in times.items() if where == point}
    curves = [Distribution(series, quantiles(values)) for series, values in own.items()]
    unit = f"single {bench.words.step}s" if exact else f"blocks of {bench.words.step}s"
    title = f"Distribution of {bench.words.step} times"
    where = bench.at(point)
    said = "; ".join(
        f"{each.device.title}: median {quantity.duration(each.median)}" for each in curves
    )
    return Plot(
        id="step-ecdf",
        title=f"{title}{where}",
        description=f"{said}.",
        chart=lambda size: step_ecdf(
            curves, axis_title=f"{bench.words.step} time", width=size.width
        ),
        subtitle=f"Up: share of {bench.words.step}s up to that time. Across: time.",
        caption=(
            (
                f"Empirical distribution of {unit} after the warm-up, over all processes, drawn "
                f"through {QUANTILES} quantiles. The steeper the line, the steadier the {unit}. "
                "The axis ends just beyond the 99th percentile of the slowest; the table gives "
                "the longest."
            )
            + (" It does not start at 0." if starts_late(curves) else "")
            + (f" One of {points} sweep points is drawn; the table has all." if points > 1 else "")
        ),
        keys=keys(list(own)),
        badges=loud_badges(bench),
        table=percentile_table(bench, times),
    ).figure(Size(400, 0))


def percentile_table(bench: BenchmarkView, times: Times) -> Table:
    """Percentiles of the steps of every device and point, each with the number of its steps.

    A percentile stands there only where enough steps were timed to know it (`percentile`).
    """
    titles = [f"{bench.words.step}s", "p5", "median", "p95", "p99", "longest"]
    titles += [f"{bench.words.sample}/s"] if bench.words.calls else []
    return Table(
        id="step-table",
        title=f"Percentiles of {bench.words.step} times",
        corner="device",
        columns=number_columns(titles),
        groups=groups_by_point(
            bench,
            lambda point: (_row(bench, each, times[each]) for each in times if each[1] == point),
        ),
        download=Download(f"{bench.slug}/steps.csv", "CSV", "every timed step"),
    )


def _row(bench: BenchmarkView, place: SeriesPoint, values: NDArray[np.float64]) -> Row:
    shown = [percentile(values, share) for share in (0.05, 0.5, 0.95, 0.99, 1)]
    texts = [quantity.count(len(values)), *map(quantity.duration, shown)]
    if bench.words.calls:
        row = bench.speedup(*place)
        rate = rate_of(row.own) if row else None
        texts.append(quantity.number(rate.number) if rate else quantity.MISSING)
    return measured_row(bench, place, texts)
