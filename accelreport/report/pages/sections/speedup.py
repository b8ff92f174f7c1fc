"""Speedups: of devices over the baseline, and of several replicas or workers over one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from accelreport.analysis.findings import MOST_SEPARATE, Caveat, Kind, Unit, Value
from accelreport.analysis.speed_findings import caveats_of, rate_of
from accelreport.analysis.speedup import Estimate, Scaling, Speedup
from accelreport.analysis.stats import DECIDED, Interval, Verdict, grouped
from accelreport.report import quantity
from accelreport.report.frames import why_incomplete, why_withheld
from accelreport.report.model import (
    Badge,
    Block,
    Column,
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
from accelreport.report.openings.rates import rate_axis, rates_at
from accelreport.report.pages.badges import (
    PARTIAL,
    SINGLE,
    absence,
    groups_corner,
    notes_on_validation,
    number_badges,
    point_groups,
)
from accelreport.report.quantity import duration_of
from accelreport.report.say import Speaker, signs
from accelreport.report.text import label
from accelreport.report.theme import heat_bin
from accelreport.report.view import BenchmarkView, Point, Series, present

VERDICTS = {
    "SAME": Badge("same", "The whole interval lies within 3 % of 1×.", "quiet"),
    "UNDECIDED": Badge("undecided", "The interval contains 1×, or there is none.", "quiet"),
}


MOST_GROUPS = 6
"""Devices that stand side by side over the rows of sweep points; more stand below one another."""
SIGNED = {
    Caveat.BUDGET: "† stopped by the time budget.",
    Caveat.SINGLE_RUN: "‡ single run, no interval.",
}


@dataclass(frozen=True)
class Compared:
    """A device of the table: measured here, or published.

    Attributes:
        title: its heading.
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
    compared, name = _compared(bench), bench.baseline_name
    detail = verdict_counts(compared, name) if compared else "no device has a time to compare"
    if published and not compared:
        count = sum(map(len, published.values()))
        detail = f"{quantity.plural(count, 'published rate')} over {name}"
    return Section("speedup", "Rates and speedups", tuple(blocks), folded=True, detail=detail)


MOST_ROWS = 12
"""Sweep points above which the table has no other baselines."""


VERDICT_WORDS = {
    Verdict.FASTER: "faster",
    Verdict.SLOWER: "slower",
    Verdict.SAME: "the same",
    Verdict.UNDECIDED: "undecided",
    Verdict.WITHHELD: "withheld",
}


OF_PRECISIONS = "of another precision"
"""Said in the place of a verdict where nothing but the precision is unlike."""


def verdict_counts(compared: Iterable[Speedup], base: str) -> str:
    """How many comparisons with a base have which verdict: "3 comparisons with …: 2 faster …"."""
    counts = Counter(
        OF_PRECISIONS if row.of_precisions else VERDICT_WORDS[row.verdict] for row in compared
    )
    words = (*VERDICT_WORDS.values(), OF_PRECISIONS)
    parts = [f"{counts[word]} {word}" for word in words if counts[word]]
    count = quantity.plural(counts.total(), "comparison")
    return f"{count} with {base}: {quantity.listed(parts)}"


def _compared(bench: BenchmarkView) -> list[Speedup]:
    """Every comparison with the baseline that has a ratio."""
    rows = (row for row in bench.compared if row.base and not row.is_baseline)
    return [row for row in rows if row.computed]


def published_ratios(bench: BenchmarkView) -> dict[str, dict[Point, Value]]:
    """Published rates over the baseline by label and sweep point: their ratios."""
    by_label: dict[str, dict[Point, Value]] = {}
    for finding in bench.findings:
        for value in finding.values if finding.kind is Kind.PUBLISHED else ():
            if value.of.row and value.over:
                ratios = by_label.setdefault(label(value.of.row.label, 60), {})
                ratios.setdefault(value.over.point, value)
    return by_label


def _interval_text(bench: BenchmarkView) -> str:
    """What the intervals of the speedups are, in a sentence."""
    estimates = [estimate for row in _compared(bench) if (estimate := row.computed)]
    paired = [estimate for estimate in estimates if estimate.paired]
    if not estimates:
        return ""
    how = "compares between processes, whose spread may differ (Welch)"
    if len(paired) == len(estimates):
        how = "compares within repeats"
    elif paired:
        how = "compares within repeats where both devices ran them, and between processes elsewhere"
    return (
        f" Intervals are Student’s t on logarithms at 95{quantity.SPACE}%; that of a speedup {how}."
    )


