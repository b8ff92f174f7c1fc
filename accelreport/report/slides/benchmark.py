"""The deck of a benchmark: its question, what its hero's figures show, and the verdicts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from accelreport.report import formatting
from accelreport.report.heroes.general import rates_figure, rates_title
from accelreport.report.heroes.hero import ON_A_PHONE, ON_A_SLIDE, Hero, HeroFigure, Shown, Size
from accelreport.report.heroes.learning import told_mistakes
from accelreport.report.heroes.rates import fullest_point, of_stand_ins, origins_of
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import (
    Block,
    Code,
    Download,
    LargeNumbers,
    Page,
    Section,
    Speech,
    Units,
)
from accelreport.report.pages.sections.about import commands
from accelreport.report.pages.sections.batch_law import law_picture
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.slides.notes import (
    beginning_sentences,
    claim_sentences,
    figure_sentences,
    for_the_hall,
    once,
    opening_words,
    start_speech,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import NO_TALK, Talk, TalkSlide

MOST_SLIDES = 8
"""Slides of a benchmark's deck, the first one among them."""
LEAST_POINTS = 3
"""Of fewer points no figure is made: a sentence says them."""
MOST_LETTERS = 110
"""Letters of a title, which has two lines."""
MOST_LINES, LONGEST_LINE = 12, 68
"""Of a text that a network wrote, as far as it stands on a slide."""
RATES = "hero-rates"
"""The figure of measured and published rates at one point."""
_TELL_RATES = {RATES, "sweep-lines", "then-and-now"}
"""Figures that show these rates already, or what takes their inverse."""
MOST_CAPTION = 120
"""Letters of the line below a figure."""
MOST_TOPIC = 88
"""Letters of the line over a title."""
_DRAWN = {"point", "circle", "bar", "rect", "line", "area"}
"""Marks that carry data; rules and texts are lines of a grid, bands and labels."""
_OPEN = {"undecided", "device"}
"""States of claims that nothing speaks for or against."""


def slides_path(bench: BenchmarkView) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: BenchmarkView, page: Page, talk: Talk = NO_TALK) -> Page:
    """The slides of a benchmark.

    Args:
        bench: the benchmark.
        page: its page, whose finding the first slide tells.
        talk: titles of its slides that a person chose.
    """
    hero = hero_of(bench)
    slides = [slide for _, slide in figure_slides(bench, hero)]
    slides = slides or [_numbers(bench, hero)]
    for each in talk.slides:
        if each.benchmark == bench.plan.spec:
            name = each.slide or slides[0].id
            slides = [titled(slide, each) if slide.id == name else slide for slide in slides]
    verdicts = verdict_slide([bench])
    most = MOST_SLIDES - 1 - bool(verdicts)
    speech = start_speech(
        [bench], commands(bench), Download(f"{bench.slug}.html", "Numbers: the page")
    )
    if bench.tested and not verdicts:
        told = claim_sentences([bench])[1]
        speech = replace(speech, sentences=(f"Claims: {told}", *speech.sentences))
    return replace(
        for_the_hall(page),
        path=slides_path(bench),
        kicker=_fitting(hero.kicker.removeprefix(f"{label(bench.plan.title, 90)} · ")),
        finding=opening_words(
            hero.answer if hero.answer.startswith(hero.title) else f"{hero.title}. {hero.answer}"
        ),
        opening=None,
        sections=(*slides[:most], *([verdicts] if verdicts else [])),
        template="slides.html",
        crumbs=(Download(f"{bench.slug}.html", "The page"),),
        related=(),
        speech=speech,
    )


def figure_slides(
    bench: BenchmarkView, hero: Hero, prefix: str = ""
) -> Iterator[tuple[str, Section]]:
    """A slide for each figure that has points enough, and the form of that figure.

    Args:
        bench: the benchmark.
        hero: what it found.
        prefix: begins the ids of the slides, and is unique in the deck.
    """
    told = set[str]()
    for number, (finding, shown) in enumerate(hero.shown(), start=1):
        name = f"{prefix}figure-{number}"
        block = slide_block(shown, name)
        if block is not None:
            form = getattr(shown, "id", block.kind)
            told.add(form)
            yield form, _slide(bench, name, finding, block, hero.kicker)
    law = law_picture(bench)
    block = slide_block(law[1], f"{prefix}law") if law else None
    if law and block is not None:
        yield "law", _slide(bench, f"{prefix}law", law[0], block, hero.kicker)
    wrong = told_mistakes(bench)
    if wrong and wrong[0] and "gallery" not in told:
        finding, pictures = wrong
        block = slide_block(pictures, f"{prefix}mistakes")
        if block is not None:
            finding = of_stand_ins(finding, origins_of(bench))
            yield "gallery", _slide(bench, f"{prefix}mistakes", finding, block, hero.kicker)
    point = fullest_point(bench)
    if point is None or told & _TELL_RATES:
        return
    name = f"{prefix}rates"
    block = slide_block(rates_figure(bench, point), name)
    if block is not None:
        yield RATES, _slide(bench, name, rates_title(bench, point), block, hero.kicker)


