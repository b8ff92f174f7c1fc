"""One benchmark as values: its plan, its records, and every analysis of them, each made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from accelreport.analysis.ceilings import Rates
from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.claims import ClaimResult
from accelreport.analysis.learning import TargetTime, primary_metric, target_times
from accelreport.analysis.published import PublishedResult, published_results
from accelreport.analysis.results import Result, results_of
from accelreport.analysis.speedup import Scaling, Speedup, scaling_of, speedups_of
from accelreport.analysis.stats import grouped
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record

Point = tuple[Any, ...]
"""Values of the axes, in the order of the spec."""


@dataclass(frozen=True)
class Benchmark:
    """A plan document with its records.

    Attributes:
        plan: what the spec said.
        records: its records, by (key, machine).
        highest_tflops: the highest float32 rates that runs on each processor reached, of all
            benchmarks together (`ceilings.highest_rates`): no measured roof lies below them.
    """

    plan: PlanDocument
    records: Mapping[tuple[str, str], Record]
    highest_tflops: Rates = field(default_factory=dict, kw_only=True)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """Every planned cell on every machine that has a record of it."""
        return results_of(self.plan, self.records.values())

    @cached_property
    def compared(self) -> tuple[Speedup, ...]:
        """`analysis.speedup.speedups_of`."""
        return speedups_of(self.plan, self.results)

    @cached_property
    def scaling(self) -> tuple[Scaling, ...]:
        """`analysis.speedup.scaling_of`."""
        return scaling_of(self.plan, self.results)

    @cached_property
    def published_results(self) -> tuple[PublishedResult, ...]:
        """`analysis.published.published_results`."""
        return published_results(self.plan, self.results)

    @cached_property
    def target_times(self) -> tuple[TargetTime, ...]:
        """`analysis.learning.target_times`."""
        return target_times(self.plan, self.results, self.records.values())

    @cached_property
    def tested(self) -> tuple[ClaimResult, ...]:
        """`analysis.claim_rules.claim_results`."""
        return claim_results(self.plan, self.results, self.records.values())

    @cached_property
    def runs(self) -> tuple[tuple[Result, Record], ...]:
        """Every measured process with its record, by device, machine, sweep point and repeat.

        The baseline comes first.
        """
        names = sorted(self.plan.devices, key=lambda name: name != self.plan.baseline.device)

        def place(row: Result) -> tuple[int, str, int]:
            return names.index(row.device), row.machine, self.points.index(self.point_of(row))

        rows = sorted((row for row in self.results if row.measured), key=place)
        return tuple((row, record) for row in rows if (record := self.record(row)))

    @cached_property
    def quality(self) -> str:
        """The metric the page speaks of; empty for what learns nothing, such as a kernel."""
        epochs = (epoch for _, record in self.runs for epoch in record.epochs)
        evaluated = {name for epoch in epochs for name in epoch.metrics}
        return primary_metric(self.plan.measure.target, evaluated)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Names of the swept keys."""
        return tuple(self.plan.axes)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Sweep points, each once, in the order of the spec."""
        points = (tuple(cell.point.get(axis) for axis in self.axes) for cell in self.plan.cells)
        return tuple(dict.fromkeys(points))

    def base_point(self, point: Point) -> Point:
        """The baseline's sweep point for a point: the same, but for the keys that it fixes."""
        return tuple(self.plan.baseline.beside(self.values(point)).values()) if point else point

    def point_of(self, row: Result) -> Point:
        """The sweep point of a cell."""
        return tuple(row.point.values())

    def values(self, point: Point) -> dict[str, Any]:
        """A sweep point by its axes."""
        return dict(zip(self.axes, point, strict=True))

    @cached_property
    def _groups(self) -> dict[tuple[str, str, Point], list[Result]]:
        return grouped(self.results, lambda row: (row.device, row.machine, self.point_of(row)))

    def cells(self, device: str, machine: str, point: Point) -> Sequence[Result]:
        """Cells of one device at one point that have a record from a machine."""
        return self._groups.get((device, machine, point), ()) if machine else ()

    def planned_cells(self, device: str, machine: str, point: Point) -> Sequence[Result]:
        """Cells of one device at one point, also those that no machine has a record of."""
        return (*self.cells(device, machine, point), *self._groups.get((device, "", point), ()))

    def record(self, row: Result) -> Record | None:
        """The record behind a row."""
        return self.records.get((row.key, row.machine))
