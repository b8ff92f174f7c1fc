"""The hero of generated nets: a map of which device is fastest where, and a model's boundary in it.

The boundary was fitted to every other net. How well it foretells the rest stands in every
sentence that tells of it, and it is told in the title only where it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf, prod
from statistics import median

from accelreport.analysis.decision_map import Boundary, DecisionMap, Forecast, Place, Runner
from accelreport.analysis.stats import Interval
from accelreport.report import formatting
from accelreport.report.charts.decision_map import (
    MODEL,
    MapLine,
    MapMark,
    MapPanel,
    MapTint,
    decision_map_chart,
    work_text,
)
from accelreport.report.charts.drawing import Chart
from accelreport.report.heroes.grid import grid_hero
from accelreport.report.heroes.hero import Hero, HeroFigure, Size
from accelreport.report.heroes.rates import first_step_number
from accelreport.report.model import Column, LargeNumber, Row, RowGroup, Table, entries_of, entry
from accelreport.report.pages.badges import loud_badges
from accelreport.report.view import BenchmarkView, Series

TRUSTED, LEAST_TESTED = 0.75, 3
"""A model that has the right device at fewer of the places that test it is in no title, and none
that fewer places test."""
ALIKE = 1.5
"""Boundaries that are no further apart are told as one."""

KINDS = {"dense": "dense", "conv": "convolutional", "recurrent": "recurrent"}
"""Kinds of net in words."""
LARGE = {"k": "thousand", "M": "million", "G": "billion", "T": "trillion", "P": "quadrillion"}
"""Powers of thousand in words."""


def decision_map_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; with a single device the grid of its times, and what a map needs."""
    found = bench.decision_map
    if found is None:
        grid = grid_hero(bench)
        lacking = "A map of which device is fastest where needs a second device."
        return replace(grid, answer=f"{grid.answer} {lacking}".strip()) if grid else None
    figure = _figure(bench, found)
    title = _title(bench, found)
    return Hero(
        title=title,
        answer=f"{boundary_sentence(bench, found)}{error_sentence(found)}".strip(),
        figures=(figure,),
        note=(
            "Hollow: processes do not decide which device is the fastest. The model takes a step "
            "to need a fixed time, one for each layer and one for each operation; it is no "
            "measurement, and there is no tint where its intervals, or depths, leave it open."
        ),
        numbers=_numbers(bench, found),
        undecided=not any(place.fastest for place in found.places),
    )


def _series(bench: BenchmarkView, runner: Runner) -> Series:
    return next(s for s in bench.shown_series if (s.device, s.machine) == runner)


def amount(operations: float) -> str:
    """Operations with two digits, which is all that a model knows of them: "2.6 million"."""
    value, _, sign = work_text(float(f"{operations:.2g}")).partition(" ")
    return f"{value}{formatting.SPACE}{LARGE[sign]}" if sign else value


def _title(bench: BenchmarkView, found: DecisionMap) -> str:
    """The boundary, where the model foretells who wins; else who wins at how many points."""
    within, verdicts = _within(found), found.verdicts
    sides = {(each.below, each.above) for each in within}
    known = len(verdicts) >= LEAST_TESTED and sum(verdicts) >= TRUSTED * len(verdicts)
    if len(sides) != 1 or not known or not all(each.found for each in within):
        return _counted(bench, found)
    ((low, high),) = sides
    below, above = (_series(bench, runner).title for runner in (low, high))
    amounts = sorted(each.operations.value for each in within)
    if amounts[-1] <= ALIKE * amounts[0]:
        at = amount(prod(amounts) ** (1 / len(amounts)))
        return f"{below} wins below {at} operations a step, {above} above, by a model"
    low_text, high_text = amount(amounts[0]), amount(amounts[-1])
    return f"{below} wins below {low_text} operations a step, {above} above {high_text}, by a model"


def _counted(bench: BenchmarkView, found: DecisionMap) -> str:
    """Who was measured as the fastest at how many points."""
    wins = Counter(place.fastest for place in found.places if place.fastest)
    points = formatting.plural(len(found.places), "point")
    if not wins:
        return f"Which device is fastest is decided at none of {points}"
    said = [f"{_series(bench, runner).title} at {count}" for runner, count in wins.most_common()]
    undecided = len(found.places) - wins.total()
    rest = f"; {undecided} are undecided" if undecided > 1 else "; one is undecided"
    return f"Fastest of {points}: {formatting.listed(said)}{rest if undecided else ''}"


