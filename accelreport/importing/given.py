"""A file of somebody else's, read with limits and without trusting anything in it."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from accelreport.importing.errors import Unreadable
from accelreport.importing.tables import Table, csv_table, json_table
from accelreport.spec.problems import quote

LARGEST = 16 << 20
"""Bytes of the largest file that is read; MLCommons' summary of a whole round is a few MiB."""


@dataclass(frozen=True)
class Given:
    """What a person wants to import.

    Attributes:
        name: the file, as the person named it.
        data: the value, where it is JSON; numbers with a point are decimals, so that no digit
            is lost, and NaN and Infinity are texts.
        table: its rows, where it has any.
    """

    name: str
    data: Any
    table: Table | None


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
            remedy="Leave out what is no figure, or import it in parts.",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{name}: the byte {error.start + 1:,} is not UTF-8.",
            why="Text is read: CSV or JSON. Nothing pickled, compressed or binary is opened.",
            remedy="Save the figures as CSV or JSON, in UTF-8.",
        ) from error


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=str, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise Unreadable(f"{place}: this is no JSON: {error.msg}.") from error
    except RecursionError as error:
        raise Unreadable(f"{name}: lists or objects are nested too deeply.") from error
    except (ValueError, ArithmeticError) as error:
        raise Unreadable(f"{name}: {error}.") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that is there twice is an error, as its first value would be lost."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            message = f"an object has the key {quote(key)} twice"
            raise ValueError(message)
        found[key] = value
    return found
