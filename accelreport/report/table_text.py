"""A table as text for a document of one's own: CSV, Markdown, LaTeX with booktabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from accelreport.report.model import Entry, Table

_TEX = {
    **{letter: f"\\{letter}" for letter in "%&$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{NO-BREAK SPACE}": "~",
    "×": r"$\times$",
    "−": "$-$",
    "…": r"\dots{}",
}
_MARKDOWN = {letter: f"\\{letter}" for letter in "\\`*_{}[]<>|#~"}
_FORMULA = re.compile(r"^(?=[=+\-@\t\r])|(?<=[;\n])(?=[=+\-@])")
"""Where a spreadsheet would begin a formula: some take semicolons for separators."""


def csv_of(table: Table) -> str:
    """Comma-separated values; texts that a spreadsheet would run get an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(harmless, _heading(table)))
    writer.writerows(map(harmless, row) for row in _rows(table))
    return file.getvalue()


def markdown_of(table: Table) -> str:
    """A pipe table as GitHub and Pandoc read it, under its title."""
    marks = [":--", *("--:" if column.number else ":--" for column in table.columns)]
    lines = [_heading(table), *_rows(table)]
    body = ["| " + " | ".join(_markdown(text) for text in line) + " |" for line in lines]
    body.insert(1, "| " + " | ".join(marks) + " |")
    return f"**{_markdown(table.title)}**\n\n" + "\n".join(body) + "\n"


def latex_of(table: Table) -> str:
    r"""A `table` with the rules of booktabs; it needs `\usepackage{booktabs}`."""
    columns = "l" + "".join("r" if column.number else "l" for column in table.columns)
    rows = [" & ".join(_latex(text) for text in row) + r" \\" for row in _rows(table)]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{_latex(table.title)}}}",
            f"  \\begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            "    " + " & ".join(_latex(text) for text in _heading(table)) + r" \\",
            r"    \midrule",
            *(f"    {row}" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _heading(table: Table) -> list[str]:
    return [table.corner, *(column.title for column in table.columns)]


def _rows(table: Table) -> Iterator[list[str]]:
    """Rows as texts; a row under a heading says the heading first."""
    for group in table.groups:
        for row in group.rows:
            header = _text(row.header)
            name = f"{group.title}: {header}" if group.title else header
            yield [name, *(_text(entry) for entry in row.entries)]


def _text(entry: Entry) -> str:
    lines = [line.text for line in entry.lines]
    marks = [f"({badge.text})" for badge in entry.badges]
    return "; ".join(text for text in lines if text) + "".join(f" {mark}" for mark in marks)


def harmless(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet would begin to read a formula."""
    return _FORMULA.sub("'", text)


def _markdown(text: str) -> str:
    return "".join(_MARKDOWN.get(letter, letter) for letter in text)


def _latex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in text)
