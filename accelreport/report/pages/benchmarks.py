"""The page of tables: how much of each plan was run, which device for what, and every rate.

The table of devices for what is derived from what was measured, not an opinion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.overview import Choice
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.metrics import settings_text
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Facets,
    Line,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import benchmark_rows, not_ranked
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.pages.sections.speedup import interval_lines
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView

PATH = "benchmarks.html"
"""Where the page lies."""
PRICES = " Cost is that of a million steps at the prices of the devices file."
"""What the column of the cheapest device counts."""
MOST_POINTS = 4
"""Sweep points a benchmark may have and still get a row for each."""


def benchmarks_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    sections = (
        Section("progress", "Every benchmark", (_progress(benches),)),
        choice_section(benches),
        _rates(benches),
    )
    rows = [row for bench in benches for row in bench.results]
    done = quantity.count(sum(row.measured for row in rows))
    cells, of = quantity.plural(len(rows), "cell"), quantity.plural(len(benches), "benchmark")
    return Page(
        path=PATH,
        title="Benchmarks",
        headline=f"{done} of {cells} in {of} were measured",
        finding="A cell is one device at one sweep point with one seed.",
        sections=tuple(section for section in sections if section),
        template="tables.html",
        notices=notices_of(benches),
    )


def _rates(benches: Sequence[BenchmarkView]) -> Section | None:
    """Every rate at every sweep point, of which the front page's picture shows the most telling."""
    view = Overview(benches)
    if not view.rows:
        return None
    table = replace(
        rates_table(view.rows, "all-rates", "Measured, withheld and published"),
        caption=(
            "Throughput of training, and TFLOPS of kernels. Each factor is over the first row "
            "of its sweep point; a measured factor has a 95 % interval over processes. "
            "Published figures enter no statistic."
        ),
        download=Download("speedups.csv", "CSV", "every speedup of every benchmark"),
    )
    return Section("speedups", "Every rate", (table,), folded=True)


def choice_section(benches: Sequence[BenchmarkView]) -> Section | None:
    """The section; None where no two devices were measured at the same point."""
    compared = {b.slug: [each for each in b.choices if each.against] for b in benches}
    choices = [each for own in compared.values() for each in own]
    if not choices:
        return None
    priced = any(each.cheapest for each in choices)
    groups = [
        _group(
            bench,
            [replace(r, entries=r.entries[: 4 if priced else 3]) for r in _rows(bench, own)],
        )
        for bench in benches
        if (own := compared[bench.slug])
    ]
    # A lone row would seem to belong to the heading above it.
    groups.sort(key=lambda group: bool(group.title))
    count, decided = len(choices), sum(each.decided for each in choices)
    table = Table(
        id="choice-table",
        title="The fastest device at each point, and its factor",
        caption=(
            (
                "Devices are compared by steady time; the factor has a 95 % interval over "
                "processes. A device is named alone only where it is faster than every other one. "
                "Otherwise it is undecided among those that are listed."
            )
            + (PRICES if priced else "")
        ),
        corner="benchmark",
        columns=(
            Column("use"),
            Column("factor over the next", number=True),
            Column("step time", number=True),
            *([Column("cheapest")] if priced else []),
        ),
        groups=tuple(groups),
        style="prose",
    )
    finding = (
        f"One device is shown to be the fastest at {decided} of "
        f"{quantity.plural(count, 'point')} with two devices or more."
    )
    return Section("choice", "Which device for what", (table,), finding=finding)


def _group(bench: BenchmarkView, rows: Sequence[Row]) -> RowGroup:
    """The rows of a benchmark; of a single one the benchmark is the header."""
    if len(rows) > 1:
        return benchmark_rows(bench, rows)
    (row,) = rows
    said = [f"{label(bench.plan.profile, 40)} profile"]
    said += [line.text for line in row.header.lines] if bench.axes else []
    lines = (Line(label(bench.plan.title)), Line(" · ".join(said), "reason"))
    return RowGroup((replace(row, header=Entry(lines, href=f"{bench.slug}.html")),))


def _rows(bench: BenchmarkView, own: Sequence[Choice]) -> tuple[Row, ...]:
    """A row for each point; with many points, one for each outcome."""
    if len(own) <= MOST_POINTS:
        return tuple(_row(bench, each) for each in own)
    outcomes: dict[tuple[str, bool], list[Choice]] = {}
    for each in own:
        outcomes.setdefault((each.best.group.device, each.decided), []).append(each)
    total = quantity.plural(len(own), "point")
    return tuple(
        _outcome(bench, alike, f"{len(alike)} of {total}")
        for _, alike in sorted(outcomes.items(), key=lambda each: -len(each[1]))
    )


