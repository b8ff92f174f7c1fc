"""Speedups: the section, its table (device × sweep point), and what the cells of it say."""

from __future__ import annotations

from typing import Any

from accelreport.analysis.intervals import Interval
from accelreport.analysis.speedup import Estimate
from accelreport.analysis.verdicts import DECIDED
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import present
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Figure,
    Line,
    Row,
    Section,
    Table,
)
from accelreport.report.pages.finding import compared, interval_text
from accelreport.report.pages.marks import absence, number_badges
from accelreport.report.pages.panels import (
    groups_corner,
    point_groups,
)
from accelreport.report.pages.speedup_dots import dots_figure
from accelreport.report.text import label
from accelreport.report.theme import heat_bin

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


def time_lines(row: dict[str, Any]) -> tuple[Line, Line]:
    """A steady time and its interval, or that there is none."""
    low, high = row["seconds_low"], row["seconds_high"]
    value = Line(formatting.duration(row["seconds"], low, high))
    if not present(low) or not present(high):
        return value, Line("no interval", "interval")
    return value, Line(formatting.duration_interval(low, high, row["seconds"]), "interval")
