"""TOML text to values, with all syntax errors at once and the place of each key and value.

`tomli` stops at the first error. To show every error of a file at once, each statement
(a header, or a key with its value) is found by itself, so that a broken one can be
reported and blanked out while the others are read.

`tomli` gives values without positions. Here the concrete syntax tree of
tree-sitter-toml is walked once, and the span of every key and value is kept under its
path: `("published", 0, "where", "batch_size")`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import tomli
import tree_sitter_toml
from tree_sitter import Language, Node, Parser

DEEPEST = 64
"""Keys and indices in the longest path that is followed."""

KeyPath = tuple[str | int, ...]
"""Keys, and indices of arrays, from the top of the document down to a value."""


@dataclass(frozen=True)
class Span:
    """A piece of a document; lines and columns from 1, columns in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    """The column after the last character."""


@dataclass(frozen=True)
class Redefinition:
    """A key or table that was already defined."""

    path: KeyPath
    first: Span
    second: Span


class Positions:
    """Spans of all keys and values of a document.

    Args:
        text: a TOML document whose lines end with a line feed alone. Where it is
            not valid, the places that can be found are kept.
    """

    def __init__(self, text: str) -> None:
        self.redefinitions: list[Redefinition] = []
        self.too_deep: Span | None = None
        self._keys: dict[KeyPath, Span] = {}
        self._values: dict[KeyPath, Span] = {}
        self._lengths: dict[KeyPath, int] = {}
        source = text.encode()
        self._lines = source.split(b"\n")
        for node in _parser().parse(source).root_node.children:
            if node.type == "pair":
                self._pair(node, ())
            elif node.type in {"table", "table_array_element"}:
                self._table(node)

    def key(self, path: KeyPath) -> Span | None:
        """The key's own word; for a table, the last word of its header."""
        return self._keys.get(path)

    def value(self, path: KeyPath) -> Span | None:
        """The value; for a table, its header with the brackets."""
        return self._values.get(path)

    def _table(self, node: Node) -> None:
        words = [child for child in node.children if child.type.endswith("_key")][:1]
        if not words:
            return
        keys = _words(words[0])
        if self._is_too_deep(keys, ()):
            return
        path: KeyPath = ()
        for number, (name, word) in enumerate(keys, start=1):
            path = (*path, name)
            is_last = number == len(keys)
            if path in self._lengths and not (is_last and node.type == "table_array_element"):
                if is_last:
                    self._redefine(path, word)
                path = (*path, self._lengths[path] - 1)
            elif not is_last:
                self._keys.setdefault(path, self._span(word, word))
        header = [child for child in node.children if child.type in {"[", "]", "[[", "]]"}]
        span = self._span(header[0], header[-1]) if header else self._span(node, node)
        path = self._header(path, keys[-1][1], span, array=node.type == "table_array_element")
        for child in node.children:
            if child.type == "pair":
                self._pair(child, path)

    def _header(self, path: KeyPath, word: Node, span: Span, *, array: bool) -> KeyPath:
        """Note a header and return the path of the table it opens."""
        if not array:
            self._note(path, word, span)
            return path
        if path in self._values:
            self._redefine(path, word)
        self._keys.setdefault(path, self._span(word, word))
        index = self._lengths.get(path, 0)
        self._lengths[path] = index + 1
        self._keys[*path, index] = self._span(word, word)
        self._values[*path, index] = span
        return (*path, index)

    def _pair(self, node: Node, prefix: KeyPath) -> None:
        parts = [child for child in node.children if child.is_named and child.type != "comment"]
        if len(parts) < 2:
            return
        keys, value = _words(parts[0]), parts[-1]
        if self._is_too_deep(keys, prefix):
            return
        for name, word in keys[:-1]:
            prefix = (*prefix, name)
            self._keys.setdefault(prefix, self._span(word, word))
        path = (*prefix, keys[-1][0])
        if self._note(path, keys[-1][1], self._span(value, value)):
            self._inside(value, path)

    def _inside(self, node: Node, path: KeyPath) -> None:
        if node.type == "inline_table":
            for child in node.children:
                if child.type == "pair":
                    self._pair(child, path)
        elif node.type == "array" and not self._is_too_deep([("", node)], path):
            elements = [child for child in node.children if child.is_named]
            elements = [child for child in elements if child.type != "comment"]
            for index, element in enumerate(elements):
                span = self._span(element, element)
                self._keys[*path, index] = self._values[*path, index] = span
                self._inside(element, (*path, index))

    def _is_too_deep(self, keys: Sequence[tuple[str, Node]], prefix: KeyPath) -> bool:
        too_deep = len(prefix) + len(keys) > DEEPEST
        if too_deep and self.too_deep is None:
            self.too_deep = self._span(keys[0][1], keys[0][1])
        return too_deep

    def _note(self, path: KeyPath, word: Node, value: Span) -> bool:
        """Keep a definition; False when the path was defined before."""
        if path in self._values:
            self._redefine(path, word)
            return False
        self._keys[path] = self._span(word, word)
        self._values[path] = value
        return True

    def _redefine(self, path: KeyPath, word: Node) -> None:
        self.redefinitions.append(
            Redefinition(path, self._keys[path], second=self._span(word, word))
        )

    def _span(self, first: Node, last: Node) -> Span:
        line, column = self._place(first.start_point[0], first.start_point[1])
        end_line, end_column = self._place(last.end_point[0], last.end_point[1])
        return Span(line, column, end_line, end_column)

    def _place(self, row: int, byte: int) -> tuple[int, int]:
        """tree-sitter counts bytes; people count characters."""
        return row + 1, len(self._lines[row][:byte].decode()) + 1