def boundary_sentence(bench: BenchmarkView, found: DecisionMap) -> str:
    """The boundary of each kind of net, in a sentence; empty without a model."""
    within = _within(found)
    equal, always = [], []
    for kind in found.laws:
        own = [each for each in within if each.kind == kind]
        if own:
            equal.append(f"{_span(own)} in {KINDS.get(kind, kind)} nets")
        else:
            place = max(found.of_kind(kind), key=lambda each: each.operations)
            ranges = found.ranges(kind, place.net.depth)
            winner = next(r for r in reversed(ranges) if r.least <= place.operations)
            name = _series(bench, winner.runner).title
            always.append(f"{name} is faster in {KINDS.get(kind, kind)} nets of every size")
    parts = [f"devices are equal at {formatting.listed(equal)}"] if equal else []
    if always:
        parts.append(formatting.listed(always))
    return f"By the model, in operations of a step, {'; '.join(parts)}. " if parts else ""


def _within(found: DecisionMap) -> list[Boundary]:
    """The boundaries between places that were measured: nothing is told of others."""
    return [each for each in found.boundaries if each.measured]


def _span(own: Sequence[Boundary]) -> str:
    """Where they are, and what all of their intervals lie within."""
    each = [boundary.operations for boundary in own]
    low, high = (pick(at.value for at in each) for pick in (min, max))
    said = amount(low) if high <= ALIKE * low else f"{amount(low)} to {amount(high)}"
    ends = min(at.low for at in each), max(at.high for at in each)
    return said + _ends_text(Interval(low, *ends, len(own)))


def _ends_text(at: Interval) -> str:
    """Its interval in brackets; empty where there is none."""
    if not at.known:
        return ""
    low, high = (amount(end) if 0 < end < inf else "" for end in (at.low, at.high))
    if low and high:
        return f" (95{formatting.SPACE}%: {low} to {high})"
    said = f"at least {low}" if low else f"at most {high}" if high else "anywhere"
    return f" (95{formatting.SPACE}%: {said})"


def error_sentence(found: DecisionMap, subject: str = "It") -> str:
    """How well the model foretells the nets that it was not fitted to.

    Args:
        found: the map.
        subject: what the sentence begins with.
    """
    nets = {place.net for place in found.places}
    black = {place.net for place in found.places if place.fitted}
    of = f"{len(black)} of {formatting.plural(len(nets), 'net')}"
    if not found.laws:
        return "No model was fitted: that takes two amounts of work of one kind on each device."
    if not found.tested:
        return f"{subject} was fitted to {of} and tested on none: its error is unknown."
    verdicts, errors = found.verdicts, found.ratio_errors
    right = (
        f"at {sum(verdicts)} of {formatting.plural(len(verdicts), 'decided point')} it has the "
        "right device"
        if verdicts
        else "no point is decided"
    )
    far = (
        f"half of its speedups are within {formatting.percent(median(errors), 0)} of the "
        "measured ones"
        if errors
        else "no speedup was measured"
    )
    return f"{subject} was fitted to {of} and tested on the others: {right}, and {far}."


def _numbers(bench: BenchmarkView, found: DecisionMap) -> tuple[LargeNumber, ...]:
    decided = sum(place.fastest is not None for place in found.places)
    made = [LargeNumber(f"{decided} of {len(found.places)}", "points of the field are decided")]
    if found.verdicts:
        text = "decided points of unseen nets where the model has the right device"
        made.append(LargeNumber(f"{sum(found.verdicts)} of {len(found.verdicts)}", text))
    if found.ratio_errors:
        text = "off is the model’s speedup for half of the points of unseen nets"
        made.append(LargeNumber(formatting.percent(median(found.ratio_errors), 0), text))
    first = first_step_number(bench)
    return (*made, *([first] if first else []))


