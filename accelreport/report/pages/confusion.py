"""Which class was taken for which, in shares of each true class."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Column, Entry, Line, Row, RowGroup, Section, Table
from accelreport.report.pages.marks import origin_badges
from accelreport.report.pages.runs import first_run
from accelreport.report.text import label
from accelreport.report.theme import share_bin
from accelreport.results.record import Confusion

MOST_CLASSES = 20
"""Classes of a table; a larger one could not be read."""


def confusion_section(bench: Bench) -> Section | None:
    """The section; None where no run counted classes, or too many of them."""
    run = first_run(bench, lambda record: record.confusion is not None)
    found = run.record.confusion if run else None
    if run is None or found is None or not 2 <= len(found.classes) <= MOST_CLASSES:
        return None
    origin = run.record.data.origin if run.record.data else ""
    badges = tuple(origin_badges([origin]))
    rows = tuple(_row(found, number) for number in range(len(found.classes)))
    table = Table(
        id="confusion-table",
        title="True classes down, predicted classes across",
        caption=(
            f"From {run.name}, the last evaluation. Each row adds up to 100 %; under each share "
            "is the count. The diagonal is right."
        ),
        corner="true class",
        columns=(*(Column(_title(name), number=True) for name in found.classes),),
        groups=(RowGroup(rows),),
        style="matrix",
        badges=badges,
    )
    return Section("confusion", "What was taken for what", (table,), finding=_finding(found))


def _title(name: str) -> str:
    """The name of a class; a long one may be broken after an underscore, so that all fit."""
    return label(name, 40).replace("_", "_\N{ZERO WIDTH SPACE}")


def _row(found: Confusion, number: int) -> Row:
    counts = found.counts[number]
    total = sum(counts)
    entries = []
    for count in counts:
        share = count / total if total else 0.0
        shade = share_bin(share) if count else None
        text = formatting.percent(share, 0) if count else "–"
        lines = (Line(text), Line(formatting.count(count), "detail")) if count else (Line(text),)
        entries.append(Entry(lines, heat=shade, ramp="c", mark="small"))
    return Row(Entry((Line(_title(found.classes[number])),)), tuple(entries))


def _finding(found: Confusion) -> str:
    pairs = [
        (count / total, true, predicted)
        for true, counts in enumerate(found.counts)
        if (total := sum(counts))
        for predicted, count in enumerate(counts)
        if predicted != true and count
    ]
    if not pairs:
        return "No example was taken for another class."
    share, true, predicted = max(pairs)
    return (
        f"Most often {label(found.classes[true], 40)} was taken for "
        f"{label(found.classes[predicted], 40)}: {formatting.percent(share, 0)} of the former."
    )
