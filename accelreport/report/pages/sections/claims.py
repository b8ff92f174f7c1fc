"""Claims with their verdicts, the rules and the numbers; and every claim of every spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from accelreport.analysis.claims import (
    SIGNED,
    ClaimResult,
    ClaimVerdict,
    Lack,
    Number,
    PrintedVerdict,
    printed_verdict,
)
from accelreport.report import formatting
from accelreport.report.claim_text import (
    beside_text,
    number_text,
    numbers_text,
    place_text,
    published_text,
    rule_text,
    source_of,
)
from accelreport.report.formatting import EN_DASH, SPACE, setting
from accelreport.report.metrics import FIGURES, QUANTITIES, is_share, metric_title
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Entry,
    Line,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Tone,
    Unit,
    Units,
    entry,
)
from accelreport.report.pages.badges import kind_text, origin_badges
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.text import label, tied
from accelreport.report.view import BenchmarkView
from accelreport.spec.claims import (
    Check,
    Claim,
    DifferenceCheck,
    EquivalentCheck,
    Names,
    QuantisedCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)

ABSENT = "Claims that were not tested here"

MOST_SHOWN = 3
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
    return f"n{SPACE}={SPACE}{formatting.count(each.interval.n)}" if known else "one process"


def _number(each: Number, count: str) -> str:
    """A number with its unit and interval, and what is said of its processes."""
    value, interval = _said(each)
    inner = ", ".join(part for part in (interval, count) if part)
    return f"{value} ({inner})" if inner else value


def _said(each: Number) -> tuple[str, str]:
    """A value and its interval in the unit of its quantity."""
    quantity, found = each.quantity, each.interval
    value, low, high, known = found.value, found.low, found.high, found.known
    bounds = (low, high) if known else (None, None)
    if quantity.endswith("_time"):
        text = formatting.duration(value, *bounds)
        return text, formatting.duration_interval(low, high, value) if known else ""
    if quantity in {"ratio", "speedup"}:
        text = formatting.ratio(value, *bounds)
        return text, formatting.ratio_interval(low, high, value) if known else ""
    if quantity == _POINTS:
        ends = " to ".join(formatting.signed(100 * end, 2) for end in (low, high))
        return formatting.points(value), ends if known else ""
    unit = _UNITS.get(quantity, "")
    if is_share(quantity):
        unit = f"{SPACE}%"
        value, low, high = 100 * value, 100 * low, 100 * high
    if not known:
        return formatting.number(value) + unit, ""
    places = formatting.decimals(value, low, high)
    if quantity == "difference":  # it may be near 0: the interval alone says what is known of it
        places = max(formatting.decimals(high - low) - 1, 0)
    joint = EN_DASH if low >= 0 else " to "
    interval = f"{formatting.fixed(low, places)}{joint}{formatting.fixed(high, places)}{unit}"
    return formatting.fixed(value, places) + unit, interval


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


_TONES: dict[ClaimVerdict, Tone] = {
    ClaimVerdict.CONFIRMED: "good",
    ClaimVerdict.REFUTED: "bad",
    ClaimVerdict.UNDECIDED: "loud",
    ClaimVerdict.WITHHELD: "loud",
}
_MEANINGS = {
    ClaimVerdict.CONFIRMED: "The whole interval fulfils the rule.",
    ClaimVerdict.REFUTED: "The whole interval contradicts the rule.",
    ClaimVerdict.UNDECIDED: "The interval holds both, or there is none.",
    ClaimVerdict.WITHHELD: "What the rule compares must not be compared.",
    ClaimVerdict.NOT_TESTED: "A number that the rule needs was not measured.",
}


def claims_section(benches: Sequence[BenchmarkView]) -> Section | None:
    """The section of one benchmark, or of all; None where no spec makes a claim.

    Claims about devices or sweep points of which this run has nothing are counted in a line, and
    stand in a table that a reader has to open.
    """
    every = [found for bench in benches for found in bench.tested]
    if not every:
        return None
    counts = {verdict: sum(each.verdict is verdict for each in every) for verdict in ClaimVerdict}
    said = [f"{count} {verdict.lower()}" for verdict, count in counts.items() if count]
    finding = f"Of {formatting.plural(len(every), 'claim')}: {formatting.listed(said)}."
    if made_up := sum(each.stand_in == "synthetic" for each in every):
        finding += f" {_made_up(made_up, sum(each.tested for each in every))}"
    blocks: list[Block] = []
    tested = _table(benches, absent=False)
    if tested.groups:
        blocks.append(tested)
    absent = _table(benches, absent=True)
    if absent.groups:
        download = None if blocks else absent.download
        why = " ".join(filter(None, (_absent_text(benches), _unplanned_text(benches))))
        blocks += [Prose(why), replace(absent, download=download)]
    title = "Claims" if len(benches) == 1 else "Claims and verdicts"
    return Section("claims", title, tuple(blocks), finding=finding)


def claim_id(bench: BenchmarkView, number: int) -> str:
    """Id of the row of a claim: the benchmark's, and its place among what was tested."""
    return f"claim-{bench.slug.replace('.', '-')}-{number}"


