"""What `tomli` has to say about a broken statement, in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from accelreport.spec.positions import KeyPath, Span, span_of
from accelreport.spec.statements import Statement

_WORD = re.compile(r"[^\s,\]}#=]+")
_UNIT = re.compile(r"[0-9][0-9._]*\s*[A-Za-zµμ%]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PLAIN = (
    ("Illegal character", "this character may not stand here; delete it, or write it as \\uXXXX"),
    ("Found invalid character", "this character may not stand here"),
    ("Unescaped '\\'", "a backslash in \"…\" begins an escape; write `\\\\`, or use '…'"),
    ("Invalid hex value", "`\\u` needs four hexadecimal digits, `\\U` eight"),
    ("not a Unicode scalar", "this escape is not a character of Unicode"),
    ("Expected '=' after a key", "`=` is missing after the key"),
    ("at the end of a table declaration", "`]` is missing at the end of this header"),
    ("at the end of an array declaration", "`]]` is missing at the end of this header"),
    ("Invalid initial character for a key", "a key is missing here, or needs quotes"),
    ("Invalid statement", "a line is `key = value` or `[table]`; this is neither"),
    ("Unclosed array", "`]` or `,` is missing in this list"),
    ("Unclosed inline table", "`}` or `,` is missing in this table"),
    ("Invalid date or datetime", "there is no such date"),
    ("mutate immutable", "a list or `{ … }` that is complete cannot be extended afterwards"),
    ("redefine namespace", "this table was defined before; put its keys together"),
    ("Cannot declare", "this table was defined before; put its keys together"),
    ("overwrite a value", "this key was defined before, as something else"),
)
"""A piece of tomli's message, and what it means. tomli words some of them differently
from version to version of Python, so only the part that stays is compared."""


@dataclass(frozen=True)
class SyntaxProblem:
    """A place of the text that is not TOML.

    Attributes:
        span: where it is.
        message: what is wrong.
        help: what to write instead.
        path: the key defined twice; empty for everything else.
        first: where that key was defined first.
    """

    span: Span
    message: str
    help: str = ""
    path: KeyPath = ()
    first: Span | None = None


def plain(message: str) -> str:
    """Tomli's message in plain words."""
    return next((words for part, words in PLAIN if part in message), message)


def explained(text: str, piece: Statement, message: str, offset: int) -> SyntaxProblem:
    """A syntax error in plain words, at the character that is to be changed.

    Args:
        text: the document.
        piece: the broken statement.
        message: tomli's message without its place.
        offset: the place, as an offset into the document.
    """
    if piece.open_mark:
        return _open(text, piece)
    word = _WORD.match(text, offset)
    span = span_of(text, offset, min(word.end() if word else offset + 1, piece.end))
    if "Invalid value" in message:
        return _no_value(text, offset, word.group() if word else "")
    if "Expected newline" in message:
        return _too_much(text, piece, offset)
    if text[offset : offset + 1] == "\n" and "{" in text[piece.start : offset]:
        help_ = "write it on one line, or as a [table] of its own"
        return SyntaxProblem(span, "`{ … }` must stand on one line", help_)
    if _has_letter_at(text, offset) and ("Invalid stat" in message or "Expected '='" in message):
        word = _WORD.match(text, piece.start)
        span = span_of(text, piece.start, word.end() if word else offset + 1)
        return SyntaxProblem(span, "a key with other letters than A to Z needs quotes")
    return SyntaxProblem(span, plain(message))


def _has_letter_at(text: str, offset: int) -> bool:
    return text[offset : offset + 1].isalpha() and not text[offset].isascii()


def _open(text: str, piece: Statement) -> SyntaxProblem:
    span = span_of(text, piece.open_at, piece.open_at + len(piece.open_mark))
    if piece.open_mark in {"'", '"'}:
        span = span_of(text, piece.open_at, piece.end)
        return SyntaxProblem(span, "the text that begins here is not closed on this line")
    noun = piece.open_mark if len(piece.open_mark) == 3 else f"`{piece.open_mark}`"
    return SyntaxProblem(span, f"{noun} is opened here and never closed")


def _no_value(text: str, offset: int, word: str) -> SyntaxProblem:
    span = span_of(text, offset, offset + len(word))
    small = word.casefold()
    if not word:
        if text[offset : offset + 1] == "=":
            return SyntaxProblem(span_of(text, offset, offset + 1), "there is a second `=` here")
        return SyntaxProblem(span, "a value is missing here")
    if small in {"true", "false", "yes", "no", "on", "off"}:
        right = "true" if small in {"true", "yes", "on"} else "false"
        return SyntaxProblem(span, f"`{word}` is not a value", f"did you mean `{right}`?")
    if small in {"none", "null", "nil"}:
        help_ = "leave the key out instead"
        return SyntaxProblem(span, f"`{word}` is not a value; TOML has no null", help_)
    if word.startswith("."):
        return SyntaxProblem(span, f"`{word}` is not a value", f"write `0{word}`")
    return SyntaxProblem(span, f"`{word}` is not a value", f'text needs quotes: "{word}"')


def _too_much(text: str, piece: Statement, offset: int) -> SyntaxProblem:
    """Something stands behind a value that was complete."""
    line_start = text.rfind("\n", 0, offset) + 1
    equals = text.find("=", max(line_start, piece.start), offset)
    written = text[equals + 1 : piece.end].split("#")[0].strip() if equals >= 0 else ""
    if not written:
        return SyntaxProblem(span_of(text, offset, piece.end), _ONE)
    start = text.index(written, equals)
    whole = span_of(text, start, start + len(written))
    if _UNIT.fullmatch(written):
        return SyntaxProblem(whole, "a value with a unit is text", f'write "{written}"')
    if re.fullmatch(r"[+-]?0[0-9]+", written):
        return SyntaxProblem(whole, "a number may not begin with 0", f"write {int(written)}")
    if _DATE.match(written):
        return SyntaxProblem(whole, "there is no such date")
    return SyntaxProblem(span_of(text, offset, piece.end), _ONE)


_ONE = "a line holds one `key = value`, and nothing behind it but a # comment"
