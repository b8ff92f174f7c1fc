"""Cold and warm: where the time goes before steady work, and when it has paid off."""

from __future__ import annotations

import math

from accelreport.analysis.cost import overtakes
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.charts.cold import Bar, cold_bars
from accelreport.report.charts.drawing import panel
from accelreport.report.frames import median, present
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Entry,
    Figure,
    Key,
    Line,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.marks import absence, number_badges
from accelreport.report.pages.panels import device_rows, loud_badges, panel_points, panels_note
from accelreport.report.pages.reigns import reigns_table
from accelreport.report.pages.starts import (
    STAGES,
    Place,
    Start,
    course_of,
    starts_of,
    unit_of,
)

MOST_POINTS = 8
"""With more sweep points than this, the table has to be opened."""


def cold_section(bench: Bench) -> Section | None:
    """The section; None when nothing was measured."""
    starts = starts_of(bench)
    if not starts:
        return None
    blocks: list[Block] = [_figure(bench, starts), _table(bench, starts)]
    reigns = _reigns(bench, starts)
    if reigns is not None:
        blocks.append(reigns)
    return Section("cold", "Cold and warm", tuple(blocks), finding=_finding(bench, starts))


def _reigns(bench: Bench, starts: dict[Place, Start]) -> Table | None:
    """Who is done first after how many steps."""
    courses = {
        place: course
        for place, start in starts.items()
        if (course := course_of(bench, place, start)) is not None
    }
    return reigns_table(
        bench,
        courses,
        id_="cold-reigns",
        title="The fastest device for so many steps, its start included",
        measure="is done first",
        settled=False,
    )


def _finding(bench: Bench, starts: dict[Place, Start]) -> str:
    words = bench.words
    known = {
        place: start.first_s / unit_of(bench, place, start)
        for place, start in starts.items()
        if present(start.steady_s) and start.steady_s
    }
    if not known:
        return f"No steady {words.step} was measured, so cold and warm cannot be compared."
    place = max(known, key=lambda each: known[each])
    warm = "a later call" if words.kernel else f"a steady {words.step}"
    where = f" at {bench.point_title(place[1])}" if bench.axes else ""
    return (
        f"On {place[0].title}{where} the {words.first} takes "
        f"{formatting.duration(starts[place].first_s)}, "
        f"{formatting.number(known[place])} times as long as {warm}."
    )


def _figure(bench: Bench, starts: dict[Place, Start]) -> Figure:
    # Chosen among those that were measured: a run that was stopped may have none of the others.
    points = panel_points([p for p in bench.points if any(place[1] == p for place in starts)])
    own = [each for each in bench.series if any((each, p) in starts for p in points)]
    headings, row = device_rows(bench, points, own)
    bars = [
        Bar(row(s, p), starts[s, p].stages, formatting.duration(starts[s, p].total))
        for p in points
        for s in own
        if (s, p) in starts
    ]
    first = bench.words.first
    said = "; ".join(
        f"{s.title}, {bench.point_title(p)}: {formatting.duration(start.total)}"
        for (s, p), start in starts.items()
    )
    title = f"What happens before the {first} is done"
    names = [name or f"{first} (trace, compile, run)" for name, _ in STAGES]
    make = cold_bars(
        bars, stages=names, headings=headings, axis_title=f"time until the {first} is done"
    )
    return Figure(
        id="cold-bars",
        title=title,
        caption=(
            "Of each device the process whose start is the median one, its stages stacked from 0 "
            f"on a linear scale: {', '.join(names)}." + panels_note(len(points), len(bench.points))
        ),
        panels=(panel(make, prefix="cb", title=title, description=f"{said}."),),
        keys=tuple(Key(name, f"p{i}", "bar") for i, name in enumerate(names)),
        badges=loud_badges(bench),
        table=_stages_table(bench, starts, names),
    )


def _stages_table(bench: Bench, starts: dict[Place, Start], names: list[str]) -> Table:
    groups = []
    for point in bench.points:
        rows = tuple(
            Row(
                Entry((Line(series.title),)),
                tuple(
                    Entry((Line(formatting.duration(seconds)),))
                    for seconds in (*start.stages, start.total)
                ),
                device=series.colour,
            )
            for (series, where), start in starts.items()
            if where == point
        )
        groups.append(RowGroup(rows, title=bench.point_title(point)))
    return Table(
        id="cold-bars-data",
        title="Stages of a cold start",
        corner="device",
        columns=tuple(Column(name, number=True) for name in (*names, "together")),
        groups=tuple(group for group in groups if group.rows),
    )


