"""Why a speedup depends on the batch: a fixed cost, and a cost for each example. A model."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Literal

from accelreport.analysis.results import point_key
from accelreport.analysis.stats import Interval, geometric_mean
from accelreport.analysis.timed_sweeps import Cause, LawPair, TimedSweep
from accelreport.report import quantity
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.scales import plain
from accelreport.report.charts.sweep import SweepLine, sweep_axes
from accelreport.report.law_text import (
    columns,
    cost_span,
    cost_text,
    costs,
    fixed_text,
    pair_sentence,
    part_told,
    refusal_text,
    worst,
)
from accelreport.report.metrics import axis_title
from accelreport.report.model import (
    Figure,
    Line,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.openings.opening import Size, lines_plot
from accelreport.report.openings.sweep import ends_in_words
from accelreport.report.pages.badges import loud_badges
from accelreport.report.text import label, sentence
from accelreport.report.theme import pattern
from accelreport.report.view import BenchmarkView

ABOUT = (
    "The model: a step takes a fixed time plus a time for each example or operation (Hockney "
    "and Jesshope, 1981). It is fitted to the marks and enters no other number of "
    "this site. Dotted lines are the model, fainter where nothing was timed. No "
    "line is drawn where a time is more than 10 % off."
)
GIGA = 1e-9
"""Operations are shown in 10⁹."""
BEYOND = 4.0
"""A curve goes on to so many times the largest amount that was timed, where it is fainter."""
PIECES = 24
"""Straight pieces of a curve."""


def batch_law_section(bench: BenchmarkView) -> Section | None:
    """The section; None where fewer than three sizes were timed, here or by a source."""
    sweeps = [sweep for sweep in bench.timed_sweeps if sweep.fit.residuals]
    if not sweeps:
        return None
    shown = _shown(sweeps)
    drawn = any(sweep.fit.law for sweep in shown)
    table = _table(bench, sweeps, drawn=drawn)
    blocks = (_figure(bench, shown, table),) if drawn else (table,)
    batches = all(sweep.of_batches for sweep in sweeps)
    what = "the batch size" if batches else axis_title(sweeps[0].axis)
    return Section(
        "model",
        f"How {bench.words.step} time depends on {what}: {_finding(bench, shown)}",
        (*blocks, *_more(bench, shown), *_split(bench, sweeps)),
        folded=True,
    )


def _shown(sweeps: Sequence[TimedSweep]) -> list[TimedSweep]:
    """What is drawn: where most devices have a law, the other axes standing at one place."""
    places = [point_key(sweep.fixed) for sweep in sweeps]
    laws = [place for place, sweep in zip(places, sweeps, strict=True) if sweep.fit.law]
    best = max(places, key=laws.count)
    first = next(s for s, place in zip(sweeps, places, strict=True) if place == best)
    return [
        sweep
        for sweep, place in zip(sweeps, places, strict=True)
        if place == best and sweep.of_batches == first.of_batches
    ]


def name_of(bench: BenchmarkView, sweep: TimedSweep) -> str:
    """What a sentence calls it."""
    if sweep.published:
        return f"the {label(sweep.label, 40)}"
    several = len({timed.machine for timed in bench.timed_sweeps if timed.machine}) > 1
    return bench.title_on(sweep.device, sweep.machine if several else "")


def _finding(bench: BenchmarkView, shown: Sequence[TimedSweep]) -> str:
    drawn = [sweep for sweep in shown if sweep.fit.law]
    if not drawn:
        return "no fixed cost and rate describe these times"
    best = _pair_of(bench, shown)
    if best is None:
        fixed = [
            f"{name_of(bench, sweep)} {cost}" + (f" (95 %: {interval})" if interval else "")
            for sweep in drawn[:4]
            if not sweep.fit.fixed_s().low <= 0
            for cost, interval in costs(sweep.fit, sweep)[:1]
        ]
        if not fixed:
            return "by the model, no fixed cost is significantly different from 0"
        return f"by the model, a step has a fixed cost: {quantity.listed(fixed)}"
    comparison = pair_sentence(best, lambda sweep: name_of(bench, sweep))
    by = "in a model of the published times" if best.own.published else "by the model"
    return f"{by}, {comparison}"


def _pair_of(bench: BenchmarkView, shown: Sequence[TimedSweep]) -> LawPair | None:
    """The pair that the finding tells: measured where there is one, and one that crosses."""
    pairs = [pair for pair in bench.law_pairs if pair.own in shown]
    return min(
        pairs,
        key=lambda pair: (pair.own.published, isnan(pair.against.crossing.value)),
        default=None,
    )


def _more(bench: BenchmarkView, shown: Sequence[TimedSweep]) -> tuple[Prose, ...]:
    """Every other pair in a sentence of its own, up to four."""
    best = _pair_of(bench, shown)
    others = [pair for pair in bench.law_pairs if pair is not best and pair.own in shown][:4]
    sentences = [
        sentence(pair_sentence(pair, lambda sweep: name_of(bench, sweep))) + "." for pair in others
    ]
    return (Prose(" ".join(sentences)),) if sentences else ()


def _line(bench: BenchmarkView, sweep: TimedSweep, last: float) -> SweepLine:
    """The timed rates of a device, and those of its law up to an amount of work."""
    unit = 1.0 if sweep.of_batches else GIGA
    middle = {
        amount: geometric_mean([run[amount] for run in sweep.runs if amount in run]).value
        for amount in sweep.amounts
    }
    machines = sorted({one.machine for one in bench.timed_sweeps if one.device == sweep.device})
    colour = bench.colour_of(sweep.device)
    number = 0 if sweep.published else [m for m in machines if m].index(sweep.machine)
    title = name_of(bench, sweep).removeprefix("the ")
    rates = tuple(unit * amount / seconds for amount, seconds in middle.items())
    first, law = sweep.amounts[0], sweep.fit.law
    amounts = sorted(
        {*middle, *(first * (last / first) ** (k / PIECES) for k in range(PIECES + 1))}
    )
    return SweepLine(
        title,
        "published" if sweep.published else "measured",
        Named(title, colour, pattern(colour, number)),
        tuple(middle),
        rates,
        rates,
        rates,
        published=sweep.published,
        model=tuple((x, unit * x / law.seconds(x)) for x in amounts) if law else (),
    )


def _figure(bench: BenchmarkView, shown: Sequence[TimedSweep], table: Table) -> Figure:
    by_batch = shown[0].of_batches
    x_title = axis_title(shown[0].axis) if by_batch else "operations of a step"
    y_title = f"{bench.words.sample} each second" if by_batch else "10⁹ operations each second"
    last = BEYOND * max(sweep.amounts[-1] for sweep in shown)
    lines = [_line(bench, sweep, last) for sweep in shown]
    fixed = fixed_text(shown[0])
    axes = sweep_axes(
        lines,
        (),
        x_title=x_title,
        text=lambda rate: f"{quantity.number(rate)} {y_title}",
        x_tick=plain if by_batch else quantity.operations,
    )
    return lines_plot(
        lines,
        (),
        axes,
        id="law-lines",
        title=f"{sentence(y_title)}, timed and modelled" + (f" ({fixed})" if fixed else ""),
        description=ends_in_words(lines, quantity.number),
        subtitle=f"Up: {y_title} (log scale). Across: {x_title}.",
        caption=ABOUT,
        badges=loud_badges(bench) if any(not x.published for x in lines) else (),
        table=table,
    ).figure(Size(WIDE, 320), Size(NARROW, 284))


def _table(bench: BenchmarkView, sweeps: Sequence[TimedSweep], *, drawn: bool) -> Table:
    measured = [sweep for sweep in sweeps if not sweep.published]
    published = [sweep for sweep in sweeps if sweep.published]
    groups = tuple(
        RowGroup(tuple(_row(bench, sweep) for sweep in part), title=title)
        for title, part in (("measured", measured), ("published, one time a size", published))
        if part
    )
    return Table(
        id="law-table",
        title="The model of each device",
        caption=(
            "The 95 % interval is under each value: over processes, or from the misfit of one line "
            "where there is a single process or the times were published."
            + (" Three published times leave it wide." if published else "")
        ),
        corner="device",
        columns=number_columns(columns(sweeps)),
        groups=groups,
        folded=not drawn,
    )


PARTS = (
    "After the training each part was timed as a program of its own, driven as the "
    "steps were: an empty one (dispatch), one that takes its batch (input), one "
    "that computes the loss and its gradients as well (compute), and one that "
    "updates the weights (optimizer). The fit of the line splits each part into "
    "the two costs, with 95 % intervals over processes. A fixed cost below 0 means "
    "that a part grows faster than the work. Launches of single operations belong "
    "to compute and optimizer, because no framework separates them from their "
    "work. Unexplained is the rest: metrics, or what a compiler does with the "
    "parts together."
)


def _split(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> tuple[Table | Prose, ...]:
    """The fixed cost of a step, and each example's, by cause; nothing where none asked for it."""
    split = [sweep for sweep in sweeps if sweep.split]
    why = {
        f"{bench.title_of(record.cell.device)}: {record.parts.absent}"
        for record in bench.records.values()
        if record.parts and record.parts.absent
    }
    absent = (Prose(f"Not split by cause: {quantity.listed(sorted(why))}."),) if why else ()
    if not split:
        return absent
    table = Table(
        id="split-table",
        title="Cost of a step by cause: fixed, and below it for each example",
        caption=PARTS,
        corner="device",
        columns=number_columns(cause.value for cause in Cause),
        groups=(RowGroup(tuple(_split_row(bench, sweep) for sweep in split)),),
    )
    return (table, *absent)


