"""The events of a run; `accelreport run --json` prints each as one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, TypeAdapter

from accelreport.backend.protocol import ChildEvent
from accelreport.results.plan_document import Document
from accelreport.results.record import FailureKind, Record, Status
from accelreport.runner.plan import Action, RunPlan
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell


class CellName(Document):
    """What identifies a cell to people and programs."""

    key: str
    """Its content hash."""
    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    repeat: int
    """Number of the repeat, from 0."""
    seed: int
    """Its seed."""


class PlannedCellLine(CellName):
    """One cell of a plan."""

    action: Action
    """run, done, failed (earlier; not run again) or skip."""
    reason: str
    """The reason in a few words."""


class PlanLine(Document):
    """First event: the plan."""

    event: Literal["plan"] = "plan"
    results: str
    """The results folder."""
    run: int
    """Number of cells to measure."""
    done: int
    """Number of cells that already have a good record."""
    failed: int
    """Number of cells that failed earlier and are not run again."""
    skip: int
    """Number of cells whose device is not here."""
    estimate_s: float
    """Estimated seconds of the cells whose like was measured before."""
    unknown: int
    """Number of cells to measure that have no such estimate."""
    unknown_at_most_s: float
    """Sum of the budgets of these cells."""
    further: int = 0
    """Largest number of cells that may be added until comparisons are decided."""
    further_at_most_s: float = 0.0
    """Largest time of these in seconds, from earlier records or from budgets."""
    cells: list[PlannedCellLine]
    """Every cell, in the order of measurement."""


class WaitingLine(Document):
    """Another run is measuring."""

    event: Literal["waiting"] = "waiting"
    reason: str
    """For what."""


class CellStartLine(CellName):
    """A cell's process starts."""

    event: Literal["cell-start"] = "cell-start"
    number: int
    """Number of this cell among the cells to measure, from 1."""
    of: int
    """Total number of cells to measure."""
    host: str = ""
    """The machine, if a launcher runs the cell elsewhere; otherwise empty."""


class CellEventLine(Document):
    """A cell's process reports its progress."""

    event: Literal["cell-event"] = "cell-event"
    key: str
    """The cell."""
    says: ChildEvent
    """`phase`, `progress` or `epoch`, named by its own `event`."""


class CellEndLine(CellName):
    """A cell has ended; its record is on disk."""

    event: Literal["cell-end"] = "cell-end"
    status: Status
    """Status of the record."""
    failure: FailureKind | None
    """Kind of the failure."""
    message: str
    """Message of the failure, or reason of the skip."""
    remedy: str
    """The remedy; may be empty."""
    warnings: list[str]
    """Kinds of its warnings."""
    wall_s: float | None
    """Seconds from launch to end."""
    figures: dict[str, float]
    """Headline figures: `step_s` (the mean), of calls `median_s`, `samples_per_s`, `tflops`, and
    final metrics."""
    record_path: str
    """The record's file; empty if an earlier, better record was kept."""
    record: Record = Field(exclude=True, repr=False)
    """The record itself, for displays."""


class LookedAt(Document):
    """A comparison of a device with the baseline at the last look."""

    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile, as in the plan document."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    repeats: int
    """Number of repeats at the look; 0 if no look was possible yet."""
    verdict: str
    """FASTER, SLOWER, SAME, UNDECIDED or NOT MEASURED."""
    wanted: int
    """Repeats that the next look needs; 0 without a next look."""
    reason: str
    """Why there is no next look although nothing is decided."""


class LookLine(Document):
    """With `--until-decided`: the decided comparisons, and what is measured next."""

    event: Literal["look"] = "look"
    comparisons: list[LookedAt]
    """Every comparison of the chosen cells with their baselines."""
    cells: list[CellName]
    """Added cells; none after the last look."""
    todo: list[Cell] = Field(exclude=True, repr=False)
    """Those of them that are measured now, for displays."""


class EndLine(Document):
    """Last event: the outcome of the run."""

    event: Literal["end"] = "end"
    ok: int
    """Number of completely measured cells."""
    partial: int
    """Number of measured cells that the budget stopped."""
    untimed: int
    """Number of cells that ended before their first steady step."""
    failed: int
    """Number of cells that failed in this run."""
    skipped: int
    """Number of cells whose device is not here."""
    done_before: int
    """Number of cells that already had a good record."""
    failed_before: int
    """Number of cells that failed earlier and were not run again."""
    left: int
    """Number of cells that were not reached."""
    left_out: dict[str, tuple[int, int]] = {}
    """Spec → its cells that did not fit in the time of `--within`, and all of its cells."""
    stopped_by: str
    """The signal that stopped the run; empty if it completed."""
    wall_s: float
    """Seconds from the start of the first cell (or wait) to the end."""
    results: str
    """The results folder."""


RunLine = PlanLine | WaitingLine | CellStartLine | CellEventLine | CellEndLine | LookLine | EndLine
LINES: TypeAdapter[RunLine] = TypeAdapter(Annotated[RunLine, Field(discriminator="event")])
"""The schema of a line of `accelreport run --json`."""


class Observer(Protocol):
    """Receives the events of a run and shows them."""

    def on(self, line: RunLine) -> None:
        """Something happened."""

    def tick(self) -> None:
        """Half a second has passed while a cell runs."""


def named(cell: Cell) -> dict[str, Any]:
    """The fields of `CellName` for a cell."""
    return {name: getattr(cell, name) for name in CellName.model_fields}


def plan_line(plan: RunPlan, results: Path) -> PlanLine:
    """The plan as an event."""
    further = plan.expectation.total(plan.further)
    return PlanLine(
        results=str(results),
        run=len(plan.of("run")),
        done=len(plan.of("done")),
        failed=len(plan.of("failed")),
        skip=len(plan.of("skip")),
        estimate_s=plan.estimate.seconds,
        unknown=plan.estimate.unknown,
        unknown_at_most_s=plan.estimate.at_most_s,
        further=len(plan.further),
        further_at_most_s=further.seconds + further.at_most_s,
        cells=[
            PlannedCellLine(**named(one.cell), action=one.action, reason=one.reason)
            for one in plan.cells
        ],
    )
