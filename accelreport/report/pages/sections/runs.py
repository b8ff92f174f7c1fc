"""Every run: its state and its times, what failed or is absent, and what a reader should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.results import UNTIMED, Result
from accelreport.analysis.stats import grouped
from accelreport.analysis.warnings import REFUSED, ResultWarning, SlowProcess, TwoModes
from accelreport.report import quantity
from accelreport.report.metrics import metric_text, metric_title
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Line,
    Note,
    Notes,
    Row,
    RowGroup,
    Section,
    Table,
    Tone,
    entry,
    table_row,
    under,
)
from accelreport.report.pages.badges import (
    EXTRAPOLATED,
    PARTIAL,
    kind_text,
    origin_badges,
    tried_kinds,
)
from accelreport.report.pages.sections.about import run_command
from accelreport.report.text import label, sentence, tied
from accelreport.report.view import BenchmarkView, present
from accelreport.report.warning_text import failure_text, remedy_text, warning_text, warning_title

MOST_ROWS = 500
"""Rows of the table; above it, a row stands for all processes of a device and point."""


def runs_section(bench: BenchmarkView) -> Section:
    """The section; a reader finds it open where a run failed or was refused."""
    warned = _warned(bench)
    notes = (*_unmeasured(bench), *warned)
    counts = Counter(row.outcome for row in bench.results)
    broken = bool(counts["failed"] or counts[REFUSED])
    blocks = ((Notes(notes),) if notes else ()) + (_cells_table(bench, folded=broken),)
    measured = sum(row.timed for row in bench.results)
    parts = [f"{measured} of {quantity.count(len(bench.results))} measured"]
    # The rest was skipped or not run; a notice has what the budget stopped.
    parts += [f"{counts[state]} {word.lower()}" for state, (word, _) in list(_STATES.items())[:3]
              if counts[state]]  # fmt: skip
    parts += [quantity.plural(len(warned), "warning")] * bool(warned)
    detail = " · ".join(parts)
    return Section("runs", "Runs", blocks, folded=True, opened=broken, detail=detail)


def _cells_table(bench: BenchmarkView, *, folded: bool) -> Table:
    """A row for each process, which leads to the page of its record."""
    metric = bench.quality
    words = bench.words
    titles = [f"steady {words.step}", words.first, f"all {words.step}s", "peak memory"]
    titles += [metric_title(metric)] if metric else []
    compact = len(bench.results) > MOST_ROWS
    groups = [
        RowGroup(
            _rows(bench, bench.planned(series, point), metric, compact=compact),
            title=f"{series.title}, {bench.point_title(point)}" if bench.axes else series.title,
            id=bench.evidence_id(series, point),
        )
        for series in bench.series
        for point in bench.points
        if bench.planned(series, point)
    ]
    return Table(
        id="cells-table",
        title="Processes",
        corner="process",
        columns=(Column("state"), *(Column(title, number=True) for title in titles)),
        groups=tuple(groups),
        folded=folded,
        download=Download(f"{bench.slug}/cells.csv", "CSV"),
    )


def _rows(
    bench: BenchmarkView, rows: Sequence[Result], metric: str, *, compact: bool
) -> tuple[Row, ...]:
    """A row for each process of a device and point; if `compact`, one for all of them."""
    table_rows = [_row(bench, row, metric) for row in rows]
    if not compact or not table_rows:
        return tuple(table_rows)

    def merged(column: tuple[Entry, ...]) -> Entry:
        badges = dict.fromkeys(badge for entry in column for badge in entry.badges)
        lines = tuple(entry.lines[0] for entry in column if entry.lines)
        return Entry(lines, badges=tuple(badges))

    entries = zip(*(row.entries for row in table_rows), strict=True)
    header = Entry(tuple(line for row in table_rows for line in row.header.lines))
    return (table_row(header, *map(merged, entries)),)


def _row(bench: BenchmarkView, row: Result, metric: str) -> Row:
    badges = list(origin_badges([row.origin]))
    total: tuple[Badge, ...] = ()
    if row.status == "partial":
        badges.append(PARTIAL)
        total = (EXTRAPOLATED,) if present(row.timings.total_s) else ()
    # A quality is that after so many steps, where the budget stopped the others.
    steps = f"after {quantity.plural(row.steps, bench.words.step)}" * (row.status == "partial")
    reached = metric_text(metric, row.final.get(metric, float("nan"))) if metric else ""
    state = {"ok": "complete", "partial": "partial"}.get(row.outcome, kind_text(row))
    return table_row(
        Line(f"seed {row.seed}", href=bench.cell_page(row)),
        entry(state, badges=tuple(badges)),
        quantity.duration(row.timings.steady_step_s),
        quantity.duration(row.timings.first_step_s),
        entry(quantity.duration(row.timings.total_s), badges=total),
        quantity.size(row.memory.host_peak_bytes),
        *([entry(reached, *under(steps))] if metric else []),
    )


MOST_POINTS = 6
"""Sweep points named in a sentence."""
MOST_LINKS = 12
"""Cells named under a note; the table of all cells has the others."""

_STATES: dict[str, tuple[str, Tone]] = {
    REFUSED: ("Refused", "bad"),
    "failed": ("Failed", "bad"),
    UNTIMED: ("Not timed", "plain"),
    "skipped": ("Skipped", "plain"),
    "missing": ("Not run", "quiet"),
}
"""Status of cells without a number, in the order of their notes → its words and their tone."""


def _unmeasured(bench: BenchmarkView) -> list[Note]:
    """Failures, skipped devices and missing cells.

    Devices without any cell that was begun share one note, with the command that adds them.
    """
    groups: dict[tuple[str, ...], list[Result]] = {}
    tried, here = {s.device for s in bench.tried_series}, {"CPU", *tried_kinds([bench])}
    for row in bench.results:
        if row.timed:
            continue
        what = (row.failure_kind, failure_text(row), remedy_text(row))
        far = row.failure_kind == "no-device" or bench.plan.devices[row.device].kind not in here
        of = (row.device, *what) if row.device in tried else (_ABSENT, row.failure_kind, f"{far}")
        groups.setdefault((row.outcome, *of), []).append(row)
    order = list(_STATES)
    notes = [
        _absent(bench, rows, far=key[-1] == "True")
        if key[1] == _ABSENT
        else _note(bench, key[0], rows)
        for key, rows in sorted(groups.items(), key=lambda group: order.index(group[0][0]))
    ]
    first = {note.remedy: note for note in reversed(notes)}
    return [note if first[note.remedy] is note else replace(note, remedy="") for note in notes]


_ABSENT = ""
"""Stands for the devices that no cell was begun on."""


def _absent(bench: BenchmarkView, rows: Sequence[Result], *, far: bool) -> Note:
    """Devices that no cell was begun on for one reason, with the command that adds them.

    Those of another machine (`far`) are merged.
    """
    devices = quantity.listed(list(dict.fromkeys(bench.title_of(row.device) for row in rows)))
    texts = dict.fromkeys(_full_stop(failure_text(row)) for row in rows)
    count = quantity.plural(len(rows), "cell")
    why = "not tried" if far and rows[0].status == "missing" else kind_text(rows[0])
    return Note(
        f"{devices}: {why}.",
        label(" ".join((*texts, f"{count}.")).strip(), 600),
        run_command(bench) + " && accelreport merge" * far,
    )


def _note(bench: BenchmarkView, status: str, rows: Sequence[Result]) -> Note:
    """Cells of one device that have no number for one reason, and what to do."""
    message, remedy = failure_text(rows[0]), _full_stop(remedy_text(rows[0]))
    heading, tone = _STATES[status]
    title = f"{bench.title_of(rows[0].device)}: {kind_text(rows[0])}."
    count = quantity.plural(len(rows), "cell")
    where = _where(bench, rows)
    text = f"{label(_full_stop(message), 600)} {heading}: {count}{_points(bench, rows)}."
    if status == "missing":
        remedy = run_command(bench)
        text = f"{count}{_points(bench, rows)}."
    return Note(title, text.strip(), label(remedy, 600), where, tone)


def _full_stop(message: str) -> str:
    """A message as a sentence."""
    message = message.strip()
    if not message:
        return ""
    return sentence(message) + ("" if message.endswith((".", "!", "?")) else ".")


def _points(bench: BenchmarkView, rows: Sequence[Result]) -> str:
    """The sweep points of some cells: " at batch size 256 and 512"; empty where they are all."""
    points = dict.fromkeys(bench.point_of(row) for row in rows)
    if not bench.axes or len(points) == len(bench.points):
        return ""
    titles = [bench.point_title(point) for point in points]
    more = [f"{len(titles) - MOST_POINTS} more"] if len(titles) > MOST_POINTS else []
    return " at " + quantity.listed([*titles[:MOST_POINTS], *more])


def _where(bench: BenchmarkView, rows: Sequence[Result]) -> tuple[Download, ...]:
    """Links to the cells, or to groups of them where there are many."""
    links: dict[str, str] = {}
    several = len({(row.device, row.machine) for row in rows}) > 1
    for row in rows:
        if page := bench.cell_page(row):
            names = [bench.name_at(row.device, row.machine, ())] * several
            names += [bench.point_title(bench.point_of(row))] * bool(bench.axes)
            links[page] = ", ".join([*names, f"seed {row.seed}"])
    if len(links) > MOST_LINKS:
        places = {(s.device, s.machine): s for s in reversed(bench.series)}
        links = {}
        for row in rows:
            series, point = places.get((row.device, row.machine)), bench.point_of(row)
            group = bench.evidence(series, point) if series else "#runs"
            links[group] = ", ".join(
                ([series.title] if series and several else []) + [bench.point_title(point)]
            )
    shown = [Download(href, text) for href, text in links.items()]
    if len(shown) > MOST_LINKS:
        more = Download("#runs", f"and {len(shown) - MOST_LINKS} more")
        shown = [*shown[:MOST_LINKS], more]
    return tuple(shown)


def _warned(bench: BenchmarkView) -> list[Note]:
    """Every kind of warning of the records, with the first of its sentences."""
    kinds: dict[str, list[tuple[ResultWarning, Result]]] = {}
    for row in bench.results:
        # What refuses a number is its note above.
        for warning in () if row.refused else row.warnings:
            kinds.setdefault(warning.kind, []).append((warning, row))
    return [_warning(bench, kind, kinds[kind]) for kind in sorted(kinds)]


def _warning(bench: BenchmarkView, kind: str, warned: list[tuple[ResultWarning, Result]]) -> Note:
    """One kind of warning and its cells; where all have it, none is named."""
    rows = list({id(row): row for _, row in warned}.values())
    # Of several devices the links name each.
    device, *others = dict.fromkeys(bench.title_of(row.device) for row in rows)
    of_one = f" of {device}" * (not others)
    sentences, counted = [], False
    for alike in grouped((warning for warning, _ in warned), type).values():
        texts = list(dict.fromkeys(map(warning_text, alike)))
        more = len(texts) - 1
        if more and type(alike[0]) in {ResultWarning, TwoModes, SlowProcess}:
            n = quantity.plural(len(alike), "process", "processes")
            who = f"in {n}{f'{of_one},' * bool(of_one)}"
            texts, more, counted = [f"{who} {warning_text(*alike)}"], 0, True
        sentences.append(tied(label(_full_stop(texts[0]), 600)))
        sentences += [f"{quantity.plural(more, 'more such message')}."] if more else []
    of_all = rows == [row for row in bench.results if row.timed]
    if of_all:
        # A trend over all processes is of none by itself.
        sentences += ["Every measured cell."] * (kind != "drifting-machine")
    elif not counted:
        sentences.append(f"{quantity.plural(len(rows), 'cell')}{of_one}.")
    return Note(
        title=f"{sentence(warning_title(kind))}.",
        text=" ".join(sentences),
        where=() if of_all else _where(bench, rows),
        tone="loud",
    )
