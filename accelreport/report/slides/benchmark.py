"""The deck of a benchmark: a slide for each figure of its opening, its rates, and the verdicts."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
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
    Page,
    Section,
    Speech,
    Token,
    UnitRow,
    Units,
)
from accelreport.report.notices import partial_notice
from accelreport.report.openings.opening import (
    ON_A_PHONE,
    ON_A_SLIDE,
    Plot,
    Scene,
    Shown,
    Size,
)
from accelreport.report.openings.rates import BESIDE, clock_text, rates_scene
from accelreport.report.openings.registry import below, facts_of, opening_of
from accelreport.report.pages.badges import USER_SUPPLIED
from accelreport.report.pages.machines import place_text
from accelreport.report.pages.sections.about import checkout_of, commands
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.say import Speaker
from accelreport.report.slides.notes import measure_again, notice_sentences, unique
from accelreport.report.text import STRAY, clean, label, text_width
from accelreport.report.view import BenchmarkView, measured_records, replaced_data
from accelreport.results.plan_document import profile_of

MOST_SLIDES = 8
"""Slides of a deck, the first and the last one among them."""
LEAST_POINTS, FIRST = 3, "first"
"""Of fewer points no figure is made, but for the first slide, and the name of that figure."""
OF_AN_ANSWER, OF_A_LINE = 24, 18
"""Pixels of a figure of the first slide that the answer above it takes, and the line of its topic
below it."""
MOST_LETTERS = 110
"""Letters of a line on the first slide."""
SHORT = 12
"""Letters of a commit."""
MOST_COMMANDS, LONGEST_COMMANDS = 5, 400
"""Commands that a slide has room for, and their letters; of more it has the longest run."""
MOST_PICTURES = 8
"""Pictures whose names a hall can read."""
ON_A_NARROW_SLIDE = replace(ON_A_PHONE, most=ON_A_SLIDE.most)
"""A drawing of a slide on a telephone, with the same rows or lines."""
LONG = 90
"""Letters of a title beyond which they are smaller."""
LONGEST_FOOT, OF_A_BADGE, LONGEST_TITLE = 74, 14, 46
"""Letters of the line below a figure, how many a badge takes, and a benchmark's title there."""
MOST_LINES, LONGEST_LINE = 11, 62
"""Of a text that a network wrote, as far as it stands on a slide."""
_DRAWN = {"point", "circle", "bar", "rect", "line", "area"}
"""Marks that carry data; rules and texts are lines of a grid, bands and labels."""
_DECIDED = {"confirmed", "refuted"}
"""States of claims of which one is told in a deck of its own."""
MOST_CLAIMS, LONGEST_CLAIM = 6, 26.8
"""Lines of a slide for the claims of a verdict, and the width of one in heights of its letters."""


def slides_path(bench: BenchmarkView) -> str:
    """Where the slides of a benchmark lie."""
    return f"{bench.slug}.slides.html"


def slides_page(bench: BenchmarkView, page: Page) -> Page:
    """The slides of a benchmark, made of its page."""
    opening = opening_of(bench)
    # Beside the figure of a claim a sentence of another number would be of another figure.
    claimed = opening.by_answer[0].claimed
    answer = opening.title if claimed else Speaker(bench).title(opening.answered[0])
    slides = [slide for _, slide in figure_slides(bench, {opening.title, answer}, after=1)]
    plot = opening.by_answer[0].shown
    clock = clock_text(plot.values).strip() if isinstance(plot, Plot) else ""
    held = [clock] * (isinstance(plot, Plot) and clock in plot.caption)
    return deck(
        [bench],
        page,
        path=slides_path(bench),
        title=opening.title,
        answer=f"{answer}." * (answer != opening.title),
        topic=label(bench.plan.title, MOST_LETTERS),
        notes=facts_of(bench),
        shown=slide_block(
            below(bench, opening.by_answer[0], opening.answered[0]),
            FIRST,
            size=first_size(answered=answer != opening.title),
        ),
        slides=slides,
        again=commands(bench),
        held=held,
    )


