"""How the hardware is used: shares of the peak or roof, arithmetic, memory, energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.ceilings import ceiling, known_limits
from accelreport.analysis.compute import (
    Peak,
    blur,
    cited_peak,
    hardware_name,
    joules_per_step,
    watts,
)
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import dot_plot
from accelreport.report.charts.drawing import FULL
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Downloads,
    Entry,
    Figure,
    Line,
    Prose,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.openings.rates import dot_of, rows_caption
from accelreport.report.pages.badges import absence, measured_entry, points_by_devices
from accelreport.report.pages.sections.shares import (
    FEWEST,
    MEASURED_ROOF,
    SMALLER,
    Place,
    Reached,
    heaviest,
    reached_shares,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, median, present
from accelreport.report.warning_text import source_of_peak, type_of_peak
from accelreport.results.record import Energy, Record

CEILINGS = "ceilings.html"
"""The page of what each benchmark reaches of a peak or a measured roof."""


def hardware_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no operations were counted and no memory was read."""
    shares, places = reached_shares(bench), bench.shown_places
    arithmetic = {at: rate[0] for at in places if (rate := tflops_of(bench, *at)) is not None}
    memory = {at: peak for at in places if present(peak := _host_peak(bench, *at))}
    blocks: list[Block] = []
    if shares:
        blocks.append(_shares_figure(bench, shares))
    if shares and (place := heaviest(bench)):
        blocks.append(_bounds(bench, place))
    if arithmetic:
        link = Download(CEILINGS, "Shares of peaks, every benchmark", "measured and published")
        blocks += [_arithmetic(bench), Downloads((link,))]
    if memory:
        blocks += [_memory(bench), _energy(bench)]
    if not blocks:
        return None
    # Numbers of the fastest would say who is faster, which comparisons with the baseline decide.
    own = sorted(bench.shown_series, key=lambda series: not series.baseline)[:1]
    named = {(series.device, series.machine) for series in own}
    parts = [
        f"{Speaker(bench).numbers(row.shares)} of {row.limit}"
        for row in shares
        for first in row.shares[:1]
        if first.of.row is None and (first.of.device, first.of.machine) in named
    ]
    if rates := [1e3 * rate for (series, _), rate in arithmetic.items() if series in own]:
        parts.append(f"{quantity.extent(rates, quantity.number)} GFLOPS")
    if sizes := [size for (series, _), size in memory.items() if series in own]:
        parts.append(f"{quantity.extent(sizes, quantity.size)} of memory")
    if len(bench.shown_series) > 1 and parts:
        parts[0] = f"{own[0].title}: {parts[0]}"
    detail = " · ".join(parts)
    return Section("hardware", "Hardware use", tuple(blocks), folded=True, detail=detail)


# Shares of a peak or a roof --------------------------------------------------------------------


def _shares_figure(bench: BenchmarkView, rows: Sequence[Reached]) -> Figure:
    """A row for each device, with a mark for each sweep point."""
    speaker = Speaker(bench)
    dots = []
    for row in rows:
        for number, value in enumerate(row.shares):
            last = number == len(row.shares) - 1
            dot = dot_of(speaker, value)
            text = speaker.numbers(row.shares) if last else ""
            dots.append(
                replace(dot, name=row.short, detail=f"of {row.limit}", text=text, joined=number > 0,
                        flagged="exceeds the peak" if last and row.flagged else "")
            )  # fmt: skip
    named_by: dict[str, list[str]] = {}
    for row in rows:
        if row.by:
            named_by.setdefault(row.by, []).append(row.short)
    figure = Plot(
        id="shares",
        title="Share of peak or measured roof",
        description="; ".join(f"{r.name}: {speaker.numbers(r.shares)} of {r.limit}" for r in rows),
        chart=lambda size: dot_plot(
            dots, axis_title="share of what limits it", tick=percent_text,
            width=size.width, height=size.height,
        ),
        caption=" ".join(filter(None, (
            rows_caption(dots),
            "One mark for each sweep point." if len(bench.points) > 1 else "",
            MEASURED_ROOF,
            f"{FEWEST} {SMALLER}" if _convolves(bench) else "",
            *(f"The chip of {quantity.listed(names)} is named by {by}."
              for by, names in named_by.items()),
        ))),
        table=Table(
            "shares-data", "Share of peak or measured roof", (Column("share", number=True),
            Column("of")), corner="device", groups=(RowGroup(tuple(
                table_row(r.short, speaker.numbers(r.shares), f"of {r.limit}") for r in rows
            )),),
        ),
        values=tuple(value for row in rows for value in row.shares),
    )  # fmt: skip
    high = 52 + 46 * len(rows)
    return figure.figure(Size(FULL, high), Size(ON_A_PHONE.width, high))


