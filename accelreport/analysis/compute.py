"""The arithmetic and the bytes that a device cannot exceed, and what its sensors read.

`analysis.ceilings` holds steps against both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.hardware import CoreBound, Hardware, derived_cpu_peak, named_in
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import OTHER_LOAD, Energy, Environment, Record
from accelreport.spec.device import Device

COMPUTE_DTYPE = {
    "float32": "float32",
    "mixed_float16": "float16",
    "mixed_bfloat16": "bfloat16",
}
"""Element type of the products under each Keras dtype policy."""

ANY_CHIP_TFLOPS = 1e4
"""No chip sold by 2026 does half as many dense operations in 16 bits or more: an NVIDIA B200 does
2.25 · 10³, and a TPU v7 2.3 · 10³."""

HALF_PRECISION = 16
"""A CPU core does at most so many times its float32 operations in types of 16 bits: AMX's tiles do
1,024 in a cycle, two vector units of 512 bits 64."""

WIDE = {"float32", "float64", "tensorfloat32"}
"""Types that a CPU computes no faster than float32."""

FASTEST_MHZ = 6500
"""No processor is sold with a higher clock; a Core i9-14900KS reaches 6,200."""

OWN_ROOF = 4
"""A processor does at most so many times what NumPy's products reached on it: twice for a clock or
a neighbour on the same core, and twice for another library's kernels."""


@dataclass(frozen=True)
class AnyChip:
    """What no chip that is sold reaches, 10¹² operations a second."""

    tflops: float


@dataclass(frozen=True)
class OwnRoof:
    """So many times what was measured of a processor, 10¹² operations a second."""

    times: float
    measured_tflops: float


Bound = CoreBound | AnyChip | OwnRoof
"""What an uncited peak is calculated from."""


@dataclass(frozen=True)
class Peak:
    """A cited peak, or a bound where none is cited.

    Attributes:
        tflops: 10¹² floating-point operations per second, dense.
        dtype: element type it is of.
        source: where it is written, and whether that was checked; or what it follows from.
        checked: whether it was compared with a text; a peak of the devices file counts as checked.
        tf32_tflops: of a peak in float32, the one in TensorFloat-32, which frameworks may use in
            its place; 0 where the hardware has none.
    """

    tflops: float
    dtype: str
    source: str | Bound
    checked: bool = True
    tf32_tflops: float = 0.0


@dataclass(frozen=True)
class Bandwidth:
    """A cited memory bandwidth: 10⁹ bytes per second, and its source."""

    gbps: float
    source: str


def peak_for(device: Device, dtype: str) -> Peak | None:
    """The peak cited for a device and element type.

    Without one for that type the largest is taken: hardware that offers no rate for a type
    computes in another (a TPU multiplies float32 as bfloat16), never faster than its best.
    None when the devices file cites nothing.
    """
    return best_peak(device.peak_tflops, dtype, device.peak_source)


def peak_of_hardware(text: str, dtype: str, count: int = 1) -> Peak | None:
    """The peak of the hardware that a text names, such as "Colab GPU (K80)".

    Args:
        text: a label, note or driver's name.
        dtype: element type of the products.
        count: how many of them compute.
    """
    known = named_in(text)
    if known is None:
        return None
    units = known.units(text) * count
    rates = {name: units * rate for name, rate in known.tflops.items()}
    return best_peak(rates, dtype, _cited(known, units), checked=known.reading != "unchecked")


def _cited(known: Hardware, units: float) -> str:
    return known.cited if units == 1 else f"{units:g} × {known.cited}"


def best_peak(
    known: Mapping[str, float], dtype: str, source: str, *, checked: bool = True
) -> Peak | None:
    """The peak for an element type, or else the largest of the known ones; None without any."""
    if not known:
        return None
    best = dtype if dtype in known else max(known, key=lambda name: known[name])
    tf32 = known.get("tensorfloat32", 0.0) if best == "float32" else 0.0
    return Peak(known[best], best, source, checked, tf32)


def compute_dtype(plan: PlanDocument, device: str, point: Mapping[str, Any]) -> str:
    """The element type of the products; with `tf32`, float32 means TensorFloat-32."""
    spec = plan.devices.get(device)
    asked = plan.value("dtype", point)
    dtype = str(asked) if asked else COMPUTE_DTYPE[spec.precision if spec else "float32"]
    return "tensorfloat32" if dtype == "float32" and spec and spec.tf32 else dtype


