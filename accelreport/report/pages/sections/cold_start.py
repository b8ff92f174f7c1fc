"""Start-up: where the time goes before steady work, and when it has paid off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from accelreport.analysis.cost import (
    STAGES,
    Start,
    TimeLine,
    overtakes,
    start_of,
)
from accelreport.analysis.findings import Caveat
from accelreport.analysis.results import Result
from accelreport.analysis.speedup import Speedup, rules_of, speedup
from accelreport.analysis.stats import Interval, Verdict, geometric_mean
from accelreport.report import quantity
from accelreport.report.charts.dots import Dot
from accelreport.report.charts.drawing import NARROW, WIDE
from accelreport.report.charts.scales import plain_duration
from accelreport.report.forms import SIGNS
from accelreport.report.model import (
    Download,
    Figure,
    Row,
    RowGroup,
    Section,
    Table,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import Size, dots_plot
from accelreport.report.pages.badges import (
    absent_row,
    groups_by_point,
    loud_badges,
    measured_row,
    panel_points,
)
from accelreport.report.quantity import duration_of
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint, median, present


def start_at(bench: BenchmarkView, series: Series, point: Point) -> Start | None:
    """The start-up; None where no first step was timed."""
    timed = bench.speedup(series, point)
    return start_of(bench.measured(series, point), timed.seconds.value if timed else math.nan)


def starts_of(bench: BenchmarkView) -> dict[SeriesPoint, Start]:
    """Every cold start that was measured."""
    return {place: start for place in bench.shown_places if (start := start_at(bench, *place))}


def unit_of(bench: BenchmarkView, place: SeriesPoint, start: Start) -> float:
    """Seconds of the warm counterpart of the first step: a step, or a whole call."""
    return start.steady_s * call_size(bench, place)


def call_size(bench: BenchmarkView, place: SeriesPoint) -> int:
    """Steps of the first call of a kernel; 1 of a training, whose first block is a step."""
    records = bench.records_of(*place) if bench.words.kernel else ()
    sizes = (record.blocks[0].steps for record in records if record.blocks)
    return next(filter(None, sizes), 1)


def paired_first(bench: BenchmarkView, place: SeriesPoint) -> Interval:
    """The first step over its warm counterpart, within each process."""
    size, rows = call_size(bench, place), bench.measured(*place)
    return geometric_mean([row.timings.first_step_s / (row.seconds * size) for row in rows])


def course_of(bench: BenchmarkView, place: SeriesPoint, start: Start) -> TimeLine | None:
    """Seconds of the cold start and the warm steps after it (calls of a kernel)."""
    unit = unit_of(bench, place, start)
    return TimeLine(start.total, unit) if present(unit) else None


def withheld_at(bench: BenchmarkView, point: Point) -> Iterator[tuple[SeriesPoint, Speedup]]:
    """Devices whose work differs from that of the baseline at a point, which are in no ranking.

    Where the baseline has no time, the first device that has one stands for it.
    """
    timed = {s: row.own for s in bench.shown_series if (row := bench.speedup(s, point))}
    base = next((s for s in timed if s.baseline), next(iter(timed), None))
    rules = rules_of(bench.plan, bench.results)
    for series, own in timed.items():
        if base is not None and series != base:
            comparison = speedup(own, timed[base], rules)
            if comparison.withheld:
                yield (series, point), comparison


def cold_start_section(bench: BenchmarkView) -> Section | None:
    """The section; None when nothing was measured."""
    starts = starts_of(bench)
    if not starts:
        return None
    blocks = (_figure(bench, starts), _table(bench, starts))
    totals = [start.total for start in starts.values()]
    detail = f"{bench.words.first} after {quantity.extent(totals, quantity.duration)}"
    return Section("cold", "Start-up", blocks, folded=True, detail=detail)


def _warm(bench: BenchmarkView) -> str:
    """What a first step is held against: a later call of a kernel has as many products."""
    return "later call" if bench.words.kernel else f"steady {bench.words.step}"


SHARED = "Forked processes share one import, added to each."


def _figure(bench: BenchmarkView, starts: dict[SeriesPoint, Start]) -> Figure:
    # Chosen among those that were measured: a run that was stopped may have none of the others.
    points = panel_points([p for p in bench.points if any(place[1] == p for place in starts)])
    names = [name or bench.words.first for name, _ in STAGES]
    places = [(s, p) for p in points for s in bench.series if (s, p) in starts]
    times = [(s, s.title, bench.point_name(p), starts[s, p].total) for s, p in places]
    if len(places) == 1:
        (series, point), stages = places[0], zip(names, starts[places[0]].stages, strict=True)
        where = " · ".join(filter(None, (series.title, bench.point_name(point))))
        times = [(series, name, where, seconds) for name, seconds in stages if seconds > 0]
    dots = [
        Dot(name, detail, device, seconds, quantity.duration(seconds), seconds, seconds)
        for device, name, detail, seconds in times
    ]
    plot = dots_plot(
        dots,
        axis="start-up",
        tick=plain_duration,
        id="start-up",
        title=f"Median start-up to {bench.words.first}",
        note=SHARED * any(record.times.prepared_s for record in bench.records.values()),
        badges=loud_badges(bench),
        table=_stages(bench, starts, names),
    )
    return plot.figure(Size(WIDE, 0), Size(NARROW, 0))


def _stages(bench: BenchmarkView, starts: dict[SeriesPoint, Start], names: list[str]) -> Table:
    """Seconds of each stage, and of all together, by device and sweep point."""

    def row(place: SeriesPoint, start: Start) -> Row:
        texts = map(quantity.duration, (*start.stages, start.total))
        return table_row(place[0].title, *texts, device=place[0].colour)

    return Table(
        id="start-up-data",
        title="Start-up stages",
        caption="Medians of processes, each column by itself.",
        corner="device",
        columns=number_columns((*names, "together")),
        groups=tuple(
            RowGroup(rows, title=bench.point_title(point))
            for point in bench.points
            if (rows := tuple(row(at, own) for at, own in starts.items() if at[1] == point))
        ),
    )


def _table(bench: BenchmarkView, starts: dict[SeriesPoint, Start]) -> Table:
    words = bench.words
    noun = "calls" if words.kernel else f"{words.step}s"
    titles = [words.first, _warm(bench), "first ÷ steady", f"start-up in {noun}"]
    rates = ["TFLOPS cold", "TFLOPS warm"] * words.kernel
    titles += ["overtakes baseline after", *rates]
    medians = quantity.listed([words.first, *rates[:1]])
    means = quantity.listed([_warm(bench), "first ÷ steady within a process", *rates[1:]])
    return Table(
        id="cold-table",
        title="Start-up, steady state",
        caption=f"{sentence(medians)}: medians of processes. {sentence(means)}: geometric means."
        + " † extrapolated from steady steps." * any(_cut_call(bench, at) for at in starts),
        corner="device",
        columns=number_columns(titles),
        groups=groups_by_point(
            bench,
            lambda point: (_cold_row(bench, (s, point), starts) for s in bench.tried_series),
        ),
        download=Download(f"{bench.slug}/cells.csv", "CSV"),
    )


def _cold_row(bench: BenchmarkView, place: SeriesPoint, starts: dict[SeriesPoint, Start]) -> Row:
    start = starts.get(place)
    kernel = bench.words.kernel
    if start is None:
        return absent_row(bench, place, 7 if kernel else 5)
    unit = unit_of(bench, place, start)
    # A step has the digits that it has everywhere on the page.
    comparison = None if kernel else bench.speedup(*place)
    warm = duration_of(comparison.seconds) if comparison else quantity.duration(unit)
    course = course_of(bench, place, start)
    worth = quantity.MISSING
    if course is not None and course.step:
        noun = "call" if kernel else bench.words.step
        worth = quantity.plural(math.ceil(course.worth), noun)
    texts = [
        quantity.duration(start.stages[-1]),
        f"{warm} {SIGNS[Caveat.EXTRAPOLATED]}" if _cut_call(bench, place) else warm,
        quantity.ratio_of(paired_first(bench, place)),
        worth,
        _break_even(bench, place, starts),
        *(_rates(bench.measured(*place), start.steady_s) if kernel else ()),
    ]
    return measured_row(bench, place, texts)


def _rates(rows: Sequence[Result], steady_s: float) -> tuple[str, str]:
    """The TFLOPS of the first call of a kernel, and of later ones."""
    cold = median([row.timings.tflops_cold for row in rows])
    warm = median([row.timings.flops_per_step for row in rows]) / steady_s / 1e12
    return quantity.number(cold), quantity.number(warm)


def _cut_call(bench: BenchmarkView, place: SeriesPoint) -> bool:
    """Whether the budget ended a later call of a kernel, of which nothing else was timed."""
    size = call_size(bench, place)
    return bench.words.kernel and all(
        row.timings.steady_steps < size for row in bench.measured(*place)
    )


def _break_even(bench: BenchmarkView, place: SeriesPoint, starts: dict[SeriesPoint, Start]) -> str:
    """From which step on a device has overtaken the baseline, or why there is none."""
    series, point = place
    bases = [s for s in bench.shown_series if s.baseline]
    base = next((s for s in bases if s.machine == series.machine), bases[0] if bases else None)
    there = bench.base_point(point)
    if base is None or (base, there) not in starts:
        return quantity.MISSING
    if series.baseline and point == there:
        return "baseline"
    if any(unlike == place for unlike, _ in withheld_at(bench, point)):
        return quantity.MISSING  # other work than the baseline's
    compared = bench.speedup(*place)
    if compared is None or compared.verdict not in {Verdict.FASTER, Verdict.SLOWER}:
        return "undecided"
    own = course_of(bench, place, starts[place])
    other = course_of(bench, (base, there), starts[base, there])
    if own is None or other is None:
        return quantity.MISSING
    steps = overtakes(own, other)
    if steps is None:
        return "never"
    noun = "call" if bench.words.kernel else bench.words.step
    return quantity.plural(steps, noun) if own.start > other.start else "at once"