def absent_devices(found: ClaimResult) -> list[str]:
    """The devices for lack of which a claim was not tested."""
    if found.tested:
        return []
    return [each.device for each in found.missing if each.lack is Lack.DEVICE]


def _needs_device(bench: BenchmarkView, found: ClaimResult) -> bool:
    """Whether another device would be needed, and not only a longer run of those that are here."""
    lacks = {each.lack for each in found.missing}
    alone = Lack.PAIRS in lacks and len(bench.shown_series) < 2
    return bool(absent_devices(found)) or alone or Lack.PEAK in lacks


def _elsewhere(found: ClaimResult) -> bool:
    """Whether a claim was not tested because the run has neither its devices nor its points."""
    if found.tested:
        return False
    return bool(absent_devices(found)) or all(
        each.lack is Lack.POINTS or (each.lack is Lack.NUMBER and not each.results)
        for each in found.missing
    )


def _unplanned_text(benches: Sequence[BenchmarkView]) -> str:
    """How many claims are about points that are not in the plan; empty where none is."""
    every = [found for bench in benches for found in bench.tested]
    count = sum(_elsewhere(found) and not absent_devices(found) for found in every)
    if not count:
        return ""
    verb = "claim is" if count == 1 else "claims are"
    return f"{count} {verb} about sweep points that this run does not have."


def _absent_text(benches: Sequence[BenchmarkView]) -> str:
    """How many claims were not tested, for lack of which devices, and why those have no number."""
    claims = 0
    needed: Counter[str] = Counter()
    reasons: dict[str, set[str]] = {}
    for bench in benches:
        for names in filter(None, map(absent_devices, bench.tested)):
            claims += 1
            for name in names:
                title = bench.title_of(name)
                needed[title] += 1
                why = {kind_text(row) for row in bench.results if row.device == name}
                reasons.setdefault(title, set()).update(why or {"not in the plan"})
    said = [
        f"{title}{'' if count == claims else f' in {count} of them'} "
        f"({formatting.listed(sorted(reasons[title]))})"
        for title, count in needed.most_common()
    ]
    if not claims:
        return ""
    verb = "claim needs" if claims == 1 else "claims need"
    return f"{claims} {verb} a device that was not measured here: {formatting.listed(said)}."


def _made_up(synthetic: int, tested: int) -> str:
    """How many verdicts come from synthetic data."""
    if synthetic == tested:
        return "Every verdict comes from synthetic data."
    return f"{formatting.plural(synthetic, 'verdict comes', 'verdicts come')} from synthetic data."


def _table(benches: Sequence[BenchmarkView], *, absent: bool) -> Table:
    """Claims of one benchmark in the order of its spec; those of all with the tested ones first.

    Args:
        benches: the benchmarks.
        absent: whether it is of the claims about what this run has nothing of, or of the others.
    """
    several = len(benches) > 1
    row_ids = {
        id(found): claim_id(bench, number)
        for bench in benches
        for number, found in enumerate(bench.tested)
    }
    made = {
        bench.slug: [each for each in bench.tested if _elsewhere(each) is absent]
        for bench in benches
    }
    if several:
        made = {slug: sorted(found, key=_rank) for slug, found in made.items()}
        benches = sorted(benches, key=lambda bench: min(map(_rank, made[bench.slug]), default=0))
    groups = tuple(
        RowGroup(
            tuple(
                replace(claim_row(bench, found), id=row_ids[id(found)])
                for found in made[bench.slug]
            ),
            title=label(bench.plan.title) if several else "",
            href=f"{bench.slug}.html#claims" if several else "",
            detail=f"{label(bench.plan.profile, 40)} profile" if several else "",
        )
        for bench in benches
        if made[bench.slug]
    )
    return Table(
        id="claims-absent" if absent else "claims-table",
        title=ABSENT if absent else "Each sentence, and what was measured",
        caption=(
            ""
            if absent
            else "Each sentence is tested by a rule written into the spec. A claim is confirmed or "
            "refuted only when the whole interval lies on one side."
        ),
        corner="claim",
        columns=(Column("verdict"), Column("measured", wide=True)),
        groups=groups,
        style="prose",
        folded=absent,
        download=None if several else Download(f"{benches[0].slug}/claims.csv", "CSV"),
    )