def cited_peak(
    plan: PlanDocument,
    device: str,
    point: Mapping[str, Any],
    hardware: str = "",
    environment: Environment | None = None,
) -> Peak | None:
    """The peak for what a plan computes on a device at a sweep point.

    The devices file speaks first; without it, the table of known hardware, by the name by
    which a driver knows what the cell ran on; for a CPU that is in no table, the bound that
    follows from its cores, vector units and highest clock, where `environment` has them.
    """
    spec = plan.devices.get(device)
    if spec is None:
        return None
    dtype = compute_dtype(plan, device, point)
    peak = peak_for(spec, dtype) or peak_of_hardware(hardware, dtype, count_of(spec))
    if peak is None and spec.kind == "CPU" and environment is not None:
        derived = derived_cpu_peak(environment, dtype, spec.threads)
        peak = Peak(derived.tflops, dtype, derived) if derived else None
    return peak


def own_bound(record: Record) -> Peak:
    """What the machine of a record cannot exceed, where nothing is cited for it.

    For a CPU the lower of two bounds, where they are known: its processors by its vector units and
    a clock that none has, and `OWN_ROOF` times what was measured of it (`Environment.roofs`) while
    the machine was idle: on a loaded one the best of ten products was a sixth of the usual. For
    everything else, what no chip reaches.
    """
    device, machine = record.cell.device_spec, record.environment
    asked = record.cell.value("dtype")
    dtype = str(asked) if asked else COMPUTE_DTYPE[device.precision]
    chips = device.all_replicas
    bounds = [Peak(ANY_CHIP_TFLOPS * chips, dtype, AnyChip(ANY_CHIP_TFLOPS))]
    if device.kind == "CPU" and machine is not None:
        times = max(1, len(record.hosts)) * (1 if dtype in WIDE else HALF_PRECISION)
        fastest = {"cores": machine.threads, "clock_max_mhz": FASTEST_MHZ}
        derived = derived_cpu_peak(machine.model_copy(update=fastest), "float32")
        if derived is not None:
            bounds.append(Peak(times * derived.tflops, dtype, derived))
        if machine.roofs is not None and machine.roofs.other_cores <= OTHER_LOAD:
            own = max(machine.roofs.tflops, machine.threads * machine.roofs.core_tflops)
            bounds.append(Peak(times * OWN_ROOF * own, dtype, OwnRoof(OWN_ROOF, own)))
    return min(bounds, key=lambda bound: bound.tflops)


def cited_bandwidth(plan: PlanDocument, device: str, hardware: str) -> Bandwidth | None:
    """The memory bandwidth of a device: the devices file's, else that of the table's row."""
    spec = plan.devices.get(device)
    return bandwidth_for(spec, hardware) if spec else None


def bandwidth_for(device: Device, hardware: str) -> Bandwidth | None:
    """The memory bandwidth cited for a device, or else for the hardware that a text names."""
    if device.memory_gbps is not None:
        return Bandwidth(device.memory_gbps, device.memory_source)
    known = named_in(hardware)
    if known is None or known.gbps is None:
        return None
    units = known.units(hardware) * count_of(device)
    return Bandwidth(known.gbps * units, _cited(known, units))


def count_of(spec: Device) -> int:
    """How many GPUs compute; a CPU's or TPU's row already means all of its chips."""
    return spec.all_replicas if spec.kind == "GPU" else 1


def hardware_name(environment: Environment | None, kind: str) -> str:
    """What did the arithmetic, by the name its driver or the kernel knows it by.

    Empty for a TPU, whose driver gives no name: a devices file has to cite its peak.
    """
    if environment is None:
        return ""
    if kind == "CPU":
        return environment.cpu
    return environment.gpus[0].name if kind == "GPU" and environment.gpus else ""


def joules_per_step(energy: Energy) -> float | None:
    """Joules of a steady step; None where the sensor was not read or no step was in a window."""
    if energy.joules is None or not energy.steps:
        return None
    return energy.joules / energy.steps


def watts(energy: Energy) -> float | None:
    """Mean power within the windows."""
    if energy.joules is None or not energy.window_s:
        return None
    return energy.joules / energy.window_s


def blur(energy: Energy) -> float | None:
    """Share by which readings between two updates can be off: an update at each window's ends.

    2 · windows · update interval / seconds of the windows
    """
    if energy.update_s is None or not energy.window_s:
        return None
    return 2 * energy.windows * energy.update_s / energy.window_s
