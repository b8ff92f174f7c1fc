"""The hero of one processor driven in several ways: the pace of each, and when compiling pays.

Frameworks and their compilers differ in what they do before the first step is done and in what a
step takes afterwards, and only both together say which of them is done first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.cost import TimeLine, overtakes
from accelreport.analysis.stats import Verdict
from accelreport.report import formatting
from accelreport.report.charts.dot_plot import Dot
from accelreport.report.charts.drawing import Chart
from accelreport.report.charts.scales import plain_duration
from accelreport.report.charts.sweep import SweepLine, sweep_axes, sweep_lines
from accelreport.report.heroes.general import ROW, rates_figure
from accelreport.report.heroes.hero import ON_A_CARD, ON_A_SLIDE, Hero, HeroFigure, Size
from accelreport.report.heroes.rates import dots_at, fullest_point, rate, usual_numbers
from accelreport.report.model import Row, RowGroup, Table, entries_of, entry, number_columns
from accelreport.report.pages.badges import loud_badges
from accelreport.report.pages.sections.cold_start import course_of, measured_units, starts_of
from accelreport.report.text import sentence
from accelreport.report.view import BenchmarkView, Point, Series
from accelreport.spec.device import ONE_DEVICE, Device

MOST_LINES = 6
"""Lines that an eye tells apart; of more, those that do the same as the baseline are drawn."""
SHOWN_STEPS = (1, 10, 100, 1_000, 10_000)
"""Numbers of steps at which the lines have marks."""


def frameworks_hero(bench: BenchmarkView) -> Hero | None:
    """The hero; None unless one machine's hardware was driven in several ways at one point."""
    if bench.axes or bench.words.kernel or (point := fullest_point(bench)) is None:
        return None
    driven = {s: bench.plan.devices[s.device] for s in bench.shown_series if rate(bench, s, point)}
    ways = driven.values()
    if (
        len({(way.framework, _compiled(way)) for way in ways}) < 2
        or len({(series.machine, way.kind) for series, way in driven.items()}) > 1
        or any(way.strategy not in ONE_DEVICE or way.placement for way in ways)
    ):
        return None
    alike = _as_the_baseline(bench, driven)
    courses, words = _courses(bench, point), _words_of(driven)
    drawn = alike if len(courses) > MOST_LINES else driven
    rates = rates_figure(bench, point, _dots(bench, point, words))
    until = _until(bench, courses, [each for each in courses if each in drawn])
    title = _title(bench, point, {series: words[series] for series in alike})
    pays = _pays(bench, driven, courses, words)
    return Hero(
        title=title,
        answer=f"{sentence(pays)}."
        if pays
        else "No framework was measured with and without its compiler.",
        figures=(rates, until),
        note=(
            "Lines: the median cold start, from the launch of the process to the end of its first "
            f"{bench.words.step}, then steady {bench.words.step}s. "
            f"{formatting.count(_most(bench, courses, point))} of them were measured; each one "
            "beyond is taken to last as long."
        ),
        numbers=usual_numbers(bench),
        brief=f"{title}{_pays_on_a_card(pays)}",
        small=_card(bench, point, {series: words[series] for series in alike}),
        findings=(title, sentence(pays.partition("; ")[0]) or until.title),
    )


def _as_the_baseline(bench: BenchmarkView, driven: Mapping[Series, Device]) -> dict[Series, Device]:
    """Those with the threads and the precision of the baseline, which do the same; else all.

    What fewer bits and fewer threads do is not the question of frameworks.
    """
    base = bench.plan.devices[bench.plan.baseline]
    alike = {
        series: way
        for series, way in driven.items()
        if (way.precision, way.threads) == (base.precision, base.threads)
    }
    return alike if len(alike) > 1 else dict(driven)


