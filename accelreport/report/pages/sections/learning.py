"""Learning: quality against time, time to the target, whether devices reach the same quality."""

from __future__ import annotations

from dataclasses import replace

from accelreport.analysis.parity import Agreement
from accelreport.analysis.stats import Interval
from accelreport.report import formatting
from accelreport.report.charts.curves import (
    Axes,
    Crossing,
    Curve,
    learning_curves,
    levels_needed,
    shared_axes,
)
from accelreport.report.charts.drawing import WIDE, draw, panel, panel_width
from accelreport.report.metrics import is_share, level_text, metric_text, metric_title
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Entry,
    Figure,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.badges import absence, number_badges
from accelreport.report.pages.panels import (
    groups_corner,
    keys,
    loud_badges,
    panel_points,
    panels_note,
    point_groups,
)
from accelreport.report.text import sentence
from accelreport.report.view import (
    BenchmarkView,
    Point,
    Series,
    deviation,
    mean,
    median,
    present,
)
from accelreport.results.record import Epoch


class Curves:
    """Learning curves of one metric, by device and sweep point."""

    def __init__(self, bench: BenchmarkView, metric: str) -> None:
        self.bench = bench
        self.metric = metric
        self.epochs = {
            (record.key, record.machine): [
                epoch for epoch in record.epochs if present(epoch.metrics.get(metric))
            ]
            for record in bench.shown_records
        }

    def curve(self, series: Series, point: Point) -> Curve | None:
        """Medians over seeds at each epoch; None where nothing was evaluated."""
        by_epoch: dict[int, list[Epoch]] = {}
        for cell in self.bench.measured(series, point):
            for epoch in self.epochs.get((cell.key, cell.machine), ()):
                by_epoch.setdefault(epoch.epoch, []).append(epoch)
        if not by_epoch:
            return None
        seeds = [by_epoch[number] for number in sorted(by_epoch)]
        values = [[epoch.metrics[self.metric] for epoch in each] for each in seeds]
        return Curve(
            device=series,
            elapsed_s=tuple(median([epoch.elapsed_s for epoch in each]) for each in seeds),
            value=tuple(map(median, values)),
            low=tuple(map(min, values)),
            high=tuple(map(max, values)),
        )

    def of(self, point: Point) -> dict[Series, Curve]:
        """Curves of every device at one point."""
        found = {series: self.curve(series, point) for series in self.bench.shown_series}
        return {series: curve for series, curve in found.items() if curve}

    def figure(self) -> Figure:
        """The figure: a panel for each sweep point, all with the same axes."""
        bench, metric = self.bench, self.metric
        drawn = panel_points([p for p in bench.points if self.of(p)])
        target = bench.plan.measure.target
        level = None
        if target is not None:
            level = target.at_least if target.at_least is not None else target.at_most
        every = [curve for point in bench.points for curve in self.of(point).values()]
        name = metric_title(metric)
        axes = shared_axes(every, quality=name, percent=is_share(metric), target=level)
        width = WIDE if len(drawn) == 1 else panel_width(len(drawn))
        crossings = [self._crossings(point) for point in drawn]
        most = max((levels_needed(each, axes, width) for each in crossings), default=0)
        axes = replace(axes, levels=most)
        panels = tuple(self._panel(point, axes, len(drawn)) for point in drawn)
        return Figure(
            id="quality-curves",
            title=f"{sentence(name)} against training time",
            subtitle=f"Up: {name}{axes.note}. Across: timed training.",
            caption=(
                "Lines are medians over seeds at the end of each epoch, bands reach from the "
                "lowest seed to the highest. Time is timed training only, the first step's "
                "compilation included; evaluations are not in it."
                + self._target_text(level)
                + panels_note(len(drawn), len(bench.points))
            ),
            panels=panels,
            keys=keys([s for s in bench.shown_series if any(s in self.of(p) for p in drawn)]),
            badges=loud_badges(bench),
            table=self._table(),
        )

    def _target_text(self, level: float | None) -> str:
        if level is None:
            return ""
        return (
            f" The dashed line is the target, {level_text(self.metric, level)}; a ring "
            "marks the first epoch at whose end a line has reached it, with the time above it "
            "(the table takes each seed by itself)."
        )

    def _crossings(self, point: Point) -> list[Crossing]:
        curves = self.of(point).values()
        return [found for curve in curves if (found := _crossing(self.bench, curve))]

    def _panel(self, point: Point, axes: Axes, panels: int) -> Panel:
        curves = self.of(point)
        make = learning_curves(list(curves.values()), self._crossings(point), axes)
        title = (
            f"{metric_title(self.metric)} against training time, {self.bench.point_title(point)}"
        )
        said = "; ".join(
            f"{series.title} ends at {metric_text(self.metric, curve.value[-1])} after "
            f"{formatting.duration(curve.elapsed_s[-1])}"
            for series, curve in curves.items()
        )
        prefix = f"qc{self.bench.points.index(point)}"
        if panels == 1:
            return panel(make, prefix=prefix, title=title, description=f"{said}.")
        drawn = draw(make, panel_width(panels), prefix=prefix, title=title, description=f"{said}.")
        return Panel(wide=drawn, title=self.bench.point_title(point))

    def _table(self) -> Table:
        groups = []
        series = self.bench.shown_series
        for point in self.bench.points:
            curves = self.of(point)
            epochs = max((len(curve.value) for curve in curves.values()), default=0)
            rows = tuple(
                Row(
                    Entry((Line(f"epoch {epoch + 1}"),)),
                    tuple(self._value(curves.get(each), epoch) for each in series),
                )
                for epoch in range(epochs)
            )
            groups.append(RowGroup(rows, title=self.bench.point_title(point)))
        return Table(
            id="quality-curves-data",
            title=f"Median {metric_title(self.metric)} and training time at the end of each epoch",
            columns=tuple(Column(each.title, number=True, device=each.colour) for each in series),
            groups=tuple(groups),
            download=Download(f"{self.bench.slug}/curves.csv", "CSV", "every metric and seed"),
        )

    def _value(self, curve: Curve | None, epoch: int) -> Entry:
        if curve is None or epoch >= len(curve.value):
            return Entry((Line("–"),))
        seconds = formatting.duration(curve.elapsed_s[epoch])
        return Entry((Line(metric_text(self.metric, curve.value[epoch])), Line(seconds, "detail")))


