"""What a run will do with each cell, decided before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Failure, FailureKind, Record, Status
from accelreport.runner.documents import profile_of
from accelreport.runner.estimate import MEASURED, Estimate, Expectation, likeness
from accelreport.runner.order import Design
from accelreport.spec.cells import Cell

Action = Literal["run", "done", "failed", "skip"]
"""run: measure it; done: a good record exists; failed: it failed before and is left alone;
skip: its device is not here."""

ALWAYS_RETRIED: frozenset[FailureKind] = frozenset(
    {"interrupted", "data-unavailable", "data-corrupt", "no-device"}
)
"""Failures that say nothing about the cell itself and cost nothing to try again."""


@dataclass(frozen=True)
class Policy:
    """What counts as done.

    Attributes:
        retry_failed: measure cells again that failed.
        rerun: measure every cell again.
    """

    retry_failed: bool = False
    rerun: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a plan keeps of a cell's record.

    Records of long trainings are large, and a plan may have a hundred thousand of them.

    Attributes:
        status: its status.
        failure: why, unless that is ok; without the traceback.
        budget: the budget in seconds that it was measured with.
        wall_s: seconds from launch to end; None where no process ran.
        machine: the machine it is of.
    """

    status: Status
    failure: Failure | None
    budget: float
    wall_s: float | None
    machine: str

    @classmethod
    def of(cls, record: Record) -> Self:
        """What is kept of a record."""
        failure = record.failure
        if failure and failure.traceback:
            failure = failure.model_copy(update={"traceback": ""})
        return cls(
            status=record.status,
            failure=failure,
            budget=record.cell.measure.budget,
            wall_s=record.times.wall_s,
            machine=record.environment.machine if record.environment else "",
        )


@dataclass(frozen=True)
class Planned:
    """A cell and what will be done with it.

    Attributes:
        cell: the cell.
        action: what will be done.
        reason: why, in a few words; empty when nothing needs to be said.
        earlier: what is known of its record so far.
    """

    cell: Cell
    action: Action
    reason: str
    earlier: Earlier | None


@dataclass(frozen=True)
class RunPlan:
    """Every chosen cell, each once, in the order in which they are measured.

    Attributes:
        cells: the cells.
        further: the most that may be added to them until comparisons are decided.
    """

    cells: tuple[Planned, ...]
    further: tuple[Cell, ...] = ()

    def of(self, action: Action) -> list[Planned]:
        """The cells with which this will be done."""
        return [planned for planned in self.cells if planned.action == action]

    @cached_property
    def expectation(self) -> Expectation:
        """Wall times by the earlier records of these cells."""
        found = Expectation()
        for planned in self.cells:
            if planned.earlier and planned.earlier.status in MEASURED:
                found.took(likeness(planned.cell, planned.earlier.budget), planned.earlier.wall_s)
        return found

    @cached_property
    def estimate(self) -> Estimate:
        """How long the cells to be run will take."""
        return self.expectation.total(planned.cell for planned in self.of("run"))

    @cached_property
    def further_estimate(self) -> Estimate:
        """How long all of `further` will take."""
        return self.expectation.total(self.further)


def make_plan(
    cells: Iterable[Cell],
    *,
    earlier: Callable[[str], Record | None],
    unavailable: Callable[[Cell], str | None],
    policy: Policy = Policy(),
    documents: Sequence[PlanDocument] = (),
) -> RunPlan:
    """Decide about every cell.

    Args:
        cells: the chosen cells of all specs; specs keep their order. A cell that two specs
            share is measured once.
        earlier: key → this machine's record.
        unavailable: why a cell's device cannot run here; None when it can.
        policy: what counts as done.
        documents: the plans of the specs, where `cells` are only some of their cells: the
            order follows from all of them.
    """
    whole = {(each.spec, profile_of(each)): each.cells for each in documents}
    by_spec: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_spec.setdefault((cell.spec, cell.profile), []).append(cell)
    unique: dict[str, Cell] = {}
    for name, group in by_spec.items():
        design = Design.of(name[0], whole.get(name, group))
        for cell in design.ordered(group):
            unique.setdefault(cell.key, cell)
    return RunPlan(
        tuple(decide(cell, earlier(key), unavailable(cell), policy) for key, cell in unique.items())
    )


def decide(
    cell: Cell,
    earlier: Record | None,
    unavailable: str | None,
    policy: Policy = Policy(),
) -> Planned:
    """Decide about one cell.

    A cell is done when its record is `ok`, or `partial` and this budget is no longer than the
    one that ended it. A failed cell is left alone unless `retry_failed`, because most failures
    cost their whole time again; `ALWAYS_RETRIED` names those that do not. A skipped cell is
    looked at anew in every run, as its device may be here now.
    """
    known = Earlier.of(earlier) if earlier else None
    if earlier and good(earlier) and not policy.rerun:
        before, now = earlier.cell.measure.budget, cell.measure.budget
        if earlier.status == "ok" or now <= before:
            return Planned(cell, "done", "", known)
        reason = f"its budget was {before:g} s and is {now:g} s now"
    elif earlier and earlier.status == "failed" and earlier.failure:
        kind = earlier.failure.kind
        again = policy.rerun or policy.retry_failed or kind in ALWAYS_RETRIED
        if not again and unavailable is None:
            return Planned(cell, "failed", f"{kind}: {earlier.failure.message}", known)
        reason = f"it failed before ({kind})"
    else:
        reason = "it is measured again" if earlier and good(earlier) else ""
    if unavailable is not None:
        return Planned(cell, "skip", unavailable, known)
    return Planned(cell, "run", reason, known)


def good(record: Record) -> bool:
    """Whether a record holds a measurement."""
    return record.status in MEASURED


def supersedes(new: Record, old: Record | None) -> bool:
    """Whether a new record may take an older one's place.

    What was measured is never replaced by a failure, nor a complete record by one that a
    budget ended; between equals the newer one counts.
    """
    if old is None:
        return True
    rank = {"ok": 2, "partial": 1, "failed": 0, "skipped": 0}
    return rank[new.status] >= rank[old.status]
