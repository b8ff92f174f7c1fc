"""Stages of `benchmarks/scale.py` in which a thousand nodes measure: what the launching side does.

There are no nodes here: stand-ins for the engines answer at once. What is measured is therefore
the launcher itself, without its engine and without a network.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scale_cells import record_of, spec_of, template

from accelreport.results.record import Record
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import ChildEvent, LauncherConfig
from accelreport.runner.launchers.node import Completed, Started
from accelreport.runner.launchers.ray.engine import Demand, RayEngine, RayNode
from accelreport.runner.launchers.ray.launcher import RayLauncher
from accelreport.runner.launchers.slurm.jobs import SlurmJob
from accelreport.runner.launchers.slurm.launcher import SlurmLauncher, SlurmOptions
from accelreport.runner.launchers.slurm.worker import MessageLog
from accelreport.spec.cells import Cell

if TYPE_CHECKING:  # an older checkout has it elsewhere
    from accelreport.runner.launchers.ray.worker import Messages

NODES = 1000
ROUNDS = 3


class Silent:
    """A `CellListener` that shows nothing."""

    def __init__(self) -> None:
        self.stop = Stop()

    def started(self, cell: Cell, host: str = "") -> None:
        """Nothing is shown."""

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        """Nothing is shown."""

    def waiting(self, reason: str) -> None:
        """Nothing is shown."""

    def tick(self) -> None:
        """Nothing moves."""


class Instant(RayEngine):
    """A stand-in for a Ray cluster whose nodes measure in no time, each in its turn.

    Args:
        like: what a record looks like.
    """

    def __init__(self, like: Record) -> None:  # nothing is connected to
        self._like = like
        self._cells: dict[int, list[Cell]] = {}
        self._number = 0

    def nodes(self, within_s: float = 0.0) -> list[RayNode]:
        """A thousand nodes."""
        del within_s
        return [
            RayNode(f"{number}", f"n{number}", {"CPU": 64.0}, threads=64) for number in range(NODES)
        ]

    def start(self, cells: list[str] | str, settings: str, node: RayNode, demand: Demand) -> int:
        """Take cells; an older checkout gives out one at a time."""
        del settings, node, demand
        self._number += 1
        texts = [cells] if isinstance(cells, str) else cells
        self._cells[self._number] = [Cell.model_validate_json(text) for text in texts]
        return self._number

    def ready(self, tasks: Sequence[int], within_s: float) -> list[int]:
        """One in ten has something to tell at a time."""
        del within_s
        return list(tasks[: max(1, len(tasks) // 10)])

    def hear(self, task: int) -> Messages:
        """Everything at once."""
        messages: Messages = []
        for cell in self._cells.pop(task):
            record = record_of(cell, self._like)
            assert record.environment is not None
            messages.append(Started(key=record.key, environment=record.environment))
            messages.append(Completed(record=record))
        return messages

    def end(self, tasks: Sequence[int]) -> None:
        """Forget tasks."""
        for task in tasks:
            self._cells.pop(task, None)

    def close(self) -> None:
        """Nothing was opened."""


def ray(folder: Path, cells: int, nodes: int) -> Mapping[str, float]:
    """Every cell goes to one of a thousand nodes of a Ray that answers at once."""
    del nodes
    all_cells = spec_of(folder).cells
    launcher = RayLauncher(LauncherConfig(results=folder / "results"), {})
    launcher.engine = Instant(template())
    began = time.process_time()
    done = sum(1 for _ in launcher.measure_all(all_cells, Silent()))
    if done < cells:
        raise SystemExit(f"{done} of {cells} came back")
    return {"ms each (CPU)": 1e3 * (time.process_time() - began) / cells}


class Waiting:
    """A stand-in for a job of submitit that waits in Slurm's queue."""

    job_id = "1_1"

    def done(self) -> bool:
        """It has not begun."""
        return False


def follow(folder: Path, cells: int, nodes: int) -> Mapping[str, float]:
    """Jobs of one cell wait in Slurm's queue; the launching side looks at each in turn."""
    del nodes
    launcher = SlurmLauncher(LauncherConfig(results=folder / "results"), SlurmOptions())
    jobs = [
        SlurmJob({cell.key: cell}, Waiting(), MessageLog(folder / f"messages-{number}.jsonl"))
        for number, cell in enumerate(spec_of(folder).cells)
    ]
    listener = Silent()
    began = time.process_time()
    for _ in range(ROUNDS):
        heard: list[object] = []
        for job in jobs:
            launcher._over(job)
            heard += launcher._heard(job, listener)
        if heard:
            raise SystemExit("jobs that wait told something")
    spent = time.process_time() - began
    return {"ms a round": 1e3 * spent / ROUNDS, "jobs": float(cells)}