def _card(
    bench: BenchmarkView, point: Point, words: Mapping[Series, tuple[str, str]]
) -> HeroFigure:
    """What the sentence of the card compares, the fastest first."""
    names = {" ".join(said).strip() for said in words.values()}
    own = [each for each in _dots(bench, point, words) if each.name in names]
    return rates_figure(bench, point, sorted(own, key=lambda dot: -dot.value))


def _pays_on_a_card(pays: str) -> str:
    """That compiling pays, or does not; nothing where it depends.

    Three lines of a card have no room for who overtakes whom, which its page says.
    """
    if not pays or ("compiling pays" in pays and "does not pay" in pays):
        return ""
    return f"; {pays.partition(':')[0]}"


def _compiled(way: Device) -> int:
    """How far its framework compiles the steps: not at all, to a graph, or to machine code."""
    if way.framework == "tensorflow":
        return 0 if way.eager else 2 if way.xla else 1
    return 2 if way.framework == "jax" or way.torch_compile else 0


def _in_words(way: Device) -> tuple[str, str]:
    """Its framework, and how that runs the steps: "PyTorch" and "eager, bfloat16"."""
    compiler = "compiled" if way.framework == "torch" else "XLA"
    how = ("eager", "graph", compiler)[_compiled(way)]
    dtype = COMPUTE_DTYPE[way.precision] if way.precision != "float32" else ""
    threads = formatting.plural(way.threads, "thread") if way.threads else ""
    return way.framework_name, ", ".join(filter(None, (how, dtype, threads)))


def _words_of(driven: Mapping[Series, Device]) -> dict[Series, tuple[str, str]]:
    """What titles call each: its framework and how that runs, where no two of them are alike."""
    words = {series: _in_words(way) for series, way in driven.items()}
    if len({*words.values()}) < len(words):
        return {series: ("", series.title) for series in driven}
    return words


def _dots(bench: BenchmarkView, point: Point, words: Mapping[Series, tuple[str, str]]) -> list[Dot]:
    """The rates under the names that the title has."""
    called = {series.title: " ".join(told).strip() for series, told in words.items()}
    return [replace(dot, name=called.get(dot.name, dot.name)) for dot in dots_at(bench, point)]


def _courses(bench: BenchmarkView, point: Point) -> dict[Series, TimeLine]:
    """Seconds until so many steps are done, of each device whose start was timed."""
    found = {
        series: course_of(bench, (series, where), start)
        for (series, where), start in starts_of(bench).items()
        if where == point
    }
    return {series: course for series, course in found.items() if course}


def _most(bench: BenchmarkView, courses: Mapping[Series, TimeLine], point: Point) -> int:
    return max((measured_units(bench, (series, point)) for series in courses), default=0)


def _title(bench: BenchmarkView, point: Point, words: Mapping[Series, tuple[str, str]]) -> str:
    """The fastest of them over the slowest, as far as processes decide it."""
    paces = {s: found.value for s in words if (found := rate(bench, s, point))}
    fastest, slowest = (pick(paces, key=lambda s: paces[s]) for pick in (max, min))
    factor = formatting.ratio(paces[fastest] / paces[slowest])
    decided = all(
        _decided(bench, series, point) for series in (fastest, slowest) if not series.baseline
    )
    verb = bench.words.verb if decided else bench.words.did
    once = "" if decided else ", as measured so far"
    fast, slow = (" ".join(words[each]).strip() for each in (fastest, slowest))
    return f"{fast} {verb} {factor} as fast as {slow}{once}"


def _decided(bench: BenchmarkView, series: Series, point: Point) -> bool:
    found = bench.speedup(series, point)
    estimate = found.estimate if found else None
    return estimate is not None and estimate.verdict is not Verdict.UNDECIDED


