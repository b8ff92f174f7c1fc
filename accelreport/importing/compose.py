"""Rows of `[[published]]` from what a file says and what the command line says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tomli
from pydantic import ValidationError

from accelreport.importing import toml_text
from accelreport.importing.citation import cited
from accelreport.importing.errors import NotAsked, NotFitting, Unreadable
from accelreport.importing.reader import Found, Value
from accelreport.importing.tables import LONGEST_CELL
from accelreport.spec.messages import findings
from accelreport.spec.models import FIGURES, Published
from accelreport.spec.problems import did_you_mean, listed, quote

MOST_ROWS = 500
"""Rows that are taken into a spec at once: people read it, and a page shows each."""


@dataclass(frozen=True)
class Said:
    """What the command line says of every row.

    Attributes:
        file: name of the imported file, without folders.
        device: the device it is compared with, where a row names none.
        label: what it was measured on.
        where: the sweep point.
        note: what is added to every note.
        comparable: false where the conditions differ from the spec's.
        source: who published it: keys of `source`, and `doi`; None for what is not said.
    """

    file: str
    device: str = ""
    label: str = ""
    where: Mapping[str, Value] = field(default_factory=dict)
    note: str = ""
    comparable: bool = True
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


def selected(rows: Sequence[Found], wanted: Mapping[str, str]) -> list[Found]:
    """The rows in which the facts have the wanted values, letters' case aside.

    Raises:
        NotAsked: there is no such fact, or no row is left, or too many are.
    """
    known = {name: None for row in rows for name in row.facts}
    for name in wanted:
        if rows and name not in known:
            every = listed([quote(each) for each in list(known)[:30]])
            near = did_you_mean(name, known, quoted=True) or f"it has {every}"
            message = f"--select {name}: the file has no such column."
            raise NotAsked(message, remedy=f"{near[:1].upper()}{near[1:]}")
    left = list(rows)
    for name, value in wanted.items():
        values = dict.fromkeys(row.facts.get(name, "") for row in left)
        left = [row for row in left if row.facts.get(name, "").casefold() == value.casefold()]
        if not left:
            shown = listed([quote(each) for each in list(values)[:12]]) or "none"
            message = f"--select {name}={value}: no row is left."
            raise NotAsked(message, remedy=f"The values are {shown}.")
    if len(left) > MOST_ROWS:
        message = f"{len(left):,} rows would be appended; a spec takes {MOST_ROWS} at once."
        raise NotAsked(message, remedy="Choose some: --select COLUMN=VALUE")
    return left


def composed(rows: Sequence[Found], said: Said) -> list[Composed]:
    """The rows as text, each right by itself.

    Raises:
        NotAsked: a device or a label is missing.
        NotCited: the source is incomplete.
        NotFitting: rows are not what a spec may say; every one is told.
        Unreadable: a text is too long, or cannot be written.
    """
    made, wrong = [], []
    for row in rows:
        keys = _keys(row, said, alone=len(rows) == 1)
        try:
            text = toml_text.table(keys)
        except ValueError as error:
            raise Unreadable(f"{row.place}: a text holds {error}.") from error
        read: dict[str, Any] = tomli.loads(text)["published"][0]
        try:
            made.append(Composed(row.place, text, Published.model_validate(read)))
        except ValidationError as error:
            wrong += [
                f"{row.place}: {found.message}{f' ({found.help})' if found.help else ''}"
                for found in findings(error, Published, read, "a key of [[published]]")
            ]
    if wrong:
        raise NotFitting("\n".join(wrong), remedy="Nothing was written.")
    return made


def _keys(row: Found, said: Said, *, alone: bool) -> dict[str, Any]:
    """The keys of a row, in the order in which people write them."""
    figures = {name: row.keys[name] for name in FIGURES if name in row.keys}
    note = " ".join(part for part in (str(row.keys.get("note", "")), said.note) if part)
    comparable = row.keys.get("comparable", True) if said.comparable else False
    keys = {
        "device": _named(row.place, row.keys.get("device") or said.device, "device"),
        "label": _named(row.place, _label(row, said, alone=alone), "label"),
        "where": {**said.where, **row.where},
        **figures,
        "over": row.keys.get("over", ""),
        "mark": row.keys.get("mark", "S"),
        "comparable": comparable,
        "note": note,
        "source": cited(row.place, said.source, row.source),
        "imported": said.file,
    }
    absent = [name for name in ("where", "over", "note") if not keys[name]]
    absent += ["comparable"] if comparable is True else []
    kept = {name: value for name, value in keys.items() if name not in absent}
    _check_lengths(row.place, kept)
    return kept


def _label(row: Found, said: Said, *, alone: bool) -> str:
    """The row's own label, else that of the command line, told apart where there are several."""
    if own := row.keys.get("label"):
        return str(own)
    if said.label and row.name and not alone:
        return f"{said.label}: {row.name}"
    return said.label or row.name


def _named(place: str, value: object, what: str) -> str:
    text = str(value or "")
    if not text.strip():
        raise NotAsked(f"{place}: no {what} is named.", remedy=f"Name it: --{what} TEXT")
    return text


def _check_lengths(place: str, keys: Mapping[str, Any]) -> None:
    for name, value in keys.items():
        if isinstance(value, Mapping):
            _check_lengths(place, value)
        elif isinstance(value, str) and len(value) > LONGEST_CELL:
            message = f"{place}: `{name}` has {len(value):,} characters."
            raise Unreadable(message, why=f"A text of a spec has {LONGEST_CELL:,} at most.")