def _convolves(bench: BenchmarkView) -> bool:
    """Whether fewer operations are held against a roof than were counted."""
    counts = [record.flops for record in bench.records.values() if record.flops]
    return any(count.least and count.least < (count.per_step or 0.0) for count in counts)


def _bounds(bench: BenchmarkView, place: Place) -> Table:
    """Upper bounds of known chips at the sweep point with the most work."""
    rows, every = [], known_limits(place.work.dtype)
    tf32 = any(limits.peak.tf32_tflops for limits in every)
    for limits in every:
        bound = ceiling(place.work, limits)
        speedup = place.seconds / bound.seconds
        # A bound has two digits and no more.
        most = f"{quantity.number(float(f'{speedup:.2g}'), 0, speedup)}×"
        rows.append(
            table_row(
                entry(limits.name, Line(f"{quantity.number(limits.peak.tflops)} TFLOPS "
                                        f"{type_of_peak(limits.peak)}", "reason")),
                quantity.duration(bound.seconds),
                most,
                bound.limit.value,
            )
        )  # fmt: skip
    return Table(
        id="bounds",
        title="Upper bounds for chips that did not run it: not predictions",
        caption=(
            f"Calculated{bench.at(place.point)}: the least time is the larger of the fewest "
            "operations over the peak and the fewest bytes over the memory bandwidth. "
            f"{f'{FEWEST} ' * _convolves(bench)}{'No bound uses TF32. ' * tf32}Launches, input and "
            f"element-wise work are left out, so a measured {bench.words.step} takes longer. The "
            f"speedup is over {place.series.title} ({quantity.duration(place.seconds)})."
        ),
        corner="chip",
        columns=(*number_columns(("least time", "speedup at most")), Column("limited by")),
        groups=(RowGroup(tuple(rows)),),
        folded=True,
    )


# Arithmetic -------------------------------------------------------------------------------------


