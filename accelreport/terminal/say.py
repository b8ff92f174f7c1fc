"""Lines on a terminal, which shows what files say and obeys none of it."""

from __future__ import annotations

import typer

from accelreport.spec.problems import printable


def say(*lines: str, err: bool = False) -> None:
    """Print lines, whatever files and other machines put into them.

    Args:
        lines: what to print, each on a line of its own.
        err: print to standard error.
    """
    for line in lines:
        typer.echo(on_one_line(line), err=err)


def on_one_line(text: str) -> str:
    """The text with everything replaced that a terminal would obey, line feeds included."""
    return printable(text.replace("\n", "\N{SYMBOL FOR NEWLINE}"))
