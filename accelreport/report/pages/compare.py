"""Two results folders side by side: what became faster or slower, and what else differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from accelreport.analysis.compare import Gate
from accelreport.analysis.stats import DECIDED
from accelreport.report import quantity
from accelreport.report.charts.dots import Base, Dot
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.scales import factor_text
from accelreport.report.comparison import (
    OUTCOMES,
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    alarms,
    asides,
    benchmark,
    changed_text,
    conclusions,
    gate_text,
    percentage,
    processes_compared,
    verdict_counts,
    verdicts,
)
from accelreport.report.metrics import settings_text
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Entry,
    Fact,
    Facts,
    Figure,
    Line,
    Note,
    Notes,
    Notice,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Tone,
    entry,
    table_row,
    under,
)
from accelreport.report.openings.opening import Size, dots_plot
from accelreport.report.pages.badges import with_intervals
from accelreport.report.pages.sections.speedup import VERDICTS, interval_lines
from accelreport.report.site.drawing import Drawer, DrawingError
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.render import Renderer
from accelreport.report.text import label, sentence
from accelreport.report.theme import heat_bin

WITHHELD = Badge("withheld", "accuracy differs", "loud")
HOSTS = Badge("withheld", "hosts differ", "loud")
"""What stands beside a factor of two runs that do not learn the same."""

MOST_DOTS = 24
"""Rows of the drawing; the table has all."""


def _figure(rows: Sequence[ComparisonRow]) -> Figure:
    """A dot with its interval for each row; each is named, so all have one colour."""
    dots = [
        Dot(
            name=_name(row),
            detail=label(benchmark(row)),
            device=Named(_name(row), 0),
            value=row.speedup,
            text=_text(row),
            low=row.interval.ends[0],
            high=row.interval.ends[1],
        )
        for row in rows
        if row.speedup
    ]
    plot = dots_plot(
        dots,
        axis="new ÷ old speed",
        tick=factor_text,
        base=Base(below="← slower", above="faster →"),
        id="faster-dots",
        title="New ÷ old speed",
    )
    return plot.figure(Size(WIDE, 0), Size(NARROW, 0), alone=True)


def place_of(row: ComparisonRow) -> str:
    """A sweep point in words: "batch size 64, units 32"; empty without axes."""
    return settings_text(row.point)


def _name(row: ComparisonRow) -> str:
    where = place_of(row)
    return label(f"{row.device} · {where}" if where else row.device, 60)


def _text(row: ComparisonRow) -> str:
    return quantity.ratio(row.speedup, row.low, row.high) if row.speedup else "no factor"


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
    changed.sort(key=lambda row: row.speedup or 0.0)
    rest = [row for row in rows if row not in changed]
    blocks: list[Block] = []
    if changed:
        blocks = [
            _figure(changed[:MOST_DOTS]),
            _table("times-table", changed, compared.gate),
        ]
    sections = [
        Section("times", "Changed", tuple(blocks)),
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
        byline=tuple(
            Fact(name, f"{label(side.name, 80)}, {quantity.plural(side.records, 'record')}")
            for name, side in (("Old", compared.old), ("New", compared.new))
        ),
        notices=_cautions(alarms(compared)),
    )


def _cautions(texts: Iterable[str]) -> tuple[Notice, ...]:
    """What a reader must know before any factor, as one line."""
    text = " ".join(map(_sentence, texts))
    return (Notice("", text),) if text else ()


def headline(compared: FolderComparison) -> str:
    """The result: what the gate says, or else how many rows have which verdict."""
    rows = compared.of("compared")
    counts = ", ".join(verdict_counts(rows, in_words=True)) or "nothing compared"
    speeds = [row for row in rows if row.verdict == "SLOWER" and row.speedup]
    if speeds:
        counts += f"; slowest {_text(min(speeds, key=lambda row: row.speedup or 0.0))}"
    if compared.result is OverallOutcome.UNREADABLE:
        return f"Incomplete: {counts}"
    if compared.gate is None:
        return sentence(counts)
    if broken := sum(row.failed_in_new for row in compared.rows):
        counts += f"; {broken} newly failed"
    if worse := sum(bool(row.quality) for row in compared.gated(Gate.FAILS)):
        counts += f"; {worse} less accurate"
    failed = compared.result in {OverallOutcome.FAILED, OverallOutcome.SLOWER}
    state = "failed" if failed else "undecided" if compared.gated(Gate.OPEN) else "passed"
    return f"Gate {state}: {counts}"


def _finding(compared: FolderComparison) -> str:
    return f"{verdicts(compared, in_words=True).rstrip('.')}."


def _sentence(text: str) -> str:
    return sentence(label(text, 400)).rstrip(".") + "."


def _table(name: str, rows: Sequence[ComparisonRow], gate: float | None) -> Table:
    groups = tuple(
        RowGroup(tuple(_row(row, gate) for row in own), title=label(name))
        for name, own in groupby(rows, benchmark)
    )
    columns = [
        Column("old", number=True),
        Column("new", number=True),
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
            legend=True,
        )
    )


def _row(row: ComparisonRow, gate: float | None) -> Row:
    times = (
        entry(quantity.duration(seconds), mark="baseline")
        for seconds in (row.old_seconds, row.new_seconds)
    )
    entries = [*times, _factor(row), entry(processes_compared(row))]
    if gate is not None:
        tones: dict[Gate | None, Tone] = {Gate.FAILS: "bad", Gate.PASSES: "good"}
        badge = Badge(gate_text(row).lower(), "", tones.get(row.gate, "quiet"))
        entries.append(Entry((), badges=(badge,)))
    notes = [label(reason, 200) for reason in row.reasons]
    if row.verdict == "UNDECIDED" and row.needed:
        notes.insert(0, f"+{row.needed} to decide")
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
        heat=heat_bin(value) if row.verdict in DECIDED else None,
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
    """What differs of machine and software; the grave ones stand above the page, too."""
    facts = tuple(
        Fact(sentence(label(difference.fact, 80)), label(changed_text(difference), 400))
        for difference in compared.differences
    )
    quiet = list(asides(compared, surroundings=False))
    blocks: list[Block] = [Facts(facts, long=True)] if facts else []
    blocks += [Prose(_sentence(text)) for text in quiet]
    detail = quantity.plural(len(facts) + len(quiet), "difference")
    yield Section("differences", "Other differences", tuple(blocks), folded=True, detail=detail)


def comparison_html(compared: FolderComparison) -> str:
    """The page of a comparison.

    Raises:
        DrawingError: the drawing could not be made.
    """
    facts = SiteFacts(TITLE)
    page = two_runs_page(compared)
    with Drawer(None) as drawer:
        drawer.expect(page)
        text = Renderer(drawer.svg, None, facts).render(page, site=facts)
        for unshown in drawer.unshown:
            raise DrawingError(f"{unshown.what}.", why=unshown.why)
        return text
