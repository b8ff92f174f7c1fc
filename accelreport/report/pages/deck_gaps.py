"""What was not measured, and why, on slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accelreport.analysis.results import Result
from accelreport.report import formatting
from accelreport.report.bench import Bench
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
from accelreport.report.pages.deck_claims import places, split
from accelreport.report.pages.marks import kind_text
from accelreport.report.pages.speech import once
from accelreport.report.text import label, sentence

MOST_REMEDIES = 2
"""Remedies that the notes name."""

Gaps = dict[str, list[tuple[Bench, Result]]]
"""Reason → the cells that have no numbers for it, with their benchmarks."""


def gap_slides(benches: Sequence[Bench]) -> Iterator[Section]:
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
    href = "index.html#benchmarks" if several else f"{benches[0].slug}.html#absent"
    cells = [row for why in ordered for _, row in gaps[why]]
    remedies = dict.fromkeys(label(row.failure_remedy, 200) for row in cells)
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


def _row(why: str, cells: list[tuple[Bench, Result]], benches: Sequence[Bench]) -> Row:
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
