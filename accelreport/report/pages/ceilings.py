"""The page of what each benchmark reaches of a peak or a measured roof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import Value
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Base, Dot, dot_plot
from accelreport.report.charts.drawing import FULL, NARROW
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
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.openings.rates import dot_of, style_of
from accelreport.report.pages.sections.hardware import CEILINGS
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
from accelreport.report.view import BenchmarkView

MOST_SHOWN = 3
"""Shares of a benchmark in the figure of all benchmarks."""
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
    return replace(
        page,
        headline=_headline(Speaker(rows[0][0]), shares),
        finding=(
            "A roof is the rate that the least work allows at peak and memory bandwidth: the "
            "maker’s figures or, for a CPU, measured ones."
            f"{_exceeding([row for row, _ in shares if row.flagged])} Each benchmark’s page has "
            "upper bounds for other chips, which are not predictions."
        ),
        description="",
        opening=Section("answer", "", (_plot(rows).figure(Size(FULL, 0), Size(NARROW, 0)),)),
    )


def _exceeding(rows: Sequence[Reached]) -> str:
    """How many published figures exceed the roof; an inferred chip may be wrong instead."""
    inferred = sum(bool(row.by) for row in rows)
    exceed = "published figure exceeds", "published figures exceed"
    sentences = ""
    if named := len(rows) - inferred:
        sentences = f" {quantity.plural(named, *exceed)} it and cannot be right."
    if inferred:
        chips = "peak of an inferred chip" if inferred == 1 else "peaks of inferred chips"
        which = "the figure or the chip is" if inferred == 1 else "the figures or the chips are"
        sentences += f" {quantity.plural(inferred, *exceed)} the {chips}. Either {which} wrong."
    return sentences


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
    parts: list[str] = []
    kinds = (
        ("measured", " at the heaviest sweep points"),
        ("published", " at their best sweep points"),
    )
    for noun, where in kinds:
        own = [
            value
            for row, value in shares
            if (value.of.row is not None) == (noun == "published") and not row.flagged
        ]
        if own:
            roof = "" if parts else " of their roof"
            parts.append(f"{noun} steps reach {speaker.numbers(own)}{roof}{where}")
    return sentence(quantity.listed(parts)) or "No share can be right"


def _shown(bench: BenchmarkView, shares: Sequence[Share]) -> list[Share]:
    """At most three of the shares of a benchmark, the largest first.

    They are that of the baseline, or of a measured device where there is none, the largest and the
    smallest; where these are fewer than three, also the largest that does not exceed the roof.
    """
    measured = [share for share in shares if not share[1].of.row]
    base = [share for share in measured if share[1].of.device == bench.plan.baseline.device]
    base = base or measured
    possible = [share for share in shares if not share[0].flagged]
    wanted = [*base[:1], shares[0], shares[-1], *possible[:1]]
    ids = list(dict.fromkeys(map(id, wanted)))[:MOST_SHOWN]
    return [share for share in shares if id(share) in ids]


def _plot(rows: Shares) -> Plot:
    """The figure: a row for each benchmark, with three of its shares."""
    dots: list[Dot] = []
    groups = []
    for bench, place, shares in rows:
        where, speaker = bench.point_name(place.point), Speaker(bench)
        if any(value.of.point != place.point for _, value in shares):
            where = f"{where}; published rows at their own points"
        shown = _shown(bench, shares)
        left_out = len(shares) - len(shown)
        for number, (row, value) in enumerate(shown):
            dot = dot_of(speaker, value)
            flagged = "exceeds the peak" if row.flagged else ""
            dots.append(
                replace(dot, name=label(bench.plan.title), detail=where, flagged=flagged,
                        text=speaker.number(value), owner=label(row.short, 32),
                        joined=number > 0, rest=f"+{left_out}" * (left_out > 0 and not number))
            )  # fmt: skip
        lines = (
            table_row(
                entry(
                    row.short,
                    *under(bench.point_name(value.of.point) * (value.of.point != place.point)),
                    *under(f"of {row.limit}" + (f", named by {row.by}" if row.by else "")),
                    *under("exceeds the peak" if row.flagged else ""),
                ),
                str(value.provenance),
                speaker.number(value),
                device=style_of(bench, value.of).colour,
            )
            for row, value in shares
        )
        href = f"{bench.slug}.html#hardware"
        groups.append(RowGroup(tuple(lines), label(bench.plan.title), href=href, detail=where))
    caption = ["● measured here" + "; pale: stopped by the time budget, or a single run"
               * any(dot.hollow and not dot.published for dot in dots) + "."]  # fmt: skip
    caption += ["◇ published, by the hardware that is named in the table."] * any(
        dot.published for dot in dots
    )
    caption += ["✕ published, and above the roof."] * any(dot.flagged for dot in dots)
    caption += ["+N: marks left out, which the table and the benchmark’s page have."] * any(
        dot.rest for dot in dots
    )
    caption += [MEASURED_ROOF, FEWEST, SMALLER]
    return Plot(
        id="shares",
        title="What each benchmark reaches of the roof",
        description="; ".join(f"{dot.name}: {dot.whole_text}" for dot in dots),
        chart=lambda size: dot_plot(
            dots,
            axis_title="share of the roof",
            tick=percent_text,
            width=size.width,
            height=size.height,
            base=Base(1.0, "roof = 100 %", above="exceeds →"),
        ),
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
