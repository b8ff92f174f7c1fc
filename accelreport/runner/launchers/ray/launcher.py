"""Cells as tasks of a Ray cluster: one on a node, or spread over several, a process on each.

This side decides which node measures which cell, because Ray cannot say "all CPUs of whichever
node it is". A task asks for all CPUs of its node, so that Ray starts nothing else there.

Ray gives the nodes all at once or not at all (a placement group), so that two runs never wait for
each other with half of their nodes each. Every process holds its node before the first one
begins.

Each process is an actor, because it gets the addresses of the others while it holds its node. The
cell ends as the chief's process ends, but another process that was lost, or failed by itself, is
named.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from accelreport.backend.distributed.tasks import expected, free_ports
from accelreport.results.record import Failure
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import (
    CellListener,
    ChildEvent,
    Finished,
    LauncherConfig,
    LauncherError,
)
from accelreport.runner.launchers.node import LostCell, LostCells, NodeSettings, Reachable, crashed
from accelreport.runner.launchers.ray.engine import (
    Demand,
    RayEngine,
    RayNode,
    Task,
    asked_resources,
    demand,
)
from accelreport.runner.launchers.ray.pool import TICK_S, Batch, Pool, Queue, tell_late
from accelreport.runner.launchers.ray.worker import (
    MessageBuffer,
    Messages,
    forget_what_ray_set,
    worker_folder,
)
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


class RankActor:
    """Holds its node, then measures its part of the cell.

    Args:
        cell: the cell as JSON.
        settings: how cells are measured, as JSON.
    """

    def __init__(self, cell: str, settings: str) -> None:
        self._cell = Cell.model_validate_json(cell)
        self._buffer = MessageBuffer()
        self._configuration: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = Stop()
        threading.Thread(target=self._take_part, args=(settings,), daemon=True).start()

    def hold(self) -> Iterator[Messages]:
        """Wait until nothing else is measured on this node; the last message is `Reachable`."""
        for bundle in self._buffer.bundles():
            yield bundle
            if any(isinstance(message, Reachable) for message in bundle):
                return

    def measure(self, configuration: str) -> Iterator[Messages]:
        """Measure with the others; yields messages in bundles.

        Args:
            configuration: `TF_CONFIG` of this process.
        """
        self._configuration.put(configuration)
        yield from self._buffer.bundles()

    def _take_part(self, settings: str) -> None:
        try:
            forget_what_ray_set()
            worker_folder(settings).measure(
                self._cell, self._stop, self._buffer.post, on_held=self._meet_the_others
            )
        except Exception as error:  # whatever it is, the one who launched it has to know
            self._buffer.post(crashed(error))
        finally:
            self._buffer.close()

    def _meet_the_others(self) -> None:
        """Say where this process can be reached, and learn where all can.

        The port is free now, and the system gives it to no program that asks for any; see
        `free_ports`.
        """
        (port,) = free_ports(1)
        self._buffer.post(Reachable(port=port))
        os.environ["TF_CONFIG"] = self._configuration.get()


def configurations(jobs: dict[str, int], addresses: list[str]) -> list[str]:
    """`TF_CONFIG` of each process of a cell.

    Args:
        jobs: how many processes each job of the cluster has, the chief's job first.
        addresses: `host:port` of each process, in the same order.
    """
    left = iter(addresses)
    cluster = {job: [next(left) for _ in range(count)] for job, count in jobs.items()}
    return [
        json.dumps({"cluster": cluster, "task": {"type": job, "index": index}})
        for job, count in jobs.items()
        for index in range(count)
    ]


NODE_LABEL = "ray.io/node-id"
"""The label by which Ray knows each node."""


def _streamed(method: Any, *arguments: str) -> Task:
    """A call of a `RankActor`, which yields while it runs."""
    return method.options(num_returns="streaming").remote(*arguments)


@contextmanager
def started_ranks(
    places: Sequence[tuple[RayNode, Demand]], cell: str, settings: str
) -> Iterator[list[Any]]:
    """Ray's handle of a process on each node, all or none; they are gone when this is left.

    Args:
        places: the nodes, and what is asked of each.
        cell: the cell as JSON.
        settings: how nodes measure a cell, as JSON.

    Raises:
        LauncherError: this Ray cannot choose the nodes of a placement group.
    """
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    remote: Any = ray.remote(RankActor)
    bundles = [
        {"CPU": asked.cpus, **({"GPU": asked.gpus} if asked.gpus else {}), **asked.more}
        for _, asked in places
    ]
    try:
        group = placement_group(
            bundles,
            strategy="STRICT_SPREAD",
            bundle_label_selector=[{NODE_LABEL: node.id} for node, _ in places],
        )
    except TypeError as error:
        raise LauncherError(
            "This version of Ray cannot spread a cell over chosen nodes.",
            why=f"{error}.",
            remedy="Install a newer version on all nodes: pip install --upgrade ray",
        ) from error
    actors: list[Any] = []
    try:
        for index, (_, asked) in enumerate(places):
            options = remote.options(
                num_cpus=asked.cpus,
                num_gpus=asked.gpus,
                resources=dict(asked.more) or None,
                scheduling_strategy=PlacementGroupSchedulingStrategy(group, index),
                max_restarts=0,
                max_task_retries=0,
            )
            actors.append(options.remote(cell, settings))
        yield actors
    finally:
        for actor in actors:
            ray.kill(actor)
        remove_placement_group(group)


class Rank(Batch):
    """One process of the cell.

    Args:
        name: its task, such as `worker:1`.
        node: where.
        cell: the cell.

    Attributes:
        title: task and machine, for a message.
        port: where it listens, once it holds its node.
        finished: its own record.
    """

    def __init__(self, name: str, node: RayNode, cell: Cell) -> None:
        super().__init__(node, [cell])
        self.title = f"{name} on {node.host}"
        self.port: int | None = None
        self.finished: Finished | None = None

    @property
    def failed_by_itself(self) -> bool:
        """Whether its record names a cause of its own, and not a lost peer."""
        record = self.finished.record if self.finished else None
        why = record.failure if record and record.status == "failed" else None
        return why is not None and why.kind != "worker-lost"

    @property
    def failed(self) -> bool:
        """Whether its record is a failure."""
        return self.finished is not None and self.finished.record.status == "failed"

    def listen(self, heard: Messages | LostCell, listener: CellListener) -> None:
        """Take the messages of its task."""
        for message in heard if isinstance(heard, list) else ():
            if isinstance(message, Reachable):
                self.port = message.port
        for finished in self.hear(heard, listener):
            self.finished = finished


def outcome(
    cell: Cell, ranks: Sequence[Rank], losses: LostCells, *, stopped: bool = False
) -> Finished | None:
    """What became of a cell; None when it is to be measured again.

    Args:
        cell: the cell.
        ranks: its processes, the chief's first.
        losses: counts how often a cell was lost.
        stopped: whether the run is stopped. What the chief has measured by then is kept.
    """
    chief = ranks[0]
    if chief.finished and not chief.failed:
        return chief.finished
    if stopped:
        return chief.stopped(losses)
    lost = next((rank for rank in ranks if rank.loss is not None), None)
    if lost is not None and lost.loss is not None:
        return _lost(cell, ranks, f"{lost.title}: ", lost.loss, losses)
    if chief.finished is None:
        silent = LostCell("worker-lost", f"{chief.title} left no record.", explained=True)
        return _lost(cell, ranks, "", silent, losses)
    first = next((rank for rank in ranks if rank.failed_by_itself), chief)
    if first is chief or first.finished is None or first.finished.record.failure is None:
        return chief.finished
    why = first.finished.record.failure
    why = why.model_copy(update={"message": f"{first.title}: {why.message}"})
    record = chief.finished.record.model_copy(update={"failure": why})
    return replace(chief.finished, record=record)


def _lost(
    cell: Cell, ranks: Sequence[Rank], whose: str, loss: LostCell, losses: LostCells
) -> Finished | None:
    """The cell's failure because of a killed process, whose peers fail as a consequence."""
    begun = next((rank.environment for rank in ranks if rank.environment is not None), None)
    if begun is None and not loss.explained:
        return None  # no process had begun, so the loss does not concern the cell
    return losses.of(cell, replace(loss, message=f"{whose}{loss.message}"), begun)


