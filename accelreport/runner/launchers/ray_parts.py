"""The processes of a spread cell: what each of them told, and what becomes of the cell.

What becomes of the chief's process is what becomes of the cell, except that a process that was
lost, or went wrong first, is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.runner.launchers.base import Finished, Watch
from accelreport.runner.launchers.letters import Reachable
from accelreport.runner.launchers.losses import Loss, Losses
from accelreport.runner.launchers.ray_batch import Batch
from accelreport.runner.launchers.ray_nodes import Node
from accelreport.runner.launchers.ray_outbox import Letters
from accelreport.spec.cells import Cell


class Part(Batch):
    """One process of the cell.

    Args:
        name: its task, such as `worker:1`.
        node: where.
        cell: the cell.

    Attributes:
        name: its task.
        port: where it listens, once it holds its node.
        finished: its own record.
    """

    def __init__(self, name: str, node: Node, cell: Cell) -> None:
        super().__init__(node, [cell])
        self.name = name
        self.port: int | None = None
        self.finished: Finished | None = None

    @property
    def title(self) -> str:
        """Task and machine, for a message."""
        return f"{self.name} on {self.node.host}"

    @property
    def ended_badly(self) -> bool:
        """Whether it was lost, or its own record says that something went wrong."""
        return self.loss is not None or self.failed

    @property
    def failed_by_itself(self) -> bool:
        """Whether its own record says what went wrong, and not that a peer was lost."""
        record = self.finished.record if self.finished else None
        why = record.failure if record and record.status == "failed" else None
        return why is not None and why.kind != "worker-lost"

    @property
    def failed(self) -> bool:
        """Whether its own record says that something went wrong."""
        return self.finished is not None and self.finished.record.status == "failed"

    def listen(self, heard: Letters | Loss, watch: Watch) -> None:
        """Take what its task told."""
        for letter in heard if isinstance(heard, list) else ():
            if isinstance(letter, Reachable):
                self.port = letter.port
        for finished in self.hear(heard, watch):
            self.finished = finished


def outcome(
    cell: Cell, parts: Sequence[Part], losses: Losses, *, stopped: bool = False
) -> Finished | None:
    """What became of a cell; None when it is to be measured again.

    Args:
        cell: the cell.
        parts: its processes, the chief's first.
        losses: counts how often a cell was lost.
        stopped: whether the run is stopped. What the chief has measured by then is kept.
    """
    chief = parts[0]
    if chief.finished and not chief.failed:
        return chief.finished
    if stopped:
        return chief.stopped(losses)
    lost = next((part for part in parts if part.loss is not None), None)
    if lost is not None and lost.loss is not None:
        return _lost(cell, parts, f"{lost.title}: ", lost.loss, losses)
    if chief.finished is None:
        silent = Loss("worker-lost", f"{chief.title} left no record.", told=True)
        return _lost(cell, parts, "", silent, losses)
    first = next((part for part in parts if part.failed_by_itself), chief)
    if first is chief or first.finished is None or first.finished.record.failure is None:
        return chief.finished
    why = first.finished.record.failure
    why = why.model_copy(update={"message": f"{first.title}: {why.message}"})
    record = chief.finished.record.model_copy(update={"failure": why})
    return replace(chief.finished, record=record)


def _lost(
    cell: Cell, parts: Sequence[Part], whose: str, loss: Loss, losses: Losses
) -> Finished | None:
    """A process that was killed cannot speak; what its peers say is a consequence."""
    begun = next((part.environment for part in parts if part.environment is not None), None)
    if begun is None and not loss.told:
        return None  # nobody had begun: it says nothing of the cell
    return losses.of(cell, replace(loss, message=f"{whose}{loss.message}"), begun)
