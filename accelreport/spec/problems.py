"""Problems of a spec: what is wrong, where, and what to write instead, as a compiler says it."""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.syntax import KeyPath

WIDEST = 100
"""Characters of a source line that are shown; the rest of a longer one is cut away."""


@dataclass(frozen=True, order=True)
class Place:
    """A piece of one line of a file.

    Attributes:
        file: the file, as the person named it; "command line" for an option.
        line: from 1; 0 when the whole file is meant.
        column: from 1, in characters; 0 when the whole file is meant.
        end_column: the column after the last character meant, never below `column`.
        source: the line's text.
        label: what is there, for a related place.
    """

    file: str
    line: int = 0
    column: int = 0
    end_column: int = 0
    source: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        """`file:line:column`, or the file alone."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def excerpt(self, mark: str = "^") -> list[str]:
        """The source line and, under it, `mark` below what is meant."""
        if not self.line:
            return []
        first, text = _window(self.source, self.column)
        start = self.column - first
        meant = text[start : max(start + 1, self.end_column - first)]
        number = f"{self.line:>5}"
        under = "".join(char if char == "\t" else " " * _cells(char) for char in text[:start])
        carets = mark * max(1, sum(map(_cells, meant)))
        return [f"{number} | {printable(text)}", f"{' ' * len(number)} | {under}{carets}"]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        code: its kind, such as "unknown-key"; stable, for programs.
        place: where it is.
        message: what is wrong, in plain words.
        help: what to write instead; may be empty.
        key: the dotted key it concerns, such as `measure.repeats`; empty for a whole file.
        related: other places that play a part, each with its label.
    """

    code: str
    place: Place
    message: str
    help: str = ""
    key: str = ""
    related: tuple[Place, ...] = ()

    def render(self) -> str:
        """The problem as text: place, message, source line, caret, help, related places."""
        lines = [f"{self.place.name}: {self.message}", *self.place.excerpt()]
        if self.help:
            lines.append(f"  help: {self.help}")
        for place in self.related:
            lines += [f"  {place.name}: {place.label}", *place.excerpt("~")]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The problem as JSON values; the keys are the attributes' names."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]


MOST = 50
"""Errors that are printed for each file."""

COMMAND_LINE = "command line"
"""The place of a problem that is in no file."""


class SpecErrors(AccelReportError):  # noqa: N818 - it holds many
    """Everything that is wrong in the specs of one call, in the order of the files.

    Their exit code is that of a wrong command line where no file has any.

    Args:
        problems: at least one.
    """

    exit_code = ExitCode.BAD_SPEC

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        by_file: dict[str, list[Problem]] = {}
        for problem in self.problems:
            by_file.setdefault(problem.place.file, []).append(problem)
        files = [name for name in by_file if not name.startswith(COMMAND_LINE)]
        places = [counted(len(files), "file")] if files else []
        places += ["the command line"] if len(files) < len(by_file) else []
        texts = []
        for name, problems in by_file.items():
            texts += [problem.render() for problem in problems[:MOST]]
            if len(problems) > MOST:
                texts.append(f"{name}: {counted(len(problems) - MOST, 'more error')}")
        super().__init__(
            "\n\n".join(texts),
            remedy=f"\n{counted(len(self.problems), 'error')} in {' and '.join(places)}; "
            "nothing was run.",
        )
        if not files:
            self.exit_code = ExitCode.USAGE


def without_echoes(problems: Iterable[Problem]) -> list[Problem]:
    """The problems, each once, and without missing keys that are only misspelt."""
    unique = list(dict.fromkeys(problems))
    meant = {
        (problem.place.file, problem.key.rpartition(".")[0], problem.help)
        for problem in unique
        if problem.code == "unknown-key"
    }

    def is_misspelt(problem: Problem) -> bool:
        table, _, name = problem.key.rpartition(".")
        return (problem.place.file, table, f"did you mean `{name}`?") in meant

    return [one for one in unique if one.code != "missing-key" or not is_misspelt(one)]


def did_you_mean(wrong: str, known: Iterable[str], *, quoted: bool = False) -> str:
    """`did you mean …?` for the nearest known word, or an empty text when none is near."""
    near = nearest(wrong, known)
    if not near:
        return ""
    return f"did you mean {quote(near) if quoted else f'`{near}`'}?"


def nearest(wrong: str, known: Iterable[str]) -> str | None:
    """The known word that is most like another one, when any is like it at all."""
    names = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(wrong.casefold(), names, n=1, cutoff=0.6)
    return names[near[0]] if near else None


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`; `a, b; c; and d` where commas would not divide them."""
    if len(words) < 2:
        return "".join(words)
    if any(", " in word for word in words):
        return f"{'; '.join(words[:-1])}; {last} {words[-1]}"
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def quote(value: object) -> str:
    """A TOML value as a person would write it, at most 60 characters of it."""
    if isinstance(value, str):
        text = json.dumps(printable(value), ensure_ascii=False)
        return text if len(text) <= 60 else f'{text[:58]}…"'
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def printable(text: str) -> str:
    """The text with control and direction characters replaced by �: a terminal obeys them."""
    control = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return "".join(
        "\ufffd" if char not in "\t\n" and unicodedata.category(char) in control else char
        for char in text
    )


def _window(source: str, column: int) -> tuple[int, str]:
    """Column of the first character shown, and what is shown of the line."""
    if len(source) <= WIDEST:
        return 1, source
    start = max(0, min(column - 1 - WIDEST // 2, len(source) - WIDEST))
    return start + 1, source[start : start + WIDEST]


def _cells(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 cell`, `2 cells`; with a plural of its own where an s does not make it."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


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
class ValueProblem:
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


def wrong_choice(path: KeyPath, value: object, choices: list[str]) -> ValueProblem:
    """A text that is not among the possible ones."""
    listed_in = path[:-1] if len(path) > 1 and isinstance(path[-1], int) else path
    message = f"{quote(value)} is not a value of {subject(listed_in)}"
    near = did_you_mean(value, choices, quoted=True) if isinstance(value, str) else ""
    every = listed([quote(choice) for choice in choices], "or")
    return ValueProblem("wrong-value", path, message, near or f"write {every}")


def wrong_type(path: KeyPath, words: str, value: object) -> ValueProblem:
    """A value of another type than the one in `words`."""
    message = f"{subject(path)} must be {words}, not {describe(value)}"
    return ValueProblem("wrong-type", path, message, _rewritten(words, value))


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
