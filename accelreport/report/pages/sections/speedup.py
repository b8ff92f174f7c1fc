"""Speedups: of devices over the baseline, and of several replicas or workers over one."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.analysis.findings import Caveat, Kind, Unit, Value
from accelreport.analysis.speed_findings import caveats_of, difference_of, rate_of, ratio_of
from accelreport.analysis.speedup import Estimate, Scaling, widened
from accelreport.analysis.stats import DECIDED, Interval, Verdict, grouped
from accelreport.report import quantity
from accelreport.report.forms import signs, signs_text
from accelreport.report.frames import needed_text, why_incomplete, why_withheld
from accelreport.report.metrics import figure_of
from accelreport.report.model import (
    Badge,
    Block,
    Download,
    Entry,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.rates import rates_at, unlike, without_unit
from accelreport.report.pages.badges import (
    PARTIAL,
    SINGLE,
    absence,
    groups_by_point,
    number_badges,
    with_intervals,
)
from accelreport.report.quantity import duration_of
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.theme import heat_bin
from accelreport.report.view import BenchmarkView, Point, Series, present

VERDICTS = {
    "SAME": Badge("same", "within 3 %", "quiet"),
    "UNDECIDED": Badge("undecided", "interval contains 1×", "quiet"),
}


@dataclass(frozen=True)
class Compared:
    """A device of the table: measured here, or published.

    Attributes:
        title: its name in the table.
        colour: its number.
        series: what was measured; None where it is published.
        label: of the published rows; empty where it is measured.
    """

    title: str
    colour: int
    series: Series | None = None
    label: str = ""


def speedup_section(bench: BenchmarkView) -> Section | None:
    """Rates, speedups over the baseline, and the efficiency of several replicas or workers.

    None where there is no second device or published row.
    """
    published = published_ratios(bench)
    if len(bench.tried_series) < 2 and not (published or bench.plan.baseline.where):
        return None
    blocks: list[Block] = [speedup_table(bench)]
    if bench.scaling:
        blocks.append(scaling_table(bench))
    known = [row for row in bench.compared if row.computed and not row.is_baseline]
    held = sum(row.verdict is Verdict.WITHHELD for row in known)
    parts = [quantity.plural(len(known) - held, "speedup")] * (len(known) > held)
    parts += [f"{held} withheld"] * bool(held)
    rates = quantity.plural(sum(map(len, published.values())), "published rate")
    untimed = rates if published else f"{bench.baseline_name} untimed"
    detail = ", ".join(parts) or untimed
    return Section("speedup", "Rates and speedups", tuple(blocks), folded=True, detail=detail)


def published_ratios(bench: BenchmarkView) -> dict[str, dict[Point, Value]]:
    """Published rates over the baseline by label and sweep point: their ratios."""
    by_label: dict[str, dict[Point, Value]] = {}
    for finding in bench.findings:
        for value in finding.values if finding.kind is Kind.PUBLISHED else ():
            if value.of.row and value.over:
                ratios = by_label.setdefault(label(value.of.row.label, 60), {})
                ratios.setdefault(value.over.point, value)
    return by_label


SCATTER = "Intervals of speedups use the scatter at all sweep points."


def speedup_table(bench: BenchmarkView) -> Table:
    """Rates with their intervals and speedups over the baseline, measured and published.

    Devices stand below one another at each sweep point.
    """
    published = published_ratios(bench)
    devices = [Compared(s.title, s.colour, s) for s in bench.tried_series]
    for name, ratios in published.items():
        device = next(iter(ratios.values())).of.device
        devices.append(Compared(f"{name}, published", bench.colour_of(device), label=name))
    compared = (bench.speedup(s, point) for s in bench.tried_series for point in bench.points)
    held = frozenset[Caveat]().union(*(caveats_of(row.own.timed) for row in compared if row))
    corner: str
    groups: tuple[RowGroup, ...]
    if len(devices) == 1:
        corner, groups = (
            bench.points_heading,
            (
                RowGroup(
                    tuple(
                        table_row(
                            bench.point_header(point), *_cells(bench, devices[0], point, published)
                        )
                        for point in bench.points
                    )
                ),
            ),
        )
    else:
        corner = "device"
        groups = groups_by_point(
            bench,
            lambda point: (
                table_row(
                    device.title, *_cells(bench, device, point, published), device=device.colour
                )
                for device in devices
            ),
        )
    table = Table(
        id="speedup-table",
        title=f"Speedups over {bench.baseline_name}",
        corner=corner,
        columns=number_columns((bench.words.rate, "speedup")),
        groups=groups,
        style="matrix",
        notes=tuple(filter(None, [signs_text(held), SCATTER * any(map(widened, bench.compared))])),
        legend=any(row.verdict in DECIDED for row in bench.compared),
        download=Download(f"{bench.slug}/speedups.csv", "CSV"),
    )
    return with_intervals(table)


def _cells(
    bench: BenchmarkView,
    device: Compared,
    point: Point,
    published: dict[str, dict[Point, Value]],
) -> tuple[Entry, Entry]:
    """Rate and speedup of a device at a point, or why there is none."""
    speaker = Speaker(bench)
    if device.series is None:
        ratio = published[device.label].get(point)
        if ratio is None:
            return entry("–"), entry("–")
        own = next((v for v, _ in rates_at(bench, point) if v.of == ratio.of), None)
        derived = under("derived" * bool(own and not figure_of(own)))
        shown = entry(without_unit(own) if own else "–", *derived)
        return shown, entry(speaker.number(ratio))
    speedup = bench.speedup(device.series, point)
    value = rate_of(speedup.own) if speedup else None
    if speedup is None or value is None:
        return absence(bench, device.series, point), entry("–")
    badges = number_badges(bench.planned(device.series, point))
    rate = entry(
        f"{without_unit(value)} {signs(value.caveats) * present(value.number)}".strip(),
        *under(quantity.span(value.interval, Unit.NUMBER), "interval"),
        href=bench.evidence(device.series, point),
        badges=tuple(badge for badge in badges if badge not in {PARTIAL, SINGLE}),
    )
    estimate = speedup.computed
    if speedup.is_baseline:
        # Each machine is compared with itself.
        return rate, entry(f"{'own ' * bench.several_machines}baseline", mark="baseline")
    withheld = label(why_withheld(speedup), 200)
    if estimate is None or estimate.verdict is Verdict.WITHHELD:
        reason = withheld if estimate else why_incomplete(speedup, bench.baseline_name)
        reason = unlike(bench, ratio_of(speedup)) if speedup.of_precisions and estimate else reason
        word = "withheld" if estimate else "no speedup"
        return rate, entry(Line(word), Line(reason, "reason"), mark="absent")
    # Of two differences there is no verdict.
    one = len(difference_of(bench, ratio_of(speedup))) < 2
    more = needed_text(estimate.needed, estimate.interval.n, paired=estimate.paired)
    reasons = [f"precision differs: {withheld}" * bool(withheld), more * one]
    return rate, entry(
        *interval_lines(estimate.interval),
        *(Line(text, "reason") for text in filter(None, reasons)),
        badges=verdict_badges(estimate) * one,
        heat=estimate_heat(estimate),
    )


def verdict_badges(estimate: Estimate) -> tuple[Badge, ...]:
    """What is said beside a factor that is neither faster nor slower."""
    badge = VERDICTS.get(estimate.verdict) if estimate.interval.known else None
    return (badge,) if badge else ()


def estimate_heat(estimate: Estimate) -> int | None:
    """The bin that colours a speedup; none where the interval does not decide."""
    decided = estimate.verdict in DECIDED
    return heat_bin(estimate.interval.value) if decided else None


def interval_lines(interval: Interval) -> tuple[Line, Line]:
    """A speedup and its interval, or that there is none."""
    value = Line(quantity.ratio(interval.value, interval.low, interval.high))
    return value, Line(quantity.span(interval, Unit.RATIO) or "no interval", "interval")


def time_lines(seconds: Interval) -> tuple[Line, Line]:
    """A steady time and its interval, or that there is none."""
    between = quantity.span(seconds, Unit.SECONDS) or "no interval"
    return Line(duration_of(seconds)), Line(between, "interval")


def scaling_table(bench: BenchmarkView) -> Table:
    """How much of the work of one device each of several replicas or workers does."""

    def row(scaling: Scaling) -> Row:
        name = bench.title_of(scaling.own.device)
        against = Line(f"against {bench.title_of(scaling.single)}", "reason")
        return table_row(
            entry(name, against),
            quantity.count(scaling.units),
            _efficiency(scaling.strong, signs(caveats_of(scaling.own.timed))),
            _efficiency(scaling.weak, signs(caveats_of(scaling.own.timed))),
            device=bench.colours[scaling.own.device],
        )

    held = frozenset[Caveat]().union(*(caveats_of(row.own.timed) for row in bench.scaling))
    points = grouped(bench.scaling, lambda row: bench.point_name(tuple(row.own.point.values())))
    table = Table(
        id="scaling-table",
        title="Scaling efficiency",
        corner="device",
        columns=number_columns(("replicas or workers", "strong", "weak")),
        groups=tuple(
            RowGroup(tuple(map(row, scalings)), title=title) for title, scalings in points.items()
        ),
        notes=tuple(filter(None, [signs_text(held)])),
    )
    return with_intervals(table)


def _efficiency(interval: Interval, signs: str) -> Entry:
    """A share of perfect scaling with its interval; a dash where it was not measured."""
    if not present(interval.value):
        return entry(Line("–", "reason"))
    lines = [Line(f"{quantity.percent(interval.value, 0)} {signs}".strip())]
    if interval.known:
        low = quantity.fixed(100 * interval.low, 0)
        lines.append(
            Line(f"{low}{quantity.EN_DASH}{quantity.percent(interval.high, 0)}", "interval")
        )
    return Entry(tuple(lines))
