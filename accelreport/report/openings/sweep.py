"""Lines over a swept number: rates, times of a call with their tails, what a grid came to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, product
from typing import Any

from accelreport.analysis.findings import (
    COMPARISONS,
    MOST_SEPARATE,
    Finding,
    Kind,
    Subject,
    Value,
)
from accelreport.analysis.ranking import title_finding
from accelreport.analysis.results import quantity as quantity_of
from accelreport.analysis.speed_findings import (
    forward,
    inverse,
    published_lines,
    published_value,
    rate_of,
    swept_number,
)
from accelreport.analysis.stats import geometric_mean, grouped, mean
from accelreport.report import quantity
from accelreport.report.charts.drawing import WIDE, Named
from accelreport.report.charts.scales import plain, plain_duration
from accelreport.report.charts.sweep import (
    End,
    SweepAxes,
    SweepLine,
    from_zero,
    sweep_axes,
)
from accelreport.report.forms import why_hollow
from accelreport.report.metrics import (
    axis_title,
    figure_of,
    metric_title,
    provenance_text,
    settings_text,
)
from accelreport.report.model import (
    Entry,
    Figure,
    Line,
    RowGroup,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.grid import Layout, layout_of
from accelreport.report.openings.opening import ON_A_PHONE, Scene, Size, lines_plot, panel_size
from accelreport.report.openings.rates import (
    BESIDE,
    clock_text,
    sides_of_claim,
    style_of,
    unsure,
    without_unit,
    year_of,
)
from accelreport.report.openings.row_names import of_one_machine
from accelreport.report.pages.badges import (
    absence,
    kind_text,
    loud_badges,
    measured_entry,
    points_by_devices,
    with_intervals,
)
from accelreport.report.pages.sections.steps import call_percentile, percentile_table
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.theme import series as series_colour
from accelreport.report.view import BenchmarkView, Point, Series, step_times

MOST_TEXTS, MOST_PUBLISHED = 5, 3
"""Marks of the baseline's line, and of a published one, that have their numbers beside them."""
WITHIN_MARK = 0.03
"""Share of the height of an axis that a mark hides."""