def _rank(found: ClaimResult) -> int:
    """What is decided first, what was not tested here last."""
    if found.verdict is ClaimVerdict.NOT_TESTED:
        return 2
    return int(found.verdict in {ClaimVerdict.UNDECIDED, ClaimVerdict.WITHHELD})


def names_of(bench: BenchmarkView) -> Names:
    """What the page calls devices, quantities and swept keys."""

    def device(name: str) -> str:
        return bench.title_of(name) if name in bench.plan.devices else name

    def quantity(name: str) -> str:
        if name in FIGURES:
            return QUANTITIES.get(name, FIGURES[name][0])
        return metric_title(name) if name.startswith("val_") else name.replace("_", " ")

    def difference(quality: str, amount: float) -> str:
        return formatting.percentage_points(amount) if is_share(quality) else f"{amount:g}"

    return Names(device, quantity, lambda name: name.replace("_", " "), setting, difference)


def _untested(bench: BenchmarkView, found: ClaimResult) -> str:
    """Which devices a claim would need, and why they have no number."""
    reasons: dict[str, list[str]] = {}
    for name in (each.device for each in found.missing if each.lack is Lack.DEVICE):
        rows = [row for row in bench.results if row.device == name]
        if name in bench.plan.devices and rows:
            why = formatting.listed(sorted({kind_text(row) for row in rows}))
            reasons.setdefault(why, []).append(bench.title_of(name))
    if not reasons:
        return _told(numbers_text(found, names_of(bench)), 600)
    return "; ".join(
        f"{formatting.listed(sorted(who))} not measured: {why}" for why, who in reasons.items()
    )


def _measured(bench: BenchmarkView, found: ClaimResult) -> list[Line]:
    """The numbers one under another; the sentence of the analysis where there are none."""
    lines = number_lines(_in_points(found), names_of(bench))
    return [Line(line) for line in lines] or [Line(_untested(bench, found))]


def _said_by(bench: BenchmarkView, claim: Claim) -> str:
    """Who says it; the source of the page, which is named above, by its authors and its year."""
    said, own = source_of(bench.plan, claim), bench.plan.source
    if own and own.authors and said == own.title:
        return f"{label(own.authors, 60)} {own.year or ''}".rstrip()
    return label(said, 200)


def claim_row(bench: BenchmarkView, found: ClaimResult) -> Row:
    """A claim with its verdict, what was measured, the rule and who said it."""
    verdict, claim = found.verdict, found.claim
    badge = Badge(verdict.lower(), _MEANINGS[verdict], _TONES.get(verdict, "quiet"))
    measured = _measured(bench, found)
    if found.numbers and found.withheld:
        measured += [
            Line(_told(each, 600), "reason") for each in beside_text(found, names_of(bench))
        ]
    if published_text(bench.plan, claim.check):
        measured.append(Line("Published figures bear on it, too.", "reason"))
    machines = {series.machine for series in bench.series if series.machine}
    if found.machine and len(machines) > 1:
        measured.append(Line(f"on machine {label(found.machine, 20)}", "reason"))
    shown, more = measured[:MOST_SHOWN], measured[MOST_SHOWN:]
    rule = _told(rule_text(bench.plan, claim.check, names_of(bench)), 400)
    return Row(
        entry(label(claim.text, 400), Line(_said_by(bench, claim), "detail")),
        (
            Entry((), badges=(badge, *origin_badges([found.stand_in]))),
            Entry(
                tuple(shown),
                more=(*more, Line(f"The rule: {rule}.")),
                more_title=f"{formatting.plural(len(more), 'more line')} and the rule"
                if more
                else "the rule",
            ),
        ),
    )


