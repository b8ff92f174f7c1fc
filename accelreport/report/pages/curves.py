"""Learning curves: medians over seeds against training time, a panel for each sweep point."""

from __future__ import annotations

from dataclasses import replace

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.charts.curves import (
    Axes,
    Crossing,
    Curve,
    learning_curves,
    levels_needed,
    shared_axes,
)
from accelreport.report.charts.drawing import WIDE, draw, panel, panel_width
from accelreport.report.frames import Rows, median, plain_rows, present
from accelreport.report.metrics import is_share, level_text, metric_text, metric_title
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Figure,
    Line,
    Panel,
    Row,
    RowGroup,
    Table,
)
from accelreport.report.pages.panels import keys, loud_badges, panel_points, panels_note
from accelreport.report.text import sentence


class Curves:
    """Learning curves of one metric, by device and sweep point."""

    def __init__(self, bench: Bench, metric: str) -> None:
        self.bench = bench
        self.metric = metric
        self.points: dict[tuple[str, str], Rows] = {}
        of_metric = bench.curves[bench.curves["metric"] == metric]
        for row in plain_rows(of_metric):
            if present(row["value"]):
                self.points.setdefault((row["key"], row["machine"]), []).append(row)

    def curve(self, series: Series, point: Point) -> Curve | None:
        """Medians over seeds at each epoch; None where nothing was evaluated."""
        by_epoch: dict[int, Rows] = {}
        for cell in self.bench.measured(series, point):
            for row in self.points.get((cell.key, cell.machine), ()):
                by_epoch.setdefault(row["epoch"], []).append(row)
        if not by_epoch:
            return None
        epochs = [by_epoch[epoch] for epoch in sorted(by_epoch)]
        return Curve(
            device=series,
            elapsed_s=tuple(median([row["elapsed_s"] for row in rows]) for rows in epochs),
            value=tuple(median([row["value"] for row in rows]) for rows in epochs),
            low=tuple(min(row["value"] for row in rows) for rows in epochs),
            high=tuple(max(row["value"] for row in rows) for rows in epochs),
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


def _crossing(bench: Bench, curve: Curve) -> Crossing | None:
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