def sweep_scene(bench: BenchmarkView, finding: Finding, *, claimed: bool = True) -> Scene:
    """Rates over the swept number, a line for each device and each published thing.

    The legend has the ratios of a line over the baseline, where the finding is one.

    Args:
        bench: the benchmark.
        finding: what is shown.
        claimed: whether a claim that is the title of the page is that of the figure as well.
    """
    axis = finding.axis or swept_number(bench) or bench.axes[0]
    kinds = BESIDE if finding.kind in BESIDE else ()
    findings = (f for f in bench.findings if f.kind in kinds)
    # A withheld ratio is marked only where it is the finding, which says why.
    sound = (f for f in findings if f is finding or f.kind is not Kind.WITHHELD)
    ratios = {value.of: value for f in sound for value in f.values}
    every = list(ratios.values())
    first = (title_finding(bench.findings) or finding).values[0]
    if first.over and forward(first) is not first and first.of in ratios:
        # The ratios of the title's two devices begin with the faster side, as the title does.
        pair = first.of.device, first.of.machine
        own = [v for v in ratios.values() if (v.of.device, v.of.machine) == pair]
        ratios = {of: value for of, value in ratios.items() if value not in own}
        ratios |= {value.over: inverse(value) for value in own if value.over}
    measured = [rate_of(row.own) for row in bench.compared if row.own.machine]
    devices = grouped(filter(None, measured), lambda value: (value.of.device, value.of.machine))
    # A rate that contradicts itself has no line: it is in the table of published rows.
    published = published_lines(bench, axis)
    printed = ([published_value(bench, own) for own in group] for group in published)
    # The sentence of a gain has the first of several.
    titled = finding.title_values[: 1 if finding.kind is Kind.GAIN else None]
    subjects = {of for value in titled for of in (value.of, value.over) if of}
    sides = _titled(bench, finding) if claimed else subjects
    groups = (*devices.values(), *printed)
    drawn, where = _named(bench, _lines(bench, groups, ratios, finding, sides))
    strong = [line for line, _ in drawn if not (line.beside or line.published)]
    if not claimed and len(strong) == 1:  # no dash tells it from others
        solid = Named(strong[0].device.title, strong[0].device.colour)
        drawn = [(replace(line, device=solid) if line in strong else line, v) for line, v in drawn]
    lines = [line for line, _ in drawn]
    ends = _ends(bench)
    crossings = [f for f in bench.findings if f.kind is Kind.CROSSING]
    counted = bench.words.rate
    dashes = any(line.published and len(line.x) > 1 for line in lines)
    derived = not all(figure_of(value) for _, own in drawn for value in own if value.of.row)

    def rate(value: float) -> str:
        return quantity.number(value) + quantity.SPACE + counted

    linear = from_zero(lines)
    axes = sweep_axes(lines, ends, x_title=axis_title(axis), text=rate, linear=linear)
    compared = (f for f in bench.findings if f.kind in COMPARISONS)
    multiples = (value for f in compared for value in f.values if not value.why)
    # A gain is that from one mark of its line to another.
    gains = finding.values if finding.kind is Kind.GAIN else ()
    crossed = (value for crossing in crossings for value in crossing.values)
    shown = [*every, *gains, *multiples, *crossed]
    title_lines = [line for line, own in drawn if {v.of for v in own} & subjects]
    clock = clock_text(value for _, own in drawn for value in own)
    key = f"◇{' dashed' * dashes}: published{', derived' * derived}" * bool(published)
    upright = _intervals(lines, axes)
    up = counted + " (log scale)" * (not linear), key, upright.strip(" .").lower()
    plot = lines_plot(
        lines,
        ends,
        axes,
        title_lines=title_lines,
        unsaid=f" ({bench.one_kind})",
        id="sweep",
        title=sentence(f"{counted} by {axis_title(axis)}{where}"),
        words=lambda some: ends_in_words(some, quantity.number),
        caption=(
            "Log scale." * (not linear)
            + upright
            + f" {key}." * bool(key)
            + hollow_text(lines)
            + clock
            + "".join(
                f" {Speaker(bench).title(crossing)}." for crossing in crossings[:MOST_SEPARATE]
            )
        ).strip(),
        badges=loud_badges(bench),
        table=with_intervals(
            points_by_devices(
                bench, _entry, id="sweep-data", title=sentence(counted), style="plain"
            )
        ),
        points=max(len(line.x) for line in lines),
        up=", ".join(filter(None, up)),
        values=(
            *(value for _, own in drawn for value in own),
            *shown,
        ),
    )
    brief = " · ".join(filter(None, (plot.brief, clock.strip(" ."))))
    return Scene(finding, replace(plot, brief=brief))


def _named(
    bench: BenchmarkView, drawn: list[tuple[SweepLine, list[Value]]]
) -> tuple[list[tuple[SweepLine, list[Value]]], str]:
    """Lines by what differs between them, and " on" their machine, where all are of one."""
    own = [replace(values[-1].of, point=()) for _, values in drawn]
    machine, names = ("", {}) if any(of.row for of in own) else of_one_machine(bench, own)
    named = [
        (replace(line, name=names.get(of, line.name)), values)
        for of, (line, values) in zip(own, drawn, strict=True)
    ]
    return named, f" on {machine}" * bool(machine)


def _intervals(lines: Iterable[SweepLine], axes: SweepAxes) -> str:
    """What the upright lines at marks are, where any reaches beyond its mark."""
    ends = [own for line in lines for own in zip(line.low, line.high, strict=True)]
    spans = [axes.share(high) - axes.share(max(low, axes.heights[0])) for low, high in ends]
    return " Upright lines: 95 % intervals." * (max(spans, default=0.0) > WITHIN_MARK)


