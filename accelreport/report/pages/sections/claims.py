"""Claims with their verdicts, the rules and the numbers; and every claim of every spec."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimResult, ClaimState, Lack, distinct
from accelreport.analysis.outcome import outcome_of
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.claim_text import (
    SPEAKERS,
    STATES,
    amount_text,
    beside_text,
    decided_text,
    margin_text,
    measured_lines,
    missing_text,
    numbers_text,
    published_text,
    ratio_text,
    rule_text,
    source_of,
    state_counts,
    state_words,
    states_text,
)
from accelreport.report.metrics import FIGURES, QUANTITIES, axis_title, in_percent, metric_title
from accelreport.report.model import (
    Badge,
    Column,
    Entry,
    Facets,
    Line,
    Link,
    Links,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    Tone,
    Unit,
    UnitRow,
    Units,
    entry,
    table_row,
    under,
)
from accelreport.report.notices import notices_of
from accelreport.report.pages.badges import benchmark_rows, kind_text, origin_badges, tried_kinds
from accelreport.report.quantity import setting
from accelreport.report.text import clean, label, sentence, tied
from accelreport.report.view import BenchmarkView
from accelreport.spec.claims import Claim, Names

DECIDED = frozenset({ClaimState.CONFIRMED, ClaimState.REFUTED})

UNTESTED = frozenset({ClaimState.NOT_MEASURED, ClaimState.NEEDS_DEVICE})
"""States of claims that something has to be measured for."""
OPEN = frozenset(ClaimState) - DECIDED - UNTESTED
GROUPS = (
    ("claims", "Decided", DECIDED),
    ("undecided", "Undecided: more repeats may decide", OPEN),
    ("open", "Undecided: repeats alone do not decide", OPEN),
    ("unmeasured", "Not measured", frozenset({ClaimState.NOT_MEASURED})),
    ("device", "Need a device", frozenset({ClaimState.NEEDS_DEVICE})),
)
"""Sections of the page of claims, by what decides a claim: a rerun, a run, another device."""
MOST_SHOWN, MOST_SHOWN_UNDECIDED = 4, 1
"""Lines of numbers beside a claim; a reader opens the others together with the rule."""

_TONES: dict[ClaimState, Tone] = {
    ClaimState.CONFIRMED: "good",
    ClaimState.REFUTED: "bad",
    ClaimState.UNDECIDED: "loud",
    ClaimState.WITHHELD: "loud",
}


def claims_section(bench: BenchmarkView) -> Section | None:
    """The section of a benchmark, what was tested first; None where its spec makes no claim.

    A reader opens it where nothing was tested.
    """
    if not bench.tested:
        return None
    untested = [r for r in bench.tested if r.state in UNTESTED]
    tested = closest_first(r for r in bench.tested if r.state not in UNTESTED)
    tables = []
    if tested:
        tables.append(claims_table("claims-table", "Tested", [(bench, tested)]))
    if untested:
        title = f"Not decided: {states_text(state_counts(untested))}"
        table = claims_table("untested-table", title, [(bench, untested)])
        tables.append(replace(table, folded=bool(tested)))
    detail = states_text(state_counts(bench.tested))
    return Section("claims", "Claims", tuple(tables), folded=not tested, detail=detail)


def closest_first(results: Iterable[ClaimResult]) -> list[ClaimResult]:
    """Claims by state; of one state those first that fewer repeats decide.

    Those come last that repeats alone do not decide, and before them single runs.
    """
    order = list(ClaimState)

    def further(result: ClaimResult) -> tuple[int, bool, bool, float]:
        ends = [number.interval for number in result.numbers]
        known = bool(ends) and all(end.known for end in ends)
        apart = bool(result.missing or result.withheld or result.stand_in)
        widths = [(e.high - e.low) / (max(abs(e.low), abs(e.high)) or 1) for e in ends if e.known]
        width = max(widths, default=0.0) if result.state is ClaimState.UNDECIDED else 0.0
        return order.index(result.state), apart, not known, width

    return sorted(results, key=further)


def claim_id(bench: BenchmarkView, number: int) -> str:
    """Id of the row of a claim: the benchmark's, and its place among what was tested."""
    return f"claim-{bench.slug.replace('.', '-')}-{number}"


