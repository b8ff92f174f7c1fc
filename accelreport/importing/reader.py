"""Reads a file of published figures, and defines what the reader of a format takes and returns.

Nothing in the file is trusted, and everything has a limit. CSV and JSON become the same rows with
named columns, whose numbers keep all their digits. Messages quote the file without the control
characters that a terminal would obey.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from accelreport import strict_json
from accelreport.errors import AccelReportError, ExitCode
from accelreport.importing import WhichEpoch
from accelreport.spec.base import Scalar
from accelreport.spec.problems import printable, quote


class ImportRefused(AccelReportError):  # noqa: N818 -- reads as what it says
    """An error that may quote the imported file, without its control characters.

    Args:
        what: what happened, with the place.
        why: the cause.
        remedy: what to do next.
    """

    def __init__(self, what: str, *, why: str = "", remedy: str = "") -> None:
        super().__init__(printable(what), why=printable(why), remedy=printable(remedy))


class Unreadable(ImportRefused):
    """A file, or a row of it, that cannot be read as figures."""

    exit_code = ExitCode.DATA_UNAVAILABLE


class NotAsked(ImportRefused):
    """An option is missing or wrong."""

    exit_code = ExitCode.USAGE


class NotCited(NotAsked):
    """The source of the figures is incomplete: title and year are needed."""


class NotFitting(ImportRefused):
    """The spec would have an error with these figures."""

    exit_code = ExitCode.BAD_SPEC


LONGEST = 40
"""Characters of the longest number: a float has 17 digits."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
TRUTH = {"true": True, "false": False}

CellValue = str | bool | int | Decimal | None
"""A value of a table: a text of CSV, or a value of JSON; None where there is none."""


def number(value: object) -> Decimal | None:
    """A finite number with all its digits; None for anything else, also for a truth value."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    text = str(value).strip()
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        return None
    decimal = Decimal(text)
    return decimal if math.isfinite(float(decimal)) else None


def one_of(value: CellValue, known: Sequence[Scalar]) -> Scalar | Decimal:
    """The value of a swept key that equals a cell; the cell's own value where none does.

    Args:
        value: the cell.
        known: the values that the key takes; empty where they are not known.
    """
    meant = value
    if isinstance(value, str):
        parsed = number(value)
        meant = TRUTH.get(value.strip(), value if parsed is None else parsed)
    for unit in known:
        if isinstance(unit, bool) or isinstance(meant, bool):
            if meant is unit:
                return unit
        elif isinstance(unit, str):
            if isinstance(value, str) and value.strip() == unit:
                return unit
        elif (float(meant) if isinstance(meant, Decimal) else meant) == unit:
            return unit
    return "" if meant is None else meant


def rounded(value: Decimal, digits: int = 12) -> Decimal:
    """A computed number with so many significant digits; without a decimal point if it is whole."""
    decimal = Decimal(f"{value:.{digits}g}").normalize()
    whole = abs(decimal) < 10**digits and decimal == decimal.to_integral_value()
    return Decimal(int(decimal)) if whole else decimal


LONGEST_CELL = 4000
"""Characters of the longest text that is imported into a spec."""

LONGEST_NAME = 100
"""Characters of the longest name of a column."""

MOST_COLUMNS = 500
"""Columns of the widest CSV table that is read."""

MOST_ROWS = 50_000
"""Rows of the largest table that is read."""

NESTED = ("where", "over_where", "source")
"""Keys whose own tables become columns: `where.batch_size`."""


@dataclass(frozen=True)
class TableRow:
    """A row.

    Attributes:
        place: what messages call it: `figures.csv:3`.
        cells: values by column; those that are absent are left out.
    """

    place: str
    cells: Mapping[str, CellValue]


@dataclass(frozen=True)
class FigureTable:
    """Rows with named columns."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