def hollow_text(lines: Iterable[SweepLine]) -> str:
    """What hollow marks are, where there are any: " ○ stopped by the budget."."""
    every = (why for line in lines for whys in line.hollow for why in whys)
    return "".join(f" ○ {why}." for why in dict.fromkeys(every))


def _titled(bench: BenchmarkView, finding: Finding) -> set[Subject]:
    """What the title is of: the sides of its claim, else of the finding."""
    sides = (of for value in finding.title_values for of in (value.of, value.over))
    return sides_of_claim(bench) or {*filter(None, sides)}


def _lines(
    bench: BenchmarkView,
    groups: Iterable[list[Value]],
    ratios: dict[Subject, Value],
    finding: Finding,
    sides: Collection[Subject],
) -> list[tuple[SweepLine, list[Value]]]:
    """A line for each group of values, which it has in the order of the number that is swept."""
    speaker = Speaker(bench)
    ordered = [sorted(values, key=lambda value: float(value.of.point[0])) for values in groups]
    titled = {of for value in finding.title_values for of in (value.of, value.over)} | {*sides}
    return [
        (replace(_line(speaker, values, ratios, titled), beside=beside), values)
        for values, beside in zip(ordered, _beside(bench, ordered, sides), strict=True)
    ]


def _beside(
    bench: BenchmarkView, groups: Sequence[Sequence[Value]], sides: Collection[Subject]
) -> list[bool]:
    """Whether each line is beside one of the title in the same colour."""
    own = [bool({value.of for value in values} & {*sides}) for values in groups]
    looks = [series_colour(style_of(bench, values[0].of).colour) for values in groups]
    of_title = set(compress(looks, own))
    return [
        not is_own and look in of_title and not values[0].of.row
        for is_own, look, values in zip(own, looks, groups, strict=True)
    ]


def _line(
    speaker: Speaker,
    values: Sequence[Value],
    ratios: dict[Subject, Value],
    titled: Collection[Subject | None],
) -> SweepLine:
    """A line of values over the swept number; its ratios are in the legend.

    Marks of the baseline and of a source have numbers where they are few; so have the title's.
    """
    bench, last, row = speaker.bench, values[-1], values[-1].of.row
    most = MOST_PUBLISHED if row else MOST_TEXTS
    numbered = len(values) <= most
    numbered &= row is not None or last.of.device == bench.plan.baseline.device
    detail = provenance_text(last, year_of(bench, last.of)) if row else str(last.provenance)
    shown = [ratios[value.of] for value in values if value.of in ratios]
    if shown and (over := shown[0].over) and not any(map(unsure, shown)):
        detail = f"{detail}; {speaker.numbers(shown)} {speaker.name(over)}"
    return SweepLine(
        name=label(row.label, 60) if row else speaker.name(last.of),
        detail=detail,
        device=style_of(bench, last.of),
        x=tuple(float(value.of.point[0]) for value in values),
        y=tuple(value.number for value in values),
        low=tuple(value.interval.ends[0] for value in values),
        high=tuple(value.interval.ends[1] for value in values),
        published=row is not None,
        digits=tuple(value.digits for value in values),
        hollow=tuple(why_hollow(value.caveats) for value in values if not value.of.row),
        texts=tuple(without_unit(v) if numbered or v.of in titled else "" for v in values),
    )


def ends_in_words(lines: Sequence[SweepLine], text: Callable[[float], str]) -> str:
    """The first and the last value of each line in a sentence, for a screen reader."""

    def ends(line: SweepLine) -> str:
        both = [0, -1] if len(line.x) > 1 else [0]
        known = [
            (quantity.significant(line.y[end], line.digits_at(end)), line.x[end]) for end in both
        ]
        return ", ".join(f"{text(y)} at {plain(x)}" for y, x in known)

    parts = (f"{', '.join(filter(None, (line.name, line.detail)))}: {ends(line)}" for line in lines)
    return f"{'; '.join(parts)}."


