"""Speedups: the table (device × sweep point) and the same as dots with intervals."""

from __future__ import annotations

from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.charts.drawing import panel
from accelreport.report.charts.speedup import Absence, Mark, speedup_dots
from accelreport.report.frames import present
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
from accelreport.report.pages.finding import compared
from accelreport.report.pages.marks import absence, kind_text, number_badges
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

MOST_DOTS = 40
"""Rows of the drawing; with more, points are left out evenly and the caption says so."""

VERDICTS = {
    "SAME": Badge("same", "The whole interval lies within 3 % of 1×.", "quiet"),
    "UNDECIDED": Badge("undecided", "The interval holds 1×, or there is none.", "quiet"),
}


def speedup_section(bench: Bench) -> Section:
    """The section; a page always has it, if only to say what is absent."""
    blocks: list[Table | Figure] = [speedup_table(bench)]
    if compared(bench):
        blocks.append(dots_figure(bench))
    return Section("speedup", "Speedup", tuple(blocks), finding=_finding(bench))


def _finding(bench: Bench) -> str:
    verdicts: dict[str, int] = {}
    found = compared(bench)
    for each in found:
        verdicts[each.row["verdict"]] = verdicts.get(each.row["verdict"], 0) + 1
    if not found:
        return "There is no second device to compare with."
    order = ("FASTER", "SLOWER", "SAME", "UNDECIDED")
    words = {"SAME": "the same", "UNDECIDED": "undecided"}
    parts = [f"{verdicts[v]} {words.get(v, v.lower())}" for v in order if v in verdicts]
    name = bench.title_of(bench.plan.baseline)
    noun = "comparison" if len(found) == 1 else "comparisons"
    return f"Of {len(found)} {noun} with {name}: {formatting.listed(parts)}."


def speedup_table(bench: Bench) -> Table:
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


def interval_text(bench: Bench) -> str:
    """What the intervals of the speedups are, in a sentence."""
    found = compared(bench)
    paired = [each for each in found if each.row["paired"]]
    if not found:
        return ""
    if len(paired) == len(found):
        how = "compares within repeats"
    elif paired:
        how = "compares within repeats where both devices ran them, between processes elsewhere"
    else:
        how = "compares between processes, whose spread may differ (Welch)"
    return f"The interval is Student’s t on logarithms and {how}."


