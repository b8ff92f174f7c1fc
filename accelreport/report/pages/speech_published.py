"""What a presenter says of published figures: how far ours are, and under what conditions."""

from __future__ import annotations

from typing import Any

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.frames import Rows, plain_rows, present
from accelreport.report.metrics import FIGURES, figure_interval, figure_text, printed_text
from accelreport.report.model import Figure
from accelreport.report.text import label, sentence

MOST_ROWS = 2
"""Figures that are read out; the page has all of them."""


def published_sentences(bench: Bench, block: Figure) -> list[str]:
    """Ours beside theirs, and what the source's conditions were.

    Args:
        bench: the benchmark.
        block: a drawing of one kind of figure, whose panel carries the name of that kind.
    """
    rows = [row for row in plain_rows(bench.published) if _name(row) in block.panels[0].title]
    measured = [row for row in rows if present(row["measured"])]
    said = [_said(row) for row in measured[:MOST_ROWS]]
    if not measured:
        said.append("None of these was measured here: the diamonds stand alone.")
    elif len(measured) < len(rows):
        alone = len(rows) - len(measured)
        verb = "has" if alone == 1 else "have"
        said.append(f"{alone} of {len(rows)} {verb} no counterpart: a diamond stands alone.")
    return [*said, *_conditions(rows)]


def _name(row: dict[str, Any]) -> str:
    return sentence(FIGURES[row["figure"]][0])


def _said(row: dict[str, Any]) -> str:
    figure, ours = row["figure"], row["measured"]
    text = f"{label(row['label'], 60)}: published {printed_text(figure, row['published'])}, "
    known = present(row["low"]) and present(row["high"])
    if known:
        between = figure_interval(figure, ours, row["low"], row["high"])
        text += f"ours {figure_text(figure, ours, row['low'], row['high'])} ({between})"
    else:
        text += f"ours {figure_text(figure, ours)}, without an interval"
    ratio = f", {formatting.ratio(row['ratio'])} the published one" if present(row["ratio"]) else ""
    return f"{text}{ratio}."


def _conditions(rows: Rows) -> list[str]:
    """How many were made under other conditions, and one reason as the spec gives it."""
    other = [row for row in rows if not row["comparable"]]
    if not other:
        return []
    count = f"{len(other)} of {len(rows)} {'was' if len(other) == 1 else 'were'}"
    notes = [label(row["note"], 160).rstrip(".") for row in other if row["note"]]
    why = f", such as: {notes[0]}" if notes else ""
    return [f"{count} made under other conditions{why}."]
