"""What the benchmarks read, where it came from, and every number as files."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.report import formatting
from accelreport.report.model import (
    Column,
    Download,
    Downloads,
    Entry,
    Line,
    Page,
    Row,
    Section,
    Table,
)
from accelreport.report.pages.panels import benchmark_rows
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.results.record import DataSource

PATH = "data.html"
"""Where the page lies."""


def data_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    read = _table(benches)
    finding = (
        "Every number of this site as a file, and what was read to get it: each data set with "
        "where it came from and the hash of what was used."
    )
    sections = (
        Section("files", "Files", (_files(),)),
        Section("sets", "Data sets", (read,)) if read.groups else None,
    )
    return Page(
        path=PATH,
        title="Data",
        kicker="",
        finding=finding,
        description=finding,
        sections=tuple(section for section in sections if section),
        template="article.html",
    )


def _files() -> Downloads:
    return Downloads(
        (
            Download("speedups.csv", "speedups.csv", "every speedup of every benchmark"),
            Download("results.json", "results.json", "speedups and claims, for programs"),
        )
    )


def _table(benches: Sequence[BenchmarkView]) -> Table:
    groups = []
    for bench in benches:
        read = {
            (data.dataset, data.origin, data.fingerprint): data
            for record in bench.records.values()
            if (data := record.data) is not None and data.origin != "generated"
        }
        if read:
            groups.append(benchmark_rows(bench, (_row(read[key]) for key in sorted(read))))
    return Table(
        id="data-table",
        title="What each benchmark read",
        corner="data set",
        columns=(
            Column("origin"),
            Column("examples", number=True),
            Column("for validation", number=True),
            Column("SHA-256 of what was used"),
        ),
        groups=tuple(groups),
        style="prose",
    )


def _row(data: DataSource) -> Row:
    said = [Line(label(data.origin.replace("-", " "), 40))]
    said += [Line(label(data.note, 200), "reason")] if data.note else []
    counts = (data.train_examples, data.validation_examples)
    return Row(
        Entry((Line(label(data.dataset, 60)),)),
        (
            Entry(tuple(said)),
            *(Entry((Line(formatting.count(each)),)) for each in counts),
            Entry((Line(label(data.fingerprint[:16], 20)),)),
        ),
    )