OWN_INTERVALS = " Each interval holds for its own comparison, not for all of them together."
APART = " Each machine has its own baseline, so factors of different machines cannot be ranked."


def speedup_table(bench: BenchmarkView) -> Table:
    """Rates with their intervals and speedups over the baseline, measured and published.

    Sweep points down and devices across; many devices stand below one another at each point. A
    reader may choose another baseline, of which the table has the speedups alone.
    """
    published = published_ratios(bench)
    devices = [Compared(s.title, s.colour, s) for s in bench.tried_series]
    for name, ratios in published.items():
        device = next(iter(ratios.values())).of.device
        devices.append(Compared(f"{name}, published", bench.colour_of(device), label=name))
    name = bench.baseline_name
    at_the_same = (
        " at the same sweep point" if len(bench.plan.baseline.where) < len(bench.axes) else ""
    )
    compared = (bench.speedup(s, point) for s in bench.tried_series for point in bench.points)
    held = frozenset[Caveat]().union(*(caveats_of(row.own.timed) for row in compared if row))
    notes = [text for caveat, text in SIGNED.items() if caveat in held]
    values = [value for ratios in published.values() for value in ratios.values()]
    notes += notes_on_validation({caveat for value in values for caveat in value.caveats})
    table = _table(bench, devices, rate_axis(bench))
    return replace(
        table,
        title=f"Rates, and speedups over {name}",
        caption=(
            f"A speedup is a rate over that of {name}{at_the_same}."
            + _interval_text(bench)
            + OWN_INTERVALS * (len(_compared(bench)) > MOST_SEPARATE)
            + " Cells are coloured only where the interval decides." * bool(_compared(bench))
            + " A published figure has no interval." * bool(published)
            + APART * (sum(series.baseline for series in bench.shown_series) > 1)
        ),
        notes=(" ".join(notes),) if notes else (),
        legend=bool(_compared(bench)),
        download=Download(f"{bench.slug}/speedups.csv", "CSV"),
        choice=name,
        others=_over_others(bench),
    )


def _over_others(bench: BenchmarkView) -> tuple[Table, ...]:
    """The speedups of what was measured over each device but the baseline."""
    if bench.plan.baseline.where or len(bench.points) > MOST_ROWS:
        return ()
    timed = {row.device for row in bench.compared if row.own.timed}
    tables: list[Table] = []
    for device in dict.fromkeys(series.device for series in bench.tried_series):
        if device in timed and device != bench.plan.baseline.device:
            other = bench.over(device)
            devices = [Compared(s.title, s.colour, s) for s in other.tried_series]
            table = _table(other, devices, "")
            name = other.baseline_name
            title = f"Speedups over {name}"
            caption = f"A speedup is a rate over that of {name}.{_interval_text(other)}"
            legend = bool(_compared(other))
            tables.append(
                replace(
                    table, id=f"{table.id}-{len(tables) + 2}", title=title, caption=caption,
                    legend=legend, choice=name,
                )
            )  # fmt: skip
    return tuple(tables)


def _table(bench: BenchmarkView, devices: Sequence[Compared], rate: str) -> Table:
    """The rows and columns; the speedups alone where the rate has no name."""
    published = published_ratios(bench) if rate else {}
    cells = {
        (number, point): _cells(bench, device, point, published)
        for number, device in enumerate(devices)
        for point in bench.points
    }
    titles = (rate, "speedup") if rate else ("speedup",)
    if len(devices) > MOST_GROUPS or len(bench.points) == 1:
        corner, columns = "device", number_columns(titles)
        groups = tuple(
            RowGroup(
                tuple(
                    table_row(
                        device.title, *cells[number, point][-len(titles) :], device=device.colour
                    )
                    for number, device in enumerate(devices)
                ),
                title=bench.point_name(point),
            )
            for point in bench.points
        )
    else:
        # Where the baseline fixes a value of the sweep, its device has speedups at the others.
        whole = not bench.plan.baseline.where
        first = 0 if rate else 1
        shown = [
            range(first, 1 if whole and device.series and device.series.baseline else 2)
            for device in devices
        ]
        corner = groups_corner(bench)
        columns = tuple(
            Column(title, number=True, device=device.colour, group=device.title)
            for device, own in zip(devices, shown, strict=True)
            for title in ((rate, "speedup")[place] for place in own)
        )
        groups = point_groups(
            bench,
            lambda point, header: table_row(
                header,
                *(cells[number, point][place] for number, own in enumerate(shown) for place in own),
            ),
        )
    return Table(
        id="speedup-table", title="", corner=corner, columns=columns, groups=groups, style="matrix"
    )