Claims = Sequence[tuple[BenchmarkView, Sequence[ClaimResult]]]
"""Benchmarks with some of their claims."""


def claims_table(name: str, title: str, claims: Claims) -> Table:
    """Some claims of one benchmark, or of several under their titles."""
    groups = []
    for bench, some in claims:
        numbers = {id(result): number for number, result in enumerate(bench.tested)}
        rows = tuple(
            replace(claim_row(bench, result), id=claim_id(bench, numbers[id(result)]))
            for result in some
        )
        if len(claims) == 1:
            groups.append(RowGroup(rows))
            continue
        group, sources = benchmark_rows(bench, rows), {row.entries[1] for row in rows}
        if len(sources) == 1:  # it stands once, beside the heading
            ((line,),) = (source.lines for source in sources)
            detail = " · ".join(text for text in (line.text, group.detail) if text.strip("–"))
            rows = tuple(
                replace(row, entries=(row.entries[0], entry("–"), *row.entries[2:])) for row in rows
            )
            group = replace(group, rows=rows, detail=detail)
        groups.append(group)
    return Table(
        id=name,
        title=title,
        corner="claim",
        columns=(Column("verdict"), Column("from"), Column("measured")),
        groups=tuple(groups),
        style="prose verdicts",
    )


def names_of(bench: BenchmarkView) -> Names:
    """What the page calls devices, quantities and swept keys."""

    def device(name: str) -> str:
        return bench.title_of(name) if name in bench.plan.devices else f"“{name}”"

    def figure(name: str) -> str:
        if name in FIGURES:
            return QUANTITIES.get(name, FIGURES[name][0])
        return metric_title(name) if name.startswith("val_") else name.replace("_", " ")

    def measured(name: str) -> str:
        return f"{figure(name)}{' (without validation)' * (name == 'total_time')}"

    def amount(name: str, value: float) -> str:
        return f"{100 * value:.6g} %" if in_percent(name) else amount_text(name, value)

    def difference(quality: str, distance: float) -> str:
        return quantity.percentage_points(distance) if is_share(quality) else f"{distance:g}"

    return Names(device, measured, figure, axis_title, setting, amount, difference)


def _untested(bench: BenchmarkView, result: ClaimResult) -> str:
    """Which devices a claim would need, and why they have no number."""
    reasons: dict[str, list[str]] = {}
    for missing in result.missing:
        why = f"not part of the {label(result.profile, 40)} profile"
        if missing.lack is Lack.DEVICE:
            tried = bench.plan.devices[missing.device].kind in {"CPU", *tried_kinds([bench])}
            texts = {
                kind_text(row) if tried or row.failure_kind else "not tried"
                for row in missing.results
            }
            why = quantity.listed(sorted(texts))
        elif missing.lack is not Lack.UNPLANNED or not missing.device:
            continue
        reasons.setdefault(why, []).append(names_of(bench).device(missing.device))
    if not reasons:
        return tied(label(numbers_text(result, names_of(bench)), 600))
    return "; ".join(f"{quantity.listed(sorted(who))}: {why}" for why, who in reasons.items())


def _said_by(bench: BenchmarkView, claim: Claim) -> Entry:
    """Who published a claim, the page's own source by authors and year; or who else makes it."""
    who, own = source_of(bench.plan, claim), bench.plan.source
    if own and own.authors and who == own.title:
        who = f"{label(own.authors, 60)} {own.year or ''}".rstrip()
    ours = "–" if claim.by == "accelreport" else SPEAKERS[claim.by]
    return entry(Line(label(who, 160) or ours, "detail"))


