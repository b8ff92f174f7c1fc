"""Two results folders side by side: what became faster or slower, and what else differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, floor, log, log2

from markupsafe import Markup

from accelreport.analysis.compare import GPU, Gate
from accelreport.analysis.findings import MOST_SEPARATE
from accelreport.analysis.stats import Interval, grouped
from accelreport.report import quantity
from accelreport.report.comparison import (
    ALONE,
    OUTCOMES,
    VERDICTS,
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    alarms,
    benchmark,
    conclusions,
    gate_text,
    more_text,
    percentage,
    processes_compared,
    signs_of,
    time_texts,
    unplanned,
    values_of,
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
    RowGroup,
    Section,
    Strip,
    Table,
    Tone,
    entry,
    table_row,
)
from accelreport.report.pages.badges import with_intervals
from accelreport.report.pages.sections.speedup import interval_lines
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.render import Renderer
from accelreport.report.text import label, sentence, short_hardware

WITHHELD = Badge("withheld", "accuracy differs", "loud")
HOSTS = Badge("withheld", "hosts differ", "loud")
"""What stands beside a factor of two runs that do not learn the same."""


TITLE = "Two runs"
MOST_PLACES = 12
"""Rows named under one reason; the others are counted."""
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
    alone = f"{sentence(ALONE)}." * (len(rows) > MOST_SEPARATE)
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
        *_differences(compared),
        *_left(compared),
    ]
    sections.sort(key=lambda section: section.folded)
    return Page(
        path="comparison.html",
        title=TITLE,
        headline=headline(compared),
        finding=alone if rows else verdicts(compared),
        sections=tuple(section for section in sections if section.blocks),
        template="comparison.html",
        byline=(
            *(
                Fact(name, f"{label(side.name, 80)}, {quantity.plural(side.records, 'record')}")
                for name, side in (("Old", compared.old), ("New", compared.new))
            ),
            *(Fact("Machine of both", label(name, 20)) for name in machines if len(machines) == 1),
        ),
        notices=tuple(Notice("", _sentence(text)) for text in alarms(compared, machines=False)),
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
    """Whose speeds they are: "Intel Xeon → AMD EPYC"; empty on one machine."""
    every = sum(bool(row.old_machine and row.new_machine) for row in compared.rows)
    for fact, kind in ((GPU, ""), ("CPU", ""), ("machine", "machine ")):
        own = [row for row in compared.differences if row.fact == fact]
        if [row.comparisons for row in own] == [every]:
            old, new = (
                " and ".join(map(short_hardware, side)) for side in (own[0].old, own[0].new)
            )
            if old != new and "none" not in {old, new}:
                return f"{kind}{old} → {kind}{new}"
    return ""


def _sentence(text: str) -> str:
    return sentence(label(text, 400)).rstrip(".") + "."


def _table(name: str, rows: Sequence[ComparisonRow], gate: float | None) -> Table:
    """A group for each verdict, the strongest change first."""
    place, ticks = _axis([row.interval for row in rows])
    cells: list[tuple[Column, Callable[[ComparisonRow], Entry]]] = [
        (Column("old", number=True), lambda row: entry(time_texts(row)[0], mark="baseline")),
        (Column("new", number=True), lambda row: entry(time_texts(row)[1], mark="baseline")),
        (Column("new ÷ old speed", ticks=ticks), lambda row: _drawn(row, place, ticks)),
        (Column("times as fast", detail="and its interval", number=True), _factor),
    ]
    processes = {processes_compared(row) for row in rows}
    if len(processes) > 1:
        cells.append((Column("processes", number=True), lambda row: entry(processes_compared(row))))
    if gate is not None:
        cells.append((Column("gate", detail=f"{percentage(gate)} slower"), _gate_entry))
    if any(map(_notes, rows)):
        cells.append((Column("notes", wide=True), lambda row: entry(*(_notes(row) or [Line("–")]))))
    ordered = sorted(rows, key=lambda row: -abs(log(row.speedup or 1.0)) * (row.verdict in CHANGED))
    by_verdict = grouped(ordered, lambda row: row.verdict)
    groups = (
        RowGroup(
            tuple(
                table_row(_named(row), *(cell(row) for _, cell in cells))
                for row in by_verdict[verdict]
            ),
            verdict_counts(by_verdict[verdict], in_words=True)[0],
        )
        for verdict in VERDICTS
        if verdict in by_verdict
    )
    table = Table(
        id=name,
        title="Step times",
        corner="benchmark",
        columns=tuple(column for column, _ in cells),
        groups=tuple(groups),
        notes=signs_of(rows),
        caption=f"{', '.join(processes)} each." * (len(processes) == 1),
        style="prose",
    )
    return with_intervals(table)


def _named(row: ComparisonRow) -> Entry:
    profile = "" if row.profile == "full" else f" ({label(row.profile, 20)})"
    where = " · ".join(filter(None, (label(row.device, 60), settings_text(row.point))))
    return entry(f"{label(row.title or row.spec, 80)}{profile}", Line(where, "reason"))


Place = Callable[[float], float]
"""Where a ratio is, in percent of the axis."""
Ticks = tuple[tuple[float, str], ...]
MOST_TICKS = 3
"""Steps between the ticks of an axis, at most."""


def _axis(intervals: Iterable[Interval]) -> tuple[Place, Ticks]:
    """A logarithmic axis of powers of two that holds all intervals, and 1."""
    ends = [log2(end) for interval in intervals if interval.known for end in interval.ends]
    least, most = floor(min([-1.0, *ends])), ceil(max([1.0, *ends]))
    step = ceil((most - least) / MOST_TICKS)
    least, most = step * floor(least / step), step * ceil(most / step)

    def place(ratio: float) -> float:
        return round(100 * (log2(ratio) - least) / (most - least), 1)

    powers = (2.0**power for power in range(least, most + 1, step))
    return place, tuple((place(power), f"{quantity.short(power)}×") for power in powers)


def _drawn(row: ComparisonRow, place: Place, ticks: Ticks) -> Entry:
    if not row.interval.known:
        return entry("–")
    low, value, high = map(place, (row.interval.low, row.interval.value, row.interval.high))
    return Entry((), strip=Strip(low, value, high, ticks))


def _factor(row: ComparisonRow) -> Entry:
    if not row.speedup:
        return entry(quantity.MISSING)
    withheld = (HOSTS if row.hosts_differ else WITHHELD,) * (row.verdict == "WITHHELD")
    return entry(*interval_lines(row.interval), badges=withheld)


def _gate_entry(row: ComparisonRow) -> Entry:
    tones: dict[Gate | None, Tone] = {Gate.FAILS: "bad", Gate.PASSES: "good"}
    badge = Badge(gate_text(row).lower(), "", tones.get(row.gate, "quiet"))
    return Entry((), badges=(badge,))


def _notes(row: ComparisonRow) -> list[Line]:
    notes = [more_text(row, row.needed), *(label(reason, 200) for reason in row.reasons)]
    return [Line(note, "reason") for note in notes if note]


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
            parts = (label(benchmark(row)), label(row.device, 60), settings_text(row.point))
            where = " · ".join(part for part in parts if part)
            alike.setdefault(tuple(row.reasons), []).append(where)
        for reasons, places in alike.items():
            count += len(places)
            shown = places[:MOST_PLACES]
            more = [f"{len(places) - len(shown)} more"] if len(places) > len(shown) else []
            why = " ".join(_sentence(reason) for reason in reasons)
            notes.append(Note(f"{heading}.", f"{why} {quantity.listed([*shown, *more])}."))
    detail = quantity.plural(count, "row")
    notes += [Note("", _sentence(text)) for text in unplanned(compared)]
    blocks = (Notes(tuple(notes)),) if notes else ()
    yield Section("left", "Not compared", blocks, folded=True, detail=detail)


def _differences(compared: FolderComparison) -> Iterator[Section]:
    """What differs of machine and software."""
    rows = [
        table_row(row.fact, *(label(side, 200) for side in values_of(row)))
        for row in compared.differences
    ]
    columns = Column("old"), Column("new")
    table = Table("differences-table", "Differences", columns, (RowGroup(tuple(rows)),))
    yield Section("differences", "Differences", (table,) if rows else ())


def comparison_html(compared: FolderComparison) -> str:
    """The page of a comparison, which has no drawing."""
    facts = SiteFacts(TITLE)
    renderer = Renderer(lambda _: Markup(), None, facts)
    return renderer.render(two_runs_page(compared), site=facts)
