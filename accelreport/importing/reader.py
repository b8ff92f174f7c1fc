"""What every reader of a format is asked for, and what it answers.

`KEY=VALUE` of the command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from accelreport.importing import WhichEpoch
from accelreport.importing.source_file import CellValue, Given, NotAsked, one_of
from accelreport.spec.base import Scalar

Value = str | bool | int | float | Decimal
"""What a key of `[[published]]` may hold, before the spec's own models read it."""


@dataclass(frozen=True)
class Asked:
    """What the command line says of the reading.

    Attributes:
        axes: swept keys of the spec and their values; None where no spec was named.
        leave_out: columns that are not to be read.
        take: which epoch of a training's history is meant.
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
        name: what it was measured on by the file's own words; may be empty.
        where: the sweep point, as far as the file tells it.
        over_where: that of the device a speedup is relative to, where it is another one.
        source: who published it, as far as the file tells it.
        facts: what `--select` looks at.
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
    """What a file says.

    Attributes:
        rows: the figures.
        left_out: what was not taken, and why, as sentences.
    """

    rows: Sequence[FigureRow]
    left_out: Sequence[str] = ()


class FormatReader(Protocol):
    """A format that somebody's figures may be written in."""

    title: str
    """What people call it."""

    def recognises(self, given: Given) -> bool:
        """Whether a file is of this format, by its content."""
        ...

    def read(self, given: Given, asked: Asked) -> Readout:
        """The figures of a file.

        Raises:
            Unreadable: the file is not of this format, or says something that has no meaning.
            NotAsked: the command line says what does not fit the file.
        """
        ...


def texts(cells: Mapping[str, CellValue]) -> dict[str, str]:
    """The cells of a row as texts, for `--select`."""
    return {column: str(cell).strip() for column, cell in cells.items() if cell is not None}


def has_columns(given: Given, columns: frozenset[str]) -> bool:
    """Whether a file is a table with these columns."""
    return given.table is not None and columns <= set(given.table.columns)


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """`["a=1", "b=x"]` as keys and texts.

    Args:
        option: what messages call it.
        texts: what was given.

    Raises:
        NotAsked: a text is no `key=value`.
    """
    found = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            message = f"{option} {text}: that is not key=value."
            raise NotAsked(message, remedy=f"Write, for instance, {option} batch_size=256.")
        found[key] = value
    return found


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
