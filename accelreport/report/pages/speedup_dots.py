"""Speedups as dots with their intervals, and the numbers behind the dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accelreport.analysis.speedup import Estimate
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.charts.drawing import Make, panel
from accelreport.report.charts.speedup import Absence, Mark, speedup_dots
from accelreport.report.model import Column, Entry, Figure, Line, Row, RowGroup, Table
from accelreport.report.pages.finding import Compared, baseline_of, compared, interval_text
from accelreport.report.pages.marks import kind_text
from accelreport.report.pages.panels import device_rows, loud_badges, panel_points, panels_note

MOST_DOTS = 40
"""Rows of the drawing; with more, points are left out evenly and the caption says so."""


def dots_figure(bench: Bench, most_points: int = 0) -> Figure:
    """Speedups as dots with their intervals.

    Args:
        bench: the benchmark.
        most_points: sweep points that are drawn at most, two or more; by default as many as
            a page has room for.
    """
    others = [series for series in bench.series if not series.baseline]
    points = panel_points(bench.points, most_points or max(6, MOST_DOTS // max(len(others), 1)))
    found = {(e.series, e.point): e for e in compared(bench) if e.point in points}
    name = bench.title_of(bench.plan.baseline)
    who = f"{others[0].title}: speedup" if len(others) == 1 else "Speedup"
    said = "; ".join(
        f"{each.series.title}, {bench.point_title(each.point)}: {each.text}"
        for each in list(found.values())[:12]
    )
    panels = []
    by_baseline = _by_baseline(bench, others, found)
    for number, (baseline, own) in enumerate(by_baseline.items()):
        make = _drawn(bench, points, own, found, baseline)
        title = f"{who} over {baseline}"
        drawn = panel(make, prefix=f"sd{number or ''}", title=title, description=f"{said}.")
        several = len(by_baseline) > 1
        panels.append(replace(drawn, title=f"Over {baseline}") if several else drawn)
    return Figure(
        id="speedup-dots",
        title=f"{who} over {name}",
        caption=(
            "Marks are speedups, bars their 95 % intervals. The scale is logarithmic to base 2, "
            "so twice and half as fast lie equally far from 1×. "
            + (APART if len(panels) > 1 else "")
            + interval_text(bench)
            + panels_note(len(points), len(bench.points))
        ),
        panels=tuple(panels),
        stacked=len(panels) > 1,
        badges=loud_badges(bench),
        table=_data(bench),
    )


APART = "Each machine has its own baseline, so factors of different drawings cannot be ranked. "


def _by_baseline(
    bench: Bench, others: Sequence[Series], found: Mapping[tuple[Series, Point], Compared]
) -> dict[str, list[Series]]:
    """Devices by the baseline that they are drawn over: one drawing for each machine's."""
    drawn: dict[str, list[Series]] = {}
    for series in others:
        own = [each for (which, _), each in found.items() if which == series]
        first = next(iter([*own, *found.values()]), None)
        name = baseline_of(bench, first) if first else bench.title_of(bench.plan.baseline)
        drawn.setdefault(name, []).append(series)
    return drawn


def _drawn(
    bench: Bench,
    points: Sequence[Point],
    others: Sequence[Series],
    found: Mapping[tuple[Series, Point], Compared],
    baseline: str,
) -> Make:
    """The drawing of devices over one baseline."""
    headings, row = device_rows(bench, points, others)
    marks = [
        Mark(
            row=row(each.series, each.point),
            device=each.series,
            value=each.speedup,
            low=each.estimate.interval.low,
            high=each.estimate.interval.high,
            text=each.text,
        )
        for each in found.values()
        if each.series in others
    ]
    absences = [
        Absence(row(series, point), _why(bench, series, point))
        for point in points
        for series in others
        if (series, point) not in found
    ]
    return speedup_dots(
        marks, absences, headings=headings, axis_title=f"times as fast as {baseline} (log scale)"
    )


def _why(bench: Bench, series: Series, point: Point) -> str:
    return formatting.listed(sorted({kind_text(row) for row in bench.planned(series, point)}))


def _verdict(found: Estimate) -> str:
    text = found.verdict.lower()
    if found.needed is None:
        return text
    more = formatting.plural(found.needed, "more process", "more processes")
    return f"{text}; {more} of each would probably decide"


def _data(bench: Bench) -> Table:
    """The numbers behind the dots."""
    rows = [
        Row(
            Entry((Line(bench.point_header(each.point)),)),
            tuple(
                Entry((Line(text),))
                for text in (
                    each.series.title,
                    each.text,
                    each.between or "none",
                    f"{each.processes[0]} and {each.processes[1]}",
                    _verdict(each.estimate),
                )
            ),
        )
        for each in compared(bench)
    ]
    titles = ("device", "speedup", "95 % interval", "processes (device and baseline)", "verdict")
    return Table(
        id="speedup-data",
        title="Speedups as drawn",
        corner=bench.points_heading,
        columns=tuple(Column(title) for title in titles),
        groups=(RowGroup(tuple(rows)),),
    )
