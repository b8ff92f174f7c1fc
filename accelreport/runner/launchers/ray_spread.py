"""A cell whose processes are spread over the nodes of a Ray cluster, one process on each.

Ray gives the nodes all at once or not at all (a placement group), so that two runs never wait for
each other with half of their nodes each. Every process holds its node before the first one
begins, and what becomes of the chief's is what becomes of the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accelreport.runner.launchers.base import Finished, Watch
from accelreport.runner.launchers.letters import Reachable
from accelreport.runner.launchers.losses import Loss
from accelreport.runner.launchers.ray_batch import Batch
from accelreport.runner.launchers.ray_nodes import Node
from accelreport.runner.launchers.ray_outbox import Letters
from accelreport.spec.cells import Cell

TICK_S = 0.5
"""How often a display may be brought up to date."""

SETTLE_S = 10.0
"""When one process ends badly its peers soon do, too: wait so long, to know which was first."""


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


class Quiet:
    """A watch that hears of a process that is not the chief only what it waits for."""

    def __init__(self, watch: Watch) -> None:
        self.stop = watch.stop
        self.waiting = watch.waiting
        self.tick = watch.tick

    def started(self, cell: Cell, host: str = "") -> None:
        """The chief tells it."""

    def said(self, cell: Cell, event: object) -> None:
        """The chief tells it."""


@dataclass
class Attempt:
    """What became of a cell that was spread over nodes.

    Attributes:
        finished: its record; None when it is to be measured again.
        begun: whether its processes had begun.
        machine_too: nodes that seem to be gone.
    """

    finished: Finished | None
    begun: bool
    gone: Sequence[Node] = ()
