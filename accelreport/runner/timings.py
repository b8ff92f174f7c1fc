"""Where the wall time of a run went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from accelreport.results.plan_document import Document
from accelreport.results.record import FailureKind, Record, Status, Times

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
"""The stages, in their order, in words."""

MEASURED = ("first_step", "train", "evaluate", "observe")
"""The stages that are measured work: what the workload itself computes."""


@dataclass(frozen=True)
class Preparation:
    """What was done so that cells could be forked (see `ForkPool`).

    Attributes:
        seconds: wall time of starting the processes that were forked.
        processes: how many there were.
        forked: cells that were forked from them.
        refused: why cells were no longer forked; empty while they were.
    """

    seconds: float = 0.0
    processes: int = 0
    forked: int = 0
    refused: str = ""


class CellSummary(NamedTuple):
    """What a run remembers of a cell that is through.

    A record of a long training is large, and a run may have many thousands of them.
    """

    status: Status
    failure: FailureKind | None
    times: Times

    @classmethod
    def of(cls, record: Record) -> Self:
        """What is remembered of a record."""
        return cls(record.status, record.failure.kind if record.failure else None, record.times)


class TimingsLine(Document):
    """Where the wall time of a run went; printed by `--timings`."""

    event: Literal["timings"] = "timings"
    wall_s: float
    """Seconds of the whole run."""
    cells: int
    """Processes of cells that ended with a record of their times."""
    forked: int
    """How many of the run's cells were forked from a process that had imported TensorFlow."""
    prepared: int
    """How many such processes were started."""
    refused: str
    """Why cells were no longer forked; empty while they were."""
    stages_s: dict[str, float]
    """Seconds in `prepare` (processes that are forked), `process`, `import`, `data`, `build`,
    `first_step`, `train` (all other steps), `evaluate`, `observe`, `other` (the rest of the
    cells' processes) and `between` (the cells); their sum is `wall_s`."""
    measured_share: float
    """Measured work, which is `first_step` + `train` + `evaluate` + `observe`, ÷ `wall_s`."""
    outside_per_cell_s: float
    """Seconds of the run that were no measured work, for each cell."""


def timings(
    records: Sequence[CellSummary | Record], wall_s: float, prepared: Preparation
) -> TimingsLine:
    """Sum the stages of a run's records.

    Args:
        records: the records of this run, or what is remembered of them.
        wall_s: its wall time in seconds.
        prepared: what was done beside the cells.
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
