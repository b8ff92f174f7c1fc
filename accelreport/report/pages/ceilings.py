"""What was reached of peaks and roofs, and below it upper bounds of other hardware.

Bounds are no predictions: they are in tables that say so, no figure draws them, and they enter
nothing that is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import Ceiling, Limits, ceiling, known_limits, limits_named
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.cost import Price
from accelreport.analysis.hardware import RUNTIMES, named_in
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import sound_rates
from accelreport.analysis.stats import geometric_mean
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Named
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Entry,
    Line,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    under,
)
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.sections.compute import (
    PATH,
    Place,
    anchor,
    every_place,
    heaviest,
    most,
    own_share,
    published_share,
    work_at,
)
from accelreport.report.pages.sections.cost import rent
from accelreport.report.published_text import flag_text
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import type_of_peak

ABOUT = (
    "A ceiling is a bound and no measurement: the least time of a step is the larger of least "
    "operations over peak and compulsory bytes over memory bandwidth. Operations are those that "
    "were counted here, a convolution’s over the places of its kernel, since no fast algorithm "
    "saves more (Winograd, 1980). Bytes are the examples of a batch, and of weights and optimizer "
    "state what no chip could keep. It leaves out launches, input, element-wise work, and "
    "operations that wait for one another, so what is measured stays below it, most of all "
    "with small batches. The precision is the spec’s, or the fastest that the hardware has a rate "
    "for; one unit of the hardware computes. Where operations were not counted there is no ceiling."
)

SHOWN = ("Tesla T4", "NVIDIA A100", "NVIDIA H100 SXM", "Tesla K80", "Cloud TPU v2 board")
"""Hardware of the first table: what clouds rent, and what the sources of the specs had."""


@dataclass(frozen=True)
class Bounded:
    """A benchmark at the sweep point with the most work, and the ceiling of each hardware."""

    bench: BenchmarkView
    place: Place
    limits: Sequence[Limits]

    @property
    def title(self) -> str:
        """The benchmark, and the fastest device that was measured there."""
        return label(self.bench.plan.title, 80)

    def on(self, hardware: str) -> Ceiling | None:
        """The ceiling of a row of the table; None where it has no rate."""
        limits = next((each for each in self.limits if each.name == hardware), None)
        return ceiling(self.place.work, limits) if limits else None

    def speedup(self, found: Ceiling) -> float:
        """The largest over what was measured."""
        return self.place.seconds / found.seconds

    def cost(self, limits: Limits, found: Ceiling) -> str:
        """What the time to the target costs at the least; empty without target or price."""
        device, price = self.place.series.device, _price(limits.name)
        point = self.bench.values(self.place.point)
        times = [
            each.elapsed_s
            for each in self.bench.target_times
            if each.reached and each.result.device == device and each.result.point == point
        ]
        if price is None or not times:
            return ""
        spent = geometric_mean(times).value * found.share(self.place.seconds)
        return f"{quantity.number(price.of(spent))}{quantity.SPACE}{price.currency}"


def _price(hardware: str) -> Price | None:
    """What an hour of known hardware cost, as somebody printed it."""
    for each in RUNTIMES:
        known = named_in(each.hardware)
        if each.price and known and known.name == hardware:
            return rent(each.price)
    return None


def bounded(benches: Iterable[BenchmarkView]) -> list[Bounded]:
    """Every benchmark with a measured step whose work was counted."""
    places = ((bench, heaviest(bench)) for bench in benches)
    return [Bounded(bench, at, known_limits(at.work.dtype)) for bench, at in places if at]


def _pictured(found: Iterable[Bounded]) -> list[Bounded]:
    """Each spec once, by the profile with the most work."""
    best: dict[str, Bounded] = {}
    for each in found:
        known = best.get(each.bench.plan.spec)
        if known is None or each.place.work.operations > known.place.work.operations:
            best[each.bench.plan.spec] = each
    return list(best.values())


def ceilings_page(benches: Sequence[BenchmarkView]) -> Page | None:
    """The page; None where no measured step has its operations counted."""
    found = bounded(benches)
    if not found:
        return None
    pictured = _pictured(found)
    dots = sorted((dot for each in pictured for dot in reached_of(each)), key=lambda d: -d.value)
    reached = reached_blocks(dots) if dots else ()
    title = _title(dots)
    titles = [each.title for each in found]
    return Page(
        path=PATH,
        title="Ceilings",
        headline=title,
        kicker="Shares of peaks and roofs, and upper bounds",
        finding=_finding(dots),
        opening=Section("answer", title, (reached[0],)) if reached else None,
        sections=(
            *([Section("reached", "What was reached of the roof", reached[1:])] if reached else []),
            Section("bounds", "Upper bounds, not predictions", (_matrix(pictured),)),
            *(_section(each, profile=titles.count(each.title) > 1) for each in found),
            Section("about", "What a ceiling is, and what it leaves out", (Prose(ABOUT),)),
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
    return quantity.listed(parts) or "Upper bounds of known hardware"


def _finding(dots: Sequence[Dot]) -> str:
    above = [dot for dot in dots if dot.published and dot.value > 1]
    wrong = f" {quantity.plural(len(above), 'published figure')} above it cannot be right."
    return (
        "A roof follows from counted work and from the peak and memory bandwidth that the maker "
        f"cites, or that a CPU was measured to reach.{wrong if above else ''}"
    )


MOST_SHARES = 24
"""Rows of the figure of what was reached: as many as a sheet of paper holds."""


def _matrix(found: Sequence[Bounded]) -> Table:
    rows = []
    for each in found:
        bounds = [each.on(name) for name in SHOWN]
        where = each.bench.at(each.place.point, ", ")
        header = (Line(each.title), Line(f"over {each.place.series.title}{where}", "reason"))
        entries = (_entry(each, bound) if bound else entry("–") for bound in bounds)
        rows.append(Row(Entry(header, href=f"#{anchor(each.bench)}"), tuple(entries)))
    return Table(
        id="ceilings-table",
        title="Speedup at most, the least time of a step, and what limits it: upper bounds",
        corner="benchmark",
        columns=number_columns(f"{name}: ceiling" for name in SHOWN),
        groups=(RowGroup(tuple(rows)),),
    )


def _entry(found: Bounded, bound: Ceiling) -> Entry:
    details = (quantity.duration(bound.seconds), bound.limit.value)
    most_of = Line(most(found.speedup(bound)))
    return entry(most_of, *(Line(detail, "detail") for detail in details))


def _section(found: Bounded, *, profile: bool) -> Section:
    """Every piece of known hardware, and what published times come to of it.

    Args:
        found: the benchmark.
        profile: whether its title alone does not tell it from another.
    """
    bench, place = found.bench, found.place
    costs = {each.name: found.cost(each, ceiling(place.work, each)) for each in found.limits}
    where = bench.at(place.point, ", ")
    table = Table(
        id=f"{anchor(bench)}-table",
        title=f"The least time of a {bench.words.step} on known hardware{where}: ceilings",
        caption=(
            f"The speedup is over {place.series.title}, the fastest that was measured here "
            f"({quantity.duration(place.seconds)}). Where a source did not name its hardware, "
            "the last column says what its time would be of this row’s ceiling." + _deep(found)
        ),
        corner="hardware",
        columns=(
            Column("least time (ceiling)", number=True),
            Column("speedup at most (ceiling)", number=True),
            Column("limited by"),
            *([Column("least cost to the target", number=True)] if any(costs.values()) else []),
            Column("published time, as a share of it", number=True),
        ),
        groups=(RowGroup(tuple(_row(found, each, costs) for each in found.limits)),),
    )
    of = f" ({label(bench.plan.profile, 40)} profile)" if profile else ""
    return Section(anchor(bench), f"{found.title}{of}", (table,), folded=True)


def _deep(found: Bounded) -> str:
    """What is said of products that wait for one another."""
    depth = found.place.work.depth
    if not depth:
        return " How many products wait for one another was not counted."
    cited = [each for each in found.limits if each.kernel_s]
    said = [f"{each.name} {quantity.duration(each.kernel_s)}" for each in cited]
    timed = (
        f" A time of each beside its work is cited for {quantity.listed(said)}, and their "
        "ceilings hold if each is a kernel of its own. For all others it"
        if said
        else " It"
    )
    return (
        f" {quantity.count(depth)} products or more wait for one another.{timed} is left out "
        "here: accelreport ceilings --kernel-us takes one."
    )


def _row(found: Bounded, limits: Limits, costs: Mapping[str, str]) -> Row:
    bound = ceiling(found.place.work, limits)
    told = tuple(
        Line(f"{label(sweep.label, 40)} {quantity.percent(share, 2)}")
        for sweep, share in published_share(found.bench, found.place, limits, bound)
    )
    peak = f"{quantity.number(limits.peak.tflops)} TFLOPS {type_of_peak(limits.peak)}"
    cost = [entry(costs[limits.name] or "–")] if any(costs.values()) else []
    return Row(
        entry(limits.name, Line(peak, "reason")),
        (
            entry(quantity.duration(bound.seconds)),
            entry(most(found.speedup(bound))),
            entry(bound.limit.value),
            *cost,
            Entry(told or (Line("–"),)),
        ),
    )


def reached_of(found: Bounded) -> Iterator[Dot]:
    """What was reached of a ceiling: measured here, and by published rows whose hardware is known.

    Of several rows of one label the best one.
    """
    bench, place = found.bench, found.place
    for each in every_place(bench):
        own = own_share(bench, each) if each.point == place.point else None
        if own is not None and not isnan(own):
            yield Dot(found.title, f"{each.series.title}, measured", each.series, own,
                      quantity.percent(own, 2), own, own)  # fmt: skip
    best: dict[str, Dot] = {}
    for dot in _published_dots(found):
        if dot.detail not in best or dot.value > best[dot.detail].value:
            best[dot.detail] = dot
    yield from best.values()


def _published_dots(found: Bounded) -> Iterator[Dot]:
    bench = found.bench
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
        yield Dot(found.title, detail, of, share,
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
        caption="A filled mark was measured here, a hollow one published; above 100 % is crossed."
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
    return Row(entry(dot.name), (entry(dot.detail, *under(dot.flagged)), entry(dot.text)))
