"""Learning: quality against time, time to the target, whether devices reach the same quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import nan
from statistics import stdev

from accelreport.analysis.findings import Finding, Kind, Subject, Unit
from accelreport.analysis.learning import Agreement, Parity, common_epochs
from accelreport.analysis.learning_findings import quality_value
from accelreport.analysis.stats import Interval
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.charts.curves import (
    FEW,
    Axes,
    Curve,
    learning_curves,
    need_dashes,
    shared_axes,
)
from accelreport.report.charts.drawing import WIDE
from accelreport.report.charts.scales import NOT_FROM_ZERO
from accelreport.report.forms import PARITY
from accelreport.report.frames import why_not_reached
from accelreport.report.metrics import level_text, metric_text, metric_title
from accelreport.report.model import (
    Badge,
    Block,
    Download,
    Entry,
    Figure,
    Line,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size, panel_size
from accelreport.report.openings.sweep import grid_figures
from accelreport.report.pages.badges import (
    absence,
    device_columns,
    devices_down,
    keys,
    loud_badges,
    number_badges,
    panel_points,
    points_by_devices,
)
from accelreport.report.say import Speaker
from accelreport.report.text import sentence
from accelreport.report.view import (
    BenchmarkView,
    Point,
    Series,
    cached_by_bench,
    mean,
    median,
    present,
)

FIRST = ("accuracy", "loss", "precision", "recall", "f1")
"""Metrics that curves are made of, in this order; the others are in the files."""
CURVES = "learning-curves"
"""Id of the curves that an opening shows."""
MOST_POINTS = 3
"""Sweep points side by side."""
HEIGHT, LOWER = 260, 235
"""Of a drawing in pixels: alone, and as one of several."""


class Curves:
    """Training against validation, by metric, device and sweep point."""

    def __init__(self, bench: BenchmarkView) -> None:
        self.bench = bench
        known = {name for _, record in bench.runs for row in record.epochs for name in row.metrics}
        own = bench.quality.removeprefix("val_")
        wanted = dict.fromkeys([own, *FIRST])
        self.metrics = tuple(name for name in wanted if name and {name, f"val_{name}"} & known)
        """What is learned, without its "val_"; the one that the page speaks of first."""
        self.curve = cache(self._curve)

    def _curve(self, series: Series, point: Point, name: str) -> Curve | None:
        """Means over seeds at each epoch that all finished; None where there is none."""
        cells = self.bench.measured(series, point)
        runs = [(row, record) for row in cells if (record := self.bench.record(row))]
        epochs = common_epochs([record for _, record in runs], name)
        if not epochs:
            return None
        values = [[row.metrics[name] for row in seeds] for seeds in epochs]
        last = quality_value(self.bench, runs, epochs[-1], name)
        return Curve(
            device=series,
            validation=name.startswith("val_"),
            elapsed_s=tuple(mean([row.elapsed_s for row in seeds]) for seeds in epochs),
            value=tuple(map(mean, values)),
            low=tuple(map(min, values)),
            high=tuple(map(max, values)),
            end=Speaker(self.bench).number(last),
            of=last.of,
        )

    def of(self, metric: str, point: Point) -> list[Curve]:
        """Curves at one point: validation of every device, and training of the baseline.

        Training of the others hardly differs from that, and would hide it.
        """
        curves: list[Curve] = []
        for series in sorted(self.bench.shown_series, key=lambda series: not series.baseline):
            names = (f"val_{metric}",) if curves else (f"val_{metric}", metric)
            curves += filter(None, (self.curve(series, point, name) for name in names))
        return curves

    def plot(self, metric: str, point: Point, finding: Finding | None = None) -> Plot | None:
        """The curves at a sweep point; None of a single epoch, which is no line.

        The qualities of a finding stand at the ends of their curves, and its time at the axis.
        """
        bench, curves, speaker = self.bench, self.of(metric, point), Speaker(self.bench)
        if max((len(curve.value) for curve in curves), default=0) < 2:
            return None
        values = finding.values if finding else ()
        ends: dict[Subject | None, str] = {
            value.of: speaker.number(value) for value in values if value.of.part
        }
        curves = [
            replace(curve, end=ends.get(curve.of, curve.end)) if len(curve.value) > 1 else curve
            for curve in curves
        ]
        first = curves[0].device.title
        curves = [
            replace(c, apart=c.device.title.removeprefix(f"{first}, "))
            if c.device.title.startswith(f"{first}, ")
            else c
            for c in curves
        ]
        shown = [series for series in bench.shown_series if any(series == c.device for c in curves)]
        of_time = [speaker.number(value) for value in values if value.unit is Unit.SECONDS]
        total = "".join(f", {number} in all" for number in of_time[:1])
        trained = next((c.device.title for c in curves if not c.validation), "")
        dotted = f"training on {trained}" if trained and len(shown) > 1 else "training"
        claim = speaker.claim if finding and trained else None
        reverse = getattr(claim and claim.claim.rule, "value", "") == metric
        roles = ["validation", *[dotted] * bool(trained)][:: -1 if reverse else 1]
        # An opening has this one chart; panels of a section have one axis.
        axes, name = (
            replace(self.axes(metric, curves if finding else ()), total=total, trained=reverse),
            metric_title(f"val_{metric}").removeprefix("validation "),
        )
        described = (
            f"{curve.device.title}{bench.at(point, ', ')}: {curve.role} {curve.end}, "
            f"{quantity.duration(curve.elapsed_s[-1])}"
            for curve in curves
        )
        identity = CURVES if finding else f"quality-{metric}-{bench.points.index(point)}"
        return Plot(
            id=identity,
            title=sentence(f"{name}{bench.at(point) if finding else ''}"),
            description=f"{'; '.join(described)}.",
            chart=lambda size: learning_curves(curves, axes, size.width, size.height),
            caption=f"Solid: {roles[0]}."
            + f" Dotted: {roles[-1]}." * bool(trained)
            + " Bands: seeds." * any(curve.low != curve.high for curve in curves)
            + f" {NOT_FROM_ZERO}"
            * (axes.ticks[0] > 0 or max(len(curve.value) for curve in curves) < FEW),
            badges=loud_badges(bench, (curve.of for curve in curves if curve.of)),
            table=self.table(metric, f"{identity}-data"),
            points=max(len(curve.value) for curve in curves),
            keys=keys(shown, dashed=need_dashes(shown)) if len(shown) > 1 else (),
            up=name,
            values=values,
        )

    def figure(self, metric: str) -> Figure | None:
        """One metric, in a panel for each sweep point that is drawn; None without any line."""
        bench = self.bench
        plots = {point: plot for point in bench.points if (plot := self.plot(metric, point))}
        drawn = panel_points(list(plots), MOST_POINTS)
        if not drawn:
            return None
        whole = plots[drawn[0]].figure(Size(WIDE, HEIGHT), ON_A_PHONE)
        if len(drawn) == 1:
            # At one sweep point the curves of the first metric are those of an opening.
            known = metric == self.metrics[0] and not bench.axes
            return replace(whole, id=CURVES if known else f"quality-{metric}")
        size = panel_size(len(drawn), LOWER)
        return replace(
            whole,
            id=f"quality-{metric}",
            panels=tuple(plots[at].panel(size, title=bench.point_title(at)) for at in drawn),
        )

    def axes(self, metric: str, drawn: Sequence[Curve] = ()) -> Axes:
        """An axis of the metric that holds the curves that are drawn, or those of every point."""
        every = [curve for point in self.bench.points for curve in self.of(metric, point)]
        return shared_axes(drawn or every, percent=is_share(metric), target=self._target(metric))

    def _target(self, metric: str) -> tuple[float, str] | None:
        target = self.bench.plan.measure.target
        if target is None or target.metric != f"val_{metric}":
            return None
        return target.level, f"target {level_text(metric, target.level)}"

    def table(self, metric: str, identity: str) -> Table:
        """Every finished epoch of one metric, in validation and in training."""
        shown, groups = self.bench.shown_series, []
        for point in self.bench.points:
            curves = {
                series: [self.curve(series, point, name) for name in (f"val_{metric}", metric)]
                for series in shown
            }
            lengths = [len(c.value) for pair in curves.values() for c in pair if c]
            rows = tuple(
                table_row(
                    f"epoch {epoch + 1}",
                    *(
                        _value(metric, curves[series], epoch)
                        or entry("not finished" if self._cut(series, point) else "–")
                        for series in shown
                    ),
                )
                for epoch in range(max([1, *lengths]))
            )
            groups.append(RowGroup(rows, title=self.bench.point_title(point)))
        name = metric_title(f"val_{metric}")
        return Table(
            id=identity,
            title=sentence(name),
            columns=device_columns(shown),
            groups=tuple(groups),
            download=Download(f"{self.bench.slug}/curves.csv", "CSV"),
        )

    def _cut(self, series: Series, point: Point) -> bool:
        """Whether the budget ended a run."""
        return any(row.status == "partial" for row in self.bench.measured(series, point))


curves_of = cached_by_bench(Curves)


def _value(metric: str, pair: Sequence[Curve | None], epoch: int) -> Entry | None:
    validated, trained = (c if c and epoch < len(c.value) else None for c in pair)
    if (shown := validated or trained) is None:
        return None
    lines = [Line(metric_text(metric, validated.value[epoch]) if validated else "not evaluated")]
    if trained:
        lines.append(Line(f"training {metric_text(metric, trained.value[epoch])}", "detail"))
    return entry(*lines, Line(quantity.duration(shown.elapsed_s[epoch]), "detail"))


def target_table(bench: BenchmarkView) -> Table:
    """Time to the target: sweep points down, devices across; never reached is said."""
    target = bench.plan.measure.target
    if target is None:
        raise ValueError("no target")
    level = f"{target.bound} {level_text(target.metric, target.level)}"
    table = points_by_devices(
        bench,
        lambda bench, series, point: _target_entry(bench, series, point, target.metric),
        id="target-table",
        title=f"Time to {level} {metric_title(target.metric)}",
        caption="Medians of the seeds that reached it."
        * any(row.reached for row in bench.target_times),
        download=Download(f"{bench.slug}/targets.csv", "CSV"),
    )
    # Of a sweep the finding says who was first, and every point of every device is looked up.
    return replace(table, folded=len(bench.points) > 1)


def _target_entry(bench: BenchmarkView, series: Series, point: Point, metric: str) -> Entry:
    rows = [
        row
        for row in bench.target_times
        if (row.result.device, row.result.machine) == (series.device, series.machine)
        and bench.point_of(row.result) == point
    ]
    if not rows:
        return absence(bench, series, point)
    href = bench.evidence(series, point)
    badges = number_badges(bench.planned(series, point), quality=True)
    reached = [row for row in rows if row.reached]
    if not reached:
        best = [row.best for row in rows if present(row.best)]
        top = (min if "loss" in metric else max)(best) if best else float("nan")
        why = quantity.listed(list(dict.fromkeys(map(why_not_reached, rows))))
        lines = (Line(why), Line(f"best {metric_text(metric, top)}", "reason"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    seconds = median([row.elapsed_s for row in reached])
    reach = (
        Line(quantity.duration(seconds)),
        Line(f"{len(reached)} of {quantity.plural(len(rows), 'seed')}", "detail"),
    )
    return Entry(reach, href=href, badges=badges)


_PARITY = {
    Parity.EQUIVALENT: Badge(PARITY[Parity.EQUIVALENT], "90 % interval within", "good"),
    Parity.DIFFERENT: Badge(PARITY[Parity.DIFFERENT], "95 % interval outside", "bad"),
    Parity.UNDECIDED: Badge(
        PARITY[Parity.UNDECIDED], "interval reaches beyond the margin", "quiet"
    ),
}


def quality_section(bench: BenchmarkView) -> Section | None:
    """The section; None for a kernel, which learns nothing."""
    metric = bench.quality
    if not metric or not bench.shown_series:
        return None
    curves = curves_of(bench)
    # Curves show whether it learned and, of classes, how; of a grid lines over its longest axis do.
    grid = list(grid_figures(bench))
    later = {"loss"} if grid else {"loss", "precision", "recall"}
    drawn = [name for name in curves.metrics if name in {*curves.metrics[:1], *later}]
    figures = (*map(curves.figure, drawn), *grid)
    blocks: list[Block] = [figure for figure in figures if figure]
    if bench.plan.measure.target:
        blocks.append(target_table(bench))
    blocks.append(quality_table(bench, metric))
    # The table has the end of a run that the budget stopped, and a finding its last whole epoch.
    whole = [f.kind for f in bench.findings if f.kind is Kind.LEARNS and f.is_sentence]
    detail = Speaker(bench).number_of(Kind.TARGET, *whole)
    target = bench.plan.measure.target
    if target and not any(row.reached for row in bench.target_times):
        missed = f"{level_text(target.metric, target.level)} {metric_title(target.metric)}"
        detail = f"not reached: {missed}"
    return Section("quality", "Learning", tuple(blocks), folded=True, detail=detail)


def quality_table(bench: BenchmarkView, metric: str) -> Table:
    """The final metric by device and point, and the parity of devices."""
    parity = bench.parity
    columns = device_columns(bench.shown_series)
    # An epoch that a budget cut counts with the steps that were done.
    cut = any(row.status == "partial" for row in bench.results)
    spread = "± standard deviation over seeds; 90 % intervals of differences."
    main = Table(
        id="quality-table",
        title=f"{sentence(metric_title(metric))} at the end of {'each run' if cut else 'training'}",
        caption=f"After the steps that the budget allowed. {spread}" if cut else spread,
        corner=bench.points_heading,
        columns=columns,
        groups=(_metric_group(bench, metric, parity),),
        download=Download(f"{bench.slug}/cells.csv", "CSV"),
    )
    return devices_down(main)


def _metric_group(
    bench: BenchmarkView,
    metric: str,
    parity: dict[tuple[str, str, Point], Agreement],
) -> RowGroup:
    rows = []
    for point in bench.points:
        entries = (
            _metric_entry(
                bench, series, point, metric, parity.get((series.device, series.machine, point))
            )
            for series in bench.shown_series
        )
        rows.append(table_row(bench.point_header(point), *entries))
    return RowGroup(tuple(rows))


def _metric_entry(
    bench: BenchmarkView, series: Series, point: Point, metric: str, parity: Agreement | None
) -> Entry:
    cells = bench.measured(series, point)
    values = [row.final[metric] for row in cells if present(row.final.get(metric))]
    if not values:
        return entry("–")
    deviation = stdev(values) if len(values) > 1 else nan
    lines = [Line(metric_text(metric, mean(values), deviation))]
    if len(values) < len(cells):
        lines.append(Line(f"{len(values)} of {quantity.plural(len(cells), 'seed')}", "detail"))
    # Seeds that the budget stopped learned from unlike numbers of steps.
    if stopped := [row.steps for row in cells if row.status == "partial"]:
        step, done = bench.words.step, quantity.extent(stopped, quantity.count)
        lines.append(Line(f"after {done} {step}s", "detail"))
    badges = number_badges(bench.planned(series, point), quality=True)
    if parity and parity.difference.n and parity.verdict in _PARITY:
        lines.append(Line(_difference(parity.difference), "interval"))
        badges = (_PARITY[parity.verdict], *badges)
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges)


def _difference(interval: Interval) -> str:
    points = quantity.points(interval.value)
    if not interval.known:
        return points
    return f"{points} ({quantity.points_between(interval.low, interval.high)})"
