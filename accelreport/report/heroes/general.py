"""Heroes of one configuration: rates, those of a kernel, the source's training then and here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

from accelreport.analysis.ceilings import own_limits
from accelreport.analysis.compute import COMPUTE_DTYPE, Peak, peak_for, peak_of_hardware
from accelreport.analysis.published import conditions
from accelreport.analysis.results import matches
from accelreport.analysis.speedup import HOW, Speedup, replicas_of, speedup
from accelreport.analysis.stats import DECIDED, Verdict
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Chart
from accelreport.report.charts.scales import plain, plain_duration
from accelreport.report.heroes.hero import ON_A_CARD, ON_A_SLIDE, Hero, HeroFigure, Size
from accelreport.report.heroes.rates import (
    NamedRate,
    baseline_series,
    beside_number,
    dots_at,
    fastest_published,
    fullest_point,
    published_at,
    quantity,
    rate,
    usual_numbers,
)
from accelreport.report.model import Code, Column, LargeNumber, Line, Row, RowGroup, Table, entry
from accelreport.report.pages.badges import kind_text, loud_badges
from accelreport.report.pages.hardware import environment_of, peak_of
from accelreport.report.pages.headline import (
    baseline_of,
    compared,
    decided_alone,
    factors,
    headline,
    together,
    unrivalled,
    with_origin,
)
from accelreport.report.pages.sections.about import commands
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, Series

ALONE = "one alone"
"""What replicas and workers stand beside."""
LONGEST_TITLE = 110
"""Letters of a title that names all of them: what a slide has room for."""


def signs(dots: Sequence[Dot]) -> str:
    """How to read the marks of such a figure."""
    bands = ", bands: 95 % intervals over processes (Student’s t on logarithms)"
    measured = f"● measured here{bands if any(dot.low < dot.high for dot in dots) else ''}."
    return measured + " ◇ published, as printed." * any(dot.published for dot in dots)


def general_hero(bench: BenchmarkView) -> Hero:
    """The hero; where nothing was measured it says how to measure it."""
    point = fullest_point(bench)
    if point is None:
        return _unmeasured(bench)
    figure = rates_figure(bench, point)
    title = rates_title(bench, point)
    return Hero(
        title=title,
        answer=_answer(bench, point),
        figures=(figure,),
        note="What sources published is part of no statistic.",
        numbers=_numbers(bench, point),
    )


def _numbers(bench: BenchmarkView, point: Point) -> tuple[LargeNumber, ...]:
    """The usual ones; the pace of a pair that the title tells stands behind the time of a step."""
    usual = usual_numbers(bench)
    beside, paces = _paces(bench, point)
    if len(paces) != 1 or paces[0].unsure:
        return usual
    [pace] = paces
    how = "as long" if pace.slow else "as fast"
    made = LargeNumber(pace.factor, f"{how}: {pace.name}, beside {beside}")
    return (*usual[:1], made, *usual[1:])


def _answer(bench: BenchmarkView, point: Point) -> str:
    """What the title leaves out: the interval or, where there is none, the rates themselves."""
    series = baseline_series(bench)
    rates = {s: found.value for s in bench.shown_series if (found := rate(bench, s, point))}
    others = [each for each in rates if each is not series]
    beside = compared(bench)
    alone = bool(beside) and not any(each.between for each in beside)
    if series is None or series not in rates or not others or not alone:
        return headline(bench)
    best = max(others, key=lambda each: rates[each])
    own, theirs = (formatting.number(rates[each]) for each in (series, best))
    return with_origin(
        bench,
        f"{series.title} {bench.words.verb} {own} {quantity(bench)}, {best.title} {theirs}: one "
        "process each, so there is no interval.",
    )


def rates_title(bench: BenchmarkView, point: Point) -> str:
    """What the figure of rates at a point shows, in one sentence."""
    series = baseline_series(bench)
    own = rate(bench, series, point) if series else None
    if series is None or own is None:
        return "Nothing is measured on the baseline"
    if told := paired_title(bench, point):
        return told
    verb = bench.words.verb
    theirs = fastest_published(published_at(bench, point))
    others = [
        (other.value / own.value, each)
        for each in bench.shown_series
        if each is not series and (other := rate(bench, each, point))
    ]
    factor, best = max(others, key=lambda pair: pair[0], default=(0.0, series))
    # That a part of the processor is slower is told only where nothing was printed.
    if others and (factor >= 1 or theirs is None):
        return _measured_title(bench, best, point, factor)
    if theirs is not None:
        factor = theirs.found.rate / own.value
        return _beside(theirs.name, factor, series.title, bench.words.did, "took")
    return f"{series.title} {verb} {formatting.number(own.value)} {quantity(bench)}"


def devices_title(bench: BenchmarkView) -> str:
    """How many times as fast another kind of device is, where that is decided."""
    base = baseline_series(bench)
    sound = [each for each in compared(bench) if not each.found.withheld]
    decided = [e for e in together(sound, len(sound)) if e.estimate.verdict in DECIDED]
    faster = [each for each in decided if each.speedup > 1]
    if base is None or not several_kinds(bench):
        return ""
    verb = bench.words.verb
    if not decided:
        alone = [own for own in decided_alone(bench).values() if own[0].speedup > 1]
        if not alone:
            return ""
        own = max(alone, key=lambda found: found[0].speedup)
        return (
            f"{own[0].series.title} {verb} {factors(own)} as fast as {baseline_of(bench, own[0])}"
        )
    if not faster:
        return ""
    best = max(unrivalled(faster), key=lambda each: each.speedup)
    where = bench.at(best.point)
    return f"{best.series.title} {verb} {best.text} as fast as {baseline_of(bench, best)}{where}"


def several_kinds(bench: BenchmarkView) -> bool:
    """Whether another kind of device was measured beside the baseline's."""
    return len({bench.plan.devices[each.device].kind for each in bench.shown_series}) > 1


