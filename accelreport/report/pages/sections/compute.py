"""How much arithmetic each device did, and what it is of its roof and of other hardware's."""

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
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.overview import PublishedRate
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import sound_rates
from accelreport.analysis.timed_sweeps import TimedSweep
from accelreport.report import quantity
from accelreport.report.model import Download, Downloads, Entry, Line, Section
from accelreport.report.pages.badges import (
    absence,
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
from accelreport.report.view import BenchmarkView, Point, Series, once, present
from accelreport.report.warning_text import source_of_peak, type_of_peak


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
            f" Bytes are counted, not measured: {'; '.join(of_bytes)}. The smallest text is "
            "the operations for each of them."
        )
    peaks = {
        f"{series.title}: {label(source_of_peak(peak), 240)}"
        for series, point in places
        if (peak := peak_of(bench, series, point)) and peak.source
    }
    table = points_by_devices(
        bench,
        _entry,
        id="arithmetic-table",
        title=(
            f"Floating-point operations per second, from the steady time of a {bench.words.step}"
        ),
        caption=caption,
        notes=(f"Peaks. {'; '.join(sorted(peaks))}.",) if peaks else (),
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    link = Download(CEILINGS, "Shares of peaks, every benchmark", "measured and published")
    best = max(known, key=lambda place: known[place][0])
    title = f"Arithmetic: {computed(bench, best, known[best][0])}"
    return Section("arithmetic", title, (table, Downloads((link,))), folded=True)


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The rate, its share of the peak or why there is none, and the operations for each byte."""
    rate = tflops_of(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    # The unit may stand below: eight devices have no room for it beside the number.
    lines = [Line(f"{quantity.number(value, *ends)} TFLOPS")]
    if peak := peak_of(bench, series, point):
        share = quantity.percent(value / peak.tflops, 1)
        of = f"of {quantity.number(peak.tflops)} TFLOPS {type_of_peak(peak)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    else:
        lines.append(Line(unknown_peak(bench, series, point), "reason"))
    timed, moved = bench.speedup(series, point), bytes_of(bench, series, point)
    if timed and moved > 0:
        intensity = value * timed.seconds.value * 1e12 / moved
        lines.append(Line(f"{quantity.number(intensity)}{quantity.SPACE}FLOP/B", "detail"))
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
