"""What the benchmarks read, where it came from, and every number as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelreport.report import quantity
from accelreport.report.model import (
    Column,
    Download,
    Downloads,
    Line,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

PATH = "data.html"
"""Where the page lies."""


def data_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    read = _table(benches)
    finding = (
        "Every number of this site as a file, and the data that were read: where each data "
        "set came from, and the hash of what was used."
    )
    sections = (
        Section("files", "Files", (_files(),)),
        Section("sets", "Data sets", (read,)) if read.groups else None,
    )
    return Page(
        path=PATH,
        title="Data",
        finding=finding,
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
    """A group for each data set and origin, with what is said of it once, and a row for each use.

    Benchmarks that used as much of it share a row.
    """
    used: dict[tuple[str, str, str], dict[tuple[int, int, str], set[str]]] = {}
    for bench in benches:
        for record in bench.records.values():
            data = record.data
            if data is not None and data.origin != "generated":
                uses = used.setdefault((data.dataset, data.origin, data.note), {})
                use = (data.train_examples, data.validation_examples, data.fingerprint)
                uses.setdefault(use, set()).add(bench.slug)
    titles = [label(bench.plan.title) for bench in benches]
    names = {
        bench.slug: title
        if titles.count(title) == 1
        else f"{title} ({label(bench.plan.profile, 40)} profile)"
        for bench, title in zip(benches, titles, strict=True)
    }
    return Table(
        id="data-table",
        title="The data sets, and the benchmarks that read them",
        corner="benchmarks",
        columns=(
            Column("examples", number=True),
            Column("for validation", number=True),
            Column("SHA-256 of the data"),
        ),
        groups=tuple(
            RowGroup(
                tuple(
                    _row(use, {slug: name for slug, name in names.items() if slug in of})
                    for use, of in uses.items()
                ),
                title=f"{label(dataset, 60)} ({origin.replace('-', ' ')})",
                detail=label(note, 300),
            )
            for (dataset, origin, note), uses in used.items()
        ),
        style="prose",
    )


def _row(use: tuple[int, int, str], names: Mapping[str, str]) -> Row:
    """How much was used, and of which hash, by the benchmarks of these slugs and names."""
    training, validation, fingerprint = use
    return table_row(
        entry(*(Line(name, href=f"{slug}.html") for slug, name in names.items())),
        *map(quantity.count, (training, validation)),
        label(fingerprint[:16], 20),
    )
