"""Carries out a plan: one cell after the other, whatever becomes of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from accelreport.results.problems import ResultsError
from accelreport.results.reading import to_bytes
from accelreport.results.record import Environment, Failure, Record
from accelreport.results.store import Store
from accelreport.runner.artefacts import LeftFile
from accelreport.runner.events import (
    CellEndLine,
    CellEventLine,
    CellStartLine,
    EndLine,
    Observer,
    WaitingLine,
    named,
)
from accelreport.runner.figures import headline
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import ChildEvent, Launcher
from accelreport.runner.locks import cell_to_itself, machine_to_itself
from accelreport.runner.plan import Planned, Policy, RunPlan, decide, supersedes
from accelreport.runner.workspace import Workspace


@dataclass
class Sweep:
    """One run over a plan.

    Attributes:
        store: where records go.
        launcher: has each cell measured.
        machine: this machine's fingerprint.
        environment: describes this machine, for the records of skipped cells.
        workspace: locks and files in passing.
        observer: is told what happens.
        stop: ends the run.
        policy: what counts as done; asked again just before a cell is measured, as another
            run may have measured it meanwhile.
        records: the records of this run, in the order in which they came to be.
    """

    store: Store
    launcher: Launcher
    machine: str
    environment: Callable[[], Environment]
    workspace: Workspace
    observer: Observer
    stop: Stop
    policy: Policy = field(default_factory=Policy)
    records: list[Record] = field(default_factory=list)

    def run(self, plan: RunPlan, further: Callable[[], RunPlan] | None = None) -> EndLine:
        """Measure what is to be measured.

        Args:
            plan: what is to be measured.
            further: asked again and again what is to be measured after that, until it is
                nothing.

        Raises:
            ResultsError: the results folder takes nothing more. What was measured last is
                kept elsewhere, and the error says where.
        """
        began = time.monotonic()
        self._skip_all(plan.of("skip"))
        todo, met = plan.of("run"), 0
        if todo or further:
            with machine_to_itself(self.workspace, stop=self.stop, waiting=self._waiting) as held:
                if held:
                    self.workspace.clear_scratch()
                    met = self._measure_all(todo)
                    while further and not self.stop and (more := further()).cells:
                        plan = RunPlan(plan.cells + more.cells)
                        met += self._measure_all(more.of("run"), after=len(todo))
                        todo += more.of("run")
        end = self._end(plan, met, time.monotonic() - began)
        self.observer.on(end)
        return end

    def _measure_all(self, todo: list[Planned], after: int = 0) -> int:
        """Measure in order; returns how many turned out to be done by another run."""
        met, of = 0, after + len(todo)
        for number, planned in enumerate(todo, start=after + 1):
            cell = planned.cell
            lock = self.store.root / "locks" / f"{cell.key}.lock"
            with cell_to_itself(lock, stop=self.stop, waiting=self._waiting) as held:
                if not held or self.stop:
                    break
                earlier = self.store.get(cell.key, self.machine)
                if self._done_meanwhile(planned, earlier):
                    met += 1
                    continue
                self.observer.on(CellStartLine(**named(cell), number=number, of=of))
                left: list[LeftFile] = []
                record = self.launcher.measure(
                    cell,
                    stop=self.stop,
                    on_event=self._relay(cell.key),
                    on_tick=self.observer.tick,
                    on_file=left.append,
                )
                self._keep(record, earlier, left)
        return met

    def _done_meanwhile(self, planned: Planned, earlier: Record | None) -> bool:
        if earlier == planned.earlier:
            return False
        return decide(planned.cell, earlier, None, self.policy).action == "done"

    def _relay(self, key: str) -> Callable[[ChildEvent], None]:
        return lambda says: self.observer.on(CellEventLine(key=key, says=says))

    def _skip_all(self, skipped: list[Planned]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        environment = self.environment() if skipped else None
        for planned in skipped:
            failure = Failure(
                kind="no-device",
                message=planned.reason,
                remedy="Run the same command where it can run, then merge the results.",
            )
            if planned.earlier and planned.earlier.failure == failure:
                self._tell(planned.earlier, self.store.record_path(planned.cell.key, self.machine))
                continue
            record = Record(
                cell=planned.cell,
                key=planned.cell.key,
                status="skipped",
                failure=failure,
                started_at=now,
                finished_at=now,
                environment=environment,
            )
            self._keep(record, planned.earlier)

    def _keep(self, record: Record, earlier: Record | None, left: Sequence[LeftFile] = ()) -> None:
        self._tell(record, self._write(record, left) if supersedes(record, earlier) else None)

    def _tell(self, record: Record, path: Path | None) -> None:
        self.records.append(record)
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
            if record.status not in {"ok", "partial"} or record.environment is None:
                raise
            kept = self.workspace.rescued / f"{record.key}.{record.environment.machine}.json"
            kept.parent.mkdir(mode=0o700, exist_ok=True)
            kept.write_bytes(to_bytes(record))
            error.remedy = (
                f"Everything measured before is kept, and this last cell in {kept}: move it to "
                f"{self.store.cells} once that can be written. {error.remedy}"
            )
            raise

    def _waiting(self, reason: str) -> None:
        self.observer.on(WaitingLine(reason=reason))

    def _end(self, plan: RunPlan, met: int, wall_s: float) -> EndLine:
        outcomes = Counter(
            "left" if record.failure and record.failure.kind == "interrupted" else record.status
            for record in self.records
        )
        done, failed = len(plan.of("done")) + met, len(plan.of("failed"))
        not_reached = len(plan.cells) - done - failed - len(self.records)
        return EndLine(
            ok=outcomes["ok"],
            partial=outcomes["partial"],
            failed=outcomes["failed"],
            skipped=outcomes["skipped"],
            done_before=done,
            failed_before=failed,
            left=not_reached + outcomes["left"],
            stopped_by=self.stop.reason,
            wall_s=wall_s,
            results=str(self.store.root),
        )
