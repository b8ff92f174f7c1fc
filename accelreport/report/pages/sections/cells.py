"""Every cell of a benchmark: where each number on the page comes from."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.results import Result
from accelreport.report import formatting
from accelreport.report.metrics import metric_text, metric_title
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.badges import EXTRAPOLATED, PARTIAL, kind_text, origin_badges
from accelreport.report.view import BenchmarkView, Point, Series

MOST_ROWS = 500
"""Rows of the table; above it, a row stands for all processes of a device and point."""


def cells_section(bench: BenchmarkView) -> Section:
    """The table of cells; each row leads to the page of its record."""
    metric = bench.quality
    words = bench.words
    titles = [f"steady {words.step}", words.first, "whole run", "peak memory"]
    titles += [metric_title(metric)] if metric else []
    compact = len(bench.rows) > MOST_ROWS
    groups = [
        RowGroup(
            _rows(bench, bench.planned(series, point), metric, compact=compact),
            title=_title(bench, series, point),
            id=bench.evidence_id(series, point),
        )
        for series in bench.series
        for point in bench.points
        if bench.planned(series, point)
    ]
    table = Table(
        id="cells-table",
        title="One row for each process",
        caption=(
            "Its page holds the raw steps, the environment and the "
            "end of the log."
            + (
                " With so many cells, a row lists all processes of a device and point."
                if compact
                else ""
            )
        ),
        corner="process",
        columns=(Column("state"), *(Column(title, number=True) for title in titles)),
        groups=tuple(groups),
        download=Download(f"{bench.slug}/cells.csv", "CSV"),
    )
    return Section("cells", "Every cell", (table,))


def _title(bench: BenchmarkView, series: Series, point: Point) -> str:
    return f"{series.title}, {bench.point_title(point)}" if bench.axes else series.title


def _rows(
    bench: BenchmarkView, rows: Sequence[Result], metric: str, *, compact: bool
) -> tuple[Row, ...]:
    made = [_row(bench, row, metric) for row in rows]
    if not compact or not made:
        return tuple(made)
    entries = zip(*(row.entries for row in made), strict=True)
    header = Entry(tuple(line for row in made for line in row.header.lines))
    return (Row(header, tuple(_merged(column) for column in entries)),)


def _merged(column: tuple[Entry, ...]) -> Entry:
    badges = dict.fromkeys(badge for entry in column for badge in entry.badges)
    return Entry(tuple(entry.lines[0] for entry in column if entry.lines), badges=tuple(badges))


def _row(bench: BenchmarkView, row: Result, metric: str) -> Row:
    header = Entry((Line(f"seed {row.seed}", href=bench.cell_page(row)),))
    badges = list(origin_badges([row.origin]))
    total: tuple[Badge, ...] = ()
    if row.status == "partial":
        badges.append(PARTIAL)
        total = (EXTRAPOLATED,)
    state = {"ok": "complete", "partial": "partial"}.get(row.status, kind_text(row))
    entries = [
        Entry((Line(state),), badges=tuple(badges)),
        Entry((Line(formatting.duration(row.timings.steady_step_s)),)),
        Entry((Line(formatting.duration(row.timings.first_step_s)),)),
        Entry((Line(formatting.duration(row.timings.total_s)),), badges=total),
        Entry((Line(formatting.size(row.memory.host_peak_bytes)),)),
    ]
    if metric:
        value = row.final.get(metric, float("nan"))
        entries.append(Entry((Line(metric_text(metric, value)),)))
    return Row(header, tuple(entries))
