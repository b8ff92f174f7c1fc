"""Lines and errors on a terminal, which never obeys the control characters of files."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

import typer

from accelreport.atomic import refuse_links
from accelreport.errors import AccelReportError, Unshown
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import written_secrets
from accelreport.spec.cells import Spec
from accelreport.spec.problems import counted, printable


def show(error: AccelReportError, stream: TextIO | None = None) -> None:
    """Print an expected error."""
    out = stream or sys.stderr
    coloured = out.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    red, plain = ("\x1b[1;31m", "\x1b[0m") if coloured else ("", "")
    out.write(f"{red}error:{plain} {printable(error.what)}\n")
    for part in (error.why, error.remedy):
        if part:
            out.write(f"{printable(part)}\n")


def show_unexpected(error: BaseException, folder: Path, stream: TextIO | None = None) -> None:
    """Print an unexpected error in two lines; its traceback goes to a file."""
    out = stream or sys.stderr
    name = f"accelreport-{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.log"
    text = "".join(traceback.format_exception(error))
    last = "".join(traceback.format_exception_only(error)).strip()
    out.write(f"error: accelreport has an internal error: {printable(last)}\n")
    try:
        # All users may share the folder of temporary files.
        refuse_links(folder, folder.parents[1])
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        out.write(printable(text))
        return
    out.write(f"The traceback is in {folder / name}; --debug prints it here.\n")


def complain(error: Exception) -> None:
    """Print an error, whichever it is."""
    if isinstance(error, AccelReportError):
        show(error)
        return
    from accelreport.runner.workspace import Workspace

    show_unexpected(error, Workspace().errors)


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows in columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        texts = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        yield "  ".join(texts).rstrip()


def say(*lines: str, err: bool = False) -> None:
    """Print lines, whatever files and other machines contain.

    Args:
        lines: the lines to print.
        err: print to standard error.
    """
    stream = sys.stderr if err else sys.stdout
    try:
        for line in lines:
            typer.echo(on_one_line(line), file=stream)
    except BrokenPipeError:
        unheard(stream)


def unheard(stream: TextIO) -> None:
    """Discard further output of a stream whose reader has ended, as after `| head`.

    A measurement of several hours must not stop because of it.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def tell_unshown(unshown: Iterable[Unshown]) -> None:
    """Print which figures could not be drawn, on standard error."""
    say(*(f"warning: not shown: {item}" for item in unshown), err=True)


def tell_secrets(plans: Iterable[PlanDocument]) -> None:
    """Print which lines that a person wrote look like a secret, on standard error."""
    places = [f"{plan.spec}: {place}" for plan in plans for place in written_secrets(plan)]
    say(*(f"warning: {place} looks like a secret, and is published" for place in places), err=True)


def tell_withheld(secrets: int, records: int) -> None:
    """Print how many secrets that programs wrote are published as `…`, on standard error."""
    if secrets:
        where = f"{counted(secrets, 'secret')} withheld in {counted(records, 'record')}"
        say(f"warning: {where}; `accelreport results private` lists them", err=True)


def tell_waiting(reason: str) -> None:
    """Print what takes seconds, on standard error."""
    say(f"{reason} …", err=True)


def tell_left_out(problems: Iterable[object]) -> None:
    """Print which files of a results folder a report leaves out, on standard error."""
    say(*(f"warning: left out: {problem}" for problem in problems), err=True)


def tell_unread(problems: Iterable[object]) -> None:
    """Print which files of a results folder could not be read, on standard error."""
    say(*(f"cannot be read: {problem}" for problem in problems), err=True)


def on_one_line(text: str) -> str:
    """The text with all control characters replaced, including line feeds."""
    return printable(text.replace("\n", "\N{SYMBOL FOR NEWLINE}"))


def claims_text(specs: Iterable[Spec]) -> Iterator[str]:
    """Lines: each spec with claims, and each claim with the tested sentence.

    An author who reversed a rule can see it here.
    """
    for spec in specs:
        if spec.claims:
            yield f"{spec.path}"
        for claim in spec.claims:
            yield f"  “{claim.text}”"
            yield f"    holds when {claim.rule.reading(spec.baseline, spec.axes)}"
