"""The `tf.distribute` strategies a device may name, each made by one function."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.backend.strategies import local, multi_worker, parameter_server, tpu
from accelreport.backend.strategies.placement import Placement
from accelreport.spec.models import Device

STRATEGIES: dict[str, Callable[[Device], Placement]] = {
    "default": local.default,
    "one_device": local.one_device,
    "mirrored": local.mirrored,
    "multi_worker_mirrored": multi_worker.multi_worker_mirrored,
    "parameter_server": parameter_server.parameter_server,
    "tpu": tpu.tpu,
}
"""Strategies by the name a devices file gives them. TensorFlow is imported by the call."""
