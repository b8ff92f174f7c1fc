"""What was measured of the quantities a claim speaks of."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

import pandas as pd

from accelreport.analysis.intervals import (
    LEVEL,
    NOTHING,
    Interval,
    Term,
    compare,
    logarithms,
)
from accelreport.analysis.selection import (
    SIGNED_QUANTITIES,
    Measurements,
    Point,
    matches,
    quantity,
    rows_of,
)
from accelreport.analysis.sequential import level_of
from accelreport.results.observations import Quantised
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.claims import TIME_QUANTITIES
from accelreport.spec.models import DifferenceCheck, RatioCheck

Withheld = tuple[tuple[str, Point, str], ...]
"""Device, sweep point and reason of every speedup that is withheld."""


@dataclass(frozen=True)
class Evidence:
    """The measurements of one plan, seen from one machine.

    Attributes:
        plan: what the spec said.
        found: its measurements.
        withheld: (device, point, reason) of every speedup that is withheld.
        quantised: (key, machine) → what quantisation did to the model of that process.
        machine: machine whose measurements are preferred.
    """

    plan: PlanDocument
    found: Measurements
    withheld: Withheld
    quantised: Mapping[tuple[str, str], Quantised]
    machine: str

    @cached_property
    def axes(self) -> list[str]:
        """Names of the sweep's axes."""
        return list(self.plan.axes)

    def groups(
        self, where: Mapping[str, Any], mean_over: Collection[str] = ()
    ) -> list[tuple[Point, list[Point]]]:
        """The planned points that match `where`, those that count together in one group.

        Args:
            where: values at which axes are held.
            mean_over: axes whose values count together.

        Returns:
            What is left open, and its points, in the order of the plan.
        """
        found: dict[str, tuple[Point, list[Point]]] = {}
        for point in self.found.points(where):
            place = {axis: value for axis, value in point.items() if axis not in mean_over}
            found.setdefault(repr(place), (place, []))[1].append(point)
        return list(found.values())

    def logs(self, name: str, device: str, over: str, point: Mapping[str, Any]) -> list[Term]:
        """The terms whose weighted sum of means is the logarithm of a quantity.

        `speedup` has two, the times of `over` and those of `device`; any other has one.
        """
        if name != "speedup":
            return [(1.0, logarithms(self.sample(name, device, point)))]
        return [
            (1.0, logarithms(self.sample("steady_step_time", over or self.plan.baseline, point))),
            (-1.0, logarithms(self.sample("steady_step_time", device, point))),
        ]

    def sample(self, name: str, device: str, point: Mapping[str, Any]) -> dict[Hashable, float]:
        """A quantity of every process of a device at a point, by machine and repeat."""
        return quantity(self.found.near(device, point, self.machine), name)

    def terms(self, name: str, device: str, over: str, point: Mapping[str, Any]) -> list[Term]:
        """The terms of a quantity as it is compared: logarithms, or values that may be ≤ 0."""
        if name in SIGNED_QUANTITIES:
            values = self.sample(name, device, point)
            return [(1.0, {key: value for key, value in values.items() if isfinite(value)})]
        return self.logs(name, device, over, point)

    def estimate(
        self, name: str, device: str, over: str, point: Mapping[str, Any], level: float = LEVEL
    ) -> Interval:
        """A quantity on a device at a point, with its interval.

        Where repeats were added until comparisons were decided, every interval here is as
        wide as `level` over all looks takes.
        """
        return self.shown(name, self.terms(name, device, over, point), level)

    def shown(self, name: str, terms: Sequence[Term], level: float = LEVEL) -> Interval:
        """Terms as the quantity itself, at a level that holds over all looks."""
        if not terms or not all(sample for _, sample in terms):
            return NOTHING
        contrast = compare(*terms)
        level = level_of(self.plan, level)
        return contrast.linear(level) if name in SIGNED_QUANTITIES else contrast.ratio(level)

    def ratio(self, check: RatioCheck, points: Sequence[Point], level: float = LEVEL) -> Interval:
        """One quantity over another, of times the inverse, so that more is faster.

        Several points count together by their geometric mean; pairs are formed within repeats.
        Two quantities of the same processes are divided as they stand, process by process.
        """
        over = check.over or (check.of if check.to else self.plan.baseline)
        inverse = check.ratio in TIME_QUANTITIES and not check.within_process
        sign = (-1.0 if inverse else 1.0) / max(len(points), 1)
        terms: list[Term] = []
        for point in points:
            other = point | check.over_where
            if check.ratio == "speedup" and check.to is None:
                step = "steady_step_time"
                above = self.logs(step, over, "", other)
                below = self.logs(step, check.of, "", point)
            else:
                above = self.logs(check.ratio, check.of, "", point)
                below = self.logs(check.to or check.ratio, over, "", other)
            terms += [(sign * weight, logs) for weight, logs in above]
            terms += [(-sign * weight, logs) for weight, logs in below]
        return self.shown("ratio", terms, level)

    def difference(
        self, check: DifferenceCheck, points: Sequence[Point], level: float = LEVEL
    ) -> Interval:
        """One quality minus another, seed by seed; several points count by their mean."""
        weight = 1.0 / max(len(points), 1)
        terms: list[Term] = []
        for point in points:
            other = point | check.than_where
            own = self.terms(check.quality, check.of, "", point)
            base = self.terms(check.to or check.quality, check.than or check.of, "", other)
            terms += [(weight, values) for _, values in own]
            terms += [(-weight, values) for _, values in base]
        return self.shown(check.quality, terms, level)

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


def withheld_in(speedups: pd.DataFrame, axes: Sequence[str]) -> Withheld:
    """The rows of `speedups` that are withheld, as device, point and reason."""
    rows = speedups[speedups["reason"].str.startswith("withheld")] if len(speedups) else speedups
    return tuple(
        (row["device"], {axis: row[axis] for axis in axes}, row["reason"]) for row in rows_of(rows)
    )
