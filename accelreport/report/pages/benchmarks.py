"""The page of tables: how much of each plan was run, and every rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.results import UNTIMED
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
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
from accelreport.report.pages.badges import notes_on_validation
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

PATH = "benchmarks.html"


def benchmarks_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    sections = (
        Section("progress", "Every benchmark", (_progress(benches),)),
        _rates(benches),
    )
    rows = [row for bench in benches for row in bench.results]
    done = quantity.count(sum(row.timed for row in rows))
    cells, of = quantity.plural(len(rows), "cell"), quantity.plural(len(benches), "benchmark")
    return Page(
        path=PATH,
        title="Benchmarks",
        headline=f"{done} of {cells} in {of} were measured",
        finding="A cell is one device at one sweep point with one seed.",
        sections=tuple(section for section in sections if section),
        template="tables.html",
        notices=notices_of(benches),
    )


def _rates(benches: Sequence[BenchmarkView]) -> Section | None:
    """Every rate at every sweep point, of which the front page's picture shows the most telling."""
    view = Overview(benches)
    if not view.rows:
        return None
    about = (
        "Throughput of training and inference, and TFLOPS of kernels. Each factor is over the "
        "first row of its sweep point; a measured factor has a 95 % interval over processes. "
        "Published figures enter no statistic."
    )
    caveats = {caveat for row in view.rows for caveat in row.caveats}
    table = replace(
        rates_table(view.rows, "all-rates", "Measured, withheld and published"),
        caption=" ".join([about, *notes_on_validation(caveats)]),
        download=Download("speedups.csv", "CSV", "every speedup of every benchmark"),
    )
    return Section("speedups", "Every rate", (table,), folded=True)


_STATES = {
    "ok": "complete",
    "partial": "partial",
    UNTIMED: "no steady step",
    REFUSED: "refused",
    "failed": "failed",
    "skipped": "skipped",
    "missing": "not run",
}
"""States of cells, and the headings of their columns."""


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    known = {"ok", *(row.outcome for bench in benches for row in bench.results)}
    states = {state: title for state, title in _STATES.items() if state in known}
    rows = tuple(_benchmark_row(bench, list(states)) for bench in benches)
    return Table(
        id="benchmarks-table",
        title="What each benchmark found, and how much of its plan was run",
        caption="Counts are of cells.",
        corner="benchmark",
        columns=(Column("finding"), *(Column(state, number=True) for state in states.values())),
        groups=(RowGroup(rows),),
        style="prose",
    )


def _benchmark_row(bench: BenchmarkView, states: Sequence[str]) -> Row:
    statuses = [row.outcome for row in bench.results]
    counts = [statuses.count(state) for state in states]
    header = entry(
        label(bench.plan.title),
        Line(f"{label(bench.plan.profile, 40)} profile", "reason"),
        href=f"{bench.slug}.html",
    )
    numbers = (quantity.count(n) if n else "–" for n in counts)
    devices = dict.fromkeys(series.device for series in bench.tried_series)
    measured = any(row.measured for row in bench.results)
    facets = Facets(
        device=tuple(map(bench.title_of, devices)),
        provenance=("measured",) * measured + ("published",) * bool(bench.plan.published),
    )
    return table_row(header, opening_of(bench).summary, *numbers, facets=facets)