def _split_row(bench: BenchmarkView, sweep: TimedSweep) -> Row:
    header = entry(name_of(bench, sweep), *under(fixed_text(sweep)))
    unit = 1.0 if sweep.of_batches else 1 / GIGA
    law = sweep.fit.law
    assert law is not None, "no other part is split"
    entries = [
        entry(
            *_cost_lines(part.fixed_s, law.fixed_s, 1.0),
            *_cost_lines(part.each_s, law.each_s, unit, "detail"),
        )
        for part in sweep.split
    ]
    return Row(header, tuple(entries), device=bench.colour_of(sweep.device))


def _cost_lines(
    cost: Interval, whole: float, unit: float, role: Literal["value", "detail"] = "value"
) -> list[Line]:
    """A part of a cost and its interval, in seconds of `unit` of the work."""
    scaled = cost.times(unit)
    span = cost_span(scaled, unit * whole)
    if not part_told(scaled, unit * whole):
        return [Line("not significantly different from 0", role), Line(span, "interval")]
    value = Line(cost_text(scaled, unit * whole), role)
    return [value, Line(span, "interval")] if span else [value]


def _row(bench: BenchmarkView, sweep: TimedSweep) -> Row:
    header = entry(name_of(bench, sweep).removeprefix("the "), *under(fixed_text(sweep)))
    misfit, device = quantity.percent(worst(sweep.fit), 1), bench.colour_of(sweep.device)
    if sweep.fit.law is None:
        reason = Line(refusal_text(sweep.fit), "reason")
        return table_row(header, reason, "–", "–", misfit, device=device)
    entries = (
        entry(value, *under(interval, "interval")) for value, interval in costs(sweep.fit, sweep)
    )
    return table_row(header, *entries, misfit, device=device)
