"""What failed, what is absent, and what a reader should know: each said once, with where."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.invalid_results import REFUSED
from accelreport.analysis.results import Result
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Download, Note, Notes, Section, Tone
from accelreport.report.pages.alike import merged, pattern
from accelreport.report.pages.marks import kind_text
from accelreport.report.text import label, sentence, tied

MOST_LINKS = 12
"""Cells named under a note; the table of all cells has the others."""

_HEADINGS = {
    REFUSED: "Refused",
    "failed": "Failed",
    "skipped": "Skipped",
    "missing": "Not run yet",
}


def problems_section(bench: Bench) -> Section | None:
    """Failures, skipped devices and missing cells; None where every cell was measured."""
    groups: dict[tuple[str, str, str, str, str], list[Result]] = {}
    for row in bench.rows:
        if row.measured:
            continue
        what = (row.failure_kind, row.failure_message, row.failure_remedy)
        groups.setdefault((row.status, row.device, *what), []).append(row)
    if not groups:
        return None
    order = list(_HEADINGS)
    notes = [
        _note(bench, key, rows)
        for key, rows in sorted(groups.items(), key=lambda each: order.index(each[0][0]))
    ]
    counts = {s: sum(row.status == s for row in bench.rows) for s in order}
    said = [f"{n} {_HEADINGS[s].lower()}" for s, n in counts.items() if n]
    finding = f"Of {formatting.plural(len(bench.rows), 'cell')}: {formatting.listed(said)}."
    return Section("absent", "What was not measured", (Notes(tuple(notes)),), finding=finding)


def _note(bench: Bench, key: tuple[str, str, str, str, str], rows: Sequence[Result]) -> Note:
    status, device, _, message, remedy = key
    tones: dict[str, Tone] = {
        REFUSED: "bad",
        "failed": "bad",
        "skipped": "plain",
        "missing": "quiet",
    }
    title = f"{bench.title_of(device)}: {kind_text(rows[0])}."
    count = formatting.plural(len(rows), "cell")
    where = _where(bench, rows)
    text = f"{label(_full_stop(message), 600)} {_HEADINGS[status]}: {count}{_points(bench, rows)}."
    if status == "missing":
        remedy = "Run the spec again; only what is missing will be run."
        text = f"{count}{_points(bench, rows)}."
    return Note(title, text.strip(), label(remedy, 600), where, tones[status])


def _full_stop(message: str) -> str:
    message = message.strip()
    if not message:
        return ""
    return sentence(message) + ("" if message.endswith((".", "!", "?")) else ".")


def _points(bench: Bench, rows: Sequence[Result]) -> str:
    points = dict.fromkeys(bench.point_of(row) for row in rows)
    if not bench.axes or len(points) == len(bench.points):
        return ""
    return " at " + formatting.listed([bench.point_title(point) for point in points][:6])


def _where(bench: Bench, rows: Sequence[Result]) -> tuple[Download, ...]:
    """Links to the cells, or to groups of them where there are many."""
    links = {bench.cell_page(row): _cell_name(bench, row) for row in rows if row.machine}
    if len(links) > MOST_LINKS or (rows[0].status == "skipped" and len(links) > 1):
        links = {_group(bench, row): bench.point_title(bench.point_of(row)) for row in rows}
    shown = [Download(href, text) for href, text in links.items()]
    if len(shown) > MOST_LINKS:
        more = Download("#cells", f"and {len(shown) - MOST_LINKS} more")
        shown = [*shown[:MOST_LINKS], more]
    return tuple(shown)


def _group(bench: Bench, row: Result) -> str:
    point = bench.point_of(row)
    own = (s for s in bench.series if (s.device, s.machine) == (row.device, row.machine))
    return next((bench.evidence(series, point) for series in own), "#cells")


def _cell_name(bench: Bench, row: Result) -> str:
    where = f"{bench.point_title(bench.point_of(row))}, " if bench.axes else ""
    return f"{where}seed {row.seed}"


def warnings_section(bench: Bench) -> Section | None:
    """Every warning of every record, those that differ in a number alone as one."""
    groups: dict[tuple[str, str], list[tuple[str, Result]]] = {}
    for row in bench.rows:
        for found in row.warnings:
            key = found.kind, pattern(found.message)
            groups.setdefault(key, []).append((found.message, row))
    if not groups:
        return None
    notes = tuple(
        _warning(bench, kind, found)
        for (kind, _), found in sorted(groups.items(), key=lambda group: group[0])
    )
    return Section("warnings", "Warnings", (Notes(notes),))


def _warning(bench: Bench, kind: str, found: list[tuple[str, Result]]) -> Note:
    text = tied(label(_full_stop(merged([message for message, _ in found])), 600))
    rows = list({id(row): row for _, row in found}.values())
    return Note(
        title=sentence(label(kind.replace("-", " "), 80)) + ".",
        text=f"{text} {_who(bench, rows)}",
        where=_where(bench, rows),
        tone="loud",
    )


def _who(bench: Bench, rows: Sequence[Result]) -> str:
    devices = dict.fromkeys(bench.title_of(row.device) for row in rows)
    measured = sum(row.measured for row in bench.rows)
    if len(rows) == measured:
        return "Every measured cell."
    return f"{formatting.plural(len(rows), 'cell')} of {formatting.listed(list(devices))}."