def _arithmetic(bench: BenchmarkView) -> Table:
    """Operations a second, their share of the peak, and the operations for each byte."""
    counts = [record.flops for record in bench.records.values() if record.flops is not None]
    methods = sorted({label(count.method, 500) for count in counts})
    of_bytes = sorted({label(count.bytes_method, 300) for count in counts if count.bytes_method})
    caption = (
        f"How operations are counted: {'; '.join(methods)}. The "
        "share is of the dense peak cited for the element type, in the "
        "devices file or else in the table of known hardware. The notes say what each "
        "figure was checked against."
    )
    if of_bytes:
        caption += (
            f" Bytes are counted, not measured: {'; '.join(of_bytes)}. The smallest text is "
            "the number of operations for each byte."
        )
    peaks = {
        f"{series.title}: {label(source_of_peak(peak), 240)}"
        for series, point in bench.shown_places
        if (peak := peak_of(bench, series, point)[0]) and peak.source
    }
    return points_by_devices(
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


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The rate, its share of the peak or why there is none, and the operations for each byte."""
    rate = tflops_of(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    # The unit may stand below: eight devices have no room for it beside the number.
    lines = [Line(f"{quantity.number(value, *ends)} TFLOPS")]
    peak, hardware = peak_of(bench, series, point)
    if peak:
        share = quantity.percent(value / peak.tflops, 1)
        of = f"of {quantity.number(peak.tflops)} TFLOPS {type_of_peak(peak)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    else:
        of = label(hardware, 60) if hardware else "this device"
        lines.append(Line(f"no cited peak for {of}", "reason"))
    timed = bench.speedup(series, point)
    moved = median([row.timings.bytes_per_step for row in bench.measured(series, point)])
    if timed and moved > 0:
        intensity = value * timed.seconds.value * 1e12 / moved
        lines.append(Line(f"{quantity.number(intensity)}{quantity.SPACE}FLOP/B", "detail"))
    return measured_entry(bench, (series, point), lines, mark="small")


def tflops_of(
    bench: BenchmarkView, series: Series, point: Point
) -> tuple[float, float, float] | None:
    """TFLOPS and their interval, from the geometric mean of the steady time."""
    speedup = bench.speedup(series, point)
    work = median([cell.timings.flops_per_step for cell in bench.measured(series, point)])
    if speedup is None or not present(work):
        return None
    seconds = speedup.seconds
    ends = (seconds.high, seconds.low)
    low, high = (work / end / 1e12 if present(end) else float("nan") for end in ends)
    return work / seconds.value / 1e12, low, high


def peak_of(bench: BenchmarkView, series: Series, point: Point) -> tuple[Peak | None, str]:
    """The peak that is cited for what cells computed, and by which name a driver knows the chip."""
    known = (record.environment for record in bench.records_of(series, point))
    environment = next(filter(None, known), None)
    name = hardware_name(environment, bench.plan.devices[series.device].kind)
    return cited_peak(bench.plan, series.device, bench.values(point), name, environment), name


# Memory ----------------------------------------------------------------------------------------


SENSOR_GRADE = Badge(
    "sensor-grade",
    (
        "A sensor counts a whole package or board, with idle power and other programs. "
        "Its figures compare long windows well, but it is not a calorimeter."
    ),
    "quiet",
)
"""Said of every figure of energy."""

MOST_PROCESSES = 4
"""Processes of a distributed cell that are listed one by one."""


def _host_peak(bench: BenchmarkView, series: Series, point: Point) -> float:
    return median([row.memory.host_peak_bytes for row in bench.measured(series, point)])


def _memory(bench: BenchmarkView) -> Table:
    return points_by_devices(
        bench,
        _peak,
        id="memory-table",
        title="Peak memory",
        caption=(
            "Medians over processes. The figure of a process is its largest resident set "
            "up to the end of the timed steps, the framework included. That of a device "
            "is the peak of the framework’s own allocator, where it counts."
        ),
    )


def _peak(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    rows = bench.measured(series, point)
    host = _host_peak(bench, series, point)
    if not present(host):
        return absence(bench, series, point)
    device = median([row.memory.device_peak_bytes for row in rows])
    below = f"{quantity.size(device)} on the device" if present(device) else "device: not reported"
    lines = [Line(quantity.size(host)), Line(below, "interval")]
    lines += [Line(text, "detail") for text in _processes(bench.records_of(series, point))]
    return measured_entry(bench, (series, point), lines, mark="small")


def _processes(records: list[Record]) -> list[str]:
    """Each process of a distributed cell with its peak, from the first record that has them."""
    hosts = next((record.hosts for record in records if record.hosts), [])
    known = [host for host in hosts if host.peak_bytes is not None]
    lines = [f"{label(host.task, 20)}: {quantity.size(host.peak_bytes)}" for host in known]
    more = len(lines) - MOST_PROCESSES
    return lines[:MOST_PROCESSES] + ([f"and {more} more"] if more > 0 else [])


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
        title=f"Energy of a steady {step}, from the machine’s sensors",
        caption=(
            f"Medians over processes, read between {step}s: joules of the windows of steady "
            f"{step}s over the number of {step}s, without evaluations. The blur is the share of "
            "the window that the sensor’s update interval leaves open. Nothing is estimated."
        ),
        notes=(f"Not read. {'; '.join(absent)}.",) if (absent := _absences(bench)) else (),
        badges=(SENSOR_GRADE,),
    )


def _counted(energy: Energy) -> bool:
    return joules_per_step(energy) is not None


def _joules(
    bench: BenchmarkView, series: Series, point: Point, sensors: list[tuple[str, str]]
) -> Entry:
    records = bench.records_of(series, point)
    if not records:
        return absence(bench, series, point)
    lines: list[Line] = []
    for sensor, scope in sensors:
        own = [e for r in records for e in r.energy if (e.sensor, e.scope) == (sensor, scope)]
        known = [e for e in own if _counted(e)]
        if known:
            energy = median([joules_per_step(e) or 0.0 for e in known])
            power = median([watts(e) or 0.0 for e in known])
            edge = median([blur(e) or 0.0 for e in known])
            window = median([e.window_s for e in known])
            lines += [
                Line(f"{joules(energy)}, {label(scope, 40)}"),
                Line(f"{quantity.number(power)} W, blur {quantity.percent(edge, 1)}", "interval"),
                Line(f"{label(sensor, 20)}, {quantity.duration(window)}", "detail"),
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
            return f"{quantity.number(value / scale)}{quantity.SPACE}{unit}"
    return f"{quantity.number(value * 1e6)}{quantity.SPACE}µJ"


def _absences(bench: BenchmarkView) -> list[str]:
    absences = {
        f"{label(e.sensor, 20)} ({label(e.scope, 40)}): {label(e.absent, 300)}"
        for record in bench.records.values()
        for e in record.energy
        if e.absent
    }
    return sorted(absences)


def _none(bench: BenchmarkView) -> str:
    absent = _absences(bench)
    if not absent:
        return "No energy: no sensor was looked for when these records were made."
    return f"No energy is given and none is estimated. {sentence('; '.join(absent))}."
