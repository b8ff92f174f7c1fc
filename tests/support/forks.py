"""Cells as forks of one process, of which no fork collects what was imported.

    python -P tests/support/forks.py CONTROL LAUNCHED FOLDER

is the process that is forked: the real one, which leaves alone what it has imported. To look
through all objects of TensorFlow takes longer than most cells of tests do otherwise.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from accelreport.backend import forkserver
from accelreport.backend.protocol import PhaseEvent
from accelreport.runner.interrupt import Stop
from accelreport.runner.process import ForkPool, ForkServer
from accelreport.spec.cells import Cell


class Forks(ForkPool):
    """Forks repeats of a condition from one process, too: no test compares how they scatter."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, (sys.executable, "-P", __file__))

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


imports = forkserver.prepare


def prepare() -> str:
    """What the real one imports; why it must not be forked, or nothing."""
    refused = imports()
    gc.freeze()
    return refused


if __name__ == "__main__":
    forkserver.prepare = prepare
    forkserver.main(sys.argv[1:])
