"""The front page: the answer and its figure, what is decided, what waits, every benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.difference import Difference
from accelreport.analysis.findings import Caveat, Finding, Kind, Value
from accelreport.analysis.outcome import Outcome, first_runs, outcome_of
from accelreport.analysis.speed_findings import difference_of, forward, inverse, threads_of
from accelreport.analysis.stats import DECIDED, Verdict
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import (
    DETAILED,
    LARGEST_SHARE,
    LETTERS,
    ROOMY_LANE,
    SMALLER,
    TICKS,
    dot_plot,
)
from accelreport.report.charts.dots import Base, Dot, brief_marks
from accelreport.report.charts.drawing import Chart, Named
from accelreport.report.charts.scales import factor_text
from accelreport.report.claim_text import decided_text, next_steps
from accelreport.report.forms import over, why_hollow
from accelreport.report.front import (
    FrontFinding,
    front_findings,
    largest_first,
    lead,
    lost_notice,
)
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Line,
    Link,
    Links,
    Note,
    Notes,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    UnitRow,
    Units,
    entry,
    table_row,
)
from accelreport.report.notices import notices_of, scope_text, versions_notice
from accelreport.report.openings.opening import (
    ON_A_FIRST_SLIDE,
    Plot,
    Size,
    dots_plot,
    left_out,
)
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import titles_of
from accelreport.report.pages.benchmarks import rate_shown, shown_number
from accelreport.report.pages.machines import machine_line, place_text
from accelreport.report.pages.overview import PAGE, PHONE, Overview
from accelreport.report.pages.sections.claims import DECIDED as DECIDED_CLAIMS
from accelreport.report.pages.sections.claims import PATH as CLAIMS
from accelreport.report.pages.sections.claims import units_of
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence, text_width, unshared
from accelreport.report.view import BenchmarkView, measured_records, mode
from accelreport.report.warning_text import remedy_text
from accelreport.results.versions import OtherVersions

MOST_ROWS = 16
"""Comparisons of the figure."""
MOST_NAMED = 8
"""Confirmed claims, and refuted ones, that a screen shows."""
MOST_FINDINGS = 2
"""Findings above the figures where none of them is the heading."""
BASE = Base(1.0, "equal = 1×", "← slower", "faster →")
"""What the ratios are beside."""
MARK = Named("", 0)
"""How a row of the figure looks, which has its names beside it."""
RATES = "overview"
"""Id of the section that holds the picture."""
MOST_SPECS = 3
"""Specs that a command names; of more it runs all."""
MOST_RERUNS = 2
"""Commands that repeat what is undecided; others come when these have run."""


def index_page(
    benches: Sequence[BenchmarkView],
    title: str,
    problems: Sequence[str],
    others: OtherVersions | None = None,
) -> Page:
    """The front page.

    Args:
        benches: every plan.
        title: the site's name.
        problems: a sentence for each result file that could not be read.
        others: what was measured of other versions of the specs and is not shown.
    """
    view = Overview(benches)
    headed, beside, plots = front_parts(view)
    headline = headed[0].title if headed else label(title)
    outcome = outcome_of(benches)
    shown = [
        Section(name, plot.title, (plot.figure(PAGE, PHONE, alone=True),)) for name, plot in plots
    ]
    measured = measured_records(benches)
    steps = [Section("next", "What to run next", (_next(outcome),))] * bool(shown or measured)
    published = None if any(name == RATES for name, _ in plots) else view
    sections = [*steps, *filter(None, [_claims(benches)]), *shown[1:], _list(benches, published)]
    opening = shown[0] if shown else None
    if problems:
        left_out = tuple(Note("Left out:", label(text, 400), tone="bad") for text in problems)
        heading = "Result files that could not be read"
        sections.append(Section("unreadable", heading, (Notes(left_out),)))
    dates = quantity.days(record.started_at for record in measured)
    return Page(
        path="index.html",
        title=label(title),
        headline=headline,
        kicker=" · ".join(filter(None, (place_text(benches), dates, scope_text(benches)))),
        finding=lead(headed, beside[:MOST_FINDINGS]),
        sections=tuple(sections),
        template="index.html",
        opening=opening,
        measured_on=machine_line(measured, brief=True),
        banner=versions_notice(others) if others else None,
        notices=(
            *(() if headed[:1] and headed[0].finding.failed else lost_notice(benches)),
            *notices_of(benches),
        ),
    )


def front_parts(
    view: Overview,
) -> tuple[list[FrontFinding], list[FrontFinding], list[tuple[str, Plot]]]:
    """The finding of the heading, if any, the other findings, and the figures, each with its id.

    The figures are the comparisons measured here or, without them, all rates. The first one shows
    the heading.
    """
    findings = front_findings(view)
    stated = [front for front in findings if front.finding.is_sentence]
    # What is undecided, or of single runs, heads a page only where there is nothing else.
    undecided = [front for front in stated if front.kind is Kind.UNDECIDED]
    heads = stated[0].finding.titles or stated[0].kind is Kind.NOT_MEASURED
    headed = stated[:1] if heads else undecided[:1]
    outcome = outcome_of(view.benches)
    machines = "these machines" if view.several else "this machine"
    decided = _decided(outcome, headed, machines)
    rates = None if decided and view.relative else view.picture
    plots = [("decided", decided), (RATES, rates)]
    if not outcome.comparisons:
        plots.reverse()
    if headed and headed[0].kind is Kind.TOTAL and headed[0].bench:
        scenes = opening_of(headed[0].bench).scenes
        own = (s.shown for s in scenes if isinstance(s.shown, Plot) and s.marks(headed[0].values))
        plots.insert(0, ("answer", next(own, None)))
    others = [front for front in stated if front not in headed]
    return headed, others, [(name, plot) for name, plot in plots if plot]


Kept = Sequence[tuple[BenchmarkView, Finding]]


def _kept(outcome: Outcome[BenchmarkView]) -> Kept:
    """The decided comparisons or, without one, the undecided ones, as far as they have room.

    Two devices in a sweep have one row for all ratios that an interval does not tell apart; where
    that is too much, one in each direction.
    """
    rows: dict[object, list[tuple[BenchmarkView, Finding]]] = {}
    for bench, finding in largest_first(outcome) or outcome.undecided:
        value = forward(finding.values[0])
        sides = ((side.device, side.machine) for side in (value.of, over(value)))
        own = rows.setdefault((bench.slug, *sides, value is finding.values[0]), [])
        low, high = value.interval.ends
        if not any(low <= forward(other.values[0]).number <= high for _, other in own):
            own.append((bench, finding))
    every = [pair for own in rows.values() for pair in own]
    return every if len(every) <= MOST_ROWS else [own[0] for own in rows.values()][:MOST_ROWS]


def _of_one_baseline(kept: Kept) -> list[Value]:
    """Their ratios: two configurations have one baseline, the slower one of the first row."""
    values, bases = list[Value](), dict[object, str]()
    for bench, finding in kept:
        value = forward(finding.values[0])
        name, base, *_ = _sides(bench, value)
        points = frozenset({value.of.point, over(value).point})
        pair = points if len(points) > 1 else frozenset({name, base})
        turned = bases.setdefault(pair, base) != base
        values.append(inverse(value) if turned else value)
    return values


def _decided(
    outcome: Outcome[BenchmarkView], headed: Sequence[FrontFinding], machines: str
) -> Plot | None:
    """A row for each comparison that is drawn."""
    kept = _kept(outcome)
    if not kept:
        return None
    drawn = {id(finding) for _, finding in kept}
    every = (*outcome.comparisons, *outcome.undecided)
    left = [pair for pair in every if id(pair[1]) not in drawn]
    values = _of_one_baseline([*kept, *left])
    rest = [_row(b, value) for (b, _), value in zip(left, values[len(kept) :], strict=True)]
    values = values[: len(kept)]
    titled = [finding.values for finding in (f.finding for f in headed[:1])]
    where = {
        (side.machine, bench.plan.devices[side.device].kind)
        for bench, finding in kept
        for side in (finding.values[0].of, over(finding.values[0]))
    }
    titles = {bench.slug: label(bench.plan.title, 60) for bench, _ in kept}
    begun = Counter(title.partition(": ")[0] for title in titles.values())
    alike: dict[object, set[str]] = {}
    for (bench, _), value in zip(kept, values, strict=True):
        *named, device, place = _sides(bench, value)
        alike.setdefault((bench.slug, *named, place), set()).add(device)
    rows = list[tuple[Dot, Row]]()
    for (bench, finding), value in zip(kept, values, strict=True):
        speaker, title = Speaker(bench), titles[bench.slug]
        name, base, device, place = _sides(bench, value)
        head, _, tail = title.partition(": ")
        # Its head is enough where it is alone, or where the place names the key that is swept.
        title = head if begun[head] < 2 or tail in f"{place} {name}" else title
        ratio, interval = speaker.number(value), speaker.interval(value)
        brief = ratio + ", one run" * (not interval)
        parts = [place, device * (len(where) > 1), "busy" * (Caveat.BUSY in value.caveats)]
        stopped = why_hollow(value.caveats & {Caveat.BUDGET})
        # Rows of one name are told apart by what differs between their devices.
        if len(others := sorted(alike[bench.slug, name, base, place])) > 1:
            parts[1] = unshared(others)[0][others.index(device)]
        kind = bench.processor(f"{name} {base} {parts[1]}", value.of, over(value))
        dot = Dot(
            f"{speaker.begun(name)} over {base}",
            " · ".join(filter(None, (title, *parts))),
            MARK,
            value.number,
            f"{ratio} ({interval})" if interval else brief,
            *value.interval.ends,
            hollow=stopped if value.verdict in DECIDED else ("undecided",),
            beside=kind,
            brief=brief,
            quiet=finding.values not in titled,
        )
        rows.append((dot, _row(bench, value)))
    # The group of the largest ratio is above all others, as on a slide.
    largest = {dot.name: dot.value for dot, _ in sorted(rows, key=lambda row: row[0].value)}
    rows.sort(key=lambda row: (-largest[row[0].name], row[0].name, -row[0].value))
    dots, table = zip(*rows, strict=True)
    same = sum(finding.values[0].verdict is Verdict.SAME for _, finding in outcome.comparisons)
    decided = "decided" + f" ({same} equal)" * bool(same)
    counts = {decided: len(outcome.comparisons), "undecided": len(outcome.undecided)}
    some = " (sweeps in part)" * (len(dots) < len(outcome.comparisons or outcome.undecided))
    two = any(finding.values[0].interval.two for _, finding in every)
    columns = ("on", "benchmark", "speedup", "95 % interval" + " or values" * two, "verdict")
    plot = dots_plot(
        dots,
        axis="speedup",
        tick=factor_text,
        base=BASE,
        solid="decided",
        brief=_of_a_slide(dots),
        id="decided-rows",
        title=f"Comparisons on {machines}",
        subtitle=", ".join(f"{count} {state}" for state, count in counts.items() if count)
        + f"; {len(dots)} drawn{some}, all in “Numbers”" * bool(rest),
        note="Busy: other programs ran at times." * any(Caveat.BUSY in v.caveats for v in values),
        values=tuple(finding.values[0] for _, finding in kept),
        table=Table("decided-table", "Comparisons", tuple(map(Column, columns)),
                    (RowGroup(table), *[RowGroup(tuple(rest), "not drawn")] * bool(rest)),
                    corner="what"),
    )  # fmt: skip

    def chart(size: Size) -> Chart:
        own, axis = _grouped(dots, size), "speedup"
        if size.most:
            own, axis = _largest(dots, size), ""
        high = size.height * bool(size.most)
        return dot_plot(
            own, axis_title=axis, tick=factor_text, width=size.width, height=high, base=BASE
        )

    return replace(plot, chart=chart)


def _grouped(dots: Sequence[Dot], size: Size) -> list[Dot]:
    """The rows below the names of their comparisons.

    Where each is of one of several processors, these are a column on a screen.
    """
    apart = size.width >= PAGE.width and all(dot.beside for dot in dots)
    return [
        replace(dot, name=dot.detail, detail=dot.beside * (not apart), group=dot.name,
                beside=dot.beside * apart)
        for dot in dots
    ]  # fmt: skip


def _row(bench: BenchmarkView, value: Value) -> Row:
    """A comparison in numbers."""
    speaker, (name, base, device, place) = Speaker(bench), _sides(bench, value)
    parts = device, bench.processor(f"{name} {base} {device}", value.of, over(value)), place
    on = ", ".join(filter(None, parts)) or quantity.MISSING
    link = entry(Line(label(bench.plan.title, 60), href=f"{bench.slug}.html"))
    states = [value.verdict.lower()] if value.verdict else []
    states += why_hollow(value.caveats & {Caveat.BUDGET})
    states += ["other programs running"] * (Caveat.BUSY in value.caveats)
    numbers = speaker.number(value), speaker.interval(value) or quantity.MISSING
    return table_row(f"{speaker.begun(name)} over {base}", on, link, *numbers, ", ".join(states))


def _sides(bench: BenchmarkView, value: Value) -> tuple[str, str, str, str]:
    """Two configurations by what differs, then the device of both, if one, and their point."""
    speaker, base = Speaker(bench), over(value)
    own, beside = speaker.name(value.of), speaker.name(base)
    place = bench.at(value.of.point).strip().removeprefix("at ")
    if own == beside:
        return place, quantity.setting(base.point[0]), own, ""
    both = [bench.plan.devices[side.device] for side in (value.of, base)]
    if difference_of(bench, value) == (Difference.MODE,):
        return mode(both[0]), mode(both[1]), both[0].framework_name, place
    if counts := threads_of(bench, value):
        one, other = (quantity.plural(count, "thread") for count in counts[:2])
        every = speaker.name(counts[2]).replace(f", {max(counts[:2])} threads", "")
        return one, other, every, place
    if value.why:
        own_type, base_type = (COMPUTE_DTYPE[t] for t in (value.why[0].own, value.why[0].base))
        # The name of the side in float32 has no type: it is that of both.
        return own_type, base_type, own if own_type not in own else beside, place
    (one, other), device = unshared((own, beside))
    return one, other, device, place


def _of_a_slide(dots: Sequence[Dot]) -> str:
    """How many of the rows a slide has, and what its marks are."""
    kept = _largest(dots, ON_A_FIRST_SLIDE)
    marks = [*left_out(len(kept), len(dots)), brief_marks(kept, bars=False)]
    return " · ".join(filter(None, marks))


def _largest(dots: Sequence[Dot], size: Size) -> list[Dot]:
    """The row of the title, the smallest ratio, and the largest for which every slide has room."""
    size = min(size, ON_A_FIRST_SLIDE, key=lambda size: size.height)
    room = LARGEST_SHARE * size.width
    first = next((dot for dot in dots if not dot.quiet), dots[0])
    able = [
        dot
        for dot in dots
        if dot is not first and dot.hollow == first.hollow
        and text_width(dot.name, LETTERS, bold=True) < room
        and text_width(dot.detail, SMALLER) < room
    ]  # fmt: skip
    most = min(size.most, int((size.height - TICKS - ROOMY_LANE) // DETAILED)) - 1
    able.sort(key=lambda dot: -dot.value)
    kept = [first, *[*able[-1:], *able[:-1]][:most]]
    kept.sort(key=lambda dot: -dot.value)
    # A long name has the line of its detail.
    return [
        replace(dot.short, detail=dot.detail * (text_width(dot.name, LETTERS, bold=True) < room))
        for dot in kept
    ]


def _claims(benches: Sequence[BenchmarkView]) -> Section | None:
    """The decided claims by their verdict; a screen hides those beyond `MOST_NAMED` of each."""
    units = units_of(benches)
    if units is None:
        return None
    decided = {state.name.lower() for state in DECIDED_CLAIMS}
    rows = []
    for state, text, count in units.keys:
        if state in decided:
            items = tuple(unit for unit in units.items if unit.state == state)
            others = Download(CLAIMS, f"{count - MOST_NAMED} more {text}")
            more = others if count > MOST_NAMED else None
            rows.append(UnitRow(f"{count} {text}", "", items, more, MOST_NAMED))
    title = decided_text([result for bench in benches for result in bench.tested])
    return Section("claims", title, (Units(tuple(rows), ()),)) if rows else None


def _next(outcome: Outcome[BenchmarkView]) -> Notes:
    """What decides the rest, with its command and its time, and how to measure one's own model."""
    items, reruns = list[Note](), 0
    for step in next_steps(outcome, "accelreport run specs/"):
        again = isfinite(step.seconds)
        reruns += again
        if not step.command or (again and reruns > MOST_RERUNS):
            continue
        minutes = max(1, round(step.seconds / 60)) if again else 0
        time = f"about {minutes} min" if minutes < 120 else f"about {round(minutes / 60)} h"
        items.append(Note(step.title, f"in {time} here" if again else step.detail, step.command))
    return Notes(tuple(items))