def slide_block(shown: Shown, name: str, narrow: Size = ON_A_PHONE) -> Block | None:
    """A figure at the size of a slide; None of one with too few points."""
    if isinstance(shown, Code):
        return _written(shown)
    if not isinstance(shown, HeroFigure):
        return replace(shown, href="", title="")
    said = beginning_sentences(shown.caption, MOST_CAPTION) if shown.caption else ""
    figure = replace(shown, id=name, table=None, caption=said).figure(ON_A_SLIDE, narrow)
    figure = replace(figure, subtitle=shown.up)
    count = shown.points or points_of(figure.panels[0].wide.spec)
    return figure if count >= LEAST_POINTS else None


def points_of(spec: Mapping[str, Any]) -> int:
    """How many points a chart draws: rows of its largest marks, of all panels together."""
    kept = spec.get("datasets", {})

    def count(part: Mapping[str, Any], above: Mapping[str, Any]) -> int:
        data = part.get("data", above)
        if "hconcat" in part:
            return sum(count(each, data) for each in part["hconcat"])
        mark = part.get("mark", {})
        drawn = (mark if isinstance(mark, str) else mark.get("type")) in _DRAWN
        own = len(kept.get(data.get("name"), data.get("values", ()))) if drawn else 0
        return max([own, *(count(each, data) for each in part.get("layer", ()))])

    return count(spec, {})


def _written(code: Code) -> Code:
    """A text in as many lines as have room: each part gives way, so that none is left out."""
    whole = replace(code, title="", wrapped=True)
    for most in range(MOST_LINES, 0, -1):
        kept = [
            replace(token, text=_cut(token.text, most)) if not token.role else token
            for token in code.tokens
        ]
        whole = replace(whole, tokens=tuple(kept))
        if len(_lines("".join(token.text for token in kept))) <= MOST_LINES:
            break
    return whole


def _lines(text: str) -> list[str]:
    return [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, LONGEST_LINE, drop_whitespace=False) or [""]
    ]


def _cut(text: str, most: int) -> str:
    lines = _lines(text)
    return text if len(lines) <= most else "\n".join(lines[:most]) + "…"


def _slide(bench: BenchmarkView, name: str, title: str, block: Block, topic: str) -> Section:
    page = Download(f"{bench.slug}.html", f"Numbers: {label(bench.plan.title, 90)}")
    return Section(
        name,
        whole_clauses(title),
        (block,),
        finding=_fitting(topic),
        speech=Speech(once(figure_sentences(bench, block)), (page,)),
    )


def whole_clauses(title: str) -> str:
    """A title, of a long one as many clauses as a slide has room for; never none.

    Words that belong to a number stay on its line.
    """
    while len(title) > MOST_LETTERS and "; " in title:
        title = title.rpartition("; ")[0]
    return title if len(title) <= MOST_LETTERS else label(title, MOST_LETTERS)


def _fitting(topic: str) -> str:
    """As many parts of a topic as a line has room for; never none."""
    kept, *parts = topic.split(" · ")
    for part in parts:
        if len(kept) + len(part) + 3 > MOST_TOPIC:
            break
        kept = f"{kept} · {part}"
    return label(kept, MOST_TOPIC)


def titled(slide: Section, chosen: TalkSlide) -> Section:
    """The slide under the title that a person chose, if one did."""
    return replace(slide, title=label(chosen.title, MOST_LETTERS)) if chosen.title else slide


def _numbers(bench: BenchmarkView, hero: Hero) -> Section:
    """What was found in numbers, where they are too few for a figure."""
    title = hero.title if re.search(r"\d", hero.title) else hero.sentence.rstrip(".")
    return _slide(bench, "numbers", title, LargeNumbers(hero.numbers[:4]), hero.kicker)


def verdict_slide(benches: Sequence[BenchmarkView]) -> Section | None:
    """What became of the claims, a square for each; None where there is little to tell.

    Few claims of one benchmark, or those of which all are open, are a sentence of its notes.
    """
    units = units_of(benches)
    if units is None:
        return None
    alone = len(benches) == 1
    if {state for state, *_ in units.keys} <= (_OPEN if alone else {"device"}):
        return None
    if alone and len(units.items) < LEAST_POINTS:
        return None
    where = "claims.html" if len(benches) > 1 else f"{benches[0].slug}.html#claims"
    return Section(
        "claims",
        _verdicts_title(units),
        (units,),
        finding="Verdicts",
        speech=Speech(
            once(claim_sentences(benches)), (Download(where, "Numbers: the claims and rules"),)
        ),
    )


def _verdicts_title(units: Units) -> str:
    """What was decided here, else what the sources' own figures say; the rows tell the rest."""
    known = {state: number for state, _, number in units.keys}
    claims = formatting.plural(len(units.items), "claim")
    confirmed, refuted = known.get("confirmed", 0), known.get("refuted", 0)
    if confirmed or refuted:
        return f"Of {claims}, {_are(confirmed)} confirmed here and {_are(refuted)} refuted"
    agree, against = known.get("agree", 0), known.get("contradict", 0)
    said = [f"bear out {agree}"] * bool(agree) + [f"contradict {against}"] * bool(against)
    if not said:
        return f"None of {claims} is decided here"
    return f"Published figures {formatting.listed(said)} of {claims}; none is decided here"


def _are(number: int) -> str:
    return f"{number or 'none'} {'is' if number < 2 else 'are'}"
