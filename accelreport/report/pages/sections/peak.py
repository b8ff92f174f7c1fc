"""What devices compute and reach of their peak or measured roof, upper bounds, and their page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import ceiling, known_limits, limits_named
from accelreport.analysis.compute import Peak, cited_peak, compute_dtype, hardware_name
from accelreport.analysis.findings import Subject, Value
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import limits_of, published_value, rate_of, sound_rates
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Base, Dot, dot_plot
from accelreport.report.charts.drawing import FULL, NARROW
from accelreport.report.charts.scales import percent_text
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Downloads,
    Entry,
    Line,
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.openings.rates import dot_of, rows_caption, style_of
from accelreport.report.pages.badges import absence, measured_entry, points_by_devices
from accelreport.report.pages.sections.compute import Place, every_place, heaviest, most, work_at
from accelreport.report.say import Speaker
from accelreport.report.say_run import computed, reached, share_value
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series, median, present
from accelreport.report.warning_text import source_of_peak, type_of_peak

HALF = 536
"""Pixels of a figure that has one beside it."""
CEILINGS = "ceilings.html"
MOST_SHOWN = 3
"""Shares of a benchmark in the figure of all benchmarks."""
MEASURED_ROOF = (
    "A measured roof is one core’s rate in matrix products times the machine’s threads, or what a "
    "run of the machine reached where that is more."
)
"""What it is, wherever shares of it are shown."""
FEWEST = (
    "A convolution counts with its operations divided by the places of its kernel, because fast "
    "algorithms may save that much."
)
"""What the operations of a roof leave out."""
SMALLER = "Its share of a roof is therefore smaller than TFLOPS over the peak."
"""What follows for a convolution, wherever shares are shown."""


@dataclass(frozen=True)
class Reached:
    """A device, what it is held against, and the shares of it at the sweep points.

    Attributes:
        name: the device, as a sentence calls it.
        short: the same beside a mark that shows who measured it.
        limit: what limits it: "the machine’s measured roof", "the peak of a Tesla K80".
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
    """Measured devices in the plan's order, then published ones whose chip is known.

    A published rate of a kernel is held against the peak itself, others against the roof of the
    work that was counted here.
    """
    shares: dict[tuple[str, str, str, str], list[Value]] = {}
    for place in every_place(bench):
        known, rate = limits_of(bench, place.group), rate_of(place.group)
        if known is None or rate is None:
            continue
        limits, what = known
        share = ceiling(place.work, limits).share(place.seconds)
        if not isnan(share):
            owner = "its" if what == "peak" else "the machine’s"
            who = place.series.title, place.series.title, f"{owner} {what}", ""
            shares.setdefault(who, []).append(share_value(rate, share))
    for published in sound_rates(bench):
        row, hardware = published.row, hardware_of(published.row)
        point = next((p for p in bench.points if matches(bench.values(p), published.where)), None)
        if point is None or hardware is None:
            continue
        at = bench.values(point)
        chip = limits_named(hardware.known.name, compute_dtype(bench.plan, row.device, at))
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work, batch = next(filter(None, works), None), bench.plan.value("batch_size", at)
        if chip is None:
            continue
        if bench.words.kernel:
            share = published.rate / chip.peak.tflops
        elif work is not None and isinstance(batch, int | float):
            share = ceiling(work, chip).share(batch / published.rate)
        else:
            continue
        rate = published_value(bench, published)
        value = replace(rate, of=Subject(rate.of.device, "", point, rate.of.row))
        limit = f"the peak of the {label(chip.name, 60)}"
        who = Speaker(bench).name(value.of), label(row.label, 60), limit, label(hardware.by, 40)
        shares.setdefault(who, []).append(share_value(value, share))
    return [
        Reached(name, short, limit, tuple(sorted(values, key=lambda value: value.number)), by)
        for (name, short, limit, by), values in shares.items()
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
            MEASURED_ROOF,
            f"{FEWEST} {SMALLER}" if _convolves(bench) else "",
            *_chips(rows),
        ))),
        table=Table(
            "shares-data", "Share of peak or measured roof", (Column("share", number=True),
            Column("of")), corner="device", groups=(RowGroup(tuple(
                table_row(r.short, speaker.numbers(r.shares), f"of {r.limit}") for r in rows
            )),),
        ),
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


def _convolves(bench: BenchmarkView) -> bool:
    """Whether fewer operations are held against a roof than were counted."""
    counts = [record.flops for record in bench.records.values() if record.flops]
    return any(count.least and count.least < (count.per_step or 0.0) for count in counts)


def _chips(rows: Sequence[Reached]) -> Iterator[str]:
    """Who names the chips that the sources of some rows do not."""
    for by in dict.fromkeys(row.by for row in rows if row.by):
        names = [row.short for row in rows if row.by == by]
        yield f"The chip of {quantity.listed(names)} is named by {by}."


