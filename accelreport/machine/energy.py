"""Energy of the steady steps, by sensors that count it. They are read between steps.

A sensor counts the energy of a whole package or board, with its idle power and with whatever else
runs there. It is *sensor-grade*: good for comparing long windows, but no calorimeter. If no sensor
can be read, the record says why; nothing is estimated.

- NVML, the counter of NVIDIA's boards (Volta and newer): `nvmlDeviceGetTotalEnergyConsumption`
  counts millijoules since the driver was loaded (NVML API reference, "Device Queries"). The sensor
  samples the power only part of the time and updates about every tenth of a second (Yang, Adamek,
  Armour: "Part-time Power Measurements", SC 2024).
- RAPL, the counters of CPU packages, which Linux shows under /sys/class/powercap: `energy_uj`
  counts microjoules and wraps above `max_energy_range_uj` (the kernel's
  Documentation/power/powercap/powercap.rst). The hardware updates it about every millisecond (Intel
  SDM, volume 3, "Package RAPL Domain"). The same driver shows AMD's packages under the same names.
  Since CVE-2020-8694 mostly only root may read it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from accelreport.machine.nvidia import Board, DriverError, boards, driver, visible
from accelreport.results.record import Energy


class SensorError(RuntimeError):
    """A sensor cannot be read; the message says why and, where there is one, the remedy."""


@dataclass(frozen=True)
class Absent:
    """A sensor that cannot be read on this machine, and the reason."""

    sensor: str
    scope: str
    reason: str


@dataclass
class _Reading:
    """A counter with the energy that it counted inside the windows."""

    counter: Nvml | Rapl
    began_j: float = 0.0
    joules: float = 0.0
    broken: str = ""

    def begin(self) -> None:
        self.began_j = self.read()

    def end(self) -> None:
        self.joules += max(0.0, self.read() - self.began_j)

    def read(self) -> float:
        if self.broken:
            return 0.0
        try:
            return self.counter.joules()
        except SensorError as error:
            self.broken = str(error)
            return 0.0


@dataclass
class Meter:
    """Adds up energy over windows of steady steps.

    Attributes:
        counters: sensors that can be read.
        absent: sensors that cannot.
    """

    counters: Sequence[Nvml | Rapl] = ()
    absent: Sequence[Absent] = ()
    window_s: float = 0.0
    steps: int = 0
    windows: int = 0
    _readings: list[_Reading] = field(default_factory=list)
    _steps: int = 0
    _began: float | None = None

    def __post_init__(self) -> None:
        self._readings = [_Reading(counter) for counter in self.counters]

    def begin(self) -> None:
        """Open a window, unless one is open."""
        if self._began is None and self._readings:
            for reading in self._readings:
                reading.begin()
            self._began = time.perf_counter()

    def passed(self, steps: int) -> None:
        """Note steady steps that ended just now; outside every timed block."""
        if self._began is not None:
            self._steps += steps
            for reading in self._readings:
                reading.read()  # two wraps between readings would be lost

    def end(self) -> None:
        """Close the window, if one is open."""
        if self._began is None:
            return
        for reading in self._readings:
            reading.end()
        self.window_s += time.perf_counter() - self._began
        self.windows += 1
        self.steps += self._steps
        self.discard()

    def discard(self) -> None:
        """Drop the open window, because something other than steps ran in it."""
        self._steps, self._began = 0, None

    def energies(self) -> list[Energy]:
        """The energy by each sensor, readable or not."""
        self.end()
        energies = []
        for reading in self._readings:
            counter, unmeasured = reading.counter, "there was no steady step to measure"
            absent = reading.broken or ("" if self.windows else unmeasured)
            energies.append(
                Energy(
                    sensor=counter.sensor,
                    scope=counter.scope,
                    parts=counter.parts,
                    joules=None if absent else reading.joules,
                    window_s=self.window_s,
                    steps=self.steps,
                    windows=self.windows,
                    unit_j=counter.unit_j,
                    update_s=counter.update_s,
                    absent=absent,
                )
            )
        return energies + [
            Energy(sensor=sensor.sensor, scope=sensor.scope, absent=sensor.reason)
            for sensor in self.absent
        ]


class Nvml:
    """The sum over some boards. Keeps the driver open, so that a reading takes microseconds.

    Args:
        used: the boards.
        opened: closes the driver.

    Attributes:
        sensor: its name.
        scope: what it measures.
        parts: the boards that are added.
        unit_j: joules of one count.
        update_s: seconds between its updates, by its documentation.

    Raises:
        SensorError: a board has no counter.
    """

    sensor, scope, unit_j, update_s = "NVML", "GPU board", 1e-3, 0.1

    def __init__(self, used: Sequence[Board], opened: ExitStack) -> None:
        self._boards = used
        self._opened = opened
        self.parts = [board.name for board in used]
        self._first = self._millijoules()

    def joules(self) -> float:
        """Joules since the counter was opened; raises `SensorError` where it cannot be read."""
        return (self._millijoules() - self._first) * self.unit_j

    def _millijoules(self) -> int:
        import pynvml

        try:
            return sum(board.millijoules() for board in self._boards)
        except pynvml.NVMLError as error:
            raise SensorError(f"the energy counter of a board cannot be read: {error}") from error


def nvml(used: int, variables: Mapping[str, str] = os.environ) -> Nvml | Absent:
    """The counter of the boards that a cell uses, or why there is none.

    Args:
        used: GPUs of the cell in this process.
        variables: environment variables, which decide what boards are visible.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(driver())
            return Nvml(_used_boards(used, variables), stack.pop_all())
        except (DriverError, SensorError) as error:
            return Absent(Nvml.sensor, Nvml.scope, str(error))


