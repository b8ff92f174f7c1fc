"""Cells as tasks of a Ray cluster: one at a time on each node, which it has to itself.

This side decides which node measures which cell, because Ray cannot say "all CPUs of whichever
node it is". A task asks for all CPUs of its node, so that Ray starts nothing else there.
"""

from __future__ import annotations

import select
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from accelreport.results.record import Environment
from accelreport.runner.artefacts import LeftFile
from accelreport.runner.launchers.base import (
    BadLauncher,
    Circumstances,
    Finished,
    LauncherError,
    Watch,
)
from accelreport.runner.launchers.letters import Began, Broke, Letter, Said, Through, Waits
from accelreport.runner.launchers.losses import STOPPED, Loss, Losses
from accelreport.runner.launchers.ray_engine import RayEngine, Task
from accelreport.runner.launchers.ray_nodes import Node, demand, lack
from accelreport.runner.launchers.ray_queue import Queue
from accelreport.runner.launchers.workplace import Workplace
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.models import Device

TICK_S = 0.5
"""How often a display may be brought up to date."""

ANSWERS_WITHIN_S = 60.0
"""Nodes start a worker and import accelreport within this; what comes later is seen later."""

LOOK_EVERY_S = 5.0
"""How often new nodes are looked for, and those that are gone."""

SHORT_S = 0.5
"""While the cells of a node take less, it is given the next one before it is through with the
last, so that it need not wait for Ray. Longer ones wait for whichever node is first."""

REST_S = 10.0
"""A node that seems to be lost gets nothing for so long: Ray may still list it."""

LATE_S = 30.0
"""A worker starts within this, unless somebody else uses the node."""

PATIENCE_S = 60.0
"""So long a run waits for a node when none is left for its cells."""


def opened(circumstances: Circumstances) -> RayLauncher:
    """The launcher `--on ray`.

    Raises:
        BadLauncher: an option cannot be used.
    """
    return RayLauncher(circumstances, asked_resources(circumstances.options))


