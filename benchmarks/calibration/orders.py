"""When cells run: in the order of the runner, and in the shuffled one that it used before."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from accelreport.runner.plan import Design

SPECS = 500
"""Names of specs, each with an order of its own, that experiments are dealt out to."""


@cache
def balanced(devices: int, points: int, n: int) -> NDArray[np.int64]:
    """When the first two devices run at the first point, [spec, device, repeat], in cells."""
    names = tuple(map(str, range(devices))), tuple(map(str, range(points)))
    found = np.zeros((SPECS, 2, n), dtype=np.int64)
    for spec in range(SPECS):
        design = Design(f"spec {spec}", *names)
        for repeat in range(n):
            order = design.repeat(repeat)
            for device in range(2):
                place = order.index((str(device), "0"))
                found[spec, device, repeat] = repeat * len(order) + place
    return found


def shuffled(devices: int, points: int, n: int) -> NDArray[np.int64]:
    """The same where the cells of each repeat are shuffled, whatever came before."""
    cells = devices * points
    rng = np.random.default_rng(3)
    places = np.argsort(rng.random((SPECS, n, cells)), axis=-1)[..., [0, points]]
    return np.asarray((np.arange(n)[:, None] * cells + places).transpose(0, 2, 1))
