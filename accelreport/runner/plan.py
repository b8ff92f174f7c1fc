"""What a run will do with each cell, and in which order, decided before anything is started.

What is known of a cell, from whichever machine, is read from the results folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, Self

from accelreport.results.plan_document import PlanDocument, PlannedCell, profile_of
from accelreport.results.record import MEASURED, STANDING, Failure, FailureKind, Record, Status
from accelreport.results.store import Store
from accelreport.runner.timings import Expectation, TimeEstimate, likeness
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell


@dataclass(frozen=True)
class Design:
    """Where every cell of one spec has its place, in every repeat there may ever be.

    - One repeat after the other, so that a run that is cut short has whole repeats.
    - Inside a repeat, the devices of a sweep point follow one another at once: what is
      compared is measured close together. The points come in a shuffled order.
    - Repeats come in pairs, and the second runs the order of the first backwards: over a
      pair every cell has the same mean position, and a drift in a straight line cancels.
      Pairs alternate which way round comes first (AB BA BA AB, Thue and Morse's sequence), so
      that after two pairs a bend of the drift cancels, too.
    - Three devices and more take the rows of a Williams design (1949) in turn, from point to
      point and from pair to pair: each has every place, and follows every other, equally
      often. Where the last pair is not complete, places are as equal as the points allow.

    It follows from the spec's name, its devices, its points and the number of the repeat
    alone. So it is the same on every machine, whichever cells a run leaves out, and repeats
    that are added later take the places they would have had.

    Attributes:
        spec: name of the spec.
        devices: its devices, in its order.
        points: its sweep points, in its order, as text.
    """

    spec: str
    devices: tuple[str, ...]
    points: tuple[str, ...]
    _rows: tuple[tuple[int, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", williams(len(self.devices)))

    @classmethod
    def of(cls, spec: str, cells: Iterable[Cell | PlannedCell]) -> Design:
        """The design of a spec with these cells."""
        known = list(cells)
        return cls(
            spec,
            tuple(dict.fromkeys(cell.device for cell in known)),
            tuple(dict.fromkeys(_text(cell.point) for cell in known)),
        )

    def repeat(self, number: int) -> list[tuple[str, str]]:
        """Device and point of each cell of a repeat, in the order in which they are measured."""
        pair = number // 2
        points = sorted(self.points, key=lambda point: _draw(self.spec, pair, point))
        first = int.from_bytes(_draw(self.spec)[:8], "big") + 2 * pair
        order = [
            (self.devices[device], point)
            for place, point in enumerate(points)
            for device in self._rows[(first + place) % len(self._rows)]
        ]
        return order if number.bit_count() % 2 == 0 else order[::-1]

    def ordered(self, cells: Iterable[Cell]) -> list[Cell]:
        """Some of the spec's cells in the order in which they are measured."""
        some = list(cells)
        places = {
            number: {name: place for place, name in enumerate(self.repeat(number))}
            for number in {cell.repeat for cell in some}
        }
        return sorted(
            some,
            key=lambda cell: (cell.repeat, places[cell.repeat][cell.device, _text(cell.point)]),
        )


def williams(count: int) -> tuple[tuple[int, ...], ...]:
    """Orders of `count` treatments, each order followed by its reverse (Williams 1949).

    Every treatment has every place, and follows every other, equally often: over `count` orders
    where that is even, over twice as many where it is odd.

    Raises:
        ValueError: there is no treatment.
    """
    if count < 1:
        raise ValueError("a design needs at least one treatment")
    base = [(step + 1) // 2 if step % 2 else -(step // 2) for step in range(count)]
    # For an even count the reverse of each row is another row of the square.
    rows = [
        tuple((place + shift) % count for place in base)
        for shift in range(count if count % 2 else count // 2)
    ]
    return tuple(way for row in rows for way in (row, row[::-1]))


def _draw(*parts: object) -> bytes:
    """Chance that is the same in every run and on every machine."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).digest()


def _text(point: Mapping[str, Scalar]) -> str:
    return repr(sorted(point.items()))


Action = Literal["run", "done", "failed", "skip"]
"""run: measure it; done: a good record exists; failed: it failed before and is left alone;
skip: its device or its data are not here."""

ALWAYS_RETRIED: frozenset[FailureKind] = frozenset(
    {"interrupted", "data-unavailable", "data-corrupt", "no-device", "no-framework"}
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
        missing: what is not here, of a cell that is skipped.
    """

    cell: Cell
    action: Action
    reason: str
    earlier: Earlier | None
    missing: Failure | None = None


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
        expectation = Expectation()
        for planned in self.cells:
            if planned.earlier and planned.earlier.status in MEASURED:
                expectation.took(
                    likeness(planned.cell, planned.earlier.budget), planned.earlier.wall_s
                )
        return expectation

    @cached_property
    def estimate(self) -> TimeEstimate:
        """How long the cells to be run will take."""
        return self.expectation.total(planned.cell for planned in self.of("run"))


def make_plan(
    cells: Iterable[Cell],
    *,
    earlier: Callable[[str], Record | None],
    unavailable: Callable[[Cell], Failure | None],
    policy: Policy = Policy(),
    documents: Sequence[PlanDocument] = (),
) -> RunPlan:
    """Decide about every cell.

    Args:
        cells: the chosen cells of all specs; specs keep their order. A cell that two specs
            share is measured once.
        earlier: key → this machine's record.
        unavailable: why a cell cannot run here; None when it can.
        policy: what counts as done.
        documents: the plans of the specs, where `cells` are only some of their cells: the
            order follows from all of them.
    """
    whole = {(document.spec, profile_of(document)): document.cells for document in documents}
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


def reason_text(failure: Failure) -> str:
    """Why a cell cannot run here, with what brings its framework or data."""
    if failure.kind == "no-framework":
        return f"{failure.message}: {failure.remedy}"
    remedy = failure.remedy if failure.kind == "data-unavailable" else ""
    return " ".join(filter(None, (failure.message, remedy)))


def decide(
    cell: Cell,
    earlier: Record | None,
    unavailable: Failure | None,
    policy: Policy = Policy(),
) -> Planned:
    """Decide about one cell.

    A cell is done when its code is still what was measured, and its record is `ok`, or `partial`
    and this budget is no longer than the one that ended it. A failed cell is left alone unless its
    code changed or `retry_failed`, because most failures cost their whole time again;
    `ALWAYS_RETRIED` names those that do not. A skipped cell is looked at anew in every run, as its
    device may be here now.
    """
    known = Earlier.of(earlier) if earlier else None
    edited = edited_since(earlier, cell.folder) if earlier else []
    if earlier and earlier.measured and not policy.rerun:
        before, now = earlier.cell.measure.budget, cell.measure.budget
        if not edited and (earlier.status == "ok" or now <= before):
            return Planned(cell, "done", "", known)
        reason = f"its budget was {before:g} s and is {now:g} s now"
    elif earlier and earlier.status == "failed" and earlier.failure:
        kind = earlier.failure.kind
        again = policy.rerun or policy.retry_failed or kind in ALWAYS_RETRIED or edited
        if not again and unavailable is None:
            return Planned(cell, "failed", f"{kind}: {earlier.failure.message}", known)
        reason = f"it failed before ({kind})"
    else:
        reason = "it is measured again" if earlier and earlier.measured else ""
    if edited:
        others = f" and {len(edited) - 1} more" if len(edited) > 1 else ""
        reason = f"{edited[0]}{others} changed since it was measured"
    if unavailable is not None:
        return Planned(cell, "skip", reason_text(unavailable), known, unavailable)
    return Planned(cell, "run", reason, known)


def edited_since(record: Record, spec_folder: str) -> list[str]:
    """The files of code outside the spec's folder that are not those that a record is of."""
    if not record.imported or (record.environment and record.environment.host):
        return []  # the files of the host that a launcher chose are not here
    return [
        imported.file
        for imported in record.imported
        if _sha256(
            Path(spec_folder, os.path.expanduser(imported.folder), imported.file)  # noqa: PTH111
        )
        != imported.sha256
    ]


def _sha256(path: Path) -> str:
    """SHA-256 of a file; empty where it cannot be read."""
    try:
        return _sha256_of(path, path.stat().st_mtime_ns, path.stat().st_size)
    except OSError:
        return ""


@cache
def _sha256_of(path: Path, *version: int) -> str:
    del version  # the same file is asked for by each of a thousand cells
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def supersedes(new: Record, old: Record | None) -> bool:
    """Whether a new record may take an older one's place.

    What was measured is never replaced by a failure, nor a complete record by one of the same code
    that a budget ended; between equals the newer one counts.
    """
    if old is None or (new.measured and new.imported != old.imported):
        return True
    rank = {"ok": 2, "partial": 1, "failed": 0, "skipped": 0}
    return rank[new.status] >= rank[old.status]


class RecordIndex:
    """The best record of each cell, of whichever machine; among equals the newest.

    Where cells are measured by any of several machines, a cell is done when one has done it.

    The folder is listed at first and after `refresh`, and not for every cell.

    Args:
        store: the results folder.
        keys: only these cells will be asked for; all when absent. A job of a few cells need
            not hold the names of all others.
    """

    def __init__(self, store: Store, keys: Collection[str] | None = None) -> None:
        self._store = store
        self._keys = None if keys is None else frozenset(keys)
        self._machines: dict[str, list[str]] | None = store.machines(self._keys)

    def refresh(self) -> None:
        """Look into the folder again when a cell is next asked for."""
        self._machines = None

    def __call__(self, key: str) -> Record | None:
        """The best record of a cell; None when there is none that can be read."""
        records = self._of(key)
        return max(
            records, key=lambda record: (STANDING[record.status], record.finished_at), default=None
        )

    def clear_attempts(self, measured: Record) -> None:
        """Take away what other machines left of a cell that is measured now.

        That is what the next run would have tried again, such as a cell that was interrupted: a
        report would else tell for good of a failure that nobody can mend there any more.

        Args:
            measured: a record that was written; nothing happens if it holds no measurement.
        """
        if not measured.measured:
            return
        for record in self._of(measured.key):
            again = record.failure is not None and record.failure.kind in ALWAYS_RETRIED
            if again and record.status == "failed":
                self._store.record_path(record.key, record.machine).unlink(missing_ok=True)

    def _of(self, key: str) -> list[Record]:
        if self._machines is None:
            self._machines = self._store.machines(self._keys)
        records = [self._store.get(key, machine) for machine in self._machines.get(key, ())]
        return [record for record in records if record is not None]
