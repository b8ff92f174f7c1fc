"""Rows of `[[published]]`, from what a file and the command line say to the lines of a spec.

Who published the figures, where and when, is asked for, never guessed. Every character that is not
plainly visible is written as an escape: a person who reads the spec sees it, and no editor or
terminal obeys it. Nothing in a spec is rewritten: rows are appended, and it is checked before it is
replaced.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import tomli
from pydantic import ValidationError

from accelreport.atomic import write_whole
from accelreport.importing.reader import (
    LONGEST_CELL,
    FigureRow,
    NotAsked,
    NotCited,
    NotFitting,
    Unreadable,
    Value,
)
from accelreport.loader.load import examine, load
from accelreport.spec.base import Scalar
from accelreport.spec.diagnostics import value_problems
from accelreport.spec.models import FIGURES, Published
from accelreport.spec.problems import Problem, did_you_mean, listed, quote
from accelreport.spec.validators import is_day

DOI = re.compile(r"(?:doi:|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/\S+)", re.IGNORECASE)
"""A digital object identifier, as ISO 26324 forms it and as people write it."""

YEARS = range(1900, 2101)
"""Years in which figures may have been published."""

NEEDED = {
    "title": "the title of the source (--title)",
    "year": "the year of publication (--year)",
}
"""Keys of a source that every figure needs → their names and options in messages."""


def cited(
    place: str, asked: Mapping[str, Value | None], own: Mapping[str, Value]
) -> dict[str, Any]:
    """A row's `source`, complete.

    Args:
        place: where the row stands.
        asked: values of the options, by key of `source`, and `doi`.
        own: values of the row itself, which take precedence.

    Raises:
        NotCited: the title or the year is missing, or a value is wrong.
    """
    if asked.get("url") and asked.get("doi"):
        message = "--url and --doi are both given."
        raise NotCited(message, remedy="Give the one that has the figures.")
    values = {key: value for key, value in {**asked, **own}.items() if value not in {None, ""}}
    if "doi" in values:
        text = str(values.pop("doi"))
        match = DOI.fullmatch(text.strip())
        if match is None:
            raise NotCited(
                f"{place}: {quote(text)} is not a DOI.", remedy="A DOI looks like 10.1145/12345."
            )
        address = f"https://doi.org/{match[1]}"
        if "doi" in own or "url" not in own:
            values["url"] = address
    missing = [key for key in NEEDED if not str(values.get(key, "")).strip()]
    if missing:
        raise NotCited(
            f"{place}: {listed([NEEDED[key] for key in missing])} "
            f"{'is' if len(missing) == 1 else 'are'} missing.",
            why="Published figures are shown with their source and date.",
            remedy="Give the missing values; nothing was written.",
        )
    _check_source(place, values)
    order = ("title", "authors", "year", "url", "licence", "accessed", "note")
    return {key: values[key] for key in order if key in values}


def _check_source(place: str, values: Mapping[str, Any]) -> None:
    url = str(values.get("url", ""))
    if url and not (re.fullmatch(r"https?://[^\s/]\S*", url, re.IGNORECASE) and url.isprintable()):
        message = f"{place}: {quote(url)} is not the address of a page."
        raise NotCited(message, remedy="Write it in full, with https://.")
    if isinstance(values["year"], bool) or values["year"] not in YEARS:
        raise NotCited(
            f"{place}: {quote(values['year'])} is not a year of publication.",
            remedy=f"Write a year from {YEARS[0]} to {YEARS[-1]}.",
        )
    accessed = values.get("accessed")
    if accessed is not None and not is_day(str(accessed)):
        raise NotCited(
            f"{place}: {quote(accessed)} is not a date of access.",
            remedy='Write year, month and day, such as "2026-05-31".',
        )


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def table(row: Mapping[str, Any]) -> str:
    """A row as a `[[published]]` table, its lines ended by line feeds.

    Raises:
        ValueError: a text holds half a character (a lone surrogate), which no TOML file can.
    """
    lines = ["[[published]]", *(f"{key(name)} = {value(item)}" for name, item in row.items())]
    return "\n".join(lines) + "\n"


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else text(name)


def value(written: object) -> str:
    """A value: text, truth value, number, or a table in one line."""
    if isinstance(written, str):
        return text(written)
    if isinstance(written, bool):
        return "true" if written else "false"
    if isinstance(written, int | float | Decimal):
        return str(written)
    if isinstance(written, Mapping):
        pairs = ", ".join(f"{key(name)} = {value(item)}" for name, item in written.items())
        return f"{{ {pairs} }}"
    message = f"{type(written).__name__} is not allowed in a row"
    raise TypeError(message)


def text(written: str) -> str:
    """A basic string of TOML 1.0 (https://toml.io/en/v1.0.0#string), on one line."""
    return f'"{"".join(map(_character, written))}"'


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        message = f"half a character (U+{code:04X}), which cannot be written"
        raise ValueError(message)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


MOST_ROWS = 500
"""Most rows that are appended at once; a page shows every one."""


@dataclass(frozen=True)
class RowDefaults:
    """Values of the options, which every row gets.

    Attributes:
        file: name of the imported file, without folders.
        device: the device to compare with, where a row names none.
        label: the measured hardware.
        where: the sweep point.
        source: keys of `source`, and `doi`; None for options that are absent.
    """

    file: str
    device: str = ""
    label: str = ""
    where: Mapping[str, Value] = field(default_factory=dict)
    source: Mapping[str, Value | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Composed:
    """A row that may be appended to a spec.

    Attributes:
        place: where it stands in the imported file.
        text: the row as TOML.
        published: the same, as the spec's model reads it.
    """

    place: str
    text: str
    published: Published


def selected(rows: Sequence[FigureRow], wanted: Mapping[str, str]) -> list[FigureRow]:
    """The rows in which the facts have the wanted values; upper and lower case are the same.

    Raises:
        NotAsked: there is no such fact, or no row is left, or too many are.
    """
    known = {name: None for row in rows for name in row.facts}
    for name in wanted:
        if rows and name not in known:
            every = listed([quote(name) for name in list(known)[:30]])
            near = did_you_mean(name, known, quoted=True) or f"it has {every}"
            message = f"--select {name}: the file has no such column."
            raise NotAsked(message, remedy=f"{near[:1].upper()}{near[1:]}")
    left = list(rows)
    for name, value in wanted.items():
        values = dict.fromkeys(row.facts.get(name, "") for row in left)
        left = [row for row in left if row.facts.get(name, "").casefold() == value.casefold()]
        if not left:
            shown = listed([quote(item) for item in list(values)[:12]]) or "none"
            message = f"--select {name}={value}: no row is left."
            raise NotAsked(message, remedy=f"The values are {shown}.")
    if len(left) > MOST_ROWS:
        message = f"{len(left):,} rows would be appended; at most {MOST_ROWS} are allowed at once."
        raise NotAsked(message, remedy="Select rows: --select COLUMN=VALUE")
    return left


def composed(rows: Sequence[FigureRow], stated: RowDefaults) -> list[Composed]:
    """The rows as TOML, each checked by itself.

    Raises:
        NotAsked: a device or a label is missing.
        NotCited: the source is incomplete.
        NotFitting: rows are no rows of `[[published]]`; the message names all of them.
        Unreadable: a text is too long, or cannot be written.
    """
    composed_rows, wrong = [], []
    for row in rows:
        keys = _keys(row, stated, alone=len(rows) == 1)
        try:
            text = table(keys)
        except ValueError as error:
            raise Unreadable(f"{row.place}: a text holds {error}.") from error
        read: dict[str, Any] = tomli.loads(text)["published"][0]
        try:
            composed_rows.append(Composed(row.place, text, Published.model_validate(read)))
        except ValidationError as error:
            wrong += [
                f"{row.place}: {problem.message}{f' ({problem.help})' if problem.help else ''}"
                for problem in value_problems(error, Published, read, "a key of [[published]]")
            ]
    if wrong:
        raise NotFitting("\n".join(wrong), remedy="Nothing was written.")
    return composed_rows


def _keys(row: FigureRow, stated: RowDefaults, *, alone: bool) -> dict[str, Any]:
    """The keys of a row, in the order in which people write them."""
    figures = {name: row.keys[name] for name in FIGURES if name in row.keys}
    comparable = row.keys.get("comparable", True)
    label = row.keys.get("label") or stated.label or row.name
    if not row.keys.get("label") and stated.label and row.name and not alone:
        label = f"{stated.label}: {row.name}"
    keys = {
        "device": _named(row.place, row.keys.get("device") or stated.device, "device"),
        "label": _named(row.place, label, "label"),
        "where": {**stated.where, **row.where},
        **figures,
        "over": row.keys.get("over", ""),
        "over_where": row.over_where,
        "quantity": row.keys.get("quantity", ""),
        "mark": row.keys.get("mark", "S"),
        "comparable": comparable,
        "note": row.keys.get("note", ""),
        "source": cited(row.place, stated.source, row.source),
        "imported": stated.file,
    }
    absent = [
        name for name in ("where", "over", "over_where", "quantity", "note") if not keys[name]
    ]
    absent += ["comparable"] if comparable is True else []
    kept = {name: value for name, value in keys.items() if name not in absent}
    _check_lengths(row.place, kept)
    return kept


def _named(place: str, value: object, what: str) -> str:
    """The text of a required key.

    Raises:
        NotAsked: it is empty.
    """
    text = str(value or "")
    if not text.strip():
        raise NotAsked(f"{place}: the {what} is missing.", remedy=f"Add it: --{what} TEXT")
    return text


def _check_lengths(place: str, keys: Mapping[str, Any]) -> None:
    for name, value in keys.items():
        if isinstance(value, Mapping):
            _check_lengths(place, value)
        elif isinstance(value, str) and len(value) > LONGEST_CELL:
            message = f"{place}: `{name}` has {len(value):,} characters."
            raise Unreadable(
                message, why=f"A text in a spec has at most {LONGEST_CELL:,} characters."
            )


def axes_of(spec: Path, devices_file: Path | None) -> Mapping[str, Sequence[Scalar]]:
    """The swept keys of a spec and their values.

    Raises:
        SpecErrors: the spec has an error already.
        NotAsked: the path is that of several specs, or of none.
    """
    specs = load([spec], devices_file=devices_file).specs
    if len(specs) != 1:
        message = f"--into {spec}: this is not a spec file."
        raise NotAsked(message, remedy="Name a spec file.")
    return specs[0].axes


def append(spec: Path, rows: Sequence[Composed], devices_file: Path | None = None) -> None:
    """Append rows to a spec in one step, if it has no error with them.

    The earlier content stays byte for byte. A link is followed, and permissions are kept.

    Raises:
        SpecErrors: the spec has an error already.
        NotFitting: it would have one, or another program changed it in the meantime.
        Unreadable: it cannot be written.
    """
    axes_of(spec, devices_file)
    target = spec.resolve()
    try:
        before = target.read_bytes()
        after, places = _appended(before, rows)
        if problems := examine(spec, after, devices_file).problems:
            raise _not_fitting(spec, places, problems)
        if target.read_bytes() != before:
            message = f"{spec} changed while the figures were read."
            raise NotFitting(message, remedy="Nothing was written; run the command again.")
        mode = stat.S_IMODE(target.stat().st_mode)
        write_whole(target, after)
        target.chmod(mode)
    except OSError as error:
        message = f"{spec} cannot be written: {error.strerror}."
        raise Unreadable(message, remedy="It is unchanged.") from error


def _appended(before: bytes, rows: Sequence[Composed]) -> tuple[bytes, dict[int, str]]:
    """The content of a spec followed by the rows, with the spec's own line endings.

    Returns:
        The content, and the place in the imported file for each line of the rows.
    """
    line_end = b"\r\n" if b"\r\n" in before else b"\n"
    parts = [before if before.endswith(b"\n") else before + line_end]
    line = parts[0].count(b"\n")
    places: dict[int, str] = {}
    for row in rows:
        part = f"\n{row.text}"
        lines = range(line + 1, line + 1 + part.count("\n"))
        places |= dict.fromkeys(lines, row.place)
        line += len(lines)
        parts.append(part.encode().replace(b"\n", line_end))
    return b"".join(parts), places


def _not_fitting(spec: Path, places: Mapping[int, str], problems: Sequence[Problem]) -> NotFitting:
    """The error that names each problem at its row of the imported file."""
    notes = []
    for problem in problems:
        place = places.get(problem.place.line, problem.place.name)
        lines = [f"{place}: {problem.message}", *problem.place.excerpt()]
        lines += [f"  help: {problem.help}"] if problem.help else []
        lines += [f"  {other.name}: {other.label}" for other in problem.related]
        notes.append("\n".join(lines))
    return NotFitting("\n\n".join(notes), remedy=f"\nNothing was written; {spec} is unchanged.")