def paired_title(bench: BenchmarkView, point: Point, only: str = "", where: str = "") -> str:
    """What more replicas or fewer bits do for the pace, where the plan has the same without.

    All are told, of accelerators where there are any, and none is chosen, so that none is the
    luckiest; each is decided by itself.

    Args:
        bench: the benchmark.
        point: the sweep point.
        only: what they have to stand beside, of several things.
        where: the sweep point in words, before everything else.
    """
    beside, paces = _paces(bench, point, only)
    if not paces:
        return ""
    told = [
        _all_paces([each for each in paces if not each.slow], bench.words.did, "fast"),
        _all_paces([each for each in paces if each.slow], "took", "long"),
    ]
    once = "" if any(each.known for each in paces) else ", measured once"
    begin = f"{where}{'beside' if where else 'Beside'} {beside}, "
    title = f"{begin}{formatting.listed([each for each in told if each])}{once}"
    if len(title) <= LONGEST_TITLE:
        return title
    ranked = sorted(paces, key=lambda each: -each.value)
    if where:
        rates = [replace(each, factor=formatting.ratio(each.value)) for each in ranked]
        said = _all_paces(rates, bench.words.did, "fast")
        title = f"{where}{said} as {'one' if beside == ALONE else beside}{once}"
        if len(title) <= LONGEST_TITLE:
            return title
    span = " to ".join(formatting.ratio(each.value) for each in (ranked[-1], ranked[0]))
    ways = f"{len(paces)} ways of {'sharing a step' if beside == ALONE else 'taking fewer bits'}"
    return f"{begin}{ways} {bench.words.did} {span} as fast{once}"


@dataclass(frozen=True)
class _Pace:
    """How one of a pair does beside the other.

    Attributes:
        name: what it is called there.
        value: its pace, in times that of the other.
        factor: the same in words, of what is slower by its time.
        known: whether processes give an interval.
        unsure: whether that decides nothing.
    """

    name: str
    value: float
    factor: str
    known: bool
    unsure: bool

    @property
    def slow(self) -> bool:
        """Whether it is told by its time."""
        return self.value < 1


def _paces(bench: BenchmarkView, point: Point, only: str = "") -> tuple[str, list[_Pace]]:
    """What pairs stand beside, and the pace of each; of accelerators where there are any."""
    pairs = [each for each in _pairs(bench, point) if only in {"", each[0]}]
    beside, devices = next((each[0] for each in pairs), ""), bench.plan.devices
    own = [each for each in pairs if each[0] == beside]
    found = [each for each in own if devices[each[2].device].kind != "CPU"] or own
    made = []
    for name, each in zip(_apart([name for _, name, _ in found]), found, strict=True):
        estimate = each[2].estimate or each[2].qualified
        if estimate is None:
            continue
        pace = estimate.interval
        ends = (pace.low, pace.high)
        factor = (
            formatting.ratio(1 / pace.value, *(1 / end for end in reversed(ends)))
            if pace.value < 1
            else formatting.ratio(pace.value, *ends)
        )
        unsure = pace.known and estimate.verdict is Verdict.UNDECIDED
        made.append(_Pace(name, pace.value, factor, each[2].seconds.known, unsure))
    return beside, made


