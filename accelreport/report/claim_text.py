"""What was found of claims, in sentences, and as the table that files and programs read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, isclose, nan
from typing import Any, NamedTuple

import pandas as pd

from accelreport.analysis.claim_rules import QUALITY_MARGIN
from accelreport.analysis.claims import (
    ClaimResult,
    ClaimState,
    ClaimVerdict,
    Lack,
    Missing,
    Number,
    distinct,
)
from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.findings import Finding
from accelreport.analysis.outcome import Outcome, Rerun
from accelreport.analysis.results import ENERGY, Result, matches
from accelreport.analysis.sequential import LOOKS
from accelreport.analysis.speedup import Why, Withheld
from accelreport.analysis.stats import LEVEL, MARGIN, Interval
from accelreport.analysis.warnings import is_share
from accelreport.report import quantity
from accelreport.report.forms import EVIDENCE
from accelreport.report.frames import withheld_text
from accelreport.report.metrics import in_percent, printed_text
from accelreport.report.quantity import SPACE
from accelreport.report.text import clean, label, tied
from accelreport.report.warning_text import problem_text, reason_text
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.claims import (
    AS_WRITTEN,
    SIGNED,
    TIME_QUANTITIES,
    BoundCheck,
    Claim,
    EquivalentCheck,
    Names,
    Provenance,
    QuantisedCheck,
    Rule,
    TrendCheck,
    bounds_text,
)
from accelreport.spec.models import TIME_FIGURES
from accelreport.spec.problems import counted
from accelreport.spec.source import FULL

SURE = f"{100 * LEVEL:g} %"

STATES: dict[ClaimState, str] = {state: state.value.lower() for state in ClaimState}
"""State of a claim → its words on every surface."""

SPEAKERS: dict[Provenance, str] = {
    "source": "published",
    "accelreport": "from accelreport",
    "author": "from the author",
}
"""Who says a claim → its words beside a number of claims."""


def state_counts(results: Iterable[ClaimResult]) -> dict[ClaimState, int]:
    """State → how many claims are in it, in the order of the states and without zeros."""
    counts = Counter(result.state for result in distinct(results))
    return {state: counts[state] for state in ClaimState if counts[state]}


def state_words(state: ClaimState, count: int) -> str:
    """What is said of so many claims in a state: one "needs a device", two "need a device"."""
    return "need a device" if state is ClaimState.NEEDS_DEVICE and count > 1 else STATES[state]


def states_text(counts: Mapping[ClaimState, int]) -> str:
    """How many claims are in which state: "1 confirmed, 2 need a device"."""
    return ", ".join(f"{count} {state_words(state, count)}" for state, count in counts.items())


def claims_sentence(results: Sequence[ClaimResult]) -> str:
    """How many claims there are, who says them and what became of them."""
    every = distinct(results)
    counts = Counter(result.claim.by for result in every)
    speakers = [f"{counts[by]} {words}" for by, words in SPEAKERS.items() if counts[by]]
    claims = f"{counted(len(every), 'claim')} ({', '.join(speakers)})"
    return f"{claims}: {states_text(state_counts(results))}"


def decided_counts(results: Sequence[ClaimResult]) -> tuple[int, int]:
    """How many claims are confirmed or refuted here, and how many there are."""
    counts = state_counts(results)
    decided = counts.get(ClaimState.CONFIRMED, 0) + counts.get(ClaimState.REFUTED, 0)
    return decided, len(distinct(results))


def as_title(result: ClaimResult, named: Callable[[Result], str]) -> str:
    """A claim in its author's words, its only ratio in brackets, with the only device `named`."""
    numbers = [number for number in result.numbers if number.quantity == "ratio"]
    alone = [number.interval for number in numbers] if len(numbers) == 1 else []
    names = {named(process) for number in numbers for process in number.processes}
    on = f" on {names.pop().replace(' (', ', ').rstrip(')')}" if len(names) == 1 else ""
    factor = "".join(f" ({quantity.ratio(f.value, f.low, f.high)}{on})" for f in alone)
    return f"{label(result.claim.text, 200)}{factor}"


