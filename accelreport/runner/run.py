"""Carries out a plan: a launcher measures the cells, and a failed cell does not stop the others.

An observer gets every event of the launcher.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Literal

from accelreport.atomic import refuse_links, write_whole
from accelreport.backend.environment import environment
from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.privacy import as_written
from accelreport.results.reading import ResultsError, to_bytes
from accelreport.results.record import MEASURED, Environment, Record
from accelreport.results.store import Store
from accelreport.runner.events import (
    CellEndLine,
    CellEventLine,
    CellStartLine,
    EndLine,
    Observer,
    WaitingLine,
    named,
    plan_line,
)
from accelreport.runner.interrupt import Stop, stopped_by_signals
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.launchers.base import (
    ChildEvent,
    Finished,
    Launcher,
    LeftFile,
    unmeasured,
)
from accelreport.runner.plan import Planned, Policy, RecordIndex, RunPlan, decide, supersedes
from accelreport.runner.prepare import Prepared
from accelreport.runner.process import ForkPool
from accelreport.runner.timings import CellSummary, RemainingTime
from accelreport.runner.workspace import (
    CELL_IN_USE,
    FOLDER_IN_USE,
    Workspace,
    file_to_itself,
    machine_to_itself,
)
from accelreport.spec.cells import Cell


def headline(record: Record) -> dict[str, float]:
    """`step_s`, `median_s`, `samples_per_s`, `tflops` where they apply, then the final metrics.

    `median_s` is the median of the calls of a model, where they were timed one by one.
    For a kernel one step is one operation, and `tflops` is its FLOPs ÷ step_s ÷ 10¹².
    """
    steady = record.steady
    figures: dict[str, float] = {}
    if isfinite(steady.step_s):
        figures["step_s"] = steady.step_s
        if steady.single_s and record.cell.value("mode") == "inference":
            figures["median_s"] = median(steady.single_s)
        if record.samples_per_step:
            figures["samples_per_s"] = record.samples_per_step * steady.steps / steady.window_s
        elif record.flops:
            flops = record.flops.per_step * steady.steps
            figures["tflops"] = flops / steady.window_s / 1e12
    return figures | record.final


SpecProfile = tuple[str, str]
"""Name of a spec, and of its profile."""


class WholeBenchmarks:
    """Which benchmarks a run measures that should end within a given time.

    A benchmark is measured with all its repeats, or left out. Its first repeat shows what it costs
    here; before that, its cells count with the least of those that have ended. In their order,
    those are kept whose remaining cells fit into the time that those before them leave.

    Args:
        within_s: seconds that the run should take.
        plan: the cells to measure, and the times of earlier ones.

    """

    def __init__(self, within_s: float, plan: RunPlan) -> None:
        self._left_out: Counter[SpecProfile] = Counter()
        self._ends = time.monotonic() + within_s
        self._begun = False
        self._walls_s: list[float] = []
        self._kept: set[SpecProfile] = set()
        cells: dict[SpecProfile, list[Cell]] = {}
        for planned in plan.of("run"):
            cells.setdefault(_benchmark(planned.cell), []).append(planned.cell)
        self._cells = cells
        self._remaining = {
            name: RemainingTime(plan.expectation, own) for name, own in cells.items()
        }

    def begins(self, cell: Cell) -> bool:
        """Whether a cell is to be measured."""
        name = _benchmark(cell)
        if name in self._kept:
            return True
        if name not in self._left_out:
            known = self._remaining[name].of(cell.key) is not None
            before = itertools.takewhile(lambda other: other != name, self._remaining)
            own = self._remaining[name]
            needed_s = own.known_s + own.unknown * min(self._walls_s, default=0.0)
            needed_s += sum(
                self._remaining[other].known_s for other in before if other not in self._left_out
            )
            out = self._begun and needed_s > self._ends - time.monotonic()
            self._begun = True
            if not out:
                self._kept |= {name} if known else set()
                return True
        self._left_out[name] += 1
        return False

    @property
    def left_out(self) -> dict[str, tuple[int, int]]:
        """Spec → its cells that were left out, and all of its cells, of specs that have such."""
        cells = self._cells.items()
        return {n[0]: (self._left_out[n], len(own)) for n, own in cells if self._left_out[n]}

    def ended(self, record: Record) -> None:
        """Learn from a cell that has ended."""
        self._walls_s += [record.times.wall_s] if record.times.wall_s else []
        if remaining := self._remaining.get(_benchmark(record.cell)):
            remaining.ended(record)


def _benchmark(cell: Cell) -> SpecProfile:
    return cell.spec, cell.profile


@dataclass
class Run:
    """One run over a plan; it is the `CellListener` of its launcher.

    Attributes:
        store: the results folder.
        launcher: measures the cells.
        machine: this machine's fingerprint.
        environment: describes this machine, for the records of skipped cells.
        workspace: locks and temporary files.
        observer: gets the events of the run.
        stop: ends the run.
        policy: what counts as done; applied again just before a cell is measured, because another
            run may have measured it.
        anywhere: every machine's records, if those of any machine count as done; None
            if only those of this machine do.
        within_s: seconds that the run should take; see `WholeBenchmarks`. None
            sets no time.
        ended: the cells of this run that have ended, in that order.
    """

    store: Store
    launcher: Launcher
    machine: str
    environment: Callable[[], Environment]
    workspace: Workspace
    observer: Observer
    stop: Stop
    policy: Policy = field(default_factory=Policy)
    anywhere: RecordIndex | None = None
    within_s: float | None = None
    ended: list[CellSummary] = field(default_factory=list)
    _met: int = field(default=0, init=False)
    _whole: WholeBenchmarks | None = field(default=None, init=False)
    _numbers: dict[str, int] = field(default_factory=dict, init=False)
    _running: set[str] = field(default_factory=set, init=False)
    _reason: str = field(default="", init=False)

    def run(self, plan: RunPlan, further: Callable[[], RunPlan] | None = None) -> EndLine:
        """Measure the cells of a plan.

        Args:
            plan: the cells.
            further: returns the cells to measure next, again and again until it returns none.

        Raises:
            ResultsError: the results folder cannot be written. The last measurement is kept
                elsewhere, and the error names the place.
        """
        began = time.monotonic()
        self._skip_all(plan.of("skip"))
        todo = plan.of("run")
        if self.within_s is not None:
            # Repeats of a benchmark are spread over the run, and the first ones show the costs.
            todo.sort(key=lambda planned: planned.cell.repeat)
            self._whole = WholeBenchmarks(self.within_s, plan)
        if todo or further:
            with self._to_itself() as held:
                if held:
                    self._measure_all(todo)
                    while further and not self.stop and (more := further()).cells:
                        plan = RunPlan(plan.cells + more.cells)
                        self._measure_all(more.of("run"))
            self.store.still_here()
        end = self._end(plan, time.monotonic() - began)
        self.observer.on(end)
        return end

    @contextmanager
    def _to_itself(self) -> Iterator[bool]:
        """Lock the machine or the folder for this run; False if a stop was requested first."""
        root = self.store.root
        if self.launcher.here:
            lock = machine_to_itself(
                self.workspace, folder=root, stop=self.stop, waiting=self._waiting
            )
        else:
            path = root / "locks" / "launcher.lock"
            lock = file_to_itself(path, FOLDER_IN_USE, stop=self.stop, waiting=self._waiting)
        with lock as held:
            if held and self.launcher.here:
                self.workspace.clear_scratch()
            if held and self.anywhere:
                self.anywhere.refresh()
            yield held

    def _measure_all(self, todo: list[Planned]) -> None:
        """Have further cells measured."""
        first = len(self._numbers) + 1
        self._numbers |= {planned.cell.key: n for n, planned in enumerate(todo, start=first)}
        with (
            closing(self._claimed(todo)) as cells,
            closing(self.launcher.measure_all(cells, self)) as all_finished,
        ):
            try:
                for finished in all_finished:
                    cell = finished.record.cell
                    if cell.key not in self._running:  # it was lost before it started
                        self.started(cell)
                    self._running.discard(cell.key)
                    self._keep(finished)
            except AccelReportError as error:
                measured = any(line.status in MEASURED for line in self.ended)
                if measured and error.exit_code == ExitCode.NOTHING_RAN:
                    error.exit_code = ExitCode.SOME_FAILED
                raise

    def started(self, cell: Cell, host: str = "") -> None:
        """See `CellListener.started`."""
        self._running.add(cell.key)
        self._reason = ""
        number, of = self._numbers[cell.key], len(self._numbers)
        self.observer.on(CellStartLine(**named(cell), number=number, of=of, host=host))

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        """See `CellListener.reported`."""
        self.observer.on(CellEventLine(key=cell.key, says=event))

    def waiting(self, reason: str) -> None:
        """See `CellListener.waiting`; the same reason is passed on once."""
        if reason != self._reason:
            self._reason = reason
            self._waiting(reason)

    def tick(self) -> None:
        """See `CellListener.tick`."""
        self.observer.tick()

    def _claimed(self, todo: list[Planned]) -> Generator[Cell]:
        """The cells that no other run has measured by now.

        On this machine a cell stays locked until the next one is requested, which happens after its
        record was written.
        """
        for planned in todo:
            if self.launcher.here and not self.stop and self._done_meanwhile(planned):
                self._met += 1  # a cell that is done needs no lock
                continue
            with self._cell_to_itself(planned.cell) as held:
                if not held or self.stop:
                    return
                if self._done_meanwhile(planned):
                    self._met += 1
                    continue
                if self._whole is None or self._whole.begins(planned.cell):
                    yield planned.cell

    @contextmanager
    def _cell_to_itself(self, cell: Cell) -> Iterator[bool]:
        if not self.launcher.here:
            yield True
            return
        self.store.still_here()
        lock = self.store.root / "locks" / f"{cell.key}.lock"
        had_by_another = lock.exists()
        with file_to_itself(lock, CELL_IN_USE, stop=self.stop, waiting=self._waiting) as held:
            if had_by_another and self.anywhere:
                self.anywhere.refresh()
            yield held

    def _done_meanwhile(self, planned: Planned) -> bool:
        key = planned.cell.key
        record = self.anywhere(key) if self.anywhere else self.store.get(key, self.machine)
        return decide(planned.cell, record, None, self.policy).action == "done"

    def _skip_all(self, skipped: list[Planned]) -> None:
        environment = self.environment() if skipped else None
        for planned in skipped:
            failure = planned.missing
            assert failure is not None
            # Data can be downloaded, so a run without them has failed.
            status: Literal["failed", "skipped"] = (
                "skipped" if failure.kind in {"no-device", "no-framework"} else "failed"
            )
            record = as_written(unmeasured(planned.cell, failure, environment, status=status))
            earlier = planned.earlier
            if earlier and earlier.failure == record.failure:
                self._tell(record, self.store.record_path(record.key, earlier.machine))
            else:
                self._keep(Finished(record))

    def _keep(self, finished: Finished) -> None:
        record = finished.record
        machine = record.environment.machine if record.environment else self.machine
        if finished.stored:
            self._tell(record, self.store.record_path(record.key, machine))
        elif supersedes(record, self.store.get(record.key, machine)):
            path = self._write(record, finished.left)
            if self.anywhere:
                self.anywhere.clear_attempts(record)
            self._tell(record, path)
        else:
            self._tell(record, None)

    def _tell(self, record: Record, path: Path | None) -> None:
        self.ended.append(CellSummary.of(record))
        if self._whole:
            self._whole.ended(record)
        failure = record.failure
        self.observer.on(
            CellEndLine(
                **named(record.cell),
                status=record.status,
                failure=failure.kind if failure else None,
                message=failure.message if failure else "",
                remedy=failure.remedy if failure else "",
                warnings=[warning.kind for warning in record.warnings],
                wall_s=record.times.wall_s,
                figures=headline(record),
                record_path=str(path or ""),
                record=record,
            )
        )

    def _write(self, record: Record, left: Sequence[LeftFile]) -> Path:
        try:
            for artefact, content in left:
                self.store.keep(artefact, content)
            return self.store.write(record)
        except ResultsError as error:
            if not record.measured or record.environment is None:
                raise
            kept = self.workspace.rescued / f"{record.key}.{record.environment.machine}.json"
            place = self.store.cells
            message = (
                f"The last cell is kept in {kept}: move it to {place} once that can be written."
            )
            try:
                refuse_links(kept.parent, self.workspace.root)
                kept.parent.mkdir(mode=0o700, exist_ok=True)
                write_whole(kept, to_bytes(as_written(record)))
            except OSError as other:
                message = (
                    f"The last cell is lost: {kept} cannot be written either "
                    f"({other.strerror or other}), for which TMPDIR may name another folder."
                )
            error.remedy = f"{message} {error.remedy}"
            raise

    def _waiting(self, reason: str) -> None:
        self.observer.on(WaitingLine(reason=reason))

    def _end(self, plan: RunPlan, wall_s: float) -> EndLine:
        outcomes = Counter(map(_outcome, self.ended))
        done, failed = len(plan.of("done")) + self._met, len(plan.of("failed"))
        left_out = self._whole.left_out if self._whole else {}
        cells_left_out = sum(left for left, _ in left_out.values())
        not_reached = len(plan.cells) - done - failed - len(self.ended) - cells_left_out
        return EndLine(
            ok=outcomes["ok"],
            partial=outcomes["partial"],
            untimed=outcomes["untimed"],
            failed=outcomes["failed"],
            skipped=outcomes["skipped"],
            done_before=done,
            failed_before=failed,
            left=not_reached + outcomes["left"],
            left_out=left_out,
            stopped_by=self.stop.reason,
            wall_s=wall_s,
            results=str(self.store.root),
        )


def _outcome(cell: CellSummary) -> str:
    """What a cell is counted as at the end of a run."""
    if cell.failure == "interrupted":
        return "left"
    return "untimed" if cell.status in MEASURED and not cell.timed else cell.status


def carry_out(
    prepared: Prepared,
    observer: Observer,
    workspace: Workspace,
    *,
    fork: bool = True,
) -> EndLine:
    """Measure the cells of a prepared run; must be called in the main thread.

    Args:
        prepared: the run.
        observer: gets the events of the run.
        workspace: locks and temporary files.
        fork: fork processes if possible, instead of starting each.

    Raises:
        ResultsError: the results folder cannot be written.
        AccelReportError: no further cell can be measured.
    """
    workspace.prepare()
    prepared.store.prepare()
    for document in prepared.documents:
        prepared.store.write_plan(document)
    observer.on(plan_line(prepared.plan, prepared.store.root))
    request = prepared.request
    with stopped_by_signals() as stop, closing(ForkPool(workspace.scratch)) as forks:
        run = Run(
            store=prepared.store,
            launcher=request.launcher
            or LocalLauncher(workspace.scratch, environment, forks=forks if fork else None),
            machine=prepared.machine,
            environment=environment,
            workspace=workspace,
            observer=observer,
            stop=stop,
            policy=request.policy,
            anywhere=prepared.anywhere,
            within_s=request.within_s,
        )
        adaptive = prepared.adaptive
        further = partial(adaptive.further, observer) if adaptive else None
        return run.run(prepared.plan, further)


def exit_code(end: EndLine) -> ExitCode:
    """The program's exit code for the end of a run.

    Cells that failed in an earlier run and were not repeated count as failed, and so do cells that
    were interrupted from outside, such as by cancelling a job. Skipped cells count only if there
    are no other cells.
    """
    if end.stopped_by:
        return ExitCode.INTERRUPTED
    if end.failed or end.failed_before or end.left:
        return ExitCode.SOME_FAILED
    if end.ok or end.partial or end.untimed or end.done_before:
        return ExitCode.OK
    return ExitCode.NOTHING_RAN
