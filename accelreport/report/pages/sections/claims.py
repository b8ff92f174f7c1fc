"""Claims with their verdicts, the rules and the numbers; and every claim of every spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from accelreport.analysis.claims import ClaimResult, ClaimState, Lack, Number, distinct
from accelreport.analysis.outcome import Rerun, outcome_of
from accelreport.analysis.speedup import Why
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.claim_text import (
    SPEAKERS,
    STATES,
    amount_text,
    beside_text,
    decided_text,
    foremost,
    measured_lines,
    measured_parts,
    missing_text,
    numbers_text,
    published_text,
    rule_text,
    source_of,
    state_counts,
    state_words,
    states_text,
    usual_runs,
    values_text,
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
    Measure,
    Page,
    Row,
    RowGroup,
    Section,
    Strip,
    Table,
    Unit,
    UnitRow,
    Units,
    entry,
    table_row,
    under,
)
from accelreport.report.notices import notices_of, scope_text
from accelreport.report.pages.badges import (
    USER_SUPPLIED,
    benchmark_rows,
    kind_text,
    origin_badges,
    tried_kinds,
)
from accelreport.report.quantity import setting
from accelreport.report.text import clean, label, sentence, short_hardware, tied
from accelreport.report.view import BenchmarkView, processor_kinds
from accelreport.spec.claims import (
    BoundCheck,
    Claim,
    EquivalentCheck,
    Names,
    QuantisedCheck,
    Rule,
    TrendCheck,
)

DECIDED = frozenset({ClaimState.CONFIRMED, ClaimState.REFUTED})

UNTESTED = frozenset({ClaimState.NOT_MEASURED, ClaimState.NEEDS_DEVICE})
"""States of claims that something has to be measured for."""
OPEN = frozenset(ClaimState) - DECIDED - UNTESTED
GROUPS = (
    ("refuted", "Refuted", frozenset({ClaimState.REFUTED})),
    ("claims", "Confirmed", frozenset({ClaimState.CONFIRMED})),
    ("undecided", "Undecided: more repeats may decide", OPEN),
    ("open", "Undecided", OPEN),
    ("unmeasured", "Not measured", frozenset({ClaimState.NOT_MEASURED})),
    ("device", "Device missing", frozenset({ClaimState.NEEDS_DEVICE})),
)
"""Sections of the page of claims, by what decides a claim: a rerun, a run, another device."""
MOST_SHOWN, MOST_SHOWN_UNDECIDED = 4, 1
"""Lines of numbers beside a claim; a reader opens the others together with the rule."""


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
        tables.append(claims_table("claims-table", "Tested", [(bench, tested)], headed=False))
    if untested:
        counts = state_counts(untested)
        own = [(bench, untested)]
        title, named = states_text(counts), len(counts) > 1
        table = claims_table("untested-table", title, own, named=named, headed=False)
        tables.append(replace(table, folded=bool(tested)))
    detail = states_text(state_counts(bench.tested))
    detail = " · ".join(filter(None, (detail, usual_runs(bench.tested))))
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


def claims_table(
    name: str, title: str, claims: Claims, *, named: bool = True, headed: bool = True
) -> Table:
    """Some claims of benchmarks, `headed` by their titles except on a benchmark's own page.

    Who says most of a benchmark's claims stands in its heading, and others under their claims; its
    own page names an only source above. Without `named` no row has a verdict: the title says it.
    """
    groups = []
    for bench, some in claims:
        numbers = {id(result): number for number, result in enumerate(bench.tested)}
        speakers = Counter(_speaker_of(bench, result.claim) for result in bench.tested)
        usual = max(speakers, key=lambda who: (who not in SPEAKERS.values(), speakers[who]))
        sources = speakers.keys() - set(SPEAKERS.values())
        several = not headed and (len(sources) > 1 or usual == SPEAKERS["accelreport"])
        count, own = usual_runs(some if headed else bench.tested), any(r.own_files for r in some)
        rows = []
        for result in some:
            who = _speaker_of(bench, result.claim)
            who = who if several or who != usual else ""
            row = claim_row(bench, result, who, count, named=named)
            rows.append(replace(row, id=claim_id(bench, numbers[id(result)])))
        group = RowGroup(tuple(rows))
        if headed:
            group = benchmark_rows(bench, rows)
            detail = (usual, group.detail, count, USER_SUPPLIED.text * own)
            group = replace(group, detail=" · ".join(filter(None, detail)))
        groups.append(group)
    rows = [row for group in groups for row in group.rows]
    strips = [one.strip for row in rows for one in row.entries[1].measures]
    share = f"{quantity.SPACE}%"
    ends = f", ○ 90{share}" * any(strip and strip.open for strip in strips)
    return Table(
        id=name,
        title=title,
        corner="claim",
        columns=(Column("verdict"), Column(f"measured (95{share} interval{ends})", "claimed")),
        groups=tuple(groups),
        style="prose verdicts",
    )


def names_of(bench: BenchmarkView) -> Names:
    """What the page calls devices, quantities and swept keys.

    A device has its precision where another one of its name has another precision.
    """
    rows = bench.plan.devices

    def device(name: str) -> str:
        if name not in rows:
            return f"“{name}”"
        title, own = bench.title_of(name), rows[name].precision
        others = (other for other in rows if bench.title_of(other).startswith(f"{title}, "))
        apart = any(rows[other].precision != own for other in others)
        return f"{title}, {own}" if apart else title

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
        why = missing_text(replace(missing, device=""), names_of(bench), result.profile)
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


def _speaker_of(bench: BenchmarkView, claim: Claim) -> str:
    """Who published a claim, the page's own source by authors and year; or who else makes it."""
    who, own = source_of(bench.plan, claim), bench.plan.source
    if own and own.authors and who == own.title:
        who = f"{label(own.authors, 60)} {own.year or ''}".rstrip()
    return label(who, 160) or SPEAKERS[claim.by]