def _apart(names: Sequence[str]) -> list[str]:
    """What tells several names apart: "2 workers" and "2 replicas" of "CPU (2 workers)", …."""
    parts = [name.removesuffix(")").partition(" (") for name in names]
    alike = len({head for head, *_ in parts}) == 1 and len(names) > 1
    return [aside for *_, aside in parts] if alike and all(p[2] for p in parts) else list(names)


def _all_paces(paces: Sequence[_Pace], verb: str, how: str) -> str:
    """All of them with one verb: "A trained 2× and B 3× as fast"; empty without any."""
    said = [
        f"{pace.name} {'' if number else f'{verb} '}{pace.factor}{' (undecided)' * pace.unsure}"
        for number, pace in enumerate(paces)
    ]
    return f"{formatting.listed(said)} as {how}" if said else ""


def _pairs(bench: BenchmarkView, point: Point) -> Iterator[tuple[str, str, Speedup]]:
    """What a device stands beside, what it is called there, and how it compares."""
    places = {s: found for s in bench.shown_series if (found := bench.speedup(s, point))}
    ways = {series: bench.plan.devices[series.device] for series in places}
    for series, other in permutations(places, 2):
        way, plain = ways[series], ways[other]
        unlike = {key for key in HOW if getattr(way, key) != getattr(plain, key)}
        if series.machine != other.machine or replicas_of(plain) > 1 or unlike - {"precision"}:
            continue
        compared = speedup(places[series].own, places[other].own, places[series].rules)
        if unlike and replicas_of(way) == 1 and plain.precision == "float32":
            dtype = COMPUTE_DTYPE[way.precision]
            yield "float32", f"{dtype} on {other.title}", compared
        elif not unlike and replicas_of(way) > 1:
            yield ALONE, series.title, compared


def _measured_title(bench: BenchmarkView, best: Series, point: Point, factor: float) -> str:
    """The fastest device beside the baseline, as far as its processes decide."""
    found = bench.speedup(best, point)
    estimate = (found.estimate or found.qualified) if found else None
    baseline = bench.title_of(bench.plan.baseline)
    if estimate is None or not estimate.interval.known:
        told = _beside(best.title, factor, baseline, bench.words.did, "took")
        return f"{told}, measured once"
    if estimate.verdict is Verdict.UNDECIDED:
        return f"{best.title} is not shown to be faster or slower than {baseline}"
    return _beside(best.title, factor, baseline, bench.words.verb, "takes")


def _beside(name: str, factor: float, base: str, verb: str, takes: str) -> str:
    """How fast something is beside a base: what is slower is told by its time, above 1."""
    if factor < 1:
        return f"{name} {takes} {formatting.ratio(1 / factor)} as long as {base}"
    return f"{name} {verb} {formatting.ratio(factor)} as fast as {base}"


ROW = 34
"""Pixels of a page's row, whose name and its detail do not touch those of its neighbours."""


def rates_figure(
    bench: BenchmarkView, point: Point, dots: Sequence[Dot] = (), against: str = ""
) -> HeroFigure:
    """Every measured device and every published figure at one sweep point.

    Args:
        bench: the benchmark.
        point: the sweep point.
        dots: its rows, where they say more than the rates.
        against: what they are held against.
    """
    shown, counted = list(dots) or dots_at(bench, point), quantity(bench)
    said = "; ".join(f"{dot.name}, {dot.detail}: {dot.text} {dot.share}".rstrip() for dot in shown)
    return HeroFigure(
        id="hero-rates",
        title=sentence(f"{counted}{bench.at(point)}{against}"),
        description=f"{said}.",
        caption=signs(shown),
        chart=lambda size: dot_plot(
            shown,
            axis_title=counted,
            tick=plain,
            width=size.width,
            height=size.height
            if size in {ON_A_CARD, ON_A_SLIDE}
            else max(size.height, ROW * len(shown) + 52),
        ),
        badges=loud_badges(bench),
        table=rates_table(shown, counted),
        points=len(shown),
    )


def rates_table(dots: list[Dot], counted: str) -> Table:
    """The numbers of such a chart."""
    rows = tuple(
        Row(
            entry(dot.name),
            (entry(dot.text), entry(Line(_from(dot), "reason"), *_flags(dot))),
            device=dot.device.colour,
        )
        for dot in dots
    )
    return Table(
        id="hero-rates-data",
        title=sentence(counted),
        corner="on",
        columns=(Column(counted, number=True), Column("from")),
        groups=(RowGroup(rows),),
    )


