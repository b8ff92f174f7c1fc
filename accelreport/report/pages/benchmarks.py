"""The page of tables: how much of each plan was run, and every rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.findings import COMPARED, Kind
from accelreport.analysis.outcome import comparisons_of
from accelreport.analysis.results import UNTIMED, shortest
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
from accelreport.report.pages.badges import kind_text, titles_of, tried_kinds
from accelreport.report.pages.overview import Overview, rates_table
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView

PATH = "benchmarks.html"


def benchmarks_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page."""
    progress = _progress(benches)
    decided = sum(len(group.rows) for group in progress.groups if group.title == GROUPS[0])
    share = f"{decided} of {len(benches)} benchmarks" if decided else "No benchmark"
    sections = (Section("progress", "Findings", (progress,)), _rates(benches))
    return Page(
        path=PATH,
        title="Benchmarks",
        headline=f"{share} {'have' if decided > 1 else 'has'} a decided claim or comparison",
        finding="",
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
        rates_table(view.rows, "all-rates", "Rates"),
        download=Download("speedups.csv", "CSV"),
    )
    return Section("speedups", "Every rate", (table,), folded=True)


def baseline_rate(bench: BenchmarkView) -> tuple[str, str, str]:
    """The throughput of the baseline, or of the first device with a time, whose, and interval."""
    rates = (finding.values[0] for finding in bench.findings if finding.kind is Kind.RATE)
    if (rate := next(rates, None)) is None:
        rows = [row for row in bench.results if row.device == bench.plan.baseline.device]
        reasons = sorted({kind_text(row) for row in rows if not row.timed})
        return quantity.MISSING, bench.baseline_name, ", ".join(reasons)
    speaker = Speaker(bench)
    whose = f"{speaker.name(rate.of)}{speaker.at(rate.of)}"
    return speaker.bounded(rate), whose, speaker.interval(rate) or "one run"


GROUPS = ("Decided claims and comparisons", "Measured", "Nothing decided yet", "Failed")
"""Headings of the list: by claims and comparisons, other findings, and what is missing."""


def _progress(benches: Sequence[BenchmarkView]) -> Table:
    names = titles_of(benches)
    groups: dict[str, list[Row]] = {group: [] for group in GROUPS}
    planned = {device.kind for bench in benches for device in bench.plan.devices.values()}
    for bench in sorted(benches, key=lambda bench: names[bench.slug].casefold()):
        line, opening = finding_line(bench), opening_of(bench)
        compared = opening.finding is not None and opening.finding.kind in COMPARED
        claims = "" if compared or opening.speaker.claim else _decided_claims(bench)
        decided = compared or opening.speaker.claim or claims
        open_ = 2 if line.role == "reason" else 1
        group = GROUPS[3 if opening.unmeasured else 0 if decided else open_]
        finding = entry(line, *under(claims)) if line.role == "value" else entry(line)
        groups[group].append(_benchmark_row(bench, names[bench.slug], finding))
    absent = sorted(planned - tried_kinds(benches))
    missing = f"Not measured: {quantity.listed(absent)}." if absent else ""
    return Table(
        id="benchmarks-table",
        title="Findings",
        corner="benchmark",
        columns=(
            Column("finding"),
            Column("throughput", "95 % interval", number=True),
            Column("cells"),
        ),
        groups=tuple(
            RowGroup(tuple(rows), title, detail=missing if title == GROUPS[2] else "")
            for title, rows in groups.items()
            if rows
        ),
        caption="Cells: dark done, pale stopped, grey not run.",
        style="prose",
    )


def finding_line(bench: BenchmarkView) -> Line:
    """What a benchmark shows; of one that shows its rate alone, in grey, what is missing."""
    opening = opening_of(bench)
    rates = {Speaker(bench).title(f) for f in bench.findings if f.kind is Kind.RATE}
    if opening.title not in rates:
        return Line(opening.summary)
    parts = [_decided_claims(bench)]
    if open_ := len(comparisons_of(bench)):
        parts.append(f"{quantity.plural(open_, 'comparison')}, none decided.")
    elif least := shortest(bench.results):
        parts.append(f"The shortest run stopped after {Speaker(bench).steps(least.steps, least)}.")
    return Line(" ".join(filter(None, parts)) or quantity.EN_DASH, "reason")


def _decided_claims(bench: BenchmarkView) -> str:
    """How many of its claims are decided; empty where none is."""
    decided, claims = decided_counts(bench.tested)
    return f"{decided} of {quantity.plural(claims, 'claim')} decided." if decided else ""


def _benchmark_row(bench: BenchmarkView, name: str, finding: Entry) -> Row:
    outcomes = Counter(row.outcome for row in bench.results)
    done = outcomes["ok"]
    stopped = sum(row.timed for row in bench.results) - done
    number, whose, interval = baseline_rate(bench)
    header = entry(name, Line(whose, "detail"), href=f"{bench.slug}.html")
    states = {"refused": REFUSED, "failed": "failed", "no steady step": UNTIMED}
    lost = {name: outcomes[state] for name, state in states.items()}
    waiting = len(bench.results) - done - stopped
    counts = [("done", done), ("stopped", stopped), *lost.items()]
    counts.append(("not run", waiting - sum(lost.values())))
    parts = [f"{count} {state}" for state, count in counts if count]
    devices = dict.fromkeys(series.device for series in bench.tried_series)
    measured = any(row.measured for row in bench.results)
    facets = Facets(
        device=tuple(map(bench.title_of, devices)),
        verdict=tuple(dict.fromkeys(row.verdict.lower() for row in bench.compared)),
        provenance=("measured",) * measured + ("published",) * bool(bench.plan.published),
    )
    cells = entry(Line(", ".join(parts), "detail"), bar=(done, stopped, waiting))
    return table_row(header, finding, entry(number, Line(interval, "detail")), cells, facets=facets)
