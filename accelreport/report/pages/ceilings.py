"""What was reached of peaks and roofs, measured here and published.

Upper bounds of other hardware are no results and stand on no page: `accelreport ceilings` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan

from accelreport.analysis.ceilings import ceiling, limits_named
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import sound_rates
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Named
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
    under,
)
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.sections.compute import (
    CEILINGS,
    every_place,
    heaviest,
    own_share,
    work_at,
)
from accelreport.report.published_text import flag_text
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

ABOUT = (
    "An upper bound is calculated, not measured. The least time of a step is the "
    "larger of least operations over peak and compulsory bytes over memory bandwidth. "
    "Operations are those that were counted here; a convolution’s are counted over the "
    "places of its kernel, because no fast algorithm saves more (Winograd, 1980). "
    "Bytes are the examples of a batch, and of weights and optimizer state what no "
    "chip can keep. The bound leaves out launches, input, element-wise work, and "
    "operations that wait for one another. Measured throughput therefore stays below "
    "it, most of all with small batches. The precision is that of the spec, or the "
    "fastest that the hardware has a rate for; one unit of the hardware computes. "
    "Without counted operations there is no bound."
)


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page | None:
    """The page; None where no share of a roof is known.

    Each spec is there once, by the profile whose step has the most work.
    """
    best: dict[str, tuple[float, BenchmarkView]] = {}
    for bench in benches:
        if place := heaviest(bench):
            known = best.get(bench.plan.spec, (0.0, bench))
            best[bench.plan.spec] = max((place.work.operations, bench), known, key=lambda x: x[0])
    dots = [dot for _, bench in best.values() for dot in reached_of(bench)]
    if not dots:
        return None
    dots.sort(key=lambda dot: -dot.value)
    figure, table = reached_blocks(dots)
    title = _title(dots)
    return Page(
        path=CEILINGS,
        title="Ceilings",
        headline=title,
        kicker="Shares of peaks and roofs",
        finding=_finding(dots),
        opening=Section("answer", title, (figure,)),
        sections=(
            Section("reached", "What was reached of the roof", (table,)),
            Section("about", "What an upper bound is, and what it leaves out", (Prose(ABOUT),)),
        ),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _title(dots: Sequence[Dot]) -> str:
    """What measured and what published rates reach, each from the least to the most."""
    parts: list[str] = []
    for noun, published in (("Measured", False), ("Published", True)):
        shares = [dot.text for dot in dots if dot.published == published and not dot.flagged]
        if shares:
            ends = " to ".join(dict.fromkeys((shares[-1], shares[0])))
            parts.append(f"{noun if not parts else noun.lower()} steps reach {ends} of their roof")
    return quantity.listed(parts)


def _finding(dots: Sequence[Dot]) -> str:
    above = [dot for dot in dots if dot.published and dot.value > 1]
    wrong = f" {quantity.plural(len(above), 'published figure')} above it cannot be right."
    return (
        "A roof follows from counted work and from peak and memory bandwidth. These are "
        f"the maker’s figures or, for a CPU, measured ones.{wrong if above else ''}"
    )


MOST_SHARES = 24
"""Rows of the figure of what was reached: as many as a sheet of paper holds."""


def reached_of(bench: BenchmarkView) -> Iterator[Dot]:
    """What was reached of a ceiling: measured here, and by published rows whose hardware is known.

    Of several rows of one label the best one.
    """
    title, place = label(bench.plan.title, 80), heaviest(bench)
    for each in every_place(bench):
        own = own_share(bench, each) if place and each.point == place.point else None
        if own is not None and not isnan(own):
            yield Dot(title, f"{each.series.title}, measured", each.series, own,
                      quantity.percent(own, 2), own, own)  # fmt: skip
    best: dict[str, Dot] = {}
    for dot in _published_dots(bench, title):
        if dot.detail not in best or dot.value > best[dot.detail].value:
            best[dot.detail] = dot
    yield from best.values()


def _published_dots(bench: BenchmarkView, title: str) -> Iterator[Dot]:
    for each in sound_rates(bench):
        hardware, device = hardware_of(each.row), each.row.device
        point = next(
            (p for p in bench.points if matches(bench.values(p), each.where)),
            None,
        )
        if point is None or hardware is None:
            continue
        at = bench.values(point)
        limits = limits_named(hardware.known.name, compute_dtype(bench.plan, device, at))
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work = next((each for each in works if each), None)
        batch = bench.plan.value("batch_size", at)
        if limits is None:
            continue
        if bench.words.kernel:
            share = each.rate / limits.peak.tflops
        elif work is not None and isinstance(batch, int | float):
            share = ceiling(work, limits).share(batch / each.rate)
        else:
            continue
        on = limits.name if limits.name not in each.row.label else ""
        by = f"named by {label(hardware.by, 40)}" if hardware.by else ""
        detail = ", ".join(filter(None, (label(each.row.label, 40), on, by)))
        of = Named(bench.label_of(device), bench.colour_of(device))
        yield Dot(title, detail, of, share,
                  quantity.percent(share, 0 if share >= 0.1 else 2), share, share, published=True,
                  flagged="; ".join(map(flag_text, each.flags)))  # fmt: skip


def reached_blocks(dots: Sequence[Dot]) -> tuple[Block, ...]:
    """The shares as a figure and as a table.

    Args:
        dots: at least one, the largest first.
    """
    drawn, rest = dots[:MOST_SHARES], dots[MOST_SHARES:]
    left = f" {len(rest)} more, of {rest[0].text} at most, are in the table." if rest else ""
    figure = Plot(
        id="shares",
        title="What was reached of the roof",
        description="; ".join(f"{dot.name}, {dot.detail}: {dot.text}" for dot in dots),
        chart=lambda size: dot_plot(
            drawn, axis_title="share of the roof", tick=percent_text,
            width=size.width, height=size.height,
        ),
        caption=("Filled marks are measured, hollow ones published. A mark above 100 % exceeds the "
"roof.")
        + left,
    )  # fmt: skip
    table = Table(
        id="shares-table",
        title="Shares of the roof",
        corner="benchmark",
        columns=(Column("of", wide=True), Column("share of the roof", number=True)),
        groups=(RowGroup(tuple(map(_share_row, dots))),),
    )
    high = 60 + 36 * len(drawn)
    return replace(figure.figure(Size(860, high), Size(330, high)), data=table), table


def _share_row(dot: Dot) -> Row:
    return table_row(dot.name, entry(dot.detail, *under(dot.flagged)), dot.text)