def decided_text(results: Sequence[ClaimResult]) -> str:
    """How many claims are decided here, and how, as a title."""
    decided, total = decided_counts(results)
    claims = quantity.plural(total, "claim")
    if not decided:
        return f"None of {claims} is decided" if total > 1 else "The claim is not decided"
    known = (row for row in results if row.state in {ClaimState.CONFIRMED, ClaimState.REFUTED})
    counts = states_text(state_counts(known))
    return f"{decided} of {claims} {'is' if decided == 1 else 'are'} decided: {counts}"


def claims_frame(plan: PlanDocument, results: Iterable[ClaimResult]) -> pd.DataFrame:
    """One row for each claim and machine it could be tested on.

    Columns: text; by, who says it (source, accelreport or author); verdict (a `ClaimState`);
    numbers, what was measured, as text; rule, what was asked of the numbers, as text; source, empty
    for what no source says; note; machine (empty when no machine has its devices);
    published, what the published figures alone say of it, as text and labelled so; evidence, a
    tuple of dicts (what, quantity, value, low, high, n), the numbers as numbers, times in seconds;
    "extrapolated" of a total has the timed and the planned steps.
    """
    rows = [{name: value(plan, one) for name, value in COLUMNS.items()} for one in results]
    return pd.DataFrame(rows, columns=list(COLUMNS))


COLUMNS: dict[str, Callable[[PlanDocument, ClaimResult], object]] = {
    "text": lambda _, one: one.claim.text,
    "by": lambda _, one: one.claim.by,
    "verdict": lambda _, one: one.state.value,
    "numbers": lambda _, one: numbers_text(one),
    "rule": lambda plan, one: rule_text(plan, one.claim.rule),
    "source": lambda plan, one: source_of(plan, one.claim),
    "note": lambda _, one: one.claim.note,
    "machine": lambda _, one: one.machine,
    "published": lambda plan, one: published_text(plan, one.claim.rule),
    "evidence": lambda _, one: tuple(map(_evidence, one.numbers)),
}
"""Column of `claims_frame` → its value for a claim."""


def point_text(point: Mapping[str, Any]) -> str:
    """A sweep point: "batch_size = 256, units = 4"."""
    return ", ".join(f"{key} = {value}" for key, value in point.items())


def source_of(plan: PlanDocument, claim: Claim) -> str:
    """Title of the source that says it; empty where none does."""
    return claim.source or (plan.source.title if claim.by == "source" and plan.source else "")


# Commands ---------------------------------------------------------------------------------------


def is_of(claim: ClaimResult, finding: Finding) -> bool:
    """Whether a finding says the one number of a claim."""
    numbers = [number.interval.value for number in claim.numbers]
    return len(numbers) == 1 and any(isclose(numbers[0], v.number) for v in finding.values[:1])


def decides(rerun: Rerun[Any], them: str) -> str:
    """The command that may decide some things."""
    return EVIDENCE["decides"].format(command=clean(rerun.command), them=them)


class NextStep(NamedTuple):
    """What is not decided yet, and what decides it."""

    title: str
    command: str
    seconds: float = nan
    """How long the command may take here."""
    comparisons: Sequence[tuple[Any, Finding]] = ()
    """Those that the command may decide, each with its benchmark."""
    detail: str = ""
    """What is said of it in grey."""


