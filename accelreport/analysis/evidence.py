"""What was measured of the quantities a claim speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from accelreport.analysis.intervals import (
    LEVEL,
    NOTHING,
    Interval,
    Term,
    compare,
    geometric_mean,
    logarithms,
    mean,
    ratio,
)
from accelreport.analysis.selection import (
    FINAL_QUANTITIES,
    TIME_QUANTITIES,
    Measurements,
    Point,
    matches,
    quantity,
    rows_of,
)
from accelreport.analysis.sequential import level_of
from accelreport.results.plan_document import PlanDocument

Withheld = tuple[tuple[str, Point, str], ...]
"""Device, sweep point and reason of every speedup that is withheld."""


@dataclass(frozen=True)
class Evidence:
    """The measurements of one plan, seen from one machine.

    Attributes:
        plan: what the spec said.
        found: its measurements.
        withheld: (device, point, reason) of every speedup that is withheld.
        machine: machine whose measurements are preferred.
    """

    plan: PlanDocument
    found: Measurements
    withheld: Withheld
    machine: str

    @cached_property
    def axes(self) -> list[str]:
        """Names of the sweep's axes."""
        return list(self.plan.axes)

    def logs(self, name: str, device: str, over: str, point: Mapping[str, Any]) -> list[Term]:
        """The terms whose weighted sum of means is the logarithm of a quantity.

        `speedup` has two, the times of `over` and those of `device`; any other has one.
        """
        rows = self.found.near(device, point, self.machine)
        if name != "speedup":
            return [(1.0, logarithms(quantity(rows, name)))]
        base = self.found.near(over or self.plan.baseline, point, self.machine)
        return [
            (1.0, logarithms(quantity(base, "steady_step_time"))),
            (-1.0, logarithms(quantity(rows, "steady_step_time"))),
        ]

    def estimate(
        self,
        name: str,
        device: str,
        over: str,
        point: Mapping[str, Any],
        level: float = LEVEL,
    ) -> Interval:
        """A quantity on a device at a point, with its interval.

        Where repeats were added until comparisons were decided, every interval here is as
        wide as `level` over all looks takes.
        """
        level = level_of(self.plan, level)
        if name == "speedup":
            return combined(self.logs(name, device, over, point), level)
        values = list(quantity(self.found.near(device, point, self.machine), name).values())
        average = mean if name in FINAL_QUANTITIES else geometric_mean
        return average(values, level)

    def paired(
        self, name: str, to: str, device: str, point: Mapping[str, Any], level: float = LEVEL
    ) -> Interval:
        """One quantity over another of the same processes, so that each is its own control."""
        rows = self.found.near(device, point, self.machine)
        return ratio(quantity(rows, name), quantity(rows, to), level_of(self.plan, level))

    def quotient(
        self,
        above: tuple[str, str],
        below: tuple[str, str],
        point: Mapping[str, Any],
        level: float = LEVEL,
    ) -> Interval:
        """A (quantity, device) over another; of times the inverse, so that more is faster.

        Pairs are formed within repeats, as always.
        """
        one = self.logs(*above, "", point)
        other = self.logs(*below, "", point)
        sign = -1.0 if above[0] in TIME_QUANTITIES else 1.0
        terms = [(sign * weight, logs) for weight, logs in one]
        terms += [(-sign * weight, logs) for weight, logs in other]
        return combined(terms, level_of(self.plan, level))

    def peak(self, device: str, point: Mapping[str, Any]) -> float:
        """The cited peak of what `device` ran at a point, in TFLOPS; 0 when none is known."""
        rows = self.found.near(device, point, self.machine)
        known = [row["peak_tflops"] for row in rows if row["peak_tflops"] > 0]
        return min(known, default=0.0)

    def why_withheld(self, devices: Sequence[str], point: Mapping[str, Any]) -> str:
        """Why the speedup of one of `devices` at `point` is withheld; empty when none is."""
        return "; ".join(
            sorted(
                {
                    f"{device}: {reason}"
                    for device, where, reason in self.withheld
                    if device in devices and matches(where, point)
                }
            )
        )


def combined(terms: Sequence[Term], level: float = LEVEL) -> Interval:
    """Terms of logarithms as one ratio with its interval."""
    if not terms or not all(sample for _, sample in terms):
        return NOTHING
    return compare(*terms).ratio(level)


def withheld_in(speedups: pd.DataFrame, axes: Sequence[str]) -> Withheld:
    """The rows of `speedups` that are withheld, as device, point and reason."""
    rows = speedups[speedups["reason"].str.startswith("withheld")] if len(speedups) else speedups
    return tuple(
        (row["device"], {axis: row[axis] for axis in axes}, row["reason"]) for row in rows_of(rows)
    )
