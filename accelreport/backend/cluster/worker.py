"""One process of a distributed cell: `python -m accelreport.backend.cluster.worker ORDERS`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from accelreport.backend.child import measured, write_whole
from accelreport.backend.cluster.blame import blame
from accelreport.backend.cluster.leash import end_with
from accelreport.backend.cluster.orders import Orders
from accelreport.backend.cluster.server import serve
from accelreport.backend.reporter import Reporter

FAILED = 1
"""Exit code of a process whose own record says what went wrong."""


class Announcer(Reporter):
    """Also makes a file when the process has joined its cluster."""

    def __init__(self, descriptor: int | None, ready: Path) -> None:
        super().__init__(descriptor)
        self._ready = ready

    def phase(self, phase: str) -> None:
        """See `Reporter.phase`; every stage after the import comes after joining."""
        if phase != "import":
            self._ready.touch()
        super().phase(phase)


def main(arguments: list[str]) -> int:
    """Do what the orders say; `FAILED` when the process' own record says what went wrong."""
    orders = Orders.model_validate_json(Path(arguments[0]).read_text(encoding="utf-8"))
    end_with(orders.supervisor)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    ready, device = Path(orders.ready_path), orders.job.cell.device_spec
    if device.strategy != "tpu" and "TF_CONFIG" not in os.environ:
        from accelreport.backend.cluster.slurm import resolve

        resolve(device)
    if orders.role == "serve":
        serve(device, ready, until_chief_ends=orders.external)
        return 0
    descriptor = orders.job.events_fd if orders.chief else None
    record = measured(orders.job, Announcer(descriptor, ready), leads=orders.chief)
    record = blame(record, orders.task)
    write_whole(record, Path(orders.record_path))
    return FAILED if record.status == "failed" else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # At an ordinary exit the processes of a cluster wait for each other, dead ones included.
    os._exit(code)
