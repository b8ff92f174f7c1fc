"""The deck of a benchmark: a slide for each figure of its opening, its rates, and the verdicts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from accelreport.analysis.findings import Finding, Kind
from accelreport.report.charts.drawing import POINT
from accelreport.report.claim_text import decided_text
from accelreport.report.model import (
    Block,
    Code,
    Download,
    Figure,
    Gallery,
    LargeNumber,
    LargeNumbers,
    Page,
    Section,
    Speech,
    Units,
)
from accelreport.report.openings.opening import ON_A_PHONE, ON_A_SLIDE, Plot, Shown, Size
from accelreport.report.openings.rates import BESIDE, rates_scene
from accelreport.report.openings.registry import facts_of, opening_of
from accelreport.report.pages.badges import PARTIAL
from accelreport.report.pages.sections.about import commands
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.pages.sections.network import (
    measured_facts,
)
from accelreport.report.say import Speaker
from accelreport.report.slides.notes import (
    claim_sentences,
    cut_short,
    for_the_hall,
    notice_sentences,
    on_time,
    start_speech,
    unique,
)
from accelreport.report.text import STRAY, label
from accelreport.report.view import BenchmarkView

MOST_SLIDES = 7
"""Slides of a benchmark's deck, the first one among them."""
LEAST_POINTS = 3
"""Of fewer points no figure is made: large numbers say them."""
MOST_LETTERS = 110
"""Letters of a title, which has two lines."""
MOST_FACTS = 3
"""Facts in the line over a title."""
MOST_PICTURES = 8
"""Pictures whose names a hall can read."""
LONGEST_FOOT, OF_A_BADGE = 74, 14
"""Letters of the line below a figure, and how many a badge takes."""
MOST_LINES, LONGEST_LINE = 11, 62
"""Of a text that a network wrote, as far as it stands on a slide."""
_DRAWN = {"point", "circle", "bar", "rect", "line", "area"}
"""Marks that carry data; rules and texts are lines of a grid, bands and labels."""
MOST_TAKEN = 3
"""Findings to take away."""
MOST_ROWS = 6
"""States of claims, and facts of what was run."""
_MERGED = (
    ("not_measured", "needs_device", "not measured, or need a device"),
    ("withheld", "undecided", "undecided or withheld"),
)
"""States of claims that share a row where there are too many, and what it is called."""
_DECIDED = {"confirmed", "refuted"}
"""States of claims of which one is told in a deck of its own."""


def slides_path(bench: BenchmarkView) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: BenchmarkView, page: Page) -> Page:
    """The slides of a benchmark.

    Args:
        bench: the benchmark.
        page: its page.
    """
    slides = [slide for _, slide in figure_slides(bench)]
    verdicts, takeaway = verdict_slide([bench]), _takeaway(bench)
    most = MOST_SLIDES - 2 - bool(verdicts)
    first = Download(f"{bench.slug}.html", "Numbers: the page")
    opening = opening_of(bench)
    spoken = (f"{opening.title}.", opening.answer)
    return on_time(
        replace(
            for_the_hall(replace(page, byline=measured_facts(bench))),
            path=slides_path(bench),
            kicker=" · ".join(facts_of(bench)[:MOST_FACTS]),
            finding=f"{opening.title}." * (opening.title != page.title),
            opening=None,
            record="",
            sections=tuple(filter(None, (*slides[:most], verdicts, takeaway))),
            template="slides.html",
            crumbs=(Download(f"{bench.slug}.html", "The page"),),
            related=(),
            speech=start_speech([bench], spoken, commands(bench), first),
        )
    )


def figure_slides(bench: BenchmarkView, prefix: str = "") -> Iterator[tuple[Kind, Section]]:
    """A slide for each figure that has points enough, with the kind of its finding.

    Args:
        bench: the benchmark.
        prefix: begins the ids of the slides, and is unique in the deck.
    """
    scenes = list(opening_of(bench).scenes)
    beside = next((f for f in bench.findings if f.kind in BESIDE and f.is_sentence), None)
    if beside is not None and beside.kind not in {scene.finding.kind for scene in scenes}:
        scene = rates_scene(bench, beside)
        if scene.marks(beside.title_values):
            scenes.append(scene)
    for number, scene in enumerate(scenes, start=1):
        name = f"{prefix}figure-{number}"
        block = slide_block(scene.shown, name)
        if block is not None:
            yield scene.finding.kind, _slide(bench, name, scene.finding, block)


def slide_block(shown: Shown, name: str, narrow: Size = ON_A_PHONE) -> Block | None:
    """A figure at the size of a slide; None of one with too few points."""
    if isinstance(shown, Code):
        return _written(shown)
    if not isinstance(shown, Plot):
        return replace(shown, href="", title="", pictures=shown.pictures[:MOST_PICTURES])
    # Its signs say which numbers are of partial runs.
    badges = tuple(badge for badge in shown.badges if badge != PARTIAL)
    plain = replace(shown, id=name, table=None, caption=shown.brief, badges=badges)
    figure = replace(plain.figure(ON_A_SLIDE, narrow), subtitle=shown.up)
    count = shown.points or points_of(figure.panels[0].wide.spec)
    return figure if count >= LEAST_POINTS else None


