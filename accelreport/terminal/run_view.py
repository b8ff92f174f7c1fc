"""The state of a run, kept by its events, and the lines that each event is worth.

All displays read this view, so that they agree.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

from accelreport.backend.protocol import EpochEvent, PhaseEvent, ProgressEvent
from accelreport.report.metrics import Words, words_of
from accelreport.results.record import Status
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
from accelreport.runner.timings import Expectation, RemainingTime
from accelreport.spec.cells import Cell
from accelreport.terminal.run_text import (
    cell_name,
    closing,
    duration,
    end_text,
    looked,
    opening,
    quality_text,
    spec_name,
)

PHASES = {
    "import": "importing Keras",
    "data": "reading data",
    "build": "building the model",
    "compile": "{first}: tracing and compiling",
    "train": "measuring",
    "evaluate": "evaluating",
    "finish": "writing its record",
}


@dataclass
class RunningCell:
    """A cell that is being measured.

    Attributes:
        start: the event of its start.
        words: the nouns of its workload.
        began: instant of its start, by `time.monotonic()`.
        phase: what its process does, in words.
        progress: its last progress.
        progress_at: instant of that.
        quality: the metric of its last epoch.
    """

    start: CellStartLine
    words: Words
    began: float
    phase: str = "starting"
    progress: ProgressEvent | None = None
    progress_at: float = 0.0
    quality: str = ""

    @property
    def name(self) -> str:
        """Device, sweep point, repeat, and the machine if that is another one."""
        return cell_name(self.start) + (f" on {self.start.host}" if self.start.host else "")

    @property
    def left_s(self) -> float | None:
        """Seconds to the end of its steps, by their rate; unknown during the first step."""
        if self.progress is None or self.progress.step <= 1 or not isfinite(self.progress.eta_s):
            return None
        return max(0.0, self.progress.eta_s - (time.monotonic() - self.progress_at))

    def hear(self, event: PhaseEvent | ProgressEvent | EpochEvent) -> None:
        """Take note of an event of its process."""
        match event:
            case PhaseEvent():
                self.phase = PHASES[event.phase].format(first=self.words.first)
            case ProgressEvent():
                self.progress, self.progress_at = event, time.monotonic()
            case EpochEvent():
                self.quality = quality_text(event.metrics)

    def text(self) -> str:
        """Its epoch and step, and the time left; its phase before the first step."""
        step, words = self.progress, self.words
        if step is None:
            return self.phase
        parts = [f"{words.round} {step.epoch}/{step.epochs}"] if words.round else []
        parts += [f"{words.step} {step.step:,}/{step.steps:,}"]
        if self.phase != PHASES["train"]:
            parts.append(self.phase)
        elif self.left_s is not None:
            parts.append(f"{duration(self.left_s)} left")
        return " · ".join([*parts, self.quality] if self.quality else parts)


@dataclass(frozen=True)
class EndedCell:
    """The texts of a cell that has ended.

    Attributes:
        heading: its spec, if the cell that ended before is of another one; otherwise empty.
        number: how many have ended of those to measure, such as "[ 3/12]"; empty if unknown.
        status: status of its record.
        name: device, sweep point and repeat.
        outcome: its figures, or why there are none.
        took: its time in words; empty if unknown.
        remedies: a line with the remedy of its failure, unless an earlier cell had the same.
    """

    heading: str
    number: str
    status: Status
    name: str
    outcome: str
    took: str
    remedies: tuple[str, ...]


class RunView:
    """The state of a run, kept by its events.

    Args:
        cells: the cells to measure.
        expectation: known wall times.

    Attributes:
        running: the cells that are being measured, by key.
        finished: number of cells that have ended.
        total: number of cells to measure, with those that looks added.
        waiting: the reason why nothing runs yet, as a sentence; otherwise empty.
    """

    def __init__(self, cells: Iterable[Cell] = (), expectation: Expectation | None = None) -> None:
        self._cells = {cell.key: cell for cell in cells}
        self._left = RemainingTime(expectation or Expectation(), self._cells.values())
        self.running: dict[str, RunningCell] = {}
        self.finished = 0
        self.total = len(self._left)
        self.waiting = ""
        self._most_at_once = 1
        self._spec = ""
        self._remedies: set[str] = set()

    @classmethod
    def of(cls, plan: RunPlan) -> RunView:
        """The view of a run that is about to begin."""
        return cls((planned.cell for planned in plan.of("run")), plan.expectation)

    def hear(self, line: RunLine) -> Iterator[str | EndedCell]:
        """Take note of an event, and give the lines that it is worth."""
        match line:
            case PlanLine():
                yield from opening(line)
            case WaitingLine():
                reason = line.reason
                self.waiting = f"{reason[0].upper()}{reason[1:]} …" if reason else ""
            case CellStartLine():
                self.waiting = ""
                cell = self._cells.get(line.key)
                words = words_of(cell.workload if cell else {})
                self.running[line.key] = RunningCell(line, words, time.monotonic())
                self._most_at_once = max(self._most_at_once, len(self.running))
            case CellEventLine() if line.key in self.running:
                self.running[line.key].hear(line.says)
            case CellEndLine() if line.key in self.running:
                ended = self.ended(line)
                self.finished += 1
                self._left.ended(line.record)
                del self.running[line.key]
                yield ended
            case LookLine():
                self._left.add(line.todo)
                self._cells |= {cell.key: cell for cell in line.todo}
                self.total += len(line.todo)
                yield from looked(line)
            case EndLine():
                yield from closing(line)

    def ended(self, line: CellEndLine) -> EndedCell:
        """The texts of a cell that has ended; a remedy that a failure before it had is left out."""
        number = ""
        if running := self.running.get(line.key):
            width = len(str(running.start.of))
            number = f"[{self.finished + 1:>{width}}/{running.start.of}]"
        spec, remedies = spec_name(line), {line.remedy} if line.status == "failed" else set()
        new = remedies - self._remedies - {""}
        heading = spec if spec != self._spec else ""
        self._spec = spec
        self._remedies |= new
        return EndedCell(
            heading=heading,
            number=number,
            status=line.status,
            name=cell_name(line),
            outcome=end_text(line),
            took=duration(line.wall_s) if line.wall_s is not None else "",
            remedies=tuple(f"    → {remedy}" for remedy in new),
        )

    @property
    def left_s(self) -> float | None:
        """Seconds to the end of the run; None if unknown for some cell."""
        mean = self._left.mean_s
        total, unknown = self._left.known_s, self._left.unknown
        for running in self.running.values():
            if running.start.key not in self._left:
                continue
            expected = self._left.of(running.start.key)
            # The cell is among those that are left: the rest of its own time takes its place.
            if expected is None:
                unknown -= 1
                expected = mean
            else:
                total -= expected
            if expected is None:
                rest = running.left_s
            else:
                rest = max(0.0, expected - (time.monotonic() - running.began))
            if rest is None:
                return None
            total += rest
        if unknown > 0 and mean is None:
            return None
        return max(0.0, total + unknown * (mean or 0.0)) / self._most_at_once
