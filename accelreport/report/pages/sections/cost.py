"""Time and cost of a million examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan

from accelreport.analysis.cost import Price, price_of
from accelreport.analysis.findings import Unit, Value
from accelreport.analysis.overview import published_rates
from accelreport.analysis.speed_findings import published_value, rate_of
from accelreport.analysis.stats import Interval
from accelreport.report import quantity
from accelreport.report.forms import signs, signs_text
from accelreport.report.model import (
    Column,
    Line,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.openings.rates import clock_text
from accelreport.report.pages.sections.cold_start import withheld_at
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
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
        cost = self.price.of(self.value.number) if self.price else nan
        return quantity.significant(cost, self.value.digits)


def cost_section(bench: BenchmarkView) -> Section | None:
    """The section; None where nothing that trains has a price."""
    rows = list(_priced(bench)) if bench.words.trains else []
    currencies = {row.price.currency for row in rows if row.price}
    if not currencies:
        return None
    detail = "several currencies"
    if len(currencies) == 1:
        costs = [row.cost for row in rows if row.price]
        written = quantity.extent(costs, lambda cost: money(cost, *currencies))
        detail = f"{written} per million {bench.words.sample}"
        if all(row.value.of.row for row in rows if row.price):
            detail = f"published machines: {detail}"
    return Section("cost", "Cost", (_table(bench, rows),), folded=True, detail=detail)


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


def _table(bench: BenchmarkView, rows: list[Priced]) -> Table:
    speaker, lines, per = Speaker(bench), [], f"per million {bench.words.sample}"
    alone = all(row.value.of.row for row in rows)  # without a measured time beside them
    for row in rows:
        of, value = row.value.of, row.value
        time = f"{speaker.number(value)} {signs(value.caveats)}".strip()
        lines.append(
            table_row(
                f"{sentence(speaker.name(of))}{speaker.at(of)}",
                entry(
                    time,
                    Line(speaker.interval(value), "interval"),
                    *(Line(text, "reason") for text in row.doubts),
                ),
                money(row.cost, row.price.currency) if row.price else "no price",
                price_text(row.price) if row.price else "–",
                device=bench.colour_of(of.device),
            )
        )
    return Table(
        id="cost-table",
        title="Time and cost",
        corner="device",
        columns=(*(Column(t, per, number=True) for t in ("time", "cost")), Column("price")),
        groups=(RowGroup(tuple(lines)),),
        caption=clock_text(row.value for row in rows).strip() * (not alone),
        notes=tuple(filter(None, [signs_text(held for row in rows for held in row.value.caveats)])),
    )


SMALL = 1e-4
"""Amounts below it have two digits."""


def money(amount: float, currency: str) -> str:
    """An amount with its currency, such as "0.42 USD"; never in powers of ten."""
    digits = 2 if 0 < amount < SMALL else quantity.DIGITS
    return quantity.write(amount, Unit.NUMBER, noun=label(currency, 8), digits=digits)


def price_text(price: Price) -> str:
    """A price in words: "0.35 USD/h, 31 May 2026, a provider’s list"."""
    when = quantity.instant(price.date)
    day = quantity.day(when) if when else label(price.date, 10)
    source = f", {label(price.source, 160)}" if price.source else ""
    hour = f"{quantity.short(price.per_hour)} {label(price.currency, 8)}/h"
    return f"{hour}, {day if price.date else 'undated'}{source}"
