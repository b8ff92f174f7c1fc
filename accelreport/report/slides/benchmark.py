"""The deck of a benchmark: its question, what its hero's figures show, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from accelreport.report import formatting
from accelreport.report.heroes.general import rates_figure, rates_title
from accelreport.report.heroes.hero import ON_A_PHONE, ON_A_SLIDE, Hero, HeroFigure, Shown, Size
from accelreport.report.heroes.rates import fullest_point
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Block, Code, Download, LargeNumbers, Page, Section, Speech
from accelreport.report.pages.claims import units_of
from accelreport.report.pages.sections.about import commands
from accelreport.report.slides.notes import (
    claim_sentences,
    figure_sentences,
    for_the_hall,
    once,
    start_speech,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

MOST_SLIDES = 8
"""Slides of a benchmark's deck, the first one among them."""
LEAST_POINTS = 3
"""Of fewer points no figure is made: a sentence says them."""
MOST_LETTERS = 110
"""Letters of a title, which has two lines."""
MOST_WRITTEN = 560
"""Letters of a text that a network wrote, which stand on a slide."""
MOST_TOPIC = 88
"""Letters of the line over a title."""
_DRAWN = {"point", "circle", "bar", "rect", "line", "area"}
"""Marks that carry data; rules and texts are lines of a grid, bands and labels."""
_SHORT = {
    "confirmed": "confirmed here",
    "refuted": "refuted here",
    "undecided": "undecided",
    "agree": "agree in print",
    "contradict": "contradicted in print",
    "device": "in need of a device",
}
"""State of a claim → what a title calls it."""


def slides_path(bench: BenchmarkView) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: BenchmarkView, page: Page) -> Page:
    """The slides of a benchmark.

    Args:
        bench: the benchmark.
        page: its page, whose finding the first slide tells.
    """
    hero = hero_of(bench)
    slides = [
        *hero_slides(bench, hero, "figure"),
        *rates_slide(bench, hero, "rates"),
        *_numbers(bench, hero),
    ]
    verdicts = verdict_slide([bench])
    most = MOST_SLIDES - 1 - bool(verdicts)
    return replace(
        for_the_hall(page),
        path=slides_path(bench),
        finding=f"{hero.title}. {label(hero.answer, 330)}",
        opening=None,
        sections=(*slides[:most], *([verdicts] if verdicts else [])),
        template="slides.html",
        crumbs=(Download(f"{bench.slug}.html", "The page"),),
        related=(),
        speech=start_speech(
            [bench], commands(bench), Download(f"{bench.slug}.html", "Numbers: the page")
        ),
    )


def hero_slides(bench: BenchmarkView, hero: Hero, name: str) -> Iterator[Section]:
    """A slide for each figure of a hero that has points enough.

    Args:
        bench: the benchmark.
        hero: what it found.
        name: begins the ids of the slides, and is unique in the deck.
    """
    for number, (finding, shown) in enumerate(hero.shown()):
        block = slide_block(shown, f"{name}-{number}")
        if block is not None:
            yield _slide(bench, f"{name}-{number}", finding, block, hero.kicker)


def slide_block(shown: Shown, name: str, narrow: Size = ON_A_PHONE) -> Block | None:
    """A figure at the size of a slide; None of one with too few points."""
    if isinstance(shown, Code):
        return _written(shown)
    if not isinstance(shown, HeroFigure):
        return replace(shown, href="")
    figure = replace(shown, id=name, table=None).figure(ON_A_SLIDE, narrow)
    count = shown.points or points_of(figure.panels[0].wide.spec)
    return figure if count >= LEAST_POINTS else None


def points_of(spec: Mapping[str, Any]) -> int:
    """How many points a chart draws: rows of its largest marks, of all panels together."""
    kept = spec.get("datasets", {})

    def count(part: Mapping[str, Any]) -> int:
        if "hconcat" in part:
            return sum(map(count, part["hconcat"]))
        mark, data = part.get("mark", {}), part.get("data", {})
        drawn = (mark if isinstance(mark, str) else mark.get("type")) in _DRAWN
        own = len(kept.get(data.get("name"), data.get("values", ()))) if drawn else 0
        return max([own, *map(count, part.get("layer", ()))])

    return count(spec)


def _written(code: Code) -> Code:
    """A text in as many letters as have room."""
    left, kept = MOST_WRITTEN, []
    for token in code.tokens:
        if left <= 0:
            break
        kept.append(replace(token, text=token.text[:left]))
        left -= len(token.text)
    return replace(code, title="", tokens=tuple(kept), wrapped=True)


def _slide(bench: BenchmarkView, name: str, title: str, block: Block, topic: str) -> Section:
    page = Download(f"{bench.slug}.html", f"Numbers: {label(bench.plan.title, 90)}")
    return Section(
        name,
        label(title, MOST_LETTERS),
        (block,),
        finding=_fitting(topic),
        speech=Speech(once(figure_sentences(bench, block)), (page,)),
    )


def _fitting(topic: str) -> str:
    """As many parts of a topic as a line has room for; never none."""
    kept, *parts = topic.split(" · ")
    for part in parts:
        if len(kept) + len(part) + 3 > MOST_TOPIC:
            break
        kept = f"{kept} · {part}"
    return label(kept, MOST_TOPIC)


def rates_slide(bench: BenchmarkView, hero: Hero, name: str) -> Iterator[Section]:
    """Measured and published rates, where the hero does not show them itself."""
    point = fullest_point(bench)
    if point is None or any(getattr(shown, "id", "") == "hero-rates" for shown in hero.figures):
        return
    block = slide_block(rates_figure(bench, point), name)
    if block is not None:
        yield _slide(bench, name, rates_title(bench, point), block, hero.kicker)


def _numbers(bench: BenchmarkView, hero: Hero) -> Iterator[Section]:
    """The numbers of a hero, where there are three."""
    if len(hero.numbers) >= LEAST_POINTS:
        first = hero.numbers[0]
        title = f"{first.value}: {first.text}"
        yield _slide(bench, "numbers", title, LargeNumbers(hero.numbers[:4]), hero.kicker)


def verdict_slide(benches: Sequence[BenchmarkView]) -> Section | None:
    """What became of the claims, a square for each; None where no spec makes one."""
    units = units_of(benches)
    if units is None:
        return None
    count = formatting.plural(len(units.items), "claim")
    said = formatting.listed([f"{number} {_SHORT[state]}" for state, _, number in units.keys])
    where = "claims.html" if len(benches) > 1 else f"{benches[0].slug}.html#claims"
    return Section(
        "claims",
        f"{count} of the sources: {said}",
        (units,),
        finding="Verdicts",
        speech=Speech(
            once(claim_sentences(benches)), (Download(where, "Numbers: the claims and rules"),)
        ),
    )