def csv_table(name: str, text: str) -> FigureTable:
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
    # The index that pandas writes numbers the rows, and has no name.
    has_index = columns[:1] == ("",)
    _check_columns(place, columns[has_index:])
    rows: list[TableRow] = []
    for place, cells in lines:
        if len(cells) != len(columns):
            raise Unreadable(
                f"{place}: this row has {len(cells)} cells, but there are {len(columns)} columns.",
                remedy="Quote cells that contain the separator.",
            )
        if has_index and cells[0].strip() != str(len(rows)):
            _check_columns(place, columns)
        given = zip(columns[has_index:], cells[has_index:], strict=True)
        rows.append(_row(place, {column: cell for column, cell in given if cell.strip()}))
        _check_count(name, len(rows))
    return FigureTable(columns[has_index:], tuple(rows))


def json_table(name: str, data: object) -> FigureTable | None:
    """A list of objects, `{"published": [...]}` or one object as a table; None for anything else.

    Raises:
        Unreadable: there are too many rows, or a text is too long.
    """
    if isinstance(data, dict):
        data = data.get("published", [data])
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return None
    _check_count(name, len(data))
    flat = [dict(_flat(item)) for item in data]
    if not all(isinstance(value, CellValue) for item in flat for value in item.values()):
        return None
    columns = tuple(dict.fromkeys(column for item in flat for column in item))
    rows = [
        _row(f"{name}, row {index}", {key: cell for key, cell in item.items() if cell is not None})
        for index, item in enumerate(flat, start=1)
    ]
    return FigureTable(columns, tuple(rows))


def _lines(name: str, reader: Any) -> Iterator[tuple[str, list[str]]]:
    """The place and the cells of each line that is not empty."""
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = f"{name}:{line}: this is not valid CSV: {error}."
            raise Unreadable(message, remedy="Check for an unclosed quote.") from error
        if any(cell.strip() for cell in cells):
            yield f"{name}:{line}", cells
        line = reader.line_num + 1


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values of an object by column; those of nested tables have names such as `where.size`."""
    for key, value in record.items():
        if key in NESTED and isinstance(value, dict):
            yield from ((f"{key}.{inner}", leaf) for inner, leaf in value.items())
        else:
            yield key, value


def _row(place: str, cells: Mapping[str, CellValue]) -> TableRow:
    """A row whose names and texts are short enough for a spec."""
    for column, cell in cells.items():
        if len(column) > LONGEST_NAME:
            raise Unreadable(f"{place}: {quote(column)} is too long for the name of a column.")
        if isinstance(cell, str) and len(cell) > LONGEST_CELL:
            raise Unreadable(
                f"{place}: the text in the column {quote(column)} has {len(cell):,} characters.",
                why=f"A text in a spec has at most {LONGEST_CELL:,} characters.",
                remedy="Shorten it.",
            )
    return TableRow(place, cells)


def _check_columns(place: str, columns: tuple[str, ...]) -> None:
    if not columns:
        raise Unreadable(f"{place}: this file is empty.")
    if len(columns) > MOST_COLUMNS:
        raise Unreadable(
            f"{place}: there are {len(columns):,} columns; at most {MOST_COLUMNS} are read."
        )
    if "" in columns:
        number = columns.index("") + 1
        raise Unreadable(
            f"{place}: the column {number} has no name.",
            remedy="The first line names the columns: name this one or remove it.",
        )
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise Unreadable(f"{place}: two columns have the name {quote(twice)}.")


def _check_count(name: str, count: int) -> None:
    if count > MOST_ROWS:
        raise Unreadable(f"{name} has more than {MOST_ROWS:,} rows.", remedy="Shorten it.")


LARGEST = 16 << 20
"""Bytes of the largest file that is read."""


@dataclass(frozen=True)
class Given:
    """The content of the imported file.

    Attributes:
        name: its path, as the command line has it.
        data: its value if it is JSON; numbers with a point are decimals, so that no digit is
            lost, and NaN and Infinity are texts.
        table: its rows, if it has any.
    """

    name: str
    data: Any
    table: FigureTable | None


def read_given(path: Path) -> Given:
    """Read a file: JSON where it begins with a bracket, else CSV.

    Raises:
        Unreadable: it is no regular file, larger than `LARGEST`, no UTF-8 text, or neither JSON
            nor CSV.
    """
    name = str(path)
    text = _text(path, name)
    if not text.strip():
        raise Unreadable(f"{name} is empty.")
    if text.lstrip()[0] in "{[":
        data = _json(name, text)
        return Given(name, data, json_table(name, data))
    return Given(name, None, csv_table(name, text))


def _text(path: Path, name: str) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable(f"{name} is not a file.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST:
        raise Unreadable(
            f"{name} is larger than {LARGEST >> 20} MiB.",
            remedy="Remove everything that is not a figure, or import it in parts.",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{name}: the byte {error.start + 1:,} is not UTF-8.",
            why="Only text is read: CSV or JSON. Pickled, compressed and binary files are refused.",
            remedy="Save the figures as CSV or JSON, in UTF-8.",
        ) from error


def _json(name: str, text: str) -> Any:
    try:
        return strict_json.loads(text, parse_float=Decimal, parse_constant=str)
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise Unreadable(f"{place}: this is not valid JSON: {error.msg}.") from error
    except (ValueError, ArithmeticError) as error:
        raise Unreadable(f"{name}: {error}.") from error


Value = str | bool | int | float | Decimal
"""What a key of `[[published]]` may hold, before the spec's own models read it."""


