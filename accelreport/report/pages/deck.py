"""The deck of the whole site: what a talk of ten minutes shows of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import (
    Block,
    Code,
    Download,
    Fact,
    Figure,
    Page,
    Panel,
    Prose,
    Section,
    Speech,
)
from accelreport.report.pages.about import on_a_screen, site_commands
from accelreport.report.pages.cold import cold_section
from accelreport.report.pages.deck_claims import claim_slides
from accelreport.report.pages.deck_gaps import gap_slides
from accelreport.report.pages.deck_matrix import matrix_slides
from accelreport.report.pages.finding import compared, headline
from accelreport.report.pages.published import published_section
from accelreport.report.pages.quality import quality_section
from accelreport.report.pages.slides import MOST_PANELS, few_dots
from accelreport.report.pages.speech import (
    REPEAT,
    for_the_hall,
    notice_sentences,
    once,
    processes_sentence,
    sentences,
    speedup_sentences,
)
from accelreport.report.pages.sweep import sweep_section
from accelreport.report.text import label

DECK = "slides.html"
"""Where the deck lies."""
MOST_BENCHMARKS = 20
"""Benchmarks that get a slide of their own: a talk has no room for more."""


def deck_page(benches: Sequence[Bench], front: Page) -> Page:
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


def _processes(benches: Sequence[Bench]) -> tuple[Fact, ...]:
    repeats = sorted({bench.plan.measure.repeats for bench in benches})
    if not repeats:
        return ()
    text = " to ".join(formatting.count(n) for n in dict.fromkeys((repeats[0], repeats[-1])))
    return (Fact("Processes planned for each number", text),)


def _benchmarks(benches: Sequence[Bench]) -> Iterator[Section]:
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
            speech=Speech((said,), (Download("index.html#benchmarks", "All benchmarks"),)),
        )


def _benchmark(bench: Bench, number: int) -> Section:
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


def _main_figure(bench: Bench) -> tuple[Section, Figure] | None:
    """The one figure of a benchmark: its speedups, else how it scales, starts or learns."""
    if compared(bench):
        figure = few_dots(bench)
        return Section("speedup", "Speedup", (figure,)), figure
    # A single bar says less than a curve does, and a curve of a single epoch less than that.
    bars = len(bench.points) * len(bench.shown_series)
    curve = any(len(record.epochs) > 1 for record in bench.records.values())
    starts_and_learns = [cold_section, quality_section]
    if bars == 1 and curve:
        starts_and_learns.reverse()
    makers = [sweep_section, *starts_and_learns]
    for section in (make(bench) for make in makers):
        for block in section.blocks if section else ():
            if section and isinstance(block, Figure) and not block.stacked:
                return section, block
    return None


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


def _again(benches: Sequence[Bench]) -> Section:
    return Section(
        "reproduce",
        "How to reproduce it",
        (Code("", on_a_screen(site_commands(benches))),),
        finding="Reproduce",
        speech=Speech(
            REPEAT, (Download("index.html#machines", "Numbers: the devices and machines"),)
        ),
    )
