"""Presenter's notes: what to say with a slide in a few sentences, and where its numbers stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from accelreport.analysis.published import PublishedResult
from accelreport.report import formatting
from accelreport.report.frames import why_withheld
from accelreport.report.metrics import FIGURES, figure_interval, figure_text, printed_text
from accelreport.report.model import Badge, Block, Download, Figure, Page, Section, Speech, Table
from accelreport.report.pages.headline import Compared, compared
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, present

MOST_ROWS = 2
"""Figures that are read out; the page has all of them."""


def published_sentences(bench: BenchmarkView, block: Figure) -> list[str]:
    """Ours beside theirs, and what the source's conditions were.

    Args:
        bench: the benchmark.
        block: a drawing of one kind of figure, whose panel carries the name of that kind.
    """
    title = block.panels[0].title
    rows = [row for row in bench.published_results if sentence(FIGURES[row.figure][0]) in title]
    measured = [row for row in rows if present(row.measured.value)]
    said = [_said(row) for row in measured[:MOST_ROWS]]
    if not measured:
        said.append("None of these was measured here: the diamonds stand alone.")
    elif len(measured) < len(rows):
        alone = len(rows) - len(measured)
        verb = "has" if alone == 1 else "have"
        said.append(f"{alone} of {len(rows)} {verb} no counterpart: a diamond stands alone.")
    return [*said, *_conditions(rows)]


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


MOST_PARTS = 3
"""Numbers of a drawing that are named; its page has all of them."""
DECIDED = frozenset({"FASTER", "SLOWER", "SAME"})
MOST_LETTERS = 110
"""Letters of a fact on the first slide of a deck."""
REPEAT = (
    "These commands measure everything again on a machine of yours, and build its pages.",
    "Cells that are already in the results folder are not run again.",
)
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])")


def sentences(text: str) -> list[str]:
    """A text in sentences."""
    return [part for part in _END.split(text.strip()) if part]


def for_the_hall(page: Page) -> Page:
    """A page whose heading, facts and notices are short enough for the first slide."""
    return replace(
        page,
        title=label(page.title, MOST_LETTERS),
        kicker=label(page.kicker, MOST_LETTERS),
        finding=label(page.finding, 3 * MOST_LETTERS),
        byline=tuple(replace(f, value=label(f.value, MOST_LETTERS), href="") for f in page.byline),
        notices=tuple(
            replace(n, text=label(sentences(n.text)[0], 2 * MOST_LETTERS)) for n in page.notices
        ),
    )


def start_speech(bench: BenchmarkView) -> Speech:
    """Notes to the first slide of a benchmark: how many processes, and under what conditions."""
    said = [f"{_counted(bench)} {processes_sentence(bench)}".strip()]
    return Speech(once([*said, *notice_sentences([bench]), *_warned(bench)]), (_page(bench),))


def slide_speech(bench: BenchmarkView, section: Section, block: Block) -> Speech:
    """Notes to a slide of a benchmark.

    Args:
        bench: the benchmark.
        section: the section of its page that the slide is from.
        block: what the slide shows.
    """
    source = Download(f"{bench.slug}.html#{section.id}", f"Numbers: {section.title}")
    if not isinstance(block, Figure | Table):
        return Speech(REPEAT, (source,))
    if section.id == "speedup":
        every = _each(bench) if isinstance(block, Table) else ()
        return Speech(once(every) or speedup_sentences(bench), (source,))
    if section.id == "published" and isinstance(block, Figure):
        return Speech(once(published_sentences(bench, block)), (source,))
    said = [*_shown(block), *_how(block)]
    if section.id != "forecast":
        said.append(processes_sentence(bench))
    return Speech(once([*said, *_speech_conditions(block)]), (source,))


def _each(bench: BenchmarkView) -> Iterator[str]:
    """The largest factors one by one, with their intervals, n and verdicts."""
    found = sorted(compared(bench), key=lambda each: -each.speedup)
    for each in found[:MOST_PARTS]:
        where = f", {bench.point_title(each.point)}" if bench.axes else ""
        n = f"n = {each.processes[0]} against {each.processes[1]}"
        interval = f"{each.between}, {n}" if each.between else f"{n}, no interval"
        verdict = each.estimate.verdict.lower()
        yield f"{each.series.title}{where}: {each.text} ({interval}), {verdict}."
    if len(found) > MOST_PARTS:
        more = formatting.plural(len(found) - MOST_PARTS, "more comparison")
        yield f"{more} on this slide; each cell leads to the processes behind it."


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
    where = f" at {bench.point_title(best.point)}" if bench.axes else ""
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


def _counted(bench: BenchmarkView) -> str:
    done = sum(row.measured for row in bench.rows)
    cells = formatting.plural(len(bench.rows), "planned cell")
    return f"Measured {formatting.count(done)} of {cells}."


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
    for row in bench.rows:
        for kind in {found.kind for found in row.warnings}:
            kinds[kind] = kinds.get(kind, 0) + 1
    if kinds:
        named = [
            f"{label(kind.replace('-', ' '), 60)} ({formatting.plural(count, 'cell')})"
            for kind, count in sorted(kinds.items())[:MOST_PARTS]
        ]
        yield f"Warnings were recorded: {formatting.listed(named)}."


def _shown(block: Figure | Table) -> list[str]:
    """What a figure shows, in numbers; a table is read from the screen."""
    if isinstance(block, Table):
        return []
    said = []
    for drawing in block.drawings[:1]:
        parts = drawing.description.rstrip(".").split("; ")
        more = len(parts) - MOST_PARTS
        text = "; ".join(parts[:MOST_PARTS]) + (f"; and {more} more" if more > 0 else "")
        panel = f"{block.panels[0].title}: " if len(block.panels) > 1 else ""
        said.append(sentence(f"{panel}{text}."))
    return said


def _how(block: Figure | Table) -> list[str]:
    return sentences(block.caption)[:1]


def _speech_conditions(block: Figure | Table) -> list[str]:
    """What the marks on a slide stand for."""
    badges: list[Badge] = list(block.badges)
    if isinstance(block, Table):
        entries = (entry for g in block.groups for row in g.rows for entry in row.entries)
        badges += [badge for entry in entries for badge in entry.badges]
    loud = dict.fromkeys(b.meaning for b in badges if b.tone in {"loud", "bad"})
    return list(loud)[:2]


def _page(bench: BenchmarkView) -> Download:
    return Download(f"{bench.slug}.html", "Numbers: the page of this benchmark")


def once(said: Iterable[str]) -> tuple[str, ...]:
    """Each sentence once, without empty ones."""
    return tuple(dict.fromkeys(text for text in said if text))