def claim_row(bench: BenchmarkView, result: ClaimResult) -> Row:
    """A claim with its state, what was measured, the rule and who said it."""
    state, claim, names = result.state, result.claim, names_of(bench)
    named = set(claim.rule.model_dump(include={"of", "over"}).values())
    devices = [name for name in bench.plan.devices if name in named] or bench.plan.devices
    badge = Badge(STATES[state], "", _TONES.get(state, "quiet"))
    measured = [Line(line) for line in measured_lines(result, names)]
    measured = measured or [Line(_untested(bench, result))]
    if result.numbers and result.withheld:
        measured += [Line(tied(label(text, 600)), "reason") for text in beside_text(result, names)]
    machines = {series.machine for series in bench.series if series.machine}
    if result.machine and len(machines) > 1:
        measured.append(Line(f"on machine {label(result.machine, 20)}", "reason"))
    decided = state in DECIDED
    most = MOST_SHOWN if decided else MOST_SHOWN_UNDECIDED
    shown, more = measured[:most], measured[most:]
    if result.numbers:
        shown += [
            Line(missing_text(one, names, result.profile), "reason") for one in result.missing
        ]
    if decided and (margin := margin_text(claim.rule)):
        shown.append(Line(f"required: {margin}", "reason"))
    rule = tied(label(rule_text(bench.plan, claim.rule, names), 400))
    more_title = f"{len(more)} more, rule" if more else "rule"
    more.append(Line(f"The rule: {rule}."))
    note = label(claim.note, 200)
    if note and not decided:
        more.append(Line(note, "reason"))
    if published := published_text(bench.plan, claim.rule, names):
        more.append(Line(tied(label(published, 400)), "reason"))
    return table_row(
        entry(label(claim.text, 400), *under(note if decided else "", "detail")),
        Entry((), badges=(badge, *origin_badges([result.stand_in]))),
        _said_by(bench, claim),
        entry(*shown, more=tuple(more), more_title=more_title),
        facets=Facets(
            tuple(dict.fromkeys(map(bench.title_of, devices))),
            (STATES[state],),
            (SPEAKERS[claim.by],),
        ),
    )


PATH = "claims.html"


def units_of(benches: Sequence[BenchmarkView]) -> Units | None:
    """A square for each claim, a row for those of one speaker; None where no spec makes one."""
    places = {
        id(result): f"{PATH}#{claim_id(bench, number)}"
        for bench in benches
        for number, result in enumerate(bench.tested)
    }
    every = [result for bench in benches for result in bench.tested]
    rows = []
    for by, words in SPEAKERS.items():
        own = closest_first(result for result in distinct(every) if result.claim.by == by)
        items = tuple(
            Unit(
                label(result.claim.text, 200),
                places[id(result)],
                result.state.name.lower(),
                STATES[result.state],
                ratio_text(result) * (result.state in DECIDED),
            )
            for result in own
        )
        if items:
            decided = sum(result.state in DECIDED for result in own)
            rows.append(UnitRow(sentence(words), f"{decided}/{len(own)} decided", items))
    keys = (
        (state.name.lower(), state_words(state, count), count)
        for state, count in state_counts(every).items()
    )
    return Units(tuple(rows), tuple(keys)) if rows else None


def claims_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page: what is decided, then what is not, by what would decide it."""
    every = [result for bench in benches for result in bench.tested]
    units = units_of(benches)
    sections: list[Section] = []
    again = [rerun for rerun in outcome_of(benches).reruns if rerun.claims]
    reruns = {id(claim) for rerun in again for claim in rerun.claims}
    commands = Links(
        tuple(
            Link(clean(run.command), "", quantity.plural(len(run.claims), "claim"), "")
            for run in again
        )
    )
    for name, title, states in GROUPS:
        rows = [
            (bench, own)
            for bench in benches
            if (own := closest_first(
                r for r in bench.tested if r.state in states
                and (states != OPEN or (id(r) in reruns) is (name == "undecided"))
            ))
        ]  # fmt: skip
        firsts = closest_first(own[0] for _, own in rows)
        rows.sort(key=lambda row: states == OPEN and firsts.index(row[1][0]))
        if rows:
            table = claims_table(f"{name}-table", title, rows)
            count = quantity.count(sum(len(own) for _, own in rows))
            blocks = (commands, table) if name == "undecided" else (table,)
            sections.append(Section(name, title, blocks, folded=bool(sections), detail=count))
    return Page(
        path=PATH,
        title="Claims",
        headline=decided_text(every) if every else "No claims",
        sections=tuple(sections),
        opening=Section("verdicts", "Verdicts", (units,)) if units else None,
        template="tables.html",
        finding="",
        notices=notices_of(benches),
    )