def next_steps(outcome: Outcome[Any], command: str, elsewhere: str = "") -> Iterator[NextStep]:
    """What decides the rest: repeats, a larger profile or budget, a device, a model of one's own.

    Args:
        outcome: of a run or of a whole site.
        command: the command of a run, without its profile and other options.
        elsewhere: the option that names the results folder; empty for the usual one.
    """
    for rerun in sorted(outcome.reruns, key=lambda run: -len(run.comparisons)):
        # Plans that differ in their settings are continued by several commands.
        own = f"{command} {rerun.options}"
        again = f"{clean(rerun.command)} {elsewhere}".rstrip() if rerun.specs else own
        title = f"Not run: {quantity.listed([bench.plan.spec for bench in rerun.missing])}"
        if rerun.comparisons or rerun.claims:
            title = f"{counts(rerun)} may be decided"
        yield NextStep(title, again, rerun.seconds, comparisons=rerun.comparisons)
    if not outcome.own:
        own = "accelreport new specs/mine.toml --model model.py:build --data train.csv"
        yield NextStep("Your own model and data", own)
    larger, longer = "a larger profile", "a larger budget"
    if whole := [claim for claim in outcome.unmeasured if claim.profile != FULL]:
        needs = f"{quantity.plural(len(whole), 'claim')} need{'s' * (len(whole) == 1)}"
        states = f"or the whole data ({states_text(state_counts(whole))})"
        yield NextStep(f"{needs} {larger}", command, detail=states)
    rows = {id(claim): _stopped(claim) for claim in outcome.unmeasured if claim.profile == FULL}
    if stopped := [row for own in rows.values() for row in own]:
        count = sum(map(bool, rows.values()))
        needs = f"{quantity.plural(count, 'claim')} need{'s' * (count == 1)} {longer}"
        # Twice the training of the longest, for its validation and a slower machine.
        minutes = ceil(max(row.timings.total_s for row in stopped) / 30)
        yield NextStep(needs, f"{command} --budget {minutes}m")
    if absent := len(outcome.device):
        both = sum(not (one.planned or one.profile == FULL) for one in outcome.device)
        some = f"{both} of them also {larger}" * (0 < both < absent)
        also = f" and {larger}" * (both == absent)
        needs = f"{quantity.plural(absent, 'claim')} need{'s' * (absent == 1)}"
        specs = Counter(claim.spec for claim in outcome.device)
        spec = min(specs, key=lambda name: (-specs[name], name))
        command = f"accelreport notebook specs/{spec}.toml"
        yield NextStep(f"{needs} another device{also}", command, detail=some)
    if beyond := len(outcome.beyond) + len(outcome.claims_beyond):
        them = _counted(len(outcome.beyond), len(outcome.claims_beyond))
        yield NextStep(f"{them} need{'s' * (beyond == 1)} more than {LOOKS[-1]} repeats", "")


def _stopped(claim: ClaimResult) -> list[Result]:
    """The processes that lack a number of a claim because their budget ended."""
    rows = (row for missing in claim.missing for row in missing.results)
    return [row for row in rows if row.status == "partial" and row.timings.total_s > 0]


def counts(group: Outcome[Any] | Rerun[Any]) -> str:
    """How many comparisons and claims."""
    return _counted(len(group.comparisons), len(group.claims)) or "nothing yet"


def _counted(comparisons: int, claims: int) -> str:
    numbers = {"comparison": comparisons, "claim": claims}
    named = [quantity.plural(count, noun) for noun, count in numbers.items() if count]
    return quantity.listed(named)


def among(count: int, of: int) -> str:
    """So many of the undecided comparisons, by their noun, which may be far above."""
    some = f"{quantity.count(count)} of {quantity.count(of)} " * (count < of) or "the "
    return f"{some}undecided comparison{'s' * (of > 1)}"


# Numbers ----------------------------------------------------------------------------------------


def place_of(number: Number, names: Names = AS_WRITTEN, joint: str = " = ") -> str:
    """Where a number belongs: device, sweep point, and what else tells it from the others."""
    device = [names.device(number.device)] if number.device else []
    seed = [] if number.seed is None else [f"seed {number.seed}"]
    point = (f"{names.axis(axis)}{joint}{names.value(x)}" for axis, x in number.point.items())
    return ", ".join([*device, *point, *seed])


def _evidence(number: Number) -> dict[str, Any]:
    interval = number.interval
    return {
        "what": place_of(number),
        "quantity": number.quantity,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
    } | ({"extrapolated": number.extrapolated} if number.extrapolated else {})


MOST_TOLD = 24
"""Numbers of which a page tells each; of more, only the ends, since a file has them all."""


def number_lines(
    numbers: Sequence[Number], names: Names = AS_WRITTEN, most: int = MOST_TOLD, over: str = ""
) -> list[str]:
    """One line for each number.

    Args:
        numbers: of a claim, in the order of the sweep.
        names: what devices and swept keys are called.
        most: numbers of which each is told.
        over: what follows a ratio: the sweep point of its other side.
    """
    shown = [number for number in numbers if number.quantity != _OUT_OF_MEMORY]
    between = len(shown) - 2 if len(shown) > most else 0
    if between:
        shown = sorted(shown, key=lambda number: number.interval.value)[:: len(shown) - 1]
    rest = f"{between} others lie between them; the file of this table has each"
    failed = [number for number in numbers if number.quantity == _OUT_OF_MEMORY]
    return [
        *(_line(number, names, _number(number, over)) for number in shown),
        *([rest] * bool(between)),
        *(_line(number, names, _failures(number)) for number in failed),
    ]