def _table(bench: Bench, starts: dict[Place, Start]) -> Table:
    words = bench.words
    warm = "later call" if words.kernel else f"steady {words.step}"
    noun = "calls" if words.kernel else f"{words.step}s"
    titles = [words.first, warm, "cold ÷ warm", f"start in {noun}", "pays off after"]
    titles += ["TFLOPS cold", "TFLOPS warm"] if words.kernel else ["first epoch", "later epoch"]
    groups = []
    for point in bench.points:
        rows = tuple(_row(bench, series, point, starts) for series in bench.series)
        groups.append(RowGroup(rows, title=bench.point_title(point) if bench.axes else ""))
    baseline = bench.title_of(bench.plan.baseline)
    return Table(
        id="cold-table",
        title="Cold against warm",
        caption=(
            f"Medians over processes. “Start in {noun}” is how many warm {noun} take as long as "
            "all that passes until the first one is done: after so many, half of the time was "
            f"work. “Pays off after” is the number of {noun} from which a "
            f"device has overtaken {baseline}, its cold start included: the difference of the "
            f"two cold starts over the difference of the two {warm} times."
        ),
        corner="device",
        columns=tuple(Column(title, number=True) for title in titles),
        groups=tuple(groups),
        folded=len(bench.points) > MOST_POINTS,
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )


def _row(bench: Bench, series: Series, point: Point, starts: dict[Place, Start]) -> Row:
    start = starts.get((series, point))
    header = Entry((Line(series.title),))
    if start is None:
        gone = absence(bench, series, point)
        reason = Entry(
            (Line(f"{gone.lines[0].text}: {gone.lines[1].text}", "reason"),), href=gone.href
        )
        blank = tuple(Entry((Line("–"),)) for _ in range(6))
        return Row(header, (reason, *blank), device=series.colour)
    unit = unit_of(bench, (series, point), start)
    timings = [row.timings for row in bench.measured(series, point)]
    pairs = [
        (each.tflops_cold, each.tflops)
        if bench.words.kernel
        else (each.first_epoch_s, each.epoch_s)
        for each in timings
    ]
    say = formatting.number if bench.words.kernel else formatting.duration
    cold = start.first_s
    texts = [
        formatting.duration(cold),
        formatting.duration(unit),
        formatting.ratio(cold / unit) if present(unit) and unit else formatting.MISSING,
        _worth(bench, (series, point), start),
        _break_even(bench, series, point, starts),
        *(say(median(values)) for values in zip(*pairs, strict=True)),
    ]
    entries = [Entry((Line(text),)) for text in texts]
    badges = number_badges(bench.planned(series, point))
    first = Entry(entries[0].lines, href=bench.evidence(series, point), badges=badges)
    return Row(header, (first, *entries[1:]), device=series.colour)


def _break_even(bench: Bench, series: Series, point: Point, starts: dict[Place, Start]) -> str:
    bases = [s for s in bench.shown_series if s.baseline]
    base = next((s for s in bases if s.machine == series.machine), bases[0] if bases else None)
    if base is None or (base, point) not in starts:
        return formatting.MISSING
    if series.baseline:
        return "baseline"
    own = course_of(bench, (series, point), starts[series, point])
    other = course_of(bench, (base, point), starts[base, point])
    if own is None or other is None:
        return formatting.MISSING
    steps = overtakes(own, other)
    if steps is None:
        return "never" if own.start >= other.start else "only at first"
    noun = "call" if bench.words.kernel else bench.words.step
    return formatting.plural(steps, noun) if own.start > other.start else "at once"


def _worth(bench: Bench, place: Place, start: Start) -> str:
    """How many warm steps take as long as the cold start."""
    course = course_of(bench, place, start)
    if course is None or not course.step:
        return formatting.MISSING
    noun = "call" if bench.words.kernel else bench.words.step
    return formatting.plural(math.ceil(course.worth), noun)
