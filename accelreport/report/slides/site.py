"""The deck of the whole site: what a talk of ten minutes shows of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from accelreport.analysis.stats import Verdict
from accelreport.report import formatting
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import (
    Badge,
    Block,
    Code,
    Download,
    Entry,
    Fact,
    Figure,
    Line,
    Page,
    Panel,
    Prose,
    Row,
    RowGroup,
    Section,
    Speech,
    Table,
)
from accelreport.report.pages.headline import compared, headline
from accelreport.report.pages.matrix import matrix
from accelreport.report.pages.sections.about import on_a_screen, site_commands
from accelreport.report.pages.sections.cold_start import cold_start_section
from accelreport.report.pages.sections.learning import quality_section
from accelreport.report.pages.sections.published import published_section
from accelreport.report.slides.benchmark import MOST_PANELS, few_dots
from accelreport.report.slides.claims import claim_slides, gap_slides
from accelreport.report.slides.notes import (
    REPEAT,
    for_the_hall,
    notice_sentences,
    once,
    processes_sentence,
    sentences,
    speedup_sentences,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

MOST_COLUMNS = 4
"""Devices a slide has room for."""
ROOM = 27.0
"""Height of the header and the rows of a slide, in units of its letters (rem)."""
HEADER_LETTERS = 26
"""Letters in a line of a row's header."""


@dataclass(frozen=True)
class _Line:
    """A row on its way to a slide: the columns in which it has numbers, and its height."""

    row: Row
    columns: tuple[int, ...]
    height: float


def matrix_slides(benches: Sequence[BenchmarkView]) -> Iterator[Section]:
    """Slides of the comparisons in the matrix; none where no two devices are compared."""
    pairs = [bench for bench in benches if compared(bench)]
    if not pairs:
        return
    table = matrix(pairs)
    if table is None:
        return
    rows = [_headed(group, row) for group in table.groups for row in group.rows if _compares(row)]
    lone = len(benches) - len(pairs)
    titles = [column.title for column in table.columns]
    parts = list(_parts([_line(row) for row in rows], titles))
    for number, (lines, columns) in enumerate(parts, start=1):
        part = _part(table, lines, columns, number)
        of = f" ({number} of {len(parts)})" if len(parts) > 1 else ""
        topic = f"How many times as fast as the baseline{of}"
        notes = [_begin(part)]
        if number == 1:
            notes += sentences(table.caption)[1:2]
        if number == 1 and lone:
            more = formatting.plural(lone, "benchmark has", "benchmarks have")
            notes.append(f"{more} no two measured devices, and so no row here.")
        yield Section(
            f"speedups-{number}",
            _finding(pairs) if number == 1 else topic,
            (part,),
            finding=topic if number == 1 else "Speedups",
            speech=Speech(
                once(notes),
                (Download("benchmarks.html#speedups", "Numbers: the table of speedups"),),
            ),
        )


def _part(table: Table, lines: Sequence[_Line], columns: Sequence[int], number: int) -> Table:
    """The rows and columns of a slide; a mark that every number has stands over all of them."""
    rows = [_narrowed(line.row, columns) for line in lines]
    measured = [set(entry.badges) for row in rows for entry in row.entries if not _empty(entry)]
    shared = set.intersection(*measured)
    marks = tuple(sorted((b for b in shared if b.tone != "quiet"), key=lambda b: b.text))
    rows = [_without(row, shared) for row in rows]
    return replace(
        table,
        id=f"matrix-{number}",
        title=f"Speedups, part {number}",
        caption="",
        columns=tuple(table.columns[i] for i in columns),
        groups=(RowGroup(tuple(rows)),),
        legend=any(entry.heat is not None for row in rows for entry in row.entries),
        badges=marks,
        download=None,
    )


def _without(row: Row, marks: set[Badge]) -> Row:
    entries = (
        replace(entry, badges=tuple(b for b in entry.badges if b not in marks))
        for entry in row.entries
    )
    return replace(row, entries=tuple(entries))


def _finding(benches: Sequence[BenchmarkView]) -> str:
    found = [each.estimate.verdict for bench in benches for each in compared(bench)]
    faster, slower = found.count(Verdict.FASTER), found.count(Verdict.SLOWER)
    open_ones = len(found) - faster - slower
    said = [f"{faster} faster", f"{slower} slower", f"{open_ones} the same or undecided"]
    return f"Of {formatting.plural(len(found), 'comparison')}: {formatting.listed(said)}."


