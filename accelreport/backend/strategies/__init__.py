"""The `tf.distribute` strategies a device may name, each made by one function."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.backend.strategies import local
from accelreport.backend.strategies.placement import Placement
from accelreport.spec.models import Device

STRATEGIES: dict[str, Callable[[Device], Placement]] = {
    "default": local.default,
    "one_device": local.one_device,
    "mirrored": local.mirrored,
}
"""Strategies by the name a devices file gives them. TensorFlow is imported by the call."""