def _crossing(bench: BenchmarkView, curve: Curve) -> Crossing | None:
    """The first point of a line that fulfils the target."""
    target = bench.plan.measure.target
    if target is None:
        return None
    for seconds, value in zip(curve.elapsed_s, curve.value, strict=True):
        above = target.at_least is None or value >= target.at_least
        below = target.at_most is None or value <= target.at_most
        if above and below:
            return Crossing(curve.device, seconds, value, formatting.duration(seconds))
    return None


def target_table(bench: BenchmarkView) -> Table:
    """Time to the target: sweep points down, devices across; never reached is said."""
    target = bench.plan.measure.target
    if target is None:
        raise ValueError("the spec has no target")
    rule = (
        f"at least {target.at_least}"
        if target.at_least is not None
        else f"at most {target.at_most}"
    )
    groups = point_groups(
        bench,
        lambda point, header: Row(
            Entry((Line(header),)),
            tuple(_target_entry(bench, each, point, target.metric) for each in bench.series),
        ),
    )
    return Table(
        id="target-table",
        title=f"Training time until {metric_title(target.metric)} was {rule}",
        caption=(
            "Median over the seeds that reached it, counted to the end of the first epoch that "
            "did; under it the epoch and how many seeds."
        ),
        corner=groups_corner(bench),
        columns=tuple(Column(s.title, number=True, device=s.colour) for s in bench.series),
        groups=groups,
        style="matrix",
        download=Download(f"{bench.slug}/targets.csv", "CSV"),
    )