_OUT_OF_MEMORY = "out_of_memory"
"""The number of processes that ran out of memory: a count without an interval."""


def _failures(number: Number) -> str:
    processes = counted(number.interval.n, "process", "processes")
    peak = f"peak {quantity.size(number.peak_bytes)}" if number.peak_bytes > 0 else ""
    synthetic = any(process.origin == "synthetic" for process in number.processes)
    inner = ", ".join(filter(None, (peak, _partial(number), "synthetic data" * synthetic)))
    text = f"{number.interval.value:g} of {processes} ran out of memory"
    return f"{text} ({inner})" if inner else text


def _partial(number: Number) -> str:
    """What is said of runs that the budget stopped; empty where it stopped none."""
    stopped = any(process.status == "partial" for process in number.processes)
    return f"partial run{'s' * (number.interval.n > 1)}" * stopped


def _line(number: Number, names: Names, text: str) -> str:
    where = tied(label(place_of(number, names, " "), 160))
    return f"{where}: {text}" if where else text


def _count(number: Number) -> str:
    """Processes, or examples, behind a number."""
    n = number.interval.n
    if number.of_examples:
        return quantity.plural(n, "example")
    return "one process" if n == 1 else f"n{SPACE}={SPACE}{quantity.count(n)}"


def _number(number: Number, over: str) -> str:
    """A number with its unit and interval, and what is said of its processes."""
    value, interval = _value_and_interval(number)
    level = f"90{SPACE}%" * (number.quantity == _EQUIVALENCE and bool(interval))
    return f"{value}{over} ({', '.join(filter(None, (interval, level, _runs(number))))})"


def _cut(number: Number) -> str:
    """How far the processes of a number came; empty of whole ones."""
    if number.trained:
        done, planned = map(quantity.count, number.trained)
        return f"trained for {done} of {planned} steps"
    if number.extrapolated:
        timed, planned = map(quantity.count, number.extrapolated)
        return f"extrapolated from {timed} timed steps of {planned}"
    return _partial(number)


class Measured(NamedTuple):
    """One number of a claim in parts: what tells it from others, it, and what is said of it."""

    place: str
    value: str
    rest: str
    number: Number


def measured_parts(result: ClaimResult, names: Names, usual: str = "") -> list[Measured]:
    """The numbers of a claim, without what its rule holds; empty where a line says more.

    A heading has what is `usual` of their processes. A count of failures is such a line, and so
    are more numbers than a page lists.
    """
    numbers, *_ = _named_numbers(result, names)
    failures = any(number.quantity == _OUT_OF_MEMORY for number in numbers)
    if failures or len(numbers) > MOST_TOLD:
        return []
    held = {**result.claim.rule.where, **getattr(result.claim.rule, "over_where", {})}
    parts = []
    for number in numbers:
        value, interval = _value_and_interval(number)
        runs = _cut(number) if number.of_examples else _runs(number)
        inner = ", ".join(filter(None, (interval, runs if runs != usual else "")))
        point = {axis: x for axis, x in number.point.items() if axis not in held}
        place = place_of(replace(number, point=point), names, " ")
        parts.append(Measured(place, value, f"({inner})" * bool(inner), number))
    return parts


def _runs(number: Number) -> str:
    return ", ".join(filter(None, (_count(number), _cut(number))))


def usual_runs(results: Iterable[ClaimResult]) -> str:
    """What most numbers of some claims are of: "n = 3, partial runs"; empty of single processes."""
    numbers = [number for r in results for number in r.numbers if not number.of_examples]
    counts = Counter(_runs(number) for number in numbers if number.interval.n > 1)
    return max(counts, key=lambda count: counts[count], default="")


RATIOS = frozenset({"ratio", "speedup", "quantised_speedup"})


