"""Peak memory of each process and device, and energy where a sensor could be read."""

from __future__ import annotations

from accelreport.analysis.compute import blur, joules_per_step, watts
from accelreport.report import formatting
from accelreport.report.model import Badge, Block, Entry, Line, Prose, Section, Table
from accelreport.report.pages.badges import absence, number_badges, points_by_devices
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, median, present
from accelreport.results.record import Energy, Record

SENSOR_GRADE = Badge(
    "sensor-grade",
    "A sensor’s count of a whole package or board, idle power and other programs included. Good "
    "for comparing long windows, no calorimeter.",
    "quiet",
)
"""Said of every figure of energy."""

MOST_PROCESSES = 4
"""Processes of a distributed cell that are listed one by one."""


def resources_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no record tells its memory."""
    if not any(present(row.memory.host_peak_bytes) for row in bench.rows):
        return None
    blocks: tuple[Block, ...] = (_memory(bench), _energy(bench))
    return Section("resources", "Memory and energy", blocks, finding=_finding(bench))


def _records(bench: BenchmarkView, series: Series, point: Point) -> list[Record]:
    found = (bench.record(row) for row in bench.measured(series, point))
    return [record for record in found if record is not None]


# Memory ----------------------------------------------------------------------------------------


def _memory(bench: BenchmarkView) -> Table:
    return points_by_devices(
        bench,
        _peak,
        id="memory-table",
        title="Peak memory",
        caption=(
            "Medians over processes. Of a process: its largest resident set up to the end of the "
            "timed steps, TensorFlow itself included. Of a device: the peak of TensorFlow’s own "
            "allocator, where it counts."
        ),
    )


def _peak(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    rows = bench.measured(series, point)
    host = median([row.memory.host_peak_bytes for row in rows])
    if not present(host):
        return absence(bench, series, point)
    device = median([row.memory.device_peak_bytes for row in rows])
    told = f"{formatting.size(device)} on the device" if present(device) else "device: not told"
    lines = [Line(formatting.size(host)), Line(told, "interval")]
    lines += [Line(text, "detail") for text in _processes(_records(bench, series, point))]
    badges = number_badges(bench.planned(series, point))
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges, mark="small")


def _processes(records: list[Record]) -> list[str]:
    """Each process of a distributed cell with its peak, from the first record that has them."""
    hosts = next((record.hosts for record in records if record.hosts), [])
    known = [host for host in hosts if host.peak_bytes is not None]
    said = [f"{label(each.task, 20)}: {formatting.size(each.peak_bytes)}" for each in known]
    more = len(said) - MOST_PROCESSES
    return said[:MOST_PROCESSES] + ([f"and {more} more"] if more > 0 else [])


# Energy ----------------------------------------------------------------------------------------


def _energy(bench: BenchmarkView) -> Block:
    sensors = sorted(
        {(e.sensor, e.scope) for r in bench.records.values() for e in r.energy if _counted(e)}
    )
    if not sensors:
        return Prose(_none(bench))
    step = bench.words.step
    return points_by_devices(
        bench,
        lambda bench, series, point: _joules(bench, series, point, sensors),
        id="energy-table",
        title=f"Energy of a steady {step}, by the machine’s sensors",
        caption=(
            f"Medians over processes, read between {step}s: joules of the windows of steady "
            f"{step}s over their number, evaluations left out. The blur is the share by "
            "which the sensor’s updates leave the ends of the windows open. Nothing is estimated."
        ),
        notes=_notes(bench),
        badges=(SENSOR_GRADE,),
    )


def _counted(energy: Energy) -> bool:
    return joules_per_step(energy) is not None


def _joules(
    bench: BenchmarkView, series: Series, point: Point, sensors: list[tuple[str, str]]
) -> Entry:
    records = _records(bench, series, point)
    if not records:
        return absence(bench, series, point)
    lines: list[Line] = []
    for sensor, scope in sensors:
        own = [e for r in records for e in r.energy if (e.sensor, e.scope) == (sensor, scope)]
        known = [e for e in own if _counted(e)]
        if known:
            each = median([joules_per_step(e) or 0.0 for e in known])
            power = median([watts(e) or 0.0 for e in known])
            edge = median([blur(e) or 0.0 for e in known])
            window = median([e.window_s for e in known])
            lines += [
                Line(f"{joules(each)}, {label(scope, 40)}"),
                Line(
                    f"{formatting.number(power)} W, blur {formatting.percent(edge, 1)}", "interval"
                ),
                Line(f"{label(sensor, 20)}, {formatting.duration(window)}", "detail"),
            ]
        elif own:
            lines.append(Line(f"{label(scope, 40)}: not read", "reason"))
    if not lines:
        lines.append(Line("no sensor was looked for", "reason"))
    return Entry(tuple(lines), href=bench.evidence(series, point), mark="small")


def joules(value: float) -> str:
    """An energy, such as "3.2 J" or "410 mJ"."""
    for unit, scale in (("kJ", 1e3), ("J", 1.0), ("mJ", 1e-3)):
        if value >= scale:
            return f"{formatting.number(value / scale)}{formatting.SPACE}{unit}"
    return f"{formatting.number(value * 1e6)}{formatting.SPACE}µJ"


def _absences(bench: BenchmarkView) -> list[str]:
    found = {
        f"{label(e.sensor, 20)} ({label(e.scope, 40)}): {label(e.absent, 300)}"
        for record in bench.records.values()
        for e in record.energy
        if e.absent
    }
    return sorted(found)


def _notes(bench: BenchmarkView) -> tuple[str, ...]:
    absent = _absences(bench)
    return (f"Not read. {'; '.join(absent)}.",) if absent else ()


def _none(bench: BenchmarkView) -> str:
    absent = _absences(bench)
    if not absent:
        return "No energy: these records were made without looking for a sensor."
    return f"No energy is given, and none is estimated. {sentence('; '.join(absent))}."


def _finding(bench: BenchmarkView) -> str:
    known = {
        (series, point): value
        for series in bench.shown_series
        for point in bench.points
        if present(
            value := median([row.memory.host_peak_bytes for row in bench.measured(series, point)])
        )
    }
    if not known:
        return ""
    place = max(known, key=lambda each: known[each])
    where = f" at {bench.point_title(place[1])}" if bench.axes else ""
    return (
        f"The largest process, of {place[0].title}{where}, took {formatting.size(known[place])} "
        "of memory."
    )
