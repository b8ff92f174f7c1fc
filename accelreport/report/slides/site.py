"""The deck of the whole site: what a talk of ten minutes shows of all benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from accelreport.report import formatting
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Download, Fact, Page, Section, Speech
from accelreport.report.pages.ceilings import ABOUT, ceilings_picture
from accelreport.report.pages.overview import ACCELERATORS, ALONE, PARTLY, PHONE, Overview
from accelreport.report.pages.sections.about import site_commands
from accelreport.report.pages.sections.compute import PATH
from accelreport.report.slides.benchmark import (
    figure_slides,
    slide_block,
    slides_path,
    titled,
    verdict_slide,
)
from accelreport.report.slides.notes import (
    for_the_hall,
    notice_sentences,
    once,
    opening_words,
    sentences,
    start_speech,
)
from accelreport.report.text import label, slug
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import MOST_SLIDES, NO_TALK, Talk

DECK = "slides.html"
"""Where the deck lies."""


def deck_page(benches: Sequence[BenchmarkView], front: Page, talk: Talk = NO_TALK) -> Page:
    """The deck.

    Args:
        benches: every benchmark.
        front: the front page, whose finding the first slide tells.
        talk: what a person chose of it.
    """
    of_all = {
        "rates": _rates(Overview(benches), front),
        "ceilings": _ceilings(benches),
        "claims": verdict_slide(benches),
    }
    pictured, bounds, verdicts = of_all.values()
    room = MOST_SLIDES - 1 - sum(slide is not None for slide in of_all.values())
    own, absent = _asked(_fullest(benches), talk, of_all)
    slides: Sequence[Section | None] = (
        own if talk.slides else (pictured, *_chosen(_fullest(benches), room), bounds, verdicts)
    )
    speech = start_speech(
        benches, site_commands(benches), Download(front.path, "Numbers: the front page")
    )
    count = formatting.plural(len(benches), "benchmark")
    return replace(
        for_the_hall(replace(front, byline=(*front.byline, *_processes(benches)))),
        path=DECK,
        headline=label(talk.title, 110) if talk.title else _question(benches),
        kicker=f"{count} · {label(front.kicker, 120)}",
        finding=opening_words(f"{front.headline}. {front.finding}"),
        opening=None,
        sections=tuple(slide for slide in slides if slide),
        template="slides.html",
        crumbs=(Download(front.path, "All benchmarks"),),
        related=(),
        speech=replace(speech, sentences=(*absent, *speech.sentences)),
    )


def _asked(
    benches: Sequence[BenchmarkView], talk: Talk, of_all: Mapping[str, Section | None]
) -> tuple[list[Section], list[str]]:
    """The slides that a person asked for, and a sentence about those that cannot be made."""
    known = {bench.plan.spec: bench for bench in benches}
    found, absent = [], []
    for each in talk.slides:
        bench = known.get(each.benchmark or "")
        own = {slide.id: slide for _, slide in _own_slides(bench)} if bench else {}
        if each.benchmark is None:
            slide = of_all.get(each.slide or "")
        elif each.slide is None:
            slide = next(iter(own.values()), None)
        else:
            slide = own.get(f"{slug(each.benchmark)}-{each.slide}")
        if slide:
            found.append(titled(slide, each))
        else:
            what = each.slide or "a figure"
            absent.append(label(f"{what} of {each.benchmark or 'all benchmarks'}", 90))
    said = f"The talk asks for slides that the results do not give: {formatting.listed(absent)}."
    return found, [said] if absent else []


def _question(benches: Sequence[BenchmarkView]) -> str:
    """What the talk answers: of accelerators where one was planned or published."""
    kinds = {device.kind for bench in benches for device in bench.plan.devices.values()}
    if kinds & {*ACCELERATORS}:
        return "What does an accelerator do for these models?"
    return "How fast does this computer train these models?"


def _processes(benches: Sequence[BenchmarkView]) -> tuple[Fact, ...]:
    repeats = sorted({bench.plan.measure.repeats for bench in benches})
    if not repeats:
        return ()
    text = " to ".join(formatting.count(n) for n in dict.fromkeys((repeats[0], repeats[-1])))
    return (Fact("Processes planned for each number", text),)


KERNEL = "kernel"
"""The form of a kernel's rates: whether what was printed can be."""
FORMS = (
    "sweep-lines",
    "law",
    "then-and-now",
    KERNEL,
    "hero-rates",
    "grid",
    "decision-map",
    "gallery",
    "hero-curves",
    "code",
    "hero-forecast",
    "hero-errors",
    "hero-bits",
    "hero-seeds",
    "hero-until",
    "latency-lines",
)
"""Forms in the order in which a talk goes on: speed, then what was learned, then its use."""
STORY = (
    "sweep-lines",
    "then-and-now",
    KERNEL,
    "grid",
    "gallery",
    "code",
    "hero-forecast",
    "hero-bits",
)
"""Forms that have room in each talk: the others take what these leave."""

