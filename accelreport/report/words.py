"""Figures as words, for sentences about what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accelreport.analysis.compute import AnyChip, OwnRoof, Peak

_UNITS = ((1e-6, 1e-9, "ns"), (1e-3, 1e-6, "µs"), (1.0, 1e-3, "ms"), (120.0, 1.0, "s"))
"""(below, unit in seconds, name)."""


def duration(seconds: float) -> str:
    """Seconds in the unit a reader would choose: "94 µs", "24.1 ms", "6 s", "2.5 h"."""
    for below, unit, name in _UNITS:
        if abs(seconds) < below:
            return f"{seconds / unit:.3g} {name}"
    if abs(seconds) < 7200:
        return f"{seconds / 60:.3g} min"
    return f"{seconds / 3600:.3g} h"


def share(part: float) -> str:
    """A part of a whole as per cent: "26 %"."""
    return f"{100 * part:.0f} %"


def figure(quantity: str, value: float) -> str:
    """A value of a quantity or published figure, with its unit."""
    if quantity.endswith("_time"):
        return duration(value)
    if quantity.endswith("accuracy"):
        return f"{100 * value:.4g} %"
    if quantity.startswith("tflops"):
        return f"{value:.3g} TFLOPS"
    if quantity == "throughput":
        return f"{value:,.0f} samples/s" if value >= 100 else f"{value:.3g} samples/s"
    return f"{value:.3g}×" if quantity in {"speedup", "ratio"} else f"{value:.3g}"


def span(quantity: str, low: float, high: float) -> str:
    """An interval, with its unit once: "4.81–5.14×", "0.195–0.208 TFLOPS"."""
    first, last = figure(quantity, low), figure(quantity, high)
    number, _, unit = first.partition(" ")
    if unit and last.endswith(f" {unit}"):
        first = number
    joint = " to " if low < 0 else "–"
    return f"{first.removesuffix('×')}{joint}{last}"


def at(point: Mapping[str, Any]) -> str:
    """A sweep point: "batch_size = 256, units = 4"."""
    return ", ".join(f"{key} = {value}" for key, value in point.items())


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 cell`, `2 cells`; with a plural of its own where an s does not make it."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def source_of_peak(peak: Peak) -> str:
    """Where a peak is written, or what it follows from where nobody cites one."""
    match source := peak.source:
        case str():
            return source
        case AnyChip():
            return f"no chip does {source.tflops:g} TFLOPS"
        case OwnRoof():
            own = source.measured_tflops
            return f"{source.times:g} times the {own:.3g} TFLOPS that were measured of it"
    return (
        f"derived bound: {source.cores} cores × {source.operations} operations a cycle "
        f"({source.extension}) × {source.ghz:.2f} GHz"
    )