def values_text(result: ClaimResult) -> str:
    """The number that decides a claim, without its interval; of several the ends, along a trend.

    Empty of a count, and of several quantities or trends.
    """
    numbers, *_ = _named_numbers(result, AS_WRITTEN)
    kinds, along = {n.quantity for n in numbers}, getattr(result.claim.rule, "along", "")
    several = along and len({n.point.get(along) for n in numbers}) < len(numbers)
    if len(kinds) != 1 or _OUT_OF_MEMORY in kinds or several:
        return ""
    ordered = numbers if along else sorted(numbers, key=lambda n: n.interval.value)
    first, last = (_value_and_interval(number)[0] for number in (ordered[0], ordered[-1]))
    # A unit that both have is behind the second.
    unit = last.lstrip("+\N{MINUS SIGN}-.,0123456789")
    text = f"{first.removesuffix(unit)}{' → ' if along else ' to '}{last}"
    runs = max(map(_partial, numbers), key=len)
    return ", ".join(filter(None, (last if first == last else text, runs)))


def _value_and_interval(number: Number) -> tuple[str, str]:
    """A value and its interval in the unit of its quantity."""
    name, estimate = number.quantity, number.interval
    value, low, high, known = estimate.value, estimate.low, estimate.high, estimate.known
    if estimate.two:
        both = (
            _value_and_interval(replace(number, interval=Interval(one, nan, nan, 1)))[0]
            for one in estimate.two
        )
        return " and ".join(both), ""
    unit, scale = _UNITS.get(name, ""), 1.0
    # An interval that holds a limit has no end beyond it, and so the digits of the page.
    limits = [limit for limit in number.limits if not low < limit < high]
    if name in RATIOS:
        text = quantity.ratio(value, low, high, (1, *limits))
        return text, quantity.ratio_interval(low, high, value, (1, *limits)) if known else ""
    if name in {_POINTS, _EQUIVALENCE}:
        return quantity.points(value), quantity.points_between(low, high) if known else ""
    if name.endswith("_time"):
        scale, unit = quantity.time_unit(value)
        unit = f"{SPACE}{unit}"
    elif in_percent(name):
        scale, unit = quantity.PERCENT, f"{SPACE}%"
    value, low, high = value / scale, low / scale, high / scale
    if not known:
        return quantity.number(value) + unit, ""
    places = quantity.decimals(value, low, high)
    if name == "difference":  # it may be near 0: the interval alone says what is known of it
        places = max(quantity.decimals(high - low) - 1, 0)
    places = quantity.apart(places, low, high, (limit / scale for limit in limits))
    if low == high:  # such as the size of a file, which is the same in every process
        return quantity.fixed(value, places) + unit, ""
    joint = quantity.EN_DASH if low >= 0 else " to "
    interval = f"{quantity.fixed(low, places)}{joint}{quantity.fixed(high, places)}{unit}"
    return quantity.fixed(value, places) + unit, interval


_UNITS = {
    "tflops": f"{SPACE}TFLOPS",
    "tflops_cold": f"{SPACE}TFLOPS",
    "throughput": f"{SPACE}examples/s",
    ENERGY: f"{SPACE}J",
    **dict.fromkeys(("speedup", "quantised_speedup", "quantised_size_ratio"), "×"),
}
"""Units of quantities that have one beside seconds."""

_POINTS = "points"
"""A difference of two shares, which is told in percentage points."""
_EQUIVALENCE = "equivalence"
"""The same with the 90 % interval of two one-sided tests."""


def measured_lines(result: ClaimResult, names: Names, most: int = MOST_TOLD) -> list[str]:
    """The numbers of a claim as `number_lines`, differences of shares in percentage points."""
    numbers, over, excluded, means = _named_numbers(result, names)
    return [*excluded, *number_lines(numbers, names, most, over), *means]


