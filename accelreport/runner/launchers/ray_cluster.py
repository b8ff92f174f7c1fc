"""Cells as tasks of a Ray cluster: one at a time on each node, which it has to itself.

This side decides which node measures which cell, because Ray cannot say "all CPUs of whichever
node it is". A task asks for all CPUs of its node, so that Ray starts nothing else there.
"""

from __future__ import annotations

import select
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import partial

from accelreport.runner.launchers.base import Circumstances, Finished, LauncherError, Watch
from accelreport.runner.launchers.losses import Losses
from accelreport.runner.launchers.ray_batch import Batch
from accelreport.runner.launchers.ray_engine import RayEngine, Task
from accelreport.runner.launchers.ray_nodes import Node, asked_resources, demand, lack
from accelreport.runner.launchers.ray_queue import Queue
from accelreport.runner.launchers.workplace import Workplace
from accelreport.spec.cells import Cell
from accelreport.spec.models import Device

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

LATE_S = 30.0
"""A worker starts and imports what cells need within this, unless somebody else uses the node."""

PATIENCE_S = 60.0
"""So long a run waits for a node when none is left for its cells."""

FRUITLESS = 20
"""A node whose workers have ended so often in a row before they began with a cell is of no use."""


def opened(circumstances: Circumstances) -> RayLauncher:
    """The launcher `--on ray`.

    Raises:
        BadLauncher: an option cannot be used.
    """
    return RayLauncher(circumstances, asked_resources(circumstances.options))


