"""Presenter's notes: intervals, absences, conditions, and how to reproduce what a slide shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.published import PublishedResult
from accelreport.analysis.results import Result
from accelreport.report import formatting
from accelreport.report.frames import why_withheld
from accelreport.report.metrics import figure_interval, figure_text, printed_text
from accelreport.report.model import Badge, Block, Download, Figure, Page, Speech, Token
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.headline import Compared, compared
from accelreport.report.pages.sections.about import on_a_screen
from accelreport.report.pages.sections.claims import claim_row
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, present
from accelreport.report.warning_text import remedy_text

MOST_ROWS = 1
"""Published figures that are read out; the page has all of them."""
MOST_SENTENCES = 6
"""Paragraphs of notes that can be found while speaking."""
MOST_CLAIMS = 3
"""Claims that are read out."""


def published_sentences(bench: BenchmarkView) -> list[str]:
    """Ours beside theirs, and what the source's conditions were."""
    rows = bench.published_results
    measured = [row for row in rows if present(row.measured.value)]
    return [*map(_said, measured[:MOST_ROWS]), *_conditions(rows)]


def _said(found: PublishedResult) -> str:
    figure, ours = found.figure, found.measured
    text = f"{label(found.row.label, 60)}: published {printed_text(figure, found.value)}, "
    if present(ours.low) and present(ours.high):
        between = figure_interval(figure, ours.value, ours.low, ours.high)
        text += f"ours {figure_text(figure, ours.value, ours.low, ours.high)} ({between})"
    else:
        text += f"ours {figure_text(figure, ours.value)}, without an interval"
    ratio = f", {formatting.ratio(found.ratio)} the published one" if present(found.ratio) else ""
    return f"{text}{ratio}."


def _conditions(rows: Sequence[PublishedResult]) -> list[str]:
    """How many were made under other conditions, and one reason as the spec gives it."""
    other = [found for found in rows if not found.comparable]
    if not other:
        return []
    count = f"{len(other)} of {len(rows)} {'was' if len(other) == 1 else 'were'}"
    notes = [label(found.row.note, 160).rstrip(".") for found in other if found.row.note]
    why = f", such as: {notes[0]}" if notes else ""
    return [f"{count} made under other conditions{why}."]


MOST_SAID = 240
"""Letters of the answer on the first slide, which are set large."""
MOST_PARTS = 3
"""Numbers of a drawing that are named; its page has all of them."""
DECIDED = frozenset({"FASTER", "SLOWER", "SAME"})
MOST_LETTERS = 110
"""Letters of a fact on the first slide of a deck."""
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“●◇])")


def sentences(text: str) -> list[str]:
    """A text in sentences."""
    return [part for part in _END.split(text.strip()) if part]


def opening_words(text: str) -> str:
    """As many sentences as the first slide has room for, the first of them in any case."""
    return beginning_sentences(text, MOST_SAID)


def beginning_sentences(text: str, most: int) -> str:
    """As many sentences as so many letters hold, the first of them in any case."""
    kept, *others = sentences(text)
    for said in others:
        if len(kept) + len(said) >= most:
            break
        kept = f"{kept} {said}"
    return kept if len(kept) <= most else label(kept, most)


def for_the_hall(page: Page) -> Page:
    """A page whose heading, facts and notices are short enough for the first slide."""
    return replace(
        page,
        title=label(page.title, MOST_LETTERS),
        kicker=label(page.kicker, MOST_LETTERS),
        byline=tuple(replace(f, value=label(f.value, MOST_LETTERS), href="") for f in page.byline),
        notices=tuple(
            replace(n, text=label(sentences(n.text)[0], 2 * MOST_LETTERS)) for n in page.notices
        ),
    )


def start_speech(
    benches: Sequence[BenchmarkView], commands: Sequence[Token], source: Download
) -> Speech:
    """Notes to the first slide: conditions, what was not measured, and how to do it again.

    Args:
        benches: what the deck is of.
        commands: those that measure it again, a line each.
        source: where its numbers stand.
    """
    said = [
        *([processes_sentence(benches[0])] if len(benches) == 1 else []),
        *notice_sentences(benches),
        *gap_sentences(benches),
        *(_warned(benches[0]) if len(benches) == 1 else ()),
    ]
    lines = "".join(token.text for token in on_a_screen(commands)).splitlines()
    again = f"To measure it again: {'; '.join(line for line in lines if line)}."
    return Speech((*once(said)[: MOST_SENTENCES - 1], again), (source,))


def figure_sentences(bench: BenchmarkView, block: Block) -> list[str]:
    """Notes to a figure: what it shows, its intervals, what was published, and its conditions."""
    told = speedup_sentences(bench) if compared(bench) else (processes_sentence(bench),)
    said = [*told[:2], *published_sentences(bench), *gap_sentences([bench])[:1]]
    if isinstance(block, Figure):
        said = [*_shown(block), *said, *sentences(block.caption)[:1], *_conditions_of(block.badges)]
    return list(once(said))[:MOST_SENTENCES]


