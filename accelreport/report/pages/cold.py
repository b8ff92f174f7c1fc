"""Cold and warm: where the time goes before steady work, and when it has paid off."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series, median, present
from accelreport.report.charts.cold import Bar, cold_bars
from accelreport.report.charts.drawing import panel
from accelreport.report.model import (
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

STAGES = (
    ("process and imports", ("process_s", "import_s")),
    ("data", ("data_s",)),
    ("model", ("build_s",)),
    ("", ("first_step_s",)),
)
"""Stages of a cold start and the columns they are made of; the last is the first step."""


MOST_POINTS = 8
"""With more sweep points than this, the table has to be opened."""


@dataclass(frozen=True)
class Start:
    """A device's cold start at a point: medians over processes, in seconds."""

    stages: tuple[float, ...]
    steady_s: float

    @property
    def total(self) -> float:
        """Seconds until the first step is done."""
        return sum(self.stages)


def start_of(bench: Bench, series: Series, point: Point) -> Start | None:
    """The cold start; None where no first step was timed."""
    rows = bench.measured(series, point)
    steady = median([row["steady_step_s"] for row in rows])
    stages = []
    for _, columns in STAGES:
        parts = [median([row[column] for row in rows]) for column in columns]
        stages.append(sum(part for part in parts if present(part)))
    if not rows or not stages[-1]:
        return None
    return Start(tuple(stages), steady)


def cold_section(bench: Bench) -> Section | None:
    """The section; None when nothing was measured."""
    starts = {
        (series, point): start
        for series in bench.shown_series
        for point in bench.points
        if (start := start_of(bench, series, point))
    }
    if not starts:
        return None
    blocks = (_figure(bench, starts), _table(bench, starts))
    return Section("cold", "Cold and warm", blocks, finding=_finding(bench, starts))


def _finding(bench: Bench, starts: dict[tuple[Series, Point], Start]) -> str:
    words = bench.words
    known = {
        place: start.stages[-1] / _unit(bench, place, start)
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
        f"{formatting.duration(starts[place].stages[-1])}, "
        f"{formatting.number(known[place])} times as long as {warm}."
    )


def _unit(bench: Bench, place: tuple[Series, Point], start: Start) -> float:
    """Seconds of the warm counterpart of the first step: a step, or a whole call."""
    if not bench.words.kernel:
        return start.steady_s
    records = [bench.record(row) for row in bench.measured(*place)]
    sizes = [record.blocks[0].steps for record in records if record and record.blocks]
    return start.steady_s * (sizes[0] if sizes else 1)


def _figure(bench: Bench, starts: dict[tuple[Series, Point], Start]) -> Figure:
    points = [p for p in panel_points(bench.points) if any(place[1] == p for place in starts)]
    own = [each for each in bench.series if any((each, p) in starts for p in points)]
    headings, row = device_rows(bench, points, own)
    bars = [
        Bar(row(s, p), starts[s, p].stages, formatting.duration(starts[s, p].total))
        for p in points
        for s in own
        if (s, p) in starts
    ]
    first = bench.words.first
    make = cold_bars(bars, headings=headings, axis_title=f"time until the {first} is done")
    said = "; ".join(
        f"{s.title}, {bench.point_title(p)}: {formatting.duration(start.total)}"
        for (s, p), start in starts.items()
    )
    title = f"What happens before the {first} is done"
    names = [name or f"{first} (trace, compile, run)" for name, _ in STAGES]
    return Figure(
        id="cold-bars",
        title=title,
        caption=(
            f"Medians over processes, stacked from 0 on a linear scale: {', '.join(names)}."
            + panels_note(len(points), len(bench.points))
        ),
        panels=(panel(make, prefix="cb", title=title, description=f"{said}."),),
        keys=tuple(Key(name, f"p{i}", "bar") for i, name in enumerate(names)),
        badges=loud_badges(bench),
        table=_stages_table(bench, starts, names),
    )


def _stages_table(
    bench: Bench, starts: dict[tuple[Series, Point], Start], names: list[str]
) -> Table:
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


def _table(bench: Bench, starts: dict[tuple[Series, Point], Start]) -> Table:
    words = bench.words
    warm = "later call" if words.kernel else f"steady {words.step}"
    titles = [words.first, warm, "cold ÷ warm", "pays off after"]
    titles += ["TFLOPS cold", "TFLOPS warm"] if words.kernel else ["first epoch", "later epoch"]
    groups = []
    for point in bench.points:
        rows = tuple(_row(bench, series, point, starts) for series in bench.series)
        groups.append(RowGroup(rows, title=bench.point_title(point) if bench.axes else ""))
    baseline = bench.title_of(bench.plan.baseline)
    noun = "calls" if words.kernel else f"{words.step}s"
    return Table(
        id="cold-table",
        title="Cold against warm",
        caption=(
            f"Medians over processes. “Pays off after” is the number of {noun} from which a "
            f"device has overtaken {baseline}, its cold start included: the difference of the "
            f"two cold starts over the difference of the two {warm} times."
        ),
        corner="device",
        columns=tuple(Column(title, number=True) for title in titles),
        groups=tuple(groups),
        folded=len(bench.points) > MOST_POINTS,
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )


def _row(
    bench: Bench, series: Series, point: Point, starts: dict[tuple[Series, Point], Start]
) -> Row:
    start = starts.get((series, point))
    header = Entry((Line(series.title),))
    if start is None:
        gone = absence(bench, series, point)
        reason = Entry(
            (Line(f"{gone.lines[0].text}: {gone.lines[1].text}", "reason"),), href=gone.href
        )
        blank = tuple(Entry((Line("–"),)) for _ in range(5))
        return Row(header, (reason, *blank), device=series.colour)
    unit = _unit(bench, (series, point), start)
    rows = bench.measured(series, point)
    columns = ("tflops_cold", "tflops") if bench.words.kernel else ("first_epoch_s", "epoch_s")
    say = formatting.number if bench.words.kernel else formatting.duration
    cold = start.stages[-1]
    texts = [
        formatting.duration(cold),
        formatting.duration(unit),
        formatting.ratio(cold / unit) if present(unit) and unit else formatting.MISSING,
        _break_even(bench, series, point, starts),
        *(say(median([row[column] for row in rows])) for column in columns),
    ]
    entries = [Entry((Line(text),)) for text in texts]
    badges = number_badges(bench.planned(series, point))
    first = Entry(entries[0].lines, href=bench.evidence(series, point), badges=badges)
    return Row(header, (first, *entries[1:]), device=series.colour)


def _break_even(
    bench: Bench, series: Series, point: Point, starts: dict[tuple[Series, Point], Start]
) -> str:
    bases = [s for s in bench.shown_series if s.baseline]
    base = next((s for s in bases if s.machine == series.machine), bases[0] if bases else None)
    if base is None or (base, point) not in starts:
        return formatting.MISSING
    if series.baseline:
        return "baseline"
    own, other = starts[series, point], starts[base, point]
    unit, base_unit = _unit(bench, (series, point), own), _unit(bench, (base, point), other)
    if not present(unit) or not present(base_unit):
        return formatting.MISSING
    later, gain = own.total - other.total, base_unit - unit
    if gain <= 0:
        return "never" if later >= 0 else "only at first"
    noun = "call" if bench.words.kernel else bench.words.step
    return formatting.plural(max(1, -int(-later // gain)), noun) if later > 0 else "at once"
