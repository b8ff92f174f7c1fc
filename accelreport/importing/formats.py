"""The formats that are read, and the one of our own.

That is a table of figures, whose columns are named like the keys of `[[published]]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.importing.keras_history import KerasHistory
from accelreport.importing.optimum import OptimumBenchmark
from accelreport.importing.reader import (
    TRUTH,
    Asked,
    CellValue,
    FigureRow,
    FormatReader,
    Given,
    NotAsked,
    Readout,
    TableRow,
    Unreadable,
    Value,
    number,
    one_of,
)
from accelreport.spec.base import fields_of
from accelreport.spec.models import FIGURES, Published, Source
from accelreport.spec.problems import did_you_mean, listed, quote

NAMES = ("device", "mark", "over", "quantity")
"""Keys whose values are names, so that spaces around them are removed."""

TEXTS = ("label", "note")
"""Keys whose values are taken as they are."""

KEYS = (*NAMES, *TEXTS, "comparable", *FIGURES)
"""Columns that are keys of a row."""

SOURCE = ("doi", *fields_of(Source))
"""Columns of a row's source, without the prefix `source.`."""

POINTS = ("where.", "over_where.")
"""Prefixes of the columns of a sweep point."""


class Figures:
    """CSV or JSON: `label`, `epoch_time`, …; any other column is a swept key."""

    title = "a table of figures (CSV or JSON)"

    def recognises(self, given: Given) -> bool:
        """Whether there is a column for a figure."""
        return given.table is not None and not set(FIGURES).isdisjoint(given.table.columns)

    def read(self, given: Given, asked: Asked) -> Readout:
        """A row for each row of the table."""
        if given.table is None:
            message = f"{given.name}: this is not a table of figures."
            remedy = 'Write CSV, or JSON such as [{"label": "...", "epoch_time": "6 s"}].'
            raise Unreadable(message, remedy=remedy)
        for column in sorted(asked.leave_out - set(given.table.columns)):
            message = f"--leave-out {column}: {given.name} has no such column."
            raise NotAsked(message, remedy=f"It has {listed(given.table.columns[:20])}.")
        wanted = [column for column in given.table.columns if column not in asked.leave_out]
        for column in wanted:
            _check_column(given.name, column, asked)
        return Readout([_figure_row(row, wanted, asked) for row in given.table.rows])


def _check_column(name: str, column: str, asked: Asked) -> None:
    """Require that a column is a key of a row, of its source, or of the sweep.

    Raises:
        Unreadable: it is none of these.
    """
    head, _, rest = column.partition(".")
    if column in KEYS or column.startswith(POINTS) or (head == "source" and rest in SOURCE):
        return
    if column in Published.model_fields or head == "source":
        raise Unreadable(
            f"{name}: {quote(column)} cannot be the name of a column.",
            remedy="Write the full key, such as where.batch_size, or one of "
            f"{listed([f'source.{key}' for key in SOURCE])}.",
        )
    if asked.axes is not None and column not in asked.axes:
        near = did_you_mean(column, [*KEYS, *asked.axes])
        swept = listed([f"`{axis}`" for axis in asked.axes]) or "nothing"
        raise Unreadable(
            f"{name}: the column {quote(column)} is neither a key of [[published]] nor a swept "
            "key.",
            why=f"The spec sweeps {swept}.",
            remedy=f"{near[:1].upper()}{near[1:]}" or f"Leave the column out: --leave-out {column}",
        )


def _figure_row(row: TableRow, wanted: list[str], asked: Asked) -> FigureRow:
    cells = {column: row.cells[column] for column in wanted if row.cells.get(column) is not None}
    keys = {column: _value(column, cell) for column, cell in cells.items() if column in KEYS}
    source = {
        column.removeprefix("source."): _text_or_year(column, cell)
        for column, cell in cells.items()
        if column.startswith("source.")
    }
    where, there = (dict(_point(cells, asked, prefix)) for prefix in POINTS)
    facts = {name: str(cell).strip() for name, cell in row.cells.items() if cell is not None}
    return FigureRow(row.place, keys, where=where, over_where=there, source=source, facts=facts)


def _point(cells: dict[str, CellValue], asked: Asked, prefix: str) -> Iterator[tuple[str, Value]]:
    """The sweep point in columns with a prefix; for `where`, also in columns of swept keys."""
    for column, cell in cells.items():
        bare = column not in KEYS and not column.startswith(("source.", *POINTS))
        if column.startswith(prefix) or (bare and prefix == "where."):
            axis = column.removeprefix(prefix)
            yield axis, one_of(cell, (asked.axes or {}).get(axis, ()))


def _value(key: str, cell: CellValue) -> Value:
    """The value of a key: a number where the cell holds one, else the text as it is written."""
    if key in TEXTS or cell is None:
        return str(cell)
    if key in NAMES:
        return str(cell).strip()
    if key == "comparable":
        return TRUTH.get(str(cell).strip().lower(), cell)
    value = number(cell)
    if value is not None:
        return value
    return cell.strip() if isinstance(cell, str) else cell


def _text_or_year(column: str, cell: CellValue) -> Value:
    value = number(cell)
    if column == "source.year" and value is not None and value == int(value):
        return int(value)
    return str(cell)


FORMATS: dict[str, FormatReader] = {
    "keras": KerasHistory(),  # whose columns may be figures, too
    "figures": Figures(),
    "optimum-benchmark": OptimumBenchmark(),
}


def reader_of(given: Given) -> FormatReader:
    """The reader of a file, by its content.

    Raises:
        Unreadable: the content is of no format that is known.
    """
    known = next((reader for reader in FORMATS.values() if reader.recognises(given)), None)
    if known is None:
        raise Unreadable(
            f"{given.name} has an unknown format.",
            why="Known are " + "; ".join(reader.title for reader in FORMATS.values()) + ".",
            remedy="Write the figures as CSV, with columns such as label, batch_size, epoch_time.",
        )
    return known
