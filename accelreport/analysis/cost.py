"""What a run costs, and after how many steps one device has overtaken another.

A device takes `start + (n − 1) · step` for n steps, because a start-up ends with the first. That is
a line, so that two devices change places at most once. Steps beyond those that were measured are
assumed to take as long as the steady ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from accelreport.analysis.results import Result
from accelreport.spec.device import Device


@dataclass(frozen=True)
class TimeLine:
    """What n steps take on a device, in seconds or in money: `start` + (n − 1) · `step`.

    Attributes:
        start: until the first step is done.
        step: of each later step.
    """

    start: float
    step: float

    def at(self, steps: float) -> float:
        """What so many steps take."""
        return self.start + (steps - 1) * self.step

    @property
    def worth(self) -> float:
        """How many steady steps take as long as the start; infinite where a step takes none."""
        return self.start / self.step if self.step else math.inf


STAGES: tuple[tuple[str, tuple[Callable[[Result], float], ...]], ...] = (
    (
        "process and imports",
        (lambda row: row.stages.process_s, lambda row: row.stages.import_s),
    ),
    ("data", (lambda row: row.stages.data_s,)),
    ("model", (lambda row: row.stages.build_s,)),
    ("", (lambda row: row.timings.first_step_s,)),
)
"""Stages of a start-up and the times they are made of; the last is the first step."""


@dataclass(frozen=True)
class Start:
    """A device's start-up at a point, in seconds, each the median of its processes.

    Attributes:
        stages: each by itself, so they need not add up to `total`.
        total: until the first step is done.
        steady_s: a steady step, the mean that every other part of the page gives.
    """

    stages: tuple[float, ...]
    total: float
    steady_s: float


def start_of(rows: Sequence[Result], steady_s: float) -> Start | None:
    """The start-up of some processes; None where no first step was timed."""
    started = [
        # A stage that was not reached takes no time.
        [
            sum(seconds for read in readers if math.isfinite(seconds := read(row)))
            for _, readers in STAGES
        ]
        for row in rows
        if math.isfinite(row.timings.first_step_s)
    ]
    if not started:
        return None
    stages = tuple(map(median, zip(*started, strict=True)))
    return Start(stages, median(map(sum, started)), steady_s)


MOST_STEPS = 10**12
"""Devices that change places later than this do not change places: no training is so long."""


def overtakes(own: TimeLine, other: TimeLine) -> int | None:
    """The fewest steps, from 1, from which on `own` takes less than `other`.

    None where it never does so for good, or only after `MOST_STEPS`.
    """
    later, gain = own.start - other.start, other.step - own.step
    if gain < 0 or (gain == 0 and later >= 0):
        return None
    if later < 0:
        return 1
    steps = later / gain if gain else math.inf
    return math.floor(steps) + 2 if steps < MOST_STEPS else None


@dataclass(frozen=True)
class Price:
    """The price of a device.

    Attributes:
        per_hour: money for an hour.
        currency: of it.
        date: the day of the price; empty if it is unknown.
        source: the provider; empty if it is unknown.
    """

    per_hour: float
    currency: str
    date: str = ""
    source: str = ""

    def of(self, seconds: float) -> float:
        """Money for so many seconds."""
        return self.per_hour * seconds / 3600


def price_of(device: Device | None) -> Price | None:
    """The price the devices file gives; None where it gives none."""
    if device is None or device.price_per_hour is None:
        return None
    return Price(
        device.price_per_hour, device.currency, device.price_date, device.price_source.strip()
    )
