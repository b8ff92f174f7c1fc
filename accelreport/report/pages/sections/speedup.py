"""Speedups: of devices over the baseline, and of several replicas or workers over one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from accelreport.analysis.speedup import Estimate, Scaling, Speedup
from accelreport.analysis.stats import DECIDED, Interval, Verdict
from accelreport.report import quantity
from accelreport.report.charts.scales import percent_text
from accelreport.report.charts.sweep import SweepLine, keys_of_lines, sweep_axes
from accelreport.report.frames import why_incomplete, why_withheld
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Figure,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import Size, lines_plot
from accelreport.report.pages.badges import (
    absence,
    devices_down,
    groups_corner,
    loud_badges,
    number_badges,
    point_groups,
)
from accelreport.report.quantity import duration_of
from accelreport.report.text import label, sentence
from accelreport.report.theme import heat_bin
from accelreport.report.view import BenchmarkView, Point, Series, present

VERDICTS = {
    "SAME": Badge("same", "The whole interval lies within 3 % of 1×.", "quiet"),
    "UNDECIDED": Badge("undecided", "The interval contains 1×, or there is none.", "quiet"),
}


def speedup_section(bench: BenchmarkView) -> Section | None:
    """The section; None where there is no second device to compare with."""
    if len(bench.tried_series) < 2:
        return None
    return Section("speedup", "Speedup", (speedup_table(bench),), finding=_finding(bench))


def _finding(bench: BenchmarkView) -> str:
    """How many comparisons with the baseline have each verdict."""
    verdicts = Counter(row.verdict for row in _compared(bench))
    total = verdicts.total()
    if not total:
        return "No device has a time to compare."
    words = {
        Verdict.FASTER: "faster",
        Verdict.SLOWER: "slower",
        Verdict.SAME: "the same",
        Verdict.UNDECIDED: "undecided",
        Verdict.NOT_MEASURED: "withheld",
    }
    parts = [f"{verdicts[verdict]} {word}" for verdict, word in words.items() if verdicts[verdict]]
    name = bench.title_of(bench.plan.baseline)
    verb = "is" if total == 1 else "are"
    count = quantity.plural(total, "comparison")
    return f"{count} with {name} {verb} made: {quantity.listed(parts)}."


def _compared(bench: BenchmarkView) -> list[Speedup]:
    """Every comparison with the baseline that has a ratio."""
    rows = (row for row in bench.compared if row.base and not row.is_baseline)
    return [row for row in rows if row.estimate or row.qualified]


def _interval_text(bench: BenchmarkView) -> str:
    """What the intervals of the speedups are, in a sentence."""
    estimates = [
        estimate for row in _compared(bench) if (estimate := row.estimate or row.qualified)
    ]
    paired = [estimate for estimate in estimates if estimate.paired]
    if not estimates:
        return ""
    how = "compares between processes, whose spread may differ (Welch)"
    if len(paired) == len(estimates):
        how = "compares within repeats"
    elif paired:
        how = "compares within repeats where both devices ran them, and between processes elsewhere"
    return f"The interval is Student’s t on logarithms and {how}."


APART = " Each machine has its own baseline, so factors of different machines cannot be ranked."


def speedup_table(bench: BenchmarkView) -> Table:
    """Sweep points down, devices across, the baseline's absolute time in its own column."""
    name = bench.title_of(bench.plan.baseline)
    step, repeats = bench.words.step, bench.plan.measure.repeats
    groups = point_groups(bench, lambda point, header: _row(bench, point, header))
    rows = tuple(row for group in groups for row in group.rows)
    table = Table(
        id="speedup-table",
        title=f"Speed over that of {name}",
        caption=(
            (
                f"Compared by the mean steady time of a {step}. Under each factor are its 95 % "
                "interval and that time: the geometric mean over processes, "
                f"{quantity.plural(repeats, 'process', 'processes')} planned for each. "
                f"{_interval_text(bench)} Cells are coloured only where it decides."
            )
            + (APART if sum(series.baseline for series in bench.shown_series) > 1 else "")
        ),
        corner=groups_corner(bench),
        columns=tuple(_column(series) for series in bench.tried_series),
        groups=groups,
        notes=_marks(rows),
        style="matrix",
        legend=bool(_compared(bench)),
        download=Download(f"{bench.slug}/speedups.csv", "CSV"),
    )
    return devices_down(table)


