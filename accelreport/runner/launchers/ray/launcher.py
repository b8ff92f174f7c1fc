"""Cells as tasks of a Ray cluster, one on a node.

This side decides which node measures which cell, because Ray cannot say "all CPUs of whichever
node it is". A task asks for all CPUs of its node, so that Ray starts nothing else there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cached_property

from accelreport.results.record import Failure
from accelreport.runner.launchers.base import CellListener, Finished, LauncherConfig
from accelreport.runner.launchers.node import LostCells, NodeSettings
from accelreport.runner.launchers.ray.engine import RayEngine, Task, asked_resources, demand
from accelreport.runner.launchers.ray.pool import TICK_S, Batch, Pool, Queue, tell_late
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


def opened(config: LauncherConfig) -> RayLauncher:
    """The launcher `--on ray`.

    Raises:
        BadLauncher: an option cannot be used.
    """
    return RayLauncher(config, asked_resources(config.options))


class RayLauncher:
    """Gives each node of a cluster one cell after the other.

    Args:
        config: what it is made for.
        asked: resources that are asked for beside those of a device.
        settings: how nodes measure a cell.
    """

    here = False
    """See `Launcher.here`."""

    def __init__(
        self,
        config: LauncherConfig,
        asked: Mapping[str, float],
        settings: NodeSettings | None = None,
    ) -> None:
        self._address = str(config.options.get("address", ""))
        self._asked = asked
        self._settings = (settings or NodeSettings(fork=config.fork)).model_dump_json()
        self._losses = LostCells()

    @cached_property
    def engine(self) -> RayEngine:
        """The connection, made when it is first needed."""
        return RayEngine(self._address)

    @cached_property
    def _pool(self) -> Pool:
        return Pool(self.engine, self._asked)

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        """See `Launcher.unavailable`."""
        return self._pool.unavailable(devices)

    def close(self) -> None:
        """See `Launcher.close`."""
        if "engine" in vars(self):
            self.engine.close()

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """See `Launcher.measure_all`."""
        waiting, running = Queue(cells), dict[Task, Batch]()
        try:
            while (waiting or running) and not listener.stop:
                self._pool.look()
                self._start(waiting, running)
                if not running:
                    self._pool.wait(len(waiting), listener)
                    continue
                self._pool.busy()
                finished: list[Finished] = []
                for task in self.engine.ready(list(running), TICK_S):
                    finished += running[task].hear(self.engine.hear(task), listener)
                    if running[task].over:
                        finished += self._over(running.pop(task), waiting)
                # The nodes go on before the records are written.
                self._start(waiting, running)
                yield from finished
                tell_late(running.values(), listener)
                listener.tick()
            yield from self._stopped(running)
        finally:
            if running:
                self.engine.end(list(running))

    def _start(self, waiting: Queue, running: dict[Task, Batch]) -> None:
        """Give every idle node the first cells that it can measure."""
        has = Counter(attempt.node.id for attempt in running.values())
        for node in self._pool.nodes if waiting else ():
            while cells := self._pool.next_for(node, has[node.id], waiting):
                asked = demand(node, cells[0].device_spec, self._asked)
                texts = [cell.model_dump_json() for cell in cells]
                task = self.engine.start(texts, self._settings, node, asked)
                running[task] = Batch(node, cells)
                has[node.id] += 1

    def _over(self, batch: Batch, waiting: Queue) -> list[Finished]:
        """Take note of a task that is over; the cells that failed with it."""
        self._pool.learn(batch)
        failed, again = batch.failed_and_again(self._losses)
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
