"""The nodes of a Ray cluster as a run sees them: which may be given cells, and how many."""

from __future__ import annotations

import select
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial

from accelreport.backend.cluster.tasks import processes
from accelreport.runner.launchers.base import LauncherError, Watch
from accelreport.runner.launchers.ray_batch import Batch
from accelreport.runner.launchers.ray_engine import RayEngine
from accelreport.runner.launchers.ray_nodes import Node, demand, lack
from accelreport.runner.launchers.ray_queue import Queue
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device

TICK_S = 0.5
"""How often a display may be brought up to date."""

ANSWERS_WITHIN_S = 60.0
"""Nodes start a worker and import accelreport within this; what comes later is seen later."""

LOOK_EVERY_S = 5.0
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
    """The nodes and what was seen of them.

    Args:
        engine: the connection.
        asked: resources that are asked for beside those of a device.

    Attributes:
        nodes: those that are alive, as far as is known.
    """

    def __init__(self, engine: RayEngine, asked: Mapping[str, float]) -> None:
        self.nodes: list[Node] = []
        self._engine = engine
        self._asked = asked
        self._looked_at = 0.0
        self._alone_since = 0.0
        self._resting: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._fruitless: Counter[str] = Counter()

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, str | None]:
        """See `Launcher.unavailable`."""
        self.nodes = self._engine.nodes(ANSWERS_WITHIN_S)
        if all(node.refused for node in self.nodes):
            why = "; ".join(sorted({f"{node.host}: {node.refused}" for node in self.nodes})[:5])
            raise LauncherError("No node of the Ray cluster can measure.", why=f"{why or 'none'}.")
        return {name: self._absence(device) for name, device in devices.items()}

    def _absence(self, device: Device) -> str | None:
        lacks = [lack(node, device, self._asked) for node in self.nodes]
        able, needed = lacks.count(""), processes(device) if device.spread else 1
        if able >= needed:
            return None
        told = sorted({f"{n.host}: {why}" for n, why in zip(self.nodes, lacks, strict=True) if why})
        others = f" ({'; '.join(told[:3])})" if told else ""
        if device.spread:
            return (
                f"its processes need {needed} nodes; {able} of the Ray cluster can run it{others}"
            )
        return f"no node of the Ray cluster can run it{others}"

    def look(self) -> None:
        """Bring the list of nodes up to date, now and then."""
        now = time.monotonic()
        if not self.nodes or now - self._looked_at >= LOOK_EVERY_S:
            self.nodes, self._looked_at = self._engine.nodes(), now

    def next_for(self, node: Node, tasks: int, waiting: Queue) -> list[Cell]:
        """The cells that a node is given now; none when it is to be given none.

        Args:
            node: the node.
            tasks: how many tasks it has.
            waiting: the cells that wait.
        """
        took = self._took.get(node.id, SHORT_S)
        most, at_once = (1, 1) if took >= SHORT_S else (2, int(SHORT_S / max(took, 0.001)))
        if tasks >= most or not self._usable(node):
            return []
        fits, like = partial(self._fits, node), partial(self._like, node)
        return waiting.take_like(min(MOST_AT_ONCE, at_once), fits, like)

    def together(self, device: Device) -> list[Node]:
        """Nodes for a device whose processes are spread; none when there are too few."""
        able = [node for node in self.nodes if self._usable(node) and self._fits(node, device)]
        needed = processes(device)
        return able[:needed] if len(able) >= needed else []

    def _usable(self, node: Node) -> bool:
        resting = self._resting.get(node.id, 0.0) > time.monotonic()
        return self._fruitless[node.id] < FRUITLESS and not resting

    def _fits(self, node: Node, device: Device) -> bool:
        return not lack(node, device, self._asked)

    def _like(self, node: Node, one: Device, other: Device) -> bool:
        return demand(node, one, self._asked) == demand(node, other, self._asked)

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

    def wait(self, left: int, watch: Watch) -> None:
        """Wait for a node.

        Args:
            left: how many cells there are no nodes for.
            watch: is told.

        Raises:
            LauncherError: none has come for a long time.
        """
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > PATIENCE_S:
            useless = sorted({n.host for n in self.nodes if self._fruitless[n.id] >= FRUITLESS})
            raise LauncherError(
                f"No node of the Ray cluster is left for {left} cells.",
                why=f"The workers of {', '.join(useless)} ended {FRUITLESS} times in a row before "
                "they began with a cell."
                if useless
                else "",
                remedy="Every finished cell is kept. Run the same command again once there are "
                "nodes.",
            )
        watch.waiting("no node of the Ray cluster can run the cells that are left")
        self.nodes = []
        select.select([watch.stop.fileno()], [], [], TICK_S)