def _marks(rows: tuple[Row, ...]) -> tuple[str, ...]:
    """What the marks in a table mean, each once, in words and not only on hovering."""
    badges = dict.fromkeys(badge for row in rows for entry in row.entries for badge in entry.badges)
    said = dict.fromkeys(f"“{b.text}”: {b.meaning}" for b in badges if " of " not in b.text)
    return (" ".join(said),) if said else ()


def _column(series: Series) -> Column:
    detail = "baseline" if series.baseline else ""
    return Column(series.title, detail=detail, number=True, device=series.colour)


def _row(bench: BenchmarkView, point: Point, header: str) -> Row:
    return table_row(
        header, *(speedup_entry(bench, series, point) for series in bench.tried_series)
    )


def speedup_entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """A cell of the table: factor, interval and absolute time, or why there is none."""
    found = bench.speedup(series, point)
    if found is None:
        return absence(bench, series, point)
    badges = number_badges(bench.planned(series, point))
    href = bench.evidence(series, point)
    time = duration_of(found.seconds)
    if series.baseline:
        return Entry(time_lines(found.seconds), href=href, badges=badges, mark="baseline")
    estimate = found.estimate or found.qualified
    if estimate is None:
        lines = (Line("withheld"), Line(why_incomplete(found), "reason"), Line(time, "detail"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    return entry(
        *interval_lines(estimate.interval),
        Line(time, "detail"),
        *_withheld(found),
        *_more(estimate),
        href=href,
        badges=(*badges, *verdict_badges(estimate)),
        heat=estimate_heat(estimate),
    )


def verdict_badges(estimate: Estimate) -> tuple[Badge, ...]:
    """What is said beside a factor that is neither faster nor slower."""
    badge = VERDICTS.get(estimate.verdict) if estimate.interval.known else None
    return (badge,) if badge else ()


def _withheld(found: Speedup) -> tuple[Line, ...]:
    """Why a speedup must not stand alone, where it must not."""
    text = label(why_withheld(found), 200)
    return (Line(f"no headline: {text}", "reason"),) if text else ()


def _more(found: Estimate) -> tuple[Line, ...]:
    """How many more processes would decide, where a number of them would."""
    if found.needed is None:
        return ()
    more = quantity.plural(found.needed, "more process", "more processes")
    return (Line(f"{more} of each would probably decide", "reason"),)


def estimate_heat(estimate: Estimate) -> int | None:
    """The bin that colours a speedup; none where the interval does not decide."""
    decided = estimate.verdict in DECIDED
    return heat_bin(estimate.interval.value) if decided else None


def interval_lines(found: Interval) -> tuple[Line, Line]:
    """A speedup and its interval, or that there is none."""
    value = Line(quantity.ratio(found.value, found.low, found.high))
    if not found.known:
        return value, Line("no interval", "interval")
    return value, Line(quantity.ratio_interval(found.low, found.high, found.value), "interval")


def time_lines(seconds: Interval) -> tuple[Line, Line]:
    """A steady time and its interval, or that there is none."""
    value = Line(duration_of(seconds))
    if not seconds.known:
        return value, Line("no interval", "interval")
    between = quantity.duration_interval(seconds.low, seconds.high, seconds.value)
    return value, Line(between, "interval")


def scaling_section(bench: BenchmarkView) -> Section | None:
    """The section; None where no device has several replicas or workers beside a single one."""
    if not bench.scaling:
        return None
    points: dict[str, list[Scaling]] = {}
    for each in bench.scaling:
        title = bench.point_title(tuple(each.own.point.values())) if bench.axes else ""
        points.setdefault(title, []).append(each)
    table = Table(
        id="scaling-table",
        title="Efficiency of several replicas or workers",
        caption=(
            "Strong scaling shares the batch: the time of one over the number of replicas "
            "or workers times theirs. Weak scaling gives each the batch of one: the time "
            "of one over theirs. At 100 % each does as much work as one alone, with the 95 "
            "% interval over processes. Replicas on the cores of one processor share what "
            "one alone had."
        ),
        corner="device",
        columns=number_columns(("replicas or workers", "strong", "weak")),
        groups=tuple(
            RowGroup(tuple(_scaling_row(bench, each) for each in found), title=title)
            for title, found in points.items()
        ),
    )
    shown = _scaling_figure(bench, table) or table
    return Section("scaling", "Scaling", (shown,), finding=_scaling_finding(bench))


def _scaling_figure(bench: BenchmarkView, table: Table) -> Figure | None:
    """Both efficiencies over the batch; None where another key is swept, or one batch alone."""
    kinds = {
        "strong scaling: one batch, shared": "strong",
        "weak scaling: a batch for each": "weak",
    }
    drawn = {title: _scaling_lines(bench, kind) for title, kind in kinds.items()}
    every = [line for lines in drawn.values() for line in lines]
    if list(bench.axes) != ["batch_size"] or not any(len(line.x) > 1 for line in every):
        return None
    axes = sweep_axes(every, (), x_title="batch size", tick=percent_text)
    panels = []
    for title, lines in drawn.items():
        if not lines:
            continue
        said = (
            f"{line.name}: {percent_text(round(line.y[0], 2))} at a batch of {line.x[0]:g}, "
            f"{percent_text(round(line.y[-1], 2))} at {line.x[-1]:g}"
            for line in lines
        )
        figure = lines_plot(
            lines,
            (),
            axes,
            id=f"scaling-{title.partition(' ')[0]}",
            title=sentence(title),
            description="; ".join(said) + ".",
        )
        panels.append(figure.panel(Size(380, 330), title=sentence(title)))
    return Figure(
        id="scaling-lines",
        title=table.title,
        caption=table.caption,
        panels=tuple(panels),
        keys=keys_of_lines(list({line.device: line for line in every}.values())),
        badges=loud_badges(bench),
        table=replace(table, caption=""),
    )


def _scaling_lines(bench: BenchmarkView, kind: str) -> list[SweepLine]:
    lines = []
    for series in bench.shown_series:
        own = [
            (float(str(each.own.point["batch_size"])), found, each.single)
            for each in bench.scaling
            if (each.own.device, each.own.machine) == (series.device, series.machine)
            and "batch_size" in each.own.point
            and present((found := getattr(each, kind)).value)
        ]
        if own:
            x, found, single = zip(*sorted(own, key=lambda each: each[0]), strict=True)
            low, high = (
                tuple(getattr(each, end) if each.known else each.value for each in found)
                for end in ("low", "high")
            )
            y = tuple(each.value for each in found)
            against = f"against {bench.title_of(single[0])}"
            lines.append(SweepLine(series.title, against, series, x, y, low, high))
    return lines


def _scaling_row(bench: BenchmarkView, found: Scaling) -> Row:
    name = bench.title_of(found.own.device)
    against = Line(f"against {bench.title_of(found.single)}", "reason")
    return table_row(
        entry(name, against),
        quantity.count(found.units),
        _efficiency(found.strong),
        _efficiency(found.weak),
        device=bench.colours[found.own.device],
    )


def _efficiency(found: Interval) -> Entry:
    if not present(found.value):
        return entry(Line("–", "reason"))
    lines = [Line(quantity.percent(found.value, 0))]
    if found.known:
        low = quantity.fixed(100 * found.low, 0)
        lines.append(Line(f"{low}{quantity.EN_DASH}{quantity.percent(found.high, 0)}", "interval"))
    return Entry(tuple(lines))


def _scaling_finding(bench: BenchmarkView) -> str:
    known = [each for each in bench.scaling if present(each.strong.value)]
    if not known:
        return "No batch was both shared by several and done by one alone."
    best = max(known, key=lambda each: (each.units, each.strong.value))
    return (
        f"{bench.title_of(best.own.device)}: {quantity.count(best.units)} at once do "
        f"{quantity.ratio(best.units * best.strong.value)} the work of one, an "
        f"efficiency of {quantity.percent(best.strong.value, 0)}."
    )