def _bounds(bench: BenchmarkView, place: Place) -> Table:
    """Upper bounds of known chips at the sweep point with the most work."""
    rows, every = [], known_limits(place.work.dtype)
    tf32 = any(limits.peak.tf32_tflops for limits in every)
    for limits in every:
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
            f"Calculated{bench.at(place.point)}: the least time is the larger of the fewest "
            "operations over the peak and the fewest bytes over the memory bandwidth. "
            f"{f'{FEWEST} ' * _convolves(bench)}{'No bound uses TF32. ' * tf32}Launches, input and "
            f"element-wise work are left out, so a measured {bench.words.step} takes longer. The "
            f"speedup is over {place.series.title} ({quantity.duration(place.seconds)})."
        ),
        corner="chip",
        columns=(*number_columns(("least time", "speedup at most")), Column("limited by")),
        groups=(RowGroup(tuple(rows)),),
        folded=True,
    )


# Arithmetic -------------------------------------------------------------------------------------


def compute_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no run counted its operations."""
    places = bench.shown_places
    known = {place: rate for place in places if (rate := tflops_of(bench, *place)) is not None}
    if not known:
        return None
    counts = [record.flops for record in bench.records.values() if record.flops is not None]
    methods = sorted({label(count.method, 500) for count in counts})
    of_bytes = sorted({label(count.bytes_method, 300) for count in counts if count.bytes_method})
    caption = (
        f"How operations are counted: {'; '.join(methods)}. The "
        "share is of the dense peak cited for the element type, in the "
        "devices file or else in the table of known hardware. The notes say what each "
        "figure was checked against."
    )
    if of_bytes:
        caption += (
            f" Bytes are counted, not measured: {'; '.join(of_bytes)}. The smallest text is "
            "the number of operations for each byte."
        )
    peaks = {
        f"{series.title}: {label(source_of_peak(peak), 240)}"
        for series, point in places
        if (peak := peak_of(bench, series, point)[0]) and peak.source
    }
    table = points_by_devices(
        bench,
        _entry,
        id="arithmetic-table",
        title=(
            f"Floating-point operations per second, from the steady time of a {bench.words.step}"
        ),
        caption=caption,
        notes=(f"Peaks. {'; '.join(sorted(peaks))}.",) if peaks else (),
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    link = Download(CEILINGS, "Shares of peaks, every benchmark", "measured and published")
    # Of others, a rate would say who is faster, which their comparisons with the baseline decide.
    best = max(known, key=lambda place: (place[0].baseline, known[place][0]))
    title = f"Arithmetic: {computed(bench, best, known[best][0])}"
    return Section("arithmetic", title, (table, Downloads((link,))), folded=True)


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The rate, its share of the peak or why there is none, and the operations for each byte."""
    rate = tflops_of(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    # The unit may stand below: eight devices have no room for it beside the number.
    lines = [Line(f"{quantity.number(value, *ends)} TFLOPS")]
    peak, hardware = peak_of(bench, series, point)
    if peak:
        share = quantity.percent(value / peak.tflops, 1)
        of = f"of {quantity.number(peak.tflops)} TFLOPS {type_of_peak(peak)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    else:
        of = label(hardware, 60) if hardware else "this device"
        lines.append(Line(f"no cited peak for {of}", "reason"))
    timed = bench.speedup(series, point)
    moved = median([row.timings.bytes_per_step for row in bench.measured(series, point)])
    if timed and moved > 0:
        intensity = value * timed.seconds.value * 1e12 / moved
        lines.append(Line(f"{quantity.number(intensity)}{quantity.SPACE}FLOP/B", "detail"))
    return measured_entry(bench, (series, point), lines, mark="small")


def tflops_of(
    bench: BenchmarkView, series: Series, point: Point
) -> tuple[float, float, float] | None:
    """TFLOPS and their interval, from the geometric mean of the steady time."""
    speedup = bench.speedup(series, point)
    work = median([cell.timings.flops_per_step for cell in bench.measured(series, point)])
    if speedup is None or not present(work):
        return None
    seconds = speedup.seconds
    ends = (seconds.high, seconds.low)
    low, high = (work / end / 1e12 if present(end) else float("nan") for end in ends)
    return work / seconds.value / 1e12, low, high


def peak_of(bench: BenchmarkView, series: Series, point: Point) -> tuple[Peak | None, str]:
    """The peak that is cited for what cells computed, and by which name a driver knows the chip."""
    known = (record.environment for record in bench.records_of(series, point))
    environment = next(filter(None, known), None)
    name = hardware_name(environment, bench.plan.devices[series.device].kind)
    return cited_peak(bench.plan, series.device, bench.values(point), name, environment), name


# The page of all benchmarks ---------------------------------------------------------------------

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
        href = f"{bench.slug}.html#arithmetic"
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
