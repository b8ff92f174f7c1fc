"""The front page: what was measured, on what, when, what came out, and which device for what.

That table is derived from what was measured, not an opinion.
"""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.invalid_results import REFUSED
from accelreport.analysis.overview import Choice
from accelreport.analysis.stats import Verdict
from accelreport.report import formatting
from accelreport.report.frames import why_withheld
from accelreport.report.metrics import axis_title
from accelreport.report.model import (
    Block,
    Column,
    Download,
    Downloads,
    Entry,
    Fact,
    Line,
    Note,
    Notes,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.environment import PATH, devices_table, machine_line, machine_links
from accelreport.report.pages.headline import baseline_of, compared, headline, together, unrivalled
from accelreport.report.pages.matrix import MOST_POINTS, matrix
from accelreport.report.pages.sections.claims import claims_section
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.pages.sections.speedup import interval_lines
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView


def choice_section(benches: Sequence[BenchmarkView]) -> Section | None:
    """The section; None where no two devices were measured at the same point."""
    groups, count, decided = [], 0, 0
    for bench in benches:
        own = [each for each in bench.choices if each.against]
        count += len(own)
        decided += sum(each.decided for each in own)
        if own:
            groups.append(
                RowGroup(
                    _rows(bench, own),
                    title=label(bench.plan.title),
                    href=f"{bench.slug}.html",
                    detail=f"{label(bench.plan.profile, 40)} profile",
                )
            )
    if not groups:
        return None
    table = Table(
        id="choice-table",
        title="The fastest device at each point, and by how much",
        caption=(
            "By steady time, with the 95 % interval of the factor over processes. A device is "
            "named alone only where it was shown to be faster than every other one; otherwise "
            "those it was not told apart from stand beside it. Cost is what a million steps take "
            "at the prices of the devices file."
        ),
        corner="sweep point",
        columns=(
            Column("use"),
            Column("faster than the next", number=True),
            Column("a step takes", number=True),
            Column("cheapest"),
        ),
        groups=tuple(groups),
        style="prose",
    )
    finding = (
        f"At {decided} of {formatting.plural(count, 'point')} with two devices or more, one of "
        "them is shown to be the fastest."
    )
    return Section("choice", "Which device for what", (table,), finding=finding)


def _rows(bench: BenchmarkView, own: Sequence[Choice]) -> tuple[Row, ...]:
    """A row for each point; with many points, one for each outcome."""
    if len(own) <= MOST_POINTS:
        return tuple(_row(bench, each) for each in own)
    outcomes: dict[tuple[str, bool], list[Choice]] = {}
    for each in own:
        outcomes.setdefault((each.best.group.device, each.decided), []).append(each)
    total = formatting.plural(len(own), "point")
    return tuple(
        _outcome(bench, alike, f"{len(alike)} of {total}")
        for _, alike in sorted(outcomes.items(), key=lambda each: -len(each[1]))
    )


def _outcome(bench: BenchmarkView, alike: Sequence[Choice], header: str) -> Row:
    names = dict.fromkeys(bench.title_of(name) for each in alike for name in each.ties)
    use = [Line(bench.title_of(alike[0].best.group.device))]
    if names:
        use.append(Line(f"not told apart from {formatting.listed(list(names), 'or')}", "reason"))
    factors = sorted(each.against[0].interval.value for each in alike)
    seconds = sorted(each.best.seconds for each in alike)
    between = f"{formatting.ratio(factors[0])} to {formatting.ratio(factors[-1])}"
    return Row(
        Entry((Line(header),)),
        (
            Entry((*use, *_withheld(bench, alike))),
            Entry((Line(between),)),
            Entry((Line(formatting.duration_range(seconds[0], seconds[-1])),)),
            Entry((Line(_cheapest(bench, alike)),)),
        ),
    )


def _withheld(bench: BenchmarkView, found: Sequence[Choice]) -> tuple[Line, ...]:
    """Devices that do not do the same, and stand in no ranking."""
    baseline = bench.title_of(bench.plan.baseline)
    said = {
        f"{bench.title_of(each.device)} is not ranked: {why_withheld(each, baseline)}": None
        for choice in found
        for each in choice.withheld
        if each.withheld
    }
    return tuple(Line(label(text, 200), "reason") for text in said)


def _cheapest(bench: BenchmarkView, alike: Sequence[Choice]) -> str:
    found = (each.cheapest for each in alike)
    names = dict.fromkeys(bench.title_of(each.group.device) for each in found if each)
    return formatting.listed(list(names), "or") or "–"


def _row(bench: BenchmarkView, found: Choice) -> Row:
    parts = [f"{axis_title(axis)} {label(value, 40)}" for axis, value in found.point.items()]
    next_one = found.against[0]
    use = [Line(bench.title_of(found.best.group.device))]
    if found.ties:
        names = formatting.listed([bench.title_of(name) for name in found.ties], "or")
        use.append(Line(f"not told apart from {names}", "reason"))
    else:
        use.append(Line(f"before {bench.title_of(next_one.baseline)}", "reason"))
    interval = next_one.interval
    factor = [Line(formatting.ratio(interval.value))]
    if interval.known:
        factor = list(interval_lines(interval))
    cost: tuple[Line, ...] = (Line("–"),)
    if found.cheapest:
        amount = formatting.number(found.cheapest.cost)
        price = Line(f"{amount}{formatting.SPACE}{label(found.cheapest.currency, 8)}", "reason")
        cost = (Line(bench.title_of(found.cheapest.group.device)), price)
    return Row(
        Entry((Line(" · ".join(parts) or "as specified"),)),
        (
            Entry((*use, *_withheld(bench, [found]))),
            Entry(tuple(factor)),
            Entry((Line(formatting.duration(found.best.seconds)),)),
            Entry(cost),
        ),
    )


MOST_NAMED = 3
"""Devices that a headline names; more are counted, and named by the table below it."""


def index_page(benches: Sequence[BenchmarkView], title: str, problems: Sequence[str]) -> Page:
    """The front page.

    Args:
        benches: every plan.
        title: the site's name.
        problems: a sentence for each result file that could not be read.
    """
    records = {place: r for bench in benches for place, r in bench.records.items()}
    machines: tuple[Block, ...] = (devices_table(benches),)
    if records:
        machines += (machine_links(records.values()),)
    sections = (
        Section("speedups", "Speedups", (matrix(benches),)),
        choice_section(benches),
        Section("benchmarks", "Benchmarks", (_benchmarks(benches),)),
        claims_section(benches),
        Section("machines", "Devices and machines", machines),
        _problems(problems),
        Section("files", "Files", (_files(),)),
    )
    heading, finding = _finding(benches)
    return Page(
        path="index.html",
        title=label(title),
        headline=heading,
        kicker="",
        finding=finding,
        description=f"{heading}. {finding}",
        sections=tuple(section for section in sections if section),
        template="index.html",
        byline=(
            Fact("Measured on", machine_line(records.values())),
            Fact("Benchmarks", formatting.count(len(benches))),
            Fact("Cells measured", _progress(benches)),
            *_dates(benches),
        ),
        notices=notices_of(benches),
        related=(Download(PATH, "Devices"),),
    )


def _progress(benches: Sequence[BenchmarkView]) -> str:
    rows = [row for bench in benches for row in bench.rows]
    done = sum(row.measured for row in rows)
    return f"{formatting.count(done)} of {formatting.count(len(rows))}"


def _dates(benches: Sequence[BenchmarkView]) -> tuple[Fact, ...]:
    text = formatting.days(r.started_at for bench in benches for r in bench.records.values())
    return (Fact("Date", text),) if text else ()


def _finding(benches: Sequence[BenchmarkView]) -> tuple[str, str]:
    """The largest factor of the whole site as a headline, and how the others fell."""
    found = [(b, each) for b in benches for each in compared(b) if not each.found.withheld]
    told = [
        (bench, each)
        for bench in benches
        for each in unrivalled(together([one for b, one in found if b is bench], len(found)))
    ]
    decided = [pair for pair in told if pair[1].estimate.verdict in {"FASTER", "SLOWER"}]
    verdicts = [each.estimate.verdict for _, each in found]
    faster, slower = verdicts.count(Verdict.FASTER), verdicts.count(Verdict.SLOWER)
    if not decided:
        return _absolute(benches, len(found), faster + slower)
    bench, best = max(decided, key=lambda pair: pair[1].speedup)
    baseline = baseline_of(bench, best)
    heading = f"{best.series.title}: up to {best.text} as fast as {baseline}"
    where = f"in “{label(bench.plan.title)}”"
    where += f" at {bench.point_title(best.point)}" if bench.axes else ""
    said = f"That is {where} {best.interval}."
    if best.speedup < 1:
        heading = f"Nothing is shown to be faster than {baseline}"
        said = (
            f"Where the intervals decide, {best.series.title} comes nearest: {best.text} as fast "
            f"{where} {best.interval}."
        )
    return heading, (
        f"{said} Of {formatting.plural(len(found), 'comparison')} with a baseline in "
        f"{formatting.plural(len(benches), 'benchmark')}, {faster} came out faster, {slower} "
        f"slower, and {len(found) - faster - slower} the same or undecided."
    )


def _absolute(benches: Sequence[BenchmarkView], comparisons: int, alone: int) -> tuple[str, str]:
    """What is said while no two devices have been told apart."""
    done = [bench for bench in benches if bench.shown_series]
    names = dict.fromkeys(s.title for bench in done for s in bench.shown_series)
    if not names:
        heading = formatting.plural(len(benches), "benchmark")
        return f"{heading}, none of them measured yet", "Run `accelreport run specs/` first."
    count = formatting.plural(len(done), "benchmark")
    many = len(names) > MOST_NAMED
    where = formatting.plural(len(names), "device") if many else formatting.listed(list(names))
    heading = f"{count} on {where}"
    said = "Every cell below gives an absolute time. "
    if alone:
        said += (
            f"Of {formatting.plural(comparisons, 'comparison')} with a baseline, {alone} "
            f"{'is' if alone == 1 else 'are'} decided by itself and none over all of them: more "
            "processes would narrow the intervals. "
        )
    elif comparisons:
        said += (
            f"Of {formatting.plural(comparisons, 'comparison')} with a baseline, none is decided "
            "yet: more processes would narrow the intervals. "
        )
    return heading, said + _absent(benches, set(names))


def _absent(benches: Sequence[BenchmarkView], measured: set[str]) -> str:
    """Devices without any number on the whole site, and why."""
    reasons: dict[str, dict[str, None]] = {}
    for bench in benches:
        for row in bench.rows:
            name = bench.title_of(row.device)
            if name not in measured and row.status != "missing":
                reasons.setdefault(kind_text(row), {})[name] = None
    said = [f"{formatting.listed(list(who))}: {why}." for why, who in sorted(reasons.items())]
    return " ".join(said)


def _problems(problems: Sequence[str]) -> Section | None:
    if not problems:
        return None
    notes = tuple(Note("Left out:", label(text, 400), tone="bad") for text in problems)
    return Section("unreadable", "Result files that could not be read", (Notes(notes),))


def _files() -> Downloads:
    return Downloads(
        (
            Download("speedups.csv", "speedups.csv", "every speedup of every benchmark"),
            Download("results.json", "results.json", "speedups and claims, for programs"),
        )
    )


_STATES = {
    "ok": "complete",
    "partial": "partial",
    REFUSED: "refused",
    "failed": "failed",
    "skipped": "skipped",
    "missing": "not run",
}
"""States of cells, and the headings of their columns."""


def _benchmarks(benches: Sequence[BenchmarkView]) -> Table:
    states = dict(_STATES)
    if not any(row.status == REFUSED for bench in benches for row in bench.rows):
        states.pop(REFUSED)
    rows = tuple(_benchmark_row(bench, list(states)) for bench in benches)
    return Table(
        id="benchmarks-table",
        title="What was found, and how much of each plan was run",
        caption="Cells are counted: one is one device at one sweep point with one seed.",
        corner="benchmark",
        columns=(Column("finding"), *(Column(state, number=True) for state in states.values())),
        groups=(RowGroup(rows),),
        style="prose",
    )


def _benchmark_row(bench: BenchmarkView, states: Sequence[str]) -> Row:
    found = [row.status for row in bench.rows]
    counts = [found.count(state) for state in states]
    header = Entry(
        (Line(label(bench.plan.title)), Line(f"{label(bench.plan.profile, 40)} profile", "reason")),
        href=f"{bench.slug}.html",
    )
    numbers = tuple(Entry((Line(formatting.count(n) if n else "–"),)) for n in counts)
    return Row(header, (Entry((Line(headline(bench)),)), *numbers))
