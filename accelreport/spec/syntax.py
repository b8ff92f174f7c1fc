"""TOML text to values, with every syntax error told at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.spec.positions import KeyPath, Positions, Redefinition, Span, dotted, span_of
from accelreport.spec.statements import Statement, statements
from accelreport.spec.syntax_messages import SyntaxProblem, explained, plain

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
    try:
        return Document(tomllib.loads(text), Positions(text))
    except tomllib.TOMLDecodeError:
        return _read_piecewise(text)
    except RecursionError:
        message = "lists or tables are nested too deeply to be read"
        problem = SyntaxProblem(Span(1, 1, 1, 1), message)
        return Document({}, Positions(""), (problem,), is_whole=False)


def _read_piecewise(text: str) -> Document:
    pieces = list(statements(text))
    broken = {piece: problem for piece in pieces if (problem := _broken(text, piece))}
    left = _without(text, pieces, set(broken))
    problems, is_whole = list(broken.values()), not broken
    # The first redefinition of a line is the cause, others follow from it.
    again = {item.second.line: item for item in reversed(Positions(left).redefinitions)}
    live = list(pieces)
    while True:
        try:
            data = tomllib.loads(left)
            break
        except tomllib.TOMLDecodeError as error:
            piece, problem = _conflict(left, live, again, error)
            live.remove(piece)
            problems.append(problem)
            is_whole = is_whole and not piece.is_header
            left = _without(left, pieces, {piece})
    problems.sort(key=lambda problem: (problem.span.line, problem.span.column))
    return Document(data, Positions(left), tuple(problems), is_whole)


def _broken(text: str, piece: Statement) -> SyntaxProblem | None:
    """What is wrong with a statement by itself."""
    statement = text[piece.start : piece.end]
    try:
        tomllib.loads(statement)
    except tomllib.TOMLDecodeError as error:
        message, offset = _parted(statement, error)
        again = Positions(statement).redefinitions
        if "Duplicate inline table key" in message and again:
            first = _moved(text, piece, again[0].first)
            second = _moved(text, piece, again[0].second)
            return SyntaxProblem(second, _twice(again[0].path), path=again[0].path, first=first)
        return explained(text, piece, message, piece.start + offset)
    return None


def _conflict(
    text: str,
    pieces: list[Statement],
    again: Mapping[int, Redefinition],
    error: tomllib.TOMLDecodeError,
) -> tuple[Statement, SyntaxProblem]:
    """The statement that defines something again, and the problem it makes."""
    message, offset = _parted(text, error)
    piece = max((piece for piece in pieces if piece.start < max(offset, 1)), key=lambda p: p.start)
    span = span_of(text, piece.start, piece.end)
    known = again.get(span.line)
    if known is None:
        return piece, SyntaxProblem(span, plain(message))
    problem = SyntaxProblem(known.second, _twice(known.path), path=known.path, first=known.first)
    return piece, problem


def _twice(path: KeyPath) -> str:
    return f"`{dotted(path)}` is defined twice"


def _parted(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, int]:
    """Tomllib's message without its place, and the place as an offset into the text."""
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
