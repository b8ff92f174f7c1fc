"""A spec file as it was read, and as one profile reads it.

It keeps the text, the values and their places, so that every value can be traced to its place.
"""

from __future__ import annotations

import copy
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from accelreport.spec.problems import COMMAND_LINE, Place, Problem
from accelreport.spec.syntax import KeyPath, Span, TomlDocument, dotted, put_at, read, value_at

LARGEST = 1 << 20
"""Bytes of the largest file that is read: a spec is written by hand."""


@dataclass(frozen=True)
class SourceFile:
    """A TOML file that could be opened.

    Attributes:
        path: where it is.
        name: what messages call it: the path as the person gave it.
        text: what it holds, verbatim.
        document: what could be read of it.
    """

    path: Path
    name: str
    text: str
    document: TomlDocument

    @cached_property
    def _lines(self) -> list[str]:
        return _unified(self.text).split("\n")

    def place(self, path: KeyPath, *, at_key: bool = False, label: str = "") -> Place:
        """The place of a value (or its key), or of the nearest table around it."""
        positions = self.document.positions
        for length in range(len(path), 0, -1):
            near = path[:length]
            value, key = positions.value(near), positions.key(near)
            span = (key or value) if at_key and length == len(path) else (value or key)
            if span is not None:
                return self.at(span, label)
        return self.at(Span(1, 1, 1, 1), label)

    def at(self, span: Span, label: str = "") -> Place:
        """A span as a place; of several lines, the first one."""
        line = self._lines[span.line - 1]
        end = span.end_column if span.end_line == span.line else len(line.rstrip()) + 1
        return Place(self.name, span.line, span.column, max(end, span.column), line, label)

    def syntax_problems(self) -> Iterable[Problem]:
        """Everything in the file that is not TOML."""
        for problem in self.document.problems:
            first = problem.first
            yield Problem(
                "duplicate-key" if problem.path else "syntax",
                self.at(problem.span),
                problem.message,
                problem.help,
                dotted(problem.path),
                (self.at(first, "first definition"),) if first else (),
            )


def read_file(path: Path, name: str) -> SourceFile | Problem:
    """Read a TOML file, or say why it cannot be read.

    Args:
        path: the file.
        name: what messages call it.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _unreadable(name, "is not a file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        return _unreadable(name, f"cannot be read: {error.strerror}")
    return decoded(path, name, content)


def decoded(path: Path, name: str, content: bytes) -> SourceFile | Problem:
    """The content of a file, or of one that is to be written, or what is wrong with it.

    Args:
        path: the file it belongs to.
        name: what messages call it.
        content: its bytes.
    """
    if len(content) > LARGEST:
        return _unreadable(name, "is larger than the limit of 1 MiB for a spec")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _first(name, "encoding", "this file is UTF-16", "save it as UTF-8")
    if content.startswith(b"\xef\xbb\xbf"):
        message = "this file begins with a byte order mark"
        return _first(name, "encoding", message, "save it as UTF-8 without a byte order mark")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(name, content, error.start)
    if not text.strip():
        return _first(name, "empty", "this file is empty", "a spec begins with `schema = 1`")
    return SourceFile(path, name, text, read(_unified(text)))


def _unified(text: str) -> str:
    """The text with every line ending as a line feed, as TOML reads it."""
    return text.replace("\r\n", "\n")


def _not_utf8(name: str, content: bytes, offset: int) -> Problem:
    start = content.rfind(b"\n", 0, offset) + 1
    source = content[start:].split(b"\n")[0].decode(errors="replace")
    line, column = content.count(b"\n", 0, offset) + 1, len(content[start:offset].decode()) + 1
    place = Place(name, line, column, column + 1, source)
    message = f"the byte 0x{content[offset]:02x} is not UTF-8"
    return Problem("encoding", place, message, "save the file as UTF-8")


def _unreadable(name: str, why: str) -> Problem:
    return Problem("unreadable", Place(name), f"this {why}" if why.startswith("is") else why)


def _first(name: str, code: str, message: str, help_: str) -> Problem:
    return Problem(code, Place(name, 1, 1, 1), message, help_)


FULL = "full"
"""The profile of an unchanged spec."""

SECTIONS = ("workload", "measure", "sweep")
"""Tables in which a profile, or the command line, changes single keys."""

WHOLE = ("devices", "baseline", "only_named", "order")
"""Keys at the top of the file that a profile may change."""


@dataclass(frozen=True)
class View:
    """A spec's values under one profile.

    Attributes:
        file: the spec.
        profile: the profile's name.
        data: the values, changed.
        moved: path of a changed value → its path in the file, or the text of the option.
    """

    file: SourceFile
    profile: str
    data: dict[str, Any]
    moved: dict[KeyPath, KeyPath | str] = field(default_factory=dict)

    def place(self, path: KeyPath, *, at_key: bool = False, label: str = "") -> Place:
        """Where the value at a path of `data` was written."""
        for length in range(len(path), 0, -1):
            origin = self.moved.get(path[:length])
            if isinstance(origin, str):
                return Place(f"{COMMAND_LINE}: {origin}", label=label)
            if origin is not None:
                path = (*origin, *path[length:])
                break
        return self.file.place(path, at_key=at_key, label=label)

    def has(self, path: KeyPath) -> bool:
        """Whether a value was written at this path."""
        return value_at(self.data, path) is not None

    def change(self, key: str, value: Any, origin: KeyPath | str) -> None:
        """Give a dotted key another value; tables on the way are made where absent."""
        path = self._path(key)
        put_at(self.data, path, copy.deepcopy(value))
        self.moved[path] = origin

    def _path(self, key: str) -> KeyPath:
        """The path of a dotted key, whether or not it is written."""
        head, _, rest = key.partition(".")
        if head != "sweep":
            return tuple(key.split("."))
        # An axis may be written as a quoted dotted key or as nested tables.
        for known, path, _ in leaves(self.data.get("sweep"), ("sweep",)):
            if known == rest:
                return path
        zipped = rest.removeprefix("zip.")
        return ("sweep", "zip", zipped) if zipped != rest else ("sweep", rest)


def whole(file: SourceFile) -> View:
    """The unchanged spec."""
    return View(file, FULL, copy.deepcopy(file.document.data))


def with_profile(file: SourceFile, profile: str) -> View:
    """The spec with those values of a profile that a profile may change."""
    view = View(file, profile, copy.deepcopy(file.document.data))
    for key, path, value in changes(file, profile):
        if is_changeable(key):
            view.change(key, value, path)
    return view


def changes(file: SourceFile, profile: str) -> Iterator[tuple[str, KeyPath, Any]]:
    """A profile's dotted keys, where each is written, and its value."""
    profiles = file.document.data.get("profiles")
    table = profiles.get(profile) if isinstance(profiles, dict) else None
    return leaves(table, ("profiles", profile))


def is_changeable(key: str) -> bool:
    """Whether a dotted key is one that a profile may change."""
    head, _, rest = key.partition(".")
    return key in WHOLE or (head in SECTIONS and all(rest.split(".")))


def leaves(table: object, path: KeyPath = ()) -> Iterator[tuple[str, KeyPath, Any]]:
    """The values below a table: dotted key, path and value; a table that is empty is a value."""
    if not isinstance(table, dict):
        return
    for key, value in table.items():
        if isinstance(value, dict) and value:
            for below, inner, leaf in leaves(value, (*path, key)):
                yield f"{key}.{below}", inner, leaf
        else:
            yield key, (*path, key), value