def _named_numbers(
    result: ClaimResult, names: Names
) -> tuple[list[Number], str, list[str], list[str]]:
    """The numbers of a claim by the quantity that is told, and the words around them.

    These are what a ratio is over, the loss that is excluded, and values over which it is a mean.
    """
    rule = result.claim.rule
    keys, equal = ("difference", "equivalent", "quantised_costs"), getattr(rule, "equivalent", None)
    quality = next((quality for key in keys if (quality := getattr(rule, key, None))), "")
    as_points = {"difference": _EQUIVALENCE if quality == equal else _POINTS}
    as_points = as_points if is_share(quality) else {}
    numbers = [
        replace(number, quantity=as_points.get(number.quantity, number.quantity))
        for number in result.numbers
    ]
    point = getattr(rule, "over_where", {})
    compared = str(getattr(rule, "ratio", ""))
    beside = " as fast as" if compared in {*TIME_QUANTITIES, "speedup"} else " over"
    beside = " the throughput of" if compared == "throughput" else beside
    if isinstance(rule, BoundCheck) and compared in TIME_QUANTITIES and rule.over == rule.of:
        # Of one device it is said which point takes longer.
        other, beside = point, " as long as"
        point = {axis: value for axis, value in rule.where.items() if axis in other}
        numbers = [replace(number, point={**number.point, **other}) for number in numbers]
    over = ", ".join(f"{names.axis(axis)} {names.value(value)}" for axis, value in point.items())
    over = f"{beside} {over}" if over else ""
    over = " without validation" if {n.quantity for n in numbers} == {"total_time"} else over
    excluded, means = [], getattr(rule, "mean_over", ())
    if isinstance(rule, QuantisedCheck) and result.verdict is ClaimVerdict.REFUTED:
        excluded = [f"a loss of {quantity.percentage_points(rule.negligible)} or more is excluded"]
    signed = quality or getattr(rule, "value", "") in SIGNED
    mean = f"{'mean' if signed else 'geometric mean'} over {names.every(means)}"
    return numbers, over, excluded, [mean] * bool(numbers and means)


def numbers_text(result: ClaimResult, names: Names = AS_WRITTEN, most: int | None = None) -> str:
    """What was measured, or why nothing was; of many numbers the first ones, where `most` says."""
    if result.withheld and not result.numbers:
        return "; ".join(beside_text(result, names))
    shown = len(result.numbers) if most is None else most
    first = replace(result, numbers=foremost(result.numbers, shown)[:shown])
    lines = measured_lines(first, names, len(first.numbers))
    if more := len(result.numbers) - len(first.numbers):
        lines.append(f"and {quantity.plural(more, 'more number')}")
    return "; ".join(
        [*lines, *(missing_text(missing, names, result.profile) for missing in result.missing)]
    )


def foremost(numbers: tuple[Number, ...], most: int) -> tuple[Number, ...]:
    """The numbers; of more than are shown, those first that go furthest beyond their bounds."""
    apart = len(numbers) > most
    return tuple(sorted(numbers, key=lambda one: -one.beyond)) if apart else numbers


def beside_text(result: ClaimResult, names: Names) -> list[str]:
    """What a reader should know beside numbers that may be told, and the name does not say."""
    of = names.device(getattr(result.claim.rule, "of", ""))
    return [
        f"{of}: {withheld_text(_named(withheld, names), names.device(withheld.base))}"
        for withheld in result.withheld
        if not (result.numbers and COMPUTE_DTYPE.get(withheld.own, withheld.own) in of)
    ]


def _named(held: Withheld, names: Names) -> Withheld:
    """The reason with its devices as a page calls them; those of another precision have none."""
    if held.why not in {Why.INPUT, Why.QUALITY}:
        return held
    return replace(held, own=names.device(held.own), base=names.device(held.base))


def missing_text(missing: Missing, names: Names, profile: str) -> str:
    """Why there is no number of a profile, in the records' own words."""
    profile = f"the {label(profile, 40)} profile"
    device = names.device(missing.device) if missing.device else ""
    if missing.lack is Lack.UNPLANNED:
        return f"too little{f' of {device}' * bool(device)} in {profile}"
    if missing.lack is Lack.DEVICE:
        return f"{device} was not measured ({_what_became(missing.results)})"
    if missing.lack is Lack.NUMBER:
        return f"numbers of {device} are missing ({_what_became(missing.results)})"
    if missing.lack is Lack.POSITIVE:
        return (
            f"{names.quantity(missing.quantity)} of {device} is not positive in every process, so "
            "no ratio says how it compares; `difference` compares such values"
        )
    if missing.lack is Lack.PAIRS:
        why = _what_became(missing.results, brief=True)
        return f"no two devices completed the same seed ({why})"
    if missing.lack is Lack.SOME:
        return "{} of the {} numbers measured".format(*missing.counts)
    if missing.lack is Lack.QUANTISED:
        return f"no model that was trained on {device} was quantised"
    return {
        Lack.POINTS: (
            f"fewer than two values of {names.axis(missing.axis)} have every number that the "
            "trend needs"
        ),
        Lack.DIFFERENCE: "its two sides are one and the same under the baseline of this run",
    }[missing.lack]