def _cells(
    bench: BenchmarkView,
    device: Compared,
    point: Point,
    published: dict[str, dict[Point, Value]],
) -> tuple[Entry, Entry]:
    """Rate and speedup of a device at a point, or why there is none."""
    speaker = Speaker(bench)

    def plain(value: Value) -> str:
        return quantity.write(value.number, Unit.NUMBER, value.interval, digits=quantity.TABLE)

    if device.series is None:
        ratio = published[device.label].get(point)
        if ratio is None:
            return entry("–"), entry("–")
        own = next((plain(v) for v, _ in rates_at(bench, point) if v.of == ratio.of), "–")
        sign = signs(ratio.caveats & {Caveat.UNVALIDATED})
        return entry(own), entry(f"{speaker.number(ratio, quantity.TABLE)} {sign}".strip())
    speedup = bench.speedup(device.series, point)
    value = rate_of(speedup.own) if speedup else None
    if speedup is None or value is None:
        return absence(bench, device.series, point), entry("–")
    badges = number_badges(bench.planned(device.series, point))
    rate = entry(
        f"{plain(value)} {signs(value.caveats)}".strip(),
        *under(quantity.span(value.interval, Unit.NUMBER), "interval"),
        href=bench.evidence(device.series, point),
        badges=tuple(badge for badge in badges if badge not in {PARTIAL, SINGLE}),
    )
    estimate = speedup.computed
    if speedup.is_baseline:
        return rate, entry("baseline", mark="baseline")
    if estimate is None:
        return rate, entry(
            Line("no speedup"),
            Line(why_incomplete(speedup, bench.baseline_name), "reason"),
            mark="absent",
        )
    reasons = []
    if withheld := label(why_withheld(speedup), 200):
        what = "precision differs" if speedup.of_precisions else "no headline"
        reasons.append(f"{what}: {withheld}")
    if estimate.needed is not None:
        more = quantity.plural(estimate.needed, "more process", "more processes")
        reasons.append(f"{more} of each would probably decide")
    return rate, entry(
        *interval_lines(estimate.interval),
        *(Line(text, "reason") for text in reasons),
        badges=verdict_badges(estimate),
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
            _efficiency(scaling.strong),
            _efficiency(scaling.weak),
            device=bench.colours[scaling.own.device],
        )

    points = grouped(bench.scaling, lambda row: bench.point_name(tuple(row.own.point.values())))
    return Table(
        id="scaling-table",
        title="Efficiency of several replicas or workers",
        caption=(
            "Strong scaling splits one batch: the time of one device over the number of "
            "replicas or workers times their time. Weak scaling gives each the batch of one "
            "device: the time of one device over theirs. At 100 % each does as much work as "
            "one device. Under it is the 95 % interval over processes. Replicas on the cores "
            "of one processor share the cores that one device has to itself."
        ),
        corner="device",
        columns=number_columns(("replicas or workers", "strong", "weak")),
        groups=tuple(
            RowGroup(tuple(map(row, scalings)), title=title) for title, scalings in points.items()
        ),
    )


def _efficiency(interval: Interval) -> Entry:
    """A share of perfect scaling with its interval; a dash where it was not measured."""
    if not present(interval.value):
        return entry(Line("–", "reason"))
    lines = [Line(quantity.percent(interval.value, 0))]
    if interval.known:
        low = quantity.fixed(100 * interval.low, 0)
        lines.append(
            Line(f"{low}{quantity.EN_DASH}{quantity.percent(interval.high, 0)}", "interval")
        )
    return Entry(tuple(lines))