PATH = "claims.html"
"""Where the page lies."""

STATES = {
    "confirmed": "confirmed here",
    "refuted": "refuted here",
    "undecided": "undecided: more runs, or the real data, needed",
    "agree": "published figures agree, not run here",
    "contradict": "published figures contradict, not run here",
    "device": "needs a device that is not here",
}
"""State of a claim → what it means; in the order of the squares."""

_HERE = {
    ClaimVerdict.CONFIRMED: "confirmed",
    ClaimVerdict.REFUTED: "refuted",
    ClaimVerdict.UNDECIDED: "undecided",
    ClaimVerdict.WITHHELD: "undecided",
}
_PRINTED = {
    PrintedVerdict.AGREE: "agree",
    PrintedVerdict.CONTRADICT: "contradict",
    PrintedVerdict.SILENT: "device",
}


def state_of(bench: BenchmarkView, found: ClaimResult) -> str:
    """The state of a claim: what was measured decides; without it, what was published.

    A quality that was reached on a stand-in for the data decides nothing. What lacks no device is
    undecided: a run that was not cut short, or has its sweep points, would test it.
    """
    if not found.tested:
        printed = _PRINTED[printed_verdict(bench.plan, found.claim)]
        return printed if printed != "device" or _needs_device(bench, found) else "undecided"
    if found.stand_in == "synthetic" and about_quality(found.claim.check):
        return "undecided"
    return _HERE[found.verdict]


def about_quality(check: Check) -> bool:
    """Whether a check speaks of what was learnt, and not of time, rate or size."""
    if isinstance(check, EquivalentCheck | DifferenceCheck | QuantisedCheck):
        return True
    names: set[str] = set()
    if isinstance(check, ValueCheck):
        names = {check.value}
    elif isinstance(check, RatioCheck):
        names = {check.ratio, str(check.to)}
    elif isinstance(check, TrendCheck):
        names = {str(check.rises or check.falls)}
    return bool(names & SIGNED)


def units_of(benches: Sequence[BenchmarkView]) -> Units | None:
    """A square for each claim, those of one state together; None where no spec makes one.

    A claim that was tested in several profiles, or on several machines, is one: the full profile
    speaks before the others, and among its machines what was decided before what was not.
    """
    best: dict[tuple[str, str], tuple[tuple[bool, int], str, Unit]] = {}
    order = list(STATES)
    for bench in benches:
        for number, found in enumerate(bench.tested):
            state = state_of(bench, found)
            text = label(found.claim.text, 200)
            unit = Unit(f"{text}: {STATES[state]}", f"{PATH}#{claim_id(bench, number)}", state)
            rank = (not (found.tested and bench.plan.profile == "full"), order.index(state))
            place = (bench.plan.spec, found.claim.text)
            if place not in best or rank < best[place][0]:
                best[place] = (rank, state, unit)
    if not best:
        return None
    units = sorted((unit for _, _, unit in best.values()), key=lambda u: order.index(u.state))
    counts = {state: sum(unit.state == state for unit in units) for state in order}
    keys = tuple((state, STATES[state], count) for state, count in counts.items() if count)
    return Units(tuple(units), keys)


def claims_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page: every claim with its verdict, its numbers, its rule and who said it."""
    section = claims_section(benches)
    if section is None:
        said = "No spec makes a claim. A `[[claims]]` table in a spec is tested here."
        section = Section("claims", "Claims", (Prose(said),))
    # A square leads to its row, which a reader should not have to unfold first.
    blocks: list[Block] = [
        replace(block, folded=False) if isinstance(block, Table) else block
        for block in section.blocks
    ]
    said = section.finding or "No spec makes a claim."
    if units := units_of(benches):
        # The squares count by state, of which some are verdicts on what was not run.
        blocks.insert(0, units)
        checked = f"{formatting.plural(len(units.items), 'claim')} of the sources, checked."
        said = f"{checked} {said.partition('. ')[2]}".strip()
    return Page(
        path=PATH,
        title="Claims",
        finding=said,
        sections=(replace(section, blocks=tuple(blocks), finding=""),),
        template="tables.html",
        notices=notices_of(benches),
    )
