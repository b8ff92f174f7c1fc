"""A comparison of two results folders for a terminal: aligned columns, one table a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from accelreport.analysis.comparison_values import Comparison, Row
from accelreport.analysis.comparison_words import (
    HEAD,
    OUTCOMES,
    alarms,
    asides,
    benchmark,
    conclusions,
    decided,
    duration,
    gated,
    percent,
    place,
    processes,
    ratio,
)
from accelreport.analysis.words import counted


def comparison_text(comparison: Comparison) -> Iterator[str]:
    """The lines of a comparison: what differs, the tables, the rest, what it comes to."""
    for name, side in (("OLD", comparison.old), ("NEW", comparison.new)):
        yield f"{name}  {side.name}: {counted(side.records, 'record')}"
    for alarm in alarms(comparison):
        yield f"!!   {alarm}"
    for aside in asides(comparison):
        yield f"     {aside}"
    for name, rows in groupby(comparison.of("compared"), benchmark):
        yield ""
        yield name
        yield from _table(list(rows), gate=comparison.gate)
    for outcome, heading in OUTCOMES.items():
        if rows_left := comparison.of(outcome):
            yield ""
            yield f"{heading}:"
            for row in rows_left:
                yield f"  {benchmark(row)} {row.device} {place(row)}"
                yield from (f"    {reason}" for reason in row.reasons)
    yield ""
    yield from conclusions(comparison)


def _table(rows: Sequence[Row], *, gate: float | None) -> Iterator[str]:
    head = [*HEAD, f"gate {percent(gate)}"] if gate is not None else list(HEAD)
    cells = [_cells(row, gated_too=gate is not None) for row in rows]
    widths = [max(len(line[i]) for line in [head, *cells]) for i in range(len(head))]

    def line(texts: Sequence[str]) -> str:
        padded = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
        return f"  {'  '.join(padded).rstrip()}"

    yield line(head)
    for row, texts in zip(rows, cells, strict=True):
        yield line(texts)
        yield from (f"      {reason}" for reason in row.reasons)


def _cells(row: Row, *, gated_too: bool) -> list[str]:
    texts = [row.device, place(row), duration(row.old_seconds), duration(row.new_seconds)]
    texts += [ratio(row), processes(row), decided(row)]
    return [*texts, gated(row)] if gated_too else texts
