"""The page of what each benchmark reaches of a peak or a measured roof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Value
from accelreport.analysis.stats import grouped
from accelreport.report.charts.dots import Base, Dot, marks_text
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
from accelreport.report.pages.machines import place_text
from accelreport.report.pages.sections.hardware import CEILINGS
from accelreport.report.pages.sections.shares import (
    DIVIDED,
    LIMITS,
    Reached,
    heaviest,
    reached_shares,
    shares_title,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

Share = tuple[Reached, Value]
"""Who reached something of a limit, and the share of it that the page shows."""
Shares = Sequence[tuple[BenchmarkView, Sequence[Share]]]
"""Benchmarks with their shares."""


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page. Each spec is there once, by the profile whose step has the most work."""
    best: dict[str, tuple[float, BenchmarkView]] = {}
    for bench in benches:
        place = heaviest(bench)
        if place and place.work.operations > best.get(bench.plan.spec, (0.0, bench))[0]:
            best[bench.plan.spec] = place.work.operations, bench
    every = [(bench, shares_of(bench)) for _, bench in best.values()]
    shown = (row for row in every if _shown(row[1]))
    rows = sorted(shown, key=lambda row: label(row[0].plan.title).casefold())
    opening = None
    measured = any(row.measured for bench in benches for row in bench.results)
    headline, finding = "No known peak" if measured else "No benchmark measured", ""
    if rows:
        figure = _plot(rows).figure(Size(WIDE, 0), Size(NARROW, 0), alone=True)
        opening, headline = Section("answer", "", (figure,)), figure.title
    firsts = [(bench, share) for bench, own in rows for share in _measured(own)[:1]]
    if firsts:
        # A roof comes before an upper bound or a peak: this is the first mark of the figure.
        bench, (reached, largest) = min(
            firsts, key=lambda own: (LIMITS.index(own[1][0].limit), -own[1][1].number)
        )
        speaker = Speaker(bench)
        headline = f"Highest share of {reached.limit}: {reached.text(speaker)}"
        headline += f", in {runs}" if (runs := speaker.runs(largest)) else ""
        where = ", ".join(filter(None, (reached.short, bench.point_name(largest.of.point))))
        finding = f"“{label(bench.plan.title, 60)}” on {where}; {reached.of}."
    return Page(
        path=CEILINGS,
        title="Hardware use",
        headline=headline,
        finding=finding,
        kicker=place_text(benches),
        sections=(),
        template="article.html",
        opening=opening,
    )


def _measured(shares: Sequence[Share]) -> list[Share]:
    return [share for share in shares if share[1].of.row is None]


def shares_of(bench: BenchmarkView) -> list[Share]:
    """The largest share of each device and of each published row, those of roofs first."""
    shares = [
        (replace(row, shares=row.shares[-1:], least=row.least[-1:]), row.shares[-1])
        for row in reached_shares(bench)
    ]
    return sorted(shares, key=lambda own: (LIMITS.index(own[0].limit), -own[1].number))


def _shown(shares: Sequence[Share]) -> list[Share]:
    """The largest measured share, and the largest published one that can be."""
    able = (share for share in shares if share[1].of.row and not share[0].flagged)
    published = sorted(able, key=lambda own: (own[0].bounded, -own[1].number))
    return [*_measured(shares)[:1], *published[:1]]


def _plot(rows: Shares) -> Plot:
    """The figure: a mark for each share, with a bar from its lower bound.

    Those of one roof are together, of measured roofs first; those of an upper bound are hollow.
    That of the title, the first one, is bold.
    """
    placed, groups = list[tuple[Reached, Dot]](), []
    for bench, shares in rows:
        speaker = Speaker(bench)
        for row, value in _shown(shares):
            dot, upper = dot_of(speaker, value), row.limit == LIMITS[1]
            where = " · ".join(filter(None, (row.short, bench.point_name(value.of.point))))
            dot = replace(
                dot, name=label(bench.plan.title), detail=where,
                device=Named(row.name, dot.device.colour),
                low=min((own.number for own in row.least), default=value.number),
                high=value.number, text=f"{'≥ ' * row.bounded}{speaker.number(value)}",
                hollow=(*dot.hollow, *[row.limit] * upper),
                group="published" if dot.published else row.of,
            )  # fmt: skip
            placed.append((row, dot))
        lines = (
            table_row(
                entry(
                    row.short,
                    *under(bench.point_name(value.of.point)),
                    *under(row.of),
                    *under("exceeds the peak" if row.flagged else ""),
                ),
                ", in ".join(filter(None, (str(value.provenance), speaker.runs(value)))),
                row.text(speaker),
                device=style_of(bench, value.of).colour,
            )
            for row, value in shares
        )
        href = f"{bench.slug}.html#hardware"
        groups.append(RowGroup(tuple(lines), label(bench.plan.title), href=href))
    placed.sort(key=lambda own: (own[1].published, LIMITS.index(own[0].limit), -own[1].value))
    by_roof = grouped(placed, lambda own: (own[1].group, own[0].amount, own[0].chip))
    first, *others = [dot for own in by_roof.values() for _, dot in own]
    dots = [first, *(replace(dot, quiet=True) for dot in others)]
    title = shares_title(row.limit for _, shares in rows for row, _ in _shown(shares))
    caption = [marks_text([replace(dot, low=dot.high) for dot in dots], bars=False)]
    caption += [DIVIDED] * any(dot.low < dot.high for dot in dots)
    plot = dots_plot(
        dots,
        axis="share",
        tick=percent_text,
        base=Base(limit=True),
        id="shares",
        title=title,
        table=Table(
            id="shares-table",
            title=title,
            corner="device",
            columns=number_columns(("provenance", "share")),
            groups=tuple(groups),
            style="prose",
        ),
    )
    return replace(plot, caption=" ".join(filter(None, caption)))