def claim_row(
    bench: BenchmarkView, result: ClaimResult, who: str, usual: str, *, named: bool = True
) -> Row:
    """A claim with its state, what was measured, the rule and who said it.

    The heading has the state where it is not `named`, and a `usual` number of processes.
    """
    state, claim, names = result.state, result.claim, names_of(bench)
    named_here = set(claim.rule.model_dump(include={"of", "over"}).values())
    devices = [name for name in bench.plan.devices if name in named_here] or bench.plan.devices
    badge = Badge(STATES[state], STATES[state], f"unit {state.name.lower()}")
    decided = state in DECIDED
    along = isinstance(claim.rule, TrendCheck)
    most = MOST_SHOWN if decided or along else MOST_SHOWN_UNDECIDED
    result = replace(result, numbers=foremost(result.numbers, most))
    parts = measured_parts(result, names, usual)
    strips = _strips(claim.rule, names, [part.number for part in parts])
    shown = [] if parts else [Line(line) for line in measured_lines(result, names)]
    shown = shown or [Line(_untested(bench, result))] * (not parts)
    more = [Line(" ".join(filter(None, part[:3]))) for part in parts[most:]] or shown[most:]
    shown = shown[:most]
    note = label(claim.note, 200)
    beside = [note * decided, who, *(mark.text for mark in origin_badges([result.stand_in]))]
    if result.numbers and result.withheld:
        beside += [*beside_text(result, names), *_processors_of(bench, result)]
    machines = {series.machine for series in bench.series if series.machine}
    if result.machine and len(machines) > 1:
        beside.append(f"on machine {label(result.machine, 20)}")
    if result.numbers:
        beside += [missing_text(one, names, result.profile) for one in result.missing]
    rule = tied(label(rule_text(bench.plan, claim.rule, names), 400))
    more_title = f"{len(more)} more" if more else "rule"
    more.append(Line(f"The rule: {rule}."))
    if note and not decided:
        more.append(Line(note, "reason"))
    if published := published_text(bench.plan, claim.rule, names):
        more.append(Line(tied(label(published, 400)), "reason"))
    measures = tuple(
        Measure(label(part.place, 160), part.value, part.rest, strip)
        for part, strip in zip(parts[:most], strips, strict=False)
    )
    under_it = under(tied(label(" · ".join(filter(None, beside)), 900)), "detail")
    return table_row(
        entry(tied(label(claim.text, 400)), *under_it),
        Entry((), badges=(badge,) * named),
        entry(*shown, more=tuple(more), more_title=more_title, measures=measures),
        facets=Facets(
            tuple(dict.fromkeys(map(bench.title_of, devices))),
            (STATES[state],),
            (SPEAKERS[claim.by],),
        ),
    )


def _processors_of(bench: BenchmarkView, result: ClaimResult) -> list[str]:
    """On which processors a precision was compared: what their units multiply decides it."""
    if all(withheld.why is not Why.PRECISION for withheld in result.withheld):
        return []
    rows = [row for number in result.numbers for row in number.processes]
    cpus = [row for row in rows if bench.plan.devices[row.device].kind == "CPU"]
    records = [record for row in cpus if (record := bench.record(row))]
    names = sorted({short_hardware(row.hardware) for row in cpus})
    where = (record.environment for record in records if record.environment)
    texts = filter(None, map(quantity.listed, (names, [*processor_kinds(where)])))
    return [f"on {', '.join(texts)}"] if names else []


