"""What each device reaches of its peak or measured roof, and upper bounds of other chips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import ceiling, known_limits
from accelreport.analysis.findings import Subject, Value
from accelreport.analysis.speed_findings import published_value, rate_of
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import dot_plot
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Block,
    Column,
    Line,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.openings.rates import dot_of, rows_caption
from accelreport.report.pages.sections.compute import (
    Place,
    every_place,
    heaviest,
    most,
    own_limit,
    published_shares,
)
from accelreport.report.say import Speaker
from accelreport.report.say_run import reached, share_value
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import type_of_peak

HALF = 536
"""Pixels of a figure that has one beside it."""


@dataclass(frozen=True)
class Reached:
    """A device, what it is held against, and the shares of it at the sweep points.

    Attributes:
        name: the device, as a sentence calls it.
        short: the same beside a mark that shows who measured it.
        limit: what limits it: "its measured roof", "the peak of a Tesla K80".
        shares: in ascending order.
        by: who names the chip, where the source does not.
    """

    name: str
    short: str
    limit: str
    shares: tuple[Value, ...]
    by: str = ""

    @property
    def flagged(self) -> bool:
        """Whether a published share exceeds what limits it."""
        return self.shares[-1].of.row is not None and self.shares[-1].number > 1


def reached_shares(bench: BenchmarkView) -> list[Reached]:
    """Measured devices in the plan's order, then published ones whose chip is known."""
    found: dict[tuple[str, str, str, str], list[Value]] = {}
    for place in every_place(bench):
        limits, row = own_limit(bench, place), bench.speedup(place.series, place.point)
        rate = rate_of(row.own) if row else None
        if limits is None or rate is None:
            continue
        own = ceiling(place.work, limits[0]).share(place.seconds)
        if not isnan(own):
            key = place.series.title, place.series.title, f"its {limits[1]}", ""
            found.setdefault(key, []).append(share_value(rate, own))
    for share in published_shares(bench):
        rate = published_value(bench, share.rate)
        value = replace(rate, of=Subject(rate.of.device, "", share.point, rate.of.row))
        short, chip = label(share.rate.row.label, 60), label(share.limits.name, 60)
        who = Speaker(bench).name(value.of), short, f"the peak of the {chip}", share.by
        found.setdefault(who, []).append(share_value(value, share.value))
    return [
        Reached(name, short, limit, tuple(sorted(values, key=lambda value: value.number)), by)
        for (name, short, limit, by), values in found.items()
    ]


def peak_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no share of a peak or roof is known."""
    rows = reached_shares(bench)
    if not rows:
        return None
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
            "A measured roof is the best that this machine showed in any run.",
            *_chips(rows),
        ))),
        values=tuple(value for row in rows for value in row.shares),
    )  # fmt: skip
    high = 52 + 46 * len(rows)
    blocks: list[Block] = [figure.figure(Size(HALF, high), Size(ON_A_PHONE.width, high))]
    if place := heaviest(bench):
        blocks.append(_bounds(bench, place))
    finding = reached(speaker, [(row.name, row.limit, row.shares) for row in rows])
    title = "Share of peak reached"
    if len(rows) == 1:
        return Section("peak", f"{title}: {finding}", tuple(blocks), folded=True)
    return Section("peak", title, tuple(blocks), finding=f"{finding}.", half=True)


def _chips(rows: Sequence[Reached]) -> Iterator[str]:
    """Who names the chips that the sources of some rows do not."""
    for by in dict.fromkeys(row.by for row in rows if row.by):
        names = [row.short for row in rows if row.by == by]
        yield f"Chip of {quantity.listed(names)} by {by}."


def _bounds(bench: BenchmarkView, place: Place) -> Table:
    """Upper bounds of known chips at the sweep point with the most work."""
    rows = []
    for limits in known_limits(place.work.dtype):
        bound = ceiling(place.work, limits)
        rows.append(
            table_row(
                entry(limits.name, Line(f"{quantity.number(limits.peak.tflops)} TFLOPS "
                                        f"{type_of_peak(limits.peak)}", "reason")),
                quantity.duration(bound.seconds),
                most(place.seconds / bound.seconds),
                bound.limit.value,
            )
        )  # fmt: skip
    return Table(
        id="bounds",
        title="Upper bounds for chips that did not run it: not predictions",
        caption=(
            f"Calculated{bench.at(place.point)}: the least time is the larger of operations over "
            "peak and bytes over memory bandwidth. Launches, input and element-wise work are left "
            f"out, so a measured {bench.words.step} stays above it, most of all with small batches."
        ),
        corner="chip",
        columns=(*number_columns(("least time", "speedup at most")), Column("limited by")),
        groups=(RowGroup(tuple(rows)),),
        folded=True,
    )
