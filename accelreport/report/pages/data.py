"""What the benchmarks read, where it came from, and every number as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelreport.datasets.catalogue import CATALOGUE
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
from accelreport.report.pages.badges import titles_of
from accelreport.report.pages.sections.about import web_address
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

PATH = "data.html"
ORIGINS = {
    "official": "the published files",
    "sample": "a sample",
    "synthetic": "a synthetic stand-in",
    "user-supplied": "own files",
}
"""Where data came from, in words."""
FILES = (
    Download("speedups.csv", "speedups.csv", "every comparison"),
    Download("results.json", "results.json", "findings and claims"),
)


def data_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    read = _table(benches)
    sections = (
        Section("sets", "Data sets", (read,)) if read.groups else None,
        Section("files", "Files", (Downloads(FILES),)),
    )
    return Page(
        path=PATH,
        title="Data",
        headline=_headline(benches),
        finding="",
        sections=tuple(section for section in sections if section),
        template="article.html",
    )


def _headline(benches: Sequence[BenchmarkView]) -> str:
    """How many data sets benchmarks read."""
    sets = {
        record.data.dataset
        for bench in benches
        for record in bench.records.values()
        if record.data is not None and record.data.origin != "generated"
    }
    return quantity.plural(len(sets), "data set") if sets else "No data sets"


_Use = tuple[int, int, str]
"""Training and validation examples, and the kind of workload."""


def _table(benches: Sequence[BenchmarkView]) -> Table:
    """A group for each data set and origin, and a row for each use of it.

    Benchmarks that used as much of it share a row.
    """
    used: dict[tuple[str, ...], dict[_Use, set[str]]] = {}
    for bench in benches:
        for record in bench.records.values():
            data = record.data
            if data is not None and data.origin != "generated":
                own = data.dataset in CATALOGUE and not CATALOGUE[data.dataset].files
                files = quantity.listed([label(name, 60) for name in sorted(data.files)]) * own
                uses = used.setdefault((data.dataset, data.origin, data.note, files), {})
                kind = str(bench.plan.workload.get("kind"))
                use = (data.train_examples, data.validation_examples, kind)
                uses.setdefault(use, set()).add(bench.slug)
    names = titles_of(benches)
    return Table(
        id="data-table",
        title="Data sets",
        corner="data set",
        columns=(
            Column("examples", number=True),
            Column("for validation", number=True),
            Column("licence"),
        ),
        groups=tuple(
            RowGroup(
                tuple(
                    _row(use, {slug: name for slug, name in names.items() if slug in of}, dataset)
                    for use, of in uses.items()
                ),
                title=files
                or (CATALOGUE[dataset].title if dataset in CATALOGUE else label(dataset, 60))
                + f" ({ORIGINS.get(origin, label(origin, 40))})",
                href=web_address(CATALOGUE[dataset].homepage) if dataset in CATALOGUE else "",
                detail=_detail(dataset, note),
            )
            for (dataset, origin, note, files), uses in used.items()
        ),
        style="prose",
    )


def _detail(dataset: str, note: str) -> str:
    """The note on the files that were read, and the citation of a known data set, a line each."""
    citation = CATALOGUE[dataset].citation if dataset in CATALOGUE else ""
    return "\n".join(filter(None, (label(note, 300), citation)))


def _row(use: _Use, names: Mapping[str, str], dataset: str) -> Row:
    """How much was used by the benchmarks of these slugs and names."""
    training, validation, kind = use
    windows, sequence = (" windows", " sequence") if kind == "series_forecast" else ("", "")
    return table_row(
        entry(*(Line(name, href=f"{slug}.html") for slug, name in names.items())),
        quantity.count(training) + windows,
        quantity.count(validation) + sequence,
        CATALOGUE[dataset].licence if dataset in CATALOGUE else quantity.MISSING,
    )
