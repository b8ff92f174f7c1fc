"""Energy of the steady steps, by sensors that count it: read between steps, never inside one.

What a sensor counts is the energy of a whole package or board, with its idle power and with
whatever else runs there, so that it is *sensor-grade*: right for comparing long windows, and
no calorimeter. Where no sensor can be read the record says why; nothing is estimated.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from accelreport.results.record import Energy


class SensorError(RuntimeError):
    """A sensor cannot be read; the message says why and, where there is one, the remedy."""


class Counter(Protocol):
    """A sensor that counts energy.

    Attributes:
        sensor: its name, such as `RAPL`.
        scope: what it measures, such as `CPU package`.
        parts: the packages or boards that are added.
        unit_j: joules of one count.
        update_s: seconds between its updates, by its documentation.
    """

    @property
    def sensor(self) -> str: ...  # noqa: D102

    @property
    def scope(self) -> str: ...  # noqa: D102

    @property
    def parts(self) -> list[str]: ...  # noqa: D102

    @property
    def unit_j(self) -> float: ...  # noqa: D102

    @property
    def update_s(self) -> float: ...  # noqa: D102

    def joules(self) -> float:
        """Joules since the counter was opened; never falls.

        Raises:
            SensorError: it can no longer be read.
        """


@dataclass(frozen=True)
class Absent:
    """A sensor that cannot be read here, and why."""

    sensor: str
    scope: str
    reason: str


@dataclass
class _Reading:
    """A counter with what it has counted inside the windows."""

    counter: Counter
    began_j: float = 0.0
    joules: float = 0.0
    broken: str = ""

    def begin(self) -> None:
        self.began_j = self._read()

    def end(self) -> None:
        self.joules += max(0.0, self._read() - self.began_j)

    def keep_up(self) -> None:
        """Read in passing: a counter that wraps must be seen more often than that."""
        self._read()

    def _read(self) -> float:
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

    counters: Sequence[Counter] = ()
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
                reading.keep_up()

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
        """Forget the open window, in which something else happened than steps."""
        self._steps, self._began = 0, None

    def energies(self) -> list[Energy]:
        """What the sensors counted, one entry for each of them, readable or not."""
        self.end()
        found = [self._energy(reading) for reading in self._readings]
        return found + [
            Energy(sensor=each.sensor, scope=each.scope, absent=each.reason) for each in self.absent
        ]

    def _energy(self, reading: _Reading) -> Energy:
        counter = reading.counter
        absent = reading.broken or ("" if self.windows else "there was no steady step to measure")
        return Energy(
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
