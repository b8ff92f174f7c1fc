"""Frameworks beside each other: their rates, and the time until so many steps are done."""

from __future__ import annotations

from dataclasses import replace
from math import log

from accelreport.analysis.cost import TimeLine
from accelreport.analysis.findings import Caveat, Finding, Kind, Subject
from accelreport.analysis.speed_findings import line_of
from accelreport.report import quantity
from accelreport.report.charts.scales import plain_duration
from accelreport.report.charts.sweep import SweepLine, sweep_axes
from accelreport.report.forms import SIGNS
from accelreport.report.model import Column, RowGroup, Table, table_row
from accelreport.report.openings.opening import Plot, Scene, lines_plot
from accelreport.report.openings.rates import as_baseline, rates_scene, style_of
from accelreport.report.pages.badges import loud_badges
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView

MOST_LINES = 6
"""Lines that an eye can distinguish."""
SHOWN_STEPS = (1, 10, 100, 1_000, 10_000)
"""Numbers of steps that the table has, and between which lines are drawn."""


def frameworks_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Rates of all, and the time until so many steps are done."""
    rates = rates_scene(bench, finding)
    pays = next((other for other in bench.findings if other.kind is Kind.PAYS_OFF), None)
    until = _until(bench)
    return (rates, Scene(pays, until)) if pays and until else (rates,)


def _until(bench: BenchmarkView) -> Plot | None:
    """Time to complete N steps, start-up included; the lines with the baseline's precision.

    Only where a line overtakes another one is there a mark, with the number of steps.
    """
    speaker = Speaker(bench)
    groups = [row.own for row in bench.compared if row.own.timed and row.own.machine]
    lines: dict[Subject, TimeLine] = {}
    measured: dict[Subject, float] = {}
    for group in groups:
        of = Subject(group.device, group.machine, tuple(group.point.values()))
        if line := line_of(bench, of):
            lines[of] = line
            measured[of] = min(result.timings.steady_steps for result in group.timed)
    if not lines:
        return None
    alike = [of for of in lines if as_baseline(bench, of)]
    drawn = alike if len(lines) > MOST_LINES and len(alike) > 1 else list(lines)
    noun = f"{bench.words.step}s"
    pays = [f for f in bench.findings if f.kind is Kind.PAYS_OFF]
    paying = tuple(value for finding in pays for value in finding.values)
    bases = {value.over for value in paying}
    met = {value.of: max(1, round(value.number)) for value in paying}
    # The number at which a line overtakes is there instead of the one next to it.
    next_to = {min(SHOWN_STEPS, key=lambda n: abs(log(n / steps))) for steps in met.values()}
    shown = sorted({*SHOWN_STEPS} - next_to | {1, SHOWN_STEPS[-1], *met.values()})
    curves = [
        SweepLine(
            name=speaker.name(of),
            detail="start-up and steps",
            device=style_of(bench, of),
            x=tuple(map(float, shown)),
            y=(times := tuple(lines[of].at(steps) for steps in shown)),
            low=times,
            high=times,
            measured=sum(steps <= measured[of] for steps in shown),
            beside=bool(met) and of not in met,
            is_base=of in bases,
            bare=True,
            texts=tuple(
                quantity.plural(steps, bench.words.step) if steps == met.get(of) else ""
                for steps in shown
            ),
        )
        for of in drawn
    ]
    title = f"Time to complete N {noun}, start-up included"
    longest, sign = max(measured.values()), f"{quantity.SPACE}{SIGNS[Caveat.EXTRAPOLATED]}"
    rows = tuple(
        table_row(
            speaker.name(of),
            *(
                f"{quantity.duration(line.at(n))}{sign * (measured[of] < n <= longest)}"
                for n in SHOWN_STEPS
            ),
            device=style_of(bench, of).colour,
        )
        for of, line in lines.items()
    )
    columns = tuple(
        Column(quantity.plural(n, bench.words.step), "extrapolated" * (n > longest), number=True)
        for n in SHOWN_STEPS
    )
    signed = any(own < n <= longest for own in measured.values() for n in SHOWN_STEPS)
    table = Table("until-data", title, columns, (RowGroup(rows),), corner="device")
    table = replace(table, notes=(f"{sign.strip()} extrapolated",) * signed)
    left = len(lines) - len(drawn)
    more = f" {quantity.plural(left, 'more row')} in the table." if left else ""
    overtaken = "; ".join(map(speaker.title, pays))
    axes = sweep_axes(
        curves, (), x_title=noun, tick=plain_duration, text=quantity.duration,
        beyond=max(measured[of] for of in drawn),
    )  # fmt: skip
    return lines_plot(
        curves,
        (),
        axes,
        title_lines=[curve for curve in curves if not curve.beside or curve.is_base] if met else [],
        id="until",
        title=title,
        words=lambda some: (
            "; ".join(
                f"{speaker.name(of)}: {quantity.duration(line.start)} and "
                f"{quantity.duration(line.step)} a {bench.words.step}"
                for of, line in lines.items()
                if speaker.name(of) in {curve.name for curve in some}
            )
            + "."
        ),
        caption="Log scales."
        + f" {overtaken}." * bool(overtaken)
        + " Shaded, faint: extrapolated." * any(curve.known < len(curve.x) for curve in curves)
        + more,
        badges=loud_badges(bench),
        table=table,
        up="time, start-up included",
        values=paying,
    )
