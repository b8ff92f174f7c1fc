"""Slides of a benchmark: one finding and one figure a screen, for the last row of a hall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from accelreport.report.model import Block, Code, Download, Entry, Figure, Page, Row, Section, Table
from accelreport.report.pages.headline import headline
from accelreport.report.pages.sections.about import on_a_screen
from accelreport.report.pages.sections.published import published_figure
from accelreport.report.pages.sections.speedup import dots_figure
from accelreport.report.slides.claims import claim_slides, gap_slides
from accelreport.report.slides.notes import for_the_hall, sentences, slide_speech, start_speech
from accelreport.report.view import BenchmarkView

MOST_ROWS = 4
"""Rows of a table that can be read from the last row."""
MOST_COLUMNS = 6
MOST_LINES = 16
"""Rows of a drawing that can be read from there."""
MOST_PAIRS = 8
"""Rows of the drawing of published figures, which are higher."""
MOST_PANELS = 3
"""Drawings side by side."""
TABLES = ("speedup-table", "target-table", "confusion-table", "choice-table")
"""Tables that get a slide, where they are short enough."""

_TABLE = "Table: "
"""Before a table's name, which must differ from that of the slide it stands on."""


def slides_path(bench: BenchmarkView) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: BenchmarkView, page: Page) -> Page:
    """The slides, made of what stands on the benchmark's page."""
    slides = [
        slide
        for section in page.sections
        for number, block in enumerate(_shown(bench, section))
        for slide in _slides(bench, section, block, number)
    ]
    last = [slide for slide in slides if slide.blocks[0].kind == "code"]
    first = [slide for slide in slides if slide not in last]
    sections = (*first, *claim_slides([bench]), *gap_slides([bench]), *last)
    return replace(
        for_the_hall(page),
        path=slides_path(bench),
        sections=sections,
        template="slides.html",
        crumbs=(Download(f"{bench.slug}.html", "The page"),),
        related=(),
        speech=start_speech(bench),
    )


def _shown(bench: BenchmarkView, section: Section) -> Iterator[Block]:
    lines = len(bench.points) * (1 + len(bench.series))
    for block in section.blocks:
        if isinstance(block, Figure):
            if block.id == "speedup-dots" and lines > MOST_LINES:
                yield few_dots(bench)
            elif block.id != "cold-bars" or lines <= MOST_LINES:
                yield replace(_readable(bench, block), downloads=())
        elif isinstance(block, Table):
            rows = sum(len(group.rows) + bool(group.title) for group in block.groups)
            short = rows <= MOST_ROWS
            if block.id in TABLES and short and len(block.columns) <= MOST_COLUMNS:
                yield _linked(
                    bench, replace(block, title=f"{_TABLE}{block.title}", download=None, notes=())
                )
        elif isinstance(block, Code) and section.id == "reproduce":
            yield replace(block, tokens=on_a_screen(block.tokens))


def few_dots(bench: BenchmarkView) -> Figure:
    """The speedups at as many sweep points as can be read."""
    others = max(1, len(bench.series) - 1)
    rows = 1 if others == 1 else 1 + others
    return dots_figure(bench, max(2, MOST_LINES // rows))


def _readable(bench: BenchmarkView, figure: Figure) -> Figure:
    """The figure with no more rows to a drawing than can be read, and without a choice."""
    if figure.choose:
        return replace(figure, panels=figure.panels[:1], choose=False, subtitle="")
    if figure.id != "published-pairs":
        return figure
    counts = Counter(found.figure for found in bench.published_results)
    if max(counts.values()) <= MOST_PAIRS:
        return figure
    shared = published_figure(bench, MOST_PAIRS)
    titles = [panel.title for panel in shared.panels]
    panels = [
        replace(panel, title=_numbered(panel.title, titles[:i].count(panel.title), titles))
        for i, panel in enumerate(shared.panels)
    ]
    return replace(shared, panels=tuple(panels))


def _numbered(title: str, before: int, titles: list[str]) -> str:
    """The title with its place among those that are the same."""
    return f"{title} ({before + 1} of {titles.count(title)})" if titles.count(title) > 1 else title


def _linked(bench: BenchmarkView, table: Table) -> Table:
    """The table with links that lead to the cells on the benchmark's page."""

    def entry(each: Entry) -> Entry:
        inside = each.href.startswith("#")
        return replace(each, href=f"{bench.slug}.html{each.href}") if inside else each

    def row(each: Row) -> Row:
        return replace(each, entries=tuple(entry(cell) for cell in each.entries))

    groups = (replace(g, rows=tuple(row(each) for each in g.rows)) for g in table.groups)
    return replace(table, groups=tuple(groups))


def _slides(bench: BenchmarkView, section: Section, block: Block, number: int) -> Iterator[Section]:
    """One slide for a block; one for each drawing of a figure whose drawings are stacked."""
    heading = section.finding if number == 0 and section.finding else ""
    if isinstance(block, Figure) and block.stacked:
        for i, panel in enumerate(block.panels):
            part = replace(block, id=f"{block.id}-{i}", panels=(panel,), table=None)
            title = heading if i == 0 and heading else f"{section.title}: {panel.title}"
            yield _slide(bench, section, part, f"{number}-{i}", title)
        return
    if isinstance(block, Figure) and len(block.panels) > MOST_PANELS:
        shares = _shares(block)
        for i, part in enumerate(shares):
            of = f"{section.title} ({i + 1} of {len(shares)})"
            title = heading if i == 0 and heading else of
            yield _slide(bench, section, part, f"{number}-{i}", title)
        return
    own = block.title if isinstance(block, Figure | Table) else section.title
    if isinstance(block, Figure) and block.id == "speedup-dots":
        own = sentences(headline(bench))[0]
    yield _slide(bench, section, block, str(number), heading or own.removeprefix(_TABLE))


def _shares(figure: Figure) -> list[Figure]:
    """The figure in parts of a few drawings each."""
    count = -(-len(figure.panels) // MOST_PANELS)
    size = -(-len(figure.panels) // count)
    return [
        replace(figure, id=f"{figure.id}-{i}", panels=figure.panels[i * size : (i + 1) * size])
        for i in range(count)
    ]


def _slide(
    bench: BenchmarkView, section: Section, block: Block, number: str, title: str
) -> Section:
    return Section(
        f"{section.id}-{number}",
        title,
        (block,),
        finding=section.title,
        speech=slide_speech(bench, section, block),
    )
