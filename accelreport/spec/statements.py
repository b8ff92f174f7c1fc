"""A TOML text cut into its statements, however broken some of them are.

`tomli` stops at the first error. To show every error of a file at once, each statement
(a header, or a key with its value) is found by itself, so that a broken one can be told
and blanked out while the others are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
