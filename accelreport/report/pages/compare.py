"""Two results folders side by side: what became faster or slower, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from markupsafe import Markup

from accelreport.analysis.compare import GPU, Gate
from accelreport.analysis.stats import grouped
from accelreport.report import quantity
from accelreport.report.comparison import (
    OUTCOMES,
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    alarms,
    asides,
    benchmark,
    conclusions,
    gate_text,
    more_text,
    percentage,
    processes_compared,
    speedup_text,
    verdict_counts,
    verdicts,
)
from accelreport.report.metrics import settings_text
from accelreport.report.model import (
    Badge,
    Column,
    Entry,
    Fact,
    Line,
    Note,
    Notes,
    Notice,
    Page,
    Row,
    RowGroup,
    Section,
    Strip,
    Table,
    Tone,
    entry,
    table_row,
    under,
)
from accelreport.report.pages.badges import with_intervals
from accelreport.report.pages.sections.claims import strips_of
from accelreport.report.pages.sections.speedup import VERDICTS, interval_lines
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.render import Renderer
from accelreport.report.text import label, sentence, short_hardware

WITHHELD = Badge("withheld", "accuracy differs", "loud")
HOSTS = Badge("withheld", "hosts differ", "loud")
"""What stands beside a factor of two runs that do not learn the same."""


def place_of(row: ComparisonRow) -> str:
    """A sweep point in words: "batch size 64, units 32"; empty without axes."""
    return settings_text(row.point)


TITLE = "Two runs"
MOST_PLACES = 12
"""Rows named under one reason; the others are counted."""
HEAT = {"SLOWER": 2, "FASTER": 6}
"""The tint of a decided change."""
CHANGED = frozenset({"FASTER", "SLOWER", "WITHHELD"})
"""Verdicts of rows that a reader sees first."""


def two_runs_page(compared: FolderComparison) -> Page:
    """The page; it leads to no other, so that it can be sent about alone.

    Args:
        compared: OLD and NEW against each other; names in it are not trusted.
    """
    rows = compared.of("compared")
    changed = [row for row in rows if row.verdict in CHANGED or row.gate is Gate.FAILS]
    rest = [row for row in rows if row not in changed]
    table = (_table("times-table", changed, compared.gate),) if changed else ()
    machines = {name for row in rows for name in (row.old_machine, row.new_machine)}
    sections = [
        Section("times", "Changed", table),
        *_gate(compared),
        Section(
            "unchanged",
            "Unchanged or undecided",
            (_table("unchanged-table", rest, compared.gate),) if rest else (),
            folded=bool(changed),
            detail=", ".join(verdict_counts(rest, in_words=True)),
        ),
        *_left(compared),
        *_differences(compared),
    ]
    return Page(
        path="comparison.html",
        title=TITLE,
        headline=headline(compared),
        finding=_finding(compared),
        sections=tuple(section for section in sections if section.blocks),
        template="comparison.html",
        byline=(
            *(
                Fact(name, f"{label(side.name, 80)}, {quantity.plural(side.records, 'record')}")
                for name, side in (("Old", compared.old), ("New", compared.new))
            ),
            *(Fact("Machine of both", label(name, 20)) for name in machines if len(machines) == 1),
            *([Fact("Measured", label(compared.apart, 200))] if compared.apart else []),
        ),
        notices=tuple(Notice("", _sentence(text)) for text in alarms(compared)),
    )


def headline(compared: FolderComparison) -> str:
    """The result: what the gate says, or else how many rows have which verdict."""
    rows, whose = compared.of("compared"), contenders(compared)
    counts = ", ".join(verdict_counts(rows, in_words=True)) or "nothing compared"
    if compared.result is OverallOutcome.UNREADABLE:
        return f"{', '.join(filter(None, ('Incomplete', whose)))}: {counts}"
    if compared.gate is None:
        return f"{whose}: {counts}" if whose else sentence(counts)
    if broken := sum(row.failed_in_new for row in compared.rows):
        counts += f"; {broken} newly failed"
    if worse := sum(bool(row.quality) for row in compared.gated(Gate.FAILS)):
        counts += f"; {worse} less accurate"
    failed = compared.result in {OverallOutcome.FAILED, OverallOutcome.SLOWER}
    state = "failed" if failed else "undecided" if compared.gated(Gate.OPEN) else "passed"
    return f"{', '.join(filter(None, (f'Gate {state}', whose)))}: {counts}"


def contenders(compared: FolderComparison) -> str:
    """Whose speeds they are, NEW first: "AMD EPYC against Intel Xeon"; empty on one machine."""
    every = sum(bool(row.old_machine and row.new_machine) for row in compared.rows)
    for fact, kind in ((GPU, ""), ("CPU", ""), ("machine", "machine ")):
        own = [row for row in compared.differences if row.fact == fact]
        if [row.comparisons for row in own] == [every]:
            old, new = (
                " and ".join(map(short_hardware, side)) for side in (own[0].old, own[0].new)
            )
            if old != new and "none" not in {old, new}:
                return f"{kind}{new} against {kind}{old}"
    return ""


def _finding(compared: FolderComparison) -> str:
    """How much was compared, and the largest of the decided changes."""
    rows = compared.of("compared")
    changes = [row for row in rows if row.verdict in HEAT]
    if not changes:
        return "" if rows else verdicts(compared)
    largest = max(changes, key=_size)
    change = f"largest change {label(benchmark(largest))}, {speedup_text(largest)}"
    return f"{quantity.plural(len(rows), 'comparison')}; {change}."


def _size(row: ComparisonRow) -> float:
    """How large a change is, faster or slower."""
    return abs(log(row.speedup or 1.0))


def _sentence(text: str) -> str:
    return sentence(label(text, 400)).rstrip(".") + "."


def _table(name: str, rows: Sequence[ComparisonRow], gate: float | None) -> Table:
    """A group for each benchmark, that with the largest change first."""
    intervals = [row.interval for row in rows]
    strips = dict(zip(map(id, rows), strips_of(intervals, (None, 1.0), by_ratio=True), strict=True))
    by_name = sorted(
        grouped(rows, benchmark).items(), key=lambda own: max(map(_size, own[1])), reverse=True
    )
    groups = tuple(
        RowGroup(tuple(_row(row, strips[id(row)], gate) for row in own), title=label(title))
        for title, own in by_name
    )
    columns = [
        Column("old", number=True),
        Column("new", number=True),
        Column("new ÷ old speed", detail="shaded: slower"),
        Column("times as fast", detail="and its interval", number=True),
        Column("processes", number=True),
    ]
    if gate is not None:
        columns.append(Column("gate", detail=f"{percentage(gate)} slower"))
    columns.append(Column("notes", wide=True))
    return with_intervals(
        Table(
            id=name,
            title="Step times",
            corner="device",
            columns=tuple(columns),
            groups=groups,
            style="prose",
        )
    )


def _row(row: ComparisonRow, strip: Strip | None, gate: float | None) -> Row:
    times = (
        entry(quantity.duration(seconds), mark="baseline")
        for seconds in (row.old_seconds, row.new_seconds)
    )
    entries = [*times, Entry((), strip=strip), _factor(row), entry(processes_compared(row))]
    if gate is not None:
        tones: dict[Gate | None, Tone] = {Gate.FAILS: "bad", Gate.PASSES: "good"}
        badge = Badge(gate_text(row).lower(), "", tones.get(row.gate, "quiet"))
        entries.append(Entry((), badges=(badge,)))
    notes = [label(reason, 200) for reason in row.reasons]
    if more := more_text(row, row.needed):
        notes.insert(0, more)
    entries.append(Entry(tuple(Line(note, "reason") for note in notes) or (Line("–"),)))
    return table_row(entry(label(row.device, 60), *under(place_of(row))), *entries)


def _factor(row: ComparisonRow) -> Entry:
    value = row.speedup
    if not value:
        return entry(quantity.MISSING)
    withheld = HOSTS if row.hosts_differ else WITHHELD
    badge = withheld if row.verdict == "WITHHELD" else VERDICTS.get(row.verdict)
    return entry(
        *interval_lines(row.interval),
        heat=HEAT.get(row.verdict),
        badges=(badge,) if badge else (),
    )


def _gate(compared: FolderComparison) -> Iterator[Section]:
    """What the gate says, sentence by sentence."""
    _, *sentences = conclusions(compared)
    if not sentences:
        return
    *notes, last = sentences
    tone: Tone = "bad" if last.startswith("The gate is closed") else "plain"
    items = tuple(
        Note("", _sentence(text), tone="bad" if text.startswith("FAILED") else "plain")
        for text in notes
    )
    yield Section("gate", "The gate", (Notes((Note("", last, tone=tone), *items)),))


def _left(compared: FolderComparison) -> Iterator[Section]:
    """What was not compared; rows with equal reasons share a note."""
    notes, count = [], 0
    for outcome, heading in OUTCOMES.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for row in compared.of(outcome):
            parts = (label(benchmark(row)), label(row.device, 60), place_of(row))
            where = " · ".join(part for part in parts if part)
            alike.setdefault(tuple(row.reasons), []).append(where)
        for reasons, places in alike.items():
            count += len(places)
            shown = places[:MOST_PLACES]
            more = [f"{len(places) - len(shown)} more"] if len(places) > len(shown) else []
            why = " ".join(_sentence(reason) for reason in reasons)
            notes.append(Note(f"{heading}.", f"{why} {quantity.listed([*shown, *more])}."))
    detail = quantity.plural(count, "row")
    blocks = (Notes(tuple(notes)),) if notes else ()
    yield Section("left", "Not compared", blocks, folded=True, detail=detail)


def _differences(compared: FolderComparison) -> Iterator[Section]:
    """What differs without a word of it above."""
    notes = tuple(Note("", _sentence(text)) for text in asides(compared))
    detail = quantity.plural(len(notes), "difference")
    blocks = (Notes(notes),) if notes else ()
    yield Section("differences", "Other differences", blocks, folded=True, detail=detail)


def comparison_html(compared: FolderComparison) -> str:
    """The page of a comparison, which has no drawing."""
    facts = SiteFacts(TITLE)
    renderer = Renderer(lambda _: Markup(), None, facts)
    return renderer.render(two_runs_page(compared), site=facts)
