"""How much a machine differs from itself, and what a comparison on it can therefore show.

Processes of one and the same cell run one after the other and are taken in pairs, as `compare`
pairs OLD and NEW. The true ratio of a pair is 1, so the root mean square of the logarithms of their
ratios estimates the standard deviation that a comparison will meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import expm1, hypot, isfinite, log1p, sqrt

from accelreport.analysis.speedup import Terms
from accelreport.analysis.stats import least_room, processes_to_reach
from accelreport.results.plan_document import Document
from accelreport.results.record import Record
from accelreport.spec.base import Scalar

FEWEST_PAIRS = 3
"""Fewer pairs give no estimate."""

REPEATS = (3, 5, 10, 20)
"""Numbers of repeats that a person chooses among."""


class Noise(Document):
    """The result of an A/A measurement of a device at one sweep point on one machine."""

    workload: str
    """The spec with its profile; empty for the small network that comes along."""
    device: str
    """Name of the device."""
    point: dict[str, Scalar]
    """Sweep point."""
    machine: str
    """Fingerprint of the machine."""
    pairs: int
    """Pairs of processes."""
    spread: float
    """Standard deviation of the logarithm of the ratio of two processes of the same cell."""
    measured_at: str
    """When the last of them began, UTC in ISO 8601."""

    def shown_by(self, repeats: int) -> float:
        """The smallest slowdown that so many repeats show, as a fraction.

        A true one of this size has an interval of 95 % that leaves out 1 with a probability of
        80 %; so the gate passes unchanged code as often at a margin of this size.
        """
        return expm1(least_room(repeats, self.spread))

    def repeats_for(self, slowdown: float) -> int | None:
        """The repeats that a slowdown of this size needs; None where no number of them will do."""
        return processes_to_reach(log1p(slowdown), self.spread)


def noise_of(workload: str, records: Iterable[tuple[Record, float]]) -> Noise | None:
    """The noise of one device at one sweep point; None where there are too few pairs.

    Args:
        workload: as `Noise` names it.
        records: processes of one cell but for the seed, with the seconds of a steady step.
    """
    ordered = sorted(records, key=lambda pair: pair[0].started_at)
    seconds = [value for _, value in ordered]
    if not all(isfinite(value) and value > 0 for value in seconds):
        raise ValueError("a process without a time has no noise")
    pairs = len(seconds) // 2
    if pairs < FEWEST_PAIRS:
        return None
    # Mean and spread of the one comparison of the house, of which the true mean is known to be 0.
    earlier, later = (
        Terms.of(dict(enumerate(seconds[first : 2 * pairs : 2])), signed=False) for first in (0, 1)
    )
    contrast = (later + earlier.times(-1)).contrast
    last = ordered[-1][0]
    return Noise(
        workload=workload,
        device=last.cell.device,
        point=dict(last.cell.point),
        machine=last.machine,
        pairs=pairs,
        spread=hypot(contrast.value, contrast.spread * sqrt((pairs - 1) / pairs)),
        measured_at=last.started_at,
    )


def nearest(
    known: Iterable[Noise], machine: str, workload: str, device: str, point: dict[str, Scalar]
) -> Noise | None:
    """The noise of a machine at this very place, else that of the small network; None without."""
    here = [noise for noise in known if noise.machine == machine]
    exact = (
        noise
        for noise in here
        if (noise.workload, noise.device, noise.point) == (workload, device, point)
    )
    small = (noise for noise in here if not noise.workload and noise.device == device)
    return next(exact, None) or next(small, None)