def deck(
    benches: Sequence[BenchmarkView],
    page: Page,
    *,
    path: str,
    title: str,
    answer: str,
    topic: str,
    notes: Sequence[str],
    shown: Block | None,
    slides: Sequence[Section],
    again: Sequence[Token],
    held: Sequence[str] = (),
) -> Page:
    """A deck: its first slide asks and answers, the last ones are the verdicts and the commands.

    Args:
        benches: what it is of.
        page: the page that it is made of.
        path: where it lies.
        title: the question, or the finding.
        answer: the sentence below the title; empty where the title is the answer.
        topic: the line below it, beside the machine.
        notes: parts of the line below the figure, the first of which stay.
        shown: the figure of the first slide, if any.
        slides: those between, the most important first.
        again: commands that measure it again, a line each.
        held: what weakens the figure, of which the line below it may have no room.
    """
    source = Download(page.path, "Numbers: the page")
    decided = replace(page, headline=title).decided
    spoken = unique([f"{decided}." if title[-1:] != "?" else title, answer])
    verdicts = verdict_slide(benches)
    terms = terms_of(benches)
    known, version = checkout_of(measured_records(benches))
    commit = clean(known)
    whole, short = shlex.quote(commit), shlex.quote(commit[:SHORT])
    lines = [line.text.replace(whole, short) for line in again if line.text != f"# {version}\n"]
    if version.count(" of ") > 1:  # of some of the runs alone: each page has its own
        lines = [line for line in lines if "git checkout" not in line]
    place, cut, more = place_text(benches), partial_notice(benches), ""
    if len(lines) > MOST_COMMANDS or len("".join(lines)) > LONGEST_COMMANDS:
        lines = [line for line in lines if line[0] != "#"]
        longest = max((line for line in lines if " run " in line), key=len)
        more = "The notes have every command."
        first = [line for line in lines if "git checkout" in line]
        lines = [*first, _cut(longest, MOST_COMMANDS), lines[-1]]
    code = Code("", tuple(Token(line.strip() + "\n") for line in lines), wrapped=True)
    last = Section(
        "reproduce",
        "Run it yourself",
        (code,),
        detail=" ".join(filter(None, (more, f"{place}." * bool(place), cut.text if cut else ""))),
        finding=foot([label(page.title, MOST_LETTERS)], code, terms),
        speech=Speech(spoken[-1:], measure_again(benches), (source,)),
    )
    slides = slides[: MOST_SLIDES - 2 - bool(verdicts)]
    return replace(
        page,
        path=path,
        title=label(page.title, MOST_LETTERS),
        headline=title,
        kicker=" · ".join(filter(None, (topic, page.measured_on))),
        finding=answer,
        opening=Section("start", title, (shown,), foot(notes, shown, terms)) if shown else None,
        byline=(),
        notices=(),
        record="",
        sections=(*slides, *filter(None, [verdicts]), last),
        template="slides.html",
        crumbs=(Download(page.path, "The page"),),
        related=(),
        speech=Speech(spoken, unique([*held, *notice_sentences(benches)]), (source,)),
    )


def _scenes(bench: BenchmarkView) -> list[Scene]:
    """Figures of the opening, that of the answer first, and the rates with a ratio beside them."""
    scenes = opening_of(bench).by_answer
    beside = next((f for f in bench.findings if f.kind in BESIDE and f.is_sentence), None)
    if beside is None or beside.kind in {scene.finding.kind for scene in scenes}:
        return scenes
    scene = rates_scene(bench, beside)
    return [*scenes, scene] if scene.marks(beside.title_values) else scenes


def figure_slides(
    bench: BenchmarkView, taken: Collection[str] = (), prefix: str = "", after: int = 0
) -> Iterator[tuple[Kind, Section]]:
    """A slide for each figure that shows a finding and has points enough, with the finding's kind.

    Args:
        bench: the benchmark.
        taken: titles that other slides have.
        prefix: begins the ids of the slides, and is unique in the deck.
        after: how many figures of the opening stand on the first slide.
    """
    speaker, opening = Speaker(bench), opening_of(bench)
    titles = {*taken}
    # A slide counts all that is undecided, as the page does.
    undecided = [f for f in speaker.answered() if f.kind is Kind.UNDECIDED]
    for number, scene in enumerate(_scenes(bench)[after:], start=1 + after):
        name = f"{prefix}figure-{number}"
        if not after and scene.claimed and (block := slide_block(scene.shown, name)):
            # Its page has the claim for a heading, and its lines are strong.
            title = f"{opening.title}, {opening.verdict}"
            speech = Speech(unique([f"{title}.", opening.answer]), ())
            topic = foot([label(bench.plan.title, LONGEST_TITLE)], block, terms_of([bench]))
            yield scene.finding.kind, Section(name, title, (block,), topic, speech)
            continue
        own = [scene.finding] * scene.finding.is_sentence
        # A slide may leave out rows, but for those of the scene's own finding.
        plot = scene.shown
        whole = isinstance(plot, Plot) and not plot.cut and plot.points <= ON_A_SLIDE.most
        marked = (f for f in bench.findings if f.titles and whole and scene.marks(f.title_values))
        counted = chain.from_iterable(
            undecided if f.kind is Kind.UNDECIDED else [f] for f in (*own, *marked)
        )
        finding = next((f for f in counted if speaker.title(f) not in titles), None)
        open_ = finding is not None and finding.kind is Kind.UNDECIDED
        shown = below(bench, scene, finding or scene.finding, claimed=open_)
        # A long title has three lines.
        long = finding is not None and len(speaker.title(finding)) > LONG
        block = slide_block(shown, name, first_size(answered=False) if long else ON_A_SLIDE)
        if block is not None and finding is not None:
            titles.add(speaker.title(finding))
            # What is undecided is no title: the figure's noun is one.
            noun = scene.shown.title * open_
            yield finding.kind, _slide(bench, name, scene, finding, block, noun)
        elif isinstance(block, Figure) and not own and after:
            # Its numbers make no sentence.
            yield scene.finding.kind, _slide(bench, name, scene, scene.finding, block, block.title)