def _pays(
    bench: BenchmarkView,
    driven: Mapping[Series, Device],
    courses: Mapping[Series, TimeLine],
    words: Mapping[Series, tuple[str, str]],
) -> str:
    """When each framework's compiler has paid for itself, to go on a sentence with."""
    said, never = [], []
    for less, more in _pairs(driven):
        if less in courses and more in courses:
            own, other, both = courses[more], courses[less], (words[more], words[less])
            steps = overtakes(own, other)
            if steps is None:
                never.append(_takes(own.step / other.step, *both))
            else:
                said.append(_pays_after(bench.words.step, steps, *both))
    if never:
        of_them = formatting.listed(never)
        said.append(f"compiling does not pay: {bench.words.step}s {of_them}")
    return "; ".join(said)


def _pairs(driven: Mapping[Series, Device]) -> Iterator[tuple[Series, Series]]:
    """Devices that differ in how far the steps are compiled, the less compiled one first."""
    for less, way in driven.items():
        further = {
            series: _compiled(other)
            for series, other in driven.items()
            if _else(other) == _else(way) and _compiled(other) > _compiled(way)
        }
        if further:
            yield less, min(further, key=lambda series: further[series])


def _else(way: Device) -> tuple[str, str, int | None]:
    return way.framework, way.precision, way.threads


Way = tuple[str, str]
"""A framework, and how it runs the steps."""


def _pays_after(noun: str, steps: int, more: Way, less: Way) -> str:
    """From which step on the one that compiles more is ahead; both are of one framework."""
    when = f"after {formatting.plural(steps, noun)}" if steps > 1 else f"from the first {noun} on"
    return f"compiling pays {when}: {' '.join(more).strip()} overtakes {less[1]}"


def _takes(factor: float, more: Way, less: Way) -> str:
    """How many times as long a step takes of the one that compiles more."""
    return f"of {' '.join(more).strip()} take {formatting.ratio(factor)} as long as of {less[1]}"


def _until(
    bench: BenchmarkView, courses: Mapping[Series, TimeLine], drawn: Sequence[Series]
) -> HeroFigure:
    """Time until so many steps are done, cold start included; some are drawn, all in the table."""
    noun = f"{bench.words.step}s"
    words = _words_of({series: bench.plan.devices[series.device] for series in courses})
    lines = [
        SweepLine(
            name=" ".join(words[series]).strip(),
            detail="cold start and steps",
            device=series,
            x=tuple(map(float, SHOWN_STEPS)),
            y=(times := tuple(course.at(steps) for steps in SHOWN_STEPS)),
            low=times,
            high=times,
            pattern=series.pattern,
        )
        for series in drawn
        for course in [courses[series]]
    ]
    rows = tuple(
        Row(
            entry(series.title),
            entries_of(formatting.duration(course.at(n)) for n in SHOWN_STEPS),
            device=series.colour,
        )
        for series, course in courses.items()
    )
    title = f"Time until so many {noun} are done, cold start included"
    return HeroFigure(
        id="hero-until",
        title=title,
        description="; ".join(
            f"{series.title}: {formatting.duration(course.start)} and "
            f"{formatting.duration(course.step)} a {bench.words.step}"
            for series, course in courses.items()
        )
        + ".",
        chart=partial(_lines, lines, noun),
        caption="On log scales." + _left_out(len(courses) - len(drawn)),
        badges=loud_badges(bench),
        table=Table(
            id="hero-until-data",
            title=title,
            corner="on",
            columns=number_columns(formatting.plural(n, bench.words.step) for n in SHOWN_STEPS),
            groups=(RowGroup(rows),),
        ),
        up="time, cold start included",
    )


def _left_out(count: int) -> str:
    """How many lines stand in the table alone."""
    if not count:
        return ""
    return f" {count} more, of other precision or threads, are in its numbers."


def _lines(lines: list[SweepLine], noun: str, size: Size) -> Chart:
    axes = sweep_axes(lines, (), x_title=noun, tick=plain_duration)
    # As high as the rows beside it, since each line has a name at its end, too.
    rows = 0 if size in {ON_A_CARD, ON_A_SLIDE} else ROW * len(lines) + 52
    return sweep_lines(lines, (), axes, width=size.width, height=max(size.height, rows))