def _used_boards(used: int, variables: Mapping[str, str]) -> Sequence[Board]:
    """The visible boards, if they are those that the cell uses and have counters."""
    shown = visible(boards(), variables).boards
    # The driver does not know on which of several visible boards the framework computes.
    if len(shown) != used:
        raise SensorError(
            f"{len(shown)} boards are visible and {used} used: name them in CUDA_VISIBLE_DEVICES"
        )
    if any(board.part for board in shown):
        raise SensorError("a part of a board (MIG) has no counter of its own")
    return shown


POWERCAP = Path("/sys/class/powercap")
ZONE = re.compile(r"intel-rapl:\d+")
"""The folder of a whole zone. `intel-rapl:0:0` is a part of `intel-rapl:0`, and
`intel-rapl-mmio:0` another view of it."""


class Zone:
    """The counter of one package, continued beyond its wraps.

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
        """Microjoules since the zone was opened; of two wraps between calls one is lost."""
        now = _number(self._counter)
        self._total += (now - self._last) % (self._range + 1)
        self._last = now
        return self._total


class Rapl:
    """The sum over the packages of this machine; attributes as of `Nvml`.

    Args:
        zones: at least one.
    """

    sensor, scope, unit_j, update_s = "RAPL", "CPU package", 1e-6, 1e-3

    def __init__(self, zones: list[Zone]) -> None:
        self._zones = zones
        self.parts = [zone.name for zone in zones]

    def joules(self) -> float:
        """See `Nvml.joules`; never falls."""
        return sum(zone.microjoules() for zone in self._zones) * self.unit_j


def rapl(root: Path = POWERCAP) -> Rapl | Absent:
    """The counter of this machine's CPU packages, or why there is none.

    Args:
        root: the folder of the powercap class.
    """
    try:
        folders = sorted(folder for folder in root.iterdir() if ZONE.fullmatch(folder.name))
    except OSError:
        return Absent(
            Rapl.sensor,
            Rapl.scope,
            "the system shows no power counters (/sys/class/powercap): virtual machines and "
            "systems other than Linux mostly have none",
        )
    try:
        zones = [Zone(zone) for zone in folders if _text(zone / "name").startswith("package")]
    except SensorError as error:
        return Absent(Rapl.sensor, Rapl.scope, str(error))
    if not zones:
        return Absent(Rapl.sensor, Rapl.scope, "/sys/class/powercap shows no CPU package")
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


def open_meter(kind: str, devices: Sequence[str]) -> Meter:
    """A meter over the sensors of this machine, with the reasons for those it cannot read.

    Args:
        kind: of the cell's device; the host's packages are read for every kind.
        devices: TensorFlow's names of the devices that compute in this process.
    """
    counters: list[Nvml | Rapl | Absent] = [rapl()]
    if kind == "GPU":
        counters.append(nvml(sum("GPU" in name.upper() for name in devices)))
    return Meter(
        [counter for counter in counters if not isinstance(counter, Absent)],
        [counter for counter in counters if isinstance(counter, Absent)],
    )
