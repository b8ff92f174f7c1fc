"""Quality against time, time to the target, and whether devices reach the same quality."""

from __future__ import annotations

from accelreport.analysis.parity import Agreement
from accelreport.analysis.stats import Interval
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import deviation, mean, plain_rows, present
from accelreport.report.metrics import (
    level_text,
    metric_text,
    metric_title,
)
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
)
from accelreport.report.pages.curves import Curves
from accelreport.report.pages.marks import number_badges
from accelreport.report.pages.targets import target_table
from accelreport.report.text import sentence

_PARITY = {
    "EQUIVALENT": Badge(
        "same quality", "The 90 % interval of the difference lies within the margin.", "good"
    ),
    "DIFFERENT": Badge(
        "differs", "The 95 % interval of the difference lies outside the margin.", "bad"
    ),
    "UNDECIDED": Badge("undecided", "The interval is too wide, or there is none.", "quiet"),
}


def quality_section(bench: Bench) -> Section | None:
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


def _finding(bench: Bench, metric: str) -> str:
    target = bench.plan.measure.target
    if target is None:
        best = _best(bench, metric)
        return f"The best run ended at a {metric_title(metric)} of {metric_text(metric, best)}."
    rows = plain_rows(bench.targets)
    reached = [row for row in rows if row["reached"]]
    level = level_text(metric, float(rows[0]["target"])) if rows else ""
    if not reached:
        return f"No run reached {level} {metric_title(metric)}."
    first = min(reached, key=lambda row: row["elapsed_s"])
    where = (
        f" at {bench.point_title(tuple(first[axis] for axis in bench.axes))}" if bench.axes else ""
    )
    return (
        f"{len(reached)} of {formatting.plural(len(rows), 'run')} reached {level} "
        f"{metric_title(metric)}; the fastest, on {bench.title_of(first['device'])}{where}, "
        f"after {formatting.duration(first['elapsed_s'])} of training."
    )


def _best(bench: Bench, metric: str) -> float:
    values = [row.final[metric] for row in bench.rows if present(row.final.get(metric))]
    pick = min if "loss" in metric else max
    return float(pick(values)) if values else float("nan")


def quality_tables(bench: Bench, metric: str) -> list[Table]:
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


def _final_metrics(bench: Bench) -> list[str]:
    names = {name for record in bench.records.values() for name in record.final}
    return sorted(names, key=lambda name: ("accuracy" not in name, name))


def _metric_group(
    bench: Bench,
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
    bench: Bench, series: Series, point: Point, metric: str, parity: Agreement | None
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
