"""TOML text to values, with every syntax error told at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import Any

import tomli

from accelreport.spec.positions import Positions, Redefinition, Span, dotted, span_of
from accelreport.spec.statements import Statement, statements
from accelreport.spec.syntax_messages import SyntaxProblem, explained, plain

MOST = 100
"""Errors told of one file: more help nobody, and each costs a look through the text."""

LONGEST = 1000
"""Dots in the longest key that tomli is given: its time grows with their square."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What TOML allows nowhere within a line."""

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class Document:
    """What could be read of a TOML text.

    Attributes:
        data: the values, without those of broken statements.
        positions: where the keys and values stand.
        problems: everything that is not TOML.
        is_whole: whether no value was lost.
    """

    data: dict[str, Any]
    positions: Positions
    problems: tuple[SyntaxProblem, ...] = ()
    is_whole: bool = True


def read(text: str) -> Document:
    """Read a TOML text; `text` has a line feed alone at the end of each line."""
    if any(part.count(".") > LONGEST for part in re.split("[=\n]", text)):
        return _too_deep(Span(1, 1, 1, 1))
    try:
        document = Document(tomli.loads(text), Positions(text))
    except tomli.TOMLDecodeError:
        document = _read_piecewise(text)
    except RecursionError:
        return _too_deep(Span(1, 1, 1, 1))
    deep = document.positions.too_deep
    return _too_deep(deep) if deep else document


def _too_deep(span: Span) -> Document:
    message = "keys, lists or tables are nested too deeply to be read"
    return Document({}, Positions(""), (SyntaxProblem(span, message),), is_whole=False)


def _read_piecewise(text: str) -> Document:
    pieces = list(statements(text))
    broken = {piece: error for piece in pieces if (error := _error(text, piece))}
    problems = [_broken(text, piece, error) for piece, error in islice(broken.items(), MOST)]
    left = _without(text, pieces, set(broken))
    again = _again(left, pieces)
    problems += [_twice(item) for item in again.values()]
    lost = [*broken, *(piece for piece in again if piece.is_header)]
    left = _without(left, pieces, set(again))
    live = [piece for piece in pieces if piece not in again]
    data: dict[str, Any] = {}
    for _ in range(MOST):
        try:
            data = tomli.loads(left)
            break
        except tomli.TOMLDecodeError as error:
            message, place = _parted(left, error)
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
    return Document(data, Positions(left), tuple(problems[:MOST]), is_whole)


def _error(text: str, piece: Statement) -> tomli.TOMLDecodeError | None:
    """What is wrong with a statement by itself, as tomli says it."""
    try:
        tomli.loads(text[piece.start : piece.end])
    except tomli.TOMLDecodeError as error:
        return error
    return None


def _broken(text: str, piece: Statement, error: tomli.TOMLDecodeError) -> SyntaxProblem:
    """What is wrong with a statement by itself."""
    statement = text[piece.start : piece.end]
    message, offset = _parted(statement, error)
    again = Positions(statement).redefinitions
    if "Duplicate inline table key" in message and again:
        first = _moved(text, piece, again[0].first)
        second = _moved(text, piece, again[0].second)
        return _twice(Redefinition(again[0].path, first, second))
    return explained(text, piece, message, piece.start + offset)


def _again(text: str, pieces: list[Statement]) -> dict[Statement, Redefinition]:
    """The statements that define a key or table again, and what they define."""
    found = Positions(text).redefinitions
    if not found:
        return {}
    ends = [match.end() for match in re.finditer("\n", text)]
    on_line = {bisect_right(ends, piece.start) + 1: piece for piece in pieces}
    again: dict[Statement, Redefinition] = {}
    for item in found:
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


def _twice(item: Redefinition) -> SyntaxProblem:
    message = f"`{dotted(item.path)}` is defined twice"
    return SyntaxProblem(item.second, message, path=item.path, first=item.first)


def _parted(text: str, error: tomli.TOMLDecodeError) -> tuple[str, int]:
    """Tomli's message without its place, and the place as an offset into the text."""
    match = _AT.search(str(error))
    if match is None or match.group(1) is None:
        return _AT.sub("", str(error)), len(text)
    start = 0
    for _ in range(int(match.group(1)) - 1):
        start = text.index("\n", start) + 1
    return _AT.sub("", str(error)), start + int(match.group(2)) - 1


def _without(text: str, pieces: list[Statement], gone: set[Statement]) -> str:
    """The text with some statements blanked; with a header goes all that stands under it."""
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
