"""The arithmetic a device cannot exceed, as its maker cites it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.hardware import UNCHECKED, named_in
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
    return _best(device.peak_tflops, dtype, device.peak_source)


def peak_of_hardware(text: str, dtype: str) -> Peak | None:
    """The data-sheet peak of the hardware that a text names, such as "Colab GPU (K80)"."""
    known = named_in(text)
    if known is None:
        return None
    return _best(known.tflops, dtype, f"{known.name}; {known.source}, {UNCHECKED}")


def _best(known: Mapping[str, float], dtype: str, source: str) -> Peak | None:
    if not known:
        return None
    best = dtype if dtype in known else max(known, key=lambda name: known[name])
    return Peak(known[best], best, source)


def cited_peak(
    plan: PlanDocument, device: str, point: Mapping[str, Any], hardware: str = ""
) -> Peak | None:
    """The peak for what a plan computes on a device at a sweep point.

    The devices file speaks first; without it, the data sheet of `hardware`, the name by
    which a driver knows what the cell ran on. With `tf32`, float32 means TensorFloat-32.
    """
    spec = plan.devices.get(device)
    if spec is None:
        return None
    asked = point.get("dtype") or plan.workload.get("dtype")
    dtype = str(asked) if asked else COMPUTE_DTYPE[spec.precision]
    if dtype == "float32" and spec.tf32:
        dtype = "tensorfloat32"
    return peak_for(spec, dtype) or peak_of_hardware(hardware, dtype)
