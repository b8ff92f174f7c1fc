"""Step times as distributions, because a mean hides stalls and two modes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.findings import Kind, Subject
from accelreport.analysis.results import Result
from accelreport.analysis.speed_findings import rate_of, steady_times
from accelreport.analysis.stats import geometric_mean, percentile
from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    LINE_OF_ITS_OWN,
    ROOMY,
    Chart,
    DeviceStyle,
    Layer,
    dashed,
    inner_width,
    left_axis,
    marked,
    rows,
)
from accelreport.report.charts.scales import (
    NOT_FROM_ZERO,
    Scale,
    percent_text,
    starts_at_zero,
    time_axis,
)
from accelreport.report.model import Download, Figure, Row, Section, Table, number_columns
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.badges import groups_by_point, keys, loud_badges, measured_row
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, SeriesPoint, Times, step_times

PERCENTILES = (0.05, 0.5, 0.95, 0.99)
FEWEST = 8
"""Timed steps below which a distribution is not drawn."""
LEAST_SHARE = 0.5
"""Share of the steady steps that must have been timed singly: windows of one step follow slow ones,
so a few of them are no sample of all."""


def steps_section(bench: BenchmarkView) -> Section | None:
    """The section; None where too few steps were timed one by one, or the opening has the calls."""
    times, exact = step_times(bench)
    least = LEAST_SHARE if exact else 0.0
    times = {
        place: values
        for place, values in times.items()
        if len(values) >= max(FEWEST, least * _steady(bench, [place]))
    }
    if not times or bench.findings[0].kind is Kind.LATENCY:
        return None
    title = f"{sentence(bench.words.step)} times"
    if bench.words.calls:
        # Drawn together, they would have other percentiles than the means over processes.
        table = percentile_table(bench, times, exact=exact)
        return Section("steps", title, (table,), folded=True)
    tails = {
        place: late / float(np.median(values))
        for place, values in times.items()
        if (late := percentile(values, 0.99))
    }
    worst = max(tails, key=lambda place: tails[place], default=None)
    figure = _figure(bench, times, worst[1] if worst else next(iter(times))[1], exact=exact)
    return Section("steps", title, (figure,), folded=True)


def _steady(bench: BenchmarkView, places: Iterable[SeriesPoint]) -> int:
    """The steady steps of some places."""
    rows = (row for place in places for row in bench.measured(*place))
    return round(sum(row.timings.steady_steps for row in rows))


def _counted(bench: BenchmarkView, times: Times, *, exact: bool) -> str:
    """How many steps some places have the times of: "151 of 288" where others were not stamped."""
    timed = sum(map(len, times.values()))
    every = _steady(bench, times)
    return quantity.count(timed) + f" of {quantity.count(every)}" * (exact and timed < every)


def _figure(bench: BenchmarkView, times: Times, point: Point, *, exact: bool) -> Figure:
    """Distributions at one sweep point: that of the longest tail, beside the section's title."""
    own = {place: values for place, values in times.items() if place[1] == point}
    curves = [
        Distribution(series, quantiles(values), percentile(values, 0.99))
        for (series, _), values in own.items()
    ]
    means = [f"Means of blocks of {bench.words.step}s."] * (not exact)
    where = bench.at(point)
    medians = "; ".join(
        f"{curve.device.title}: median {quantity.duration(curve.median)}" for curve in curves
    )
    others = [
        s.title for s in bench.shown_series if bench.measured(s, point) and (s, point) not in own
    ]
    without = [f"Without enough single times: {quantity.listed(others)}."] * bool(others)
    late = not _wide(curves) and not starts_at_zero(*_ends(curves), MOST_TICKS)
    return Plot(
        id="step-ecdf",
        title=f"{sentence(bench.words.step)} times{where}",
        description=f"{medians}.",
        chart=lambda size: step_ecdf(
            curves, axis_title=f"{bench.words.step} time", width=size.width
        ),
        caption=" ".join([*means, *without, *[NOT_FROM_ZERO] * late]),
        keys=keys([series for series, _ in own]),
        badges=loud_badges(bench, (Subject(s.device, s.machine, at) for s, at in own)),
        table=percentile_table(bench, times, exact=exact),
    ).figure(Size(400, 0))


def call_percentile(bench: BenchmarkView, rows: Iterable[Result], share: float) -> float | None:
    """A percentile of calls: the geometric mean of that of each process, as a latency is.

    None where a process has too few calls to know it.
    """
    calls = (steady_times(bench, row) for row in rows if row.timed)
    known = [percentile(seconds, share) for seconds in calls if seconds]
    every = [value for value in known if value]
    return geometric_mean(every).value if every and len(every) == len(known) else None