def points_of(spec: Mapping[str, Any]) -> int:
    """How many points a chart draws: those that a reader can point at, or rows of its marks."""
    drawn = [
        spec["datasets"][layer["data"]["name"]]
        for layer in spec["layer"]
        if layer["mark"]["type"] in _DRAWN
    ]
    named = {row[POINT] for rows in drawn for row in rows if POINT in row}
    return max(len(named), *map(len, drawn), 0)


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


def _slide(bench: BenchmarkView, name: str, finding: Finding, block: Block) -> Section:
    speaker = Speaker(bench)
    page = Download(f"{bench.slug}.html", f"Numbers: {label(bench.plan.title, 90)}")
    heads = finding.titles
    noun = block.title if isinstance(block, Figure) else label(bench.plan.title, MOST_LETTERS)
    title = speaker.title(finding) if heads else noun
    spoken = speaker.spoken(finding) if heads else (f"{title}.",)
    notes = unique(speaker.caveats(finding)) if heads else ()
    return Section(
        name,
        title,
        (block,),
        finding=foot(label(bench.plan.title, LONGEST_FOOT - 2 * OF_A_BADGE), block),
        speech=Speech(spoken, notes, (page,)),
    )


def foot(topic: str, block: Block) -> str:
    """The line below a figure: of what it is, and how it is read where there is room for both."""
    how = block.caption if isinstance(block, Figure) else ""
    if isinstance(block, Code) and any(STRAY in token.text for token in block.tokens):
        how = f"“{STRAY}”: a byte that is no character"
    badges = len(block.badges) if isinstance(block, Figure | Gallery) else 0
    both = " · ".join(filter(None, (topic, how)))
    return both if len(both) <= LONGEST_FOOT - OF_A_BADGE * badges else how or topic


def _takeaway(bench: BenchmarkView) -> Section | None:
    """The last slide of a benchmark: its first findings that have a number, each as a sentence.

    None where there are fewer than two.
    """
    opening, speaker = opening_of(bench), Speaker(bench)
    numbers = [
        replace(number, text=f"{speaker.title(finding)}.") for finding, number in opening.large
    ]
    # One number is that of the first slide.
    if len(numbers) < 2:
        return None
    source = Download(f"{bench.slug}.html", "Numbers: this benchmark")
    return takeaway_slide([bench], numbers, source)


def takeaway_slide(
    benches: Sequence[BenchmarkView], numbers: Sequence[LargeNumber], source: Download
) -> Section:
    """The last slide of a deck: findings as large numbers, and in a line what was cut short.

    Args:
        benches: what the deck is of.
        numbers: each with its sentence; the first three are shown.
        source: where they stand.
    """
    taken = tuple(numbers[:MOST_TAKEN])
    spoken = tuple(number.text for number in taken[:2])
    return Section(
        "takeaway",
        "Summary",
        (LargeNumbers(taken),),
        detail=cut_short(benches),
        speech=Speech(spoken, unique(notice_sentences(benches)), (source,)),
    )


def verdict_slide(benches: Sequence[BenchmarkView]) -> Section | None:
    """What became of the claims, a square for each; None where there is little to tell.

    Few claims of one benchmark, or those of which all are open, are a sentence of its notes.
    """
    units = units_of(benches)
    if units is None:
        return None
    alone = len(benches) == 1
    states = {state for state, *_ in units.keys}
    if states == {"needs_device"} or (alone and not states & _DECIDED):
        return None
    if alone and len(units.items) < LEAST_POINTS:
        return None
    for one, other, words in _MERGED:
        if len(units.keys) > MOST_ROWS:
            units = _merged(units, one, other, words)
    where = "claims.html" if len(benches) > 1 else f"{benches[0].slug}.html#claims"
    title = decided_text([result for bench in benches for result in bench.tested])
    spoken = (f"{title}.",)
    return Section(
        "claims",
        title,
        (units,),
        finding="Verdicts",
        speech=Speech(spoken, claim_sentences(benches), (Download(where, "Numbers: claims"),)),
    )


def _merged(units: Units, one: str, other: str, words: str) -> Units:
    """The squares with those of one state in the row of another."""
    counts = {state: count for state, _, count in units.keys}
    if not {one, other} <= counts.keys():
        return units
    both = (other, words, counts[one] + counts[other])
    keys = tuple(both if key[0] == other else key for key in units.keys if key[0] != one)
    rows = (
        replace(row, items=tuple(
            replace(unit, state=other) if unit.state == one else unit for unit in row.items
        ))
        for row in units.rows
    )  # fmt: skip
    return Units(tuple(rows), keys)