def _what_became(results: Sequence[Result], *, brief: bool = False) -> str:
    short = (result for result in results if not (result.measured and result.complete))
    ends = {_end_of(result, brief=brief) for result in short}
    return "; ".join(sorted(ends)) or "its records do not have it"


def _end_of(result: Result, *, brief: bool) -> str:
    if result.measured:
        return "its budget ended before its training did"
    # The page of a cell has its message, which may be of a library's own making.
    known = result.status in {"failed", "refused", "skipped" * brief}
    return reason_text(result.failure_kind) if known else problem_text(result)


# Rules ------------------------------------------------------------------------------------------


def amount_text(quantity: str, value: float) -> str:
    """A bound with the unit of the numbers beside it."""
    if quantity in TIME_QUANTITIES:
        return printed_text("total_time", value)
    return f"{value:g}{_UNITS.get(quantity, '')}"


def margin_text(rule: Rule) -> str:
    """What a rule allows, to stand beside its verdict: "at most 1.05 times"."""
    if isinstance(rule, EquivalentCheck):
        share, within = is_share(rule.equivalent), rule.within
        return f"within {quantity.percentage_points(within) if share else f'{within:g}'}"
    if isinstance(rule, BoundCheck) and rule.ratio and rule.bounds != (1, None):
        return f"{bounds_text(*rule.bounds)} times"
    return ""


def with_margin(claim: Claim) -> str:
    """A claim's text and what its rule allows, in parentheses where the text does not say it."""
    margin = margin_text(claim.rule)
    return claim.text if margin in claim.text else f"{claim.text} ({margin})"


IN_FILES = Names(amount=amount_text)
"""Names as in the spec, and times with their units."""


def rule_text(plan: PlanDocument, rule: Rule, names: Names = IN_FILES) -> str:
    """What is asked of the numbers."""
    reading = rule.reading(plan.baseline, plan.axes, names)
    if isinstance(rule, EquivalentCheck):
        return f"{reading}: two one-sided tests at the 5 % level, on 90 % intervals"
    if not isinstance(rule, TrendCheck):
        return reading
    name, whole = (rule.rises, "rise") if rule.rises else (str(rule.falls), "fall")
    back = names.difference(name, QUALITY_MARGIN) if name in SIGNED else f"{100 * MARGIN:g} %"
    return (
        f"{reading}: between its ends by more than the {SURE} interval, and nowhere back by more "
        f"than {back}; refuted where it goes back so far or the interval of the whole {whole} lies "
        f"below {back}"
    )


# Published figures ------------------------------------------------------------------------------

FOLLOWS_FROM: dict[str, tuple[str, ...]] = {
    "speedup": ("throughput", "sample_time", "epoch_time", "total_time", "tflops"),
    "steady_step_time": ("step_time", "sample_time"),
    "throughput": ("throughput", "sample_time", "epoch_time"),
}
"""Figures that a quantity follows from where it is none itself, the most direct one first."""


def published_text(plan: PlanDocument, rule: Rule, names: Names = AS_WRITTEN) -> str:
    """The published figures that bear on a claim, as a sentence; empty without any."""
    if isinstance(rule, TrendCheck):
        wanted = {rule.rises or str(rule.falls)}
        devices = [rule.of, rule.over or plan.baseline.device]
    elif isinstance(rule, BoundCheck):
        wanted = {rule.compared, rule.to or rule.compared}
        devices = [rule.of] if rule.value else [rule.of, rule.other(plan.baseline)[0]]
    else:
        return ""
    wanted |= {key for name in wanted for key in FOLLOWS_FROM.get(name, ())}
    figures = []
    for row in plan.published:
        asked = {key: value for key, value in rule.where.items() if key in row.where}
        if row.device not in devices or not matches(row.where, asked):
            continue
        point = point_text({names.axis(axis): names.value(x) for axis, x in row.where.items()})
        title = f"{row.label} ({point})" if point else row.label
        title += f" in “{row.source.title}”" if row.source else ""
        longer = TIME_FIGURES if row.includes == "validation" else ()
        figures += [
            f"{title}: {printed_text(key, value)} "
            f"[{names.figure(key)}{', with validation' * (key in longer)}]"
            for key, value in row.figures().items()
            if key in wanted and (key != "speedup" or (row.over or plan.baseline.device) in devices)
        ]
    return f"Published: {'; '.join(figures)}." if figures else ""