class RayLauncher:
    """Gives each node of a cluster one cell after the other.

    Args:
        circumstances: what it is made for.
        asked: resources that are asked for beside those of a device.
        workplace: how nodes measure a cell.
    """

    def __init__(
        self,
        circumstances: Circumstances,
        asked: Mapping[str, float],
        workplace: Workplace | None = None,
    ) -> None:
        self._address = circumstances.address
        self._asked = asked
        self._workplace = (workplace or Workplace(fork=circumstances.fork)).model_dump_json()
        self._engine: RayEngine | None = None
        self._nodes: list[Node] = []
        self._looked_at = 0.0
        self._resting: dict[str, float] = {}
        self._took: dict[str, float] = {}
        self._fruitless: Counter[str] = Counter()
        self._losses = Losses()

    @property
    def here(self) -> bool:
        """See `Launcher.here`."""
        return False

    @property
    def engine(self) -> RayEngine:
        """The connection, made when it is first needed."""
        if self._engine is None:
            self._engine = RayEngine(self._address)
        return self._engine

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, str | None]:
        """See `Launcher.unavailable`."""
        self._nodes = self.engine.nodes(ANSWERS_WITHIN_S)
        if all(node.refused for node in self._nodes):
            why = "; ".join(sorted({f"{node.host}: {node.refused}" for node in self._nodes})[:5])
            raise LauncherError("No node of the Ray cluster can measure.", why=f"{why or 'none'}.")
        return {name: self._absence(device) for name, device in devices.items()}

    def _absence(self, device: Device) -> str | None:
        lacks = [lack(node, device, self._asked) for node in self._nodes]
        if not all(lacks):
            return None
        told = sorted({f"{n.host}: {why}" for n, why in zip(self._nodes, lacks, strict=True)})
        return f"no node of the Ray cluster can run it ({'; '.join(told[:3])})"

    def close(self) -> None:
        """See `Launcher.close`."""
        if self._engine is not None:
            self._engine.close()

    def measure_all(self, cells: Iterable[Cell], watch: Watch) -> Generator[Finished]:
        """See `Launcher.measure_all`."""
        waiting, running = Queue(cells), dict[Task, Batch]()
        alone_since = time.monotonic()
        try:
            while (waiting or running) and not watch.stop:
                self._look()
                self._start(waiting, running)
                if not running:
                    self._nobody(waiting, alone_since, watch)
                    continue
                alone_since = time.monotonic()
                finished: list[Finished] = []
                for task in self.engine.ready(list(running), TICK_S):
                    finished += running[task].hear(self.engine.hear(task), watch)
                    if running[task].over:
                        finished += self._over(running.pop(task), waiting)
                # The nodes go on before the records are written.
                self._start(waiting, running)
                yield from finished
                _tell_late(running.values(), watch)
                watch.tick()
            yield from self._stopped(running)
        finally:
            if running:
                self.engine.end(list(running))

    def _look(self) -> None:
        """Bring the list of nodes up to date, now and then."""
        now = time.monotonic()
        if not self._nodes or now - self._looked_at >= LOOK_EVERY_S:
            self._nodes, self._looked_at = self.engine.nodes(), now

    def _start(self, waiting: Queue, running: dict[Task, Batch]) -> None:
        """Give every idle node the first cells that it can measure."""
        now = time.monotonic()
        has = Counter(each.node.id for each in running.values())
        for node in self._nodes if waiting else ():
            took = self._took.get(node.id, SHORT_S)
            tasks, at_once = (1, 1) if took >= SHORT_S else (2, int(SHORT_S / max(took, 0.001)))
            while has[node.id] < tasks and self._usable(node, now):
                fits, like = partial(self._fits, node), partial(self._like, node)
                cells = waiting.take_like(min(MOST_AT_ONCE, at_once), fits, like)
                if not cells:
                    break
                asked = demand(node, cells[0].device_spec, self._asked)
                texts = [cell.model_dump_json() for cell in cells]
                task = self.engine.start(texts, self._workplace, node, asked)
                running[task] = Batch(node, cells)
                has[node.id] += 1

    def _usable(self, node: Node, now: float) -> bool:
        return self._fruitless[node.id] < FRUITLESS and self._resting.get(node.id, 0.0) <= now

    def _fits(self, node: Node, device: Device) -> bool:
        return not lack(node, device, self._asked)

    def _like(self, node: Node, one: Device, other: Device) -> bool:
        return demand(node, one, self._asked) == demand(node, other, self._asked)

    def _nobody(self, waiting: Queue, since: float, watch: Watch) -> None:
        """Wait for a node.

        Raises:
            LauncherError: none has come for a long time.
        """
        if time.monotonic() - since > PATIENCE_S:
            useless = sorted({n.host for n in self._nodes if self._fruitless[n.id] >= FRUITLESS})
            raise LauncherError(
                f"No node of the Ray cluster is left for {len(waiting)} cells.",
                why=f"The workers of {', '.join(useless)} ended {FRUITLESS} times in a row before "
                "they began with a cell."
                if useless
                else "",
                remedy="Every finished cell is kept. Run the same command again once there are "
                "nodes.",
            )
        watch.waiting("no node of the Ray cluster can run the cells that are left")
        self._nodes = []
        select.select([watch.stop.fileno()], [], [], TICK_S)

    def _over(self, batch: Batch, waiting: Queue) -> list[Finished]:
        """Take note of a task that is over; the cells that failed with it."""
        node, loss = batch.node.id, batch.loss
        if batch.took is not None:
            self._took[node] = batch.took
        if loss is None or batch.environment is not None:
            self._fruitless[node] = 0
        else:
            self._fruitless[node] += 1
        if loss is not None and loss.machine_too:
            self._resting[node] = time.monotonic() + REST_S
            self._nodes = []
        failed, again = batch.lost(self._losses)
        for cell in reversed(again):
            waiting.put_first(cell)
        return failed

    def _stopped(self, running: dict[Task, Batch]) -> Iterator[Finished]:
        """Kill what is being measured because the run is stopped."""
        those = list(running.values())
        if running:
            self.engine.end(list(running))
            running.clear()
        for batch in those:
            if finished := batch.stopped(self._losses):
                yield finished


def _tell_late(running: Iterable[Batch], watch: Watch) -> None:
    """Say which node has not begun with its cells."""
    now = time.monotonic()
    begun = {each.node.id for each in running if each.environment is not None}
    for each in running:
        if each.node.id not in begun and now - each.since > LATE_S:
            watch.waiting(
                f"{each.node.host}: Ray gives its CPUs to other work at the moment, or its worker "
                "takes long to start"
            )
            return