def _limits(rule: Rule, names: Names, bounds: Sequence[float]) -> str:
    """The bounds in a few letters with their unit once, to stand below their ticks."""
    if isinstance(rule, BoundCheck) and not rule.difference:
        texts = [f"{b:g}×" if rule.ratio else names.amount(rule.compared, b) for b in bounds]
    else:
        share = isinstance(rule, QuantisedCheck) or is_share(
            rule.equivalent if isinstance(rule, EquivalentCheck) else getattr(rule, "compared", "")
        )
        noun = "point" + "s" * (max(map(abs, bounds)) != 0.01)
        texts = [
            f"{quantity.short(100 * b)} {noun}" if share and b else quantity.short(b)
            for b in bounds
        ]
    if isinstance(rule, EquivalentCheck):
        return f"±{texts[-1]}"
    unit = texts[-1].lstrip("\N{MINUS SIGN}-.,0123456789")
    return quantity.EN_DASH.join([*(text.removesuffix(unit) for text in texts[:-1]), texts[-1]])


def _strips(rule: Rule, names: Names, numbers: Sequence[Number]) -> list[Strip | None]:
    """Each number's interval against the bounds of a rule, on one scale; None of a single run."""
    bounds = rule.bounds if isinstance(rule, BoundCheck) else (None, None)
    if isinstance(rule, EquivalentCheck):
        bounds = -rule.within, rule.within
    elif isinstance(rule, QuantisedCheck):
        bounds = None, -rule.negligible
    intervals = [number.interval for number in numbers]
    ticks = [bound for bound in bounds if bound is not None]
    ends = [*ticks, *(end for i in intervals if i.known for end in (i.low, i.high))] or [0.0]
    least, most = min(ends), max(ends)
    air = 0.08 * ((most - least) or 1)

    def place(amount: float) -> float:
        return round(100 * (amount - least + air) / (most - least + 2 * air), 1)

    low, high = (
        edge if bound is None else place(bound)
        for bound, edge in zip(bounds, (0, 100), strict=True)
    )
    marks = tuple((place(tick), _limits(rule, names, ticks)) for tick in ticks)
    within = (low, high) if ticks else (0.0, 0.0)
    wide = isinstance(rule, EquivalentCheck)
    return [
        Strip(place(i.low), place(i.value), place(i.high), marks, within, wide) if i.known else None
        for i in intervals
    ]


PATH = "claims.html"


def units_of(benches: Sequence[BenchmarkView]) -> Units | None:
    """A square for each claim, a row for those of one speaker; None where no spec makes one."""
    places = {
        id(result): (f"{PATH}#{claim_id(bench, number)}", f" ({label(bench.plan.title, 60)})")
        for bench in benches
        for number, result in enumerate(bench.tested)
    }
    every = [result for bench in benches for result in bench.tested]
    texts = Counter(result.claim.text for result in distinct(every))
    rows = []
    for by, words in SPEAKERS.items():
        own = closest_first(result for result in distinct(every) if result.claim.by == by)
        items = tuple(
            Unit(
                tied(label(result.claim.text, 200)) + where * (texts[result.claim.text] > 1),
                place,
                result.state.name.lower(),
                STATES[result.state],
                values_text(result) * (result.state in DECIDED),
                USER_SUPPLIED.text * (result.own_files and result.state in DECIDED),
            )
            for result in own
            for place, where in [places[id(result)]]
        )
        if items:
            decided = sum(result.state in DECIDED for result in own)
            rows.append(UnitRow(sentence(words), f"{decided}/{len(own)} decided", items))
    keys = (
        (state.name.lower(), state_words(state, count), count)
        for state, count in state_counts(every).items()
    )
    return Units(tuple(rows), tuple(keys)) if rows else None


def _of_claims(run: Rerun[BenchmarkView]) -> Rerun[BenchmarkView]:
    """A run of the benchmarks of its claims, without those of its comparisons alone."""
    own = (claim.spec for claim in run.claims)
    return replace(run, specs=tuple(dict.fromkeys(own)) if run.specs else ())


def claims_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page: what is decided, then what is not, by what would decide it."""
    every = [result for bench in benches for result in bench.tested]
    units = units_of(benches)
    sections: list[Section] = []
    again = [rerun for rerun in outcome_of(benches).reruns if rerun.claims]
    reruns = {id(claim) for rerun in again for claim in rerun.claims}
    commands = Links(
        tuple(
            Link(clean(_of_claims(run).command), "", quantity.plural(len(run.claims), "claim"), "")
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
            one = len(states) == 1  # the heading says it, and no row again
            folded = bool(sections) and not states <= DECIDED
            table = claims_table(f"{name}-table", title, rows, named=not one)
            blocks = (commands, table) if name == "undecided" else (table,)
            claims = distinct(claim for _, own in rows for claim in own)
            detail = quantity.plural(len(claims), "claim") * folded
            sections.append(Section(name, title, blocks, folded=folded, detail=detail))
    return Page(
        path=PATH,
        title="Claims",
        headline=decided_text(every) if every else "No claims",
        kicker=scope_text(benches),
        sections=tuple(sections),
        opening=Section("verdicts", "Verdicts", (units,)) if units else None,
        template="tables.html",
        finding="",
        notices=notices_of(benches),
    )
