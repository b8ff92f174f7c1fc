"""Claims and verdicts on slides, those that were decided first; and what was not measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelreport.analysis.claims import ClaimResult, ClaimVerdict
from accelreport.analysis.results import Result
from accelreport.report import formatting
from accelreport.report.claim_text import numbers_text
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Speech,
    Table,
)
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.sections.claims import claim_row, claims_section
from accelreport.report.slides.notes import once
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import remedy_text

ROOM = 27.0
"""Height of the rows of a slide, in units of its letters (rem)."""
HEADER_LETTERS, CELL_LETTERS = 43, 38
"""Letters in a line of a row's header, and of its other cells."""
MOST_TITLES = 2
"""Benchmarks named in a cell; of more it says how many."""
MOST_NUMBERS = 2
"""Numbers of a claim that stand on a slide; its page has all."""
MOST_TOLD = 2
"""Claims of a slide that its notes read out."""
MOST_UNTESTED = 3
"""Claims that were not tested here and still have a row each; more of them are counted."""
UNTESTED = ClaimVerdict.NOT_TESTED


def claim_slides(benches: Sequence[BenchmarkView]) -> Iterator[Section]:
    """Slides of the claims; none where no spec makes one."""
    section = claims_section(benches)
    if section is None:
        return
    several = len(benches) > 1
    untested = sum(not each.tested for bench in benches for each in bench.tested)
    few = untested <= MOST_UNTESTED
    ranked = [
        row
        for wanted in ClaimVerdict
        if few or wanted is not UNTESTED
        for bench in benches
        for verdict, row in _claims(bench, several=several)
        if verdict is wanted
    ]
    rule = "A claim is confirmed or refuted only when the whole interval lies on one side."
    where = "claims.html#claims" if several else f"{benches[0].slug}.html#claims"
    source = (Download(where, "Numbers: the claims with their rules"),)
    parts = list(split(ranked))
    for number, rows in enumerate(parts, start=1):
        of = _of(number, parts)
        table = Table(
            id=f"claims-{number}",
            title=f"Claims, part {number}",
            corner="claim",
            columns=(Column("verdict"), Column("measured")),
            groups=(RowGroup(tuple(rows)),),
            style="prose",
        )
        title = section.finding if number == 1 else f"Claims and verdicts{of}"
        opening = [section.finding, rule] if number == 1 else []
        speech = Speech(once([*opening, *map(_told, rows[:MOST_TOLD])]), source)
        yield Section(
            f"claims-slide-{number}", title, (table,), finding=f"Claims{of}", speech=speech
        )
    if not few:
        yield from _untested(benches, source)


def _claims(bench: BenchmarkView, *, several: bool) -> Iterator[tuple[ClaimVerdict, Row]]:
    """Verdict and row of each claim."""
    for found in bench.tested:
        row = claim_row(bench, found)
        lines = [Line(label(row.header.lines[0].text, 160))]
        if several:
            lines.append(Line(label(bench.plan.title, 80), "reason"))
        header = Entry(tuple(lines), href=f"{bench.slug}.html#claims")
        verdict, measured, *_ = row.entries
        yield found.verdict, Row(header, (verdict, _numbers(bench, found, measured)))


def _numbers(bench: BenchmarkView, found: ClaimResult, measured: Entry) -> Entry:
    """The first numbers of a claim, and how many more there are; else why there are none."""
    if not found.tested:
        why = _absent(bench) or sentence(label(numbers_text(found), 100))
        return Entry((Line(why, "reason"),))
    texts = [label(line.text, 100) for line in measured.lines if line.role == "value"]
    lines = [Line(text) for text in texts[:MOST_NUMBERS]]
    if len(texts) > MOST_NUMBERS:
        lines.append(Line(f"and {len(texts) - MOST_NUMBERS} more on the page", "reason"))
    return Entry(tuple(lines))


def _told(row: Row) -> str:
    """A claim with its verdict and its first number, to be read out."""
    verdict, measured = row.entries
    badges = ", ".join(badge.text for badge in verdict.badges)
    text = f"“{row.header.lines[0].text}” {badges}"
    return f"{text}: {measured.lines[0].text.rstrip('.')}."


def _of(number: int, parts: Sequence[list[Row]]) -> str:
    """Which of several slides this is; nothing where it is the only one."""
    return f" ({number} of {len(parts)})" if len(parts) > 1 else ""


