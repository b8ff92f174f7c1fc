"""Cells as forks of one process, repeats of one condition as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accelreport.backend.protocol import PhaseEvent
from accelreport.runner.interrupt import Stop
from accelreport.runner.process import ForkPool, ForkServer
from accelreport.spec.cells import Cell


class Forks(ForkPool):
    """Forks repeats of a condition from one process, too: no test compares how they scatter."""

    def ready(
        self,
        cell: Cell,
        environment: Mapping[str, str],
        *,
        stop: Stop,
        on_event: Callable[[PhaseEvent], None],
    ) -> ForkServer | None:
        """See `ForkPool.ready`."""
        for server in self._servers:
            server.served.clear()
        return super().ready(cell, environment, stop=stop, on_event=on_event)
