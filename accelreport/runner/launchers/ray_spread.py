"""A cell whose processes are spread over the nodes of a Ray cluster, one process on each.

Ray gives the nodes all at once or not at all (a placement group), so that two runs never wait for
each other with half of their nodes each. Every process holds its node before the first one
begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from accelreport.backend.cluster.tasks import expected
from accelreport.runner.launchers.base import ChildEvent, Finished, Watch
from accelreport.runner.launchers.losses import Loss, Losses
from accelreport.runner.launchers.ray_batch import tell_late
from accelreport.runner.launchers.ray_engine import RayEngine, Task
from accelreport.runner.launchers.ray_member import configurations
from accelreport.runner.launchers.ray_members import members
from accelreport.runner.launchers.ray_nodes import Node, demand
from accelreport.runner.launchers.ray_parts import Part, outcome
from accelreport.spec.cells import Cell

TICK_S = 0.5
"""How often a display may be brought up to date."""

LOOK_EVERY_S = 5.0
"""How often it is looked whether all nodes are there: a group waits for ever for a lost one."""

SETTLE_S = 10.0
"""When one process ends badly its peers soon do, too: wait so long, to know which was first."""


class Quiet:
    """A watch that hears of a process that is not the chief only what it waits for."""

    def __init__(self, watch: Watch) -> None:
        self.stop = watch.stop
        self.waiting = watch.waiting
        self.tick = watch.tick

    def started(self, cell: Cell, host: str = "") -> None:
        """The chief tells it."""

    def said(self, cell: Cell, event: ChildEvent) -> None:
        """The chief tells it."""


class Spread:
    """Measures one cell on several nodes.

    Args:
        engine: the connection.
        workplace: how nodes measure a cell, as JSON.
        asked: resources that are asked for beside those of a device.
        losses: counts how often a cell was lost.
    """

    def __init__(
        self, engine: RayEngine, workplace: str, asked: Mapping[str, float], losses: Losses
    ) -> None:
        self._engine = engine
        self._workplace = workplace
        self._asked = asked
        self._losses = losses

    def measure(
        self, cell: Cell, nodes: Sequence[Node], watch: Watch
    ) -> tuple[Finished | None, Sequence[Part]]:
        """Measure it on these nodes; the first one's process is the chief's.

        Nothing of it is left on any node when this returns or raises.

        Returns:
            What became of it, None when it is to be measured again; and its processes.

        Raises:
            LauncherError: this Ray cannot do it.
        """
        jobs = expected(cell.device_spec)
        names = [f"{job}:{index}" for job, count in jobs.items() for index in range(count)]
        parts = [Part(name, node, cell) for name, node in zip(names, nodes, strict=True)]
        demands = [demand(part.node, cell.device_spec, self._asked) for part in parts]
        places = [(part.node, asked) for part, asked in zip(parts, demands, strict=True)]
        with members(places, cell.model_dump_json(), self._workplace) as there:
            held = dict(zip([member.hold() for member in there], parts, strict=True))
            self._follow(held, watch, until=lambda part: part.port is not None)
            if all(part.port is not None for part in parts) and not watch.stop:
                addresses = [f"{part.node.address}:{part.port}" for part in parts]
                told = zip(there, configurations(jobs, addresses), strict=True)
                tasks = [member.measure(configuration) for member, configuration in told]
                self._follow(dict(zip(tasks, parts, strict=True)), watch)
        return outcome(cell, parts, self._losses, stopped=bool(watch.stop)), parts

    def _follow(
        self,
        running: dict[Task, Part],
        watch: Watch,
        until: Callable[[Part], bool] = lambda _: False,
    ) -> None:
        """Listen to processes until each is over, or one ended badly and the others had time."""
        parts, ending, look = list(running.values()), float("inf"), 0.0
        while running and not watch.stop and time.monotonic() < ending:
            for task in self._engine.ready(list(running), TICK_S):
                part = running[task]
                part.listen(self._engine.hear(task), watch if part is parts[0] else Quiet(watch))
                if part.over or until(part):
                    del running[task]
            if time.monotonic() >= look:
                look = time.monotonic() + LOOK_EVERY_S
                self._miss(parts)
            if any(part.loss for part in parts) and not parts[0].finished:
                return  # whatever the others could still do, it would not be this cell
            if any(part.ended_badly for part in parts) or parts[0].finished:
                ending = min(ending, time.monotonic() + SETTLE_S)
            tell_late(running.values(), watch)
            watch.tick()

    def _miss(self, parts: Sequence[Part]) -> None:
        """Give up processes whose node is there no more."""
        alive = {node.id for node in self._engine.nodes()}
        for part in parts:
            if part.node.id not in alive and not part.over:
                part.loss = Loss("worker-lost", "Its node was lost.", machine_too=True)
