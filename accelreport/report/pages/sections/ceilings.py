"""How fast other hardware could be at the most: a ceiling of each, and no measurement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from accelreport.analysis.ceilings import (
    Ceiling,
    Limits,
    StepWork,
    ceiling,
    known_limits,
    own_limits,
    work_of,
)
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.timed_sweeps import TimedSweep
from accelreport.report import formatting
from accelreport.report.model import Download, Downloads, Section
from accelreport.report.pages.hardware import bandwidth_of, environment_of, peak_of
from accelreport.report.view import BenchmarkView, Point, Series, once

PATH = "ceilings.html"
"""Where the page of ceilings lies."""


@dataclass(frozen=True)
class Place:
    """A sweep point whose work was counted, and a device that was measured there.

    Attributes:
        point: the sweep point.
        work: of a step.
        series: the device.
        seconds: its steady step.
    """

    point: Point
    work: StepWork
    series: Series
    seconds: float


def every_place(bench: BenchmarkView) -> Iterator[Place]:
    """Every device at every sweep point with a time and counted operations, in the plan's order."""
    for point in bench.points:
        for series in bench.shown_series:
            compared, work = bench.speedup(series, point), work_at(bench, series, point)
            if compared is not None and work is not None:
                yield Place(point, work, series, compared.seconds.value)


def places(bench: BenchmarkView) -> list[Place]:
    """The fastest device at each of them."""
    best: dict[Point, Place] = {}
    for each in every_place(bench):
        if each.point not in best or each.seconds < best[each.point].seconds:
            best[each.point] = each
    return list(best.values())


def work_at(bench: BenchmarkView, series: Series, point: Point) -> StepWork | None:
    """The work of a step of a device; None where it was not counted."""
    values = dict(zip(bench.axes, point, strict=True))
    for row in bench.measured(series, point):
        record = bench.record(row)
        if record is not None and record.flops is not None:
            dtype = compute_dtype(bench.plan, series.device, values)
            return work_of(record.flops, dtype, kernel=bench.words.kernel)
    return None


def own_share(bench: BenchmarkView, place: Place) -> float | None:
    """What a device reached of its own ceiling; None where none is known.

    A CPU's is what its machine reached in a product and in a stream; else what is cited counts.
    """
    kind = bench.plan.devices[place.series.device].kind
    environment = environment_of(bench, place.series, place.point)
    limits = own_limits(environment, place.work.dtype) if environment and kind == "CPU" else None
    peak = peak_of(bench, place.series, place.point)
    if limits is None and peak is not None:
        width = bandwidth_of(bench, place.series, place.point)
        limits = Limits(place.series.title, kind, peak, width)
    return ceiling(place.work, limits).share(place.seconds) if limits else None


def published_share(
    bench: BenchmarkView, place: Place, limits: Limits, found: Ceiling
) -> list[tuple[TimedSweep, float]]:
    """What published times of the same kind of device come to, had they been on this hardware."""
    batch = dict(zip(bench.axes, place.point, strict=True)).get("batch_size")
    shares = []
    for sweep in bench.timed_sweeps:
        kind = bench.plan.devices[sweep.device].kind
        if sweep.published and kind == limits.kind and isinstance(batch, int | float):
            seconds = sweep.runs[0].get(float(batch))
            if seconds:
                shares.append((sweep, found.share(seconds)))
    return shares


@once
def heaviest(bench: BenchmarkView) -> Place | None:
    """The sweep point with the most work; None where no measured step has its work counted."""
    return max(places(bench), key=lambda each: each.work.operations, default=None)


def ceilings_section(bench: BenchmarkView) -> Section | None:
    """What the site's page of ceilings says of a benchmark; None where it says nothing."""
    place = heaviest(bench)
    if place is None:
        return None
    link = Download(f"{PATH}#{anchor(bench)}", "Ceilings of known hardware", "bounds, one by one")
    return Section(
        "ceilings",
        "How fast it could be: ceilings",
        (Downloads((link,)),),
        finding=_finding(bench, place, known_limits(place.work.dtype)),
    )


def anchor(bench: BenchmarkView) -> str:
    """The benchmark's section on that page."""
    return f"bench-{bench.slug.replace('.', '-')}"


def most(speedup: float) -> str:
    """A largest speedup in two digits: a bound has no more."""
    return f"{formatting.number(float(f'{speedup:.2g}'), 0, speedup)}×"


def _finding(bench: BenchmarkView, place: Place, limits: Sequence[Limits]) -> str:
    bounds = sorted((ceiling(place.work, each).seconds, each.name) for each in limits)
    (best, fastest), (least, slowest) = bounds[0], bounds[-1]
    where = f" at {bench.point_title(place.point)}" if bench.axes else ""
    times = most(place.seconds / best)
    said = (
        f"Ceilings{where}: a {bench.words.step} on {fastest} could be at most {times} as fast as "
        f"on {place.series.title} here, and on {slowest} at most "
        f"{most(place.seconds / least)}."
    )
    share = own_share(bench, place)
    if share is None or isnan(share):
        return said
    return f"{said} {place.series.title} reached {formatting.percent(share, 1)} of its own ceiling."
