"""The nodes of a Ray cluster in a run: which of them may take cells, and their messages."""

from __future__ import annotations

import select
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count

from accelreport.backend.availability import no_device
from accelreport.backend.distributed.tasks import NEEDS_CLUSTER
from accelreport.backend.frameworks import remedy
from accelreport.results.record import Failure
from accelreport.runner.launchers.base import CellListener, Finished, LauncherError
from accelreport.runner.launchers.node import LostCell, LostCells, NodeJob
from accelreport.runner.launchers.ray.engine import RayEngine, RayNode, demand, lack
from accelreport.runner.launchers.ray.worker import Messages
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


class Queue:
    """Cells in their order, indexed by the needs of their device.

    Args:
        cells: the cells in the order in which they are measured.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._numbers = count()
        self._waiting: dict[str, deque[tuple[int, Cell]]] = {}
        self._devices: dict[str, Device] = {}
        for cell in cells:
            self._lane(cell).append((next(self._numbers), cell))

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put_first(self, cell: Cell) -> None:
        """Have a cell that was lost measured before all others of its device."""
        self._lane(cell).appendleft((-next(self._numbers), cell))

    def take_like(
        self, most: int, fits: Callable[[Device], bool], like: Callable[[Device, Device], bool]
    ) -> list[Cell]:
        """The first cell whose device fits and those that follow it, while they are like it.

        Args:
            most: how many.
            fits: whether a device can run.
            like: whether two devices ask for the same.
        """
        taken: list[Cell] = []
        while len(taken) < most and (name := self._first(fits)) is not None:
            if taken and not like(taken[0].device_spec, self._devices[name]):
                break
            taken.append(self._waiting[name].popleft()[1])
        return taken

    def _first(self, fits: Callable[[Device], bool]) -> str | None:
        heads = [
            (lane[0][0], name)
            for name, lane in self._waiting.items()
            if lane and fits(self._devices[name])
        ]
        return min(heads)[1] if heads else None

    def _lane(self, cell: Cell) -> deque[tuple[int, Cell]]:
        self._devices.setdefault(cell.device, cell.device_spec)
        return self._waiting.setdefault(cell.device, deque())


LATE_S = 30.0
"""Time within which a worker starts and imports what cells need, if no other user has the node."""


class Batch(NodeJob):
    """One task: some cells that a worker measures one after the other.

    Args:
        node: where.
        cells: the cells in their order.

    Attributes:
        node: where.
        since: when it was asked for, by the monotonic clock.
        loss: why nothing more will come of it.
    """

    def __init__(self, node: RayNode, cells: Iterable[Cell]) -> None:
        super().__init__({cell.key: cell for cell in cells})
        self.node = node
        self.since = time.monotonic()
        self.loss: LostCell | None = None

    @property
    def over(self) -> bool:
        """Whether it sends no further message."""
        return not self.cells or self.loss is not None

    def hear(self, heard: Messages | LostCell, listener: CellListener) -> Iterator[Finished]:
        """Take the messages of its task; returns the cells that have ended."""
        if isinstance(heard, LostCell):
            self.loss = heard
            return
        for message in heard:
            if finished := self.take(message, listener):
                yield finished
            if self.crash:
                reason = f"{self.node.host}: {self.crash.message}"
                self.loss = LostCell(
                    "harness-error", reason, traceback=self.crash.traceback, explained=True
                )

    def failed_and_again(self, losses: LostCells) -> tuple[list[Finished], list[Cell]]:
        """See `NodeJob.lost`.

        Only a cell that was being measured counts as tried: the end of a starting worker concerns
        no cell. An error that a worker reported itself concerns its current or next cell.
        """
        if self.loss is None:
            return [], list(self.cells.values())
        turn = self.began or (
            next(iter(self.cells.values()), None) if self.loss.explained else None
        )
        return self.lost(self.loss, [turn] if turn else [], losses)


def tell_late(running: Iterable[Batch], listener: CellListener) -> None:
    """Say which node has not begun with its cells."""
    now = time.monotonic()
    begun = {attempt.node.id for attempt in running if attempt.environment is not None}
    for attempt in running:
        if attempt.node.id not in begun and now - attempt.since > LATE_S:
            listener.waiting(
                f"{attempt.node.host}: Ray currently gives its CPUs to other work, or its "
                "worker is slow to start"
            )
            return


TICK_S = 0.5
"""Seconds between two updates of a display."""

ANSWERS_WITHIN_S = 60.0
"""Time within which nodes start a worker and import accelreport; later answers come later."""

POLL_EVERY_S = 5.0
"""How often new nodes are looked for, and those that are gone."""

SHORT_S = 0.5
"""While the cells of a node take less, it is given so many at once as take this time, and the
next ones before it is through with them, so that it need not wait for Ray. Longer ones are given
one by one, to whichever node is first."""

MOST_AT_ONCE = 16
"""Cells of one task: as many must be given again when their worker is lost."""

REST_S = 10.0
"""A node that seems to be lost gets nothing for so long: Ray may still list it."""

PATIENCE_S = 60.0
"""So long a run waits for a node when none is left for its cells."""

FRUITLESS = 20
"""A node whose workers have ended so often in a row before they began with a cell is of no use."""


class Pool:
    """The nodes and their observed states.

    Args:
        engine: the connection.
        asked: resources that are asked for beside those of a device.

    Attributes:
        nodes: those that are alive, as far as is known.
    """

    def __init__(self, engine: RayEngine, asked: Mapping[str, float]) -> None:
        self.nodes: list[RayNode] = []
        self._engine = engine
        self._asked = asked
        self._looked_at = 0.0
        self._alone_since = 0.0
        self._resting: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._fruitless: Counter[str] = Counter()

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        """See `Launcher.unavailable`."""
        self.nodes = self._engine.nodes(ANSWERS_WITHIN_S)
        if all(node.refused for node in self.nodes):
            why = "; ".join(sorted({f"{node.host}: {node.refused}" for node in self.nodes})[:5])
            raise LauncherError("No node of the Ray cluster can measure.", why=f"{why or 'none'}.")
        return {name: self._absence(device) for name, device in devices.items()}

    def _absence(self, device: Device) -> Failure | None:
        if device.spread:
            return no_device(NEEDS_CLUSTER)
        lacks = [lack(node, device, self._asked) for node in self.nodes]
        if "" in lacks:
            return None
        reasons = sorted(
            {f"{n.host}: {why}" for n, why in zip(self.nodes, lacks, strict=True) if why}
        )
        others = f" ({'; '.join(reasons[:3])})" if reasons else ""
        why = f"no node of the Ray cluster can run it{others}"
        if all(node.refused or node.lacking.get(device.framework) for node in self.nodes):
            return Failure(kind="no-framework", message=why, remedy=remedy(device.framework))
        return no_device(why)

    def look(self) -> None:
        """Bring the list of nodes up to date, now and then."""
        now = time.monotonic()
        if not self.nodes or now - self._looked_at >= POLL_EVERY_S:
            self.nodes, self._looked_at = self._engine.nodes(), now

    def next_for(self, node: RayNode, tasks: int, waiting: Queue) -> list[Cell]:
        """The cells that a node is given now; none when it is to be given none.

        Args:
            node: the node.
            tasks: how many tasks it has.
            waiting: the cells that wait.
        """
        took = self._took.get(node.id, SHORT_S)
        most, at_once = (1, 1) if took >= SHORT_S else (2, int(SHORT_S / max(took, 0.001)))
        resting = self._resting.get(node.id, 0.0) > time.monotonic()
        if tasks >= most or resting or self._fruitless[node.id] >= FRUITLESS:
            return []
        asked = self._asked
        return waiting.take_like(
            min(MOST_AT_ONCE, at_once),
            fits=lambda device: not lack(node, device, asked),
            like=lambda one, other: demand(node, one, asked) == demand(node, other, asked),
        )

    def learn(self, batch: Batch) -> None:
        """Take note of how a task ended."""
        node, loss = batch.node.id, batch.loss
        if batch.took is not None:
            self._took[node] = batch.took
        if loss is None or batch.environment is not None:
            self._fruitless[node] = 0
        else:
            self._fruitless[node] += 1
        if loss is not None and loss.machine_too:
            self._resting[node] = time.monotonic() + REST_S
            self.nodes = []

    def busy(self) -> None:
        """Say that some node measures; see `wait`."""
        self._alone_since = time.monotonic()

    def wait(self, left: int, listener: CellListener) -> None:
        """Wait for a node.

        Args:
            left: how many cells there are no nodes for.
            listener: takes the events.

        Raises:
            LauncherError: none has come for a long time.
        """
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > PATIENCE_S:
            useless = sorted({n.host for n in self.nodes if self._fruitless[n.id] >= FRUITLESS})
            raise LauncherError(
                f"No node of the Ray cluster is left for {left} cells.",
                why=f"The workers of {', '.join(useless)} ended {FRUITLESS} times in a row before "
                "they began a cell."
                if useless
                else "",
                remedy="Every finished cell is kept. Run the same command again when nodes are "
                "available.",
            )
        listener.waiting("no node of the Ray cluster can run the remaining cells")
        self.nodes = []
        select.select([listener.stop.fileno()], [], [], TICK_S)
