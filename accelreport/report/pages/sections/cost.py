"""What a run costs: at the prices of the devices file, and in memory and energy."""

from __future__ import annotations

import math
from math import nan

from accelreport.analysis.compute import blur, joules_per_step, watts
from accelreport.analysis.cost import Price, Start, price_of
from accelreport.analysis.cost import TimeLine as Course
from accelreport.report import quantity
from accelreport.report.metrics import settings_text
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Entry,
    Line,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
    under,
)
from accelreport.report.pages.badges import (
    absence,
    absent_row,
    groups_by_point,
    measured_entry,
    measured_row,
    points_by_devices,
)
from accelreport.report.pages.sections.cold_start import (
    fastest_ranges_table,
    starts_of,
    unit_of,
    withheld_at,
)
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint, median, present
from accelreport.results.record import Energy, Record
from accelreport.spec.models import ListPrice, Published

NONE = (
    "No device of this benchmark has a price in the devices file, so no cost is "
    "given. A device’s price_per_hour, currency and price_date say what an hour "
    "costs and since when."
)


def cost_section(bench: BenchmarkView) -> Section | None:
    """The section; None when nothing was measured."""
    starts = starts_of(bench)
    if not starts:
        return None
    published = _published(bench)
    if all(_price(bench, series) is None for series in bench.shown_series):
        finding = _published_finding(bench) if published else NO_PRICE
        return Section("cost", "Cost", published or (Prose(NONE),), finding=finding)
    tables = [each for each in (_table(bench, starts), _cheapest(bench, starts)) if each]
    return Section("cost", "Cost", (*tables, *published), finding=_finding(bench, starts))


NO_PRICE = "No price given."


def rent(cited: ListPrice) -> Price:
    """A price that a published row or machine cites."""
    return Price(cited.per_hour, cited.currency, cited.date, f"{cited.of}; {cited.source}")


def _rented(bench: BenchmarkView) -> list[tuple[Published, Price]]:
    """The published rows that cite what an hour of their hardware cost."""
    return [(row, rent(row.price)) for row in bench.plan.published if row.price]


def _published(bench: BenchmarkView) -> tuple[Table, ...]:
    """What published trainings cost at the prices their rows cite; none where no row has one."""
    rented = _rented(bench)
    if not rented:
        return ()
    table = Table(
        id="published-cost",
        title="Cost of the published runs",
        caption=(
            "The published time × the price of an hour that the row cites: what such "
            "hardware cost to rent at about that time, whatever the author paid."
        ),
        corner="published on",
        columns=(
            Column("an epoch", number=True),
            Column("the whole run", number=True),
            Column("an hour"),
        ),
        groups=(RowGroup(tuple(_published_row(bench, *each) for each in rented)),),
        style="prose",
    )
    return (table,)


def _published_row(bench: BenchmarkView, row: Published, price: Price) -> Row:
    name = entry(label(row.label, 60), *under(settings_text(row.where)))
    costs = (money(price, time or nan) for time in (row.epoch_time, row.total_time))
    return table_row(name, *costs, price_text(price), device=bench.colours.get(row.device))


def _published_finding(bench: BenchmarkView) -> str:
    """The cheapest and the dearest published run, where there are some of several devices."""
    whole = [(row, price, row.total_time) for row, price in _rented(bench) if row.total_time]
    several = len({row.device for row, _, _ in whole}) > 1
    if not several or len({price.currency for _, price, _ in whole}) > 1:
        return "No device measured here has a price, but published runs have one."
    by_cost = sorted(whole, key=lambda each: each[1].of(each[2]))
    low, high = (
        f"{money(price, time)}, on {label(row.label, 60)}"
        for row, price, time in (by_cost[0], by_cost[-1])
    )
    return (
        "No device measured here has a price. At list prices the cheapest published "
        f"run cost {low}, and the dearest {high}."
    )


def _price(bench: BenchmarkView, series: Series) -> Price | None:
    return price_of(bench.plan.devices.get(series.device))


def _table(bench: BenchmarkView, starts: dict[SeriesPoint, Start]) -> Table:
    words = bench.words
    columns = [
        Column("a whole run", number=True),
        Column("its start-up", number=True),
        Column(f"a million {words.step}s", "extrapolated", number=True),
    ]
    if words.trains:
        columns.insert(1, Column("a later epoch", number=True))
    return Table(
        id="cost-table",
        title="Cost of a run",
        caption=(
            "Price of an hour × time, medians over processes. A whole run is the start-up "
            f"and all {words.step}s, without evaluations and without time that a provider "
            f"bills before and after the process. A million {words.step}s are taken to last "
            "as long as the steady ones."
        ),
        corner="device",
        columns=tuple(columns),
        groups=groups_by_point(
            bench,
            lambda point: (
                _row(bench, (series, point), starts, len(columns)) for series in bench.tried_series
            ),
        ),
        notes=_prices(bench),
        folded=len(bench.points) > 8,
    )


def _row(
    bench: BenchmarkView, place: SeriesPoint, starts: dict[SeriesPoint, Start], columns: int
) -> Row:
    start, price = starts.get(place), _price(bench, place[0])
    if start is None:
        return absent_row(bench, place, columns)
    if price is None:
        return absent_row(bench, place, columns, "no price given")
    seconds = [start.run_s, start.total, 1e6 * start.steady_s]
    if bench.words.trains:
        seconds.insert(1, median([row.timings.epoch_s for row in bench.measured(*place)]))
    return measured_row(bench, place, (money(price, each) for each in seconds), total=True)


