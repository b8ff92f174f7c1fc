"""Rows with named columns, whether they were written as CSV or as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.importing.errors import Unreadable
from accelreport.importing.numbers import Cell
from accelreport.spec.problems import quote

LONGEST_CELL = 4000
"""Characters of the longest text that is taken into a spec, which people read."""

LONGEST_NAME = 100
"""Characters of the longest name of a column."""

MOST_COLUMNS = 500
"""Columns of the widest CSV table that is read."""

MOST_ROWS = 50_000
"""Rows of the largest table that is read."""

NESTED = ("where", "source")
"""Keys whose own tables become columns: `where.batch_size`."""


@dataclass(frozen=True)
class TableRow:
    """A row.

    Attributes:
        place: what messages call it: `figures.csv:3`.
        cells: values by column; those that are absent are left out.
    """

    place: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Table:
    """Rows with named columns."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def csv_table(name: str, text: str) -> Table:
    """A CSV text as a table; its cells are texts.

    Columns are separated by what the first line has most of: commas, semicolons or tabs.

    Args:
        name: what messages call the file.
        text: its content.

    Raises:
        Unreadable: a column has no name or another's, a row has more or fewer cells than there
            are columns, or a cell is longer than a text of a spec may be.
    """
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines = _lines(name, reader)
    place, header = next(lines, (f"{name}:1", []))
    columns = tuple(cell.strip() for cell in header)
    _check_columns(place, columns)
    rows = []
    for place, cells in lines:
        if len(cells) != len(columns):
            raise Unreadable(
                f"{place}: this row has {len(cells)} cells, and there are {len(columns)} columns.",
                remedy="Put a cell that holds the separator into quotes.",
            )
        given = zip(columns, cells, strict=True)
        rows.append(_row(place, {column: cell for column, cell in given if cell.strip()}))
        _check_count(name, len(rows))
    return Table(columns, tuple(rows))


def json_table(name: str, data: object) -> Table | None:
    """A list of objects, `{"published": [...]}` or one object as a table; None for anything else.

    Raises:
        Unreadable: there are too many rows, or a text is too long.
    """
    if isinstance(data, dict):
        data = data.get("published", [data])
    if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
        return None
    _check_count(name, len(data))
    flat = [dict(_flat(each)) for each in data]
    if not all(isinstance(value, Cell) for each in flat for value in each.values()):
        return None
    columns = tuple(dict.fromkeys(column for each in flat for column in each))
    rows = [
        _row(f"{name}, row {index}", {key: cell for key, cell in each.items() if cell is not None})
        for index, each in enumerate(flat, start=1)
    ]
    return Table(columns, tuple(rows))


def _lines(name: str, reader: Any) -> Iterator[tuple[str, list[str]]]:
    """Place and cells of each line that holds something."""
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"{name}:{line}: this is no CSV: {error}."
            raise Unreadable(message, remedy="Look for a quote that is not closed.") from error
        if any(cell.strip() for cell in cells):
            yield f"{name}:{line}", cells
        line = reader.line_num + 1


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in record.items():
        if key in NESTED and isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            yield key, value


def _row(place: str, cells: Mapping[str, Cell]) -> TableRow:
    for column, cell in cells.items():
        if len(column) > LONGEST_NAME:
            raise Unreadable(f"{place}: {quote(column)} is too long for the name of a column.")
        if isinstance(cell, str) and len(cell) > LONGEST_CELL:
            raise Unreadable(
                f"{place}: the text in the column {quote(column)} has {len(cell):,} characters.",
                why=f"A text of a spec has {LONGEST_CELL:,} at most.",
                remedy="Shorten it.",
            )
    return TableRow(place, cells)


def _check_columns(place: str, columns: tuple[str, ...]) -> None:
    if not columns:
        raise Unreadable(f"{place}: there is nothing in this file.")
    if len(columns) > MOST_COLUMNS:
        raise Unreadable(f"{place}: there are {len(columns):,} columns; {MOST_COLUMNS} are read.")
    if "" in columns:
        number = columns.index("") + 1
        raise Unreadable(
            f"{place}: the column {number} has no name.",
            remedy="The first line names the columns: give it a name, or remove the column.",
        )
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise Unreadable(f"{place}: two columns are called {quote(twice)}.")


def _check_count(name: str, count: int) -> None:
    if count > MOST_ROWS:
        raise Unreadable(f"{name} has more than {MOST_ROWS:,} rows.", remedy="Shorten it.")