def _ends(bench: BenchmarkView) -> list[End]:
    """Marks where every process of a device failed."""
    ends = []
    for series in bench.shown_series:
        rates = {
            tuple(row.own.point.values()): rate
            for row in bench.compared
            if (row.device, row.machine) == (series.device, series.machine)
            and (rate := rate_of(row.own))
        }
        for point in bench.points:
            failed = [row for row in bench.planned(series, point) if row.status == "failed"]
            if failed and rates and point not in rates:
                nearest = min(rates, key=lambda at: abs(at[0] - point[0]))
                height = rates[nearest].number
                ends.append(End(series, float(point[0]), height, kind_text(failed[0])))
    return ends


def _entry(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    row = bench.speedup(series, point)
    rate = rate_of(row.own) if row else None
    if rate is None:
        gone = absence(bench, series, point)
        return entry(Line(gone.lines[1].text, "reason"), href=gone.href)
    speaker = Speaker(bench)
    lines = [Line(speaker.number(rate))]
    if interval := speaker.interval(rate):
        lines.append(Line(interval, "interval"))
    return measured_entry(bench, (series, point), lines)


# Latency ----------------------------------------------------------------------------------------


LATE = "upright lines: to the 99th percentile"
"""What is beside the marks of calls."""


def latency_scene(bench: BenchmarkView, finding: Finding) -> Scene:
    """The median call of each device over the swept number, with its tail."""
    speaker, axis = Speaker(bench), finding.axis
    lines = grouped(finding.values, lambda value: (value.of.device, value.of.machine)).values()
    pairs = []
    for values in lines:
        last, series = values[-1], style_of(bench, values[-1].of)
        middle = tuple(value.number for value in values)
        cells = (bench.cells(value.of.device, value.of.machine, value.of.point) for value in values)
        late = (call_percentile(bench, rows, 0.99) for rows in cells)
        line = SweepLine(
            name=speaker.name(last.of),
            detail="median of a call",
            device=series,
            x=tuple(float(value.of.point[0]) for value in values),
            y=middle,
            low=middle,
            high=tuple(p99 or p50 for p99, p50 in zip(late, middle, strict=True)),
            hollow=tuple(why_hollow(value.caveats) for value in values),
            texts=tuple(
                quantity.duration(seconds) if number in {0, len(middle) - 1} else ""
                for number, seconds in enumerate(middle)
            ),
        )
        pairs.append((line, values))
    named, where = _named(bench, pairs)
    sides = _titled(bench, title_finding(bench.findings) or finding)
    besides = _beside(bench, [values for _, values in named], sides)
    drawn = [replace(line, beside=own) for (line, _), own in zip(named, besides, strict=True)]
    axes = sweep_axes(
        drawn, [], x_title=axis_title(axis), tick=plain_duration, text=quantity.duration
    )
    times, exact = step_times(bench)
    plot = lines_plot(
        drawn,
        (),
        axes,
        id="latency",
        title=sentence(f"time of a call{where}"),
        words=lambda some: ends_in_words(some, quantity.duration),
        caption=f"Log scale. Medians; {LATE}; both are means over processes.{hollow_text(drawn)}",
        badges=loud_badges(bench),
        table=replace(percentile_table(bench, times, exact=exact), id="latency-data"),
        points=max(len(line.x) for line in drawn),
        up="time of a call (log scale)",
        values=finding.values,
    )
    return Scene(finding, replace(plot, brief=" · ".join(filter(None, (plot.brief, LATE)))))


# Grids ------------------------------------------------------------------------------------------

GRID_FIGURES = {
    "time of the whole training (without validation)": ("total_time",),
    "validation metrics": ("val_accuracy", "val_precision", "val_recall", "val_f1"),
}
"""What is drawn of complete trainings over the longest axis of a grid."""
HEIGHT = 240
"""Pixels of a panel."""


def grid_figures(bench: BenchmarkView) -> Iterator[Figure]:
    """Times and metrics over the longest axis of a grid, a line for each value of the next axis.

    A panel is of one metric, one device and one setting of the other axes. A line has two points
    at least.
    """
    layout = layout_of(bench)
    if layout is None or not all(
        isinstance(x, int | float) and x > 0 for x in bench.plan.axes[layout.across]
    ):
        return
    settings = {tuple(bench.values(p)[axis] for axis in layout.apart) for p in bench.points}
    for title, names in GRID_FIGURES.items():
        panels: dict[str, list[SweepLine]] = {}
        for name, series, held in product(names, bench.shown_series, sorted(settings, key=repr)):
            where = dict(zip(layout.apart, held, strict=True))
            lines = _grid_lines(bench, series, layout, where, name)
            words = [series.title] * (len(bench.shown_series) > 1)
            words += [metric_title(name)] * (len(names) > 1) + [settings_text(where, " · ")]
            if lines:
                panels[" · ".join(filter(None, words))] = lines
        every = [line for lines in panels.values() for line in lines]
        if not every:
            continue
        timed, by = names[0] == "total_time", axis_title(layout.across)
        axes = sweep_axes(
            every,
            (),
            x_title=by,
            tick=plain_duration if timed else partial(quantity.percent, places=0),
            text=quantity.duration if timed else quantity.percent,
            linear=not timed,
        )
        plots = [
            lines_plot(
                lines,
                (),
                axes,
                id=f"grid-{names[0]}-{number}",
                title=sentence(f"{title} by {by}"),
                words=partial(ends_in_words, text=axes.text),
                caption=f"Complete trainings.{_intervals(lines, axes)}" + " Log scale." * timed,
                up=title,
            )
            for number, lines in enumerate(panels.values())
        ]
        wide, narrow = Size(WIDE, HEIGHT), ON_A_PHONE if len(plots) == 1 else None
        wide = wide if narrow else panel_size(len(plots), HEIGHT)
        groups = tuple(
            RowGroup(
                tuple(table_row(line.name, *_cells(line, axes)) for line in lines), title=panel
            )
            for panel, lines in panels.items()
        )
        columns = number_columns(map(plain, axes.swept))
        table = Table(f"grid-{names[0]}-data", plots[0].title, columns, groups, corner=by)
        yield replace(
            plots[0].figure(wide, narrow),
            id=f"grid-{names[0]}",
            panels=tuple(
                plot.panel(wide, narrow, panel) for plot, panel in zip(plots, panels, strict=True)
            ),
            table=table,
        )


def _cells(line: SweepLine, axes: SweepAxes) -> list[str]:
    """The numbers of a line at every value of its axis."""
    known = dict(zip(line.x, map(axes.text, line.y), strict=True))
    return [known.get(x, "–") for x in axes.swept]


def _grid_lines(
    bench: BenchmarkView, series: Series, layout: Layout, where: Mapping[str, Any], name: str
) -> list[SweepLine]:
    """A quantity of one device over the longest axis, a line for each value of the next one."""
    lines = []
    for number, value in enumerate(bench.plan.axes[layout.down]):
        known = {}
        for x in sorted(bench.plan.axes[layout.across]):
            at = {**where, layout.down: value, layout.across: x}
            rows = bench.measured(series, tuple(at[axis] for axis in bench.axes))
            middle = geometric_mean if name == "total_time" else mean
            own = middle([quantity_of(row, name) for row in rows if row.complete])
            if own.n:
                known[float(x)] = own
        if len(known) > 1:
            called = f"{axis_title(layout.down)} {quantity.setting(value)}"
            ends = [own.ends for own in known.values()]
            lines.append(
                SweepLine(
                    name=called,
                    detail="",
                    device=Named(called, number),
                    x=tuple(known),
                    y=tuple(own.value for own in known.values()),
                    low=tuple(max(low, 0.0) for low, _ in ends),
                    high=tuple(high for _, high in ends),
                )
            )
    return lines
