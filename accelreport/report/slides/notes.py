"""Presenter's notes: conditions, verdicts, and how to measure again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimState
from accelreport.report import quantity
from accelreport.report.claim_text import STATES
from accelreport.report.model import Page, Speech
from accelreport.report.notices import notices_of
from accelreport.report.pages.sections.about import checkout_of, site_commands
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, records_of

SECONDS = {"reproduce": 30}
SECONDS_OF_A_FIGURE = 60
"""For how long a slide is shown."""


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
    slides = tuple(replace(one, speech=timed(one.speech, one.id)) for one in deck.sections)
    return replace(deck, sections=slides, speech=first)


def measure_again(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the last slide: the commands that measure it again, on one line."""
    # They run where they are pasted: no comment hides those behind it, and no full stop ends them.
    lines = [token.text.strip() for token in site_commands(benches) if token.role != "note"]
    _, code = checkout_of(records_of(benches))
    return (f"Measure again{f' ({code})' * bool(code)}: {'; '.join(lines)}",)


def claim_sentences(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the verdicts: the first claim in each state."""
    states = ClaimState.CONFIRMED, ClaimState.REFUTED, ClaimState.UNDECIDED
    every = [result for bench in benches for result in bench.tested]
    firsts = (next((r for r in every if r.state is state), None) for state in states)
    return unique(f"“{label(r.claim.text, 160)}” is {STATES[r.state]}." for r in firsts if r)


def notice_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """What must be said before any number."""
    return [f"{notice.title} {notice.text}" for notice in notices_of(benches)]


def unique(sentences: Iterable[str]) -> tuple[str, ...]:
    """Each sentence once, without empty ones."""
    return tuple(dict.fromkeys(text for text in sentences if text))
