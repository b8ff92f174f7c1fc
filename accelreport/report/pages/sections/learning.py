"""Learning: quality against time, time to the target, whether devices reach the same quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from accelreport.analysis.learning import Agreement
from accelreport.analysis.stats import Interval
from accelreport.report import formatting
from accelreport.report.charts.curves import (
    Axes,
    Curve,
    CurvePanel,
    learning_curves,
    shared_axes,
    told_by_dash,
)
from accelreport.report.charts.drawing import Chart, DeviceStyle, panel, small_panel
from accelreport.report.metrics import is_share, level_text, metric_text, metric_title
from accelreport.report.model import (
    Badge,
    Block,
    Download,
    Entry,
    Figure,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
)
from accelreport.report.pages.badges import (
    absence,
    device_columns,
    devices_down,
    keys,
    loud_badges,
    number_badges,
    panel_points,
    panels_note,
    points_by_devices,
)
from accelreport.report.text import sentence
from accelreport.report.view import (
    BenchmarkView,
    Point,
    Series,
    deviation,
    mean,
    median,
    once,
    present,
)
from accelreport.results.record import Epoch

FIRST = ("accuracy", "loss", "precision", "recall", "f1")
"""Metrics that curves are made of, in this order; the others are in the files."""
MOST_POINTS = 3
"""Sweep points side by side."""
HEIGHT, LOWER = 300, 235
"""Of a drawing in pixels: alone, and as one of several."""


class Curves:
    """Training against validation, by metric, device and sweep point."""

    def __init__(self, bench: BenchmarkView) -> None:
        self.bench = bench
        self.epochs = {
            (record.key, record.machine): record.epochs for record in bench.shown_records
        }
        known = {name for each in self.epochs.values() for row in each for name in row.metrics}
        own = bench.quality.removeprefix("val_")
        wanted = dict.fromkeys([own, *FIRST])
        self.metrics = tuple(name for name in wanted if name and {name, f"val_{name}"} & known)
        """What is learned, without its "val_"; the one that the page speaks of first."""
        self.curve = cache(self._curve)

    @property
    def metric(self) -> str:
        """The one that the page speaks of."""
        return self.metrics[0]

    def _curve(self, series: Series, point: Point, name: str) -> Curve | None:
        """Medians over seeds at each epoch; None where the metric was not recorded."""
        by_epoch: dict[int, list[Epoch]] = {}
        for cell in self.bench.measured(series, point):
            for epoch in self.epochs.get((cell.key, cell.machine), ()):
                if present(epoch.metrics.get(name)):
                    by_epoch.setdefault(epoch.epoch, []).append(epoch)
        if not by_epoch:
            return None
        seeds = [by_epoch[number] for number in sorted(by_epoch)]
        values = [[epoch.metrics[name] for epoch in each] for each in seeds]
        medians = tuple(map(median, values))
        return Curve(
            device=series,
            validation=name.startswith("val_"),
            elapsed_s=tuple(median([epoch.elapsed_s for epoch in each]) for each in seeds),
            value=medians,
            low=tuple(map(min, values)),
            high=tuple(map(max, values)),
            end=_end_text(name, medians[-1]),
        )

    def of(self, metric: str, point: Point) -> list[Curve]:
        """Curves of every device at one point, of validation and of training."""
        names = (f"val_{metric}", metric)
        found = [
            self.curve(series, point, name) for series in self.bench.shown_series for name in names
        ]
        return [curve for curve in found if curve]

    def points(self, metric: str) -> list[Point]:
        """Sweep points that are drawn."""
        return panel_points([p for p in self.bench.points if self.of(metric, p)], MOST_POINTS)

    def chart(
        self,
        metric: str,
        width: int,
        height: int,
        points: Sequence[Point] = (),
        *,
        alone: bool = False,
    ) -> Chart:
        """The chart of one metric, at some sweep points or, by their names, at all that are drawn.

        `alone`: of several devices the baseline's training stands alone beside the validation of
        all, since that of the others hardly differs and hides it.
        """
        drawn = points or self.points(metric)
        named = self.bench.axes and not points
        titles = [self.bench.point_title(point) if named else "" for point in drawn]
        panels = [
            CurvePanel(title, self._few(metric, point) if alone else tuple(self.of(metric, point)))
            for title, point in zip(titles, drawn, strict=True)
        ]
        return learning_curves(panels, self.axes(metric), width, height)

    def _few(self, metric: str, point: Point) -> tuple[Curve, ...]:
        """Without training but that of the first device."""
        every = self.of(metric, point)
        return tuple(c for c in every if c.validation or c.device == every[0].device)

    def thumbnail(self, device: DeviceStyle, point: Point, width: int, height: int) -> Chart:
        """One device at one point, without a title: there is no room for others' names."""
        curves = tuple(c for c in self.of(self.metric, point) if c.device == device)
        axes = replace(self.axes(self.metric), shown=(device,))
        return learning_curves([CurvePanel("", curves)], axes, width, height)

    def axes(self, metric: str) -> Axes:
        """Axes that hold every point's curves, whichever are drawn."""
        every = [curve for point in self.bench.points for curve in self.of(metric, point)]
        return shared_axes(
            every, quality=metric, percent=is_share(metric), target=self._target(metric)
        )

    def cut(self, *metrics: str) -> str:
        """The sentence that an axis leaves 0 out, where one does."""
        if not any(self.axes(metric).ticks[0] > 0 for metric in metrics):
            return ""
        return " The vertical axis starts near the lowest value, not at 0."

    def _target(self, metric: str) -> tuple[float, str] | None:
        target = self.bench.plan.measure.target
        if target is None or target.metric != f"val_{metric}":
            return None
        level = target.at_least if target.at_least is not None else target.at_most
        return None if level is None else (level, f"target {level_text(metric, level)}")

    def description(self, metric: str, points: Sequence[Point] = ()) -> str:
        """Where every line ends, at some sweep points or at all, for a screen reader."""
        said = [
            f"{curve.device.title}"
            + self.bench.at(point, ", ")
            + f": {curve.role} ends at {curve.end} after {formatting.duration(curve.elapsed_s[-1])}"
            for point in points or self.points(metric)
            for curve in self.of(metric, point)
        ]
        return "; ".join(said) + "."

    def figure(self, metric: str) -> Figure:
        """One metric, in a panel for each sweep point that is drawn."""
        bench, drawn = self.bench, self.points(metric)
        name = sentence(_title(metric))
        shown = {curve.device for point in drawn for curve in self.of(metric, point)}
        return Figure(
            id="quality-curves",
            title=f"{name} of training and validation, epoch by epoch",
            caption=(
                "Solid: data that the model never trains on. Dotted: data that it trains on, as "
                "the mean over an epoch. Lines are medians over seeds at the end of each epoch, "
                "bands reach from the lowest seed to the highest. Time is timed training only, "
                "the first step's compilation included; evaluations are not in it."
                + self.cut(metric)
                + panels_note(len(drawn), len(bench.points))
                + self._filled_up()
            ),
            panels=tuple(self._panel(metric, point, len(drawn)) for point in drawn),
            keys=keys(
                [series for series in bench.shown_series if series in shown],
                dashed=told_by_dash(self.axes(metric).shown),
            ),
            badges=loud_badges(bench),
            table=self.table(metric, "quality-curves-data"),
        )

    def _panel(self, metric: str, point: Point, panels: int) -> Panel:
        """One sweep point: in both widths where it stands alone."""
        told: dict[str, Any] = {
            "prefix": f"qc{self.bench.points.index(point)}",
            "title": f"{sentence(_title(metric))}, training and validation, by training time",
            "description": self.description(metric, [point]),
        }
        height = HEIGHT if panels == 1 else LOWER
        make = partial(self.chart, metric, height=height, points=[point])
        if panels == 1:
            return panel(make, **told)
        return small_panel(make, panels, heading=self.bench.point_title(point), **told)

    def _filled_up(self) -> str:
        """What became of the examples by which the last step of an evaluation is not full."""
        for record in self.bench.shown_records:
            examples = record.data.validation_examples if record.data else 0
            batch = record.cell.workload.get("evaluation_batch_size")
            if isinstance(batch, int) and examples > batch > 0 and examples % batch:
                return (
                    f" {sentence(formatting.count(examples))} examples are no multiple of the "
                    f"{formatting.count(batch)} that an evaluation takes at once: its last step is "
                    "filled up, and what fills it counts for nothing."
                )
        return ""

    def table(self, metric: str, identity: str) -> Table:
        """Every epoch of one metric, in validation and in training."""
        shown, groups = self.bench.shown_series, []
        for point in self.bench.points:
            curves = {
                each: [self.curve(each, point, name) for name in (f"val_{metric}", metric)]
                for each in shown
            }
            lengths = [len(c.value) for pair in curves.values() for c in pair if c]
            rows = tuple(
                Row(
                    entry(f"epoch {epoch + 1}"),
                    tuple(_value(metric, curves[each], epoch) for each in shown),
                )
                for epoch in range(max(lengths, default=0))
            )
            groups.append(RowGroup(rows, title=self.bench.point_title(point)))
        name = metric_title(f"val_{metric}")
        return Table(
            id=identity,
            title=f"Median {name}, under it that of training, and the training time",
            columns=device_columns(shown),
            groups=tuple(groups),
            download=Download(f"{self.bench.slug}/curves.csv", "CSV", "every metric and seed"),
        )


