"""Where a measured step stands under its device's roofs.

attainable = min(peak, intensity · bandwidth)

(Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009.) The intensity is operations over
bytes, both counted in the graph: it belongs to the algorithm as it is written, so that caches
can lift a step above the slanted roof, and operations that only move memory push it below.
Above the peak nothing can be.
"""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.analysis.peaks import Bandwidth, Peak


@dataclass(frozen=True)
class Position:
    """A step under its roofs.

    Attributes:
        intensity: operations for each byte.
        tflops: what was reached, 10¹² operations per second.
        peak: the flat roof.
        bandwidth: the slanted roof.
    """

    intensity: float
    tflops: float
    peak: Peak
    bandwidth: Bandwidth

    @property
    def ridge(self) -> float:
        """Operations for each byte from which on arithmetic is the lower roof."""
        return self.peak.tflops * 1000 / self.bandwidth.gbps

    @property
    def attainable(self) -> float:
        """10¹² operations per second under the lower roof."""
        return min(self.peak.tflops, self.intensity * self.bandwidth.gbps / 1000)

    @property
    def share(self) -> float:
        """What was reached of that; above 1 where caches spare the memory."""
        return self.tflops / self.attainable

    @property
    def bound(self) -> str:
        """The lower roof: `memory` or `arithmetic`."""
        return "memory" if self.intensity < self.ridge else "arithmetic"


def position(
    flops: float, moved: float, seconds: float, peak: Peak | None, bandwidth: Bandwidth | None
) -> Position | str:
    """The position, or in a few words why there is none.

    Args:
        flops: operations of a step.
        moved: bytes of a step.
        seconds: its steady time.
        peak: of the device, for the element type.
        bandwidth: of its memory.
    """
    if not (flops > 0 and seconds > 0):
        return "operations not counted"
    if not moved > 0:
        return "bytes not counted"
    if peak is None:
        return "no cited peak"
    if bandwidth is None:
        return "no cited memory bandwidth"
    if not (peak.checked and bandwidth.checked):
        return "its cited limits were not checked"
    return Position(flops / moved, flops / seconds / 1e12, peak, bandwidth)
