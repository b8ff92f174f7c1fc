"""Numbers that are not shown: what the timer found against them is shown in their place.

Every other warning stands beside its number. These say that the number is none: that the work
was not done, or that something else was timed.
"""

from __future__ import annotations

from collections.abc import Iterable

from accelreport.analysis.peaks import Peak
from accelreport.analysis.steadiness import Finding

REFUSED = "refused"
"""The status of a row whose number is not shown; its record keeps everything."""

REMEDY = "Correct what is named and measure again with --rerun; the record has the raw times."

ABOVE_PEAK = "above-peak"
"""The kind of a rate above the peak of the hardware."""

REFUSING = frozenset(
    {
        ABOVE_PEAK,
        "canary",
        "compile-inside",
        "constant-input",
        "idle-inside",
        "no-sync",
        "same-run",
        "sample-count",
        "stale-data",
        "stale-state",
        "step-count",
        "time-not-scaling",
        "weights-unmoved",
        "work-inside",
        "wrong-device",
    }
)
"""Kinds of warnings that refuse the number."""


def above_peak(tflops: float, peak: Peak | None) -> Finding | None:
    """A rate above what the hardware can do: some of the counted work was not done.

    It refuses the number where the peak was held against a text; a peak that nobody has
    checked may itself be wrong, and then the warning is `above-unchecked-peak`.
    """
    if peak is None or not tflops > peak.tflops:
        return None
    kind = ABOVE_PEAK if peak.checked else "above-unchecked-peak"
    message = (
        f"{tflops:.3g} TFLOPS is {tflops / peak.tflops:.2g} times the peak of {peak.tflops:g} "
        f"TFLOPS in {peak.dtype} ({peak.source})"
    )
    return Finding(kind, message, tflops / peak.tflops)


def refused(warnings: Iterable[Finding]) -> Finding | None:
    """The first warning that refuses the number; None without any."""
    return next((warning for warning in warnings if warning.kind in REFUSING), None)
