"""How much arithmetic each device did, its roofline, and the ceilings of other hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accelreport.analysis.ceilings import (
    Ceiling,
    Limits,
    StepWork,
    ceiling,
    limits_named,
    own_limits,
    work_of,
)
from accelreport.analysis.compute import NoPosition, Position, compute_dtype, position
from accelreport.analysis.overview import PublishedRate
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import sound_rates
from accelreport.analysis.timed_sweeps import TimedSweep
from accelreport.report import quantity
from accelreport.report.charts.roofline import Roof, Spot, roofline_chart
from accelreport.report.model import Block, Download, Downloads, Entry, Figure, Line, Section
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.badges import (
    absence,
    keys,
    loud_badges,
    measured_entry,
    points_by_devices,
)
from accelreport.report.pages.hardware import (
    bandwidth_of,
    bytes_of,
    environment_of,
    peak_of,
    tflops_of,
    unknown_peak,
)
from accelreport.report.say_run import computed
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint, once, present
from accelreport.report.warning_text import source_of_peak, type_of_peak

UNIT = f"{quantity.SPACE}FLOP/B"


_LACKS = {
    NoPosition.OPERATIONS: "operations not counted",
    NoPosition.BYTES: "bytes not counted",
    NoPosition.BANDWIDTH: "no cited memory bandwidth",
    NoPosition.UNCHECKED: "its cited limits were not checked",
}
"""Why a step stands under no roof; why it has no peak, `unknown_peak` says."""


def position_of(bench: BenchmarkView, series: Series, point: Point) -> Position | str:
    """The position, or in a few words why there is none."""
    rate = tflops_of(bench, series, point)
    timed = bench.speedup(series, point)
    if rate is None or timed is None:
        return _LACKS[NoPosition.OPERATIONS]
    peak, width = peak_of(bench, series, point), bandwidth_of(bench, series, point)
    seconds = timed.seconds.value
    found = position(rate[0] * seconds * 1e12, bytes_of(bench, series, point), seconds, peak, width)
    if isinstance(found, Position):
        return found
    return _LACKS.get(found) or unknown_peak(bench, series, point)


def _figure(bench: BenchmarkView, under: dict[SeriesPoint, Position]) -> Figure:
    series = [each for each in bench.shown_series if any(place[0] == each for place in under)]
    roofs: dict[tuple[str, float, float], Roof] = {}
    for (each, _), found in under.items():
        limits = (each.title, found.peak.tflops, found.bandwidth.gbps)
        roofs.setdefault(limits, Roof(each, *limits[1:]))
    spots = [
        Spot(each, found.intensity, found.tflops, _text(bench, under, each, point))
        for (each, point), found in under.items()
    ]
    said = "; ".join(
        f"{each.title}, {bench.point_title(point)}: {quantity.number(found.tflops)} TFLOPS at "
        f"{quantity.number(found.intensity)} operations a byte, {found.bound}-bound"
        for (each, point), found in under.items()
    )
    return Plot(
        id="roofline",
        title=f"Each {bench.words.step} under its device’s roofline",
        description=f"{said}.",
        chart=lambda size: roofline_chart(
            list(roofs.values()), spots, x_title="operations for each byte", width=size.width
        ),
        subtitle="Up: TFLOPS. Across: operations for each byte. Both on log scales.",
        caption=(
            "The line is the most that a device can do: it rises with the memory’s "
            "bandwidth, and it is level where arithmetic is the limit. Bytes are those of "
            "the products alone."
        ),
        keys=keys(series),
        badges=loud_badges(bench),
    ).figure(Size(400, 0))


def _text(
    bench: BenchmarkView, under: dict[SeriesPoint, Position], series: Series, point: Point
) -> str:
    """Sweep points are named at the first and the last spot of a device."""
    own = [place[1] for place in under if place[0] == series]
    return bench.point_header(point) if bench.axes and point in {own[0], own[-1]} else ""


def compute_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run counted its operations."""
    places = [(s, p) for s in bench.shown_series for p in bench.points]
    known = {place: rate for place in places if (rate := tflops_of(bench, *place)) is not None}
    if not known:
        return None
    counts = [record.flops for record in bench.records.values() if record.flops is not None]
    methods = sorted({label(each.method, 500) for each in counts})
    of_bytes = sorted({label(each.bytes_method, 300) for each in counts if each.bytes_method})
    caption = (
        f"How operations are counted: {'; '.join(methods)}. One multiply-add counts as "
        "two. The share is of the dense peak cited for the element type, in the "
        "devices file or else in the table of known hardware. The notes say what each "
        "figure was checked against."
    )
    if of_bytes:
        caption += (
            f" Bytes are counted, not measured: {'; '.join(of_bytes)}. The roof is the peak, "
            "or the intensity times the cited memory bandwidth where that is lower. Caches "
            f"can lift a {bench.words.step} above a roof of memory, never above the peak."
        )
    peaks = {
        f"{series.title}: {label(source_of_peak(peak), 240)}"
        for series, point in places
        if (peak := peak_of(bench, series, point)) and peak.source
    }
    widths = {
        f"{series.title}: {quantity.number(width.gbps)} GB/s, {label(width.source, 240)}"
        for series, point in places
        if of_bytes and (width := bandwidth_of(bench, series, point))
    }
    cited = {"Peaks": peaks, "Memory bandwidth": widths}
    table = points_by_devices(
        bench,
        _entry,
        id="arithmetic-table",
        title=(
            f"Floating-point operations per second, from the steady time of a {bench.words.step}"
        ),
        caption=caption,
        notes=tuple(f"{what}. {'; '.join(sorted(of))}." for what, of in cited.items() if of),
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    found = {place: position_of(bench, *place) for place in places}
    under = {place: each for place, each in found.items() if isinstance(each, Position)}
    blocks: list[Block] = [_figure(bench, under), table] if under else [table]
    link = Download(CEILINGS, "Shares of peaks, every benchmark", "measured and published")
    best = max(known, key=lambda place: known[place][0])
    title = f"Arithmetic: {computed(bench, best, known[best][0])}"
    blocks.append(Downloads((link,)))
    return Section("arithmetic", title, tuple(blocks), folded=True)


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The rate, and its shares of the peak and of the roof or why there is none."""
    rate = tflops_of(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    # The unit may stand below: eight devices have no room for it beside the number.
    lines = [Line(f"{quantity.number(value, *ends)} TFLOPS")]
    peak, found = peak_of(bench, series, point), position_of(bench, series, point)
    if peak:
        share = quantity.percent(value / peak.tflops, 1)
        of = f"of {quantity.number(peak.tflops)} TFLOPS {type_of_peak(peak)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    else:
        lines.append(Line(unknown_peak(bench, series, point), "reason"))
    if isinstance(found, Position):
        share = f"{quantity.percent(found.share, 1)} of its roof of {found.bound}"
        at = f"{quantity.number(found.intensity)}{UNIT}, ridge at"
        lines += [
            Line(share, "interval"),
            Line(f"{at} {quantity.number(found.ridge)}{UNIT}", "detail"),
        ]
    elif (timed := bench.speedup(series, point)) and (moved := bytes_of(bench, series, point)) > 0:
        work = value * timed.seconds.value * 1e12
        lines.append(Line(f"{quantity.number(work / moved)}{UNIT}", "detail"))
        lines += [Line(found, "reason")] if peak else []
    return measured_entry(bench, (series, point), lines, mark="small")


CEILINGS = "ceilings.html"
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
    values = bench.values(point)
    for row in bench.measured(series, point):
        record = bench.record(row)
        if record is not None and record.flops is not None:
            dtype = compute_dtype(bench.plan, series.device, values)
            return work_of(record.flops, dtype, kernel=bench.words.kernel)
    return None


def own_limit(bench: BenchmarkView, place: Place) -> tuple[Limits, str] | None:
    """What limits a device, and what that is called; None where nothing is known.

    A CPU's is what its machine reached in a product and in a stream; else what is cited counts.
    """
    kind = bench.plan.devices[place.series.device].kind
    environment = environment_of(bench, place.series, place.point)
    if environment and kind == "CPU":
        seen = bench.seen.get(environment.machine, 0.0)
        measured = own_limits(environment, place.work.dtype, seen)
        if measured is not None:
            return measured, "measured roof"
    peak = peak_of(bench, place.series, place.point)
    if peak is None:
        return None
    width = bandwidth_of(bench, place.series, place.point)
    return Limits(place.series.title, kind, peak, width), "peak"


def own_share(bench: BenchmarkView, place: Place) -> float | None:
    """What a device reached of its own ceiling; None where none is known."""
    found = own_limit(bench, place)
    return ceiling(place.work, found[0]).share(place.seconds) if found else None


@dataclass(frozen=True)
class PublishedShare:
    """What a published rate comes to of the hardware that is known of it.

    Attributes:
        rate: the rate.
        point: its sweep point.
        limits: of the hardware.
        by: who names the hardware, where the rate's source does not.
        value: 1 is the limit itself.
    """

    rate: PublishedRate
    point: Point
    limits: Limits
    by: str
    value: float


def published_shares(bench: BenchmarkView) -> Iterator[PublishedShare]:
    """Shares of published rates whose hardware is known, and whose work was counted here.

    A rate of a kernel is held against the peak itself.
    """
    for rate in sound_rates(bench):
        hardware = hardware_of(rate.row)
        point = next((p for p in bench.points if matches(bench.values(p), rate.where)), None)
        if point is None or hardware is None:
            continue
        at = bench.values(point)
        dtype = compute_dtype(bench.plan, rate.row.device, at)
        limits = limits_named(hardware.known.name, dtype)
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work, batch = next(filter(None, works), None), bench.plan.value("batch_size", at)
        if limits is None:
            continue
        if bench.words.kernel:
            share = rate.rate / limits.peak.tflops
        elif work is not None and isinstance(batch, int | float):
            share = ceiling(work, limits).share(batch / rate.rate)
        else:
            continue
        yield PublishedShare(rate, point, limits, label(hardware.by, 40), share)


def published_share(
    bench: BenchmarkView, place: Place, limits: Limits, found: Ceiling
) -> list[tuple[TimedSweep, float]]:
    """What published times of the same kind of device come to, had they been on this hardware."""
    batch = bench.values(place.point).get("batch_size")
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


def most(speedup: float) -> str:
    """A largest speedup in two digits: a bound has no more."""
    return f"{quantity.number(float(f'{speedup:.2g}'), 0, speedup)}×"
