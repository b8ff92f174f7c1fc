"""How fast could it be: the least time of a step that a piece of hardware leaves.

    t ≥ max(least operations / peak, compulsory bytes / bandwidth, depth · time of a kernel)

(Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009, with compulsory traffic in the place
of counted traffic.) It is a bound with stated assumptions and no measurement: nothing reaches it,
and a figure above it cannot be right.

*Least operations.* Fast algorithms compute a convolution with fewer operations than are counted
of it, and libraries use them: TensorFlow's own benchmark of VGG-16 on a P100 did 1.35 times the
chip's peak in counted operations. F(m × m, r × r), m² results of a kernel of r × r, takes
(m + r - 1)² multiplications, and no algorithm takes fewer (Winograd, *Arithmetic Complexity of
Computations*, 1980; Lavin and Gray, arXiv:1509.09308): one or more for each result, whereas r² are
counted. Whatever the tile, and for Fourier transforms too, less is saved than a factor of the
kernel's places, 9 of 3 × 3 and 25 of 5 × 5; each convolution is divided by as many. Strassen's
products of matrices, which would save more, no library takes unasked.

*Compulsory bytes.* The examples of a batch cross the memory once. Weights and the state of the
optimizer are read and written once, and as far as they fit on the chip they need not cross it;
`ON_CHIP` is more than any chip of the table keeps. A gradient may be used where it is made, and
counts nothing.

*Depth.* Products that need one another follow one another, whatever the hardware: a recurrent
network of 80 steps is 80 deep. The time of each is an assumption that is stated: that every product
is a kernel of its own, and costs what a text says that a kernel costs beside its work. Where no
text says so, this term is nothing.

A bound needs complete counts: where operations were not counted there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite, nan

from accelreport.analysis.compute import (
    Bandwidth,
    Peak,
    best_peak,
    compute_dtype,
    peak_of_hardware,
)
from accelreport.analysis.hardware import HARDWARE, named_in
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import OTHER_LOAD, Environment, Flops, Record
from accelreport.spec.device import Device

ON_CHIP = {"GPU": 256 * 2**20, "TPU": 256 * 2**20, "CPU": 1280 * 2**20}
"""Bytes that may stay on the chip from step to step: an H200 caches 50 MiB, a TPU v4 holds 160, an
EPYC 9684X caches 1,152."""


class Limit(StrEnum):
    """The term of the bound that is the largest."""

    ARITHMETIC = "arithmetic"
    MEMORY = "memory"
    DEPTH = "depth"


@dataclass(frozen=True)
class StepWork:
    """What one step has to do.

    Attributes:
        operations: that no algorithm in use goes below, over all replicas; a multiply-add is two.
        batch_bytes: bytes of the examples.
        state_bytes: bytes of weights and of the optimizer's state.
        dtype: element type of the products.
        depth: the longest chain of products each of which needs the one before; 0 if unknown.
        counted: all operations as counted, where they are more than `operations`.
    """

    operations: float
    batch_bytes: float = 0.0
    state_bytes: float = 0.0
    dtype: str = "float32"
    depth: float = 0.0
    counted: float = 0.0

    @property
    def in_full(self) -> StepWork:
        """The same work with all operations as counted."""
        return replace(self, operations=max(self.operations, self.counted))

    def compulsory_bytes(self, kind: str) -> float:
        """Bytes that cross the memory of a CPU, GPU or TPU at the least."""
        return self.batch_bytes + 2 * max(self.state_bytes - ON_CHIP[kind], 0.0)


def work_of(flops: Flops, dtype: str, *, kernel: bool = False) -> StepWork | None:
    """The work of a step as a record counted it; None where the least operations are unknown.

    A kernel is a product of matrices, also in records that do not say so.
    """
    least = flops.per_step if kernel else flops.least
    if not least:
        return None
    return StepWork(
        least,
        flops.batch_bytes or 0.0,
        flops.state_bytes or 0.0,
        dtype,
        flops.depth or 0.0,
        flops.per_step,
    )


@dataclass(frozen=True)
class Limits:
    """What a piece of hardware can do at most.

    Attributes:
        name: what it is called.
        kind: CPU, GPU or TPU.
        peak: of its arithmetic.
        bandwidth: of its memory; None where none is known, which bounds nothing.
        kernel_s: cited seconds of a kernel that needs the one before, beside the kernel's own work;
            0 where there are none.
        cores: how many times one core's rate the peak is, where no product was measured on them
            all; 0 where one was, and for a cited peak.
    """

    name: str
    kind: str
    peak: Peak
    bandwidth: Bandwidth | None = None
    kernel_s: float = 0.0
    cores: int = 0


@dataclass(frozen=True)
class Ceiling:
    """The least seconds of a step, and what they follow from."""

    seconds: float
    limit: Limit

    def share(self, seconds: float) -> float:
        """What a step of so many seconds reached of it; above 1 it cannot be right."""
        return self.seconds / seconds if seconds > 0 else nan


def ceiling(work: StepWork, limits: Limits) -> Ceiling:
    """The least time of a step on some hardware."""
    arithmetic = work.operations / (limits.peak.tflops * 1e12)
    memory = 0.0
    if limits.bandwidth is not None:
        memory = work.compulsory_bytes(limits.kind) / (limits.bandwidth.gbps * 1e9)
    bounds = {
        Limit.ARITHMETIC: arithmetic,
        Limit.MEMORY: memory,
        Limit.DEPTH: work.depth * limits.kernel_s,
    }
    limit = max(bounds, key=lambda bound: bounds[bound])
    return Ceiling(bounds[limit], limit)


def above(tflops: float, peak: Peak) -> bool:
    """Whether a rate of operations is above its ceiling: the one rule, of measured and published.

    Args:
        tflops: 10¹² operations a second that were done, as the algorithm does them.
        peak: what the hardware can do at most.
    """
    return tflops > peak.tflops


def limits_named(text: str, dtype: str) -> Limits | None:
    """The limits of the hardware that a text names; None where the table has none or no rate."""
    known, peak = named_in(text), peak_of_hardware(text, dtype)
    if known is None or peak is None:
        return None
    units = known.units(text)
    width = None
    if known.gbps is not None:
        width = Bandwidth(known.gbps * units, known.cited)
    kind = kind_of(known.unit, known.name)
    return Limits(known.name, kind, peak, width, known.kernel_us * 1e-6)


def kind_of(unit: str, name: str) -> str:
    """CPU, GPU or TPU, by the row of the table."""
    if "TPU" in name:
        return "TPU"
    return "CPU" if "core" in unit else "GPU"


def known_limits(dtype: str) -> Sequence[Limits]:
    """Every GPU and TPU of the table that has a rate for a type, as its maker calls it."""
    limits = []
    for row in HARDWARE:
        kind = kind_of(row.unit, row.name)
        floating = {name: x for name, x in row.tflops.items() if not name.startswith("int")}
        peak = best_peak(floating, dtype, row.cited, checked=row.reading != "unchecked")
        if peak is None or kind not in {"GPU", "TPU"}:
            continue
        width = Bandwidth(row.gbps, row.cited) if row.gbps is not None else None
        limits.append(Limits(row.name, kind, peak, width, row.kernel_us * 1e-6))
    return limits


ALL_CORES = 0.52
"""Least share of one core's rate times the threads that shows a product on all of them. A library
that lost its threads in a fork reaches half of it on two."""


def own_limits(
    environment: Environment, dtype: str, highest_tflops: float = 0.0, threads: int | None = None
) -> Limits | None:
    """A CPU's measured roof: the fastest product that was measured on it with as many threads.

    Where none was, its upper bound is one core's rate times the threads. None where the record does
    not hold them, or others used the machine meanwhile; and for another type than float32, whose
    products were not measured.

    Args:
        environment: of a record.
        dtype: element type of the products.
        highest_tflops: the highest rate that any run reached with these threads (`highest_rates`).
        threads: that the device may use, where it is not left all.
    """
    roofs = environment.roofs
    if roofs is None or roofs.other_cores > OTHER_LOAD or dtype != "float32":
        return None
    used = min(threads or environment.threads, environment.threads)
    bound = used * roofs.core_tflops
    products = [highest_tflops, *[bound] * (used == 1)]
    products += [roofs.tflops] * (used == environment.threads)
    measured = max(products)
    calculated = measured < ALL_CORES * bound
    return Limits(
        environment.cpu,
        "CPU",
        Peak(bound if calculated else measured, dtype, f"measured: {roofs.method}"),
        Bandwidth(roofs.gbps, f"measured: {roofs.method}"),
        cores=used * calculated,
    )


Processor = tuple[str, ...]
"""A machine's fingerprint, its vector extensions and what its roofs are: those of a cloud may
differ in the last two alone."""
Rates = Mapping[tuple[Processor, int], float]
"""Processor and number of threads → the highest rate of any run, in 10¹² operations a second."""


def processor_of(environment: Environment) -> Processor:
    """The processor that a record is of."""
    roofs = environment.roofs
    return environment.machine, *environment.vector, f"{roofs.core_tflops:g}" if roofs else ""


def usable_threads(device: Device, environment: Environment) -> int:
    """How many threads of a machine a device may use."""
    asked = (device.threads or environment.threads) * (device.all_replicas if device.threads else 1)
    return min(asked, environment.threads)


def highest_rate(rates: Rates, environment: Environment, threads: int) -> float:
    """The highest rate of any run on a processor with at most so many threads; 0 without any."""
    processor = processor_of(environment)
    own = (rate for (of, n), rate in rates.items() if of == processor and n <= threads)
    return max(own, default=0.0)


def highest_rates(
    plan: PlanDocument, records: Iterable[Record]
) -> dict[tuple[Processor, int], float]:
    """The highest float32 rates of the plan's CPU cells, by processor and number of threads.

    It counts what a step needs at the least, so that a fast convolution raises no roof.

    Args:
        plan: its devices say which cells ran on a CPU.
        records: those whose number is not refused.
    """
    best: dict[tuple[Processor, int], float] = {}
    for record in records:
        device = plan.devices.get(record.cell.device)
        least = record.flops.least if record.flops else None
        steady, environment = record.steady, record.environment
        if device is None or device.kind != "CPU" or not least or not isfinite(steady.step_s):
            continue
        if environment and compute_dtype(plan, record.cell.device, record.cell.point) == "float32":
            rate = least * steady.steps / steady.window_s / 1e12
            place = processor_of(environment), usable_threads(device, environment)
            best[place] = max(best.get(place, 0.0), rate)
    return best
