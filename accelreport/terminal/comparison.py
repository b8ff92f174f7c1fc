"""A comparison of two results folders: columns for a terminal, Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from accelreport.analysis.compare import Gate
from accelreport.report.comparison import (
    HEAD,
    OUTCOMES,
    ComparisonRow,
    FolderComparison,
    alarms,
    asides,
    benchmark,
    conclusions,
    decided,
    gate_text,
    percentage,
    processes_compared,
    signs_of,
    speedup_text,
    time_texts,
    where_text,
)
from accelreport.spec.problems import counted
from accelreport.terminal.say import columns


def comparison_text(comparison: FolderComparison) -> Iterator[str]:
    """The lines of a comparison: differences, tables, the rest, the outcome."""
    for name, side in comparison.sides:
        yield f"{name}  {side.name}: {counted(side.records, 'record')}"
    for alarm in alarms(comparison):
        yield f"!!   {alarm}"
    for aside in asides(comparison):
        yield f"     {aside}"
    for name, rows in groupby(comparison.of("compared"), benchmark):
        yield ""
        yield name
        yield from _table(list(rows), gate=comparison.gate)
    yield from signs_of(comparison.rows)
    for outcome, heading in OUTCOMES.items():
        if rows_left := comparison.of(outcome):
            yield ""
            yield f"{heading}:"
            for row in rows_left:
                yield f"  {benchmark(row)} {row.device} {where_text(row)}"
                yield from (f"    {reason}" for reason in row.reasons)
    yield ""
    yield from conclusions(comparison)


def _table(rows: Sequence[ComparisonRow], *, gate: float | None) -> Iterator[str]:
    """The compared rows of a benchmark in columns, with the reasons below a row."""
    table = [_head(gate)]
    for row in rows:
        cells = [*_times(row), speedup_text(row), processes_compared(row), decided(row)]
        table.append([*cells, gate_text(row)] if gate is not None else cells)
    title, *lines = columns(table)
    yield f"  {title}"
    for row, line in zip(rows, lines, strict=True):
        yield f"  {line}"
        yield from (f"      {reason}" for reason in row.reasons)


def _head(gate: float | None) -> list[str]:
    """The headings; with a gate, its margin as well."""
    return [*HEAD, f"gate {percentage(gate)}"] if gate is not None else list(HEAD)


def _times(row: ComparisonRow) -> list[str]:
    """The device, the sweep point, and both times."""
    return [row.device, where_text(row), *time_texts(row)]


SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&@])")
"""Characters with a meaning in Markdown; @ would notify a person by name."""


def escaped(text: str) -> str:
    """Text that Markdown shows literally, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def comparison_markdown(comparison: FolderComparison) -> Iterator[str]:
    """The lines of a comparison; rows that are not compared are folded and counted."""
    first, *rest = conclusions(comparison)
    yield f"### accelreport: {escaped(first)}"
    yield ""
    for sentence in rest:
        strong = sentence.startswith("FAILED") or sentence == rest[-1]
        yield f"- **{escaped(sentence)}**" if strong else f"- {escaped(sentence)}"
    for name, side in comparison.sides:
        yield f"- {name}: {escaped(side.name)}, {counted(side.records, 'record')}"
    yield ""
    for alarm in alarms(comparison):
        yield f"> **Attention: {escaped(alarm)}**"
        yield ">"
    yield ""
    yield from _markdown_table(comparison.of("compared"), comparison.gate)
    for outcome, heading in OUTCOMES.items():
        if rows := comparison.of(outcome):
            lines = [
                f"{benchmark(row)} {row.device} {where_text(row)}{': ' * bool(row.reasons)}"
                + "; ".join(row.reasons)
                for row in rows
            ]
            yield from _folded(f"{heading}: {len(rows)}", lines)
    if quiet := list(asides(comparison)):
        yield from _folded("Other differences", quiet)
    yield (
        "Factors say how many times as fast NEW is: geometric means over processes with "
        f"{percentage(comparison.level)} intervals. SAME means within "
        f"{percentage(comparison.margin)}."
    )


def _markdown_table(rows: Sequence[ComparisonRow], gate: float | None) -> Iterator[str]:
    if not rows:
        return
    head = ["benchmark", *_head(gate), "notes"]
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join([' :-- '] * len(head))}|"
    for row in rows:
        texts = map(escaped, [benchmark(row), *_times(row)])
        verdict = f"**{row.verdict}**" if row.verdict in {"FASTER", "SLOWER"} else decided(row)
        cells = [*texts, speedup_text(row), processes_compared(row), verdict]
        if gate is not None:
            cells.append(f"**{gate_text(row)}**" if row.gate is Gate.FAILS else gate_text(row))
        yield f"| {' | '.join([*cells, escaped('; '.join(row.reasons))])} |"
    yield ""
    yield from (f"{sign}\n" for sign in signs_of(rows))


def _folded(heading: str, lines: Sequence[str]) -> Iterator[str]:
    """A list that GitHub and GitLab show when its heading is clicked."""
    yield f"<details><summary>{heading}</summary>"
    yield ""
    yield from (f"- {escaped(line)}" for line in lines)
    yield ""
    yield "</details>"
    yield ""