def split(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows of sentences, as many on a slide as have room."""
    held: list[Row] = []
    room = ROOM
    for row in rows:
        high = _height(row)
        if held and high > room:
            yield held
            held, room = [], ROOM
        held.append(row)
        room -= high
    if held:
        yield held


def _height(row: Row) -> float:
    """How high a row is at most, in units of a slide's letters (rem)."""

    def lines(entry: Entry, letters: int) -> float:
        return sum(
            (1.62 if line.role == "reason" else 1.95) * -(-max(len(line.text), 1) // letters)
            for line in entry.lines
        )

    cells = [lines(entry, CELL_LETTERS) for entry in row.entries]
    return max([lines(row.header, HEADER_LETTERS), *cells]) + 0.95


def _untested(benches: Sequence[BenchmarkView], source: tuple[Download, ...]) -> Iterator[Section]:
    """Claims about devices that were not there, counted by what is missing."""
    reasons: dict[str, list[str]] = {}
    total = 0
    for bench in benches:
        found = [each for each in bench.tested if not each.tested]
        total += len(found)
        for each in found:
            why = _absent(bench) or sentence(label(numbers_text(each), 100))
            reasons.setdefault(why, []).append(label(bench.plan.title, 60))
    several = len(benches) > 1
    ordered = sorted(reasons.items(), key=lambda each: -len(each[1]))
    parts = list(split([_missing_row(why, titles, several=several) for why, titles in ordered]))
    noun = formatting.plural(total, "claim was", "claims were")
    for number, part in enumerate(parts, start=1):
        of = _of(number, parts)
        table = Table(
            id=f"untested-{number}",
            title=f"Claims that were not tested here, part {number}",
            corner="why",
            columns=(Column("claims"), *([Column("in")] if several else ())),
            groups=(RowGroup(tuple(part)),),
            style="prose",
        )
        said = f"{noun} not tested here: a device that the rule needs has no number."
        yield Section(
            f"untested-slide-{number}",
            f"{noun} not tested here{of}.",
            (table,),
            finding="Claims",
            speech=Speech((said, "Nothing is said for or against them."), source),
        )


def _missing_row(why: str, titles: Sequence[str], *, several: bool) -> Row:
    entries = [Entry((Line(formatting.count(len(titles))),))]
    if several:
        entries.append(Entry((Line(places(titles)),)))
    return Row(Entry((Line(why),)), tuple(entries))


def places(titles: Sequence[str]) -> str:
    """Titles of benchmarks, or how many there are."""
    known = list(dict.fromkeys(titles))
    if len(known) > MOST_TITLES:
        return formatting.plural(len(known), "benchmark")
    return formatting.listed(known)


def _absent(bench: BenchmarkView) -> str:
    reasons: dict[str, list[str]] = {}
    for series in bench.series:
        if series not in bench.shown_series:
            rows = [row for point in bench.points for row in bench.planned(series, point)]
            why = formatting.listed(sorted({kind_text(row) for row in rows}))
            reasons.setdefault(why, []).append(series.title)
    return "; ".join(f"{formatting.listed(who)}: {why}" for why, who in reasons.items())


MOST_REMEDIES = 2
"""Remedies that the notes name."""

Gaps = dict[str, list[tuple[BenchmarkView, Result]]]
"""Reason → the cells that have no numbers for it, with their benchmarks."""


def gap_slides(benches: Sequence[BenchmarkView]) -> Iterator[Section]:
    """Slides of the cells without numbers, one row for each reason; none without such cells."""
    gaps: Gaps = {}
    for bench in benches:
        for row in bench.rows:
            if not row.measured:
                gaps.setdefault(kind_text(row), []).append((bench, row))
    if not gaps:
        return
    total = sum(len(bench.rows) for bench in benches)
    lost = sum(map(len, gaps.values()))
    ordered = sorted(gaps, key=lambda why: (-len(gaps[why]), why))
    parts = list(split([_row(why, gaps[why], benches) for why in ordered]))
    several = len(benches) > 1
    href = "benchmarks.html#progress" if several else f"{benches[0].slug}.html#absent"
    cells = [row for why in ordered for _, row in gaps[why]]
    remedies = dict.fromkeys(label(remedy_text(row), 200) for row in cells)
    for number, rows in enumerate(parts, start=1):
        of = f" ({number} of {len(parts)})" if len(parts) > 1 else ""
        table = Table(
            id=f"gaps-{number}",
            title=f"Cells without numbers, part {number}",
            corner="why",
            columns=(Column("cells"), Column("devices"), *([Column("in")] if several else ())),
            groups=(RowGroup(tuple(rows)),),
            style="prose",
        )
        said = f"{formatting.count(lost)} of {formatting.plural(total, 'planned cell')}"
        verb = "has" if lost == 1 else "have"
        yield Section(
            f"gaps-slide-{number}",
            f"{said} {verb} no numbers{of}.",
            (table,),
            finding="What was not measured",
            speech=Speech(
                once(
                    [
                        f"{said} {verb} no numbers, and none was put in their place.",
                        *[text for text in remedies if text][:MOST_REMEDIES],
                    ]
                ),
                (Download(href, "Where each of them is told"),),
            ),
        )


def _row(
    why: str, cells: list[tuple[BenchmarkView, Result]], benches: Sequence[BenchmarkView]
) -> Row:
    devices = dict.fromkeys(bench.title_of(row.device) for bench, row in cells)
    titles = [label(bench.plan.title, 60) for bench, _ in cells]
    entries = [
        Entry((Line(formatting.count(len(cells))),)),
        Entry((Line(label(formatting.listed(list(devices)), 140)),)),
    ]
    if len(benches) > 1:
        every = len({bench.slug for bench, _ in cells}) == len(benches)
        where = f"every benchmark ({len(benches)})" if every else places(titles)
        entries.append(Entry((Line(where),)))
    return Row(Entry((Line(sentence(why)),)), tuple(entries))
