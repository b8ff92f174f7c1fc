"""Claims with their verdicts, the rules and the numbers; and every claim of every spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby

from accelreport.analysis.claims import ClaimResult, ClaimState, Lack, Number, distinct
from accelreport.report import quantity
from accelreport.report.claim_text import (
    SPEAKERS,
    STATES,
    beside_text,
    claims_sentence,
    decided_text,
    number_text,
    numbers_text,
    place_text,
    published_text,
    rule_text,
    source_of,
    state_counts,
    states_text,
)
from accelreport.report.metrics import FIGURES, QUANTITIES, axis_title, is_share, metric_title
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Entry,
    Facets,
    Line,
    Page,
    Prose,
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
from accelreport.report.pages.badges import benchmark_rows, kind_text, origin_badges
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.quantity import EN_DASH, SPACE, setting
from accelreport.report.text import label, sentence, slug, tied
from accelreport.report.view import BenchmarkView
from accelreport.spec.claims import (
    Check,
    Claim,
    DifferenceCheck,
    EquivalentCheck,
    Names,
    QuantisedCheck,
)

ABSENT = "Claims that were not tested here"

HOW_TESTED = (
    "A rule in the spec tests each claim. A claim is confirmed or refuted only when the whole "
    "interval lies on one side."
)
DECIDED = frozenset({ClaimState.CONFIRMED, ClaimState.REFUTED})

MOST_SHOWN, MOST_SHOWN_UNDECIDED = 3, 1
"""Lines of numbers beside a claim; a reader opens the others together with the rule."""

MOST_APART = 6
"""Numbers with intervals that each get a line of their own."""

MOST_TOLD = 24
"""Numbers of which each is told; of more, only the ends, since a file has them all."""


def number_lines(evidence: Sequence[Number], names: Names) -> list[str]:
    """One line for each number; one for each run along an axis where that is readable.

    Args:
        evidence: the numbers of a claim, in the order of the sweep.
        names: what the page calls devices and swept keys.
    """
    told = [each for each in evidence if not _in_words(each)]
    between = len(told) - 2 if len(told) > MOST_TOLD else 0
    if between:
        told = sorted(told, key=lambda each: each.interval.value)[:: len(told) - 1]
    words = [_told(number_text(each, names), 300) for each in evidence if _in_words(each)]
    counts = {_count(each) for each in told}
    shared = f"{counts.pop()} each" if len(counts) == 1 else ""
    lines, last = [], []
    for (held, axis), found in groupby(told, lambda each: _place(each, names)):
        run = list(found)
        if not axis or len(run) == 1 or (_intervals(run) and len(told) <= MOST_APART):
            lines += [_line(_told(place_text(each, names, " "), 160), each) for each in run]
        else:
            numbers = ", ".join(_number(each, "" if shared else _count(each)) for each in run)
            lines.append(f"{_told(_span(held, axis, run, names), 160)}: {numbers}")
            last = [shared] if shared else []
    rest = f"{between} others lie between them; the file of this table has each"
    return lines + last + [rest] * bool(between) + words


def _in_words(each: Number) -> bool:
    """Whether a number is a count, or a refusal, that has no interval."""
    return each.refused is not None or each.quantity == "out_of_memory"


def _place(each: Number, names: Names) -> tuple[str, str]:
    """The sweep point without its last axis, and that axis; empty where none tells it apart."""
    if each.seed is not None or not each.point:
        return place_text(each, names, " "), ""
    *others, axis = each.point
    held = {other: each.point[other] for other in others}
    return place_text(replace(each, point=held, peak=None), names, " "), axis


def _intervals(run: Sequence[Number]) -> bool:
    return any(each.interval.known for each in run)


def _line(where: str, each: Number) -> str:
    number = _number(each, _count(each))
    return f"{where}: {number}" if where else number


def _span(held: str, axis: str, run: Sequence[Number], names: Names) -> str:
    values = [
        names.value(each.point[axis]) + ("" if each.peak is None else f" (peak {each.peak:g})")
        for each in run
    ]
    return ", ".join(part for part in (held, f"{names.axis(axis)} {', '.join(values)}") if part)


def _count(each: Number) -> str:
    """Processes behind a number."""
    known = each.interval.known
    return f"n{SPACE}={SPACE}{quantity.count(each.interval.n)}" if known else "one process"


def _number(each: Number, count: str) -> str:
    """A number with its unit and interval, and what is said of its processes."""
    value, interval = _said(each)
    inner = ", ".join(part for part in (interval, count) if part)
    return f"{value} ({inner})" if inner else value


def _said(each: Number) -> tuple[str, str]:
    """A value and its interval in the unit of its quantity."""
    name, found = each.quantity, each.interval
    value, low, high, known = found.value, found.low, found.high, found.known
    bounds = (low, high) if known else (None, None)
    if name.endswith("_time"):
        text = quantity.duration(value, *bounds)
        return text, quantity.duration_interval(low, high, value) if known else ""
    if name in {"ratio", "speedup"}:
        text = quantity.ratio(value, *bounds)
        return text, quantity.ratio_interval(low, high, value) if known else ""
    if name == _POINTS:
        ends = " to ".join(quantity.signed(100 * end, 2) for end in (low, high))
        return quantity.points(value), ends if known else ""
    unit = _UNITS.get(name, "")
    if is_share(name):
        unit = f"{SPACE}%"
        value, low, high = 100 * value, 100 * low, 100 * high
    if not known:
        return quantity.number(value) + unit, ""
    places = quantity.decimals(value, low, high)
    if name == "difference":  # it may be near 0: the interval alone says what is known of it
        places = max(quantity.decimals(high - low) - 1, 0)
    joint = EN_DASH if low >= 0 else " to "
    interval = f"{quantity.fixed(low, places)}{joint}{quantity.fixed(high, places)}{unit}"
    return quantity.fixed(value, places) + unit, interval


_UNITS = {
    "tflops": f"{SPACE}TFLOPS",
    "tflops_cold": f"{SPACE}TFLOPS",
    "throughput": f"{SPACE}samples/s",
}
"""Units of quantities that have one beside seconds."""

_POINTS = "points"
"""A difference of two shares, which pages tell in percentage points."""


def _in_points(found: ClaimResult) -> list[Number]:
    """The numbers of a claim, of which differences of shares are called so."""
    share = is_share(_differing(found.claim.check))
    return [
        replace(each, quantity=_POINTS) if share and each.quantity == "difference" else each
        for each in found.numbers
    ]


def _differing(check: Check) -> str:
    """The quality that a check takes the difference of; empty for any other check."""
    if isinstance(check, EquivalentCheck):
        return check.equivalent
    if isinstance(check, QuantisedCheck):
        return check.quantised_costs
    return check.quality if isinstance(check, DifferenceCheck) else ""


def _told(text: str, most: int) -> str:
    return tied(label(text, most))


_TONES: dict[ClaimState, Tone] = {
    ClaimState.CONFIRMED: "good",
    ClaimState.REFUTED: "bad",
    ClaimState.UNDECIDED: "loud",
    ClaimState.WITHHELD: "loud",
}


def claims_section(bench: BenchmarkView) -> Section | None:
    """The section of a benchmark; None where its spec makes no claim.

    Claims about devices or sweep points of which this run has nothing are counted in a line, and
    stand in a table that a reader has to open.
    """
    if not bench.tested:
        return None
    tested = [found for found in bench.tested if not _elsewhere(found)]
    absent = [found for found in bench.tested if _elsewhere(found)]
    file = Download(f"{bench.slug}/claims.csv", "CSV")
    blocks: list[Block] = []
    if tested:
        table = claims_table("claims-table", "Each claim, and what was measured", [(bench, tested)])
        blocks.append(replace(table, caption=HOW_TESTED, download=file))
    if absent:
        table = claims_table("claims-absent", ABSENT, [(bench, absent)])
        download = None if tested else file
        blocks += [Prose(_why_absent(bench)), replace(table, folded=True, download=download)]
    title = f"Claims: {states_text(state_counts(bench.tested))}"
    finding = f"{claims_sentence(bench.tested)}.{_of_synthetic(bench.tested)}"
    return Section("claims", title, tuple(blocks), finding=finding, folded=True)


def _of_synthetic(every: Sequence[ClaimResult]) -> str:
    """How many verdicts come from synthetic data; empty where none does."""
    synthetic = sum(each.stand_in == "synthetic" for each in distinct(every))
    if synthetic and synthetic == sum(each.tested for each in distinct(every)):
        return " Every verdict comes from synthetic data."
    verdicts = quantity.plural(synthetic, "verdict comes", "verdicts come")
    return f" {verdicts} from synthetic data." if synthetic else ""


def claim_id(bench: BenchmarkView, number: int) -> str:
    """Id of the row of a claim: the benchmark's, and its place among what was tested."""
    return f"claim-{bench.slug.replace('.', '-')}-{number}"


