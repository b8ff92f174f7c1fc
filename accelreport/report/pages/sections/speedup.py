"""Speedups: the section, its table (device × sweep point), and what the cells of it say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accelreport.analysis.speedup import Estimate, Speedup
from accelreport.analysis.stats import DECIDED, Interval
from accelreport.report import formatting
from accelreport.report.charts.drawing import Make, panel
from accelreport.report.charts.speedup import Absence, Mark, speedup_dots
from accelreport.report.frames import why_incomplete, why_withheld
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Figure,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.badges import absence, kind_text, number_badges
from accelreport.report.pages.headline import (
    Compared,
    baseline_of,
    compared,
    duration_of,
    interval_text,
)
from accelreport.report.pages.panels import (
    device_rows,
    groups_corner,
    loud_badges,
    panel_points,
    panels_note,
    point_groups,
)
from accelreport.report.text import label
from accelreport.report.theme import heat_bin
from accelreport.report.view import BenchmarkView, Point, Series

MOST_DOTS = 40
"""Rows of the drawing; with more, points are left out evenly and the caption says so."""


def dots_figure(bench: BenchmarkView) -> Figure:
    """Speedups as dots with their intervals."""
    others = [series for series in bench.series if not series.baseline]
    points = panel_points(bench.points, max(6, MOST_DOTS // max(len(others), 1)))
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
    bench: BenchmarkView, others: Sequence[Series], found: Mapping[tuple[Series, Point], Compared]
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
    bench: BenchmarkView,
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


def _why(bench: BenchmarkView, series: Series, point: Point) -> str:
    return formatting.listed(sorted({kind_text(row) for row in bench.planned(series, point)}))


def _verdict(found: Estimate) -> str:
    text = found.verdict.lower()
    if found.needed is None:
        return text
    more = formatting.plural(found.needed, "more process", "more processes")
    return f"{text}; {more} of each would probably decide"


def _data(bench: BenchmarkView) -> Table:
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


VERDICTS = {
    "SAME": Badge("same", "The whole interval lies within 3 % of 1×.", "quiet"),
    "UNDECIDED": Badge("undecided", "The interval holds 1×, or there is none.", "quiet"),
}


def speedup_section(bench: BenchmarkView) -> Section:
    """The section; a page always has it, if only to say what is absent."""
    blocks: list[Table | Figure] = [speedup_table(bench)]
    if compared(bench):
        blocks.append(dots_figure(bench))
    return Section("speedup", "Speedup", tuple(blocks), finding=_finding(bench))


def _finding(bench: BenchmarkView) -> str:
    verdicts: dict[str, int] = {}
    found = compared(bench)
    for each in found:
        verdict = each.estimate.verdict
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    if not found:
        return "There is no second device to compare with."
    order = ("FASTER", "SLOWER", "SAME", "UNDECIDED")
    words = {"SAME": "the same", "UNDECIDED": "undecided"}
    parts = [f"{verdicts[v]} {words.get(v, v.lower())}" for v in order if v in verdicts]
    name = bench.title_of(bench.plan.baseline)
    noun = "comparison" if len(found) == 1 else "comparisons"
    return f"Of {len(found)} {noun} with {name}: {formatting.listed(parts)}."


def speedup_table(bench: BenchmarkView) -> Table:
    """Sweep points down, devices across, the baseline's absolute time in its own column."""
    name = bench.title_of(bench.plan.baseline)
    step, repeats = bench.words.step, bench.plan.measure.repeats
    groups = point_groups(bench, lambda point, header: _row(bench, point, header))
    rows = tuple(row for group in groups for row in group.rows)
    return Table(
        id="speedup-table",
        title=f"How many times as fast as {name}",
        caption=(
            f"By the steady time of a {step}. Under each factor its 95 % interval, then the time "
            f"of a {step}: the geometric mean over processes, "
            f"{formatting.plural(repeats, 'process', 'processes')} planned for each. "
            f"{interval_text(bench)} Cells are coloured only where it decides."
        ),
        corner=groups_corner(bench),
        columns=tuple(_column(series) for series in bench.series),
        groups=groups,
        notes=_marks(rows),
        style="matrix",
        legend=bool(compared(bench)),
        download=Download(f"{bench.slug}/speedups.csv", "CSV"),
    )


def _marks(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """What the marks in a table mean, each once, in words and not only on hovering."""
    badges = dict.fromkeys(badge for row in rows for entry in row.entries for badge in entry.badges)
    said = dict.fromkeys(f"“{b.text}”: {b.meaning}" for b in badges if " of " not in b.text)
    return (" ".join(said),) if said else ()


def _column(series: Series) -> Column:
    detail = "baseline" if series.baseline else ""
    return Column(series.title, detail=detail, number=True, device=series.colour)


def _row(bench: BenchmarkView, point: Point, header: str) -> Row:
    return Row(
        Entry((Line(header),)),
        tuple(speedup_entry(bench, series, point) for series in bench.series),
    )


def speedup_entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """A cell of the table: factor, interval and absolute time, or why there is none."""
    found = bench.speedup(series, point)
    if found is None:
        return absence(bench, series, point)
    badges = number_badges(bench.planned(series, point))
    href = bench.evidence(series, point)
    time = duration_of(found.seconds)
    if series.baseline:
        return Entry(time_lines(found.seconds), href=href, badges=badges, mark="baseline")
    estimate = found.estimate or found.qualified
    if estimate is None:
        lines = (Line("withheld"), Line(why_incomplete(found), "reason"), Line(time, "detail"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    return Entry(
        (*interval_lines(estimate.interval), Line(time, "detail"), *_withheld(found)),
        href=href,
        badges=(*badges, *verdict_badges(estimate)),
        heat=estimate_heat(estimate),
    )


def verdict_badges(estimate: Estimate) -> tuple[Badge, ...]:
    """What is said beside a factor that is neither faster nor slower."""
    badge = VERDICTS.get(estimate.verdict) if estimate.interval.known else None
    return (badge,) if badge else ()


def _withheld(found: Speedup) -> tuple[Line, ...]:
    """Why a speedup must not stand alone, where it must not."""
    text = label(why_withheld(found), 200)
    return (Line(f"no headline: {text}", "reason"),) if text else ()


def estimate_heat(estimate: Estimate) -> int | None:
    """The bin that colours a speedup; none where the interval does not decide."""
    decided = estimate.verdict in DECIDED
    return heat_bin(estimate.interval.value) if decided else None


def interval_lines(found: Interval) -> tuple[Line, Line]:
    """A speedup and its interval, or that there is none."""
    value = Line(formatting.ratio(found.value, found.low, found.high))
    if not found.known:
        return value, Line("no interval", "interval")
    return value, Line(formatting.ratio_interval(found.low, found.high, found.value), "interval")


def time_lines(seconds: Interval) -> tuple[Line, Line]:
    """A steady time and its interval, or that there is none."""
    value = Line(duration_of(seconds))
    if not seconds.known:
        return value, Line("no interval", "interval")
    between = formatting.duration_interval(seconds.low, seconds.high, seconds.value)
    return value, Line(between, "interval")