def _list(benches: Sequence[BenchmarkView], view: Overview | None) -> Section:
    """A line for each benchmark, with its throughput; those without a time are named below.

    Published rates stand there where no figure has them.
    """
    names = titles_of(benches)
    measured = [b for b in benches if any(row.measured for row in b.results)]
    # Where no benchmark has a number of its own, those with published ones are listed.
    shown = measured or [bench for bench in benches if not opening_of(bench).unmeasured]
    items = []
    for bench in shown:
        number, what, interval = shown_number(bench)
        if view and (published := view.fastest_published(bench, rate_shown(bench))):
            what += f"; published {published}"
        items.append(Link(names[bench.slug], f"{bench.slug}.html", number, what, interval))
    blocks: list[Block] = [Links(tuple(items))] if items else []
    waiting = [bench for bench in benches if bench not in shown]
    failed = [b for b in waiting if any(row.status == "failed" for row in b.results)]
    idle = [bench for bench in waiting if bench not in failed]
    for word, group, again in (("Not run", idle, ""), ("Failed", failed, " --retry-failed")):
        for specs, options in first_runs(group):
            own = [names[b.slug] for b in group if b.plan.spec in specs]
            what = " ".join(f"specs/{spec}.toml" for spec in specs[: MOST_SPECS + 1])
            what = what if len(specs) <= MOST_SPECS else "specs/"
            command = " ".join(filter(None, ("accelreport run", what, options))) + again
            listed = quantity.listed([f"“{title}”" for title in own])
            rows = [r for b in failed if again and b.plan.spec in specs for r in b.results]
            helps = {label(text, 200).rstrip(".") for text in map(remedy_text, rows) if text}
            them = "it" if len(own) == 1 else "them"
            verb = f"tries {them} again" if again else f"runs {them}"
            remedy = f" {sentence(helps.pop())}." if len(helps) == 1 else ""
            blocks.append(Prose(f"{word}: {listed}. “{command}” {verb}.{remedy}"))
    count = quantity.plural(len(benches), "benchmark")
    both = "Both benchmarks" if len(benches) == 2 else f"All {count}"
    title = both if len(benches) > 1 else count
    if len(measured) < len(benches):
        title = f"{len(measured)} of {count} measured"
    detail = f"rate, 95{quantity.SPACE}% interval" * bool(items)
    return Section("benchmarks", title, tuple(blocks), detail=detail)