def _marks(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """What the marks in a table mean, each once, in words and not only on hovering."""
    badges = dict.fromkeys(badge for row in rows for entry in row.entries for badge in entry.badges)
    said = dict.fromkeys(f"“{b.text}”: {b.meaning}" for b in badges if " of " not in b.text)
    return (" ".join(said),) if said else ()


def _column(series: Series) -> Column:
    detail = "baseline" if series.baseline else ""
    return Column(series.title, detail=detail, number=True, device=series.colour)


def _row(bench: Bench, point: Point, header: str) -> Row:
    return Row(
        Entry((Line(header),)),
        tuple(speedup_entry(bench, series, point) for series in bench.series),
    )


def speedup_entry(bench: Bench, series: Series, point: Point) -> Entry:
    """A cell of the table: factor, interval and absolute time, or why there is none."""
    row = bench.speedup(series, point)
    if row is None or not present(row["seconds"]):
        return absence(bench, series, point)
    badges = number_badges(bench.planned(series, point))
    href = bench.evidence(series, point)
    time = formatting.duration(row["seconds"], row["seconds_low"], row["seconds_high"])
    if series.baseline:
        return Entry(time_lines(row), href=href, badges=badges, mark="baseline")
    if not present(row["speedup"]):
        lines = (Line("withheld"), Line(row["reason"], "reason"), Line(time, "detail"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    if row["verdict"] in VERDICTS and present(row["low"]):
        badges = (*badges, VERDICTS[row["verdict"]])
    return Entry(
        (*ratio_lines(row), Line(time, "detail"), *_withheld(row)),
        href=href,
        badges=badges,
        heat=decided_heat(row),
    )


def decided_heat(row: dict[str, Any]) -> int | None:
    """The bin that colours a speedup; none where the interval does not decide."""
    decided = row["verdict"] in {"FASTER", "SLOWER", "SAME"}
    return heat_bin(row["speedup"]) if decided else None


def _withheld(row: dict[str, Any]) -> tuple[Line, ...]:
    """Why a speedup must not stand alone, where it must not."""
    text = label(row["withheld"], 200)
    return (Line(f"no headline: {text}", "reason"),) if text else ()


def ratio_lines(row: dict[str, Any]) -> tuple[Line, Line]:
    """A speedup and its interval, or that there is none."""
    low, high = row["low"], row["high"]
    value = Line(formatting.ratio(row["speedup"], low, high))
    if not present(low) or not present(high):
        return value, Line("no interval", "interval")
    return value, Line(formatting.ratio_interval(low, high, row["speedup"]), "interval")


def time_lines(row: dict[str, Any]) -> tuple[Line, Line]:
    """A steady time and its interval, or that there is none."""
    low, high = row["seconds_low"], row["seconds_high"]
    value = Line(formatting.duration(row["seconds"], low, high))
    if not present(low) or not present(high):
        return value, Line("no interval", "interval")
    return value, Line(formatting.duration_interval(low, high, row["seconds"]), "interval")


def dots_figure(bench: Bench, most_points: int = 0) -> Figure:
    """Speedups as dots with their intervals.

    Args:
        bench: the benchmark.
        most_points: sweep points that are drawn at most, two or more; by default as many as
            a page has room for.
    """
    others = [series for series in bench.series if not series.baseline]
    points = panel_points(bench.points, most_points or max(6, MOST_DOTS // max(len(others), 1)))
    headings, row = device_rows(bench, points, others)
    found = {(e.series, e.point): e for e in compared(bench) if e.point in points}
    marks = [
        Mark(
            row=row(each.series, each.point),
            colour=each.series.colour,
            value=each.speedup,
            low=each.row["low"],
            high=each.row["high"],
            text=each.text,
        )
        for each in found.values()
    ]
    absences = [
        Absence(row(series, point), _why(bench, series, point))
        for point in points
        for series in others
        if (series, point) not in found
    ]
    name = bench.title_of(bench.plan.baseline)
    make = speedup_dots(
        marks, absences, headings=headings, axis_title=f"times as fast as {name} (log scale)"
    )
    who = f"{others[0].title}: speedup" if len(others) == 1 else "Speedup"
    title = f"{who} over {name}"
    said = "; ".join(
        f"{each.series.title}, {bench.point_title(each.point)}: {each.text}"
        for each in list(found.values())[:12]
    )
    return Figure(
        id="speedup-dots",
        title=title,
        caption=(
            "Marks are speedups, bars their 95 % intervals. The scale is logarithmic to base 2, "
            "so twice and half as fast lie equally far from 1×. "
            + interval_text(bench)
            + panels_note(len(points), len(bench.points))
        ),
        panels=(panel(make, prefix="sd", title=title, description=f"{said}."),),
        badges=loud_badges(bench),
        table=_data(bench),
    )


def _why(bench: Bench, series: Series, point: Point) -> str:
    return formatting.listed(sorted({kind_text(row) for row in bench.planned(series, point)}))


def _verdict(row: dict[str, Any]) -> str:
    text = str(row["verdict"]).lower()
    if not present(row["needed"]):
        return text
    more = formatting.plural(int(row["needed"]), "more process", "more processes")
    return f"{text}; {more} of each would probably decide"


def _data(bench: Bench) -> Table:
    """The numbers behind the dots."""
    rows = []
    for each in compared(bench):
        row = each.row
        low, high = row["low"], row["high"]
        known = present(low) and present(high)
        rows.append(
            Row(
                Entry((Line(bench.point_header(each.point)),)),
                tuple(
                    Entry((Line(text),))
                    for text in (
                        each.series.title,
                        each.text,
                        formatting.ratio_interval(low, high, each.speedup) if known else "none",
                        f"{row['n']} and {row['n_baseline']}",
                        _verdict(row),
                    )
                ),
            )
        )
    titles = ("device", "speedup", "95 % interval", "processes (device and baseline)", "verdict")
    return Table(
        id="speedup-data",
        title="Speedups as drawn",
        corner=bench.points_heading,
        columns=tuple(Column(title) for title in titles),
        groups=(RowGroup(tuple(rows)),),
    )
