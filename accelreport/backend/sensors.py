"""The energy sensors of this machine, opened for one cell."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.backend.energy import Absent, Counter, Meter
from accelreport.backend.energy_nvml import nvml
from accelreport.backend.energy_rapl import rapl


def open_meter(kind: str, devices: Sequence[str]) -> Meter:
    """A meter over what can be read here, which also knows what cannot.

    Args:
        kind: of the cell's device; the host's packages are read whatever it is.
        devices: TensorFlow's names of the devices that compute in this process.
    """
    found: list[Counter | Absent] = [rapl()]
    if kind == "GPU":
        found.append(nvml(sum("GPU" in name.upper() for name in devices)))
    return Meter(
        [each for each in found if not isinstance(each, Absent)],
        [each for each in found if isinstance(each, Absent)],
    )
