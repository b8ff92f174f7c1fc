"""What the order of cells makes of a machine that becomes slower all the time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.methods import paired
from benchmarks.calibration.noise import Experiments
from benchmarks.calibration.orders import balanced, shuffled
from benchmarks.calibration.tables import called_different, covers, half_width, markdown

PROCESSES = 0.005
"""Standard deviation between processes: little, so that drift is what decides."""

SHAPES = (
    ("two devices, nothing else", 2, 1),
    ("two devices, three points", 2, 3),
    ("three devices, four points", 3, 4),
)
"""Specs of the table: devices, and sweep points."""


SIZES = (3, 5)
"""Processes of each device."""


def order_table(count: int, seed: int = 10) -> str:
    """Shuffled repeats (as it was) against balanced ones, for equals on a drifting machine."""
    head = ["spec, drift"]
    head += [f"{what}, n = {n}" for what in ("holds", "called different", "± width") for n in SIZES]
    rows = []
    for name, devices, points in SHAPES:
        for drift in (0.10, 0.25):
            both = [
                [
                    _found(order(devices, points, n), devices * points * n, drift, count, [seed, n])
                    for n in SIZES
                ]
                for order in (shuffled, balanced)
            ]
            cells = [
                f"{before[what]:.1f} → {after[what]:.1f} %"
                for what in range(3)
                for before, after in zip(*both, strict=True)
            ]
            rows.append([f"{name}, {100 * drift:g} % slower at the end", *cells])
    return markdown(head, rows)


def _found(
    moments: NDArray[np.int64], slots: int, drift: float, count: int, seed: list[int]
) -> tuple[float, float, float]:
    """Coverage, false alarms and half-width, in percent, of two equally fast devices."""
    rng = np.random.default_rng(seed)
    chosen = moments[rng.integers(0, len(moments), count)]
    noise = rng.normal(0, PROCESSES, chosen.shape)
    logs = np.log1p(drift * chosen / (slots - 1)) + noise
    ends = paired(Experiments(logs, np.zeros(0)))
    return covers(ends, 0.0), called_different(ends, 0.0), half_width(ends)
