"""A job that was submitted to Slurm: what is known of it, and why it left no record."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelreport.results.record import Environment, FailureKind
from accelreport.runner.launchers.batch import Mailbox
from accelreport.runner.launchers.letters import Broke
from accelreport.runner.launchers.losses import Loss
from accelreport.spec.cells import Cell

MORE_TIME = "Raise it with --on-option time=MINUTES, or lower measure.budget."

STATES: dict[str, tuple[FailureKind, str]] = {
    "TIMEOUT": ("timeout", MORE_TIME),
    "DEADLINE": ("timeout", MORE_TIME),
    "OUT_OF_MEMORY": ("oom-host", "Ask for more with --on-option mem=…, or use a smaller batch."),
    "CANCELLED": ("interrupted", "The next run measures it."),
}
"""States of a job that would be the same again → kind of the failure, and what to do."""


@dataclass
class Job:
    """A submitted job.

    Attributes:
        job: submitit's.
        cells: those that are not through, by key.
        mailbox: what it tells.
        began: the cell that it measures at the moment.
        environment: its machine.
        broke: what went wrong beside its cells.
        asked_at: when its state was last asked for, by the monotonic clock.
        over_at: when it was found to be over.
        through_at: when all its cells were found to be through.
    """

    job: Any
    cells: dict[str, Cell]
    mailbox: Mailbox
    began: str = ""
    environment: Environment | None = None
    broke: Broke | None = None
    asked_at: float = field(default_factory=time.monotonic)
    over_at: float | None = None
    through_at: float | None = None

    def loss(self, folder: Path) -> Loss:
        """Why it left no record of the cell that it measured.

        Args:
            folder: where its output is.
        """
        # Slurm says, for instance, "CANCELLED by 1000".
        state = f"{self.job.state or 'UNKNOWN'}".partition(" ")[0].rstrip("+").upper()
        if self.broke and self.broke.time_is_up:
            state = "TIMEOUT"
        if state in STATES:
            kind, remedy = STATES[state]
            return Loss(kind, f"Slurm ended its job: {state}.", final=True, remedy=remedy)
        where = f"The output of its job is in {folder}."
        if self.broke:
            message = f"Its job broke: {self.broke.message}"
            return Loss("harness-error", message, remedy=where, traceback=self.broke.traceback)
        return Loss("worker-lost", f"Its job ended without a word (state {state}).", remedy=where)