_SIGNS = {
    "●": "● measured here, band: 95 % interval.",
    "◇": "◇ published, as printed.",
    "✕": "✕ beyond the chip’s peak.",
    ALONE: f"{ALONE} one process.",
    PARTLY: f"{PARTLY} ended by its budget.",
}
"""Signs of the picture → what they are, in a line that a hall reads; the notes say more."""


def _rates(view: Overview, front: Page) -> Section | None:
    """Measured and published on one axis; None where too little was measured."""
    picture = view.picture
    said = [text for sign, text in _SIGNS.items() if picture and sign in picture.caption]
    hung = replace(picture, caption=" ".join(said)) if picture else None
    block = slide_block(hung, "all", PHONE) if hung else None
    if picture is None or block is None:
        return None
    said = [*sentences(front.finding), *sentences(picture.caption), *notice_sentences(view.benches)]
    return Section(
        "rates",
        front.headline,
        (block,),
        finding="Measured and published on one axis · largest factors first",
        speech=Speech(once(said), (Download("index.html#overview", "Numbers: the front page"),)),
    )


def _ceilings(benches: Sequence[BenchmarkView]) -> Section | None:
    """How fast other hardware could be at the most; None where too little is bounded."""
    found = ceilings_picture(benches)
    block = slide_block(found[1], "bounds") if found else None
    if found is None or block is None:
        return None
    return Section(
        "ceilings",
        found[0],
        (block,),
        finding="Ceilings: bounds, no measurements",
        speech=Speech(
            once([*sentences(found[1].description), *sentences(ABOUT)[:3]]),
            (Download(PATH, "Numbers: the page of ceilings"),),
        ),
    )


def _chosen(benches: Sequence[BenchmarkView], most: int) -> list[Section]:
    """One slide for a benchmark: forms of the story first, each once, then others, then again.

    Of the benchmarks that have a form, one that learned from real data comes first, then one that
    was measured more than once, that stands beside published figures, and whose runs were whole.
    """
    decided = (each for each in benches if not hero_of(each).undecided)
    told = [dict(_own_slides(each)) for each in sorted(decided, key=_told_later)]
    order = list(dict.fromkeys((*STORY, *FORMS, *chain.from_iterable(told))))
    kept: list[tuple[str, Section]] = []
    while any(told) and len(kept) < most:
        for form in order:
            own = next((each for each in told if form in each), None)
            if own is not None:
                kept.append((form, own[form]))
                own.clear()
    places = {form: place for place, form in enumerate(FORMS)}
    kept = sorted(kept[:most], key=lambda one: places.get(one[0], len(places)))
    return [slide for _, slide in kept]


def _fullest(benches: Sequence[BenchmarkView]) -> list[BenchmarkView]:
    """Each spec once: of several profiles the full one, else that with the most numbers."""
    best: dict[str, BenchmarkView] = {}

    def rank(bench: BenchmarkView) -> tuple[bool, int]:
        return bench.plan.profile == "full", sum(row.measured for row in bench.results)

    for bench in benches:
        known = best.get(bench.plan.spec)
        if bench.shown_series and (known is None or rank(bench) > rank(known)):
            best[bench.plan.spec] = bench
    return list(best.values())


def _own_slides(bench: BenchmarkView) -> Iterator[tuple[str, Section]]:
    """The form and the slide of each figure of a benchmark."""
    hero = hero_of(bench)
    page = Download(f"{bench.slug}.html", "Numbers: the page of this benchmark")
    links = (page, Download(slides_path(bench), "Its own slides"))
    for form, slide in figure_slides(bench, hero, f"{slug(bench.plan.spec)}-"):
        form = KERNEL if bench.words.kernel else form
        yield form, replace(slide, speech=replace(slide.speech or Speech(()), sources=links))


def _told_later(bench: BenchmarkView) -> tuple[bool, bool, bool, bool]:
    once = all(len(bench.measured(s, p)) < 2 for s in bench.shown_series for p in bench.points)
    cut = any(row.status == "partial" for row in bench.results)
    return _stand_in(bench), once, not bench.plan.published, cut


def _stand_in(bench: BenchmarkView) -> bool:
    return any(row.origin == "synthetic" for row in bench.results if row.measured)
