"""What a process of a cluster is told when it is started."""

from __future__ import annotations

from typing import Literal

from accelreport.backend.job import Job
from accelreport.results.plan_document import Document

SUPERVISOR_VARIABLE = "ACCELREPORT_SUPERVISOR"
"""Holds the number of the process that started all of this host's processes of the cell."""


class Orders(Document):
    """A task of a cell, for `python -m accelreport.backend.cluster.worker ORDERS.json`."""

    job: Job
    """The cell."""
    task: str
    """The task's name, such as `worker:1`."""
    role: Literal["measure", "serve"]
    """Run the timed loop, or compute what another process asks for."""
    chief: bool
    """Whether this process writes the cell's record."""
    external: bool
    """Whether other hosts take part, so that nobody here can tell when the cell has ended."""
    record_path: str
    """Where the process leaves its own record: the chief's is the cell's."""
    ready_path: str
    """File the process makes once it has joined its cluster."""
    supervisor: int
    """Process that started it; it must not outlive that one."""
