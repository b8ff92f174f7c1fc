"""The page of tables: how much of each plan was run, and every rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import COMPARED, Kind
from accelreport.analysis.outcome import comparisons_of
from accelreport.analysis.results import UNTIMED, shortest
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.claim_text import decided_counts
from accelreport.report.model import (
    Column,
    Download,
    Facets,
    Line,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.notices import notices_of
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import kind_text, titles_of
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView

PATH = "benchmarks.html"


def benchmarks_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    headline = quantity.plural(len(benches), "benchmark")
    decided, claims = decided_counts([result for bench in benches for result in bench.tested])
    if claims:
        headline += f", {decided} of {quantity.plural(claims, 'claim')} decided"
    sections = (
        Section("progress", "Findings", (_progress(benches),)),
        _rates(benches),
    )
    return Page(
        path=PATH,
        title="Benchmarks",
        headline=headline,
        finding="",
        sections=tuple(section for section in sections if section),
        template="tables.html",
        notices=notices_of(benches),
    )


def _rates(benches: Sequence[BenchmarkView]) -> Section | None:
    """Every rate at every sweep point, of which the front page's picture shows the most telling."""
    view = Overview(benches)
    if not view.rows:
        return None
    table = replace(
        rates_table(view.rows, "all-rates", "Rates"),
        download=Download("speedups.csv", "CSV"),
    )
    return Section("speedups", "Every rate", (table,), folded=True)


def baseline_rate(bench: BenchmarkView) -> tuple[str, str, str]:
    """The throughput of the baseline, or of the first device with a time, whose, and interval."""
    rates = (finding.values[0] for finding in bench.findings if finding.kind is Kind.RATE)
    if (rate := next(rates, None)) is None:
        rows = [row for row in bench.results if row.device == bench.plan.baseline.device]
        reasons = sorted({kind_text(row) for row in rows if not row.timed})
        return quantity.MISSING, bench.baseline_name, ", ".join(reasons)
    speaker = Speaker(bench)
    whose = f"{speaker.name(rate.of)}{speaker.at(rate.of)}"
    return speaker.bounded(rate), whose, speaker.interval(rate) or "one run"


GROUPS = ("Decided", "Measured", "Nothing decided yet")
"""Headings of the list: by claims and comparisons, by other findings, and by what is missing."""


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    names = titles_of(benches)
    groups: dict[str, list[Row]] = {group: [] for group in GROUPS}
    for bench in sorted(benches, key=lambda bench: names[bench.slug].casefold()):
        line, opening = finding_line(bench), opening_of(bench)
        kind = opening.finding.kind if opening.finding else None
        decided = opening.speaker.claim is not None or kind in COMPARED
        group = GROUPS[2 if line.role == "reason" else 1 - decided]
        groups[group].append(_benchmark_row(bench, names[bench.slug], line))
    return Table(
        id="benchmarks-table",
        title="Findings",
        corner="benchmark",
        columns=(
            Column("finding"),
            Column("throughput", number=True),
            Column("95 % interval"),
            Column("cells"),
        ),
        groups=tuple(RowGroup(tuple(rows), title) for title, rows in groups.items() if rows),
        caption="Cells: dark done, pale stopped, grey not run.",
        style="prose",
    )


def finding_line(bench: BenchmarkView) -> Line:
    """What a benchmark shows; of one that shows its rate alone, in grey, what is missing."""
    opening = opening_of(bench)
    rates = {Speaker(bench).title(f) for f in bench.findings if f.kind is Kind.RATE}
    if opening.title not in rates:
        return Line(opening.summary)
    timed = {row.device for row in bench.results if row.timed}
    gone = [bench.title_of(device) for device in bench.plan.devices if device not in timed]
    if open_ := len(comparisons_of(bench)):
        return Line(f"{quantity.plural(open_, 'comparison')}, none decided.", "reason")
    were = "was" if len(gone) == 1 else "were"
    parts = [f"{quantity.listed(gone)} {were} not measured."] if gone else []
    if least := shortest(row for row in bench.results if row.timed):
        parts.append(f"The shortest run stopped after {Speaker(bench).steps(least.steps, least)}.")
    return Line(" ".join(parts) or opening.summary, "reason")


def _benchmark_row(bench: BenchmarkView, name: str, finding: Line) -> Row:
    done = sum(row.timed and row.status == "ok" for row in bench.results)
    stopped = sum(row.timed for row in bench.results) - done
    number, whose, interval = baseline_rate(bench)
    header = entry(name, Line(whose, "detail"), href=f"{bench.slug}.html")
    outcomes = Counter(row.outcome for row in bench.results)
    states = {"refused": REFUSED, "failed": "failed", "no steady step": UNTIMED}
    lost = {name: outcomes[state] for name, state in states.items()}
    waiting = len(bench.results) - done - stopped
    counts = [("done", done), ("stopped", stopped), *lost.items()]
    counts.append(("not run", waiting - sum(lost.values())))
    parts = [f"{count} {state}" for state, count in counts if count]
    devices = dict.fromkeys(series.device for series in bench.tried_series)
    measured = any(row.measured for row in bench.results)
    facets = Facets(
        device=tuple(map(bench.title_of, devices)),
        verdict=tuple(dict.fromkeys(row.verdict.lower() for row in bench.compared)),
        provenance=("measured",) * measured + ("published",) * bool(bench.plan.published),
    )
    cells = entry(Line(", ".join(parts), "detail"), bar=(done, stopped, waiting))
    return table_row(header, finding, number, Line(interval, "detail"), cells, facets=facets)
