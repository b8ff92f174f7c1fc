"""The front page: what was measured, on what, when, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series, present
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Entry,
    Fact,
    Line,
    Note,
    Notes,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.claims import claims_table
from accelreport.report.pages.environment import devices_table, machine_facts, machine_line
from accelreport.report.pages.finding import compared, headline
from accelreport.report.pages.marks import SINGLE, absence, number_badges
from accelreport.report.pages.notices import notices_of
from accelreport.report.pages.speedup import ratio_lines, time_lines
from accelreport.report.summary import summarised
from accelreport.report.text import label
from accelreport.report.theme import heat_bin

MOST_POINTS = 4
"""Sweep points a benchmark may have and still get a row for each on the front page."""


def index_page(benches: Sequence[Bench], title: str, problems: Sequence[str]) -> Page:
    """The front page.

    Args:
        benches: every plan.
        title: the site's name.
        problems: a sentence for each result file that could not be read.
    """
    records = [record for bench in benches for record in bench.records.values()]
    sections = [
        Section("speedups", "Speedups", (speedup_matrix(benches),)),
        Section("benchmarks", "Benchmarks", (_benchmarks(benches),)),
    ]
    if any(len(bench.claims) for bench in benches):
        table = claims_table(benches, "claims-table")
        sections.append(Section("claims", "Claims and verdicts", (table,)))
    machines: tuple[Block, ...] = (devices_table(benches), *machine_facts(records))
    sections.append(Section("machines", "Devices and machines", machines))
    if problems:
        notes = tuple(Note("Left out:", label(text, 400), tone="bad") for text in problems)
        sections.append(
            Section("unreadable", "Result files that could not be read", (Notes(notes),))
        )
    headline, finding = _finding(benches)
    return Page(
        path="index.html",
        title=label(title),
        headline=headline,
        kicker="",
        finding=finding,
        description=f"{headline}. {finding}",
        sections=tuple(sections),
        template="index.html",
        byline=(
            Fact("Machines", machine_line(records)),
            Fact("Records", formatting.count(len({id(r) for r in records}))),
        ),
        notices=notices_of(benches),
    )


def _finding(benches: Sequence[Bench]) -> tuple[str, str]:
    """The largest factor of the whole site as a headline, and how the others fell."""
    found = [(bench, each) for bench in benches for each in compared(bench)]
    decided = [pair for pair in found if pair[1].row["verdict"] in {"FASTER", "SLOWER"}]
    count = formatting.plural(len(benches), "benchmark")
    if not decided:
        done = sum(len(bench.shown_series) > 0 for bench in benches)
        return f"{count}, {done} measured", "No two devices can be told apart yet."
    bench, best = max(decided, key=lambda pair: pair[1].speedup)
    faster = sum(each.row["verdict"] == "FASTER" for _, each in found)
    slower = sum(each.row["verdict"] == "SLOWER" for _, each in found)
    baseline = bench.title_of(bench.plan.baseline)
    headline = f"{best.series.title}: up to {best.text} as fast as {baseline}"
    if best.speedup < 1:
        headline = f"Nothing is faster than {baseline}"
    where = f" at {bench.point_title(best.point)}" if bench.axes else ""
    return headline, (
        f"The largest factor was found in “{label(bench.plan.title)}”{where} {best.interval}. Of "
        f"{formatting.plural(len(found), 'comparison')} with a baseline in {count}, {faster} came "
        f"out faster, {slower} slower, and {len(found) - faster - slower} the same or undecided."
    )


def columns_of(benches: Sequence[Bench]) -> list[str]:
    """Every device of the site: baselines first, then by kind and name."""
    devices = {name: device for bench in benches for name, device in bench.plan.devices.items()}
    baselines = {bench.plan.baseline for bench in benches}
    return sorted(devices, key=lambda name: (name not in baselines, devices[name].kind, name))


def speedup_matrix(benches: Sequence[Bench]) -> Table:
    """Benchmarks and their sweep points down, devices across."""
    names = columns_of(benches)
    first = {name: next(b for b in benches if name in b.plan.devices) for name in names}
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
            "time it is relative to. The baseline’s own cells give its time. Where a benchmark "
            f"has more than {MOST_POINTS} sweep points, its row is the geometric mean over "
            "them, and the second line their range."
        ),
        corner="benchmark",
        columns=columns,
        groups=tuple(_group(bench, names) for bench in benches),
        style="matrix",
        legend=True,
        download=Download("speedups.csv", "CSV", "of every benchmark"),
    )


def _group(bench: Bench, names: Sequence[str]) -> RowGroup:
    points = bench.points
    if len(points) <= MOST_POINTS:
        rows = tuple(_point_row(bench, point, names) for point in points)
    else:
        rows = (_summary_row(bench, names),)
    return RowGroup(
        rows,
        title=label(bench.plan.title),
        href=f"{bench.slug}.html",
        detail=f"{label(bench.plan.profile, 40)} profile",
    )


def _best_series(bench: Bench, device: str) -> Series | None:
    """The device on the machine with most measured cells of it."""
    own = [series for series in bench.series if series.device == device]
    return max(
        own, key=lambda s: sum(len(bench.measured(s, p)) for p in bench.points), default=None
    )


def _point_row(bench: Bench, point: Point, names: Sequence[str]) -> Row:
    header = Entry((Line(bench.point_title(point)),))
    return Row(header, tuple(_entry(bench, name, point) for name in names))


def _not_part() -> Entry:
    return Entry((Line("not in this benchmark", "reason"),), mark="absent")


def _entry(bench: Bench, device: str, point: Point) -> Entry:
    series = _best_series(bench, device)
    if series is None:
        return _not_part()
    row = bench.speedup(series, point)
    page = f"{bench.slug}.html{bench.evidence(series, point)}"
    if row is None or not present(row["seconds"]):
        gone = absence(bench, series, point)
        return Entry(gone.lines, href=page, mark=gone.mark)
    badges = number_badges(bench.planned(series, point))
    if series.baseline:
        return Entry(time_lines(row), href=page, badges=badges, mark="baseline")
    if not present(row["speedup"]):
        lines = (Line("withheld"), Line(row["reason"], "reason"))
        return Entry(lines, href=page, badges=badges, mark="absent")
    against = Line(f"of {_baseline_time(bench, row, point)}", "detail")
    return Entry(
        (*ratio_lines(row), against), href=page, badges=badges, heat=heat_bin(row["speedup"])
    )


def _baseline_time(bench: Bench, row: dict[str, Any], point: Point) -> str:
    """The time a speedup is relative to, with the digits of the baseline's own cell."""
    for series in bench.series:
        if series.baseline and series.machine == row["baseline_machine"]:
            base = bench.speedup(series, point) or row
            return formatting.duration(base["seconds"], base["seconds_low"], base["seconds_high"])
    return formatting.duration(row["seconds"] * row["speedup"])