def _begin(table: Table) -> str:
    """The numbers of the first row, to begin with."""
    first = table.groups[0].rows[0]
    told = [
        f"{column.title} {' '.join(f'({t.text})' if n else t.text for n, t in numbered)}"
        for column, entry in zip(table.columns, first.entries, strict=True)
        if not _empty(entry) and (numbered := list(enumerate(entry.lines)))
    ]
    return f"Begin with {first.header.lines[0].text}: {'; '.join(told)}."


def _empty(entry: Entry) -> bool:
    return entry.mark in {"absent", "apart", "failed"}


def _compares(row: Row) -> bool:
    return sum(not _empty(entry) for entry in row.entries) > 1


def _headed(group: RowGroup, row: Row) -> Row:
    """The row with its benchmark in its own header."""
    where = ", ".join(line.text for line in row.header.lines)
    lines = (Line(group.title), Line(f"{where}; {group.detail}", "reason"))
    entries = tuple(replace(entry, lines=entry.lines[:2]) for entry in row.entries)
    return replace(row, header=Entry(lines, href=group.href), entries=entries)


def _line(row: Row) -> _Line:
    columns = tuple(i for i, entry in enumerate(row.entries) if not _empty(entry))
    title, detail = (line.text for line in row.header.lines)
    header = 1.95 * -(-len(title) // HEADER_LETTERS) + 1.65 * -(-len(detail) // HEADER_LETTERS)
    badges = max(sum(badge.tone != "quiet" for badge in entry.badges) for entry in row.entries)
    return _Line(row, columns, max(header, 4.1 + 1.7 * badges) + 0.95)


def _parts(
    lines: Sequence[_Line], titles: Sequence[str]
) -> Iterator[tuple[list[_Line], list[int]]]:
    """Rows in the order of the table, as many on a slide as have room, with their columns."""
    held: list[_Line] = []
    for line in lines:
        union = {i for each in [*held, line] for i in each.columns}
        high = sum(each.height for each in [*held, line]) + _header([titles[i] for i in union])
        if held and (len(union) > MOST_COLUMNS or high > ROOM):
            yield from _chunks(held)
            held = []
        held.append(line)
    if held:
        yield from _chunks(held)


def _header(titles: Sequence[str]) -> float:
    """How high the names of the devices stand at most."""
    letters = 24 if len(titles) < MOST_COLUMNS else 13
    return 0.9 + 1.8 * max(-(-len(title) // letters) for title in titles)


def _chunks(lines: list[_Line]) -> Iterator[tuple[list[_Line], list[int]]]:
    """The rows with all their columns; where those are too many, in turns with the first one."""
    columns = sorted({i for line in lines for i in line.columns})
    if len(columns) <= MOST_COLUMNS:
        yield lines, columns
        return
    first, *rest = columns
    step = MOST_COLUMNS - 1
    for start in range(0, len(rest), step):
        yield lines, [first, *rest[start : start + step]]


def _narrowed(row: Row, columns: Sequence[int]) -> Row:
    return replace(row, entries=tuple(row.entries[i] for i in columns))


DECK = "slides.html"
"""Where the deck lies."""
MOST_BENCHMARKS = 20
"""Benchmarks that get a slide of their own: a talk has no room for more."""


def deck_page(benches: Sequence[BenchmarkView], front: Page) -> Page:
    """The deck.

    Args:
        benches: every benchmark.
        front: the front page, whose findings the first slide tells.
    """
    slides = [
        *matrix_slides(benches),
        *_benchmarks(benches),
        *claim_slides(benches),
        *gap_slides(benches),
        _again(benches),
    ]
    return replace(
        for_the_hall(replace(front, byline=(*front.byline, *_processes(benches)))),
        path=DECK,
        headline="",
        kicker="",
        finding=f"{label(front.headline, 150)}." if front.headline else "",
        sections=tuple(slides),
        template="slides.html",
        crumbs=(Download(front.path, "All benchmarks"),),
        related=(),
        speech=Speech(
            once([f"{front.headline}. {front.finding}".lstrip(". "), *notice_sentences(benches)]),
            (Download(front.path, "Numbers: the front page"),),
        ),
    )


def _processes(benches: Sequence[BenchmarkView]) -> tuple[Fact, ...]:
    repeats = sorted({bench.plan.measure.repeats for bench in benches})
    if not repeats:
        return ()
    text = " to ".join(formatting.count(n) for n in dict.fromkeys((repeats[0], repeats[-1])))
    return (Fact("Processes planned for each number", text),)


def _benchmarks(benches: Sequence[BenchmarkView]) -> Iterator[Section]:
    """A slide for each measured benchmark, comparisons first; then what has no slide here."""
    measured = [bench for bench in benches if bench.shown_series]
    ordered = sorted(measured, key=lambda bench: not compared(bench))
    for number, bench in enumerate(ordered[:MOST_BENCHMARKS]):
        yield _benchmark(bench, number)
    rest = ordered[MOST_BENCHMARKS:]
    if rest:
        text = f"{formatting.plural(len(rest), 'more benchmark has', 'more benchmarks have')}"
        said = f"{text} slides of their own, which their pages lead to."
        yield Section(
            "more",
            f"{formatting.plural(len(rest), 'benchmark')} without a slide here",
            (Prose(said),),
            finding="Benchmarks",
            speech=Speech((said,), (Download("benchmarks.html#progress", "All benchmarks"),)),
        )


def _benchmark(bench: BenchmarkView, number: int) -> Section:
    found = _main_figure(bench)
    said = sentences(headline(bench))
    block: Block
    heading = said[0]
    if found is None:
        block = Prose(" ".join(said[1:]) or "No figure can be drawn of it yet.")
        more = []
    else:
        block, more = _own(found[1], f"d{number}"), [found[0].finding]
        if block.id != "speedup-dots":
            heading = found[0].finding  # what the figure shows; the time of a step is in the notes
            more = [said[0]]
    published = published_section(bench)
    notes = [
        *(speedup_sentences(bench) if compared(bench) else [processes_sentence(bench)]),
        *(more if found and found[0].id != "speedup" else []),
        *([published.finding] if published else []),
        *said[1:],
        *(() if compared(bench) else notice_sentences([bench])),
    ]
    page = f"{bench.slug}.html"
    return Section(
        f"benchmark-{number + 1}",
        heading,
        (block,),
        finding=f"{label(bench.plan.title, 90)} · {label(bench.plan.profile, 40)} profile",
        speech=Speech(
            once(notes),
            (
                Download(page, "Numbers: the page of this benchmark"),
                Download(f"{bench.slug}.slides.html", "Its own slides"),
            ),
        ),
    )


def _main_figure(bench: BenchmarkView) -> tuple[Section, Figure] | None:
    """The one figure of a benchmark: its speedups, else how it scales, starts or learns."""
    if compared(bench):
        figure = few_dots(bench)
        return Section("speedup", "Speedup", (figure,)), figure
    # A single bar says less than a curve does, and a curve of a single epoch less than that.
    bars = len(bench.points) * len(bench.shown_series)
    curve = any(len(record.epochs) > 1 for record in bench.records.values())
    starts_and_learns = [cold_start_section, quality_section]
    if bars == 1 and curve:
        starts_and_learns.reverse()
    makers = [_swept, *starts_and_learns]
    for section in (make(bench) for make in makers):
        for block in section.blocks if section else ():
            if section and isinstance(block, Figure) and not block.stacked:
                return section, block
    return None


def _swept(bench: BenchmarkView) -> Section | None:
    """What the swept keys do; None without any."""
    hero = hero_of(bench) if bench.axes else None
    figures = [each for each in hero.slide_figures() if isinstance(each, Figure)] if hero else []
    return (
        Section("sweep", "Sweep", (figures[0],), finding=hero.title) if hero and figures else None
    )


def _own(figure: Figure, name: str) -> Figure:
    """The figure with ids that no other one of the deck has, and no more panels than fit."""
    return replace(
        figure,
        panels=tuple(_panel(panel, name) for panel in figure.panels[:MOST_PANELS]),
        table=None,
        data=None,
        downloads=(),
    )


def _panel(panel: Panel, name: str) -> Panel:
    narrow = panel.narrow
    return replace(
        panel,
        wide=replace(panel.wide, prefix=f"{name}-{panel.wide.prefix}"),
        narrow=replace(narrow, prefix=f"{name}-{narrow.prefix}") if narrow else None,
    )


def _again(benches: Sequence[BenchmarkView]) -> Section:
    return Section(
        "reproduce",
        "How to reproduce it",
        (Code("", on_a_screen(site_commands(benches))),),
        finding="Reproduce",
        speech=Speech(
            REPEAT, (Download("devices.html#machines", "Numbers: the devices and machines"),)
        ),
    )