def absent_devices(found: ClaimResult) -> list[str]:
    """The devices for lack of which a claim was not tested."""
    if found.tested:
        return []
    return [each.device for each in found.missing if each.lack is Lack.DEVICE]


def _elsewhere(found: ClaimResult) -> bool:
    """Whether a claim was not tested because the run has neither its devices nor its points."""
    if found.tested:
        return False
    return bool(absent_devices(found)) or all(
        each.lack is Lack.POINTS or (each.lack is Lack.NUMBER and not each.results)
        for each in found.missing
    )


def _why_absent(bench: BenchmarkView) -> str:
    """For lack of which devices or points claims were not tested, and why those have no number."""
    needed = Counter(chain.from_iterable(map(absent_devices, bench.tested)))
    names = []
    for name, _ in needed.most_common():
        reasons = {kind_text(row) for row in bench.results if row.device == name}
        why = quantity.listed(sorted(reasons or {"not in the plan"}))
        names.append(f"{bench.title_of(name)} ({why})")
    said = [f"Devices that were not measured here: {quantity.listed(names)}."] if names else []
    if any(_elsewhere(found) and not absent_devices(found) for found in bench.tested):
        said.append("Some claims are about sweep points that this run leaves out.")
    return " ".join(said)


Claims = Sequence[tuple[BenchmarkView, Sequence[ClaimResult]]]
"""Benchmarks with some of their claims."""


