"""The page of tables: how much of each plan was run, and the rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from accelreport.analysis.findings import COMPARED, Kind, Subject, Unit, Value
from accelreport.analysis.outcome import comparisons_of
from accelreport.analysis.results import UNTIMED, matches
from accelreport.analysis.speed_findings import forward, rate_at, rate_of
from accelreport.analysis.speedup import groups_of
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.claim_text import decided_counts
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
    under,
)
from accelreport.report.notices import notices_of
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import needs_device, titles_of, tried_kinds
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView

PATH = "benchmarks.html"


def benchmarks_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    progress = _progress(benches)
    decided = sum(len(group.rows) for group in progress.groups if group.title == GROUPS[0])
    share = (
        f"{decided} of {quantity.plural(len(benches), 'benchmark')}" if decided else "No benchmark"
    )
    sections = (Section("progress", "Findings", (progress,)), _rates(benches))
    return Page(
        path=PATH,
        title="Benchmarks",
        headline=f"{share} {'have' if decided > 1 else 'has'} a decided claim or speedup",
        finding="",
        sections=tuple(section for section in sections if section),
        template="tables.html",
        notices=notices_of(benches),
    )


def _rates(benches: Sequence[BenchmarkView]) -> Section | None:
    """The rates at every sweep point, of which the front page's picture shows the most telling."""
    view = Overview(benches)
    if not view.rows:
        return None
    table = replace(
        rates_table(view.rows, "all-rates", "Rates"),
        download=Download("speedups.csv", "CSV"),
    )
    return Section("speedups", "Rates", (table,), folded=True)


def _named_rate(bench: BenchmarkView) -> Value | None:
    """The rate of the configuration that the finding of a row names.

    None where it names several, or a converted network, which has no rate.
    """
    opening = opening_of(bench)
    if claim := opening.speaker.claim:
        own = {
            Subject(row.device, row.machine, tuple(row.point.values()))
            for number in claim.numbers
            if not number.quantity.startswith("quantised")
            for row in number.processes
            if matches(row.point, number.point)
            and row.device == getattr(claim.claim.rule, "of", row.device)
        }
        return rate_at(bench, own.pop()) if len(own) == 1 else None
    first = opening.answered[0]
    if first.kind is Kind.RATE:
        return first.values[0]
    every = [] if first.kind in {Kind.INT8, Kind.RANGE} else [*first.values, first.base]
    sides = (forward(value).of for value in every if value)
    of = next((side for side in sides if side.row is None), None)
    return rate_at(bench, replace(of, part="")) if of else None


def rate_shown(bench: BenchmarkView) -> Value | None:
    """The rate that a finding names, else the highest one: of the baseline's device, if any."""
    rates = [*filter(None, map(rate_of, groups_of(bench.results)))]
    of_base = [rate for rate in rates if rate.of.device == bench.plan.baseline.device]
    return _named_rate(bench) or max(of_base or rates, key=lambda rate: rate.number, default=None)


def shown_number(bench: BenchmarkView) -> tuple[str, str, str]:
    """The rate of a benchmark wherever it has one line, whose it is, and its interval."""
    rate, speaker = rate_shown(bench), Speaker(bench)
    if rate is None:
        # The finding has the reason where nothing has a time.
        return quantity.MISSING, bench.baseline_name, ""
    name = speaker.name(rate.of)
    kind = bench.processor(name, rate.of)
    whose = f"{name}{f', {kind}' * bool(kind)}{speaker.at(rate.of)}"
    whose += ", inference" * bench.words.calls
    return speaker.number(rate), whose, quantity.span(rate.interval, Unit.NUMBER) or "one run"


GROUPS = ("Decided claims and speedups", "Measured, neither decided", "Failed", "Not run")
"""Headings of the list, by what a benchmark has."""


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    names = titles_of(benches)
    groups: dict[str, list[Row]] = {group: [] for group in GROUPS}
    tried, absent = tried_kinds(benches), Counter[str]()
    two = any(rate.interval.two for rate in filter(None, map(rate_shown, benches)))
    for bench in sorted(benches, key=lambda bench: names[bench.slug].casefold()):
        opening = opening_of(bench)
        claims = _decided_claims(bench)
        if claims or any(f.kind is not Kind.UNDECIDED for f in comparisons_of(bench)):
            group = GROUPS[0]
        elif any(row.measured for row in bench.results):
            group = GROUPS[1]
        else:
            failed = any(row.status in {"failed", REFUSED} for row in bench.results)
            group = GROUPS[2 if failed else 3]
        titled = opening.speaker.claim or (opening.finding and opening.finding.kind in COMPARED)
        finding = entry(opening.summary, *under("" if titled else claims))
        cells, kinds = cells_entry(bench, tried)
        absent.update(kinds)
        groups[group].append(_benchmark_row(bench, names[bench.slug], finding, cells))
    more = absent.total()
    needed = f"{more} more need{'s' * (more == 1)} a {'/'.join(sorted(absent))}" if more else ""
    return Table(
        id="benchmarks-table",
        title="Findings",
        corner="benchmark",
        columns=(
            Column("finding"),
            Column("rate", "95 % interval" + " or values" * two, number=True),
            Column("measured cells", needed),
        ),
        groups=tuple(RowGroup(tuple(rows), title) for title, rows in groups.items() if rows),
        style="prose",
    )


def _decided_claims(bench: BenchmarkView) -> str:
    """How many of its claims are decided; empty where none is."""
    decided, claims = decided_counts(bench.tested)
    return f"{decided} of {quantity.plural(claims, 'claim')} decided." if decided else ""


def cells_entry(bench: BenchmarkView, tried: Collection[str]) -> tuple[Entry, Counter[str]]:
    """How many of the cells that these machines can run have a time, and what became of others.

    Beside it the number of cells that need a kind of device that no machine has.
    """
    kinds = Counter[str](
        kind
        for row in bench.results
        if needs_device(row, kind := bench.plan.devices[row.device].kind, tried)
    )
    outcomes = Counter(row.outcome for row in bench.results)
    able, measured = len(bench.results) - kinds.total(), sum(row.timed for row in bench.results)
    stopped = measured - outcomes["ok"]
    parts = [f"{'all' if stopped == measured else stopped} stopped by the budget"] * bool(stopped)
    states = {"refused": REFUSED, "failed": "failed", "no steady step": UNTIMED}
    parts += [f"{outcomes[state]} {name}" for name, state in states.items() if outcomes[state]]
    share = f"{measured} of {able}" if able else quantity.MISSING
    return entry(share, *(Line(part, "detail") for part in parts)), kinds


def _benchmark_row(bench: BenchmarkView, name: str, finding: Entry, cells: Entry) -> Row:
    number, whose, interval = shown_number(bench)
    header = entry(name, *under(whose, "detail"), href=f"{bench.slug}.html")
    devices = dict.fromkeys(series.device for series in bench.tried_series)
    measured = any(row.measured for row in bench.results)
    facets = Facets(
        device=tuple(map(bench.title_of, devices)),
        provenance=("measured",) * measured + ("published",) * bool(bench.plan.published),
    )
    shown = entry(number, *under(interval, "detail"))
    return table_row(header, finding, shown, cells, facets=facets)
