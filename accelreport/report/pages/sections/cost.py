"""Time of a million examples against its cost; memory; energy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan

from accelreport.analysis.compute import blur, joules_per_step, watts
from accelreport.analysis.cost import Price, price_of
from accelreport.analysis.findings import Unit, Value
from accelreport.analysis.overview import published_rates
from accelreport.analysis.speed_findings import published_value, rate_of
from accelreport.analysis.stats import Interval, geometric_mean, grouped
from accelreport.report import quantity
from accelreport.report.charts.trade_off import Offer, trade_off
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Entry,
    Figure,
    Line,
    Prose,
    RowGroup,
    Section,
    Table,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.openings.rates import style_of
from accelreport.report.pages.badges import absence, measured_entry, points_by_devices
from accelreport.report.pages.sections.cold_start import withheld_at
from accelreport.report.pages.sections.peak import HALF
from accelreport.report.published_text import flag_text
from accelreport.report.say import Speaker, signs
from accelreport.report.say_run import memory, worth
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, median, present
from accelreport.results.record import Energy, Record

MILLION = 10**6


@dataclass(frozen=True)
class Priced:
    """The time of a million examples, and the price of an hour of what takes it.

    Attributes:
        value: the time.
        price: of an hour; None where none is given.
        doubts: why a published figure cannot be right as printed.
    """

    value: Value
    price: Price | None
    doubts: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        """Money for a million examples; NaN without a price."""
        return self.price.of(self.value.number) if self.price else nan


def cost_section(bench: BenchmarkView) -> Section | None:
    """The section; None where nothing that trains has a price."""
    rows = list(_priced(bench)) if bench.words.trains else []
    currencies = {row.price.currency for row in rows if row.price}
    if not currencies:
        return None
    title, table = "When is it worth paying for?", _table(bench, rows)
    if len(currencies) > 1:
        finding = "Prices are in different currencies, so no costs are compared."
        return Section("cost", title, (table,), finding=finding, half=True)
    finding = worth(Speaker(bench), [(row.value, row.cost) for row in rows if row.price])
    if sum(row.price is not None for row in rows) == 1:
        return Section("cost", f"{title} {finding}", (table,), folded=True)
    return Section("cost", title, (_plot(bench, rows, table),), finding=finding, half=True)


def _priced(bench: BenchmarkView) -> Iterator[Priced]:
    """Measured rates that may be compared, then published ones that cite a price."""
    withheld = {place for point in bench.points for place, _ in withheld_at(bench, point)}
    for series, point in bench.shown_places:
        pair = bench.speedup(series, point)
        rate = rate_of(pair.own) if pair and (series, point) not in withheld else None
        if rate is not None:
            yield Priced(_of_a_million(rate), price_of(bench.plan.devices.get(series.device)))
    for published in published_rates(bench.plan):
        cited = published.row.price
        if cited and published.comparable:
            price = Price(cited.per_hour, cited.currency, cited.date, f"{cited.of}; {cited.source}")
            value = _of_a_million(published_value(bench, published))
            yield Priced(value, price, tuple(map(flag_text, published.flags)))


def _of_a_million(rate: Value) -> Value:
    """The time of a million examples at a rate; the ends of its interval change places."""
    at = rate.interval
    interval = Interval(MILLION / at.value, MILLION / at.high, MILLION / at.low, at.n)
    return replace(rate, interval=interval, unit=Unit.SECONDS)


def _what(bench: BenchmarkView) -> str:
    return f"time of a million {bench.words.sample}"


def _plot(bench: BenchmarkView, rows: list[Priced], table: Table) -> Figure:
    speaker = Speaker(bench)
    offers = list(_offers(speaker, rows))
    marks = ["◇ published"]
    marks += ["● measured"] if any(r.price and not r.value.of.row for r in rows) else []
    marks += ["○ a single run"] if any(o.hollow for o in offers) else []
    unpriced = any(row.price is None for row in rows)
    currency = next(row.price.currency for row in rows if row.price)
    return Plot(
        id="trade-off",
        title=f"{sentence(_what(bench))} against its cost",
        description="; ".join(f"{o.name}: {o.text}" for o in offers) + ".",
        chart=lambda size: trade_off(
            offers, currency=label(currency, 8), width=size.width, height=size.height
        ),
        subtitle=f"Up: {_what(bench)} (log scale). Down and to the left is better.",
        caption=(
            f"{', '.join(marks)}. Dashed: no row with a price is both cheaper and faster."
            + " Dotted: measured on a device without a price." * unpriced
            + " Prices are list prices of the dates in the table."
        ),
        table=table,
        values=tuple(row.value for row in rows),
    ).figure(Size(HALF, 360), ON_A_PHONE)


def _offers(speaker: Speaker, rows: list[Priced]) -> Iterator[Offer]:
    """A mark for each row with a price, and one for all rows of each device without one."""
    bench = speaker.bench
    unpriced = (row.value for row in rows if row.price is None)
    for name, values in grouped(unpriced, lambda value: speaker.name(value.of)).items():
        every = [end for value in values for end in value.interval.ends]
        middle = geometric_mean([value.number for value in values]).value
        marks = signs(frozenset().union(*(value.caveats for value in values)))
        yield Offer(
            name=name,
            device=style_of(bench, values[0].of),
            seconds=(middle, min(every), max(every)),
            cost=None,
            text=f"{speaker.numbers(values)} {marks}".strip(),
        )
    for row, price in ((row, row.price) for row in rows):
        if price is None:
            continue
        of, (low, high) = row.value.of, row.value.interval.ends
        name = label(of.row.label, 40) if of.row else speaker.name(of)
        point = bench.point_header(of.point) if of.point else ""
        yield Offer(
            name=f"{name}, {point}" if point else name,
            device=style_of(bench, of),
            seconds=(row.value.number, low, high),
            cost=(row.cost, price.of(low), price.of(high)),
            text=f"{speaker.number(row.value, quantity.TABLE)} {signs(row.value.caveats)}".strip(),
            published=of.row is not None,
            hollow=bool(signs(row.value.caveats)),
        )


def _table(bench: BenchmarkView, rows: list[Priced]) -> Table:
    speaker = Speaker(bench)
    lines = []
    for row in rows:
        of, value = row.value.of, row.value
        time = f"{speaker.number(value, quantity.TABLE)} {signs(value.caveats)}".strip()
        lines.append(
            table_row(
                f"{sentence(speaker.name(of))}{speaker.at(of)}",
                Entry(
                    (
                        Line(time),
                        Line(speaker.interval(value), "interval"),
                        *(Line(text, "reason") for text in row.doubts),
                    )
                ),
                money(row.cost, row.price.currency) if row.price else "no price given",
                price_text(row.price) if row.price else "–",
                device=bench.colour_of(of.device),
            )
        )
    return Table(
        id="cost-table",
        title=f"{sentence(_what(bench))}, and what it costs",
        caption=(
            "At the steady rate, or at the published one. Cost: time × the price of an hour, "
            "whatever anyone paid. A range is the 95 % interval over processes. ‡ single run."
        ),
        corner="device",
        columns=(*number_columns(("time", "cost")), Column("price")),
        groups=(RowGroup(tuple(lines)),),
    )


SMALL = 1e-4
"""Amounts below it have two digits."""


def money(amount: float, currency: str) -> str:
    """An amount with its currency, such as "0.42 USD"; never in powers of ten."""
    if not present(amount):
        return quantity.MISSING
    text = quantity.number(amount)
    if 0 < amount < SMALL:
        text = quantity.fixed(float(f"{amount:.1e}"), 1 - math.floor(math.log10(amount)))
    return f"{text}{quantity.SPACE}{label(currency, 8)}"


def price_text(price: Price) -> str:
    """A price in words: "0.35 USD an hour, on 31 May 2026, a provider’s list"."""
    when = quantity.instant(price.date)
    day = f"on {quantity.day(when) if when else label(price.date, 10)}"
    source = f", {label(price.source, 160)}" if price.source else ""
    hour = f"{quantity.number(price.per_hour)} {label(price.currency, 8)} an hour"
    return f"{hour}, {day if price.date else 'date of the price not given'}{source}"


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


def resources_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no record tells its memory."""
    if not any(row.measured and present(row.memory.host_peak_bytes) for row in bench.results):
        return None
    blocks: tuple[Block, ...] = (_memory(bench), _energy(bench))
    known = {at: peak for at in bench.shown_places if present(peak := _host_peak(bench, *at))}
    place = max(known, key=lambda at: known[at])
    title = f"Memory: {memory(bench, place, known[place])}"
    return Section("resources", title, blocks, folded=True)


def _host_peak(bench: BenchmarkView, series: Series, point: Point) -> float:
    return median([row.memory.host_peak_bytes for row in bench.measured(series, point)])


# Memory ----------------------------------------------------------------------------------------


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