def claims_table(name: str, title: str, claims: Claims) -> Table:
    """Some claims of one benchmark, or of several under their titles."""
    groups = []
    for bench, some in claims:
        numbers = {id(found): number for number, found in enumerate(bench.tested)}
        rows = tuple(
            replace(claim_row(bench, found), id=claim_id(bench, numbers[id(found)]))
            for found in some
        )
        groups.append(benchmark_rows(bench, rows) if len(claims) > 1 else RowGroup(rows))
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
        return bench.title_of(name) if name in bench.plan.devices else name

    def quantity_name(name: str) -> str:
        if name in FIGURES:
            return QUANTITIES.get(name, FIGURES[name][0])
        return metric_title(name) if name.startswith("val_") else name.replace("_", " ")

    def difference(quality: str, amount: float) -> str:
        return quantity.percentage_points(amount) if is_share(quality) else f"{amount:g}"

    return Names(device, quantity_name, axis_title, setting, difference)


def _untested(bench: BenchmarkView, found: ClaimResult) -> str:
    """Which devices a claim would need, and why they have no number."""
    reasons: dict[str, list[str]] = {}
    for name in (each.device for each in found.missing if each.lack is Lack.DEVICE):
        rows = [row for row in bench.results if row.device == name]
        if name in bench.plan.devices and rows:
            why = quantity.listed(sorted({kind_text(row) for row in rows}))
            reasons.setdefault(why, []).append(bench.title_of(name))
    if not reasons:
        return _told(numbers_text(found, names_of(bench)), 600)
    return "; ".join(
        f"{quantity.listed(sorted(who))} not measured: {why}" for why, who in reasons.items()
    )


def _measured(bench: BenchmarkView, found: ClaimResult) -> list[Line]:
    """The numbers one under another; the sentence of the analysis where there are none."""
    lines = number_lines(_in_points(found), names_of(bench))
    return [Line(line) for line in lines] or [Line(_untested(bench, found))]


def _said_by(bench: BenchmarkView, claim: Claim) -> Entry:
    """Who published a claim, the page's own source by authors and year; or who else makes it."""
    who, own = source_of(bench.plan, claim), bench.plan.source
    if own and own.authors and who == own.title:
        who = f"{label(own.authors, 60)} {own.year or ''}".rstrip()
    return entry(Line(label(who, 160) or SPEAKERS[claim.by], "detail"))


