"""What a sensor of the machine said of the energy of a cell: a part of its record."""

from __future__ import annotations

from accelreport.results.plan_document import Count, Document, Seconds


class Energy(Document):
    """Energy of the steady steps by one sensor of the machine, or why there is none.

    A sensor sees the whole package or board, idle power and other programs included.
    """

    sensor: str
    """The sensor: `RAPL` or `NVML`."""
    scope: str
    """What it measures: `CPU package` or `GPU board`."""
    parts: list[str] = []
    """The packages or boards that were read and added."""
    joules: float | None = None
    """Energy between the readings; absent where the sensor could not be read."""
    window_s: Seconds = 0.0
    """Wall-clock seconds between the readings, added over windows."""
    steps: Count = 0
    """Steady steps within the windows."""
    windows: Count = 0
    """Windows: one for each epoch (one for all calls of a kernel), evaluations left out."""
    unit_j: float | None = None
    """Unit in which the sensor counts."""
    update_s: float | None = None
    """Seconds between the sensor's updates, by its documentation."""
    absent: str = ""
    """Why there is no energy."""
