"""The deck of the whole site: what a talk of ten minutes shows of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from accelreport.analysis.findings import Caveat, Kind
from accelreport.analysis.ranking import ACCELERATORS
from accelreport.analysis.speed_findings import forward
from accelreport.report import quantity
from accelreport.report.claim_text import decided_counts, decided_text
from accelreport.report.forms import signs_text
from accelreport.report.front import FrontFinding, front_findings
from accelreport.report.model import (
    Download,
    Key,
    LargeNumber,
    Page,
    Section,
    Speech,
)
from accelreport.report.notices import data_notices
from accelreport.report.openings.opening import ON_A_SLIDE, Plot
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.index import front_figures
from accelreport.report.pages.overview import PHONE, Overview
from accelreport.report.pages.sections.about import site_commands
from accelreport.report.say import Speaker
from accelreport.report.slides.benchmark import (
    MOST_TAKEN,
    figure_slides,
    foot,
    slide_block,
    slides_path,
    takeaway_slide,
    verdict_slide,
)
from accelreport.report.slides.notes import (
    for_the_hall,
    notice_sentences,
    on_time,
    start_speech,
    unique,
)
from accelreport.report.text import label, slug
from accelreport.report.theme import COLOURS, line_key
from accelreport.report.view import BenchmarkView

SHORTENED = {Caveat.BUDGET, Caveat.SINGLE_RUN}
"""What makes a mark of the picture of all workloads pale."""
MOST_SLIDES = 8
"""Slides that the findings choose, the first one among them."""
DECK = "slides.html"
"""Where the deck lies."""


def deck_page(benches: Sequence[BenchmarkView], front: Page) -> Page:
    """The deck.

    Args:
        benches: every benchmark.
        front: the front page, whose finding the first slide tells.
    """
    view = Overview(benches)
    decided, rates = _rates(view)
    last = (verdict_slide(benches), _takeaway(view))
    room = MOST_SLIDES - 1 - sum(slide is not None for slide in (decided, rates, *last))
    slides = (decided, rates, *_chosen(_fullest(benches), room), *last)
    question = _question(benches)
    speech = start_speech(
        benches,
        (question, f"{front.headline}."),
        site_commands(benches),
        Download(front.path, "Numbers: front page"),
    )
    count = quantity.plural(len(benches), "benchmark")
    return on_time(
        replace(
            for_the_hall(front),
            path=DECK,
            headline=question,
            kicker=" · ".join(filter(None, (count, label(front.kicker, 120)))),
            finding=f"{front.headline}.",
            opening=None,
            notices=data_notices(benches),
            sections=tuple(slide for slide in slides if slide),
            template="slides.html",
            crumbs=(Download(front.path, "All benchmarks"),),
            related=(),
            speech=speech,
        )
    )


def _question(benches: Sequence[BenchmarkView]) -> str:
    """What the talk answers: of accelerators where one was measured."""
    kinds = {
        bench.plan.devices[row.device].kind
        for bench in benches
        for row in bench.results
        if row.timed
    }
    if kinds & {*ACCELERATORS}:
        return "What does an accelerator do for these models?"
    return "How fast does this computer train these models?"


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


def _rates(view: Overview) -> tuple[Section | None, Section | None]:
    """The comparisons measured here, and the published machines; None where there are too few."""
    decided, picture = front_figures(view)
    caveats = frozenset().union(*(row.caveats for row in view.shown))
    pale = ["pale: budget, single run"] * bool(caveats & SHORTENED)
    brief = " · ".join(filter(None, (*pale, signs_text(caveats - SHORTENED))))
    picture = replace(picture, keys=_keys(view), brief=brief) if picture else None
    notes = unique(notice_sentences(view.benches))
    source = (Download("index.html", "Numbers: front page"),)

    def slide(name: str, plot: Plot | None) -> Section | None:
        block = slide_block(plot, name, PHONE) if plot else None
        if plot is None or block is None:
            return None
        speech = Speech((f"{plot.title}.",), notes, source)
        return Section(name, plot.title, (block,), finding=foot("Throughput", block), speech=speech)

    return slide("decided", decided), slide("rates", picture)


def _keys(view: Overview) -> tuple[Key, ...]:
    """Which colours are GPUs and which are TPUs, measured and published."""
    marks = dict[tuple[str, bool], int]()
    for row in view.shown[: ON_A_SLIDE.most]:
        kinds = {colour: row.kind(device) for device, colour in row.bench.colours.items()}
        for dot in view.dots(row):
            if not dot.is_base:
                colour = dot.device.colour
                marks.setdefault((kinds.get(colour, ""), dot.published), colour)
    return tuple(
        Key(f"{kind}{', published' * published}", f"s{colour % COLOURS}",
            "diamond" if published else line_key(colour, 0), colour)
        for (kind, published), colour in sorted(marks.items())
    )  # fmt: skip


_TAKEN = {Kind.FASTER, Kind.SLOWER, Kind.SAME, Kind.PUBLISHED}
"""Findings over workloads that are taken away."""


def _takeaway(view: Overview) -> Section | None:
    """The last slide: findings as large numbers, and in a line what was cut short or is absent.

    Two are of all workloads, then the claims, then those of benchmarks; None where none is decided.
    """
    front: dict[Kind, FrontFinding] = {}
    for front_finding in front_findings(view):
        if front_finding.kind in _TAKEN and front_finding.finding.titles:
            front.setdefault(front_finding.kind, front_finding)
    taken = [
        LargeNumber(Speaker(bench).number(forward(finding.values[0])), f"{finding.title}.")
        for finding in list(front.values())[: MOST_TAKEN - 1]
        if (bench := finding.bench)
    ]
    tested = [result for bench in view.benches for result in bench.tested]
    decided, total = decided_counts(tested)
    if decided:
        taken.append(LargeNumber(f"{decided} of {total}", f"{decided_text(tested)}."))
    for bench in sorted(_fullest(view.benches), key=_later):
        opening = opening_of(bench)
        if opening.number_of_title:
            (number,) = opening.number_of_title
            taken.append(replace(number, text=f"{opening.title}."))
    taken = list({number.text: number for number in taken}.values())
    if not taken:
        return None
    source = Download("index.html", "Numbers: front page")
    return takeaway_slide(view.benches, taken, source)


def _chosen(benches: Sequence[BenchmarkView], most: int) -> list[Section]:
    """One slide for each kind of finding in the order of the story, then one of other benchmarks.

    Of the benchmarks that have a kind, one that learned from real data comes first, then one that
    was measured more than once, that stands beside published figures, and whose runs were whole.
    """
    left = [dict(_own_slides(bench)) for bench in sorted(benches, key=_later)]
    order = [*STORY, *(kind for kind in Kind if kind not in STORY)]
    kept: list[tuple[Kind, Section]] = []
    while any(left) and len(kept) < most:
        for kind in order:
            own = next((slides for slides in left if kind in slides), None)
            if own is not None:
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
    if opening_of(bench).finding:
        for kind, slide in figure_slides(bench, f"{slug(bench.plan.spec)}-"):
            speech = replace(slide.speech or Speech((), ()), sources=links)
            yield kind, replace(slide, speech=speech)


def _later(bench: BenchmarkView) -> tuple[bool, bool, bool, bool]:
    single = all(len(bench.measured(s, p)) < 2 for s in bench.shown_series for p in bench.points)
    cut = any(row.status == "partial" for row in bench.results)
    stand_in = any(row.origin == "synthetic" for row in bench.results if row.measured)
    return stand_in, single, not bench.plan.published, cut
