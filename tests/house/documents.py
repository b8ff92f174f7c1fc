"""What the documents say in code: fenced blocks, and the command lines that stand in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import typer.main
import yaml
from typer.core import TyperGroup

from accelreport.cli import app
from tests.house.tree import ROOT, files

Command = Any
"""Typer publishes no name for what commands and groups of commands share."""

DOCUMENTS = tuple(
    name
    for name in (path.relative_to(ROOT).as_posix() for path in files())
    if name.endswith(".md") and "tests/" not in name
)

FENCE = re.compile(
    r"^```(?P<language>\w*|\{[\w-]+\})\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)

SHELLS = ("sh", "bash", "console", "yaml")
"""Languages of blocks in which command lines stand."""

OPERATORS = set("();<>|&")
KEYWORDS = {"do", "then", "else", "time", "exec"}


@dataclass(frozen=True)
class Block:
    """A fenced block of a document.

    Attributes:
        document: the file, from the project's root.
        line: number of its first line, from 1.
        language: the word behind the fence.
        text: what stands in it.
    """

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"


def text_of(name: str) -> str:
    """A document, by its name from the project's root."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> Iterator[Block]:
    """The fenced blocks of a document."""
    text = text_of(name)
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("body")) + 1
        yield Block(name, line, found["language"], found["body"])


def fenced(name: str, language: str) -> list[str]:
    """The texts of a document's blocks in one language."""
    return [block.text for block in blocks(name) if block.language == language]


def prose(name: str) -> str:
    """A document without its blocks."""
    return FENCE.sub("", text_of(name))


def shell_lines(block: Block) -> Iterator[str]:
    """The lines of a block that a shell would read, continued ones joined."""
    if block.language == "yaml":
        texts_ = list(_scripts(yaml.safe_load(block.text)))
    elif block.language == "console":
        said = (line for line in block.text.splitlines() if line.startswith("$ "))
        texts_ = [line.removeprefix("$ ") for line in said]
    else:
        texts_ = [block.text]
    for text in texts_:
        yield from (line for line in text.replace("\\\n", " ").splitlines() if line.strip())


def _scripts(value: Any) -> Iterator[str]:
    """Every text of a workflow that a shell is given."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"run", "script", "before_script", "entry"}:
                yield from inner if isinstance(inner, list) else [inner]
            else:
                yield from _scripts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scripts(inner)


def calls(line: str) -> Iterator[list[str]]:
    """The words behind `accelreport` of each call of it in a line of shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= OPERATORS:
            words.append(word)
            continue
        if (own := _own(words)) is not None:
            yield own
        words = []


def _own(words: list[str]) -> list[str] | None:
    """What a simple command hands to accelreport; None when it is another program's."""
    while words and (words[0] in KEYWORDS or re.match(r"\w+=", words[0])):
        words = words[1:]
    if not words:
        return None
    if PurePosixPath(words[0]).name == "accelreport":
        return words[1:]
    if words[1:3] == ["-m", "accelreport"]:
        return words[3:]
    if words[:2] == ["docker", "run"] and "accelreport" in words:
        return words[words.index("accelreport") + 1 :]
    return None


def leaves(command: Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all commands that are not hidden."""
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            if not inner.hidden:
                yield from leaves(inner, (*path, name))
    else:
        yield path


@cache
def program() -> Command:
    """The whole command line, which takes longer to be made than any line to be parsed."""
    made: Command = typer.main.get_command(app)
    return made


def resolve(words: list[str]) -> tuple[Command, list[str]]:
    """The command that the words name, and the words behind its name."""
    command = program()
    rest = list(words)
    while isinstance(command, TyperGroup) and rest and not rest[0].startswith("-"):
        # `data list|fetch` names several at once; the first stands for all.
        names = rest.pop(0).split("|")
        assert set(names) <= set(command.commands), f"no such command: {names}"
        command = command.commands[names[0]]
    return command, rest
