"""A run's output: plain lines, JSON, or bars if the terminal supports them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from accelreport.runner.events import (
    CellEndLine,
    CellStartLine,
    EndLine,
    LookLine,
    Observer,
    PlanLine,
    RunLine,
    WaitingLine,
)
from accelreport.runner.plan import RunPlan
from accelreport.runner.timings import Expectation, RemainingTime, TimingsLine
from accelreport.terminal.run_text import (
    MARKS,
    Remedies,
    cell_name,
    closing,
    duration,
    end_text,
    looked,
    nothing_ran,
    opening,
    spec_name,
    timings_text,
)
from accelreport.terminal.say import on_one_line, unheard

SHORTEST_S = 0.05
"""Remaining times below this are not shown."""


@dataclass
class PlainLines:
    """One line for each finished cell, for logs and pipes.

    Attributes:
        stream: the output stream.
        left: the cells of the run, to estimate the remaining time.
    """

    stream: TextIO
    left: RemainingTime = field(default_factory=lambda: RemainingTime(Expectation(), ()))
    _numbers: dict[str, str] = field(default_factory=dict)
    _running: set[str] = field(default_factory=set)
    _most_at_once: int = 1
    _spec: str = ""
    _remedies: Remedies = field(default_factory=Remedies)

    def on(self, line: RunLine) -> None:
        """Print an event that is worth a line."""
        match line:
            case PlanLine():
                _print(self.stream, *opening(line))
            case WaitingLine():
                _print(self.stream, f"{line.reason[0].upper()}{line.reason[1:]} …")
            case CellStartLine():
                width = len(str(line.of))
                self._numbers[line.key] = f"[{line.number:>{width}}/{line.of}]"
                self._running.add(line.key)
                self._most_at_once = max(self._most_at_once, len(self._running))
            case CellEndLine() if line.key in self._numbers:
                self._heading(line)
                self._running.discard(line.key)
                self.left.ended(line.record)
                _print(
                    self.stream,
                    f"{self._numbers[line.key]} {MARKS[line.status]} {cell_name(line)}  "
                    f"{end_text(line)}{self._took(line)}",
                    *self._remedies.of(line),
                )
            case LookLine():
                self.left.add(line.todo)
                _print(self.stream, *looked(line))
            case EndLine():
                _print(self.stream, *closing(line))
            case TimingsLine():
                _print(self.stream, *timings_text(line))

    def tick(self) -> None:
        """Plain lines do not move."""

    def _took(self, line: CellEndLine) -> str:
        left = (self.left.expected_s or 0.0) / self._most_at_once
        parts = [duration(line.wall_s)] if line.wall_s is not None else []
        parts += [f"about {duration(left)} left"] if left >= SHORTEST_S else []
        return f"  ({', '.join(parts)})" if parts else ""

    def _heading(self, line: CellEndLine) -> None:
        spec = spec_name(line)
        if spec != self._spec:
            self._spec = spec
            _print(self.stream, spec)


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
    _remedies: Remedies = field(default_factory=Remedies)

    def on(self, line: RunLine) -> None:
        """Print failures, and the end of a run that did not complete."""
        match line:
            case CellEndLine() if line.status == "failed":
                told = f"{line.spec} {cell_name(line)}  {end_text(line)}"
                _print(self.stream, told, *self._remedies.of(line))
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
    elif sys.stdout.isatty() and os.environ.get("TERM") not in {None, "dumb"}:
        from rich.console import Console

        from accelreport.terminal.live import LiveProgress

        with LiveProgress(Console(), plan) as live:
            yield live
    else:
        todo = (planned.cell for planned in plan.of("run"))
        yield PlainLines(sys.stdout, RemainingTime(plan.expectation, todo))
