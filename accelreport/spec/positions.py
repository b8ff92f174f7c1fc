"""Where every key and value of a TOML document stands.

`tomli` gives values without positions. Here the concrete syntax tree of
tree-sitter-toml is walked once, and the span of every key and value is kept under its
path: `("published", 0, "where", "batch_size")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

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
            not valid, what can be told is kept and the rest is absent.
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
                    self._again(path, word)
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
            self._again(path, word)
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
            self._again(path, word)
            return False
        self._keys[path] = self._span(word, word)
        self._values[path] = value
        return True

    def _again(self, path: KeyPath, word: Node) -> None:
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


def span_of(text: str, start: int, end: int) -> Span:
    """Two offsets into a text as a span."""
    line, last = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Span(line, column, last, end - (text.rfind("\n", 0, end) + 1) + 1)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_toml.language()))