SMALL = 1e-4
"""Amounts below it are told in two digits."""


def money(price: Price, seconds: float) -> str:
    """An amount with its currency, such as "0.0042 USD"; never in powers of ten."""
    if not present(seconds):
        return quantity.MISSING
    amount = price.of(seconds)
    text = quantity.number(amount)
    if 0 < amount < SMALL:
        text = quantity.fixed(float(f"{amount:.1e}"), 1 - math.floor(math.log10(amount)))
    return f"{text}{quantity.SPACE}{label(price.currency, 8)}"


def _prices(bench: BenchmarkView) -> tuple[str, ...]:
    said = []
    for series in dict.fromkeys(s.device for s in bench.shown_series):
        price = price_of(bench.plan.devices.get(series))
        name = bench.title_of(series)
        if price is None:
            said.append(f"{name}: no price given")
            continue
        said.append(f"{name}: {price_text(price)}")
    return (f"Prices in the devices file. {'; '.join(said)}.",)


def price_text(price: Price) -> str:
    """A price in words: "0.35 USD an hour, on 31 May 2026, a provider’s list"."""
    day = f"on {_day(price.date)}" if price.date else "date of the price not given"
    source = f", {label(price.source, 160)}" if price.source else ""
    hour = f"{quantity.number(price.per_hour)} {label(price.currency, 8)} an hour"
    return f"{hour}, {day}{source}"


def _day(text: str) -> str:
    when = quantity.instant(text)
    return quantity.day(when) if when else label(text, 10)


def _cheapest(bench: BenchmarkView, starts: dict[SeriesPoint, Start]) -> Table | None:
    """Who costs least for how many steps, where two devices have prices in one currency."""
    prices = {s: price for s in bench.shown_series if (price := _price(bench, s)) is not None}
    if len(prices) < 2 or len({price.currency for price in prices.values()}) > 1:
        return None
    courses = {
        place: Course(price.of(start.total), price.of(unit_of(bench, place, start)))
        for place, start in starts.items()
        if (price := prices.get(place[0])) is not None and present(unit_of(bench, place, start))
    }
    return fastest_ranges_table(
        bench,
        courses,
        id_="cost-reigns",
        title="The cheapest device for N steps",
        measure="costs least",
    )


def _finding(bench: BenchmarkView, starts: dict[SeriesPoint, Start]) -> str:
    costs = {}
    apart = {place for point in bench.points for place, _ in withheld_at(bench, point)}
    for (series, point), start in starts.items():
        price = _price(bench, series)
        if price is not None and present(start.run_s) and (series, point) not in apart:
            costs[series, point] = (price.of(start.run_s), money(price, start.run_s))
    if not costs:
        return "No run of a device with a price can be ranked."
    if len({p.currency for s in bench.shown_series if (p := _price(bench, s))}) > 1:
        return "Prices are in different currencies, so no device is called cheapest."
    place = min(costs, key=lambda each: costs[each][0])
    where = bench.at(place[1])
    return f"The cheapest measured run costs {costs[place][1]}, on {place[0].title}{where}."


SENSOR_GRADE = Badge(
    "sensor-grade",
    (
        "A sensor counts a whole package or board, with idle power and other programs. "
        "Its figures compare long windows well; it is no calorimeter."
    ),
    "quiet",
)
"""Said of every figure of energy."""

MOST_PROCESSES = 4
"""Processes of a distributed cell that are listed one by one."""


def resources_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no record tells its memory."""
    if not any(present(row.memory.host_peak_bytes) for row in bench.results):
        return None
    blocks: tuple[Block, ...] = (_memory(bench), _energy(bench))
    return Section("resources", "Memory and energy", blocks, finding=_resources_finding(bench))


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
            "Medians over processes. The figure of a process is its largest resident set "
            "up to the end of the timed steps, TensorFlow included. That of a device is "
            "the peak of TensorFlow’s own allocator, where it counts."
        ),
    )


def _peak(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    rows = bench.measured(series, point)
    host = median([row.memory.host_peak_bytes for row in rows])
    if not present(host):
        return absence(bench, series, point)
    device = median([row.memory.device_peak_bytes for row in rows])
    told = f"{quantity.size(device)} on the device" if present(device) else "device: not reported"
    lines = [Line(quantity.size(host)), Line(told, "interval")]
    lines += [Line(text, "detail") for text in _processes(_records(bench, series, point))]
    return measured_entry(bench, (series, point), lines, mark="small")


def _processes(records: list[Record]) -> list[str]:
    """Each process of a distributed cell with its peak, from the first record that has them."""
    hosts = next((record.hosts for record in records if record.hosts), [])
    known = [host for host in hosts if host.peak_bytes is not None]
    said = [f"{label(each.task, 20)}: {quantity.size(each.peak_bytes)}" for each in known]
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
        title=f"Energy of a steady {step}, from the machine’s sensors",
        caption=(
            f"Medians over processes, read between {step}s: joules of the windows of steady "
            f"{step}s over their number, without evaluations. The blur is the share of the "
            "window that the sensor’s update interval leaves open. Nothing is estimated."
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
        return "No energy: no sensor was looked for when these records were made."
    return f"No energy is given and none is estimated. {sentence('; '.join(absent))}."


def _resources_finding(bench: BenchmarkView) -> str:
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
    where = bench.at(place[1])
    return (
        f"The largest process, of {place[0].title}{where}, takes "
        f"{quantity.size(known[place])} of memory."
    )
