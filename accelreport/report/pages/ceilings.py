"""The page of what each benchmark reaches of a peak or a measured roof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Value
from accelreport.report import quantity
from accelreport.report.charts.dots import Base, Dot
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Size, dots_plot
from accelreport.report.openings.rates import dot_of, style_of
from accelreport.report.pages.sections.hardware import CEILINGS
from accelreport.report.pages.sections.shares import (
    DIVIDED,
    Place,
    Reached,
    divided,
    heaviest,
    reached_shares,
    shares_title,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.theme import as_circle
from accelreport.report.view import BenchmarkView

Share = tuple[Reached, Value]
"""Who reached something of a limit, and the share of it that the page shows."""
Shares = Sequence[tuple[BenchmarkView, Place, Sequence[Share]]]
"""Benchmarks with their heaviest sweep point and their shares, the largest first."""


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page. Each spec is there once, by the profile whose step has the most work."""
    best: dict[str, tuple[float, BenchmarkView, Place]] = {}
    for bench in benches:
        if place := heaviest(bench):
            known = best.get(bench.plan.spec)
            if known is None or place.work.operations > known[0]:
                best[bench.plan.spec] = (place.work.operations, bench, place)
    rows = [(bench, place, shares_of(bench, place)) for _, bench, place in best.values()]
    rows = sorted((row for row in rows if _shown(row[2])), key=lambda row: -_largest(row[2]))
    every = [share for *_, own in rows for share in own]
    own = [share for share in every if share[1].of.row is None]
    title = shares_title(row.limit for row, _ in every)
    blocks = (
        (_plot(rows, title).figure(Size(WIDE, 0), Size(NARROW, 0), alone=True),) if rows else ()
    )
    headline, finding = title if rows else "No known peak", ""
    if own:
        bench, speaker = rows[0][0], Speaker(rows[0][0])
        reached, largest = next(share for share in rows[0][2] if share[1].of.row is None)
        headline = (
            f"{reached.short} reaches {speaker.number(largest)} of its {reached.limit}"
            f" in “{label(bench.plan.title, 60)}”"
        )
        headline += f", in {runs}" if (runs := speaker.runs(largest)) else ""
        if rest := [value for _, value in own if value is not largest]:
            others = [speaker.runs(value) for value in rest]
            kinds = [word for word, sign in (("partial", "partial"), ("single", "one"))
                     if any(sign in own for own in others)]  # fmt: skip
            several = ", some" if "" in others else ","
            some = f"{several} in {' or '.join(kinds)} runs" * any(kinds)
            finding = (
                "The other measured shares, each at its benchmark’s largest step: "
                f"{speaker.numbers(rest)}{some}."
            )
    return Page(
        path=CEILINGS,
        title="Hardware use",
        headline=headline,
        finding=finding,
        sections=(),
        template="article.html",
        opening=Section("answer", "", blocks) if rows else None,
    )


def _largest(shares: Sequence[Share]) -> float:
    """The largest measured share; of a benchmark without one, less than any."""
    measured = [value.number for _, value in shares if not value.of.row]
    return max(measured, default=_shown(shares)[0][1].number - 1)


def shares_of(bench: BenchmarkView, place: Place) -> list[Share]:
    """A device's share at the heaviest sweep point, and the largest of a published row."""
    shares = [
        (row, value)
        for row in reached_shares(bench)
        for value in row.shares
        if (value is row.shares[-1] if value.of.row else value.of.point == place.point)
    ]
    return sorted(shares, key=lambda share: -share[1].number)


def _shown(shares: Sequence[Share]) -> list[Share]:
    """The largest and the smallest measured share, and the largest published one that can be."""
    measured = [share for share in shares if not share[1].of.row]
    published = [share for share in shares if share[1].of.row and not share[0].flagged]
    ids = {id(share) for share in (*measured[:1], *measured[1:][-1:], *published[:1])}
    return [share for share in shares if id(share) in ids]


def _plot(rows: Shares, title: str) -> Plot:
    """The figure: a row for each benchmark, with at most three of its shares."""
    dots: list[Dot] = []
    groups = []
    # The device of most marks is named once.
    measured = [row.short for *_, own in rows for row, value in _shown(own) if not value.of.row]
    usual = next((short for short in measured if 2 * measured.count(short) > len(measured) > 1), "")
    for bench, place, shares in rows:
        speaker, points = Speaker(bench), [value.of.point for _, value in _shown(shares)]
        point = place.point if place.point in points else points[0]
        where = bench.point_name(point)
        shown = sorted(_shown(shares), key=lambda share: share[1].of.point != point)
        for number, (row, value) in enumerate(shown):
            dot, own = dot_of(speaker, value), value.of.point
            owner = label(row.short, 32) * (value.of.row is not None or row.short != usual)
            if own != point:
                owner = ", ".join(filter(None, (owner, bench.point_header(own))))
            dots.append(
                replace(dot, name=label(bench.plan.title), detail=where * (own == point),
                        device=Named(row.name, as_circle(dot.device.colour)),
                        joined=number > 0, text=speaker.number(value), owner=owner)
            )  # fmt: skip
        lines = (
            table_row(
                entry(
                    row.short,
                    *under(bench.point_name(value.of.point) * (value.of.point != point)),
                    *under(f"of {row.limit}" + f", inferred from {row.by}" * bool(row.by)),
                    *under("exceeds the peak" if row.flagged else ""),
                ),
                ", in ".join(filter(None, (str(value.provenance), speaker.runs(value)))),
                speaker.number(value),
                device=as_circle(style_of(bench, value.of).colour),
            )
            for row, value in shares
        )
        href = f"{bench.slug}.html#hardware"
        groups.append(RowGroup(tuple(lines), label(bench.plan.title), href=href, detail=where))
    exceed = sum(row.flagged for *_, shares in rows for row, _ in shares)
    left_out = sum(map(len, (shares for *_, shares in rows))) - len(dots)
    above = f", {exceed} above the peak" * (exceed > 0)
    only = quantity.plural(left_out, "share")
    caption = [f"Without a name: {label(usual, 32)}."] * bool(usual)
    caption += [f"Only in Numbers: {only}{above}."] * (left_out > 0)
    roof = "Roof: the fastest product measured here, or the data sheet’s peak."
    caption += [roof] * ("roof" in title)
    caption += [DIVIDED] * any(divided(bench) for bench, *_ in rows)
    return dots_plot(
        dots,
        axis=title.lower() + " (◇ of the chip’s peak)" * any(dot.published for dot in dots),
        tick=percent_text,
        base=Base(1.0, "100 %", limit=True),
        id="shares",
        title=title,
        note=" ".join(caption),
        table=Table(
            id="shares-table",
            title=title,
            corner="device",
            columns=number_columns(("provenance", "share")),
            groups=tuple(groups),
            style="prose",
        ),
    )