def _from(dot: Dot) -> str:
    return " · ".join(filter(None, (dot.detail, dot.limit_text, dot.share)))


def _flags(dot: Dot) -> tuple[Line, ...]:
    return (Line(label(dot.flagged, 240), "reason"),) if dot.flagged else ()


def _unmeasured(bench: BenchmarkView) -> Hero:
    """What is said before anything was measured."""
    title = "Nothing has been measured yet"
    code = Code("Measure it", commands(bench))
    count = formatting.plural(len(bench.results), "cell")
    why = sorted({kind_text(row) for row in bench.results})
    return Hero(
        title=title,
        answer=f"None of {count} has a time: {formatting.listed(why)}.",
        figures=(code,),
        numbers=(),
        undecided=True,
    )


def then_and_now_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None with a sweep, or where no source did the same work and says how much."""
    point = fullest_point(bench)
    if point is None or bench.axes or bench.words.kernel:
        return None
    sound = [e for e in published_at(bench, point) if e.found.comparable and not e.found.flags]
    examples = _examples(bench, sound)
    if examples is None:
        return None
    names = {each.name: each for each in sound}
    dots = [
        _timed(dot, examples, names.get(dot.name))
        for dot in dots_at(bench, point)
        if not dot.published or dot.name in names
    ]
    ours = [dot for dot in dots if not dot.published]
    theirs = [dot for dot in dots if dot.published]
    if not ours or not theirs:
        return None
    base = baseline_series(bench)
    own = next((dot for dot in ours if dot.device is base), ours[0])
    dots.sort(key=lambda dot: -dot.value)
    title = _title(own, theirs)
    figure = HeroFigure(
        id="then-and-now",
        title="Time for the whole training of the source",
        description="; ".join(f"{dot.name}, {dot.detail}: {dot.text}" for dot in dots) + ".",
        caption=signs(dots),
        chart=partial(_chart, dots),
        badges=loud_badges(bench),
        table=rates_table(dots, "time for the whole training"),
    )
    return Hero(
        title=title,
        answer=_then_answer(own, theirs, examples),
        figures=(figure,),
        note=(
            "Published: the source’s total, or as many examples at its printed pace. Here: as "
            "many examples at the pace of the measured steps, extrapolated; evaluation and "
            "compilation are not in it."
        ),
        numbers=usual_numbers(bench, _printed(own, min(theirs, key=lambda dot: dot.value))),
    )


def _examples(bench: BenchmarkView, found: list[NamedRate]) -> float | None:
    """Examples that the source trained on in all; None where it does not say, or says several."""
    counts = set()
    for each in found:
        known = conditions(bench.plan, each.found.row)
        if known.samples and known.epochs:
            counts.add(known.samples * known.epochs)
    return counts.pop() if len(counts) == 1 else None


def _timed(dot: Dot, examples: float, published: NamedRate | None) -> Dot:
    """A row of rates as one of times."""
    value = examples / dot.value
    text, detail = formatting.duration(value), dot.detail
    total = published.found.row.total_time if published else None
    if total is not None:
        value, text = total, formatting.duration(total)
    elif not dot.published:
        detail = f"{dot.detail}, extrapolated"
    low, high = sorted((examples / dot.high, examples / dot.low))
    ends = (value, value) if dot.published else (low, high)
    return replace(dot, value=value, text=text, detail=detail, low=ends[0], high=ends[1])


def _chart(dots: list[Dot], size: Size) -> Chart:
    return dot_plot(
        dots,
        axis_title="time for the whole training",
        tick=plain_duration,
        width=size.width,
        height=size.height,
    )


def _title(own: Dot, theirs: list[Dot]) -> str:
    """Then and now: the slowest of what was slower then, else the fastest."""
    slower = [dot for dot in theirs if dot.value > own.value]
    then = max(slower, key=lambda dot: dot.value) if slower else min(theirs, key=lambda d: d.value)
    year = then.detail.removeprefix("published").strip()
    when = f"in {year}" if year.isdigit() else "then"
    return f"The same training: {then.text} {when} on {then.name}, {own.text} here"


def _printed(own: Dot, fastest: Dot) -> LargeNumber:
    """The fastest published training beside ours, by the times that the figure shows."""
    return beside_number(own.value / fastest.value, f"{fastest.name}, {fastest.detail},", own.name)


def _then_answer(own: Dot, theirs: list[Dot], examples: float) -> str:
    others = sorted(theirs, key=lambda dot: dot.value)
    said = [f"the {dot.name} {formatting.pace(own.value / dot.value)}" for dot in others]
    return (
        f"{formatting.count(examples)} examples in all. Beside {own.name}, as published: "
        f"{formatting.listed(said)}."
    )


def kernel_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None where no limit is known of anything."""
    point = fullest_point(bench) if bench.words.kernel else None
    if point is None:
        return None
    dots = [_limited(bench, dot, point) for dot in dots_at(bench, point)]
    if not any(dot.limit for dot in dots):
        return None
    above = [dot for dot in dots if dot.published and dot.limit and dot.value > dot.limit]
    told = devices_title(bench)
    title = _kernel_title(bench, point, dots, above) if above or not told else told
    figure = rates_figure(bench, point, dots, ", against what the chip can do")
    figure = replace(
        figure, caption=f"Grey: what the chip can do; red: beyond it. {figure.caption}"
    )
    return Hero(
        title=title,
        answer=_kernel_answer(dots, above) if above or not told else headline(bench),
        figures=(figure,),
        note=(
            "Peaks are by the makers’ sheets; where none is cited, the roof is what this machine’s "
            "own product of matrices reached on a thread, times its threads."
        ),
        numbers=usual_numbers(bench),
    )


