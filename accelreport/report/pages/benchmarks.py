"""The page of tables: how much of each plan was run, and every rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Kind
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


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    names = titles_of(benches)
    lines = {bench.slug: finding_line(bench) for bench in benches}
    benches = sorted(
        benches, key=lambda b: (lines[b.slug].role == "reason", names[b.slug].casefold())
    )
    return Table(
        id="benchmarks-table",
        title="Findings",
        corner="benchmark",
        columns=(
            Column("finding"),
            Column("throughput", number=True),
            Column("cells"),
        ),
        groups=(
            RowGroup(
                tuple(_benchmark_row(b, names[b.slug], lines[b.slug]) for b in benches),
            ),
        ),
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
    if least := shortest(bench.results):
        parts.append(f"The shortest run stopped after {Speaker(bench).steps(least.steps, least)}.")
    return Line(" ".join(parts) or opening.summary, "reason")


def _benchmark_row(bench: BenchmarkView, name: str, finding: Line) -> Row:
    done = sum(row.timed and row.status == "ok" for row in bench.results)
    stopped = sum(row.timed for row in bench.results) - done
    header = entry(name, href=f"{bench.slug}.html")
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
    number, *beside = baseline_rate(bench)
    rate = entry(number, *(Line(text, "detail") for text in beside))
    return table_row(header, finding, rate, cells, facets=facets)
