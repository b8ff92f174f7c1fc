"""The front page: all workloads in one picture, what each benchmark found, every claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Kind
from accelreport.report import quantity
from accelreport.report.claim_text import decided_text
from accelreport.report.front import FrontSpeaker, front_findings
from accelreport.report.model import (
    Block,
    Card,
    Cards,
    Code,
    Gallery,
    LargeNumbers,
    Note,
    Notes,
    Page,
    Panel,
    Prose,
    Section,
)
from accelreport.report.notices import notices_of
from accelreport.report.openings.opening import Size
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.machines import machine_line
from accelreport.report.pages.overview import PHONE, WIDE, Overview
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.text import label
from accelreport.report.version_text import versions_notice
from accelreport.report.view import BenchmarkView
from accelreport.results.versions import OtherVersions

CURVE, WIDE_CURVE, COLUMNS = Size(262, 116), Size(530, 112), 4
"""A curve on a card of one and of two columns, and the columns of a wide screen."""
MOST_FINDINGS = 4
"""Findings of the front page, that of its heading among them."""
RATES = "overview"
"""Id of the section that holds the picture."""
MOST_ABSENT = 4
"""Names of absent devices that a line has room for, with its command."""


def index_page(
    benches: Sequence[BenchmarkView],
    title: str,
    problems: Sequence[str],
    others: OtherVersions | None = None,
) -> Page:
    """The front page.

    Args:
        benches: every plan.
        title: the site's name.
        problems: a sentence for each result file that could not be read.
        others: what was measured of other versions of the specs and is not shown.
    """
    view = Overview(benches)
    findings = front_findings(view)
    speaker = FrontSpeaker(view)
    stated = [front for front in findings if front.finding.is_sentence]
    # What is undecided, or of single runs, heads a page only where there is nothing else.
    undecided = [front for front in stated if front.kind is Kind.UNDECIDED]
    heads = stated[0].finding.titles or stated[0].kind is Kind.NOT_MEASURED
    headed = stated[:1] if heads else undecided[:1]
    more = [front for front in stated if front not in headed][: MOST_FINDINGS - len(headed)]
    headline = speaker.title(headed[0]) if headed else label(title)
    picture = _picture(view)
    sections = [_cards(benches)]
    if units := units_of(benches):
        every = [result for bench in benches for result in bench.tested]
        sections.append(Section("claims", decided_text(every), (units,)))
    if problems:
        left_out = tuple(Note("Left out:", label(text, 400), tone="bad") for text in problems)
        heading = "Result files that could not be read"
        sections.append(Section("unreadable", heading, (Notes(left_out),)))
    machines = machine_line(record for bench in benches for record in bench.records.values())
    measured_on = f"Measured on {machines}" if machines else ""
    dates = quantity.days(r.started_at for bench in benches for r in bench.records.values())
    return Page(
        path="index.html",
        title=label(title),
        headline=headline,
        kicker=" · ".join(filter(None, (measured_on, dates))),
        finding=" ".join([*map(speaker.answer, headed), *map(speaker.sentence, more)]).strip(),
        sections=tuple(sections),
        template="index.html",
        opening=picture,
        banner=versions_notice(others) if others else None,
        notices=notices_of(benches),
    )


def _picture(view: Overview) -> Section | None:
    """The picture of all workloads, and a line for the devices not in it."""
    picture, absent = view.picture, absent_line(view.benches)
    blocks: tuple[Block, ...] = (picture.figure(WIDE, PHONE),) if picture else ()
    if not (blocks or absent):
        return None
    return Section(RATES, "How fast each workload is", blocks, finding=absent)


def _cards(benches: Sequence[BenchmarkView]) -> Section:
    """A card for each benchmark: what it found, and samples of the data or a number.

    Those that nothing was measured of yet are named below.
    """
    titles = [label(bench.plan.title) for bench in benches]
    cards, waiting = [], []
    for bench, title in zip(benches, titles, strict=True):
        opening = opening_of(bench)
        if opening.unmeasured:
            waiting.append(title)
            continue
        detail = f"{label(bench.plan.profile, 40)} profile" if titles.count(title) > 1 else ""
        shown: Gallery | Code | Panel | LargeNumbers
        if opening.pictures:
            shown = opening.pictures
        elif plot := opening.curve:
            name = f"card-{bench.slug}"
            shown = Panel(plot.drawing(WIDE_CURVE, name), plot.drawing(CURVE, f"{name}-n"))
        else:
            shown = LargeNumbers(opening.number_of_title or opening.numbers[:1])
        cards.append(Card(title, f"{bench.slug}.html", detail, opening.summary, shown))
    # Pictures stand before numbers, and take two columns where the last row would not be full.
    kinds = (Panel, Gallery, Code, LargeNumbers)
    cards.sort(key=lambda card: (kinds.index(type(card.shown)), len(card.sentence)))
    spare = -len(cards) % COLUMNS
    curves = sum(isinstance(card.shown, Panel) for card in cards)
    for place in range(spare if spare <= curves else 0):
        cards[place] = replace(cards[place], wide=True)
    blocks: list[Block] = [Cards(tuple(cards))] if cards else []
    if waiting:
        names = quantity.listed([f"“{title}”" for title in waiting])
        blocks.append(Prose(f"Not measured at all: {names}. “accelreport run specs/” runs them."))
    return Section("benchmarks", "What each benchmark found", tuple(blocks))


def absent_line(benches: Sequence[BenchmarkView]) -> str:
    """Devices without any number on the whole site, why, and the command that adds them."""
    measured = {b.label_of(row.device) for b in benches for row in b.results if row.timed}
    reasons: dict[str, dict[str, None]] = {}
    for bench in benches:
        for row in bench.results:
            name = bench.label_of(row.device)
            if name not in measured and not any(name in known for known in reasons.values()):
                reasons.setdefault(kind_text(row), {})[name] = None
    if not reasons:
        return ""
    parts = []
    for why, names in sorted(reasons.items()):
        kept = list(names)
        if len(kept) > MOST_ABSENT:  # the page of devices has all
            kept[MOST_ABSENT - 1 :] = [f"{len(kept) - MOST_ABSENT + 1} more"]
        parts.append(f"Not measured: {quantity.listed(kept)} ({why}).")
    return (
        f"{' '.join(parts)} To add them, run “accelreport run specs/” where they can run, then "
        "“accelreport merge” both results folders."
    )
