"""The processes of a spread cell, as this side of Ray sees them: a placement group of actors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from accelreport.runner.launchers.base import LauncherError
from accelreport.runner.launchers.ray_engine import Task
from accelreport.runner.launchers.ray_member import Member
from accelreport.runner.launchers.ray_nodes import Demand, Node

NODE_LABEL = "ray.io/node-id"
"""The label by which Ray knows each node."""


class RemoteMember:
    """A process of the cell, see `Member`.

    Args:
        actor: Ray's handle of it.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def hold(self) -> Task:
        """See `Member.hold`."""
        return self._actor.hold.options(num_returns="streaming").remote()

    def measure(self, configuration: str) -> Task:
        """See `Member.measure`."""
        return self._actor.measure.options(num_returns="streaming").remote(configuration)


@contextmanager
def members(
    places: Sequence[tuple[Node, Demand]], cell: str, workplace: str
) -> Iterator[list[RemoteMember]]:
    """A process on each node, all or none; they are gone when this is left.

    Args:
        places: the nodes, and what is asked of each.
        cell: the cell as JSON.
        workplace: how nodes measure a cell, as JSON.

    Raises:
        LauncherError: this Ray cannot choose the nodes of a placement group.
    """
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    remote: Any = ray.remote(Member)
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
            "This Ray cannot spread a cell over chosen nodes.",
            why=f"{error}.",
            remedy="Install a newer one on all nodes: pip install --upgrade ray",
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
            actors.append(options.remote(cell, workplace))
        yield [RemoteMember(actor) for actor in actors]
    finally:
        for actor in actors:
            ray.kill(actor)
        remove_placement_group(group)
