"""How fast other hardware could be at the most: a ceiling of each, and no measurement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from accelreport.report.model import (
    Column,
    Entry,
    Line,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.hardware import environment_of
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series

ABOUT = (
    "A ceiling is a bound and no measurement: the least time of a step is the larger of least "
    "operations over peak and compulsory bytes over memory bandwidth. Operations are those that "
    "were counted here, a convolution’s over the places of its kernel, since no fast algorithm "
    "saves more (Winograd, 1980). "
    "Bytes are the examples of a batch, and of weights and optimizer state what no chip could "
    "keep. It leaves out launches, input, element-wise work, and operations that wait for one "
    "another, so nothing comes near it, least of all with small batches. The precision is the "
    "spec’s, or the fastest that the hardware has a rate for; one unit of the hardware computes."
)


@dataclass(frozen=True)
class Place:
    """A sweep point whose work was counted, and the fastest device that was measured there.

    Attributes:
        point: the sweep point.
        work: of a step.
        series: the fastest device.
        seconds: its steady step.
    """

    point: Point
    work: StepWork
    series: Series
    seconds: float


def places(bench: BenchmarkView) -> list[Place]:
    """Every sweep point with a time and counted operations, in the order of the plan."""
    found = []
    for point in bench.points:
        timed = [
            (compared.seconds.value, series)
            for series in bench.shown_series
            if (compared := bench.speedup(series, point)) is not None
        ]
        if not timed:
            continue
        seconds, series = min(timed, key=lambda each: each[0])
        work = work_at(bench, series, point)
        if work is not None:
            found.append(Place(point, work, series, seconds))
    return found


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
    """What the fastest device reached of its own machine's ceiling; None where none is known."""
    if bench.plan.devices[place.series.device].kind != "CPU":
        return None
    environment = environment_of(bench, place.series, place.point)
    limits = own_limits(environment, place.work.dtype) if environment else None
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


def ceilings_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no measured step has its operations counted."""
    known = places(bench)
    if not known:
        return None
    place = max(known, key=lambda each: each.work.operations)
    limits = known_limits(place.work.dtype)
    return Section(
        "ceilings",
        "How fast it could be: ceilings",
        (_table(bench, place, limits), Prose(ABOUT)),
        finding=_finding(bench, place, limits),
    )


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


def _table(bench: BenchmarkView, place: Place, limits: Iterable[Limits]) -> Table:
    rows = tuple(_row(bench, place, each) for each in limits)
    where = f", {bench.point_title(place.point)}" if bench.axes else ""
    return Table(
        id="ceilings-table",
        title=f"The least time of a {bench.words.step} on known hardware{where}: ceilings",
        caption=(
            f"The speedup is over {place.series.title}, the fastest that was measured here "
            f"({formatting.duration(place.seconds)}). Where a source did not name its hardware, "
            "the last column says what its time would be of this row’s ceiling."
        ),
        corner="hardware",
        columns=(
            Column("least time (ceiling)", number=True),
            Column("speedup at most (ceiling)", number=True),
            Column("limited by"),
            Column("published time, as a share of it", number=True),
        ),
        groups=(RowGroup(rows),),
        folded=True,
    )


def _row(bench: BenchmarkView, place: Place, limits: Limits) -> Row:
    found = ceiling(place.work, limits)
    shares = published_share(bench, place, limits, found)
    told = tuple(
        Line(f"{label(sweep.label, 40)} {formatting.percent(share, 2)}") for sweep, share in shares
    )
    peak = f"{formatting.number(limits.peak.tflops)} TFLOPS {label(limits.peak.dtype, 20)}"
    return Row(
        Entry((Line(limits.name), Line(peak, "reason"))),
        (
            Entry((Line(formatting.duration(found.seconds)),)),
            Entry((Line(most(place.seconds / found.seconds)),)),
            Entry((Line(found.limit.value),)),
            Entry(told or (Line("–"),)),
        ),
    )