POLL_EVERY_S = 5.0
"""Seconds between two checks of the nodes, because a group waits for ever for a lost one."""

SETTLE_S = 10.0
"""Seconds to wait after a failure: the peers of a failed process soon fail, too, and the first one
is to be named."""


class PeerListener:
    """Passes on of a process that is not the chief only why it waits."""

    def __init__(self, listener: CellListener) -> None:
        self.stop = listener.stop
        self.waiting = listener.waiting
        self.tick = listener.tick

    def started(self, cell: Cell, host: str = "") -> None:
        """Ignored: the chief reports it."""

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        """Ignored: the chief reports it."""


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
        self._engine: RayEngine | None = None
        self._losses = LostCells()

    @property
    def engine(self) -> RayEngine:
        """The connection, made when it is first needed."""
        if self._engine is None:
            self._engine = RayEngine(self._address)
        return self._engine

    @cached_property
    def _pool(self) -> Pool:
        return Pool(self.engine, self._asked)

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        """See `Launcher.unavailable`."""
        return self._pool.unavailable(devices)

    def close(self) -> None:
        """See `Launcher.close`."""
        if self._engine is not None:
            self._engine.close()

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """See `Launcher.measure_all`.

        Cells whose processes are spread over nodes come after all others, one at a time: no
        two of them share the network.
        """
        alone: list[Cell] = []
        spread: list[Cell] = []
        for cell in cells:
            (spread if cell.device_spec.spread else alone).append(cell)
        yield from self._measure_alone(alone, listener)
        yield from self._measure_spread(spread, listener)

    def _measure_alone(self, cells: Iterable[Cell], listener: CellListener) -> Iterator[Finished]:
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

    def _measure_spread(self, cells: list[Cell], listener: CellListener) -> Iterator[Finished]:
        waiting = list(reversed(cells))
        while waiting and not listener.stop:
            self._pool.look()
            nodes = self._pool.spread_nodes(waiting[-1].device_spec)
            if not nodes:
                self._pool.wait(len(waiting), listener)
                continue
            ranks = self._measure_on(waiting[-1], nodes, listener)
            for rank in ranks:
                self._pool.learn(rank)
            self._pool.busy()
            finished = outcome(waiting[-1], ranks, self._losses, stopped=bool(listener.stop))
            if finished is not None:
                waiting.pop()
                yield finished

    def _measure_on(
        self, cell: Cell, nodes: Sequence[RayNode], listener: CellListener
    ) -> list[Rank]:
        """Measure a cell on these nodes, and give its processes; the first one is the chief's.

        Nothing of it is left on any node when this returns or raises.

        Raises:
            LauncherError: this Ray cannot do it.
        """
        jobs = expected(cell.device_spec)
        names = [f"{job}:{index}" for job, count in jobs.items() for index in range(count)]
        ranks = [Rank(name, node, cell) for name, node in zip(names, nodes, strict=True)]
        places = [(node, demand(node, cell.device_spec, self._asked)) for node in nodes]
        with started_ranks(places, cell.model_dump_json(), self._settings) as actors:
            held = dict(zip([_streamed(actor.hold) for actor in actors], ranks, strict=True))
            self._follow(held, listener, until=lambda rank: rank.port is not None)
            if all(rank.port is not None for rank in ranks) and not listener.stop:
                addresses = [f"{rank.node.address}:{rank.port}" for rank in ranks]
                pairs = zip(actors, configurations(jobs, addresses), strict=True)
                tasks = [_streamed(actor.measure, configuration) for actor, configuration in pairs]
                self._follow(dict(zip(tasks, ranks, strict=True)), listener)
        return ranks

    def _follow(
        self,
        running: dict[Task, Rank],
        listener: CellListener,
        until: Callable[[Rank], bool] = lambda _: False,
    ) -> None:
        """Listen to processes until each is over, or one ended badly and the others had time."""
        ranks, ending, look = list(running.values()), float("inf"), 0.0
        peer = PeerListener(listener)
        while running and not listener.stop and time.monotonic() < ending:
            for task in self.engine.ready(list(running), TICK_S):
                rank = running[task]
                rank.listen(self.engine.hear(task), listener if rank is ranks[0] else peer)
                if rank.over or until(rank):
                    del running[task]
            if time.monotonic() >= look:
                look = time.monotonic() + POLL_EVERY_S
                alive = {node.id for node in self.engine.nodes()}
                for rank in ranks:
                    if rank.node.id not in alive and not rank.over:
                        rank.loss = LostCell("worker-lost", "Its node was lost.", machine_too=True)
            if any(rank.loss for rank in ranks) and not ranks[0].finished:
                return  # whatever the others could still do, it would not be this cell
            if any(rank.loss or rank.failed for rank in ranks) or ranks[0].finished:
                ending = min(ending, time.monotonic() + SETTLE_S)
            tell_late(running.values(), listener)
            listener.tick()