def _summary_row(bench: Bench, names: Sequence[str]) -> Row:
    points = formatting.plural(len(bench.points), "sweep point")
    header = Entry((Line(points), Line("geometric mean and range", "reason")))
    return Row(header, tuple(_summary_entry(bench, name) for name in names))


def _summary_entry(bench: Bench, device: str) -> Entry:
    series = _best_series(bench, device)
    if series is None:
        return _not_part()
    page = f"{bench.slug}.html#speedup"
    every = [row for point in bench.points for row in bench.planned(series, point)]
    badges = tuple(badge for badge in number_badges(every) if badge != SINGLE)
    summary = summarised(bench, series)
    if summary is None:
        gone = absence(bench, series, bench.points[0])
        return Entry(gone.lines, href=page, mark=gone.mark)
    if series.baseline:
        between = formatting.duration_range(summary.least_seconds, summary.most_seconds)
        return Entry((Line(between), Line("a range", "interval")), href=page, mark="baseline")
    lines = (
        Line(formatting.ratio(summary.speedup)),
        Line(
            f"range {formatting.ratio_interval(summary.least, summary.most, summary.speedup)}",
            "interval",
        ),
        Line(f"{summary.count} of {len(bench.points)} points", "detail"),
    )
    return Entry(lines, href=page, badges=badges, heat=heat_bin(summary.speedup))


def _benchmarks(benches: Sequence[Bench]) -> Table:
    rows = tuple(_benchmark_row(bench) for bench in benches)
    states = ("complete", "partial", "failed", "skipped", "not run")
    return Table(
        id="benchmarks-table",
        title="What was found, and how much of each plan was run",
        caption="Cells are counted: one is one device at one sweep point with one seed.",
        corner="benchmark",
        columns=(Column("finding"), *(Column(state, number=True) for state in states)),
        groups=(RowGroup(rows),),
        style="prose",
    )


def _benchmark_row(bench: Bench) -> Row:
    states = [row["status"] for row in bench.rows]
    counts = [states.count(s) for s in ("ok", "partial", "failed", "skipped", "missing")]
    header = Entry(
        (Line(label(bench.plan.title)), Line(f"{label(bench.plan.profile, 40)} profile", "reason")),
        href=f"{bench.slug}.html",
    )
    numbers = tuple(Entry((Line(formatting.count(n) if n else "–"),)) for n in counts)
    return Row(header, (Entry((Line(headline(bench)),)), *numbers))