def _words(node: Node) -> list[tuple[str, Node]]:
    """The parts of a key, bare, quoted or dotted."""
    if node.type == "dotted_key":
        return [pair for child in node.children if child.is_named for pair in _words(child)]
    raw = (node.text or b"").decode()
    # Escapes in a quoted key are TOML's business.
    name = next(iter(tomli.loads(f"{raw} = 0"))) if node.type == "quoted_key" else raw
    return [(name, node)]


def dotted(path: KeyPath) -> str:
    """A path as a person would write it: `published[0].where.batch_size`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def value_at(data: object, path: KeyPath) -> object:
    """The value at a path of a document; None where there is none, for TOML has no null."""
    for part in path:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def put_at(data: dict[str, Any], path: KeyPath, value: object) -> None:
    """Put a value at a path of a document; tables on the way are made where absent."""
    *tables, key = map(str, path)
    for table in tables:
        inner = data.get(table)
        data[table] = data = inner if isinstance(inner, dict) else {}
    data[key] = value


def span_of(text: str, start: int, end: int) -> Span:
    """Two offsets into a text as a span."""
    line, last = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Span(line, column, last, end - (text.rfind("\n", 0, end) + 1) + 1)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_toml.language()))


_SPACE = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_TOKEN = re.compile(
    r'"""|\'\'\'|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?|#[^\n]*|[\[\]{}\n]|[^"\'#\[\]{}\n]+'
)
_LONG_END = {
    '"""': re.compile(r'(?:\\.|[^\\])*?"""(?:"{0,2})', re.DOTALL),
    "'''": re.compile(r".*?'''(?:'{0,2})", re.DOTALL),
}
_WORD = r"""[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
_KEY = rf"{_WORD}(?:\.{_WORD})*"
_PAIR = re.compile(rf"{_KEY}=")
_NEXT = re.compile(
    rf"^(?:{_KEY}=|[ \t]*\[{_KEY}\][ \t]*(?:#.*)?$|[ \t]*\[\[{_KEY}\]\][ \t]*(?:#.*)?$)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Statement:
    """A header, or a key with its value.

    Attributes:
        start: offset of its first character.
        end: offset after its last one; its line feed is not part of it.
        is_header: whether it opens a table.
        open_mark: the bracket or quotation mark that is never closed; empty when all are.
        open_at: the offset of `open_mark`.
    """

    start: int
    end: int
    is_header: bool
    open_mark: str = ""
    open_at: int = 0


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text in their order; their lines do not overlap."""
    position = _after_space(text, 0)
    while position < len(text):
        end, mark, at = _scan(text, position)
        if mark in {"'", '"'}:
            # Text must end on its line, so what follows on the next one is sound again.
            end = _line_end(text, at)
        elif mark:
            # Nothing closes it: it ends where the next statement seems to begin.
            following = _NEXT.search(text, _line_end(text, at) + 1)
            end = following.start() if following else len(text)
            end = position + len(text[position:end].rstrip())
        yield Statement(position, end, text[position] == "[", mark, at)
        position = _after_space(text, end)


def _scan(text: str, start: int) -> tuple[int, str, int]:
    """End of the statement at `start`, and the mark that is left open with its offset."""
    brackets: list[tuple[str, int]] = []
    position = start
    while token := _TOKEN.match(text, position):
        mark = token.group()
        if mark in _LONG_END:
            closed = _LONG_END[mark].match(text, token.end())
            if closed is None:
                return len(text), mark, position
            position = closed.end()
            continue
        if mark == "\n" and not brackets:
            return position, "", 0
        if mark == "\n" and brackets[-1][0] == "[" and _PAIR.match(text, token.end()):
            break  # A list holds no `key = value`, so it should have ended before.
        if mark[0] in {"'", '"'} and (len(mark) == 1 or mark[-1] != mark[0]):
            return position, mark[0], position
        if mark in "[{":
            brackets.append((mark, position))
        elif mark in "]}" and brackets:
            brackets.pop()
        position = token.end()
    return (len(text), *brackets[0]) if brackets else (len(text), "", 0)


