"""A placement for tests that spoils a real measurement in one way.

It stands between the timed loop and the CPU's own placement, as that of a package for other
hardware would, and everything it does to the cell is real: it really sleeps, really runs half
of the steps, really leaves work undone. What it does, and how much of it, comes from the
variable `ACCELREPORT_FAULT`: a fault's name and a seed.
"""

from __future__ import annotations

import os

import numpy as np

from accelreport.backend.frameworks.tensorflow.strategies import PlacementPlugin
from accelreport.backend.placement import Placement
from accelreport.spec.device import Device
from tests.faults import contents, windows
from tests.faults.honest import Honest

VARIABLE = "ACCELREPORT_FAULT"

FAULTS: dict[str, type[Honest]] = {
    each.__name__: each
    for module in (contents, windows)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, Honest)
}
"""Faults by the names that tests give in `VARIABLE`; `Honest`, the control, among them."""


def _place(inner: Placement, device: Device) -> Placement:
    name, _, seed = os.environ[VARIABLE].partition(":")
    return FAULTS[name](
        strategy=inner.strategy,
        replicas=inner.replicas,
        devices=inner.devices,
        synchronous=inner.synchronous,
        size=np.random.default_rng(int(seed)),
    )


PLACEMENT = PlacementPlugin(name="faulty", place=_place)
