"""Presenter's notes: conditions, absences, verdicts, and how to measure again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimState
from accelreport.analysis.results import Result
from accelreport.report import quantity
from accelreport.report.claim_text import STATES
from accelreport.report.forms import EVIDENCE
from accelreport.report.model import Page, Speech
from accelreport.report.notices import notices_of
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.sections.about import checkout_of, site_commands
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, records_of

SECONDS = {"reproduce": 30}
SECONDS_OF_A_FIGURE = 60
"""For how long a slide is shown."""
MOST_NAMES = 4
"""Devices, and sweep points, without a number that a note names."""


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


def start_sentences(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the first slide: conditions, and what was not measured."""
    return unique([*notice_sentences(benches), *gap_sentences(benches)])


def measure_again(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the last slide: the commands that measure it again, on one line."""
    # They run where they are pasted: no comment hides those behind it, and no full stop ends them.
    lines = [token.text.strip() for token in site_commands(benches) if token.role != "note"]
    _, code = checkout_of(records_of(benches))
    return (f"Measure again{f' ({code})' * bool(code)}: {'; '.join(lines)}",)


def claim_sentences(benches: Sequence[BenchmarkView]) -> tuple[str, ...]:
    """Notes to the verdicts: the first claim in each state, and what has no number."""
    states = ClaimState.CONFIRMED, ClaimState.REFUTED, ClaimState.UNDECIDED
    every = [result for bench in benches for result in bench.tested]
    firsts = (next((r for r in every if r.state is state), None) for state in states)
    lines = [f"“{label(r.claim.text, 160)}” is {STATES[r.state]}." for r in firsts if r]
    return unique([*lines, *gap_sentences(benches)])


def gap_sentences(benches: Sequence[BenchmarkView]) -> list[str]:
    """How many cells have no number, and for what reasons on what devices and sweep points."""
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
        reasons.append(f"{why} ({quantity.listed(_absent_names(benches, rows))})")
    return [f"{_without_a_number(lost, total)}: {quantity.listed(reasons)}."]


def _absent_names(
    benches: Sequence[BenchmarkView], rows: Sequence[tuple[BenchmarkView, Result]]
) -> list[str]:
    """Devices that have no number anywhere, and sweep points of those that have some.

    Where such a point has a number, or several benchmarks have it, its cells are counted.
    """
    # A benchmark without a number does not know the name of the hardware.
    timed = [(b, row) for b in benches for row in b.results if row.timed]
    titles = {b.label_of(row.device): b.title_of(row.device) for b, row in timed}
    known = {(b.slug, row.device, row.where) for b, row in timed}
    counted = len(benches) > 1 or any((b.slug, r.device, r.where) in known for b, r in rows)
    names, places, counts = dict[str, None](), dict[str, None](), Counter[str]()
    for bench, row in rows:
        point, kind = bench.point_of(row), bench.label_of(row.device)
        name = titles.get(kind, bench.title_of(row.device))
        if kind in titles:
            counts[name] += 1
            places[f"{bench.words_of_point(point)} on {name}" if bench.axes else name] = None
        else:
            names[name] = None
    absent, some = list(names), list(places)
    if len(absent) > MOST_NAMES:
        absent[MOST_NAMES - 1 :] = [f"{len(absent) - MOST_NAMES + 1} more"]
    if counted or len(some) > MOST_NAMES:
        if len(counts) > MOST_NAMES:
            counts = Counter({"measured devices": counts.total()})
        some = [f"{quantity.plural(count, 'cell')} of {name}" for name, count in counts.items()]
    return [*absent, *some]


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
