"""The table of all speedups: benchmarks and their sweep points down, devices across."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.speedup import Speedup
from accelreport.report import formatting
from accelreport.report.frames import why_incomplete, why_withheld, withheld_text
from accelreport.report.model import Badge, Column, Download, Entry, Line, Row, RowGroup, Table
from accelreport.report.pages.badges import SINGLE, absence, number_badges
from accelreport.report.pages.headline import compared, duration_of
from accelreport.report.pages.sections.speedup import (
    estimate_heat,
    interval_lines,
    time_lines,
    verdict_badges,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series

MOST_POINTS = 4
"""Sweep points a benchmark may have and still get a row for each."""


def columns_of(benches: Sequence[BenchmarkView]) -> list[str]:
    """Every device that was measured: baselines first, then by kind and name."""
    devices = {name: device for bench in benches for name, device in bench.plan.devices.items()}
    measured = {series.device for bench in benches for series in bench.shown_series}
    baselines = {bench.plan.baseline for bench in benches}
    known = [name for name in devices if name in measured]
    return sorted(known, key=lambda name: (name not in baselines, devices[name].kind, name))


def matrix(benches: Sequence[BenchmarkView]) -> Table | None:
    """The table, benchmarks that compare devices before those that measured only one.

    What was measured nowhere has no column and no row; None where nothing was measured.
    """
    ordered = sorted(
        (bench for bench in benches if bench.shown_series), key=lambda each: not compared(each)
    )
    if not ordered:
        return None
    names = columns_of(ordered)
    first = {name: next(b for b in ordered if name in b.plan.devices) for name in names}
    columns = tuple(
        Column(first[name].title_of(name), number=True, device=first[name].colours[name])
        for name in names
    )
    return Table(
        id="speedup-matrix",
        title="How many times as fast as the baseline",
        caption=(
            "By steady time: of a training step, or of one product for a kernel. Each cell "
            "gives the factor, its 95 % interval over processes, and the baseline’s absolute "
            "time it is relative to; the baseline’s own cells give its time. Where a benchmark "
            f"has more than {MOST_POINTS} sweep points, its row is the geometric mean over "
            "them. Cells are coloured only where the interval decides; a dash stands where the "
            "benchmark does not name the device."
        ),
        corner="benchmark",
        columns=columns,
        groups=tuple(_group(bench, names) for bench in ordered),
        style="matrix",
        legend=any(each.heat is not None for each in _entries(ordered, names)),
        download=Download("speedups.csv", "CSV", "of every benchmark"),
    )


def _entries(benches: Sequence[BenchmarkView], names: Sequence[str]) -> list[Entry]:
    groups = (_group(bench, names) for bench in benches)
    return [entry for group in groups for row in group.rows for entry in row.entries]


def _group(bench: BenchmarkView, names: Sequence[str]) -> RowGroup:
    if len(bench.points) <= MOST_POINTS:
        rows = tuple(_point_row(bench, point, names) for point in bench.points)
    else:
        rows = (_summary_row(bench, names),)
    return RowGroup(
        rows,
        title=label(bench.plan.title),
        href=f"{bench.slug}.html",
        detail=f"{label(bench.plan.profile, 40)} profile",
    )


def _points_text(bench: BenchmarkView) -> str:
    return formatting.plural(len(bench.points), "sweep point") if bench.axes else "as specified"


def _not_part() -> Entry:
    return Entry((Line("–", "dash"), Line("not in this benchmark", "vh")), mark="apart")


def _best_series(bench: BenchmarkView, device: str) -> Series | None:
    """The device on the machine with most measured cells of it."""
    own = [series for series in bench.series if series.device == device]
    return max(
        own, key=lambda s: sum(len(bench.measured(s, p)) for p in bench.points), default=None
    )


def _point_row(bench: BenchmarkView, point: Point, names: Sequence[str]) -> Row:
    header = Entry((Line(bench.point_title(point)),))
    return Row(header, tuple(_entry(bench, name, point) for name in names))


def _entry(bench: BenchmarkView, device: str, point: Point) -> Entry:
    series = _best_series(bench, device)
    if series is None:
        return _not_part()
    found = bench.speedup(series, point)
    page = f"{bench.slug}.html{bench.evidence(series, point)}"
    if found is None:
        return _absent(bench, series, point, page)
    every = number_badges(bench.planned(series, point))
    badges = tuple(badge for badge in every if badge != SINGLE)
    if series.baseline:
        time = _said_in_line(time_lines(found.seconds), every)
        return Entry(time, href=page, badges=badges, mark="baseline")
    estimate = found.estimate
    if estimate is None:
        why = why_withheld(found) or why_incomplete(found)
        lines = (Line("withheld"), Line(label(why, 200), "reason"))
        return Entry(lines, href=page, badges=badges, mark="absent")
    against = Line(f"of {_baseline_time(found)}", "detail")
    badges = (*badges, *verdict_badges(estimate))
    factor = _said_in_line(interval_lines(estimate.interval), every)
    return Entry((*factor, against), href=page, badges=badges, heat=estimate_heat(estimate))


def _absent(bench: BenchmarkView, series: Series, point: Point, page: str) -> Entry:
    """Why there is no number; its outline says already that there is none."""
    gone = absence(bench, series, point)
    lines = gone.lines if gone.mark == "failed" else gone.lines[1:]
    return Entry(lines, href=page, mark=gone.mark)


def _said_in_line(lines: tuple[Line, Line], badges: Sequence[Badge]) -> tuple[Line, Line]:
    """One process stands where its interval would: a badge more would double every row."""
    value, interval = lines
    return value, Line("one process", interval.role) if SINGLE in badges else interval


def _baseline_time(found: Speedup) -> str:
    """The time a speedup is relative to, with the digits of the baseline's own cell."""
    return duration_of(found.base.seconds(found.rules.each)) if found.base else ""


def _summary_row(bench: BenchmarkView, names: Sequence[str]) -> Row:
    header = Entry((Line(_points_text(bench)), Line("geometric mean", "reason")))
    return Row(header, tuple(_summary_entry(bench, name) for name in names))


def _summary_entry(bench: BenchmarkView, device: str) -> Entry:
    series = _best_series(bench, device)
    if series is None:
        return _not_part()
    page = f"{bench.slug}.html#speedup"
    found = bench.overall.get((device, series.machine))
    if found is None or (found.estimate is None and not found.withheld):
        return _absent(bench, series, bench.points[0], page)
    every = [each for point in bench.points for each in bench.planned(series, point)]
    badges = tuple(badge for badge in number_badges(every) if badge != SINGLE)
    why = formatting.listed(list(dict.fromkeys(withheld_text(each) for each in found.withheld)))
    if found.estimate is None:
        lines = (Line("withheld"), Line(label(why, 200), "reason"))
        return Entry(lines, href=page, badges=badges, mark="absent")
    base = formatting.duration(found.baseline_seconds)
    if series.baseline:
        lines = (Line(base), Line(_points_text(bench), "interval"))
        return Entry(lines, href=page, badges=badges, mark="baseline")
    estimate = found.estimate
    spread = formatting.ratio_interval(found.smallest, found.largest, estimate.interval.value)
    points = "" if found.points == len(bench.points) else f", {found.points} points"
    details = [Line(f"of {base}", "detail"), Line(f"{spread} by point{points}", "detail")]
    if why:
        details.append(Line(f"withheld elsewhere: {label(why, 200)}", "reason"))
    heat = estimate_heat(estimate)
    return Entry(
        (*interval_lines(estimate.interval), *details), href=page, badges=badges, heat=heat
    )