@dataclass(frozen=True)
class Asked:
    """The options that a reader of a format follows.

    Attributes:
        axes: swept keys of the spec and their values; None where no spec was named.
        leave_out: columns to ignore.
        take: the epoch of a training's history to import.
        time_column: the column with seconds of each epoch; empty to look for one.
        elapsed_column: the column with seconds since the start; empty to look for one.
    """

    axes: Mapping[str, Sequence[Scalar]] | None = None
    leave_out: frozenset[str] = frozenset()
    take: WhichEpoch = WhichEpoch.LAST
    time_column: str = ""
    elapsed_column: str = ""


@dataclass(frozen=True)
class FigureRow:
    """One row of figures.

    Attributes:
        place: where it stands: `figures.csv:3`.
        keys: keys of `[[published]]` and their values; figures with all their digits.
        name: the measured hardware, as the file names it; may be empty.
        where: the sweep point, as far as the file has it.
        over_where: the sweep point of a speedup's base, if it differs.
        source: who published it, as far as the file has it.
        facts: column → text, by which `--select` chooses rows.
    """

    place: str
    keys: Mapping[str, Value]
    name: str = ""
    where: Mapping[str, Value] = field(default_factory=dict)
    over_where: Mapping[str, Value] = field(default_factory=dict)
    source: Mapping[str, Value] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Readout:
    """The figures of a file.

    Attributes:
        rows: the figures.
        left_out: sentences about what was not imported, and why.
    """

    rows: Sequence[FigureRow]
    left_out: Sequence[str] = ()


class FormatReader(Protocol):
    """A format of files with figures."""

    title: str
    """Its name in messages."""

    def recognises(self, given: Given) -> bool:
        """Whether a file is of this format, by its content."""
        ...

    def read(self, given: Given, asked: Asked) -> Readout:
        """The figures of a file.

        Raises:
            Unreadable: the file is not of this format, or holds a value without a meaning.
            NotAsked: an option does not fit the file.
        """
        ...


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """`["a=1", "b=x"]` as keys and texts.

    Args:
        option: what messages call it.
        texts: what was given.

    Raises:
        NotAsked: a text is no `key=value`.
    """
    cells = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            message = f"{option} {text}: this is not key=value."
            raise NotAsked(message, remedy=f"Write for example {option} batch_size=256.")
        cells[key] = value
    return cells


def sweep_point(
    texts: Sequence[str], axes: Mapping[str, Sequence[Scalar]] | None
) -> dict[str, Value]:
    """A sweep point from `["batch_size=256"]`, its values as the spec writes them.

    Args:
        texts: what was given.
        axes: the swept keys and their values; None where no spec was named.

    Raises:
        NotAsked: a text is no `key=value`.
    """
    given = pairs("--where", texts)
    return {key: one_of(text, (axes or {}).get(key, ())) for key, text in given.items()}