def _figure(bench: BenchmarkView, found: DecisionMap) -> HeroFigure:
    panels = [_panel(bench, found, kind) for kind in found.kinds]
    devices = [s for s in bench.shown_series if (s.device, s.machine) in found.runners]
    said = f"{_counted(bench, found)}. {boundary_sentence(bench, found)}{error_sentence(found)}"
    return HeroFigure(
        id="decision-map",
        title="The fastest device by batch size (across) and operations of a step (up)",
        description=said,
        chart=partial(_chart, panels, devices),
        caption=(
            "Marks are measured; dotted lines, each in the belt of its 95 % interval, and tints "
            "are a model that saw no ringed one."
        ),
        badges=loud_badges(bench),
        table=_table(bench, found),
        up="operations of a step",
        points=len(found.places),
    )


def _chart(panels: Sequence[MapPanel], devices: Sequence[Series], size: Size) -> Chart:
    return decision_map_chart(panels, devices, width=size.width, height=size.height)


def _panel(bench: BenchmarkView, found: DecisionMap, kind: str) -> MapPanel:
    places = found.of_kind(kind)
    depths = sorted({place.net.depth for place in places})
    within = [each for each in _within(found) if each.kind == kind]
    several = len(depths) > 1
    lines = [MapLine(each.operations.value, _line_text(each, several=several)) for each in within]
    return MapPanel(
        title=KINDS.get(kind, kind).capitalize(),
        marks=tuple(_mark(bench, place) for place in places),
        lines=tuple(lines),
        tints=tuple(_tints(bench, found, kind, depths)),
    )


def _line_text(boundary: Boundary, *, several: bool) -> str:
    layers = f", {formatting.plural(boundary.depth, 'layer')}" if several else ""
    at = work_text(float(f"{boundary.operations.value:.2g}"))
    return f"{MODEL}{layers}: {at}"


def _mark(bench: BenchmarkView, place: Place) -> MapMark:
    device = _series(bench, place.fastest) if place.fastest else None
    return MapMark(
        place.batch, place.operations, device, place.fitted, bench.point_title(_point(bench, place))
    )


def _point(bench: BenchmarkView, place: Place) -> tuple[object, ...]:
    return tuple(place.choice.point[axis] for axis in bench.axes)


def _tints(
    bench: BenchmarkView, found: DecisionMap, kind: str, depths: Sequence[int]
) -> list[MapTint]:
    """Stretches of work in which the model has the same device at every depth, and surely so."""
    by_depth = [found.ranges(kind, depth) for depth in depths]
    open_ = [each.operations for each in found.boundaries if each.kind == kind]
    ends = {end for ranges in by_depth for each in ranges for end in (each.least, each.most)}
    ends |= {end for at in open_ if at.known for end in (at.low, at.high)}
    made = []
    for least, most in pairwise(sorted(ends)):
        winners = {
            each.runner for ranges in by_depth for each in ranges
            if each.least <= least and most <= each.most
        }  # fmt: skip
        unsure = any(not at.known or (at.low <= least and most <= at.high) for at in open_)
        if len(winners) == 1 and not unsure:
            made.append(MapTint(least, most, _series(bench, winners.pop())))
    return made


def _table(bench: BenchmarkView, found: DecisionMap) -> Table:
    forecasts = {id(each.place): each for each in found.forecasts}
    rows = tuple(_row(bench, place, forecasts.get(id(place))) for place in found.places)
    return Table(
        id="decision-data",
        title="The fastest device at each point, measured and by the model",
        corner="point",
        columns=(
            Column("operations of a step", number=True),
            Column("fastest, measured"),
            Column("over the next", number=True),
            Column("by the model"),
            Column("by the model over the next", number=True),
            Column("net"),
        ),
        groups=(RowGroup(rows),),
    )


def _row(bench: BenchmarkView, place: Place, forecast: Forecast | None) -> Row:
    point, best = _point(bench, place), place.choice.best.group
    series = _series(bench, (best.device, best.machine))
    name = series.title if place.fastest else "undecided"
    measured = place.choice.against[0].interval
    predicted, ratio = "—", "—"
    if forecast:
        predicted = _series(bench, forecast.fastest).title
        if forecast.ratios:
            ratio = formatting.ratio(measured.value * (1 + forecast.ratios[0]))
    texts = (
        formatting.operations(place.operations),
        name,
        formatting.ratio(measured.value, measured.low, measured.high),
        predicted,
        ratio,
        "fitted" if place.fitted else "tests the model",
    )
    return Row(
        entry(bench.point_title(point), href=bench.evidence(series, point)),
        entries_of(texts),
        device=series.colour if place.fastest else None,
    )
