"""Rates at a sweep point and whole trainings, as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.findings import (
    COMPARISONS,
    Caveat,
    Finding,
    Kind,
    Subject,
    Unit,
    Value,
)
from accelreport.analysis.overview import PublishedRate, published_rates
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import (
    difference_of,
    forward,
    has_lines,
    inverse,
    published_value,
    rate_of,
    sound_rates,
)
from accelreport.analysis.stats import Verdict
from accelreport.report import quantity
from accelreport.report.charts.dots import Dot, brief_marks, from_zero
from accelreport.report.charts.drawing import DeviceStyle, Named
from accelreport.report.charts.scales import plain, plain_duration
from accelreport.report.forms import first_alone, why_hollow
from accelreport.report.frames import withheld_word
from accelreport.report.metrics import (
    FIGURES,
    figure_of,
    printed_text,
    provenance_text,
)
from accelreport.report.model import (
    Column,
    Line,
    RowGroup,
    Table,
    entry,
    table_row,
    under,
)
from accelreport.report.openings.opening import (
    ON_A_SLIDE,
    Plot,
    Scene,
    busy,
    dots_plot,
    left_out,
    rows_of_a_slide,
)
from accelreport.report.openings.row_names import of_one_machine, precisions
from accelreport.report.pages.badges import loud_badges
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point
from accelreport.report.warning_text import flag_text

BESIDE = frozenset({*COMPARISONS, Kind.COMPILED, Kind.PUBLISHED})
"""Findings whose ratios are beside the rates."""
WITHHELD = "–"
"""In the place of a ratio that is withheld; the caption says why."""
PEAKS = frozenset({Kind.EXCEEDS_PEAK, Kind.SHARE_OF_PEAK})
"""Findings that hold a rate against a peak."""


def style_of(bench: BenchmarkView, of: Subject) -> DeviceStyle:
    """The colour of a subject: that of its series, or of its device where it was published."""
    own = (s for s in bench.series if (s.device, s.machine) == (of.device, of.machine))
    known = None if of.row else next(own, None)
    return known or Named(bench.label_of(of.device), bench.colours.get(of.device, 0))


def year_of(bench: BenchmarkView, of: Subject) -> int | None:
    """When a published row was published, by its source."""
    source = (of.row.source or bench.plan.source) if of.row else None
    return source.year if source else None


def dot_of(speaker: Speaker, value: Value, beside: str = "", flagged: str = "") -> Dot:
    """A value as a row, hollow where its caveats say why.

    Args:
        speaker: of its benchmark.
        value: positive.
        beside: ratios beside it.
        flagged: why it cannot be.
    """
    bench, low, high = speaker.bench, *value.interval.ends
    return Dot(
        name=label(value.of.row.label, 60) if value.of.row else speaker.name(value.of),
        detail=provenance_text(value, year_of(bench, value.of)),
        device=style_of(bench, value.of),
        value=value.number,
        text=speaker.number(value),
        beside=beside,
        low=low,
        high=high,
        published=value.of.row is not None,
        flagged=flagged,
        hollow=why_hollow(value.caveats),
        brief=without_unit(value),
        span=quantity.span(value.interval, Unit.NUMBER if value.unit is Unit.RATE else value.unit),
    )


def without_unit(value: Value) -> str:
    """A number without the unit that its axis has; a time keeps its unit.

    All times of a chart have one form. A table has published ones as printed.
    """
    if value.unit is Unit.SECONDS and value.number >= 60:
        row = value.of.row
        return quantity.hours_and_minutes(value.number) if row else quantity.clock(value.interval)
    if figure := figure_of(value):
        return printed_text(figure, value.number)
    unit = Unit.NUMBER if value.unit is Unit.RATE else value.unit
    return quantity.write(value.number, unit, value.interval, digits=value.digits)


Beside = dict[Subject, dict[Subject | str, str]]
"""The texts beside each rate, by what they are over; a slide and a telephone have none of PAGE."""
PAGE, BASE = "page", "base"


def unsure(ratio: Value) -> bool:
    """Whether the interval of a ratio does not decide it: the table of speedups has both."""
    return ratio.interval.known and ratio.verdict is Verdict.UNDECIDED


def beside_rates(bench: BenchmarkView, finding: Finding, point: Point) -> Beside:
    """The texts beside each rate: its ratio, then what else it is held against.

    A column has one baseline, that of the title or of the spec, whose own row says "1×". A withheld
    ratio is there only where it is the finding, which says why; an undecided one (`unsure`) is not.

    Args:
        bench: the benchmark.
        finding: that of the title.
        point: a sweep point.
    """
    speaker, beside, base = Speaker(bench), bench.base_point(point), bench.plan.baseline.device
    texts: Beside = {}
    titled = next((forward(v) for v in finding.title_values if finding.kind in BESIDE), None)
    over = titled.over if titled and bench.base_point(place_of(titled) or point) == beside else None

    def is_base(of: Subject | None) -> bool:
        return of is not None and (of == over if over else of.device == base)

    ratios: dict[Subject, Value] = {}
    words: dict[Subject, str] = {}
    for other in bench.findings:
        for stated in other.values if other.kind in BESIDE or other.kind in PEAKS else ():
            value, held = stated, stated.over
            if held is None or bench.base_point(place_of(value) or point) != beside:
                continue
            if other.kind in PEAKS:
                aside = other.kind is Kind.SHARE_OF_PEAK and other is not finding
                whose = "the inferred" if Caveat.INFERRED in value.caveats else "its"
                share = " of" * (value.unit is Unit.SHARE)
                least = "at least " * (held.part == "upper bound")
                text = f"{least}{speaker.number(value)}{share} {whose} {held.part}"
                texts.setdefault(value.of, {}).setdefault(PAGE if aside else held, text)
                continue
            value = value if is_base(held) else inverse(value)
            if not is_base(value.over) or value.of in ratios or unsure(value):
                continue
            ratios[value.of] = value
            if other.kind is Kind.WITHHELD:
                words[value.of] = "" if other is finding else WITHHELD
    if titled and over:
        ratios[titled.of] = titled
    for of, value in ratios.items():
        texts.setdefault(value.over or of, {})[BASE] = "1×"
        number = speaker.bounded(value) if value is titled else speaker.number(value)
        text = words.get(of) or number
        texts.setdefault(of, {}).setdefault(value.over or of, text)
    for value, _ in rates_at(bench, point) if bench.words.kernel else ():
        row = value.of.row
        if row is not None and row.speedup:
            ratio = printed_text("speedup", row.speedup)
            kind = bench.plan.devices[row.over or base].kind
            own = texts.setdefault(value.of, {})
            parts = (own.get(PAGE), f"published {ratio} its {kind}")
            own[PAGE] = " · ".join(filter(None, parts))
    return texts


def sides_of_claim(bench: BenchmarkView) -> set[Subject]:
    """What a claim is of that is the title of a page; empty where none is."""
    claim = Speaker(bench).claim
    runs = [run for number in claim.numbers for run in number.processes] if claim else []
    return {Subject(run.device, run.machine, tuple(run.point.values())) for run in runs}


def rates_scene(bench: BenchmarkView, finding: Finding, *, claimed: bool = True) -> Scene:
    """Every measured device and every published figure at the sweep point of a finding.

    Where the one swept key has no numbers, or nothing has rates at two of them, they are there at
    each of its values. The strong rows are those of a claim that may be the title if `claimed`,
    else of the finding.
    """
    speaker = Speaker(bench)
    point = point_of(bench, finding)
    points = {bench.base_point(point): point}
    if len(bench.axes) == 1 and not has_lines(bench):
        points |= {bench.base_point(p): p for p in bench.points}
    known = {pair[0].of: pair for p in points.values() for pair in rates_at(bench, p)}
    rates = sorted(known.values(), key=lambda pair: -pair[0].number)
    beside: Beside = {}
    for p in points.values():
        beside |= beside_rates(bench, finding, p)
    apart: list[Dot] = []
    dots = [
        replace(
            dot_of(speaker, value, " · ".join(texts.values()), flagged),
            ratio=" · ".join(text for over, text in texts.items() if over != PAGE),
        )
        for value, flagged in rates
        for texts in [beside.get(value.of, {})]
    ]
    measured = list(dict.fromkeys(value.of for value, _ in rates if not value.of.row))
    names, machine, where = precisions(finding), "", bench.at(point)
    if names.keys() != {*measured}:
        machine, names = of_one_machine(bench, measured)
    varied = len({value.of.point for value, _ in rates if value.of.point}) > 1 < len(points)
    if machine and len(measured) < len(rates):
        machine, names = "", {}
    pairs = [
        (replace(dot, name=names.get(value.of, dot.name)), value.of)
        for dot, (value, _) in zip(dots, rates, strict=True)
    ]
    dots = [dot for dot, _ in pairs]
    if varied and not machine:
        # Their names and what is swept apart, so that the bars have room.
        apart = [replace(dot, detail=bench.at(of.point, "")) for dot, of in pairs]
        dots = [replace(dot, name=f"{dot.name}{speaker.at(of)}") for dot, of in pairs]
    where = f"{where * (not varied)}{f' on {machine}' * bool(machine)}"
    counted = bench.words.rate
    ratios = [
        value
        for other in bench.findings
        for value in other.values
        if (other is finding or other.kind in {*BESIDE, *PEAKS} - {Kind.WITHHELD})
        and bench.base_point(place_of(value) or point) in points
    ]
    bases = [of for of, texts in beside.items() if BASE in texts]
    # The sentence of a comparison has the first of several.
    titled = [v for v in (*first_alone(finding).title_values, finding.base) if v]
    in_title = {of for value in titled for of in (value.of, value.over) if of}
    if claimed:
        in_title = sides_of_claim(bench) & {*measured} or in_title
    plot = rows_plot(
        bench,
        dots,
        name="rates",
        title=sentence(f"{counted}{where or ' by configuration' * (len(dots) > 1)}"),
        axis=counted,
        tick=plain,
        values=(*(value for value, _ in rates), *ratios),
        on_a_page=apart,
        title_subjects=in_title,
    )
    withheld = [v for f in bench.findings for v in f.values if f.kind in BESIDE and v.why]
    words = {unlike(bench, v) for v in withheld if WITHHELD in beside.get(v.of, {}).values()}
    note = f" {WITHHELD}: {quantity.listed(sorted(words))}." * bool(words)
    if len(bases) == 1:
        named = names.get(bases[0], f"{speaker.name(*bases)}{speaker.at(*bases) * varied}")
        note += f" ×:{quantity.SPACE}over {named}."
    note += clock_text(value for value, _ in rates)
    drawn = [value.of.row for value, _ in rates if value.of.row]
    times = {FIGURES[r.figure][0] for r in published_rates(bench.plan) if r.row in drawn}
    note += f" Published: by {' or '.join(sorted(times))}." * (len(times) > 1)
    note += source_text(bench, [row.device for row in drawn])
    return Scene(finding, replace(plot, caption=f"{plot.caption}{note}"))


def clock_text(rates: Iterable[Value]) -> str:
    """What some published rates include that no measured rate does, behind a caption."""
    rows = [value.of.row for value in rates if value.of.row]
    includes = [row.includes == "validation" for row in rows]
    some = "Published" if all(includes) else "Some published"
    text = f" {some} rates include validation, measured ones do not." * any(includes)
    # The time of a step has none.
    whole = [row for row in rows if (row.epoch_time or row.total_time) and not row.step_time]
    unknown = not all(row.includes for row in whole)
    return text + " Whether published times include validation is not stated." * unknown


def ratios_scene(bench: BenchmarkView, finding: Finding) -> Scene:
    """Each ratio of a finding that is about several sweep points."""
    speaker = Speaker(bench)
    dots = [
        replace(dot, name=f"{dot.name}{speaker.at(value.of)}")
        for value in finding.title_values
        for dot in [dot_of(speaker, value)]
    ]
    first = finding.title_values[0]
    axis = f"× {label(speaker.name(first.over or first.of), 60)}"
    plot = rows_plot(
        bench, dots, name="ratios", title="Speedup by sweep point", axis=axis, tick=plain,
        values=finding.title_values,
    )  # fmt: skip
    return Scene(finding, plot)


def place_of(value: Value) -> Point:
    """The sweep point of a number, or of the number that it is over; empty where it has none."""
    return (value.over and value.over.point) or value.of.point


def point_of(bench: BenchmarkView, finding: Finding) -> Point:
    """The sweep point that a finding is about; the one in the middle where it is about all."""
    for value in finding.values:
        for of in (value.over, value.of):
            if of is not None and of.point in bench.points:
                return of.point
    timed = [row.own for row in bench.compared if row.own.timed]
    points = list(dict.fromkeys(tuple(group.point.values()) for group in timed))
    return points[len(points) // 2] if points else bench.points[0]


def rates_at(bench: BenchmarkView, point: Point) -> list[tuple[Value, str]]:
    """Rates at a point, the fastest first, published ones with what cannot be right about them.

    Points that differ only in a key that the baseline fixes are one.
    """
    beside, baseline = bench.base_point(point), bench.plan.baseline
    rates = [
        (rate, "")
        for row in bench.compared
        if bench.base_point(tuple(row.own.point.values())) == beside and (rate := rate_of(row.own))
    ]
    shown: dict[tuple[str, float], tuple[Value, str]] = {}
    for row in sound_rates(bench):
        if matches(bench.values(beside), baseline.beside(row.where)):
            flagged = "; ".join(map(flag_text, row.flags))
            value = published_value(bench, row)
            shown.setdefault((row.row.device, round(row.rate, 6)), (value, flagged))
    # A kernel's first call is beside its later ones.
    first_calls = (
        PublishedRate(row, {}, row.tflops_cold, "tflops_cold", (), row.comparable)
        for row in bench.plan.published
        if row.tflops_cold is not None and matches(bench.values(point), row.where)
    )
    printed = [*shown.values(), *((published_value(bench, rate), "") for rate in first_calls)]
    return sorted([*rates, *printed], key=lambda pair: -pair[0].number)


def rows_plot(
    bench: BenchmarkView,
    dots: Sequence[Dot],
    *,
    name: str,
    title: str,
    axis: str,
    tick: Callable[[float], str],
    values: tuple[Value, ...],
    title_subjects: Collection[Subject] = (),
    on_a_page: Sequence[Dot] = (),
) -> Plot:
    """Rows on one axis, with their table; a slide has six of them at most.

    Args:
        bench: the benchmark.
        dots: the rows, from the top.
        name: id of the figure.
        title: above it.
        axis: what its axis counts.
        tick: the text of a value at the axis.
        values: the numbers that the rows mark, those of the rows first and in their order.
        title_subjects: subjects of the title, which no slide leaves out, nor the fastest and the
            slowest of its rows. It has no other row above its peak and, where several are compared
            and all are measured, no published ones, whose scale would hide the difference.
        on_a_page: the rows as a page's drawing names them, where it does so differently.
    """
    table, note = _table(dots, f"{name}-data", axis), ""
    if tick is plain_duration:
        dots = [replace(dot, text=dot.brief or dot.text) for dot in dots]
    parts = []
    if len({dot.detail for dot in dots}) == 1 < len(dots):
        # What is true of all rows is there once.
        note = f"{sentence(dots[0].detail)}."
        parts += [sentence(dots[0].detail)] * dots[0].published
        dots = [replace(dot, detail="") for dot in dots]
    measured = [value.of for value in values if value.of.row is None]
    quiet = [bool(title_subjects) and value.of not in title_subjects for value in values]
    named = [
        replace(dot, name=dot.name.replace(f" ({bench.one_kind})", ""), quiet=other)
        for dot, other in zip(dots, quiet, strict=False)
    ]
    ours = len({*title_subjects}) > 1 and not any(of.row for of in title_subjects)
    own = [dot for dot in named if title_subjects and not dot.quiet]
    able = [dot for dot in named if dot in own or not (dot.flagged or (ours and dot.published))]
    ends = sorted(able, key=lambda dot: dot.value)
    own += [*ends[-1:], *ends[:1]]
    shown = rows_of_a_slide(able, own, ON_A_SLIDE.most)
    parts = [*left_out(len(shown), len(dots)), *busy(values), *parts]
    if name == "rates" and any(dot.published for dot in shown):
        parts += filter(None, [clock_text(values).strip(" .")])
    parts += [marks] if (marks := brief_marks(shown, bars=from_zero(shown))) else []
    return dots_plot(
        [replace(dot, quiet=other) for dot, other in zip(on_a_page or dots, quiet, strict=False)],
        axis=axis,
        tick=tick,
        on_a_slide=lambda most: rows_of_a_slide(able, own, most),
        cut=len(shown) < len(dots),
        id=name,
        title=title,
        brief=" · ".join(filter(None, parts)),
        note=note,
        badges=loud_badges(bench, measured) if measured else (),
        table=table,
        values=values,
    )


def unlike(bench: BenchmarkView, withheld: Value) -> str:
    """Why a ratio is withheld, in a few words."""
    several = [str(thing) for thing in difference_of(bench, withheld)]
    return f"{quantity.listed(several)} differ" if several[1:] else withheld_word(withheld.why)


def _table(dots: Sequence[Dot], name: str, counted: str) -> Table:
    rows = tuple(
        table_row(
            dot.name,
            dot.whole_text,
            entry(
                Line(dot.detail, "reason"),
                *under(", ".join(dot.hollow)),
                *under(label(dot.flagged, 240)),
            ),
            device=dot.device.colour,
        )
        for dot in dots
    )
    columns = (Column(counted, number=True), Column("from"))
    groups = (RowGroup(rows),)
    return Table(name, sentence(counted), corner="device", columns=columns, groups=groups)


def totals_plot(bench: BenchmarkView) -> Plot:
    """Times of the whole training, published and here, the fastest first, as rates are."""
    speaker = Speaker(bench)
    total = next(finding for finding in bench.findings if finding.kind is Kind.TOTAL)
    # No ratio is of a published time with validation and one of ours without it.
    alike = Caveat.UNVALIDATED not in total.caveats
    restated = [finding for finding in bench.findings if alike and finding.kind is Kind.RESTATED]
    values = sorted(total.every_value, key=lambda value: value.number)
    kind = bench.plan.devices[bench.plan.baseline.device].kind
    plot = rows_plot(
        bench,
        [dot_of(speaker, value) for value in values],
        name="totals",
        title="Time for the whole training",
        axis="time for the whole training",
        tick=plain_duration,
        values=(*values, *(v for finding in restated for v in finding.values)),
    )
    validated, extrapolated = (
        caveat in total.caveats for caveat in (Caveat.VALIDATED, Caveat.EXTRAPOLATED)
    )
    note = "This machine: extrapolated" if extrapolated else "This machine: measured whole"
    note += ", with validation." if validated else ", without evaluation."
    stated = [
        f" Published: {label(value.of.row.label, 60)} {speaker.number(first)} its {kind}."
        for first, *_ in (finding.values for finding in restated)
        for value in total.values
        if value.of.row and value.of.device == first.of.device
    ]
    return replace(plot, caption=f"{''.join([plot.caption, *stated])} {note}")


def source_text(bench: BenchmarkView, drawn: Collection[str]) -> str:
    """The ratio that the source printed of each two devices that a figure has, behind a caption."""
    ratios: dict[tuple[str, str], str] = {}
    for one in bench.published_results:
        row, sides = one.row, (one.row.device, one.over)
        sound = row.comparable and row.mark != "D" and not one.flags
        if one.source == bench.plan.source and sound and {*sides} <= {*drawn}:
            text = f"{printed_text('speedup', one.value)} ({label(row.label, 80)})"
            ratios.setdefault(sides, text)
    return f" Published speedup: {', '.join(ratios.values())}." * bool(ratios)
