"""What a run says while it goes on; `accelreport run --json` prints each as one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, TypeAdapter

from accelreport.backend.protocol import ChildEvent
from accelreport.results.plan_document import Document
from accelreport.results.record import FailureKind, Record, Status
from accelreport.runner.plan import Action, RunPlan
from accelreport.runner.timings import TimingsLine
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell


class CellName(Document):
    """A cell, as a person and a program tell it from the others."""

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
    """run, done, failed (before; left alone) or skip."""
    reason: str
    """Why, in a few words."""


class PlanLine(Document):
    """First: what will be done."""

    event: Literal["plan"] = "plan"
    results: str
    """The results folder."""
    run: int
    """Cells to be measured."""
    done: int
    """Cells that have a good record already."""
    failed: int
    """Cells that failed before and are left alone."""
    skip: int
    """Cells whose device is not here."""
    estimate_s: float
    """Seconds for the cells whose like was measured before."""
    unknown: int
    """Cells to be measured that have no such record."""
    unknown_at_most_s: float
    """The sum of their budgets."""
    further: int = 0
    """Cells that may be added until comparisons are decided, at most."""
    further_at_most_s: float = 0.0
    """Seconds for these, by earlier records and by budgets where there are none."""
    cells: list[PlannedCellLine]
    """Every cell, in the order in which they are measured."""


class WaitingLine(Document):
    """Somebody else measures at the moment."""

    event: Literal["waiting"] = "waiting"
    reason: str
    """For what."""


class CellStartLine(CellName):
    """A cell's process is launched."""

    event: Literal["cell-start"] = "cell-start"
    number: int
    """Which of the cells to be measured it is, from 1."""
    of: int
    """How many there are."""
    host: str = ""
    """The machine, when a launcher has it measured elsewhere; else empty."""


class CellEventLine(Document):
    """A cell's process says what it is doing."""

    event: Literal["cell-event"] = "cell-event"
    key: str
    """The cell."""
    says: ChildEvent
    """`phase`, `progress` or `epoch`, as its own `event` tells."""


class CellEndLine(CellName):
    """A cell is through; its record is on the disk."""

    event: Literal["cell-end"] = "cell-end"
    status: Status
    """Status of the record."""
    failure: FailureKind | None
    """Kind of the failure."""
    message: str
    """Message of the failure or reason of the skip."""
    remedy: str
    """What a person can do about it; may be empty."""
    warnings: list[str]
    """Kinds of its warnings."""
    wall_s: float | None
    """Seconds from launch to end."""
    figures: dict[str, float]
    """Headline figures: `step_s` (the mean), of calls `median_s`, `samples_per_s`, `tflops`, and
    final metrics."""
    record_path: str
    """The record's file; empty when an earlier, better record was kept instead."""
    record: Record = Field(exclude=True, repr=False)
    """The record itself, for displays."""


class LookedAt(Document):
    """A comparison of a device with the baseline, and what the last look at it found."""

    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile, as the plan document bears it."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    repeats: int
    """Repeats looked at; 0 when it could not be looked at yet."""
    verdict: str
    """FASTER, SLOWER, SAME, UNDECIDED or NOT MEASURED."""
    wanted: int
    """Repeats that the next look needs; 0 when there is none."""
    reason: str
    """Why there is no next look although nothing is decided."""


class LookLine(Document):
    """With `--until-decided`: which comparisons are decided, and what is measured next."""

    event: Literal["look"] = "look"
    comparisons: list[LookedAt]
    """Every comparison of the chosen cells with their baselines."""
    cells: list[CellName]
    """Cells that are added now; none when this was the last look."""
    todo: list[Cell] = Field(exclude=True, repr=False)
    """Those of them that are measured now, for displays."""


class EndLine(Document):
    """Last: how the run ended."""

    event: Literal["end"] = "end"
    ok: int
    """Cells measured to their end."""
    partial: int
    """Cells their budget ended."""
    failed: int
    """Cells that failed in this run."""
    skipped: int
    """Cells whose device is not here."""
    done_before: int
    """Cells that had a good record already."""
    failed_before: int
    """Cells that failed earlier and were left alone."""
    left: int
    """Cells not reached."""
    stopped_by: str
    """The signal that stopped the run; empty when it came to its end."""
    wall_s: float
    """Seconds from the first cell's start (or wait) to the end."""
    results: str
    """The results folder."""


RunLine = (
    PlanLine
    | WaitingLine
    | CellStartLine
    | CellEventLine
    | CellEndLine
    | LookLine
    | EndLine
    | TimingsLine
)
LINES: TypeAdapter[RunLine] = TypeAdapter(Annotated[RunLine, Field(discriminator="event")])
"""Describes a line of `accelreport run --json`."""


class Observer(Protocol):
    """Is told what happens in a run, and shows it."""

    def on(self, line: RunLine) -> None:
        """Something happened."""

    def tick(self) -> None:
        """Half a second has passed while a cell runs."""


def named(cell: Cell) -> dict[str, Any]:
    """The fields of `CellName` for a cell."""
    return {name: getattr(cell, name) for name in CellName.model_fields}


def plan_line(plan: RunPlan, results: Path) -> PlanLine:
    """A plan as the event that tells of it."""
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
        further_at_most_s=plan.further_estimate.seconds + plan.further_estimate.at_most_s,
        cells=[
            PlannedCellLine(**named(one.cell), action=one.action, reason=one.reason)
            for one in plan.cells
        ],
    )
