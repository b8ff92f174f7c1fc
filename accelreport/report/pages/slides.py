"""Slides of a benchmark: one finding and one figure a screen, for the last row of a hall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accelreport.report.bench import Bench
from accelreport.report.model import Block, Code, Download, Entry, Figure, Page, Row, Section, Table

MOST_ROWS = 4
"""Rows of a table that can be read from the last row."""
MOST_COLUMNS = 6
MOST_LINES = 16
"""Rows of a drawing that can be read from there."""
TABLES = ("speedup-table", "target-table", "confusion-table", "choice-table")
"""Tables that get a slide, where they are short enough."""

_TABLE = "Table: "
"""Before a table's name, which must differ from that of the slide it stands on."""


def slides_path(bench: Bench) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: Bench, page: Page) -> Page:
    """The slides, made of what stands on the benchmark's page."""
    sections = tuple(
        slide
        for section in page.sections
        for number, block in enumerate(_shown(bench, section))
        for slide in _slides(section, block, number)
    )
    return replace(
        page,
        path=slides_path(bench),
        sections=sections,
        template="slides.html",
        crumbs=(Download(f"{bench.slug}.html", "The page"),),
        related=(),
    )


def _shown(bench: Bench, section: Section) -> Iterator[Block]:
    lines = len(bench.points) * (1 + len(bench.series))
    for block in section.blocks:
        if isinstance(block, Figure):
            rows = block.id in {"speedup-dots", "cold-bars"}
            if not rows or lines <= MOST_LINES:
                yield replace(block, downloads=())
        elif isinstance(block, Table):
            short = sum(len(group.rows) for group in block.groups) <= MOST_ROWS
            if block.id in TABLES and short and len(block.columns) <= MOST_COLUMNS:
                yield _linked(
                    bench, replace(block, title=f"{_TABLE}{block.title}", download=None, notes=())
                )
        elif isinstance(block, Code) and section.id == "reproduce":
            yield block


def _linked(bench: Bench, table: Table) -> Table:
    """The table with links that lead to the cells on the benchmark's page."""

    def entry(each: Entry) -> Entry:
        inside = each.href.startswith("#")
        return replace(each, href=f"{bench.slug}.html{each.href}") if inside else each

    def row(each: Row) -> Row:
        return replace(each, entries=tuple(entry(cell) for cell in each.entries))

    groups = (replace(g, rows=tuple(row(each) for each in g.rows)) for g in table.groups)
    return replace(table, groups=tuple(groups))


def _slides(section: Section, block: Block, number: int) -> Iterator[Section]:
    """One slide for a block; one for each drawing of a figure whose drawings are stacked."""
    heading = section.finding if number == 0 and section.finding else ""
    if isinstance(block, Figure) and block.stacked:
        for i, panel in enumerate(block.panels):
            part = replace(block, id=f"{block.id}-{i}", panels=(panel,), table=None)
            title = heading if i == 0 and heading else f"{section.title}: {panel.title}"
            yield Section(f"{section.id}-{number}-{i}", title, (part,), finding=section.title)
        return
    own = block.title if isinstance(block, Figure | Table) else section.title
    own = own.removeprefix(_TABLE)
    yield Section(f"{section.id}-{number}", heading or own, (block,), finding=section.title)
