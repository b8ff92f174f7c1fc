"""Presenter's notes: conditions, absences, verdicts, and how to measure again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.results import Result
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.report import quantity
from accelreport.report.forms import EVIDENCE
from accelreport.report.model import Download, Page, Speech, Token
from accelreport.report.notices import notices_of
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.sections.about import checkout_of, records_of, replaced_data
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import remedy_text

MOST_LETTERS, MOST_OF_A_FACT = 110, 40
"""Letters of a line on the first slide of a deck, and of a fact on it."""
MOST_CLAIMS = 3
"""Claims that are read out."""


def for_the_hall(page: Page) -> Page:
    """A page whose heading, facts and notices are short enough for the first slide."""
    return replace(
        page,
        title=label(page.title, MOST_LETTERS),
        kicker=label(page.kicker, MOST_LETTERS),
        byline=tuple(replace(f, href="") for f in page.byline if len(f.value) <= MOST_OF_A_FACT),
        notices=tuple(replace(notice, text="") for notice in page.notices),
    )


SECONDS = {"start": 30, "claims": 60, "takeaway": 40}
SECONDS_OF_A_FIGURE = 60
"""For how long a slide is shown, so that ten of them take ten minutes at most."""


def on_time(deck: Page) -> Page:
    """The deck with a time target in the notes of each slide."""
    end = 0

    def timed(speech: Speech | None, name: str) -> Speech | None:
        nonlocal end
        seconds = SECONDS.get(name, SECONDS_OF_A_FIGURE)
        end += seconds
        target = f"Target: {seconds}{quantity.SPACE}s, until {end // 60}:{end % 60:02}."
        return replace(speech, target=target) if speech else None

    first = timed(deck.speech, "start")
    return replace(
        deck.with_sections(lambda slide: replace(slide, speech=timed(slide.speech, slide.id))),
        speech=first,
    )


def start_speech(
    benches: Sequence[BenchmarkView],
    spoken: Iterable[str],
    commands: Sequence[Token],
    source: Download,
) -> Speech:
    """Notes to the first slide: conditions, what was not measured, and how to measure it again.

    Args:
        benches: what the deck is of.
        spoken: sentences to speak.
        commands: those that measure it again, a line each.
        source: where its numbers stand.
    """
    # They run where they are pasted: no comment hides those behind it, and no full stop ends them.
    lines = [token.text.strip() for token in commands if token.role != "note"]
    records = records_of(benches)
    _, code = checkout_of(records)
    again = f"Measure again{f' ({code})' * bool(code)}: {'; '.join(lines)}"
    sentences = [*notice_sentences(benches), *gap_sentences(benches)]
    if replaced := [CATALOGUE[name].title for name in replaced_data(records)]:
        sentences.append(f"Not the official files: {quantity.listed(replaced)}.")
    sentences.append(again)
    return Speech(unique(spoken), unique(sentences), (source,))


def claim_sentences(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the verdicts: the first claims that are decided, and what has no number."""
    decided = [
        f"“{label(result.claim.text, 160)}” is {result.verdict.value.lower()}."
        for verdict in (ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED)
        for bench in benches
        for result in bench.tested
        if result.verdict is verdict
    ]
    return unique([*decided[:MOST_CLAIMS], *gap_sentences(benches)])


def gap_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """How many cells have no number, for what reasons on what devices, and what helps."""
    gaps: dict[str, list[tuple[BenchmarkView, Result]]] = {}
    for bench in benches:
        for row in bench.results:
            if not row.timed:
                gaps.setdefault(kind_text(row), []).append((bench, row))
    if not gaps:
        return []
    lost, total = sum(map(len, gaps.values())), sum(len(bench.results) for bench in benches)
    reasons = []
    for why, rows in sorted(gaps.items(), key=lambda gap: (-len(gap[1]), gap[0])):
        names = quantity.listed(list(dict.fromkeys(b.title_of(row.device) for b, row in rows)))
        count = f"{quantity.plural(len(rows), 'cell')} of " if len(gaps) > 1 else ""
        reasons.append(f"{why} ({count}{label(names, 100)})")
    summary = f"{_without_a_number(lost, total)}: {quantity.listed(reasons)}."
    remedies = [label(remedy_text(row), 200) for rows in gaps.values() for _, row in rows]
    return [summary, *remedies[:1]]


def _without_a_number(lost: int, planned: int) -> str:
    """How many cells have none: "2 of 27 planned cells have no number"."""
    of = f"{quantity.count(lost)} of {quantity.plural(planned, 'planned cell')}"
    return f"{of} {'has' if lost == 1 else 'have'} no number"


def cut_short(benches: Sequence[BenchmarkView]) -> str:
    """How many cells the budget stopped and how many have no number; empty where all are whole."""
    rows = [row for bench in benches for row in bench.results]
    measured = [row for row in rows if row.timed]
    cut = sum(row.status == "partial" for row in measured)
    lost = len(rows) - len(measured)
    parts = []
    if cut:
        among = quantity.plural(len(measured), "measured cell")
        what = f"{quantity.count(cut)} of {among}"
        parts.append(EVIDENCE["budget"].format(what=what, after="").rstrip("."))
    if lost:
        parts.append(_without_a_number(lost, len(rows)))
    return f"{sentence('; '.join(parts))}." if parts else ""


def notice_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """What must be said before any number."""
    return [f"{notice.title} {notice.text}" for notice in notices_of(benches)]


def unique(sentences: Iterable[str]) -> tuple[str, ...]:
    """Each sentence once, without empty ones."""
    return tuple(dict.fromkeys(text for text in sentences if text))
