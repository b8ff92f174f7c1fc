"""Cells of tables as HTML, where a template that goes through each of them takes too long.

A large site has millions of cells, and a template escapes and joins each for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from accelreport.report.model import Column, Entry

_NEXT = "\x1f"
"""Stands between the cells of a row while all of them are escaped at once."""


def raw(rows: Iterable[Sequence[str]]) -> Markup:
    """The rows of a raw table, the first cell of each as its header."""
    html = []
    for row in rows:
        header, *values = _escaped(row)
        cells = "".join([f"<td>{value}</td>" for value in values])
        html.append(f'<tr><th scope="row">{header}</th>{cells}</tr>\n')
    return Markup("".join(html))  # noqa: S704 -- every cell went through escape()


def _escaped(row: Sequence[str]) -> list[str]:
    cells = str(escape(_NEXT.join(row))).split(_NEXT)
    return cells if len(cells) == len(row) else [str(escape(cell)) for cell in row]


def cell_class(entry: Entry, column: Column) -> Markup:
    """The attribute `class` of a cell, with a space before it; empty where it has no classes."""
    names = [] if entry.heat is None else [f"{entry.ramp}{entry.heat}"]
    names += [entry.mark] if entry.mark else []
    names += ["n"] if column.number else []
    names += ["nil"] if len(entry.lines) == 1 and entry.lines[0].text == "–" else []
    return Markup(' class="{}"').format(" ".join(names)) if names else Markup()