def asked_resources(options: Mapping[str, Scalar]) -> dict[str, float]:
    """Ray's resources that `--on-option resource.NAME=AMOUNT` asks for.

    Raises:
        BadLauncher: an option is not of that form.
    """
    found: dict[str, float] = {}
    for key, value in options.items():
        prefix, _, name = key.partition(".")
        if prefix != "resource" or not name:
            raise BadLauncher(
                f"--on-option {key}: --on ray does not know it.",
                remedy="It knows resource.NAME=AMOUNT, which asks for nodes with that resource.",
            )
        if name in {"CPU", "GPU", "memory"}:
            raise BadLauncher(
                f"--on-option {key} cannot be used.",
                why="A cell gets all CPUs of its node, and the accelerators of its device.",
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise BadLauncher(f"--on-option {key}={value}: an amount is a number above 0.")
        found[name] = float(value)
    return found


@dataclass
class _Running:
    """A task on a node.

    Attributes:
        node: the node.
        cell: what it measures.
        ahead: whether the node had another one to measure before.
        since: when it was asked for, by the monotonic clock.
        environment: its machine, once it has begun.
        left: files of the cell.
        finished: what became of the cell.
        loss: why nothing will.
    """

    node: Node
    cell: Cell
    ahead: bool = False
    since: float = field(default_factory=time.monotonic)
    environment: Environment | None = None
    left: list[LeftFile] = field(default_factory=list)
    finished: Finished | None = None
    loss: Loss | None = None


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
        waiting, running = Queue(cells), dict[Task, _Running]()
        alone_since = time.monotonic()
        try:
            while (waiting or running) and not watch.stop:
                self._look()
                self._start(waiting, running)
                if not running:
                    self._nobody(waiting, alone_since, watch)
                    continue
                alone_since = time.monotonic()
                ready = self.engine.ready(list(running), TICK_S)
                over = [
                    running.pop(task) for task in ready if self._heard(task, running[task], watch)
                ]
                for each in over:
                    if self._end(each) is None:
                        waiting.put_first(each.cell)
                # The nodes go on before the records are written.
                self._start(waiting, running)
                yield from (each.finished for each in over if each.finished is not None)
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

    def _start(self, waiting: Queue, running: dict[Task, _Running]) -> None:
        """Give every idle node the first cell that it can measure."""
        now = time.monotonic()
        has = Counter(each.node.id for each in running.values())
        for node in self._nodes if waiting else ():
            most = 2 if self._took.get(node.id, SHORT_S) < SHORT_S else 1
            while has[node.id] < most and self._resting.get(node.id, 0.0) <= now:
                cell = waiting.take(partial(self._fits, node))
                if cell is None:
                    break
                asked = demand(node, cell.device_spec, self._asked)
                task = self.engine.start(cell.model_dump_json(), self._workplace, node, asked)
                running[task] = _Running(node, cell, ahead=has[node.id] > 0)
                has[node.id] += 1

    def _fits(self, node: Node, device: Device) -> bool:
        return not lack(node, device, self._asked)

    def _nobody(self, waiting: Queue, since: float, watch: Watch) -> None:
        """Wait for a node.

        Raises:
            LauncherError: none has come for a long time.
        """
        if time.monotonic() - since > PATIENCE_S:
            raise LauncherError(
                f"No node of the Ray cluster is left for {len(waiting)} cells.",
                remedy="Every finished cell is kept. Run the same command again once there are "
                "nodes.",
            )
        watch.waiting("no node of the Ray cluster can run the cells that are left")
        self._nodes = []
        select.select([watch.stop.fileno()], [], [], TICK_S)

    # Hearing ------------------------------------------------------------------------------

    def _heard(self, task: Task, running: _Running, watch: Watch) -> bool:
        """Whether a task has nothing more to tell, once it has been listened to."""
        heard = self.engine.hear(task)
        if isinstance(heard, Loss):
            running.loss = heard
            if heard.machine_too:
                self._resting[running.node.id] = time.monotonic() + REST_S
                self._nodes = []
            return True
        for letter in heard:
            if isinstance(letter, LeftFile):
                running.left.append(letter)
            else:
                self._take(letter, running, watch)
        return running.finished is not None or running.loss is not None

    def _take(self, letter: Letter, running: _Running, watch: Watch) -> None:
        match letter:
            case Began():
                running.environment = letter.environment
                watch.started(running.cell, letter.environment.host)
            case Said():
                watch.said(running.cell, letter.says)
            case Waits():
                watch.waiting(f"{letter.host}: {letter.reason}")
            case Through():
                running.finished = Finished(letter.record, running.left)
                self._took[running.node.id] = letter.record.times.wall_s or SHORT_S
            case Broke():
                message = f"{running.node.host}: {letter.message}"
                running.loss = Loss("harness-error", message, traceback=letter.traceback)

    def _end(self, running: _Running) -> Finished | None:
        """What became of a cell whose task is over; None when it is to be measured again."""
        loss = running.loss
        if running.finished is None and loss is not None:
            if loss.machine_too and running.ahead and running.environment is None:
                return None  # it was not its turn
            running.finished = self._losses.of(running.cell, loss, running.environment)
        return running.finished

    def _stopped(self, running: dict[Task, _Running]) -> Iterator[Finished]:
        """Kill what is being measured because the run is stopped."""
        those = list(running.values())
        if running:
            self.engine.end(list(running))
            running.clear()
        for each in those:
            if each.environment is None:
                continue  # it had not begun
            if finished := self._losses.of(each.cell, STOPPED, each.environment):
                yield finished


def _tell_late(running: Iterable[_Running], watch: Watch) -> None:
    """Say which node has not begun with its cell."""
    now = time.monotonic()
    for each in running:
        if each.environment is None and not each.ahead and now - each.since > LATE_S:
            watch.waiting(f"{each.node.host}: Ray gives its CPUs to other work at the moment")
            return
