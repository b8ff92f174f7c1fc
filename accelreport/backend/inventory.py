"""What this machine is, found out without TensorFlow."""

from __future__ import annotations

from accelreport.results.plan_document import Document
from accelreport.results.record import Gpu


class Inventory(Document):
    """The hardware and the system of this machine."""

    machine: str
    """Fingerprint, eight hexadecimal digits: stable over restarts, different elsewhere."""
    os: str
    """Operating system and kernel."""
    cpu: str
    """CPU model."""
    cores: int | None
    """Physical cores."""
    threads: int
    """Logical processors this process may use."""
    memory_bytes: int
    """Memory of the machine, or of its container when that is less."""
    gpus: list[Gpu]
    """NVIDIA GPUs, as their driver lists them."""
