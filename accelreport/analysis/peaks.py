"""The arithmetic a device cannot exceed, as its maker cites it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import Device

COMPUTE_DTYPE = {
    "float32": "float32",
    "mixed_float16": "float16",
    "mixed_bfloat16": "bfloat16",
}
"""Element type of the products under each Keras dtype policy."""


@dataclass(frozen=True)
class Peak:
    """A cited peak.

    Attributes:
        tflops: 10¹² floating-point operations per second.
        dtype: element type it is cited for.
        source: where it is written.
    """

    tflops: float
    dtype: str
    source: str


def peak_for(device: Device, dtype: str) -> Peak | None:
    """The peak cited for a device and element type.

    Without one for that type the largest is taken: hardware that offers no rate for a type
    computes in another (a TPU multiplies float32 as bfloat16), never faster than its best.
    None when the devices file cites nothing.
    """
    if not device.peak_tflops:
        return None
    known = device.peak_tflops
    best = dtype if dtype in known else max(known, key=lambda name: known[name])
    return Peak(known[best], best, device.peak_source)


def cited_peak(plan: PlanDocument, device: str, point: Mapping[str, Any]) -> Peak | None:
    """The peak for what a plan computes on a device at a sweep point."""
    spec = plan.devices.get(device)
    if spec is None:
        return None
    asked = point.get("dtype") or plan.workload.get("dtype")
    return peak_for(spec, str(asked) if asked else COMPUTE_DTYPE[spec.precision])