def claim_row(bench: BenchmarkView, found: ClaimResult) -> Row:
    """A claim with its state, what was measured, the rule and who said it."""
    state, claim = found.state, found.claim
    named = set(claim.check.model_dump(include={"faster", "of", "over", "than"}).values())
    devices = [name for name in bench.plan.devices if name in named] or bench.plan.devices
    badge = Badge(*STATES[state], _TONES.get(state, "quiet"))
    measured = _measured(bench, found)
    if found.numbers and found.withheld:
        measured += [
            Line(_told(each, 600), "reason") for each in beside_text(found, names_of(bench))
        ]
    machines = {series.machine for series in bench.series if series.machine}
    if found.machine and len(machines) > 1:
        measured.append(Line(f"on machine {label(found.machine, 20)}", "reason"))
    decided = state in DECIDED
    most = MOST_SHOWN if decided else MOST_SHOWN_UNDECIDED
    shown, more = measured[:most], measured[most:]
    rule = _told(rule_text(bench.plan, claim.check, names_of(bench)), 400)
    more_title = f"{quantity.plural(len(more), 'more line')} and the rule" if more else "the rule"
    more.append(Line(f"The rule: {rule}."))
    note = label(claim.note, 200)
    if note and not decided:
        more.append(Line(note, "reason"))
    if published_text(bench.plan, claim.check):
        more.append(Line("Published figures bear on it as well.", "reason"))
    return table_row(
        entry(label(claim.text, 400), *under(note if decided else "", "detail")),
        Entry((), badges=(badge, *origin_badges([found.stand_in]))),
        _said_by(bench, claim),
        entry(*shown, more=tuple(more), more_title=more_title),
        facets=Facets(
            tuple(dict.fromkeys(map(bench.title_of, devices))),
            (STATES[state][0],),
            (SPEAKERS[claim.by],),
        ),
    )


PATH = "claims.html"
"""Where the page lies."""


def units_of(benches: Sequence[BenchmarkView]) -> Units | None:
    """A square for each claim, a row for those of one speaker; None where no spec makes one."""
    places = {
        id(found): f"{PATH}#{claim_id(bench, number)}"
        for bench in benches
        for number, found in enumerate(bench.tested)
    }
    every = [found for bench in benches for found in bench.tested]
    order = list(ClaimState)
    rows = []
    for by, words in SPEAKERS.items():
        own = [found for found in distinct(every) if found.claim.by == by]
        own.sort(key=lambda found: order.index(found.state))
        items = tuple(
            Unit(
                label(found.claim.text, 200),
                places[id(found)],
                found.state.name.lower(),
                STATES[found.state][0],
            )
            for found in own
        )
        if items:
            decided = sum(found.state in DECIDED for found in own)
            rows.append(UnitRow(sentence(words), f"{decided} of {len(own)} decided", items))
    keys = (
        (state.name.lower(), STATES[state][0], count)
        for state, count in state_counts(every).items()
    )
    return Units(tuple(rows), tuple(keys)) if rows else None


def claims_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page: what is decided, and the other claims of each benchmark, to be opened."""
    every = [found for bench in benches for found in bench.tested]
    units = units_of(benches)
    if units is None:
        text = "A `[[claims]]` table in a spec is tested here."
        section = Section("claims", "Claims", (Prose(text),))
        finding = "No spec makes a claim."
        return Page(PATH, "Claims", finding, (section,), "tables.html", notices=notices_of(benches))
    decided = [
        (bench, own)
        for bench in benches
        if (own := [found for found in bench.tested if found.state in DECIDED])
    ]
    blocks: list[Block] = [units]
    if decided:
        blocks.append(claims_table("claims-table", "Confirmed and refuted claims", decided))
    sections = [Section("claims", "What is decided", tuple(blocks))]
    for bench in benches:
        if rest := [found for found in bench.tested if found.state not in DECIDED]:
            name = f"of-{slug(bench.slug)}"
            table = claims_table(f"{name}-table", f"Not decided: {bench.named}", [(bench, rest)])
            detail = states_text(state_counts(rest))
            sections.append(Section(name, bench.named, (table,), folded=True, detail=detail))
    return Page(
        path=PATH,
        title="Claims",
        headline=decided_text(every),
        finding=HOW_TESTED + _of_synthetic(every),
        sections=tuple(sections),
        template="tables.html",
        notices=notices_of(benches),
    )
