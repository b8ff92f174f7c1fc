"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from textwrap import dedent
from typing import Any

import typer.main
from typer.core import TyperGroup

from accelreport.cli import app
from accelreport.errors import ExitCode
from accelreport.report.text import sentence
from docsite.schema_text import escaped

Command = Any
"""Typer publishes no name for what commands and groups of commands share."""

HELP = "--help"

LIMITS = re.compile(r" ?\[((?:default|env var|required|[\d.]+<=|x[<>]=)[^\]]*)\]$")
"""What the program adds to an option's text by itself."""

PIPE = "\\|"
"""A bar in a cell of a table."""

ABOUT_COMMANDS = """\
# Commands

Every command with its arguments and options. `--help` behind a command prints the same.
"""

ABOUT_CODES = """\
# Exit codes

How a command ended, for scripts and for continuous integration. 1 is an error that nobody foresaw:
`--debug` before the command shows where.
"""


@cache
def commands() -> dict[tuple[str, ...], Command]:
    """Every command that is not hidden, by the words of its name."""
    return dict(_leaves(typer.main.get_command(app), ()))


def anchor(name: tuple[str, ...]) -> str:
    """The id of a command's heading."""
    return "-".join(("accelreport", *name))


def anchor_of(code: str) -> str | None:
    """The id of the heading of a command line's command; None where it is no command of ours."""
    program, _, rest = code.partition(" ")
    if program != "accelreport":
        return None
    words = rest.split()
    # `data list|fetch` names several at once; the first stands for all.
    firsts = tuple(word.split("|")[0] for word in words)
    return next((anchor(name) for name in commands() if firsts[: len(name)] == name), None)


def commands_page() -> str:
    """The page of all commands."""
    root: Command = typer.main.get_command(app)
    context = root.make_context("accelreport", [], resilient_parsing=True)
    parts = [
        ABOUT_COMMANDS,
        *_told(dedent(root.epilog)),
        "(accelreport)=\n## Options of the program\n",
        *_table(root, context, "accelreport"),
    ]
    for name, command in commands().items():
        parts += _section(name, command)
    return "\n".join(parts)


def exit_codes_page() -> str:
    """The page of the exit codes."""
    rows = [
        f'| <span id="code-{int(code)}">{int(code)}</span> | `{code.name}` '
        f"| {escaped(sentence(code.meaning))}. |"
        for code in ExitCode
    ]
    return "\n".join(
        [
            ABOUT_CODES,
            "| code | name | meaning |",
            "|---|---|---|",
            *rows,
        ]
    )


def _leaves(command: Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Command]]:
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            if not inner.hidden:
                yield from _leaves(inner, (*path, name))
    else:
        yield path, command


def _section(name: tuple[str, ...], command: Command) -> Iterator[str]:
    spoken = " ".join(("accelreport", *name))
    context = command.make_context(spoken, [], resilient_parsing=True)
    yield f"\n({anchor(name)})=\n## `{spoken}`\n"
    yield _paragraphs(dedent(command.help or ""))
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield f"\n```text\n{' '.join(usage.split())}\n```\n"
    yield from _table(command, context, anchor(name))
    yield from _told(dedent(command.epilog or ""))


def _table(command: Command, context: Any, prefix: str) -> Iterator[str]:
    yield "| argument, option | meaning | default, limits |"
    yield "|---|---|---|"
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is None or HELP in parameter.opts:
            continue
        spoken, meaning = (" ".join(text.split()) for text in record)
        limits = LIMITS.search(meaning)
        if limits:
            meaning = meaning[: limits.start()]
        argument = parameter.param_type_name == "argument"
        own = f".{parameter.name}" if argument else max(parameter.opts, key=len)
        yield (
            f'| <span id="{prefix}{own}">`{spoken.replace("|", PIPE)}`</span> | '
            f"{escaped(meaning)} | {escaped(limits[1]) if limits else ''} |"
        )
    yield ""


def _told(epilog: str) -> Iterator[str]:
    """The end of a help page: paragraphs under titles, lists as they stand, examples as shell."""
    for paragraph in re.split(r"\n\s*\n", epilog.replace("\b\n", "").strip("\n")):
        first, _, rest = paragraph.partition("\n")
        if not first.strip():
            continue
        if not first.endswith(":") or not rest.startswith(" "):
            yield f"{escaped(' '.join(paragraph.split()))}\n"
            continue
        body, title = dedent(rest), first.removesuffix(":")
        if title == "Examples":
            yield f"**{title}**\n\n```sh\n{body}\n```\n"
        elif body.rstrip().endswith(".") and "  " not in body.strip():
            yield f"**{escaped(title)}.** {escaped(' '.join(body.split()))}\n"
        else:
            yield f"**{escaped(title)}**\n\n```text\n{body}\n```\n"


def _paragraphs(text: str) -> str:
    return "\n\n".join(
        escaped(" ".join(paragraph.split())) for paragraph in text.replace("\b", "").split("\n\n")
    )
