"""Shares of peaks and roofs of all benchmarks, measured here and published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from accelreport.analysis.findings import Value
from accelreport.report import quantity
from accelreport.report.charts.workloads import RateMark, Workload, work_rates
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
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.openings.rates import style_of
from accelreport.report.pages.sections.compute import CEILINGS, Place, heaviest
from accelreport.report.pages.sections.peak import Reached, reached_shares
from accelreport.report.say import Speaker, signs
from accelreport.report.text import label, sentence
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
    rows = sorted((row for row in rows if row[2]), key=lambda row: -row[2][0][1].number)
    page = Page(
        path=CEILINGS,
        title="Share of peak reached",
        headline="No share of a peak is known",
        finding=(
            "A share needs a measured step whose operations were counted, and a peak: that of the "
            "devices file, of known hardware, or, for a CPU, a measured one."
        ),
        sections=(),
        template="article.html",
    )
    if not rows:
        return page
    shares = [share for *_, own in rows for share in own]
    above = sum(row.flagged for row, _ in shares)
    wrong = f" {quantity.plural(above, 'published figure exceeds', 'published figures exceed')} it"
    return replace(
        page,
        headline=_headline(Speaker(rows[0][0]), shares),
        finding=(
            "A roof is the rate that counted work allows at peak and memory bandwidth: the maker’s "
            "figures or, for a CPU, measured ones."
            f"{f'{wrong} and cannot be right.' if above else ''}"
        ),
        description="",
        opening=Section("answer", "", (_plot(rows).figure(Size(1104, 0), Size(330, 0)),)),
    )


def shares_of(bench: BenchmarkView, place: Place) -> list[Share]:
    """A device's share at the heaviest sweep point, and the largest of a published row."""
    shares = [
        (row, value)
        for row in reached_shares(bench)
        for value in row.shares
        if (value is row.shares[-1] if value.of.row else value.of.point == place.point)
    ]
    return sorted(shares, key=lambda share: -share[1].number)


def _headline(speaker: Speaker, shares: Sequence[Share]) -> str:
    """From the least to the largest share of what was measured, and of what was published."""
    parts = []
    for noun, published in (("measured", False), ("published", True)):
        own = [
            value
            for row, value in shares
            if (value.of.row is not None) == published and not row.flagged
        ]
        if own:
            parts.append(f"{noun} steps reach {speaker.numbers(own)} of their roof")
    return sentence(quantity.listed(parts)) or "No share can be right"


def _mark(speaker: Speaker, row: Reached, value: Value) -> RateMark:
    kind: Literal["measured", "published", "beyond"]
    kind = ("beyond" if row.flagged else "published") if value.of.row else "measured"
    return RateMark(
        label(row.short, 32), speaker.number(value), style_of(speaker.bench, value.of),
        value.number, value.number, value.number, kind, hollow=bool(signs(value.caveats)),
    )  # fmt: skip


def _plot(rows: Shares) -> Plot:
    """The figure: a row for each benchmark, a mark for each share."""
    workloads, groups = [], []
    for bench, place, shares in rows:
        where, speaker = bench.point_title(place.point) if bench.axes else "", Speaker(bench)
        marks = tuple(_mark(speaker, *share) for share in shares)
        workloads.append(Workload(label(bench.plan.title), (where,), "", "", "", marks))
        lines = (
            table_row(
                entry(
                    row.short,
                    *under(f"of {row.limit}" + (f", named by {row.by}" if row.by else "")),
                    *under("exceeds the peak" if row.flagged else ""),
                ),
                str(value.provenance),
                speaker.number(value),
                device=style_of(bench, value.of).colour,
            )
            for row, value in shares
        )
        href = f"{bench.slug}.html#arithmetic"
        groups.append(RowGroup(tuple(lines), label(bench.plan.title), href=href, detail=where))
    make = work_rates(workloads, base="", axis_title="share of the roof", limit="roof = 100 %")
    kinds = {mark.kind for each in workloads for mark in each.marks}
    caption = ["● measured here; ○ stopped by the time budget, or a single run."]
    caption += ["◇ published, by the hardware that is named in the table."] * bool(len(kinds) > 1)
    caption += ["✕ published, and above the roof."] * ("beyond" in kinds)
    return Plot(
        id="shares",
        title="What each benchmark reaches of the roof",
        description="; ".join(
            f"{each.title}: {', '.join(mark.label for mark in each.marks)}" for each in workloads
        ),
        chart=lambda size: make(size.width, size.height),
        caption=" ".join(caption),
        table=Table(
            id="shares-table",
            title="Shares of the roof",
            corner="device or published row",
            columns=number_columns(("provenance", "share of the roof")),
            groups=tuple(groups),
            style="prose",
        ),
    )
