"""Which of the ways to show a run fits this terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from accelreport.runner.events import Observer
from accelreport.runner.plan import RunPlan
from accelreport.terminal.lines import JsonLines, PlainLines, Quiet


@contextmanager
def showing(plan: RunPlan, *, json: bool, quiet: bool) -> Iterator[Observer]:
    """An observer for a run: JSON, failures only, a live display, or plain lines.

    Args:
        plan: the run's plan.
        json: whether a program reads standard output.
        quiet: whether only failures are wanted; they go to standard error.
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
        yield PlainLines(sys.stdout)