def _outcome(bench: BenchmarkView, alike: Sequence[Choice], header: str) -> Row:
    names = dict.fromkeys(bench.title_of(name) for each in alike for name in each.ties)
    use = [_use(bench, alike[0], names)]
    factors = sorted(each.against[0].interval.value for each in alike)
    seconds = sorted(each.best.seconds for each in alike)
    between = " to ".join(dict.fromkeys(map(quantity.ratio, (factors[0], factors[-1]))))
    return table_row(
        header,
        entry(*use, *_withheld(bench, alike)),
        between,
        quantity.duration_range(seconds[0], seconds[-1]),
        _cheapest(bench, alike),
        facets=_facets(bench, alike),
    )


def _use(bench: BenchmarkView, found: Choice, ties: Iterable[str]) -> Line:
    """The device that is faster than every other one, or those among which that is undecided."""
    best, names = bench.title_of(found.best.group.device), list(ties)
    return Line(f"undecided: {quantity.listed([best, *names], 'or')}" if names else best)


def _facets(bench: BenchmarkView, alike: Sequence[Choice]) -> Facets:
    """The devices that points name first, and whether one of them is shown to be the fastest."""
    devices = dict.fromkeys(name for each in alike for name in (each.best.group.device, *each.ties))
    verdict = "decided" if alike[0].decided else "undecided"
    return Facets(tuple(map(bench.title_of, devices)), (verdict,), ("measured",))


def _withheld(bench: BenchmarkView, found: Sequence[Choice]) -> tuple[Line, ...]:
    """Devices that do not do the same, and stand in no ranking."""
    rows = (each for choice in found for each in choice.withheld if each.withheld)
    return tuple(Line(text, "reason") for text in dict.fromkeys(not_ranked(bench, r) for r in rows))


def _cheapest(bench: BenchmarkView, alike: Sequence[Choice]) -> str:
    found = (each.cheapest for each in alike)
    names = dict.fromkeys(bench.title_of(each.group.device) for each in found if each)
    return quantity.listed(list(names), "or") or "–"


def _row(bench: BenchmarkView, found: Choice) -> Row:
    parts = [settings_text({axis: value}) for axis, value in found.point.items()]
    next_one = found.against[0]
    use = [_use(bench, found, map(bench.title_of, found.ties))]
    if not found.ties:
        use.append(Line(f"before {bench.title_of(next_one.baseline)}", "reason"))
    interval = next_one.interval
    factor = [Line(quantity.ratio(interval.value))]
    if interval.known:
        factor = list(interval_lines(interval))
    cost: tuple[Line, ...] = (Line("–"),)
    if found.cheapest:
        amount = quantity.number(found.cheapest.cost)
        price = Line(f"{amount}{quantity.SPACE}{label(found.cheapest.currency, 8)}", "reason")
        cost = (Line(bench.title_of(found.cheapest.group.device)), price)
    return table_row(
        " · ".join(parts) or "as specified",
        entry(*use, *_withheld(bench, [found])),
        entry(*factor),
        quantity.duration(found.best.seconds),
        entry(*cost),
        facets=_facets(bench, [found]),
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


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    known = {"ok", *(row.status for bench in benches for row in bench.results)}
    states = {state: title for state, title in _STATES.items() if state in known}
    rows = tuple(_benchmark_row(bench, list(states)) for bench in benches)
    return Table(
        id="benchmarks-table",
        title="What each benchmark found, and how much of its plan was run",
        caption="Counts are of cells.",
        corner="benchmark",
        columns=(Column("finding"), *(Column(state, number=True) for state in states.values())),
        groups=(RowGroup(rows),),
        style="prose",
    )


def _benchmark_row(bench: BenchmarkView, states: Sequence[str]) -> Row:
    found = [row.status for row in bench.results]
    counts = [found.count(state) for state in states]
    header = entry(
        label(bench.plan.title),
        Line(f"{label(bench.plan.profile, 40)} profile", "reason"),
        href=f"{bench.slug}.html",
    )
    numbers = (quantity.count(n) if n else "–" for n in counts)
    devices = dict.fromkeys(series.device for series in bench.tried_series)
    measured = any(row.measured for row in bench.results)
    facets = Facets(
        device=tuple(map(bench.title_of, devices)),
        provenance=("measured",) * measured + ("published",) * bool(bench.plan.published),
    )
    return table_row(header, f"{opening_of(bench).title}.", *numbers, facets=facets)
