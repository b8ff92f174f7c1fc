"""Shares of peaks and roofs, measured here and published, and upper bounds of hardware."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Literal

from accelreport.analysis.ceilings import Limit, ceiling, known_limits, limits_named
from accelreport.analysis.findings import Unit
from accelreport.analysis.published import hardware_of
from accelreport.analysis.speed_findings import sound_rates
from accelreport.report import quantity
from accelreport.report.charts.drawing import DeviceStyle, Named
from accelreport.report.charts.workloads import RateMark, Workload, work_rates
from accelreport.report.model import (
    Entry,
    Line,
    Page,
    Prose,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.overview import is_hollow
from accelreport.report.pages.sections.compute import (
    CEILINGS,
    Place,
    every_place,
    heaviest,
    own_share,
    published_shares,
)
from accelreport.report.published_text import flag_text
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView

COMMAND = "accelreport ceilings"
ABOUT = (
    "An upper bound is calculated, not measured, and it predicts nothing. The least time of a step "
    "is the larger of least operations over peak and compulsory bytes over memory bandwidth. "
    "Operations are those that were counted here; a convolution’s are counted over the places of "
    "its kernel, because no fast algorithm saves more (Winograd, 1980). Bytes are the examples of "
    "a batch, and of weights and optimizer state what no chip can keep. The bound leaves out "
    "launches, input, element-wise work, and operations that wait for one another. Measured "
    "throughput therefore stays below it, most of all with small batches. The precision is that "
    "of the spec, or the fastest that the hardware has a rate for; one unit of the hardware "
    "computes. Without counted operations there is no bound."
)
MOST_BOUNDS = 4
"""Pieces of hardware that the table of upper bounds has room for."""


@dataclass(frozen=True)
class Share:
    """What a device, or a published row, reached of its roof.

    Attributes:
        name: what pages call the device, or the published row.
        hardware: of a published row, and who names it; empty where its label does.
        device: from which the colour of its mark follows.
        value: 1 is the roof itself.
        published: whether somebody else measured it.
        hollow: whether it is less than a whole measurement with an interval.
        flagged: why it cannot be; empty where it can.
    """

    name: str
    hardware: str
    device: DeviceStyle
    value: float
    published: bool = False
    hollow: bool = False
    flagged: str = ""

    @property
    def text(self) -> str:
        """The share as pages write it."""
        return quantity.write(self.value, Unit.SHARE, digits=quantity.HEADLINE)

    @property
    def mark(self) -> RateMark:
        """Its mark in the figure."""
        kind: Literal["measured", "published", "beyond"]
        kind = ("beyond" if self.value > 1 else "published") if self.published else "measured"
        return RateMark(
            label(self.name, 32), self.text, self.device, self.value, self.value, self.value,
            kind, self.hollow,
        )  # fmt: skip


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page. Each spec is there once, by the profile whose step has the most work."""
    best: dict[str, tuple[float, BenchmarkView, Place]] = {}
    for bench in benches:
        if place := heaviest(bench):
            known = best.get(bench.plan.spec)
            if known is None or place.work.operations > known[0]:
                best[bench.plan.spec] = (place.work.operations, bench, place)
    rows = [(bench, place, shares_of(bench, place)) for _, bench, place in best.values()]
    rows = sorted((row for row in rows if row[2]), key=lambda row: -row[2][0].value)
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
    return replace(
        page,
        headline=_headline([share for *_, shares in rows for share in shares]),
        finding=_finding([share for *_, shares in rows for share in shares]),
        description="",
        opening=Section("answer", "", (_plot(rows).figure(Size(1104, 0), Size(330, 0)),)),
        sections=(_bounds([(bench, place) for _, bench, place in best.values()]),),
    )


def _headline(shares: Sequence[Share]) -> str:
    """From the least to the largest share of what was measured, and of what was published."""
    parts = []
    for noun, published in (("measured", False), ("published", True)):
        own = sorted(
            (s for s in shares if s.published == published and not s.flagged),
            key=lambda share: share.value,
        )
        if own:
            ends = " to ".join(dict.fromkeys((own[0].text, own[-1].text)))
            parts.append(f"{noun} steps reach {ends} of their roof")
    said = quantity.listed(parts)
    return said[:1].upper() + said[1:] or "No share can be right"


def _finding(shares: Sequence[Share]) -> str:
    above = sum(share.published and share.value > 1 for share in shares)
    wrong = f" {quantity.plural(above, 'published figure exceeds', 'published figures exceed')} it"
    return (
        "A roof is the rate that counted work allows at peak and memory bandwidth: the maker’s "
        f"figures or, for a CPU, measured ones.{f'{wrong} and cannot be right.' if above else ''}"
    )


