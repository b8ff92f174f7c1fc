"""Frameworks beside each other: their rates, and the time until so many steps are done."""

from __future__ import annotations

from dataclasses import replace

from accelreport.analysis.cost import TimeLine
from accelreport.analysis.findings import Caveat, Finding, Kind, Subject
from accelreport.analysis.speed_findings import line_of
from accelreport.report import quantity
from accelreport.report.charts.scales import plain_duration
from accelreport.report.charts.sweep import SweepLine, sweep_axes
from accelreport.report.forms import SIGNS
from accelreport.report.model import Column, RowGroup, Table, table_row
from accelreport.report.openings.opening import Plot, Scene, lines_plot
from accelreport.report.openings.rates import rates_scene, style_of
from accelreport.report.pages.badges import loud_badges
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView

SHOWN_STEPS = (1, 10, 100, 1_000, 10_000)
"""Numbers of steps that the table has."""


def frameworks_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Rates of all, and the time until so many steps are done where a compiler pays off."""
    rates = rates_scene(bench, finding)
    pays = [other for other in bench.findings if other.kind is Kind.PAYS_OFF]
    titled = {(value.of, value.over) for value in finding.title_values}
    pays.sort(key=lambda other: (other.values[0].of, other.values[0].over) not in titled)
    return (rates, *(Scene(own, _until(bench, own)) for own in pays[:1]))


def _until(bench: BenchmarkView, pays: Finding) -> Plot:
    """Time to complete N steps, start-up included: a line that overtakes another one.

    It ends twice as many steps away as the one overtakes the other.
    """
    speaker, (met,) = Speaker(bench), pays.values
    lines: dict[Subject, TimeLine] = {}
    measured: dict[Subject, float] = {}
    for group in (row.own for row in bench.compared if row.own.timed and row.own.machine):
        of = Subject(group.device, group.machine, tuple(group.point.values()))
        if line := line_of(bench, of):
            lines[of] = line
            measured[of] = min(result.timings.steady_steps for result in group.timed)
    drawn = [of for of in (met.of, met.over) if of]
    noun, at = f"{bench.words.step}s", max(1, round(met.number))
    ran = min(measured[of] for of in drawn)
    # Equal steps, and a linear axis: a start-up and steps are a straight line on no other one.
    shown = [1 + number * max(at - 1, 1) for number in range(3)]
    curves = [
        SweepLine(
            name=speaker.name(of),
            detail="start-up and steps",
            device=style_of(bench, of),
            x=tuple(map(float, shown)),
            y=(times := tuple(lines[of].at(steps) for steps in shown)),
            low=times,
            high=times,
            beside=of != met.of,
            is_base=of == met.over,
            bare=True,
            texts=tuple(
                quantity.plural(at, bench.words.step) if steps == at and of == met.of else ""
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
    axes = sweep_axes(
        curves, (), x_title=noun, tick=plain_duration, text=quantity.duration, linear=True
    )
    return lines_plot(
        curves,
        (),
        axes,
        title_lines=curves,
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
        caption=f"{speaker.title(pays)}." + " Extrapolated." * (shown[-1] > ran),
        badges=loud_badges(bench),
        table=table,
        up="time, start-up included",
        values=pays.values,
    )