curves_of = once(Curves)
"""The curves of a benchmark."""


def _title(metric: str) -> str:
    """A metric of both training and validation, in words."""
    return metric_title(f"val_{metric}").removeprefix("validation ")


def _end_text(name: str, value: float) -> str:
    """The value at the end of a line, short."""
    return formatting.percent(value, 1) if is_share(name) else formatting.number(value)


def _value(metric: str, pair: Sequence[Curve | None], epoch: int) -> Entry:
    shown = [c for c in pair if c and epoch < len(c.value)]
    if not shown:
        return entry("–")
    first = Line(metric_text(metric, shown[0].value[epoch]))
    rest = [Line(f"training {metric_text(metric, c.value[epoch])}", "detail") for c in shown[1:]]
    seconds = Line(formatting.duration(shown[0].elapsed_s[epoch]), "detail")
    return entry(first, *rest, seconds)


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
    table = points_by_devices(
        bench,
        lambda bench, series, point: _target_entry(bench, series, point, target.metric),
        id="target-table",
        title=f"Training time until {metric_title(target.metric)} was {rule}",
        caption=(
            "Median over the seeds that reached it, counted to the end of the first epoch that "
            "did; under it the epoch and how many seeds."
        ),
        download=Download(f"{bench.slug}/targets.csv", "CSV"),
    )
    # Of a sweep the finding says who was first, and every point of every device is looked up.
    return replace(table, folded=len(bench.points) > 1)


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
    badges = number_badges(bench.planned(series, point), quality=True)
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


