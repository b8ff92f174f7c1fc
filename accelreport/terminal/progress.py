"""A run's output: plain lines, JSON, or bars if the terminal supports them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from accelreport.runner.events import CellEndLine, EndLine, Observer, RunLine, WaitingLine
from accelreport.runner.plan import RunPlan
from accelreport.terminal.run_text import MARKS, closing, duration, nothing_ran
from accelreport.terminal.run_view import EndedCell, RunView
from accelreport.terminal.say import on_one_line, unheard

SHORTEST_S = 0.05
"""Shorter remaining times are not shown."""


@dataclass
class PlainLines:
    """One line for each finished cell, for logs and pipes.

    Attributes:
        stream: the output stream.
        view: the state of the run.
    """

    stream: TextIO
    view: RunView = field(default_factory=RunView)

    def on(self, line: RunLine) -> None:
        """Print an event that is worth a line."""
        for news in self.view.hear(line):
            _print(self.stream, *([news] if isinstance(news, str) else self._ended(news)))
        if isinstance(line, WaitingLine):
            _print(self.stream, self.view.waiting)

    def tick(self) -> None:
        """Plain lines do not move."""

    def _ended(self, cell: EndedCell) -> Iterator[str]:
        """The lines of a cell that has ended, with the time that the run has left."""
        if cell.heading:
            yield cell.heading
        left = self.view.left_s or 0.0
        parts = [cell.took] if cell.took else []
        parts += [f"about {duration(left)} of work left"] if left >= SHORTEST_S else []
        times = f"  ({', '.join(parts)})" if parts else ""
        yield f"{cell.number} {MARKS[cell.status]} {cell.name}  {cell.outcome}{times}"
        yield from cell.remedies


@dataclass
class JsonLines:
    """One JSON object for each event; `runner/events.py` documents each."""

    stream: TextIO

    def on(self, line: RunLine) -> None:
        """Print it."""
        _write(self.stream, f"{line.model_dump_json()}\n")

    def tick(self) -> None:
        """JSON lines do not move."""


@dataclass
class Quiet:
    """Only failures."""

    stream: TextIO
    view: RunView = field(default_factory=RunView)

    def on(self, line: RunLine) -> None:
        """Print failures, and the end of a run that did not complete."""
        match line:
            case CellEndLine() if line.status == "failed":
                cell = self.view.ended(line)
                _print(self.stream, f"{line.spec} {cell.name}  {cell.outcome}", *cell.remedies)
            case EndLine() if line.stopped_by or nothing_ran(line):
                _print(self.stream, *closing(line))

    def tick(self) -> None:
        """Failure lines do not move."""


def _print(stream: TextIO, *lines: str) -> None:
    _write(stream, "".join(f"{on_one_line(text)}\n" for text in lines))


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        unheard(stream)


def _keeps_every_line() -> bool:
    """Whether lines cannot be redrawn, as in the output of a notebook's `!` line."""
    return os.environ.get("TERM") in {None, "dumb"} or "JPY_PARENT_PID" in os.environ


@contextmanager
def progress_for(plan: RunPlan, *, json: bool, quiet: bool) -> Iterator[Observer]:
    """An observer for a run: JSON, failures only, a live display, or plain lines.

    Args:
        plan: the run's plan.
        json: whether standard output is JSON.
        quiet: whether to print only failures, on standard error.
    """
    if json:
        yield JsonLines(sys.stdout)
    elif quiet:
        yield Quiet(sys.stderr)
    elif sys.stdout.isatty() and not _keeps_every_line():
        from rich.console import Console

        from accelreport.terminal.live import LiveProgress

        with LiveProgress(Console(), plan) as live:
            yield live
    else:
        yield PlainLines(sys.stdout, RunView.of(plan))
