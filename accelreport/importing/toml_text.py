"""Rows as TOML text which says exactly what they hold, whatever that is.

Every character that is not plainly visible is written as an escape: a person who reads the spec
sees it, and no editor or terminal obeys it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def table(row: Mapping[str, Any]) -> str:
    """A row as a `[[published]]` table, its lines ended by line feeds.

    Raises:
        ValueError: a text holds half a character (a lone surrogate), which no TOML file can.
    """
    lines = ["[[published]]", *(f"{key(name)} = {value(each)}" for name, each in row.items())]
    return "\n".join(lines) + "\n"


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else text(name)


def value(found: object) -> str:
    """A value: text, truth value, number, or a table in one line."""
    if isinstance(found, str):
        return text(found)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, int | float | Decimal):
        return str(found)
    if isinstance(found, Mapping):
        pairs = ", ".join(f"{key(name)} = {value(each)}" for name, each in found.items())
        return f"{{ {pairs} }}"
    message = f"{type(found).__name__} has no place in a row"
    raise TypeError(message)


def text(found: str) -> str:
    """A basic string of TOML 1.0 (https://toml.io/en/v1.0.0#string), on one line."""
    return f'"{"".join(map(_character, found))}"'


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
