"""Time to the target of a spec; a run that never reached it is said."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import Rows, median, plain_rows, present
from accelreport.report.metrics import metric_text, metric_title
from accelreport.report.model import Column, Download, Entry, Line, Row, Table
from accelreport.report.pages.marks import absence, number_badges
from accelreport.report.pages.panels import groups_corner, point_groups


def target_table(bench: Bench) -> Table:
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


def _target_entry(bench: Bench, series: Series, point: Point, metric: str) -> Entry:
    rows = _target_rows(bench, series, point)
    if not rows:
        return absence(bench, series, point)
    href = bench.evidence(series, point)
    badges = number_badges(bench.planned(series, point))
    reached = [row for row in rows if row["reached"]]
    if not reached:
        best = [float(row["best"]) for row in rows if present(row["best"])]
        top = (min if "loss" in metric else max)(best) if best else float("nan")
        lines = (Line("never reached"), Line(f"best {metric_text(metric, top)}", "reason"))
        return Entry(lines, href=href, badges=badges, mark="absent")
    seconds = median([float(row["elapsed_s"]) for row in reached])
    epoch = median([float(row["epoch"]) for row in reached])
    reach = (
        Line(formatting.duration(seconds)),
        Line(f"epoch {formatting.short(epoch)}", "interval"),
        Line(f"{len(reached)} of {formatting.plural(len(rows), 'seed')}", "detail"),
    )
    return Entry(reach, href=href, badges=badges)


def _target_rows(bench: Bench, series: Series, point: Point) -> Rows:
    return [
        row
        for row in plain_rows(bench.targets)
        if (row["device"], row["machine"]) == (series.device, series.machine)
        and tuple(row[axis] for axis in bench.axes) == point
    ]
