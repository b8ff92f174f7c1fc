"""One process of a cell whose workers are spread over the nodes of a Ray cluster.

An actor, because it has to be told something while it holds its node: where the others are.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Iterator

from accelreport.backend.cluster.ports import free_ports
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.letters import Reachable
from accelreport.runner.launchers.ray_outbox import Letters, Outbox
from accelreport.runner.launchers.ray_worker import (
    bench,
    forget_what_ray_set,
)
from accelreport.runner.launchers.workplace import broke
from accelreport.spec.cells import Cell


class Member:
    """Holds its node, then measures its part of the cell.

    Args:
        cell: the cell as JSON.
        workplace: how cells are measured, as JSON.
    """

    def __init__(self, cell: str, workplace: str) -> None:
        self._cell = Cell.model_validate_json(cell)
        self._outbox = Outbox()
        self._configuration: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = Stop()
        threading.Thread(target=self._take_part, args=(workplace,), daemon=True).start()

    def hold(self) -> Iterator[Letters]:
        """Wait until nothing else is measured on this node; the last letter is `Reachable`."""
        for bundle in self._outbox.bundles():
            yield bundle
            if any(isinstance(letter, Reachable) for letter in bundle):
                return

    def measure(self, configuration: str) -> Iterator[Letters]:
        """Measure with the others; what there is to tell comes in bundles.

        Args:
            configuration: `TF_CONFIG` of this process.
        """
        self._configuration.put(configuration)
        yield from self._outbox.bundles()

    def _take_part(self, workplace: str) -> None:
        try:
            forget_what_ray_set()
            bench(workplace).measure(
                self._cell, self._stop, self._outbox.post, on_held=self._meet_the_others
            )
        except Exception as error:  # whatever it is, the one who launched it has to know
            self._outbox.post(broke(error))
        finally:
            self._outbox.close()

    def _meet_the_others(self) -> None:
        """Say where this process can be reached, and learn where all can.

        The port is free now and taken by nobody who asks the system for any; see `free_ports`.
        """
        (port,) = free_ports(1)
        self._outbox.post(Reachable(port=port))
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
