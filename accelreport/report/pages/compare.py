"""Two results folders side by side: what became faster or slower, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from accelreport.analysis.compare import Gate
from accelreport.analysis.stats import DECIDED
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Base, Dot, dot_plot
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
    by_place,
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
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.sections.speedup import VERDICTS, interval_lines
from accelreport.report.site.drawing import Drawer, DrawingError
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.render import Renderer
from accelreport.report.text import label, sentence
from accelreport.report.theme import heat_bin

WITHHELD = Badge("withheld", "The two runs do not reach the same accuracy.", "loud")
"""What stands beside a factor of two runs that do not learn the same."""

MOST_DOTS = 24
"""Rows of the drawing; the table has all."""


Compared = tuple[str, str, ComparisonRow]
"""A name, what it is of, and what was compared."""


def faster_figure(
    rows: Sequence[Compared], title: str = "The new run’s speed over that of the old run"
) -> Figure:
    """A dot with its interval for each row; each is named, so all have one colour."""
    dots = [
        Dot(
            name=name,
            detail=of,
            device=Named(name, 0),
            value=row.speedup,
            text=_text(row),
            low=row.interval.ends[0],
            high=row.interval.ends[1],
        )
        for name, of, row in rows
        if row.speedup
    ]
    plot = Plot(
        id="faster-dots",
        title=title,
        description="; ".join(f"{name}: {_text(row)}" for name, _, row in rows[:12]),
        chart=lambda size: dot_plot(
            dots,
            axis_title="times as fast as old",
            tick=factor_text,
            width=size.width,
            height=size.height,
            base=Base(below="← slower", above="faster →"),
        ),
        caption=(
            "Marks are factors, and bars their 95 % intervals; a mark without a bar has none. "
            "The scale is logarithmic: twice and half as fast lie equally far from 1×."
        ),
    )
    high = 60 + 36 * len(dots)
    return plot.figure(Size(WIDE, high), Size(NARROW, high))


def place_of(row: ComparisonRow) -> str:
    """A sweep point in words: "batch size 64, units 32"; empty without axes."""
    return settings_text(row.point)


def _name(row: ComparisonRow) -> str:
    where = place_of(row)
    return label(f"{row.device} · {where}" if where else row.device, 60)


def _text(row: ComparisonRow) -> str:
    return quantity.ratio(row.speedup, row.low, row.high) if row.speedup else "no factor"


TITLE = "Two runs side by side"
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
    changed.sort(key=lambda row: (benchmark(row), row.speedup or 0.0))
    rest = [row for row in rows if row not in changed]
    blocks: list[Block] = []
    if changed:
        some = [(_name(row), label(benchmark(row)), row) for row in changed[:MOST_DOTS]]
        blocks = [_table("times-table", changed, compared.gate), faster_figure(some)]
    sections = [
        Section("times", "What changed", tuple(blocks)),
        *_gate(compared),
        Section(
            "unchanged",
            "What did not change, or is undecided",
            (_table("unchanged-table", rest, compared.gate),) if rest else (),
            folded=bool(changed),
            detail=", ".join(verdict_counts(rest, in_words=True)),
        ),
        *_left(compared),
        *_differences(compared),
        Section("methods", "How it is computed", (Prose(_methods(compared)),), folded=True),
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
        notices=tuple(Notice("Attention.", _sentence(alarm)) for alarm in alarms(compared)),
    )


def headline(compared: FolderComparison) -> str:
    """The result: what the gate says, or else how many rows are slower and how many faster."""
    rows, of = compared.of("compared"), f"of {len(compared.of('compared'))}"
    slower = [row for row in rows if row.verdict == "SLOWER"]
    slowest = ""
    if speeds := [row for row in slower if row.speedup]:
        least = min(speeds, key=lambda row: row.speedup or 0.0)
        slowest = f", the slowest at {_text(least)} the old speed"
    verb = "is" if len(slower) == 1 else "are"
    match compared.result:
        case OverallOutcome.NOTHING:
            return "Nothing could be compared"
        case OverallOutcome.UNREADABLE:
            return "Files could not be read, so the comparison is incomplete"
        case OverallOutcome.FAILED if compared.gate is not None:
            broken = sum(row.failed_in_new for row in compared.rows)
            return f"Gate failed: {broken} that old measured failed in new"
        case OverallOutcome.SLOWER:
            fails = compared.gated(Gate.FAILS)
            worse = [row for row in fails if row.quality]
            if len(worse) == len(fails):
                return f"Gate failed: {len(worse)} {of} with lower accuracy"
            return f"Gate failed: {len(slower)} {of} {verb} slower{slowest}"
    if compared.gate is not None and (still := compared.gated(Gate.OPEN)):
        return f"Gate undecided for {len(still)} {of}"
    if compared.gate is not None:
        return f"Gate passed: none {of} is slower by more than {percentage(compared.gate)}"
    faster = sum(row.verdict == "FASTER" for row in rows)
    if slower and faster:
        return f"{len(slower)} {of} {verb} slower and {faster} faster{slowest}"
    if slower:
        return f"{len(slower)} {of} {verb} slower{slowest}"
    if faster:
        return f"{faster} {of} {'is' if faster == 1 else 'are'} faster"
    return f"None {of} comparisons is decided"


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
    return Table(
        id=name,
        title="Steady times, old and new",
        caption=(
            "Each time is the geometric mean over processes. The factor is the speed of the "
            "new run over that of the old, with its 95 % interval. Cells are coloured only "
            "where it decides."
        ),
        corner="device",
        columns=tuple(columns),
        groups=groups,
        style="prose",
        legend=True,
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
        notes.insert(0, f"{row.needed} more processes would decide")
    entries.append(Entry(tuple(Line(note, "reason") for note in notes) or (Line("–"),)))
    return table_row(entry(label(row.device, 60), *under(place_of(row))), *entries)


def _factor(row: ComparisonRow) -> Entry:
    value = row.speedup
    if not value:
        return entry(quantity.MISSING)
    badge = WITHHELD if row.verdict == "WITHHELD" else VERDICTS.get(row.verdict)
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
    detail = f"{quantity.plural(count, 'row')}, each with its reason"
    blocks = (Notes(tuple(notes)),) if notes else ()
    yield Section("left", "What was not compared", blocks, folded=True, detail=detail)


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
    yield Section("differences", "What else differs", tuple(blocks), folded=True, detail=detail)


def _methods(compared: FolderComparison) -> str:
    return (
        "Each factor is a ratio of geometric means over processes. Its "
        f"{percentage(compared.level)} interval is Student’s t on logarithms over the seeds "
        "that both ran, else Welch’s. Faster and slower mean that the whole interval lies "
        f"on one side; the same means that it lies within {percentage(compared.margin)}. "
        "Times of other workloads, data or precision are never divided. The drawing shows the "
        f"first {MOST_DOTS} rows."
    )


def line_page(line: Sequence[FolderComparison]) -> Page:
    """A line of runs, such as those of commits one after another, each against the first.

    Args:
        line: each later folder as NEW against the first one as OLD, in their order.
    """
    first, *names = (label(side.name, 40) for side in (line[0].old, *(other.new for other in line)))
    dots, rows = [], []
    for group in by_place(line).values():
        first_row = next(row for row in group if row)
        heading = f"{benchmark(first_row)} · {_name(first_row)}"
        dots += [(name, label(heading), row) for name, row in zip(names, group, strict=True) if row]
        entries = (_factor(row) if row else quantity.MISSING for row in group)
        rows.append(table_row(label(heading), *entries))
    table = Table(
        id="line-table",
        title=f"Speed over that of {first}",
        caption="The 95 % interval is under each ratio. Decided comparisons are coloured.",
        corner="benchmark and device",
        columns=number_columns(names),
        groups=(RowGroup(tuple(rows)),),
        style="prose",
        legend=True,
    )
    title = f"Speed over that of {first}, run after run"
    figure = faster_figure(dots[:MOST_DOTS], title)
    finding = f"{names[-1]} against {first}: {_finding(line[-1])}"
    alarmed = [
        (name, alarm) for name, other in zip(names, line, strict=True) for alarm in alarms(other)
    ]
    return Page(
        path="comparison.html",
        title="A series of runs",
        finding=finding,
        sections=(
            Section("times", "What is faster or slower", (figure, table) if rows else ()),
            Section("methods", "How it is computed", (Prose(_methods(line[-1])),)),
        ),
        template="comparison.html",
        byline=(Fact("First", first), *(Fact("Then", name) for name in names)),
        notices=tuple(Notice("Attention.", _sentence(f"{n}: {a}")) for n, a in alarmed),
    )


def comparison_html(*line: FolderComparison) -> str:
    """The page of a comparison, or of several folders each against the first.

    Raises:
        DrawingError: the drawing could not be made.
    """
    facts = SiteFacts(TITLE)
    page = line_page(line) if len(line) > 1 else two_runs_page(*line)
    with Drawer(None) as drawer:
        drawer.expect(page)
        text = Renderer(drawer.svg, None, facts).render(page, site=facts)
        for unshown in drawer.unshown:
            raise DrawingError(f"{unshown.what}.", why=unshown.why)
        return text