def quality_section(bench: BenchmarkView, *, opened: bool = False) -> Section | None:
    """The section; None for a kernel, which learns nothing.

    Args:
        bench: the benchmark.
        opened: whether the page begins with the curves of the metric that it speaks of.
    """
    metric = bench.quality
    if not metric or not bench.shown_series:
        return None
    curves = curves_of(bench)
    # One figure tells whether it learned; what else was recorded, tables and files have.
    drawn = curves.metrics[opened : opened + 1]
    # After a single epoch there are numbers, which the tables have, and no lines.
    several = max(map(len, curves.epochs.values()), default=0) > 1
    blocks: list[Block] = [curves.figure(*drawn)] if drawn and several else []
    if bench.plan.measure.target:
        blocks.append(target_table(bench))
    blocks += quality_tables(bench, metric)
    return Section("quality", "Learning", tuple(blocks), finding=_finding(curves, metric))


def _finding(curves: Curves, metric: str) -> str:
    bench = curves.bench
    target = bench.plan.measure.target
    if target is None:
        return _best_end(curves, metric)
    rows = bench.target_times
    reached = [each for each in rows if each.reached]
    level = level_text(metric, rows[0].level) if rows else ""
    if not reached:
        return f"No run reached {level} {metric_title(metric)}."
    first = min(reached, key=lambda each: each.elapsed_s)
    where = bench.at(bench.point_of(first.result))
    return (
        f"{len(reached)} of {formatting.plural(len(rows), 'run')} reached {level} "
        f"{metric_title(metric)}; the fastest, on {bench.title_of(first.result.device)}{where}, "
        f"after {formatting.duration(first.elapsed_s)} of training."
    )


