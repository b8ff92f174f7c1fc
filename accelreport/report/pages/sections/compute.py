"""Sweep points whose work was counted, and what each device reached there of what limits it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accelreport.analysis.ceilings import StepWork, work_of
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.speedup import Group
from accelreport.report import quantity
from accelreport.report.view import BenchmarkView, Point, Series, cached_by_bench


@dataclass(frozen=True)
class Place:
    """A sweep point whose work was counted, and a device that was measured there.

    Attributes:
        point: the sweep point.
        work: of a step.
        series: the device.
        group: its processes.
        seconds: its steady step.
    """

    point: Point
    work: StepWork
    series: Series
    group: Group
    seconds: float


def every_place(bench: BenchmarkView) -> Iterator[Place]:
    """Every device at every sweep point with a time and counted operations, in the plan's order."""
    for point in bench.points:
        for series in bench.shown_series:
            compared, work = bench.speedup(series, point), work_at(bench, series, point)
            if compared is not None and work is not None:
                yield Place(point, work, series, compared.own, compared.seconds.value)


def places(bench: BenchmarkView) -> list[Place]:
    """The fastest device at each of them."""
    best: dict[Point, Place] = {}
    for place in every_place(bench):
        if place.point not in best or place.seconds < best[place.point].seconds:
            best[place.point] = place
    return list(best.values())


def work_at(bench: BenchmarkView, series: Series, point: Point) -> StepWork | None:
    """The work of a step of a device; None where it was not counted."""
    values = bench.values(point)
    for record in bench.records_of(series, point):
        if record.flops is not None:
            dtype = compute_dtype(bench.plan, series.device, values)
            return work_of(record.flops, dtype, kernel=bench.words.kernel)
    return None


@cached_by_bench
def heaviest(bench: BenchmarkView) -> Place | None:
    """The sweep point with the most work; None where no measured step has its work counted."""
    return max(places(bench), key=lambda place: place.work.operations, default=None)


def most(speedup: float) -> str:
    """A largest speedup in two digits: a bound has no more."""
    return f"{quantity.number(float(f'{speedup:.2g}'), 0, speedup)}×"
