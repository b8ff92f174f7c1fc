"""Values, types and keys in plain words."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from accelreport.spec.positions import KeyPath
from accelreport.spec.problems import did_you_mean, listed, quote

TYPES = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
"""Pydantic's errors of type, and the type in plain words."""


@dataclass(frozen=True)
class Finding:
    """Something wrong with a value, found by its model.

    Attributes:
        code: its kind, as in `Problem`.
        path: where, from the model down.
        message: what is wrong.
        help: what to write instead.
        at_key: whether the key is meant and not its value.
        also: other fields that play a part.
    """

    code: str
    path: KeyPath
    message: str
    help: str = ""
    at_key: bool = False
    also: tuple[KeyPath, ...] = ()


def describe(value: object) -> str:
    """A value and its type in plain words: `the text "3"`, `the number 3`, `a list`."""
    if isinstance(value, str):
        return f"the text {quote(value)}"
    if isinstance(value, bool):
        return quote(value)
    if isinstance(value, int | float):
        return f"the number {quote(value)}"
    if isinstance(value, dt.date | dt.time):
        return f"the date {value}" if isinstance(value, dt.date) else f"the time {value}"
    return "a list" if isinstance(value, list) else "a table"


def subject(path: KeyPath) -> str:
    """What a message speaks of: the key, or a value of a list."""
    if path and isinstance(path[-1], int):
        return f"a value of `{path[-2]}`" if len(path) > 1 else "this value"
    return f"`{path[-1]}`" if path else "this"


def wrong_choice(path: KeyPath, value: object, choices: list[str]) -> Finding:
    """A text that is not among the possible ones."""
    message = f"{quote(value)} is not a value of {subject(path)}"
    near = did_you_mean(value, choices, quoted=True) if isinstance(value, str) else ""
    every = listed([quote(choice) for choice in choices], "or")
    return Finding("wrong-value", path, message, near or f"write {every}")


def wrong_type(path: KeyPath, words: str, value: object) -> Finding:
    """A value of another type than the one in `words`."""
    message = f"{subject(path)} must be {words}, not {describe(value)}"
    return Finding("wrong-type", path, message, _rewritten(words, value))


def _rewritten(words: str, value: object) -> str:
    """The same value in the type that was wanted, when there is one."""
    if words == "a whole number" and isinstance(value, float) and value.is_integer():
        return f"write {int(value)}"
    if words.endswith("number") and isinstance(value, str):
        return f"write {value.strip()}" if re.fullmatch(r"\s*[+-]?[0-9.]+\s*", value) else ""
    if words == "true or false" and isinstance(value, str | int):
        small = str(value).casefold()
        return f"write {small}" if small in {"true", "false"} else ""
    if words == "text" and not isinstance(value, list | dict):
        return f'write "{quote(value)}"'
    if words == "a list" and not isinstance(value, list | dict):
        return f"write [{quote(value)}]"
    return ""