def _target_entry(bench: BenchmarkView, series: Series, point: Point, metric: str) -> Entry:
    rows = [
        each
        for each in bench.target_times
        if (each.result.device, each.result.machine) == (series.device, series.machine)
        and bench.point_of(each.result) == point
    ]
    if not rows:
        return absence(bench, series, point)
    href = bench.evidence(series, point)
    badges = number_badges(bench.planned(series, point))
    reached = [each for each in rows if each.reached]
    if not reached:
        best = [each.best for each in rows if present(each.best)]
        top = (min if "loss" in metric else max)(best) if best else float("nan")
        lines = (Line("never reached"), Line(f"best {metric_text(metric, top)}", "reason"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    seconds = median([each.elapsed_s for each in reached])
    epoch = median([each.epoch for each in reached])
    reach = (
        Line(formatting.duration(seconds)),
        Line(f"epoch {formatting.short(epoch)}", "interval"),
        Line(f"{len(reached)} of {formatting.plural(len(rows), 'seed')}", "detail"),
    )
    return Entry(reach, href=href, badges=badges)


_PARITY = {
    "EQUIVALENT": Badge(
        "same quality", "The 90 % interval of the difference lies within the margin.", "good"
    ),
    "DIFFERENT": Badge(
        "differs", "The 95 % interval of the difference lies outside the margin.", "bad"
    ),
    "UNDECIDED": Badge("undecided", "The interval is too wide, or there is none.", "quiet"),
}


def quality_section(bench: BenchmarkView) -> Section | None:
    """The section; None for a kernel, which learns nothing."""
    metric = bench.quality
    if not metric or not bench.shown_series:
        return None
    curves = Curves(bench, metric)
    blocks: list[Block] = [curves.figure()]
    if bench.plan.measure.target:
        blocks.append(target_table(bench))
    blocks += quality_tables(bench, metric)
    title = f"{sentence(metric_title(metric))} against time"
    return Section("quality", title, tuple(blocks), finding=_finding(bench, metric))


def _finding(bench: BenchmarkView, metric: str) -> str:
    target = bench.plan.measure.target
    if target is None:
        best = _best(bench, metric)
        return f"The best run ended at a {metric_title(metric)} of {metric_text(metric, best)}."
    rows = bench.target_times
    reached = [each for each in rows if each.reached]
    level = level_text(metric, rows[0].level) if rows else ""
    if not reached:
        return f"No run reached {level} {metric_title(metric)}."
    first = min(reached, key=lambda each: each.elapsed_s)
    where = f" at {bench.point_title(bench.point_of(first.result))}" if bench.axes else ""
    return (
        f"{len(reached)} of {formatting.plural(len(rows), 'run')} reached {level} "
        f"{metric_title(metric)}; the fastest, on {bench.title_of(first.result.device)}{where}, "
        f"after {formatting.duration(first.elapsed_s)} of training."
    )


def _best(bench: BenchmarkView, metric: str) -> float:
    values = [row.final[metric] for row in bench.rows if present(row.final.get(metric))]
    pick = min if "loss" in metric else max
    return float(pick(values)) if values else float("nan")


def quality_tables(bench: BenchmarkView, metric: str) -> list[Table]:
    """Final metrics by device and point, and parity of the one the page speaks of."""
    metrics = [m for m in _final_metrics(bench) if m != metric]
    parity = bench.parity
    caption = "Mean over seeds ± standard deviation at the end of the run."
    if parity:
        caption += (
            f" Under it the difference to {bench.title_of(bench.plan.baseline)} over paired "
            "seeds with its 90 % interval: “same quality” when the interval lies within "
            f"± {formatting.short(100 * bench.margin)} percentage points (two one-sided tests)."
        )
    columns = tuple(Column(s.title, number=True, device=s.colour) for s in bench.shown_series)
    main = Table(
        id="quality-table",
        title=f"Final {metric_title(metric)}",
        caption=caption,
        corner=bench.points_heading,
        columns=columns,
        groups=(_metric_group(bench, metric, parity, title=""),),
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    if not metrics:
        return [main]
    others = Table(
        id="quality-others",
        title="Every other metric",
        caption="Mean over seeds ± standard deviation at the end of the run.",
        corner=bench.points_heading,
        columns=columns,
        groups=tuple(_metric_group(bench, m, {}, title=metric_title(m)) for m in metrics),
        folded=True,
    )
    return [main, others]


def _final_metrics(bench: BenchmarkView) -> list[str]:
    names = {name for record in bench.records.values() for name in record.final}
    return sorted(names, key=lambda name: ("accuracy" not in name, name))


def _metric_group(
    bench: BenchmarkView,
    metric: str,
    parity: dict[tuple[str, str, Point], Agreement],
    *,
    title: str,
) -> RowGroup:
    rows = []
    for point in bench.points:
        entries = tuple(
            _metric_entry(
                bench, series, point, metric, parity.get((series.device, series.machine, point))
            )
            for series in bench.shown_series
        )
        rows.append(Row(Entry((Line(bench.point_header(point)),)), entries))
    return RowGroup(tuple(rows), title=sentence(title))


def _metric_entry(
    bench: BenchmarkView, series: Series, point: Point, metric: str, parity: Agreement | None
) -> Entry:
    cells = bench.measured(series, point)
    values = [row.final[metric] for row in cells if present(row.final.get(metric))]
    if not values:
        return Entry((Line("–"),))
    lines = [Line(metric_text(metric, mean(values), deviation(values)))]
    badges = number_badges(bench.planned(series, point))
    if parity and parity.difference.n and parity.verdict in _PARITY:
        lines.append(Line(_difference(parity.difference), "interval"))
        badges = (_PARITY[parity.verdict], *badges)
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges)


def _difference(found: Interval) -> str:
    points = f"{formatting.signed(100 * found.value, 2)}{formatting.SPACE}points"
    if not found.known:
        return points
    low, high = (formatting.signed(100 * end, 2) for end in (found.low, found.high))
    return f"{points} ({low} to {high})"