def shares_of(bench: BenchmarkView, place: Place) -> list[Share]:
    """The shares of a benchmark, the largest first.

    A device has that of the heaviest sweep point; of several published rows of one label, the
    largest is taken.
    """
    shares = []
    for each in every_place(bench):
        own = own_share(bench, each) if each.point == place.point else None
        if own is not None and not isnan(own):
            hollow = is_hollow(bench.measured(each.series, each.point))
            shares.append(Share(each.series.title, "", each.series, own, hollow=hollow))
    best: dict[tuple[str, str], Share] = {}
    for found in published_shares(bench):
        row, name = found.rate.row, found.limits.name
        of = (name if name not in row.label else "", f"named by {found.by}" if found.by else "")
        share = Share(
            label(row.label, 60),
            ", ".join(filter(None, of)),
            Named(bench.label_of(row.device), bench.colour_of(row.device)),
            found.value,
            published=True,
            flagged="; ".join(map(flag_text, found.rate.flags)),
        )
        known = best.setdefault((share.name, share.hardware), share)
        best[share.name, share.hardware] = max(known, share, key=lambda each: each.value)
    return sorted([*shares, *best.values()], key=lambda share: -share.value)


Shares = Sequence[tuple[BenchmarkView, Place, Sequence[Share]]]
"""Benchmarks with their heaviest sweep point and their shares."""


def _plot(rows: Shares) -> Plot:
    """The figure: a row for each benchmark, a mark for each share."""
    workloads = []
    for bench, place, shares in rows:
        where = bench.point_title(place.point) if bench.axes else ""
        marks = tuple(share.mark for share in shares)
        workloads.append(Workload(label(bench.plan.title), (where,), "", "", "", marks))
    make = work_rates(workloads, base="", axis_title="share of the roof", limit="roof = 100 %")
    kinds = {share.mark.kind for *_, shares in rows for share in shares}
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
        table=_shares_table(rows),
    )


def _shares_table(rows: Shares) -> Table:
    groups = [
        RowGroup(
            tuple(
                table_row(
                    entry(share.name, *under(share.hardware), *under(share.flagged)),
                    "published" if share.published else "measured",
                    share.text,
                    device=share.device.colour,
                )
                for share in shares
            ),
            title=label(bench.plan.title),
            href=f"{bench.slug}.html#arithmetic",
            detail=bench.point_title(place.point) if bench.axes else "",
        )
        for bench, place, shares in rows
    ]
    return Table(
        id="shares-table",
        title="Shares of the roof",
        corner="device or published row",
        columns=number_columns(("provenance", "share of the roof")),
        groups=tuple(groups),
        style="prose",
    )


def _bounds(places: Sequence[tuple[BenchmarkView, Place]]) -> Section:
    """Upper bounds of hardware that published rows name, or else of the newest that is known."""
    named = Counter(
        hardware.known.name
        for bench, _ in places
        for rate in sound_rates(bench)
        if (hardware := hardware_of(rate.row))
    )
    shown = [name for name, _ in named.most_common() if limits_named(name, "float32")]
    shown += [each.name for each in known_limits("float32") if each.name not in shown]
    shown = shown[:MOST_BOUNDS]
    cells = [[_bound(bench, place, name) for name in shown] for bench, place in places]
    by = {limit for row in cells for _, limit in row if limit}
    rows = []
    for (bench, place), row in zip(places, cells, strict=True):
        header = entry(
            Line(label(bench.plan.title), href=f"{bench.slug}.html"),
            *under(bench.point_title(place.point) if bench.axes else "", "detail"),
        )
        here = entry(_rate(bench, place, place.seconds), Line(place.series.title, "detail"))
        # What limits all of them is said once.
        bounds = (
            replace(each, lines=(*each.lines, *under(limit if len(by) > 1 else "", "detail")))
            for each, limit in row
        )
        rows.append(table_row(header, here, *bounds))
    said = f"{sentence(by.pop())} limits every bound." if len(by) == 1 else ""
    table = Table(
        id="bounds-table",
        title="Measured throughput, and what other hardware cannot exceed",
        caption=said or "The smaller text says what limits the bound.",
        corner="benchmark",
        columns=number_columns(("measured here", *shown)),
        groups=(RowGroup(tuple(rows)),),
        notes=(f"“{COMMAND} specs/” has every known chip and sweep point; --hardware chooses.",),
    )
    return Section("bounds", "Upper bounds, not predictions", (table, Prose(ABOUT)))


def _rate(bench: BenchmarkView, place: Place, seconds: float) -> str:
    """Examples, or 10¹² operations of a kernel, in a second; the time where neither is counted."""
    batch = bench.plan.value("batch_size", bench.values(place.point))
    amount, noun = batch, bench.words.sample
    if bench.words.kernel:
        amount, noun = place.work.operations / 1e12, "TFLOPS"
    if isinstance(amount, int | float):
        return quantity.write(amount / seconds, Unit.RATE, noun=noun, digits=quantity.HEADLINE)
    return quantity.duration(seconds)


def _bound(bench: BenchmarkView, place: Place, name: str) -> tuple[Entry, str]:
    """The bound of some hardware, and what limits it."""
    limits = limits_named(name, place.work.dtype)
    if limits is None:
        return entry(Line(f"no {place.work.dtype} peak", "reason"), mark="absent"), ""
    bound = ceiling(place.work, limits)
    by = {Limit.ARITHMETIC: "arithmetic", Limit.MEMORY: "memory", Limit.DEPTH: "depth"}
    return entry(f"≤{quantity.SPACE}{_rate(bench, place, bound.seconds)}"), by[bound.limit]
