"""How fast hardware that nobody here may own could be at the most: benchmark × hardware.

Ceilings are bounds. They are drawn hollow, have the word beside each number, and enter nothing
that is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import Ceiling, Limits, ceiling, known_limits, limits_named
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.cost import Price
from accelreport.analysis.hardware import RUNTIMES, named_in
from accelreport.analysis.results import matches
from accelreport.analysis.stats import geometric_mean
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Named, panel
from accelreport.report.charts.labelled import CeilingBar, Heading, ceiling_bars, row_key
from accelreport.report.charts.scales import percent_text
from accelreport.report.heroes.hero import HeroFigure, Size
from accelreport.report.heroes.rates import printed_once
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Figure,
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
from accelreport.spec.models import Published

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
"""Hardware of the figure: what clouds rent, and what the sources of the specs had."""


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
        return f"{formatting.number(price.of(spent))}{formatting.SPACE}{price.currency}"


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
    shares = reached_section([dot for each in pictured for dot in reached_of(each)])
    title, finding = _finding(pictured)
    titles = [each.title for each in found]
    return Page(
        path=PATH,
        title="Ceilings",
        headline=title,
        kicker="Bounds, no measurements",
        finding=finding,
        opening=Section("answer", title, (_figure(pictured),)),
        sections=(
            *([shares] if shares else []),
            *(_section(each, profile=titles.count(each.title) > 1) for each in found),
            Section("about", "What a ceiling is, and what it leaves out", (Prose(ABOUT),)),
        ),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _finding(found: Sequence[Bounded]) -> tuple[str, str]:
    name = SHOWN[0]
    here = {each.place.series.title for each in found}
    over = f"{here.pop()} here" if len(here) == 1 else "the fastest device here"
    factors = sorted(
        (each.speedup(on), each.title) for each in found if (on := each.on(name)) is not None
    )
    (least, slow), (largest, fast) = factors[0], factors[-1]
    between = f"{most(least)} to {most(largest)}" if len(factors) > 1 else most(least)
    title = f"A {name} could be at most {between} as fast as {over}"
    said = f"Least for “{slow}”, most for “{fast}”. " if len(factors) > 1 else ""
    return title, (
        f"{said}These are ceilings, by counted work and what the maker cites: no hardware can do "
        "better. Hollow bars are never measured."
    )


MOST_SHARES = 24
"""Rows of what was reached of the ceilings: as many as a sheet of paper holds."""
MOST_BARS = 9
"""Benchmarks of a slide: the largest bounds and the least one."""


def ceilings_picture(benches: Sequence[BenchmarkView]) -> tuple[str, HeroFigure] | None:
    """What hardware that many rent could do at the most, and that in a sentence.

    None where no measured step has its operations counted.
    """
    found, name = _pictured(bounded(benches)), SHOWN[0]
    bound = [(each.speedup(on), each, on) for each in found if (on := each.on(name))]
    if not bound:
        return None
    ranked = sorted(bound, key=lambda one: -one[0])
    shown = ranked if len(ranked) <= MOST_BARS else [*ranked[: MOST_BARS - 1], ranked[-1]]
    headings = [Heading("", tuple(each.title for _, each, _ in shown))]
    bars = [
        CeilingBar(row_key(0, i), factor, f"ceiling {most(factor)}", on.limit.value)
        for i, (factor, _, on) in enumerate(shown)
    ]
    ends = (shown[-1][0], shown[0][0])
    axis = f"speedup of a {name} over the fastest device here, at most"
    picture = HeroFigure(
        id="ceilings",
        title=f"Ceilings of a {name}",
        description="; ".join(f"{each.title}: at most {most(by)}" for by, each, _ in shown) + ".",
        chart=lambda size: ceiling_bars(bars, headings, ends, axis)(size.width),
        caption="A hollow bar ends at a bound: nothing was measured on this hardware.",
    )
    return _finding(found)[0], picture


def _figure(found: Sequence[Bounded]) -> Figure:
    headings = [Heading("", tuple(each.title for each in found))]
    on = {
        name: [(i, each, bound) for i, each in enumerate(found) if (bound := each.on(name))]
        for name in SHOWN
    }
    factors = [each.speedup(bound) for own in on.values() for _, each, bound in own]
    ends, axis = (min(factors), max(factors)), "speedup over the fastest device here, at most"
    panels = []
    for number, (name, own) in enumerate(on.items()):
        bars = [
            CeilingBar(row_key(0, i), each.speedup(bound), f"ceiling {most(each.speedup(bound))}",
                       bound.limit.value)
            for i, each, bound in own
        ]  # fmt: skip
        said = "; ".join(f"{each.title}: {most(each.speedup(bound))}" for _, each, bound in own)
        make = ceiling_bars(bars, headings, ends, axis)
        drawn = panel(make, prefix=f"ce{number}", title=f"Ceilings of {name}", description=said)
        panels.append(replace(drawn, title=name))
    return Figure(
        id="ceilings",
        title="The most a speedup could be: ceilings, over the fastest device measured here",
        subtitle="Each bar ends at a bound, with what it follows from (log scale).",
        caption="",
        panels=tuple(panels),
        choose=True,
        table=_matrix(found),
    )


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
        title="Speedup at most, the least time of a step, and what limits it: ceilings",
        corner="benchmark",
        columns=number_columns(f"{name}: ceiling" for name in SHOWN),
        groups=(RowGroup(tuple(rows)),),
    )


def _entry(found: Bounded, bound: Ceiling) -> Entry:
    details = (formatting.duration(bound.seconds), bound.limit.value)
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
            f"({formatting.duration(place.seconds)}). Where a source did not name its hardware, "
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
    said = [f"{each.name} {formatting.duration(each.kernel_s)}" for each in cited]
    timed = (
        f" A time of each beside its work is cited for {formatting.listed(said)}, and their "
        "ceilings hold if each is a kernel of its own. For all others it"
        if said
        else " It"
    )
    return (
        f" {formatting.count(depth)} products or more wait for one another.{timed} is left out "
        "here: accelreport ceilings --kernel-us takes one."
    )


def _row(found: Bounded, limits: Limits, costs: Mapping[str, str]) -> Row:
    bound = ceiling(found.place.work, limits)
    told = tuple(
        Line(f"{label(sweep.label, 40)} {formatting.percent(share, 2)}")
        for sweep, share in published_share(found.bench, found.place, limits, bound)
    )
    peak = f"{formatting.number(limits.peak.tflops)} TFLOPS {label(limits.peak.dtype, 20)}"
    cost = [entry(costs[limits.name] or "–")] if any(costs.values()) else []
    return Row(
        entry(limits.name, Line(peak, "reason")),
        (
            entry(formatting.duration(bound.seconds)),
            entry(most(found.speedup(bound))),
            entry(bound.limit.value),
            *cost,
            Entry(told or (Line("–"),)),
        ),
    )


def hardware_of(row: Published) -> tuple[str, str]:
    """The hardware of a published row, and who names it where the row does not.

    Colab's machines are those that another source names; both empty where nobody does.
    """
    for text in (row.hardware, row.label):
        if known := named_in(text):
            return known.name, ""
    short = row.label.partition(",")[0]
    for each in RUNTIMES:
        known = named_in(each.hardware)
        if known and short and (each.name.startswith(short) or short.startswith(each.name)):
            return known.name, "as named elsewhere"
    return "", ""


def reached_of(found: Bounded) -> Iterator[Dot]:
    """What was reached of a ceiling: measured here, and by published rows whose hardware is known.

    Of several rows of one label the best one.
    """
    bench, place = found.bench, found.place
    for each in every_place(bench):
        own = own_share(bench, each) if each.point == place.point else None
        if own is not None and not isnan(own):
            yield Dot(found.title, f"{each.series.title}, measured", each.series, own,
                      formatting.percent(own, 2), own, own)  # fmt: skip
    best: dict[str, Dot] = {}
    for dot in _published_dots(found):
        if dot.detail not in best or dot.value > best[dot.detail].value:
            best[dot.detail] = dot
    yield from best.values()


def _published_dots(found: Bounded) -> Iterator[Dot]:
    bench = found.bench
    for each in printed_once(bench):
        hardware, named = hardware_of(each.row)
        device = each.row.device
        point = next(
            (p for p in bench.points if matches(bench.values(p), each.where)),
            None,
        )
        if point is None or not hardware:
            continue
        at = bench.values(point)
        limits = limits_named(hardware, compute_dtype(bench.plan, device, at))
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work = next((each for each in works if each), None)
        batch = at.get("batch_size", bench.plan.workload.get("batch_size"))
        if limits is None:
            continue
        if bench.words.kernel:
            share = each.rate / limits.peak.tflops
        elif work is not None and isinstance(batch, int | float):
            share = ceiling(work, limits).share(batch / each.rate)
        else:
            continue
        on = limits.name if limits.name not in each.row.label else ""
        detail = ", ".join(filter(None, (label(each.row.label, 40), on, named)))
        of = Named(bench.label_of(device), bench.colours[device])
        yield Dot(found.title, detail, of, share,
                  formatting.percent(share, 0 if share >= 0.1 else 2), share, share, published=True,
                  flagged="; ".join(map(flag_text, each.flags)))  # fmt: skip


def reached_section(dots: Sequence[Dot]) -> Section | None:
    """The shares, largest first; None where no ceiling of what was measured or printed is known."""
    if not dots:
        return None
    ranked = sorted(dots, key=lambda dot: -dot.value)
    above = [dot for dot in ranked if dot.value > 1]
    finding = f"{_count(ranked, 'time')} and what each reached of its own ceiling."
    if above:
        finding += f" {_count(above, 'published figure')} above it cannot be right."
    drawn, rest = ranked[:MOST_SHARES], ranked[MOST_SHARES:]
    left = f" {len(rest)} more, of {rest[0].text} at most, are in the numbers." if rest else ""
    figure = HeroFigure(
        id="shares",
        title="What was reached of the ceiling",
        description="; ".join(f"{dot.name}, {dot.detail}: {dot.text}" for dot in ranked),
        chart=lambda size: dot_plot(
            drawn, axis_title="share of the ceiling", tick=percent_text,
            width=size.width, height=size.height,
        ),
        caption="A filled mark was measured here, a hollow one published; above 100 % is crossed."
        + left,
        table=Table(
            id="shares-table",
            title="Shares of the ceiling",
            corner="time",
            columns=(Column("of", wide=True), Column("share of the ceiling", number=True)),
            groups=(RowGroup(tuple(map(_share_row, ranked))),),
        ),
    )  # fmt: skip
    high = 60 + 36 * len(drawn)
    shown = figure.figure(Size(860, high), Size(330, high))
    return Section("reached", "What was reached of the ceilings", (shown,), finding=finding)


def _share_row(dot: Dot) -> Row:
    return Row(entry(dot.name), (entry(dot.detail, *under(dot.flagged)), entry(dot.text)))


def _count(dots: Sequence[Dot], noun: str) -> str:
    return formatting.plural(len(dots), noun)