def percentile_table(bench: BenchmarkView, times: Times, *, exact: bool) -> Table:
    """Percentiles of the steps of every device and point, each with the number of its steps.

    Those of calls are means over processes. A percentile stands there only where enough steps were
    timed to know it (`percentile`).

    Args:
        bench: the benchmark.
        times: of the steps of all processes.
        exact: whether each time is of one step, and not the mean of a block.
    """

    def row(place: SeriesPoint) -> Row:
        values = times[place]
        shown = [percentile(values, share) for share in (*PERCENTILES, 1)]
        if bench.words.calls:
            own = [call_percentile(bench, bench.measured(*place), p) for p in PERCENTILES]
            shown = [*own, shown[-1]]
        texts = [_counted(bench, {place: values}, exact=exact), *map(quantity.duration, shown)]
        if bench.words.calls:
            compared = bench.speedup(*place)
            rate = rate_of(compared.own) if compared else None
            texts.append(quantity.number(rate.number) if rate else quantity.MISSING)
        return measured_row(bench, place, texts)

    titles = [
        f"{bench.words.step}s" if exact else "blocks",
        "p5",
        "median",
        "p95",
        "p99",
        "longest of all",
    ]
    titles += [f"mean {bench.words.sample}/s"] if bench.words.calls else []
    return Table(
        id="step-table",
        title=f"Percentiles, {'means over' if bench.words.calls else 'all'} processes",
        corner="device",
        columns=number_columns(titles),
        groups=groups_by_point(
            bench, lambda point: (row(place) for place in times if place[1] == point)
        ),
        download=Download(f"{bench.slug}/steps.csv", "CSV"),
    )


# The drawing ------------------------------------------------------------------------------------

QUANTILES = 101
"""Points of a curve: enough for any screen, however many steps there were."""
MOST_TICKS = 5
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Ticks of the vertical axis."""


@dataclass(frozen=True)
class Distribution:
    """One device: the quantiles of its step times, in seconds.

    Attributes:
        device: its name and line.
        seconds: the quantiles.
        late: the 99th percentile; None where too few steps were timed to know it.
    """

    device: DeviceStyle
    seconds: tuple[float, ...]
    late: float | None = None

    @property
    def median(self) -> float:
        """The time that half of the steps take at most."""
        return self.seconds[QUANTILES // 2]

    @property
    def summary(self) -> str:
        """Its name, its median, and its 99th percentile where that is known."""
        late = "" if self.late is None else f", p99 {quantity.duration(self.late)}"
        return f"{self.device.title}: median {quantity.duration(self.median)}{late}"


def quantiles(seconds: NDArray[np.float64]) -> tuple[float, ...]:
    """So many quantiles of step times, from the smallest to the largest."""
    values = np.quantile(seconds, np.linspace(0, 1, QUANTILES))
    return tuple(float(value) for value in values)


def _wide(curves: Sequence[Distribution]) -> bool:
    """Whether medians are so far apart that a linear axis would hide the small ones."""
    known = [curve.median for curve in curves if curve.median > 0]
    return bool(known) and max(known) / min(known) >= 4


def _ends(curves: Sequence[Distribution]) -> tuple[float, float]:
    first = min(curve.seconds[1] for curve in curves)
    last = max(curve.seconds[int(0.99 * (QUANTILES - 1))] for curve in curves)
    if _wide(curves):
        return first / 1.1, last * 1.1
    return max(0.0, first * 0.97), last * 1.02


def step_ecdf(curves: Sequence[Distribution], *, axis_title: str, width: int) -> Chart:
    """The chart.

    The axis ends at the 99 % point of the slowest device's curve: a single stall would
    otherwise press everything else to the left. The caption says so.

    Args:
        curves: a line each.
        axis_title: what the times are.
        width: pixels in all.
    """
    log = _wide(curves)
    low, high = _ends(curves)
    data = rows(
        [
            {"seconds": seconds, "share": i / (QUANTILES - 1)} | line
            for curve in curves
            for line in [marked(curve.device, "", curve.summary)]
            for i, seconds in enumerate(curve.seconds)
            if (seconds >= low or i == 0) and seconds <= high
        ]
    )
    scale, axis = time_axis(low, high, log=log, title=axis_title, most=MOST_TICKS)
    lines = Layer(data).mark_line()
    lines = lines.encode(
        x=alt.X("seconds:Q", scale=scale | {"clamp": True}, axis=axis),
        y=alt.Y("share:Q", scale=Scale(domain=[0, 1]), axis=left_axis(SHARES, percent_text)),
        **LINE_OF_ITS_OWN,
        **dashed(curve.device for curve in curves),
    )
    inner = inner_width(width, [percent_text(share) for share in SHARES])
    return Chart([lines], inner, 225 if width > ROOMY else 175)