def _best_end(curves: Curves, metric: str) -> str:
    """Where the best of the drawn lines ends, and what was kept of it."""
    bench = curves.bench
    lines = [
        (curve.value[-1], series, point)
        for point in bench.points
        for series in bench.shown_series
        if (curve := curves.curve(series, point, metric))
    ]
    if not lines:
        return ""
    pick = min if "loss" in metric else max
    value, series, point = pick(lines, key=lambda line: line[0])
    where = bench.at(point)
    seeds = len(bench.measured(series, point))
    over = f", the median of {formatting.plural(seeds, 'seed')}" if seeds > 1 else ""
    said = f"{sentence(metric_title(metric))} ended at {metric_text(metric, value)}{over}{where}."
    restored = [r.selection for r in bench.shown_records if r.selection and r.selection.restored]
    if restored:
        said += " Each run kept the weights of its best epoch, which the table tells."
    return said


def quality_tables(bench: BenchmarkView, metric: str) -> list[Table]:
    """Final metrics by device and point, and parity of the one the page speaks of."""
    metrics = [m for m in _final_metrics(bench) if m != metric]
    parity = bench.parity
    caption = "Mean over seeds ± standard deviation at the end of the run."
    if parity:
        caption += (
            f" Under it the difference to {bench.title_of(bench.plan.baseline)} over paired "
            "seeds with its 90 % interval: “same quality” when the interval lies within "
            f"± {formatting.percentage_points(bench.margin)} (two one-sided tests)."
        )
    columns = device_columns(bench.shown_series)
    main = Table(
        id="quality-table",
        title=f"Final {metric_title(metric)}",
        caption=caption,
        corner=bench.points_heading,
        columns=columns,
        groups=(_metric_group(bench, metric, parity, title=""),),
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    main = devices_down(main)
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
        rows.append(Row(entry(bench.point_header(point)), entries))
    return RowGroup(tuple(rows), title=sentence(title))


def _metric_entry(
    bench: BenchmarkView, series: Series, point: Point, metric: str, parity: Agreement | None
) -> Entry:
    cells = bench.measured(series, point)
    values = [row.final[metric] for row in cells if present(row.final.get(metric))]
    if not values:
        return entry("–")
    lines = [Line(metric_text(metric, mean(values), deviation(values)))]
    badges = number_badges(bench.planned(series, point), quality=True)
    if parity and parity.difference.n and parity.verdict in _PARITY:
        lines.append(Line(_difference(parity.difference), "interval"))
        badges = (_PARITY[parity.verdict], *badges)
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges)


def _difference(found: Interval) -> str:
    points = formatting.points(found.value)
    if not found.known:
        return points
    low, high = (formatting.signed(100 * end, 2) for end in (found.low, found.high))
    return f"{points} ({low} to {high})"
