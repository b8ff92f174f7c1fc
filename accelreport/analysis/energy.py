"""Energy of a step from what a sensor counted, and how far its edges blur it."""

from __future__ import annotations

from accelreport.results.record import Energy


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
