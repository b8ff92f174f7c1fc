"""What a device did in a second at a sweep point, and the limits it is held against."""

from __future__ import annotations

from accelreport.analysis.compute import Bandwidth, Peak, cited_bandwidth, cited_peak, hardware_name
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import median, present
from accelreport.report.text import label
from accelreport.results.record import Environment


def tflops_of(bench: Bench, series: Series, point: Point) -> tuple[float, float, float] | None:
    """TFLOPS and their interval, from the geometric mean of the steady time."""
    found = bench.speedup(series, point)
    work = median([cell.timings.flops_per_step for cell in bench.measured(series, point)])
    if found is None or not present(work):
        return None
    seconds = found.seconds
    ends = (seconds.high, seconds.low)
    low, high = (work / end / 1e12 if present(end) else float("nan") for end in ends)
    return work / seconds.value / 1e12, low, high


def bytes_of(bench: Bench, series: Series, point: Point) -> float:
    """Bytes of a step as the records count them; NaN where none does."""
    return median([row.timings.bytes_per_step for row in bench.measured(series, point)])


def environment_of(bench: Bench, series: Series, point: Point) -> Environment | None:
    """Where the cells ran."""
    for row in bench.measured(series, point):
        record = bench.record(row)
        if record and record.environment:
            return record.environment
    return None


def hardware_of(bench: Bench, series: Series, point: Point) -> str:
    """The name by which a driver knows what the cells ran on; empty for a TPU."""
    kind = bench.plan.devices[series.device].kind
    return hardware_name(environment_of(bench, series, point), kind)


def peak_of(bench: Bench, series: Series, point: Point) -> Peak | None:
    """The peak that is cited for what the cells computed."""
    values = dict(zip(bench.axes, point, strict=True))
    environment = environment_of(bench, series, point)
    hardware = hardware_of(bench, series, point)
    return cited_peak(bench.plan, series.device, values, hardware, environment)


def bandwidth_of(bench: Bench, series: Series, point: Point) -> Bandwidth | None:
    """The memory bandwidth that is cited for it."""
    return cited_bandwidth(bench.plan, series.device, hardware_of(bench, series, point))


def unknown_peak(bench: Bench, series: Series, point: Point) -> str:
    """What is said where no peak is cited."""
    hardware = hardware_of(bench, series, point)
    return f"no cited peak for {label(hardware, 60) if hardware else 'this device'}"