def claim_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """Notes to the verdicts: the rule, what was decided with its numbers, and what is absent."""
    said = ["A claim is confirmed or refuted only when the whole interval lies on one side."]
    every = [(bench, found) for bench in benches for found in bench.tested]
    decided = (ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED)
    for verdict in decided:
        for bench, found in every:
            if found.verdict is verdict and len(said) <= MOST_CLAIMS:
                entry, measured, *_ = claim_row(bench, found).entries
                badges = ", ".join(badge.text for badge in entry.badges)
                told = f"“{label(found.claim.text, 160)}” {badges}"
                number = f": {measured.lines[0].text.rstrip('.')}" if measured.lines else ""
                said.append(f"{told}{number}.")
    if len(said) == 1:
        said.append("None was decided by what was measured here.")
    return [*said, *gap_sentences(benches)][:MOST_SENTENCES]


def gap_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """How many cells have no number, for what reasons on what devices, and what helps."""
    gaps: dict[str, list[tuple[BenchmarkView, Result]]] = {}
    for bench in benches:
        for row in bench.results:
            if not row.measured:
                gaps.setdefault(kind_text(row), []).append((bench, row))
    if not gaps:
        return []
    lost, total = sum(map(len, gaps.values())), sum(len(bench.results) for bench in benches)
    verb = "has" if lost == 1 else "have"
    reasons = []
    for why, found in sorted(gaps.items(), key=lambda each: (-len(each[1]), each[0])):
        names = formatting.listed(list(dict.fromkeys(b.title_of(r.device) for b, r in found)))
        reasons.append(f"{formatting.count(len(found))} {why} ({label(names, 100)})")
    said = (
        f"{formatting.count(lost)} of {formatting.plural(total, 'planned cell')} {verb} no "
        f"numbers, and none was put in their place: {formatting.listed(reasons)}."
    )
    remedies = dict.fromkeys(
        label(remedy_text(row), 200) for own in gaps.values() for _, row in own
    )
    return [said, *[text for text in remedies if text][:1]]


def speedup_sentences(bench: BenchmarkView) -> tuple[str, ...]:
    """The largest factor with its interval and n, what is undecided, and the conditions."""
    found = compared(bench)
    if not found:
        return once([processes_sentence(bench), *notice_sentences([bench])])
    best = max(found, key=lambda e: (e.estimate.verdict in DECIDED, bool(e.between), e.speedup))
    said = [_speech_said(bench, best)]
    open_ones = [each for each in found if each.estimate.verdict not in DECIDED]
    if open_ones:
        said.append(
            f"{len(open_ones)} of {formatting.plural(len(found), 'comparison')} "
            f"{'is' if len(open_ones) == 1 else 'are'} undecided: do not call them a difference."
        )
    reasons = [why_withheld(each.found) for each in found]
    withheld = dict.fromkeys(label(why, 200) for why in reasons if why)
    said += [f"No headline is made of some: {why}." for why in withheld]
    return once([*said, *notice_sentences([bench])])


def _speech_said(bench: BenchmarkView, best: Compared) -> str:
    """The factor, its interval, n, and how the intervals were made."""
    where = bench.at(best.point)
    text = f"{best.series.title} against {bench.title_of(bench.plan.baseline)}{where}: {best.text}"
    if not best.between:
        return f"{text}, from one process each, so without an interval."
    level = f"{formatting.fixed(100 * best.found.rules.level, 0)}{formatting.SPACE}%"
    pairs = ", compared within repeats" if best.estimate.paired else ""
    return (
        f"{text}, {level} interval {best.between}, n = {best.processes[0]} against "
        f"{best.processes[1]} "
        f"processes{pairs}."
    )


def notice_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """What must be said before any number."""
    return [f"{notice.title} {notice.text}" for notice in notices_of(benches)]


def processes_sentence(bench: BenchmarkView) -> str:
    """How many processes a number of the benchmark is from."""
    groups = (bench.measured(s, point) for s in bench.shown_series for point in bench.points)
    counts = sorted({len(rows) for rows in groups if rows})
    if not counts:
        return ""
    if counts == [1]:
        return "n is 1: every number is from one process, so there is no interval."
    if len(counts) == 1:
        return f"n is {counts[0]}: every number is from {counts[0]} processes."
    return f"n is {counts[0]} to {counts[-1]} processes, by device and point."


def _warned(bench: BenchmarkView) -> Iterator[str]:
    kinds: dict[str, int] = {}
    for row in bench.results:
        for kind in {found.kind for found in row.warnings}:
            kinds[kind] = kinds.get(kind, 0) + 1
    if kinds:
        named = [
            f"{label(kind.replace('-', ' '), 60)} ({formatting.plural(count, 'cell')})"
            for kind, count in sorted(kinds.items())[:MOST_PARTS]
        ]
        yield f"Warnings were recorded: {formatting.listed(named)}."


def _shown(block: Figure) -> list[str]:
    """What a figure shows, in numbers."""
    parts = block.drawings[0].description.rstrip(".").split("; ")
    more = len(parts) - MOST_PARTS
    return ["; ".join(parts[:MOST_PARTS]) + (f"; and {more} more." if more > 0 else ".")]


def _conditions_of(badges: Sequence[Badge]) -> list[str]:
    """What the marks on a slide stand for."""
    return list(dict.fromkeys(b.meaning for b in badges if b.tone in {"loud", "bad"}))[:2]


def once(said: Iterable[str]) -> tuple[str, ...]:
    """Each sentence once, without empty ones."""
    return tuple(dict.fromkeys(text for text in said if text))