def _limited(bench: BenchmarkView, dot: Dot, point: Point) -> Dot:
    """The row with the limit of its chip, where one is known."""
    peak = _published_peak(bench, dot, point) if dot.published else _own_peak(bench, dot, point)
    if peak is None:
        return dot
    limit, what = peak
    text = f"{what} {formatting.number(limit)}"
    share = f"{formatting.percent(dot.value / limit, 0)} of its {what}"
    if dot.value > limit:
        share = f"{formatting.ratio(dot.value / limit)} its {what}"
    return replace(dot, limit=limit, limit_text=text, share=share)


def _own_peak(bench: BenchmarkView, dot: Dot, point: Point) -> tuple[float, str] | None:
    series = dot.device
    if not isinstance(series, Series):
        return None
    peak = peak_of(bench, series, point)
    if peak is not None:
        return peak.tflops, "peak"
    environment = environment_of(bench, series, point)
    if environment is None or bench.plan.devices[series.device].kind != "CPU":
        return None
    values = {**bench.plan.workload, **bench.values(point)}
    own = own_limits(environment, str(values.get("dtype", "")))
    return (own.peak.tflops, "own roof") if own and own.peak else None


def _published_peak(bench: BenchmarkView, dot: Dot, point: Point) -> tuple[float, str] | None:
    found = next(each for each in published_at(bench, point) if each.name == dot.name)
    row = found.found.row
    values = bench.values(point)
    at = {**bench.plan.workload, **(values if matches(values, found.found.where) else {})}
    dtype = str(at.get("dtype", ""))
    device = bench.plan.devices.get(row.device)
    peak: Peak | None = peak_of_hardware(row.hardware or row.label, dtype)
    peak = peak or (peak_for(device, dtype) if device else None)
    return (peak.tflops, "peak") if peak else None


def _kernel_title(bench: BenchmarkView, point: Point, dots: list[Dot], above: list[Dot]) -> str:
    if above:
        count = len(above)
        who = "One published figure is" if count == 1 else f"{_word(count)} published figures are"
        return f"{who} faster than the chip can be"
    own = [dot for dot in dots if not dot.published and dot.limit]
    if not own:
        return rates_title(bench, point)
    best = max(own, key=lambda dot: dot.value / (dot.limit or 1.0))
    share = formatting.percent(best.value / (best.limit or 1.0), 0)
    return f"{sentence(best.name)} reaches {share} of its {best.limit_text.rsplit(' ', 1)[0]}"


_WORDS = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def _word(count: int) -> str:
    return _WORDS[count] if count < len(_WORDS) else formatting.count(count)


def _kernel_answer(dots: list[Dot], above: list[Dot]) -> str:
    own = next((dot for dot in dots if not dot.published), None)
    said = []
    if own is not None:
        said.append(sentence(f"{own.name} computes {own.text} TFLOPS here."))
    for dot in above[:2]:
        over = formatting.ratio(dot.value / (dot.limit or 1.0))
        said.append(f"{sentence(dot.name)}: {dot.text} printed, {over} its {dot.limit_text}.")
    return " ".join(said)
