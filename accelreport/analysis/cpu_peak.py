"""A bound on a CPU's arithmetic from its cores, its vector units and its highest clock.

operations a second = cores · units · lanes · 2 · clock

A fused multiply-add is two operations; no x86 core sold so far starts more than two vector
multiply-adds a cycle. (The same formula, with the same two units, is worked through for a
Cascade Lake Xeon in Cornell's course "Understanding GPU Architecture".) The bound is no data
sheet's figure: it is never too low, and may be twice too high where a core has one unit of the
widest kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accelreport.results.record import Environment

PER_CYCLE: Mapping[str, tuple[tuple[str, int], ...]] = {
    "float32": (("avx512f", 64), ("fma", 32), ("avx", 16)),
    "bfloat16": (("amx_bf16", 1024), ("avx512_bf16", 128)),
}
"""Element type → extension and operations a core can do in a cycle with it, widest first.

avx512f: 2 units · 16 lanes · 2; fma: 2 · 8 · 2; avx: an 8-lane addition and multiplication;
amx_bf16: 16 · 16 · 32 multiply-adds in 16 cycles, 2 each; avx512_bf16: pairs, so twice float32.
"""


@dataclass(frozen=True)
class Derived:
    """A derived bound: 10¹² operations a second, and the formula with its numbers."""

    tflops: float
    formula: str


def derived_cpu_peak(
    environment: Environment, dtype: str, threads: int | None = None
) -> Derived | None:
    """The bound; None where the record lacks the cores, the extensions or the highest clock.

    Args:
        environment: of the record.
        dtype: element type of the products.
        threads: threads of an operation; each keeps at most one core busy.
    """
    rates = PER_CYCLE.get(dtype, ()) + (PER_CYCLE["float32"] if dtype == "bfloat16" else ())
    per_cycle = next(((n, k) for n, k in rates if n in environment.vector), None)
    if not environment.cores or not environment.clock_max_mhz or per_cycle is None:
        return None
    cores = min(environment.cores, environment.threads, threads or environment.cores)
    extension, operations = per_cycle
    ghz = environment.clock_max_mhz / 1000
    formula = (
        f"derived bound: {cores} cores × {operations} operations a cycle ({extension}) × "
        f"{ghz:.2f} GHz"
    )
    return Derived(cores * operations * ghz / 1000, formula)
