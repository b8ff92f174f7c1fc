"""Scaling: what several replicas or workers are worth, as a table."""

from __future__ import annotations

from accelreport.analysis.scaling import Scaling
from accelreport.analysis.stats import Interval
from accelreport.report import formatting
from accelreport.report.model import Column, Entry, Line, Row, RowGroup, Section, Table
from accelreport.report.view import BenchmarkView, present


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
            "Strong: the batch is shared; the time of one, over the number of replicas or workers "
            "times theirs. Weak: each has the batch that one alone has; the time of one over "
            "theirs. 100 % is as much work for each as one alone does, with the 95 % interval "
            "over processes. Replicas on the cores of one processor share what one alone had."
        ),
        corner="device",
        columns=(
            Column("replicas or workers", number=True),
            Column("strong", number=True),
            Column("weak", number=True),
        ),
        groups=tuple(
            RowGroup(tuple(_row(bench, each) for each in found), title=title)
            for title, found in points.items()
        ),
    )
    return Section("scaling", "Scaling", (table,), finding=_finding(bench))


def _row(bench: BenchmarkView, found: Scaling) -> Row:
    name = bench.title_of(found.own.device)
    against = Line(f"against {bench.title_of(found.single)}", "reason")
    return Row(
        Entry((Line(name), against)),
        (
            Entry((Line(formatting.count(found.units)),)),
            _efficiency(found.strong),
            _efficiency(found.weak),
        ),
        device=bench.colours[found.own.device],
    )


def _efficiency(found: Interval) -> Entry:
    if not present(found.value):
        return Entry((Line("–", "reason"),))
    lines = [Line(formatting.percent(found.value, 0))]
    if found.known:
        low = formatting.fixed(100 * found.low, 0)
        lines.append(
            Line(f"{low}{formatting.EN_DASH}{formatting.percent(found.high, 0)}", "interval")
        )
    return Entry(tuple(lines))


def _finding(bench: BenchmarkView) -> str:
    known = [each for each in bench.scaling if present(each.strong.value)]
    if not known:
        return "No batch was shared by several and done by one alone."
    best = max(known, key=lambda each: (each.units, each.strong.value))
    return (
        f"{bench.title_of(best.own.device)}: {formatting.count(best.units)} at once do "
        f"{formatting.ratio(best.units * best.strong.value)} the work of one, an efficiency of "
        f"{formatting.percent(best.strong.value, 0)}."
    )
