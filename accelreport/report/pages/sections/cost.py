"""Time of a million examples against its cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan

from accelreport.analysis.cost import Price, price_of
from accelreport.analysis.findings import Unit, Value
from accelreport.analysis.overview import published_rates
from accelreport.analysis.speed_findings import published_value, rate_of
from accelreport.analysis.stats import Interval, geometric_mean, grouped
from accelreport.report import quantity
from accelreport.report.charts.drawing import FULL
from accelreport.report.charts.trade_off import Offer, trade_off
from accelreport.report.model import (
    Column,
    Entry,
    Figure,
    Line,
    RowGroup,
    Section,
    Table,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.openings.rates import style_of
from accelreport.report.pages.sections.cold_start import withheld_at
from accelreport.report.say import Speaker, signs
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, present
from accelreport.report.warning_text import flag_text

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
    table = _table(bench, rows)
    if len(currencies) > 1:
        return Section("cost", "Cost", (table,), detail="several currencies")
    priced = [row for row in rows if row.price]
    costs = quantity.extent([r.cost for r in priced], lambda cost: money(cost, *currencies))
    detail = f"{costs} for a {_what(bench)}"
    if len(priced) == 1 or all(row.value.of.row for row in priced):
        return Section("cost", "Cost", (table,), folded=True, detail=detail)
    return Section("cost", "Cost", (_plot(bench, rows, table),), detail=detail)


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
    return f"million {bench.words.sample}"


def _plot(bench: BenchmarkView, rows: list[Priced], table: Table) -> Figure:
    speaker = Speaker(bench)
    offers = list(_offers(speaker, rows))
    marks = ["◇ published"]
    marks += ["● measured"] if any(r.price and not r.value.of.row for r in rows) else []
    marks += ["○ single run"] if any(o.hollow for o in offers) else []
    currency = next(row.price.currency for row in rows if row.price)
    return Plot(
        id="trade-off",
        title=f"Time against cost, per {_what(bench)}",
        description="; ".join(f"{o.name}: {o.text}" for o in offers) + ".",
        chart=lambda size: trade_off(
            offers, currency=label(currency, 8), width=size.width, height=size.height
        ),
        caption=" · ".join(marks),
        table=table,
        values=tuple(row.value for row in rows),
    ).figure(Size(FULL, 220), ON_A_PHONE)


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
                money(row.cost, row.price.currency) if row.price else "no price",
                price_text(row.price) if row.price else "–",
                device=bench.colour_of(of.device),
            )
        )
    return Table(
        id="cost-table",
        title=sentence(_what(bench)),
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
    """A price in words: "0.35 USD/h, 31 May 2026, a provider’s list"."""
    when = quantity.instant(price.date)
    day = quantity.day(when) if when else label(price.date, 10)
    source = f", {label(price.source, 160)}" if price.source else ""
    hour = f"{quantity.number(price.per_hour)} {label(price.currency, 8)}/h"
    return f"{hour}, {day if price.date else 'undated'}{source}"
