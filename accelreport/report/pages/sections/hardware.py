"""How the hardware is used: shares of the peak or roof, arithmetic, memory, energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

from accelreport.analysis.ceilings import ceiling, known_limits
from accelreport.analysis.compute import (
    Peak,
    blur,
    cited_peak,
    hardware_name,
    joules_per_step,
    watts,
)
from accelreport.analysis.findings import Unit
from accelreport.report import quantity
from accelreport.report.charts.dots import Base, marks_text
from accelreport.report.charts.drawing import WIDE
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Downloads,
    Figure,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Size, dots_plot
from accelreport.report.openings.rates import dot_of
from accelreport.report.pages.badges import absent_row, groups_by_point, measured_row
from accelreport.report.pages.sections.shares import (
    DIVIDED,
    Place,
    Reached,
    heaviest,
    reached_shares,
    shares_title,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint, median, present
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
    if place := heaviest(bench):
        blocks.append(_bounds(bench, place))
    if arithmetic or memory:
        blocks += [_use(bench), Downloads((Download(CEILINGS, "All benchmarks"),))]
    if not blocks:
        return None
    detail = ""
    if arithmetic:
        unit, scale = ("GFLOPS", 1e3) if min(arithmetic.values()) < 1 else ("TFLOPS", 1)
        rates = [scale * rate for rate in arithmetic.values()]
        detail = f"{quantity.extent(rates, quantity.number)} {unit}"
    elif memory:
        detail = quantity.extent([*memory.values()], quantity.size)
    return Section("hardware", "Hardware use", tuple(blocks), folded=True, detail=detail)


# Shares of a peak or a roof --------------------------------------------------------------------


def _shares_figure(bench: BenchmarkView, rows: Sequence[Reached]) -> Figure:
    """A row for each device, with a line over its shares at all sweep points."""
    speaker, dots = Speaker(bench), []
    for row in rows:
        last, least = row.shares[-1], min((*row.shares, *row.least), key=lambda own: own.number)
        text = f"{'≥ ' * row.bounded}{speaker.numbers((least, last))}"
        flagged = "exceeds the peak" if row.flagged else ""
        dot = replace(dot_of(speaker, last), name=row.short, text=text, brief=text)
        dots.append(replace(dot, detail=f"{row.limit}: {row.amount}", low=least.number,
                            high=last.number, flagged=flagged))  # fmt: skip
    title = shares_title(row.limit for row in rows)
    plot = dots_plot(
        dots,
        axis="share",
        tick=percent_text,
        base=Base(limit=True),
        id="shares",
        title=title,
        table=Table(
            id="shares-data",
            title=title,
            corner="device",
            columns=(*number_columns(("share",)), Column("of")),
            groups=(RowGroup(tuple(table_row(r.short, r.text(speaker), r.of) for r in rows)),),
        ),
    )
    caption = [marks_text([replace(dot, low=dot.high) for dot in dots], bars=False)]
    caption += [DIVIDED] * any(row.least for row in rows)
    return replace(plot, caption=" ".join(filter(None, caption))).figure(Size(WIDE, 0), ON_A_PHONE)


def _bounds(bench: BenchmarkView, place: Place) -> Table:
    """Upper bounds of known chips at the sweep point with the most work."""
    rows = []
    for limits in known_limits(place.work.dtype):
        bound = ceiling(place.work, limits)
        peak = f"{limits.peak.tflops:g} TFLOPS {type_of_peak(limits.peak)}"
        waits = f", {quantity.duration(limits.kernel_s)} a kernel" * (limits.kernel_s > 0)
        rows.append(
            table_row(
                entry(limits.name, Line(f"{peak}{waits}", "reason")),
                quantity.duration(bound.seconds),
                quantity.write(place.seconds / bound.seconds, Unit.RATIO),
            )
        )
    return Table(
        id="bounds",
        title=f"Calculated upper bounds{bench.at(place.point)}",
        caption=f"Each chip in the precision of its row, over {place.series.title}. Bytes that may "
        "stay on a chip are not counted, nor is the time between kernels unless its row gives it.",
        corner="chip",
        columns=number_columns(("least time", "speedup at most")),
        groups=(RowGroup(tuple(rows)),),
        folded=True,
    )


# What is used ----------------------------------------------------------------------------------


def _use(bench: BenchmarkView) -> Table:
    """Operations, memory and energy of each device at each sweep point."""
    sensors = sorted(
        {(e.sensor, e.scope) for r in bench.records.values() for e in r.energy if _counted(e)}
    )
    titles = ["TFLOPS", "all operations ÷ peak", "FLOP/B", "host memory", "device memory"]
    titles += [f"J a {bench.words.step}, {label(scope, 40)}" for _, scope in sensors]

    def row(place: SeriesPoint) -> Row:
        if not bench.measured(*place):
            return absent_row(bench, place, len(titles))
        texts = [*_operations(bench, *place), _memory(bench, *place)]
        rows = bench.measured(*place)
        peak = median([row.memory.device_peak_bytes for row in rows])
        # A framework may count what it allocates on a CPU, which the host's memory holds.
        on_cpu = bench.plan.devices[place[0].device].kind == "CPU"
        texts.append(quantity.MISSING if on_cpu else quantity.size(peak))
        records = bench.records_of(*place)
        texts += [_joules(records, sensor) for sensor in sensors]
        return measured_row(bench, place, texts)

    absent = sorted(
        {
            f"{label(e.sensor, 20)}: {label(e.absent, 300)}"
            for record in bench.records.values()
            for e in record.energy
            if e.absent
        }
    )
    peaks = {
        f"{place[0].title}: {label(source_of_peak(peak), 240)}"
        for place in bench.shown_places
        if (peak := peak_of(bench, *place)[0]) and peak.source
    }
    notes = [f"Peaks. {'; '.join(sorted(peaks))}."] if peaks else []
    notes += ["Energy windows include the time between timed steps."] * bool(sensors)
    return Table(
        id="use-table",
        title="Operations, memory, energy",
        corner="device",
        columns=number_columns(titles),
        groups=groups_by_point(
            bench, lambda point: (row((series, point)) for series in bench.tried_series)
        ),
        notes=(*notes, *([f"Energy. {'; '.join(absent)}."] if absent else [])),
        badges=(SENSOR_GRADE,) if sensors else (),
        download=Download(f"{bench.slug}/cells.csv", "CSV"),
    )


def _operations(bench: BenchmarkView, series: Series, point: Point) -> tuple[str, str, str]:
    """Operations a second, their share of the cited peak, and the operations for each byte."""
    rate = tflops_of(bench, series, point)
    if rate is None:
        return (quantity.MISSING,) * 3
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    peak, _ = peak_of(bench, series, point)
    share = quantity.percent_at_best(value / peak.tflops) if peak else quantity.MISSING
    of = f" of {peak.tflops:g} {type_of_peak(peak)}" if peak else ""
    timed = bench.speedup(series, point)
    moved = median([row.timings.bytes_per_step for row in bench.measured(series, point)])
    intensity = value * timed.seconds.value * 1e12 / moved if timed and moved > 0 else nan
    return quantity.number(value, *ends), share + of, quantity.number(intensity)


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


SENSOR_GRADE = Badge("sensor-grade", "whole package or board", "quiet")
"""Said of every figure of energy."""

MOST_PROCESSES = 4
"""Processes of a distributed cell that are listed one by one."""


def _host_peak(bench: BenchmarkView, series: Series, point: Point) -> float:
    return median([row.memory.host_peak_bytes for row in bench.measured(series, point)])


def _memory(bench: BenchmarkView, series: Series, point: Point) -> str:
    """The largest resident set; of a distributed cell the sum, and that of each process."""
    parts = [quantity.size(_host_peak(bench, series, point))]
    return "; ".join([*parts, *_processes(bench.records_of(series, point))])


def _processes(records: list[Record]) -> list[str]:
    """Each process of a distributed cell with its peak, from the first record that has them."""
    hosts = next((record.hosts for record in records if record.hosts), [])
    known = [host for host in hosts if host.peak_bytes is not None]
    lines = [f"{label(host.task, 20)}: {quantity.size(host.peak_bytes)}" for host in known]
    more = len(lines) - MOST_PROCESSES
    return lines[:MOST_PROCESSES] + ([f"and {more} more"] if more > 0 else [])


def _counted(energy: Energy) -> bool:
    return joules_per_step(energy) is not None


def _joules(records: Sequence[Record], sensor: tuple[str, str]) -> str:
    """Energy of a steady step, power, and the share of the window that updates leave open."""
    known = [e for r in records for e in r.energy if (e.sensor, e.scope) == sensor and _counted(e)]
    if not known:
        return quantity.MISSING
    energy = median([joules_per_step(e) or 0.0 for e in known])
    power, edge = median([watts(e) or 0.0 for e in known]), median([blur(e) or 0.0 for e in known])
    return f"{joules(energy)}, {quantity.number(power)} W ± {quantity.percent(edge, 1)}"


def joules(value: float) -> str:
    """An energy, such as "3.2 J" or "410 mJ"."""
    for unit, scale in (("kJ", 1e3), ("J", 1.0), ("mJ", 1e-3)):
        if value >= scale:
            return f"{quantity.number(value / scale)}{quantity.SPACE}{unit}"
    return f"{quantity.number(value * 1e6)}{quantity.SPACE}µJ"
