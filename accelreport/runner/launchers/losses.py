"""Cells that are lost with what measured them: measured again a few times, then failed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from accelreport.results.record import Environment, Failure, FailureKind, Record
from accelreport.runner.launchers.base import ATTEMPTS, Finished
from accelreport.runner.launchers.workplace import environment_here
from accelreport.spec.cells import Cell


@dataclass(frozen=True)
class Loss:
    """Why no record came.

    Attributes:
        kind: what its failure is, should it be one.
        message: what happened, in a sentence.
        final: whether it would happen again, so that it is not tried.
        remedy: what a person can do.
        traceback: where it happened, when Python said so.
        machine_too: whether the machine itself seems to be gone.
        told: whether what was to measure could still say what went wrong.
    """

    kind: FailureKind
    message: str
    final: bool = False
    remedy: str = ""
    traceback: str = ""
    machine_too: bool = False
    told: bool = False


@dataclass
class Losses:
    """The losses of one run."""

    _times: Counter[str] = field(default_factory=Counter)

    def of(self, cell: Cell, loss: Loss, environment: Environment | None) -> Finished | None:
        """The cell's failure; None when it is to be measured again.

        Args:
            cell: the lost cell.
            loss: why it was lost.
            environment: the machine that had begun to measure it, if one had.
        """
        self._times[cell.key] += 1
        times = self._times[cell.key]
        if times < ATTEMPTS and not loss.final:
            return None
        often = f" This happened {times} times." if times > 1 else ""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Finished(
            Record(
                cell=cell,
                key=cell.key,
                status="failed",
                failure=Failure(
                    kind=loss.kind,
                    message=loss.message + often,
                    remedy=loss.remedy,
                    traceback=loss.traceback,
                ),
                started_at=now,
                finished_at=now,
                environment=environment or environment_here(),
            )
        )


STOPPED = Loss(
    kind="interrupted",
    message="The run was stopped while it was being measured.",
    final=True,
    remedy="The next run measures it.",
)
"""What becomes of a cell that was being measured when the run was stopped."""
