"""How the wall time of a run was spent, and how long the remaining cells will take."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from accelreport.results.plan_document import Document
from accelreport.results.record import FailureKind, Record, Status, Times
from accelreport.spec.cells import MEASURED_BY, PRESENTATION_ONLY, Cell

STAGES = {
    "prepare": "importing TensorFlow once, to be forked",
    "process": "starting or forking processes",
    "import": "importing the framework in a cell's process",
    "data": "reading or making data",
    "build": "building models",
    "first_step": "first steps: trace, compile, run",
    "train": "all other timed steps, warm-up included",
    "evaluate": "evaluations",
    "observe": "observations that specs ask for",
    "other": "everything else of the cells' processes",
    "between": "between the cells",
}
"""Names of the stages, in order."""

MEASURED = ("first_step", "train", "evaluate", "observe")
"""The stages that are measured work of the workload itself."""


@dataclass(frozen=True)
class Preparation:
    """The work of the fork servers (see `ForkPool`).

    Attributes:
        seconds: wall time to start the fork servers.
        processes: number of fork servers.
        forked: number of cells forked from them.
        refused: why cells were no longer forked; empty otherwise.
    """

    seconds: float = 0.0
    processes: int = 0
    forked: int = 0
    refused: str = ""


class CellSummary(NamedTuple):
    """What a run keeps in memory of an ended cell.

    A record of a long training is large, and a run may have thousands of them.
    """

    status: Status
    failure: FailureKind | None
    times: Times
    timed: bool = False

    @classmethod
    def of(cls, record: Record) -> Self:
        """The part of a record that a run keeps."""
        kind = record.failure.kind if record.failure else None
        return cls(record.status, kind, record.times, bool(record.steady.blocks))


class TimingsLine(Document):
    """How the wall time of a run was spent; printed by `--timings`."""

    event: Literal["timings"] = "timings"
    wall_s: float
    """Seconds of the whole run."""
    cells: int
    """Number of cell processes that ended with a record of their times."""
    forked: int
    """Number of cells forked from a process that had imported TensorFlow."""
    prepared: int
    """Number of such processes."""
    refused: str
    """Why cells were no longer forked; empty otherwise."""
    stages_s: dict[str, float]
    """Seconds in `prepare` (fork servers), `process`, `import`, `data`, `build`, `first_step`,
    `train` (all other steps), `evaluate`, `observe`, `other` (the rest of the cells' processes) and
    `between` (the cells); their sum is `wall_s`.
    """
    measured_share: float
    """Measured work, which is `first_step` + `train` + `evaluate` + `observe`, ÷ `wall_s`."""
    outside_per_cell_s: float
    """Seconds of the run that were not measured work, per cell."""


def timings(records: Sequence[CellSummary], wall_s: float, prepared: Preparation) -> TimingsLine:
    """Sum the stages of a run's records.

    Args:
        records: what is kept of the records of this run.
        wall_s: its wall time in seconds.
        prepared: the work of the fork servers.
    """
    times = [record.times for record in records if record.times.wall_s is not None]
    parts = [_parts(one) for one in times]
    stages = {name: sum(part.get(name, 0.0) for part in parts) for name in STAGES}
    stages["prepare"] = prepared.seconds
    stages["between"] = wall_s - sum(one.wall_s or 0.0 for one in times) - prepared.seconds
    measured = sum(stages[name] for name in MEASURED)
    return TimingsLine(
        wall_s=wall_s,
        cells=len(times),
        forked=prepared.forked,
        prepared=prepared.processes,
        refused=prepared.refused,
        stages_s=stages,
        measured_share=measured / wall_s if wall_s > 0 else 0.0,
        outside_per_cell_s=(wall_s - measured) / len(times) if times else 0.0,
    )


def _parts(times: Times) -> dict[str, float]:
    """The stages of one cell's process, which add up to its wall time."""
    process_s, import_s = times.process_s or 0.0, times.import_s or 0.0
    if times.prepared_s is not None:
        # What passed before the launch is counted once, with the process in which it passed.
        process_s, import_s = process_s + import_s - times.prepared_s, 0.0
    first = times.first_step_s or 0.0
    parts = {
        "process": process_s,
        "import": import_s,
        "data": times.data_s or 0.0,
        "build": times.build_s or 0.0,
        "first_step": first,
        "train": max(0.0, (times.train_s or 0.0) - first),
        "evaluate": times.evaluate_s or 0.0,
        "observe": times.observe_s or 0.0,
    }
    return parts | {"other": (times.wall_s or 0.0) - sum(parts.values())}


@dataclass(frozen=True)
class TimeEstimate:
    """Estimated time of some cells.

    Attributes:
        seconds: for the cells whose like was measured before.
        unknown: how many cells have no such record.
        at_most_s: for those: the sum of their budgets, without the time to start them.
    """

    seconds: float
    unknown: int
    at_most_s: float


class Expectation:
    """Wall times of cells by likeness: the same cell with any seed."""

    def __init__(self) -> None:
        self._took: dict[str, tuple[float, int]] = {}

    def learn(self, record: Record) -> None:
        """Take a record of this machine into account, if it holds a measurement."""
        if record.measured:
            self.took(likeness(record.cell), record.times.wall_s)

    def took(self, like: str, seconds: float | None) -> None:
        """Take the time of a cell into account.

        Args:
            like: the cell's likeness.
            seconds: its wall time; None if no process reported one.
        """
        if seconds is None:
            return
        total, count = self._took.get(like, (0.0, 0))
        self._took[like] = total + seconds, count + 1

    def of(self, cell: Cell) -> float | None:
        """Seconds that a cell will take; None if no such cell was measured."""
        return self.of_like(likeness(cell))

    def of_like(self, like: str) -> float | None:
        """Seconds that a cell of this likeness will take; None if none was measured."""
        total, count = self._took.get(like, (0.0, 0))
        return total / count if count else None

    def total(self, cells: Iterable[Cell]) -> TimeEstimate:
        """Seconds that cells will take one after the other."""
        known: list[float] = []
        unknown: list[Cell] = []
        for cell in cells:
            seconds = self.of(cell)
            if seconds is None:
                unknown.append(cell)
            else:
                known.append(seconds)
        return TimeEstimate(sum(known), len(unknown), sum(cell.measure.budget for cell in unknown))


def likeness(cell: Cell, budget: float | None = None) -> str:
    """A cell's identity without its seed: repeats of one condition are alike.

    Args:
        cell: the cell.
        budget: the budget in seconds; default: the cell's own.

    Returns:
        A digest, so that the keys of many conditions are small.
    """
    measure = cell.measure
    parts: Sequence[object] = (
        cell.workload,
        cell.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY),
        measure.model_dump(mode="json", include=MEASURED_BY),
        measure.budget if budget is None else budget,
    )
    text = json.dumps(parts, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class RemainingTime:
    """The remaining cells of a run, and the time that they will take.

    The sum is updated as cells end and is never computed over all cells again, because a display
    reads it twice a second, also in a run of many thousand cells.

    Args:
        expectation: known wall times; a copy learns from the records of the run.
        cells: the cells of the run.

    Attributes:
        unknown: number of the remaining cells whose like was not measured before.
    """

    def __init__(self, expectation: Expectation, cells: Iterable[Cell]) -> None:
        self.unknown = 0
        # Each learns by itself: a record that another one took into account would change its sum.
        self._expectation = deepcopy(expectation)
        self._likes: dict[str, str] = {}
        self._waiting: Counter[str] = Counter()
        self._known_s = 0.0
        self._took_s = 0.0
        self._took = 0
        self.add(cells)

    def __len__(self) -> int:
        return len(self._likes)

    def __contains__(self, key: str) -> bool:
        return key in self._likes

    def add(self, cells: Iterable[Cell]) -> None:
        """Take further cells into account."""
        names: dict[str, str] = {}
        for cell in cells:
            if cell.key in self._likes:
                continue
            like = likeness(cell)
            # Cells of one condition share one text: there may be a hundred thousand of them.
            self._likes[cell.key] = names.setdefault(like, like)
            self._count(like, 1)

    def ended(self, record: Record) -> None:
        """Remove a cell that has ended, and learn how long others will take."""
        like = likeness(record.cell)
        if record.measured and record.times.wall_s is not None:
            self._took_s += record.times.wall_s
            self._took += 1
        before = self._expectation.of_like(like)
        self._expectation.learn(record)
        after = self._expectation.of_like(like)
        alike = self._waiting[like]
        if after is not None and before is None:
            self.unknown -= alike
        if after is not None:
            self._known_s += alike * (after - (before or 0.0))
        mine = self._likes.pop(record.key, None)
        if mine is not None:
            self._count(mine, -1)

    def of(self, key: str) -> float | None:
        """Seconds that a remaining cell will take; None if unknown."""
        like = self._likes.get(key)
        return None if like is None else self._expectation.of_like(like)

    @property
    def known_s(self) -> float:
        """Seconds of all remaining cells whose like was measured before."""
        return max(0.0, self._known_s)

    @property
    def mean_s(self) -> float | None:
        """Time of a cell that this run measured; None before the first one."""
        return self._took_s / self._took if self._took else None

    def _count(self, like: str, more: int) -> None:
        seconds = self._expectation.of_like(like)
        self._waiting[like] += more
        if seconds is None:
            self.unknown += more
        else:
            self._known_s += more * seconds