def _after_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


_SYNTAX_MESSAGES_WORD = re.compile(r"[^\s,\]}#=]+")
_UNIT = re.compile(r"[0-9][0-9._]*\s*[A-Za-zµμ%]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
PLAIN = (
    ("Illegal character", "this character is not allowed here; delete it, or write it as \\uXXXX"),
    ("Found invalid character", "this character is not allowed here"),
    (
        "Unescaped '\\'",
        "a backslash in \"…\" begins an escape; write `\\\\`, or use '…'",
    ),
    (
        "Invalid hex value",
        "a backslash in \"…\" begins an escape; write paths with `/`, or use '…'",
    ),
    ("not a Unicode scalar", "this escape is not a character of Unicode"),
    ("Expected '=' after a key", "`=` is missing after the key"),
    ("at the end of a table declaration", "`]` is missing at the end of this header"),
    ("at the end of an array declaration", "`]]` is missing at the end of this header"),
    ("Invalid initial character for a key", "a key is missing here, or needs quotes"),
    ("Invalid statement", "this line is neither `key = value` nor `[table]`"),
    ("Unclosed array", "`]` or `,` is missing in this list"),
    ("Unclosed inline table", "`}` or `,` is missing in this table"),
    ("Invalid date or datetime", "there is no such date"),
    ("mutate immutable", "a complete list or `{ … }` cannot be extended afterwards"),
    ("redefine namespace", "this table was defined before; put its keys together"),
    ("Cannot declare", "this table was defined before; put its keys together"),
    ("overwrite a value", "this key was already defined with another kind of value"),
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
        return _unclosed(text, piece)
    word = _SYNTAX_MESSAGES_WORD.match(text, offset)
    span = span_of(text, offset, min(word.end() if word else offset + 1, piece.end))
    if "Invalid value" in message:
        return _no_value(text, offset, word.group() if word else "")
    if "Expected newline" in message:
        return _trailing_text(text, piece, offset)
    if text[offset : offset + 1] == "\n" and "{" in text[piece.start : offset]:
        help_ = "write it on one line, or as a [table] of its own"
        return SyntaxProblem(span, "`{ … }` must be on one line", help_)
    is_letter = text[offset : offset + 1].isalpha() and not text[offset].isascii()
    if is_letter and ("Invalid stat" in message or "Expected '='" in message):
        word = _SYNTAX_MESSAGES_WORD.match(text, piece.start)
        span = span_of(text, piece.start, word.end() if word else offset + 1)
        return SyntaxProblem(span, "a key with letters other than A to Z needs quotes")
    return SyntaxProblem(span, plain(message))


def _unclosed(text: str, piece: Statement) -> SyntaxProblem:
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


def _trailing_text(text: str, piece: Statement, offset: int) -> SyntaxProblem:
    """The problem of text after a complete value."""
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


_ONE = "a line has one `key = value`, followed by nothing but a # comment"

MOST = 100
"""Errors that are reported for one file: finding each one reads the text again."""

LONGEST = 1000
"""Dots in the longest key that tomli is given: its time grows with their square."""

TOO_LARGE = "this whole number has more than 64 bits"

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What TOML allows nowhere within a line."""

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlDocument:
    """What could be read of a TOML text.

    Attributes:
        data: the values, without those of broken statements.
        positions: the places of keys and values.
        problems: everything that is not TOML.
        is_whole: whether no value was lost.
    """

    data: dict[str, Any]
    positions: Positions
    problems: tuple[SyntaxProblem, ...] = ()
    is_whole: bool = True


def read(text: str) -> TomlDocument:
    """Read a TOML text; `text` has a line feed alone at the end of each line."""
    if any(part.count(".") > LONGEST for part in re.split("[=\n]", text)):
        return _too_deep(Span(1, 1, 1, 1))
    try:
        document = _read(text)
    except RecursionError:
        return _too_deep(Span(1, 1, 1, 1))
    deep = document.positions.too_deep
    return _too_deep(deep) if deep else document


def _read(text: str) -> TomlDocument:
    try:
        return TomlDocument(loads(text), Positions(text))
    except ValueError:
        return _read_piecewise(text)


def loads(text: str) -> dict[str, Any]:
    """The values of a text.

    Raises:
        ValueError: it is not TOML, or holds a whole number that is not one of 64 bits, which TOML
            leaves to the reader and which Python may have but cannot always write.
    """
    data = tomli.loads(text)
    waiting: list[object] = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError(TOO_LARGE)
    return data


def _too_deep(span: Span) -> TomlDocument:
    message = "keys, lists or tables are nested too deeply"
    return TomlDocument({}, Positions(""), (SyntaxProblem(span, message),), is_whole=False)


def _read_piecewise(text: str) -> TomlDocument:
    pieces = list(statements(text))
    broken = {piece: error for piece in pieces if (error := _syntax_error(text, piece))}
    problems = [_broken(text, piece, error) for piece, error in islice(broken.items(), MOST)]
    left = _without(text, pieces, set(broken))
    again = _redefinitions(left, pieces)
    problems += [_redefined(item) for item in again.values()]
    lost = [*broken, *(piece for piece in again if piece.is_header)]
    left = _without(left, pieces, set(again))
    live = [piece for piece in pieces if piece not in again]
    data: dict[str, Any] = {}
    for _ in range(MOST):
        try:
            data = loads(left)
            break
        except ValueError as error:
            message, place = _message_and_offset(left, error)
            if _CONTROL.match(left, place):  # in a comment: those in statements are found above
                problems.append(SyntaxProblem(span_of(left, place, place + 1), plain(message)))
                left = f"{left[:place]} {left[place + 1 :]}"
                continue
            piece, problem = _conflict(left, live, message, place)
            live.remove(piece)
            problems.append(problem)
            lost += [piece] if piece.is_header else []
            left = _without(left, pieces, {piece})
    problems.sort(key=lambda problem: (problem.span.line, problem.span.column))
    is_whole = not lost and bool(data)
    return TomlDocument(data, Positions(left), tuple(problems[:MOST]), is_whole)


def _syntax_error(text: str, piece: Statement) -> ValueError | None:
    """Tomli's error for a statement alone; None if it is valid."""
    try:
        loads(text[piece.start : piece.end])
    except ValueError as error:
        return error
    return None


def _broken(text: str, piece: Statement, error: ValueError) -> SyntaxProblem:
    """The problem of a statement that is not valid TOML by itself."""
    statement = text[piece.start : piece.end]
    if not isinstance(error, tomli.TOMLDecodeError):
        return SyntaxProblem(span_of(text, piece.start, piece.end), TOO_LARGE)
    message, offset = _message_and_offset(statement, error)
    again = Positions(statement).redefinitions
    if "Duplicate inline table key" in message and again:
        first = _moved(text, piece, again[0].first)
        second = _moved(text, piece, again[0].second)
        return _redefined(Redefinition(again[0].path, first, second))
    return explained(text, piece, message, piece.start + offset)


def _redefinitions(text: str, pieces: list[Statement]) -> dict[Statement, Redefinition]:
    """The statements that define a key or table again, and what they define."""
    repeated = Positions(text).redefinitions
    if not repeated:
        return {}
    ends = [match.end() for match in re.finditer("\n", text)]
    on_line = {bisect_right(ends, piece.start) + 1: piece for piece in pieces}
    again: dict[Statement, Redefinition] = {}
    for item in repeated:
        if item.second.line in on_line:
            # The first redefinition of a line is the cause, others follow from it.
            again.setdefault(on_line[item.second.line], item)
    return again


def _conflict(
    text: str, pieces: list[Statement], message: str, offset: int
) -> tuple[Statement, SyntaxProblem]:
    """The statement that contradicts those before it, and the problem it makes."""
    piece = max((piece for piece in pieces if piece.start < max(offset, 1)), key=lambda p: p.start)
    return piece, SyntaxProblem(span_of(text, piece.start, piece.end), plain(message))


def _redefined(item: Redefinition) -> SyntaxProblem:
    message = f"`{dotted(item.path)}` is defined twice"
    return SyntaxProblem(item.second, message, path=item.path, first=item.first)


def _message_and_offset(text: str, error: ValueError) -> tuple[str, int]:
    """Tomli's message without its place, and the place as an offset into the text."""
    match = _AT.search(str(error))
    if match is None or match.group(1) is None:
        return _AT.sub("", str(error)), len(text)
    start = 0
    for _ in range(int(match.group(1)) - 1):
        start = text.index("\n", start) + 1
    return _AT.sub("", str(error)), start + int(match.group(2)) - 1


def _without(text: str, pieces: list[Statement], gone: set[Statement]) -> str:
    """The text with some statements blanked; with a header, everything under it."""
    left, end, dropping = [], 0, False
    for piece in pieces:
        if piece.is_header:
            dropping = piece in gone
        if dropping or piece in gone:
            left += [text[end : piece.start], re.sub(r"[^\n]", " ", text[piece.start : piece.end])]
            end = piece.end
    return "".join([*left, text[end:]])


def _moved(text: str, piece: Statement, span: Span) -> Span:
    """A span within a statement as a span of the text."""
    start = span_of(text, piece.start, piece.start)
    shift = start.column - 1
    return Span(
        span.line + start.line - 1,
        span.column + (shift if span.line == 1 else 0),
        span.end_line + start.line - 1,
        span.end_column + (shift if span.end_line == 1 else 0),
    )
