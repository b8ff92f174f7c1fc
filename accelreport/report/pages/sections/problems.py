"""What failed, what is absent, and what a reader should know: each said once, with where."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.results import UNTIMED, Result
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.model import Download, Note, Notes, Section, Tone
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.sections.about import run_command
from accelreport.report.say_run import unmeasured
from accelreport.report.text import label, sentence, tied
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import failure_text, remedy_text, warning_text, warning_title

MOST_LINKS = 12
"""Cells named under a note; the table of all cells has the others."""

_HEADINGS: dict[str, tuple[str, Tone]] = {
    REFUSED: ("Refused", "bad"),
    "failed": ("Failed", "bad"),
    UNTIMED: ("Not timed", "plain"),
    "skipped": ("Skipped", "plain"),
    "missing": ("Not run yet", "quiet"),
}
"""Status of cells without a number, in the order of their notes → its words and their tone."""


def problems_section(bench: BenchmarkView) -> Section | None:
    """Failures, skipped devices and missing cells; None where every cell was measured.

    Devices without any cell that was begun share one note, with the command that adds them.
    """
    groups: dict[tuple[str, ...], list[Result]] = {}
    tried = {series.device for series in bench.tried_series}
    for row in bench.results:
        if row.timed:
            continue
        what = (row.failure_kind, failure_text(row), remedy_text(row))
        of = (row.device, *what) if row.device in tried else (_ABSENT, row.failure_kind)
        groups.setdefault((row.outcome, *of), []).append(row)
    if not groups:
        return None
    order = list(_HEADINGS)
    notes = [
        _absent(bench, rows) if key[1] == _ABSENT else _note(bench, key[0], rows)
        for key, rows in sorted(groups.items(), key=lambda group: order.index(group[0][0]))
    ]
    counts = {s: sum(row.outcome == s for row in bench.results) for s in order}
    title = f"Not measured: {unmeasured(counts, len(bench.results))}"
    broken = counts["failed"] or counts[REFUSED]
    return Section("absent", title, (Notes(tuple(notes)),), folded=not broken)


_ABSENT = ""
"""Stands for the devices that no cell was begun on."""


def _absent(bench: BenchmarkView, rows: Sequence[Result]) -> Note:
    devices = quantity.listed(list(dict.fromkeys(bench.title_of(row.device) for row in rows)))
    texts = dict.fromkeys(_full_stop(failure_text(row)) for row in rows)
    count = quantity.plural(len(rows), "cell")
    return Note(
        f"{devices}: {kind_text(rows[0])}.",
        label(" ".join((*texts, f"{count}.")).strip(), 600),
        (
            f"To add what is missing, run “{run_command(bench)}” on a machine that has the "
            "device, then “accelreport merge” both results folders."
        ),
    )


def _note(bench: BenchmarkView, status: str, rows: Sequence[Result]) -> Note:
    message, remedy = failure_text(rows[0]), remedy_text(rows[0])
    heading, tone = _HEADINGS[status]
    title = f"{bench.title_of(rows[0].device)}: {kind_text(rows[0])}."
    count = quantity.plural(len(rows), "cell")
    where = _where(bench, rows)
    text = f"{label(_full_stop(message), 600)} {heading}: {count}{_points(bench, rows)}."
    if status == "missing":
        remedy = "Run the spec again: only what is missing runs."
        text = f"{count}{_points(bench, rows)}."
    return Note(title, text.strip(), label(remedy, 600), where, tone)


def _full_stop(message: str) -> str:
    message = message.strip()
    if not message:
        return ""
    return sentence(message) + ("" if message.endswith((".", "!", "?")) else ".")


def _points(bench: BenchmarkView, rows: Sequence[Result]) -> str:
    points = dict.fromkeys(bench.point_of(row) for row in rows)
    if not bench.axes or len(points) == len(bench.points):
        return ""
    return " at " + quantity.listed([bench.point_title(point) for point in points][:6])


def _where(bench: BenchmarkView, rows: Sequence[Result]) -> tuple[Download, ...]:
    """Links to the cells, or to groups of them where there are many."""
    links = {page: _cell_name(bench, row) for row in rows if (page := bench.cell_page(row))}
    if len(links) > MOST_LINKS:
        links = {_group(bench, row): bench.point_title(bench.point_of(row)) for row in rows}
    shown = [Download(href, text) for href, text in links.items()]
    if len(shown) > MOST_LINKS:
        more = Download("#cells", f"and {len(shown) - MOST_LINKS} more")
        shown = [*shown[:MOST_LINKS], more]
    return tuple(shown)


def _group(bench: BenchmarkView, row: Result) -> str:
    point = bench.point_of(row)
    own = (s for s in bench.series if (s.device, s.machine) == (row.device, row.machine))
    return next((bench.evidence(series, point) for series in own), "#cells")


def _cell_name(bench: BenchmarkView, row: Result) -> str:
    where = f"{bench.point_title(bench.point_of(row))}, " if bench.axes else ""
    return f"{where}seed {row.seed}"


EVERY = "Every measured cell."
"""Whom a warning is of that is of all; they are not named one by one."""


MOST_SAID = 2
"""Sentences of one kind of warning; the pages of the cells have all of them."""


def warnings_section(bench: BenchmarkView) -> Section | None:
    """Every kind of warning of the records, with the first of its sentences."""
    kinds: dict[str, list[tuple[str, Result]]] = {}
    for row in bench.results:
        for warning in row.warnings:
            kinds.setdefault(warning.kind, []).append((warning_text(warning), row))
    if not kinds:
        return None
    notes = tuple(_warning(bench, *warned) for warned in sorted(kinds.items(), key=lambda x: x[0]))
    title = f"Warnings: {', '.join(warning_title(kind) for kind in sorted(kinds))}"
    return Section("warnings", title, (Notes(notes),), folded=True)


def _warning(bench: BenchmarkView, kind: str, warned: list[tuple[str, Result]]) -> Note:
    texts = list(dict.fromkeys(message for message, _ in warned))
    sentences = [tied(label(_full_stop(text), 600)) for text in texts[:MOST_SAID]]
    more = len(texts) - MOST_SAID
    others = quantity.plural(more, "more such sentence is", "more such sentences are")
    sentences += [f"{others} on the cells’ pages."] if more > 0 else []
    rows = list({id(row): row for _, row in warned}.values())
    sentences.append(who := _who(bench, rows))
    return Note(
        title=f"{sentence(warning_title(kind))}.",
        text=" ".join(sentences),
        where=() if who == EVERY else _where(bench, rows),
        tone="loud",
    )


def _who(bench: BenchmarkView, rows: Sequence[Result]) -> str:
    devices = dict.fromkeys(bench.title_of(row.device) for row in rows)
    if rows == [row for row in bench.results if row.timed]:
        return EVERY
    return f"{quantity.plural(len(rows), 'cell')} of {quantity.listed(list(devices))}."