def first_size(*, answered: bool) -> Size:
    """The size of the figure of the first slide, which lines above and below it make lower."""
    return replace(ON_A_SLIDE, height=ON_A_SLIDE.height - OF_AN_ANSWER * answered - OF_A_LINE)


def slide_block(shown: Shown, name: str, size: Size = ON_A_SLIDE) -> Block | None:
    """A figure at the size of a slide; None of one with too few points for a slide of its own."""
    if isinstance(shown, Code):
        return _written(shown)
    if not isinstance(shown, Plot):
        return replace(shown, href="", title="", pictures=shown.pictures[:MOST_PICTURES])
    keys = shown.slide_keys or shown.keys
    plain = replace(shown, id=name, table=None, caption=shown.brief, keys=keys)
    figure = replace(plain.figure(size, ON_A_NARROW_SLIDE), subtitle=shown.up)
    count = shown.points or points_of(figure.panels[0].wide.spec)
    return figure if count >= LEAST_POINTS or name == FIRST else None


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


def _slide(
    bench: BenchmarkView, name: str, scene: Scene, finding: Finding, block: Block, title: str = ""
) -> Section:
    speaker = Speaker(bench)
    page = Download(f"{bench.slug}.html", f"Numbers: {label(bench.plan.title, 90)}")
    drawn = tuple(value for value in finding.values if scene.marks([value]))
    shown = replace(finding, values=drawn or finding.values)
    return Section(
        name,
        title or speaker.title(finding),
        (block,),
        finding=foot([label(bench.plan.title, LONGEST_TITLE)], block, terms_of([bench])),
        speech=Speech(
            (f"{speaker.title(finding)}.", *filter(None, [speaker.evidence(finding)]))
            if finding.is_sentence
            else (),
            unique([*speaker.caveats(shown), speaker.load(shown)]),
            (page,),
        ),
    )


def terms_of(benches: Sequence[BenchmarkView]) -> list[str]:
    """What every slide of some benchmarks says of all of them: own files, a profile not whole."""
    own = [
        [
            *[USER_SUPPLIED.text] * bool(replaced_data(bench.records.values())),
            *[f"{label(profile_of(bench.plan), 30)} profile"] * (profile_of(bench.plan) != "full"),
            *["other settings"] * (profile_of(bench.plan) != bench.plan.profile),
        ]
        for bench in benches
    ]
    return [term for term in chain(*own[:1]) if all(term in other for other in own)]


def foot(topics: Sequence[str], block: Block, terms: Sequence[str]) -> str:
    """The line below a figure: of what it is, how it is read, and terms, which none leaves out.

    Where there is too little room the last topics give way, then what is last of how it is read.
    """
    how = block.caption if isinstance(block, Figure) else ""
    if isinstance(block, Code) and any(STRAY in token.text for token in block.tokens):
        how = f"“{STRAY}”: a byte that is no character"
    badges = len(block.badges) if isinstance(block, Figure | Gallery) else 0
    hows = how.split(" · ") if how else []
    parts = [[*topics[:most], *hows] for most in range(len(topics), -1, -1)]
    parts += [hows[:most] for most in range(len(hows) - 1, 0, -1)]
    lines = [
        " · ".join(filter(None, [*own, *(term for term in terms if term not in " ".join(own))]))
        for own in parts
    ]
    room = LONGEST_FOOT - OF_A_BADGE * badges
    return next((line for line in lines if len(line) <= room), lines[-1])


def verdict_slide(benches: Sequence[BenchmarkView]) -> Section | None:
    """What became of the claims, those that are refuted first; None where none is decided.

    Few claims of one benchmark are a sentence of its notes.
    """
    units = units_of(benches)
    if units is None:
        return None
    alone = len(benches) == 1
    states = {state for state, *_ in units.keys}
    if not states & _DECIDED or (alone and len(units.items) < LEAST_POINTS):
        return None
    where = "claims.html" if len(benches) > 1 else f"{benches[0].slug}.html#claims"
    title = decided_text([result for bench in benches for result in bench.tested])
    keys = sorted(units.keys, key=lambda key: key[0] != "refuted")
    rows = tuple(_row(units, *key) for key in keys if key[0] in _DECIDED)
    units = Units(rows, tuple(key for key in keys if key[0] not in _DECIDED))
    spoken = (f"{title}.",)
    return Section(
        "claims",
        title,
        (units,),
        finding=foot(["Verdicts"], units, terms_of(benches)),
        speech=Speech(spoken, (), (Download(where, "Numbers: claims"),)),
    )


def _row(units: Units, state: str, text: str, count: int) -> UnitRow:
    """The claims of a verdict, and for how many there is room, with the number of the others."""
    items = tuple(unit for unit in units.items if unit.state == state)
    ends = [*accumulate(1 + int(text_width(i.text + i.note, 1) / LONGEST_CLAIM) for i in items)]
    most = MOST_CLAIMS - (ends[-1] > MOST_CLAIMS)
    return UnitRow(str(count), text, items, shown=sum(end <= most for end in ends))
