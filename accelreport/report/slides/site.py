"""The deck of the whole site: what a talk of ten minutes shows of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from accelreport.analysis.findings import Kind
from accelreport.report import quantity
from accelreport.report.model import Download, Page, Section, Speech
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.index import front_parts
from accelreport.report.pages.machines import place_text
from accelreport.report.pages.overview import Overview
from accelreport.report.pages.sections.about import site_commands
from accelreport.report.slides.benchmark import (
    FIRST,
    MOST_SLIDES,
    deck,
    figure_slides,
    first_size,
    foot,
    slide_block,
    slides_path,
    terms_of,
)
from accelreport.report.slides.notes import notice_sentences, unique
from accelreport.report.text import slug
from accelreport.report.view import BenchmarkView, measured_records

DECK = "slides.html"
"""Where the deck lies."""


def deck_page(benches: Sequence[BenchmarkView], front: Page) -> Page:
    """The deck.

    Args:
        benches: every benchmark.
        front: the front page, whose finding and figures the first slides have.
    """
    headed, others, plots = front_parts(Overview(benches))
    measured = [b for b in benches if any(row.measured for row in b.results)]
    slides, shown_findings = [], list(headed)
    for name, plot in plots[1:]:
        block = slide_block(plot, name)
        able = (f for f in others if f.finding.titles)
        shown = (f for f in able if all(v in plot.values for v in f.finding.title_values))
        finding = next(shown, None)
        if block and finding:
            shown_findings.append(finding)
            source = (Download(front.path, "Numbers: front page"),)
            notes = unique(notice_sentences(benches))
            speech = Speech((f"{finding.title}.",), notes, source)
            below = foot([], block, terms_of(benches))
            slides.append(Section(name, finding.title, (block,), below, speech=speech))
    shown_benches = {finding.bench.slug for finding in shown_findings if finding.bench}
    left = [bench for bench in _fullest(benches) if bench.slug not in shown_benches]
    return deck(
        benches,
        front,
        path=DECK,
        title=front.headline,
        answer="",
        topic=quantity.plural(len(measured or benches), "benchmark"),
        notes=[quantity.days(record.started_at for record in measured_records(benches))],
        shown=slide_block(plots[0][1], FIRST, size=first_size(answered=False)) if plots else None,
        slides=[*slides, *_chosen(left, MOST_SLIDES - 3 - len(slides))],
        again=site_commands(benches),
    )


STORY = (
    Kind.TOTAL,
    Kind.FASTER,
    Kind.GAIN,
    Kind.COMPILED,
    Kind.MISCLASSIFIED,
    Kind.WRITES,
    Kind.FORECAST,
    Kind.INT8,
    Kind.LATENCY,
)
"""Findings in the order of a talk: speed, then what was learned, then its use."""


def _chosen(benches: Sequence[BenchmarkView], most: int) -> list[Section]:
    """One slide for each kind of finding in the order of the story, then one of other benchmarks.

    Of the benchmarks that have a kind, one that learned from real data comes first, then one that
    was measured more than once, that stands beside published figures, and whose runs were whole.
    """
    left = [dict(reversed([*_own_slides(bench)])) for bench in sorted(benches, key=_later)]
    order = [*STORY, *(kind for kind in Kind if kind not in STORY)]
    kept: list[tuple[Kind, Section]] = []
    while any(left) and len(kept) < most:
        for kind in order:
            own = next((slides for slides in left if kind in slides), None)
            if own is not None:
                if own[kind].title not in {slide.title for _, slide in kept}:
                    kept.append((kind, own[kind]))
                own.clear()
    kept = sorted(kept[:most], key=lambda slide: order.index(slide[0]))
    return [slide for _, slide in kept]


def _fullest(benches: Sequence[BenchmarkView]) -> list[BenchmarkView]:
    """Each spec once: of several profiles the full one, else that with the most numbers."""
    best: dict[str, BenchmarkView] = {}

    def rank(bench: BenchmarkView) -> tuple[bool, int]:
        return bench.plan.profile == "full", sum(row.timed for row in bench.results)

    for bench in benches:
        known = best.get(bench.plan.spec)
        if bench.shown_series and (known is None or rank(bench) > rank(known)):
            best[bench.plan.spec] = bench
    return list(best.values())


def _own_slides(bench: BenchmarkView) -> Iterator[tuple[Kind, Section]]:
    """The kind and the slide of each figure of a benchmark that decides something."""
    page = Download(f"{bench.slug}.html", "Numbers: this benchmark")
    links = (page, Download(slides_path(bench), "Its own slides"))
    several = bool(bench.mixed) or "CPU" not in bench.here
    place = [f"{line}." for line in (place_text([bench]),) if line and several]
    if opening_of(bench).finding:
        for kind, slide in figure_slides(bench, prefix=f"{slug(bench.plan.spec)}-"):
            if kind is Kind.UNDECIDED:
                continue
            speech = slide.speech or Speech((), ())
            speech = replace(speech, sentences=(*speech.sentences, *place), sources=links)
            yield kind, replace(slide, speech=speech)


def _later(bench: BenchmarkView) -> tuple[bool, bool, bool, bool]:
    single = all(len(bench.measured(s, p)) < 2 for s in bench.shown_series for p in bench.points)
    cut = any(row.status == "partial" for row in bench.results)
    stand_in = any(row.origin == "synthetic" for row in bench.results if row.measured)
    return stand_in, single, not bench.plan.published, cut
