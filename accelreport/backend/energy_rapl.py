"""RAPL: the energy counters of CPU packages, as Linux shows them under /sys/class/powercap.

`energy_uj` counts microjoules and begins anew above `max_energy_range_uj`
(Documentation/power/powercap/powercap.rst of the kernel). The hardware updates it about every
millisecond (Intel SDM, volume 3, "Package RAPL Domain"). AMD's packages are shown by the same
driver under the same names. Since CVE-2020-8694 mostly only root may read it.
"""

from __future__ import annotations

import re
from pathlib import Path

from accelreport.backend.energy import Absent, SensorError

POWERCAP = Path("/sys/class/powercap")
ZONE = re.compile(r"intel-rapl:\d+")
"""A zone of its own. `intel-rapl:0:0` is a part of one, `intel-rapl-mmio:0` the same again."""

SENSOR, SCOPE = "RAPL", "CPU package"
UPDATE_S = 1e-3
UNIT_J = 1e-6


class Zone:
    """One package's counter, unwrapped.

    Args:
        folder: its folder under `powercap`.

    Raises:
        SensorError: it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.name = _text(folder / "name")
        self._counter = folder / "energy_uj"
        self._range = _number(folder / "max_energy_range_uj")
        self._last = _number(self._counter)
        self._total = 0

    def microjoules(self) -> int:
        """Counted since the zone was opened. One wrap between two calls is seen, two are not."""
        now = _number(self._counter)
        self._total += (now - self._last) % (self._range + 1)
        self._last = now
        return self._total


class Rapl:
    """The packages of this machine, added.

    Args:
        zones: at least one.
    """

    sensor, scope, unit_j, update_s = SENSOR, SCOPE, UNIT_J, UPDATE_S

    def __init__(self, zones: list[Zone]) -> None:
        self._zones = zones
        self.parts = [zone.name for zone in zones]

    def joules(self) -> float:
        """See `energy.Counter`."""
        return sum(zone.microjoules() for zone in self._zones) * UNIT_J


def rapl(root: Path = POWERCAP) -> Rapl | Absent:
    """The counter of this machine's CPU packages, or why there is none.

    Args:
        root: the folder of the powercap class.
    """
    try:
        folders = sorted(each for each in root.iterdir() if ZONE.fullmatch(each.name))
    except OSError:
        return Absent(
            SENSOR,
            SCOPE,
            "the system shows no power counters (/sys/class/powercap): virtual machines and "
            "systems other than Linux mostly have none",
        )
    try:
        zones = [Zone(each) for each in folders if _text(each / "name").startswith("package")]
    except SensorError as error:
        return Absent(SENSOR, SCOPE, str(error))
    if not zones:
        return Absent(SENSOR, SCOPE, "/sys/class/powercap shows no CPU package")
    return Rapl(zones)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except PermissionError as error:
        raise SensorError(
            f"only root may read {path.name} of {path.parent.name}; an administrator can allow it "
            "with `chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj` until the next start"
        ) from error
    except OSError as error:
        raise SensorError(
            f"{path.name} of {path.parent.name} cannot be read: {error.strerror}"
        ) from error


def _number(path: Path) -> int:
    text = _text(path)
    if not text.isdigit():
        raise SensorError(f"{path.name} of {path.parent.name} holds no number")
    return int(text)
