"""A run's live display: bars with the time left, and above them a line for each finished cell."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import isfinite
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from accelreport.backend.protocol import EpochEvent, PhaseEvent, ProgressEvent
from accelreport.report.metrics import Words, words_of
from accelreport.results.record import Record
from accelreport.runner.events import (
    CellEndLine,
    CellEventLine,
    CellStartLine,
    EndLine,
    LookLine,
    PlanLine,
    RunLine,
    WaitingLine,
)
from accelreport.runner.plan import RunPlan
from accelreport.runner.timings import RemainingTime, TimingsLine
from accelreport.terminal.run_text import (
    MARKS,
    Remedies,
    cell_name,
    closing,
    duration,
    end_text,
    looked,
    opening,
    quality_text,
    spec_name,
    timings_text,
)
from accelreport.terminal.say import on_one_line

REFRESH_S = 0.5
"""Drawing costs CPU time of the measured machine, so it happens only twice a second."""

ECHOED = "^C^C"
"""What a terminal may write after the last line: if that began a new line, rich could no longer
find and remove all of its own lines.
"""

BAR, LEAST_NOTE = 24, 12
"""Width of a bar and of the text after it, for names of any length."""

MOST_ROWS = 8
"""Largest number of simultaneously measured cells that are drawn."""

PHASES = {
    "import": "importing Keras",
    "data": "reading data",
    "build": "building the model",
    "compile": "{first}: tracing and compiling",
    "train": "measuring",
    "evaluate": "evaluating",
    "finish": "writing its record",
}
STYLES = {"ok": "green", "partial": "yellow", "failed": "red", "skipped": "dim"}


@dataclass
class _Now:
    """The cell that is being measured."""

    start: CellStartLine
    words: Words
    began: float
    phase: str = "starting"
    progress: ProgressEvent | None = None
    told_at: float = 0.0
    last: str = ""

    @property
    def left_s(self) -> float | None:
        """Seconds to the end of its steps, by their rate; unknown during the first step."""
        if self.progress is None or self.progress.step <= 1 or not isfinite(self.progress.eta_s):
            return None
        return max(0.0, self.progress.eta_s - (time.monotonic() - self.told_at))


class LiveProgress:
    """Draws the run with rich. A context manager, so that the cursor returns."""

    def __init__(self, console: Console, plan: RunPlan) -> None:
        self._console = console
        self._left = RemainingTime(plan.expectation, (planned.cell for planned in plan.of("run")))
        self._cells = {planned.cell.key: planned.cell for planned in plan.of("run")}
        self._total = len(self._left)
        self._finished = 0
        self._now: dict[str, _Now] = {}
        self._most_at_once = 1
        self._waiting = ""
        self._spec = ""
        self._remedies = Remedies()
        self._drawn = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def on(self, line: RunLine) -> None:
        """Draw an event."""
        match line:
            case PlanLine():
                self._say(*opening(line))
            case WaitingLine():
                self._waiting = line.reason
            case CellStartLine():
                self._waiting = ""
                words = words_of(self._cells[line.key].workload)
                self._now[line.key] = _Now(line, words, time.monotonic())
                self._most_at_once = max(self._most_at_once, len(self._now))
            case CellEventLine():
                self._hear(line)
                return
            case CellEndLine() if line.key in self._now:
                self._ended(line)
            case LookLine():
                self._left.add(line.todo)
                self._cells |= {cell.key: cell for cell in line.todo}
                self._total += len(line.todo)
                self._say(*looked(line))
            case EndLine():
                self._live.update("", refresh=True)
                self._say(*closing(line))
                return
            case TimingsLine():
                self._say(*timings_text(line))
                return
        self._draw()

    def tick(self) -> None:
        """Count the remaining times down."""
        if time.monotonic() - self._drawn >= REFRESH_S:
            self._draw()

    def _hear(self, line: CellEventLine) -> None:
        now = self._now.get(line.key)
        if now is None:
            return
        match line.says:
            case PhaseEvent():
                now.phase = PHASES[line.says.phase].format(first=now.words.first)
            case ProgressEvent():
                now.progress, now.told_at = line.says, time.monotonic()
            case EpochEvent():
                now.last = quality_text(line.says.metrics)
        self.tick()

    def _ended(self, line: CellEndLine) -> None:
        self._learn(line.record)
        del self._now[line.key]
        spec = spec_name(line)
        if spec != self._spec:
            self._spec = spec
            self._console.print(Text(on_one_line(spec), style="bold"))
        took = f"  {duration(line.wall_s)}" if line.wall_s is not None else ""
        text = Text(f"  {MARKS[line.status]} ", style=STYLES[line.status])
        text.append(on_one_line(cell_name(line)), style="default")
        text.append(
            f"  {on_one_line(end_text(line))}",
            style="red" if line.status == "failed" else "default",
        )
        text.append(took, style="dim")
        self._console.print(text)
        self._say(*self._remedies.of(line))

    def _learn(self, record: Record) -> None:
        self._finished += 1
        self._left.ended(record)

    def _all_left_s(self) -> float | None:
        """Seconds to the end of the run; None if unknown for some cell."""
        mean = self._left.mean_s
        total, unknown = self._left.known_s, self._left.unknown
        for now in self._now.values():
            if now.start.key not in self._left:
                continue
            seconds = self._left.of(now.start.key)
            if seconds is None:
                unknown -= 1
            else:
                total -= seconds
            rest = self._rest_of(now, mean if seconds is None else seconds)
            if rest is None:
                return None
            total += rest
        if unknown > 0 and mean is None:
            return None
        return max(0.0, total + unknown * (mean or 0.0)) / self._most_at_once

    def _rest_of(self, now: _Now, expected: float | None) -> float | None:
        if expected is not None:
            return max(0.0, expected - (time.monotonic() - now.began))
        return now.left_s

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        room = max(60, self._console.width) - len(ECHOED)
        table = Table.grid(padding=(0, 1), expand=True)
        table.width = room
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=room - BAR - LEAST_NOTE)
        table.add_column(width=BAR)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        if self._waiting:
            waiting = on_one_line(f"{self._waiting[0].upper()}{self._waiting[1:]} …")
            return Group(Text(waiting, style="yellow"))
        left = self._all_left_s() if self._finished < self._total else None
        table.add_row(
            f"{self._finished}/{self._total} cells",
            ProgressBar(total=max(self._total, 1), completed=self._finished, width=BAR),
            Text("" if left is None else f"about {duration(left)} left", style="dim"),
        )
        for now in list(self._now.values())[:MOST_ROWS]:
            place = f" on {now.start.host}" if now.start.host else ""
            table.add_row(Text(on_one_line(cell_name(now.start) + place)), *self._of_now(now))
        if len(self._now) > MOST_ROWS:
            table.add_row(f"and {len(self._now) - MOST_ROWS} more", "", "")
        return table

    def _of_now(self, now: _Now) -> tuple[RenderableType, Text]:
        step = now.progress
        if step is None:
            return ProgressBar(total=None, pulse=False, width=BAR), Text(now.phase, style="dim")
        bar = ProgressBar(total=max(step.steps, 1), completed=step.step, width=BAR)
        words = now.words
        parts = [f"{words.round} {step.epoch}/{step.epochs}"] if words.round else []
        parts += [f"{words.step} {step.step:,}/{step.steps:,}"]
        if now.phase != PHASES["train"]:
            parts.append(now.phase)
        elif now.left_s is not None:
            parts.append(f"{duration(now.left_s)} left")
        parts += [now.last] if now.last else []
        return bar, Text(" · ".join(parts), style="dim")

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._console.print(on_one_line(line), markup=False, highlight=False)
