"""One function for each kind of rule, and all claims of a plan tested by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite, log

from accelreport.analysis.claims import (
    ClaimResult,
    ClaimState,
    ClaimVerdict,
    Evidence,
    Lack,
    Missing,
    Number,
    combined_verdict,
    within_bounds,
)
from accelreport.analysis.learning import (
    Change,
    Parity,
    Quality,
    agreement,
    change,
    difference,
)
from accelreport.analysis.results import (
    MISSING,
    QUALITIES,
    STAND_INS,
    Result,
    point_key,
    shortest,
)
from accelreport.analysis.speedup import (
    Rules,
    Speedup,
    Terms,
    Why,
    Withheld,
    mean_of,
    rules_of,
)
from accelreport.analysis.stats import LEVEL, MARGIN, NOTHING, Interval, level_over
from accelreport.results.plan_document import PlanDocument, variant
from accelreport.results.record import Record
from accelreport.spec.base import Point, Scalar
from accelreport.spec.claims import (
    SIGNED,
    SPEEDS,
    TIME_QUANTITIES,
    BoundCheck,
    Claim,
    EquivalentCheck,
    MemoryCheck,
    QuantisedCheck,
    Rule,
    TrendCheck,
)

QUALITY_MARGIN = 0.005
"""Largest step back of an accuracy or loss that does not refute a trend."""

NO_DIFFERENCE = 1e-9
"""A smaller difference of two qualities is the rounding of their means."""

OF_A_STEADY_STEP = frozenset({"steady_step_time", "step_time", "throughput", "tflops"})
"""Quantities that vary from process to process as the time of a steady step does."""

DevicePoint = tuple[str, Point]
"""A device and a sweep point."""

OUT_OF_MEMORY = ("oom-host", "oom-device")
"""Kinds of failures for lack of memory."""


def claim_results(
    plan: PlanDocument, results: Sequence[Result], records: Iterable[Record]
) -> tuple[ClaimResult, ...]:
    """One result for each claim and machine it could be tested on, in the order of the spec.

    Args:
        plan: holds the claims.
        results: its results.
        records: its records, which have the quantised models.
    """
    quantised = {
        (record.key, record.machine): record.quantised for record in records if record.quantised
    }
    whole = Evidence(plan, tuple(results), rules_of(plan, results), quantised)
    return tuple(result for claim in plan.claims for result in _tested(whole, claim))


def places_of(plan: PlanDocument, results: Sequence[Result], rule: Rule) -> list[DevicePoint]:
    """The devices and sweep points whose repeats a claim is decided by.

    Empty for a claim that further repeats do not decide: one about memory, or about models each of
    which is tested by itself.
    """
    evidence = Evidence(plan, tuple(results), Rules(), {})
    points = evidence.points(rule.where)
    if isinstance(rule, EquivalentCheck):
        here = {result.device for result in results if result.status not in {MISSING, "skipped"}}
        return [(name, point) for point in points for name in plan.devices if name in here]
    if isinstance(rule, QuantisedCheck | MemoryCheck):
        return []
    places = [(rule.of, point) for point in points]
    if other := _other_side(plan, rule):
        over, held = other
        places += [(over, point | held) for point in points]
    return places


def _other_side(plan: PlanDocument, rule: BoundCheck | TrendCheck) -> tuple[str, Point] | None:
    """With which device processes are compared, and the swept keys whose values it fixes."""
    if isinstance(rule, BoundCheck):
        return None if rule.value or rule.within_process else rule.other(plan.baseline)
    compares = "speedup" in {rule.rises, rule.falls}
    return plan.baseline.place(rule.over, {}) if compares else None


def verdict_of(plan: PlanDocument, results: Sequence[Result], claim: Claim) -> ClaimVerdict:
    """The verdict of one claim by some results of one machine."""
    evidence = Evidence(plan, tuple(results), rules_of(plan, results), {}, whole=False)
    return combined_verdict([result.verdict for result in _tested(evidence, claim)])


def _tested(whole: Evidence, claim: Claim) -> list[ClaimResult]:
    """A claim on each machine that measured its device, or on none where nothing is tested."""
    rule = claim.rule
    machines = {
        result.machine
        for device in (whole.plan.devices if isinstance(rule, EquivalentCheck) else [rule.of])
        for result in whole.of_device.get(device, ())
        if result.machine and (result.measured or isinstance(rule, MemoryCheck))
    }
    results = [
        _on(replace(whole, machine=machine, used={}), claim) for machine in sorted(machines) or [""]
    ]
    return [result for result in results if result.tested] or [replace(results[0], machine="")]


def _on(evidence: Evidence, claim: Claim) -> ClaimResult:
    rule, plan = claim.rule, evidence.plan
    outcome = _outcome(evidence, rule)
    later = "epoch_time" in _asked(rule)  # which no repeat of a single epoch has
    if later and {plan.value("epochs", point) for point in evidence.points(rule.where)} == {1}:
        lacks = (replace(missing, lack=Lack.UNPLANNED) for missing in outcome.missing)
        outcome = replace(outcome, missing=tuple(lacks))
    origins = [result.origin for result in evidence.used.values()] if outcome.numbers else []
    stand_in = next((origin for origin in STAND_INS if origin in origins), "")
    held = None
    whole = {"full", variant("full", {"workload.data": "synthetic"})}  # of the same shapes
    if stand_in and not _asked(rule).isdisjoint(QUALITIES):
        held = Withheld(Why.DATA, stand_in, "")
    elif isinstance(rule, MemoryCheck) and plan.profile not in whole:
        held = Withheld(Why.PROFILE, plan.profile, "")
    if held is not None and outcome.verdict is not ClaimVerdict.NOT_TESTED:
        outcome = replace(outcome, verdict=ClaimVerdict.WITHHELD, withheld=(held,))
    elif stand_in == "sample" and not isinstance(rule, EquivalentCheck | QuantisedCheck):
        stand_in = ""
    return ClaimResult(
        claim,
        plan.spec,
        plan.profile,
        outcome.verdict,
        _state(evidence, claim, outcome, stand_in),
        evidence.machine,
        outcome.numbers,
        outcome.missing,
        outcome.withheld,
        stand_in,
        "user-supplied" in origins,
    )


def of_quality(rule: Rule) -> bool:
    """Whether a rule asks for a quality, which synthetic data cannot decide."""
    compares = isinstance(rule, EquivalentCheck | QuantisedCheck)
    return compares or not _asked(rule).isdisjoint(SIGNED)


def _asked(rule: Rule) -> set[str | None]:
    """The quantities that a rule bounds or follows."""
    keys = ("value", "ratio", "difference", "to", "rises", "falls")
    return {getattr(rule, key, None) for key in keys}


def _processes(evidence: Evidence, places: Iterable[DevicePoint]) -> tuple[Result, ...]:
    return tuple(process for place in places for process in evidence.processes(*place))


def _extrapolated(rule: Rule, processes: Iterable[Result]) -> tuple[int, int] | None:
    """Timed and planned steps of the process from which a total is extrapolated the furthest.

    None where none is: no other quantity of a stopped run goes beyond its steps.
    """
    if "total_time" not in _asked(rule):
        return None
    least = shortest(processes)
    timings = least.timings if least else None
    if timings is None or not isfinite(timings.steady_steps):
        return None
    return int(timings.steady_steps), int(timings.planned_steps)


def _state(evidence: Evidence, claim: Claim, outcome: _Outcome, stand_in: str) -> ClaimState:
    """The state of a claim: its verdict, or why there is none.

    A quality that was reached on synthetic data decides nothing.
    """
    partly = stand_in != "synthetic" and any(m.lack is Lack.SOME for m in outcome.missing)
    if outcome.verdict is not ClaimVerdict.NOT_TESTED and not partly:
        decided = outcome.verdict in {ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED}
        if decided and of_quality(claim.rule) and stand_in == "synthetic":
            return ClaimState.UNDECIDED
        return ClaimState(outcome.verdict.value)
    rows = evidence.plan.devices
    tried = {
        result.device for result in evidence.results if result.status not in {MISSING, "skipped"}
    }
    # Another row of a chip that is there lacks a run and no device, unless it was skipped; so does
    # one whose framework is not installed. Of what was left out, a run skips only absent devices.
    skipped = {r.device: r.failure_kind for r in evidence.results if r.status == "skipped"}
    left_out = rows.keys() - skipped.keys() if skipped and not tried else set()
    kinds = {"CPU", *(rows[device].kind for device in tried | left_out)}  # every machine has one
    absent = {
        device
        for device in rows
        if skipped.get(device, "" if rows[device].kind in kinds else "no-device")
        not in {"", "no-framework"}
    }
    lacking = any(
        len(rows.keys() - absent) < 2
        if missing.lack is Lack.PAIRS
        else not (absent - tried).isdisjoint({missing.device, *(r.device for r in missing.results)})
        for missing in outcome.missing
        if missing.lack in {Lack.DEVICE, Lack.UNPLANNED, Lack.PAIRS, Lack.SOME}
    )
    if lacking:
        return ClaimState.NEEDS_DEVICE
    return ClaimState(outcome.verdict.value) if partly else ClaimState.NOT_MEASURED


@dataclass(frozen=True)
class _Outcome:
    verdict: ClaimVerdict
    numbers: tuple[Number, ...] = ()
    missing: tuple[Missing, ...] = ()
    withheld: tuple[Withheld, ...] = ()


def _outcome(evidence: Evidence, rule: Rule) -> _Outcome:
    match rule:
        case EquivalentCheck():
            return _equivalent(evidence, rule)
        case QuantisedCheck():
            return _quantised(evidence, rule)
        case MemoryCheck():
            return _out_of_memory(evidence, rule)
        case BoundCheck() | TrendCheck() if _is_of_itself(evidence, rule):
            return _Outcome(ClaimVerdict.NOT_TESTED, missing=(Missing(Lack.DIFFERENCE, rule.of),))
        case BoundCheck():
            return _bound(evidence, rule)
        case TrendCheck():
            return _trend(evidence, rule)


def _is_of_itself(evidence: Evidence, rule: BoundCheck | TrendCheck) -> bool:
    """Whether a device is compared with itself everywhere: the spec's baseline was replaced."""
    other, points = _other_side(evidence.plan, rule), evidence.points(rule.where)
    if other is None or not points or (isinstance(rule, BoundCheck) and rule.to):
        return False
    over, held = other
    return over == rule.of and all(point_key(point) == point_key(point | held) for point in points)


# Bounds -----------------------------------------------------------------------------------------


def _bound(evidence: Evidence, check: BoundCheck) -> _Outcome:
    """Compares an interval with bounds at every sweep point that a claim leaves open.

    Several points count together by their mean; pairs are formed within repeats. Two quantities of
    the same processes are compared process by process.
    """
    over, held = check.other(evidence.plan.baseline)
    groups = evidence.groups(check.where, check.mean_over)
    # Only a ratio of speeds needs like conditions: qualities differ because of them.
    compares = check.ratio in SPEEDS and not check.within_process
    pairs = [
        evidence.against(check.of, point, over, held)
        for _, points in groups
        for point in points
        if compares
    ]
    if forbidden := _forbidden(pairs):
        return _Outcome(ClaimVerdict.WITHHELD, withheld=forbidden)
    name = check.value or ("ratio" if check.ratio else "difference")
    sides = [(check.of, check.where)]
    if not check.value:
        sides.append((over, check.where | held))

    def estimate(points: Sequence[Point], level: float) -> Interval:
        terms = mean_of([_bound_terms(evidence, check, point) for point in points])
        return evidence.interval(name, terms, level)

    measured = [
        (place, points, interval)
        for place, points in groups
        if (interval := estimate(points, LEVEL)).n
    ]
    strict = 1 - (1 - LEVEL) / max(len(measured), 1)
    verdicts = [
        within_bounds(interval, estimate(points, strict), *_bounds_of(check))
        for _, points, interval in measured
    ]
    if not verdicts:
        return _Outcome(ClaimVerdict.NOT_TESTED, missing=evidence.absent(*sides))
    if unlike := _not_positive(evidence, check, groups):
        return _Outcome(ClaimVerdict.UNDECIDED, missing=unlike)
    low, high = check.bounds
    limits = (-inf if low is None else low, inf if high is None else high)
    numbers = tuple(
        Number(
            name,
            interval,
            place,
            extrapolated=_extrapolated(check, processes),
            limits=limits,
            processes=processes,
        )
        for place, points, interval in measured
        for processes in [
            _processes(evidence, ((one, point | keys) for one, keys in sides for point in points))
        ]
    )
    verdict, missing = evidence.of_planned(verdicts, len(measured), len(groups))
    return _Outcome(verdict, numbers, missing, _held(pairs))


def _bounds_of(check: BoundCheck) -> tuple[float | None, float | None]:
    """The bounds of an interval; a difference with the bound 0 is more, or less, than 0."""
    low, high = check.bounds
    if check.difference:
        return NO_DIFFERENCE if low == 0 else low, -NO_DIFFERENCE if high == 0 else high
    return low, high


def _held(pairs: Iterable[Speedup]) -> tuple[Withheld, ...]:
    """The reasons against comparing the two sides, each once."""
    timed = (pair for pair in pairs if pair.base and pair.own.timed and pair.base.timed)
    return tuple(dict.fromkeys(why for pair in timed for why in pair.withheld))


def _forbidden(pairs: Iterable[Speedup]) -> tuple[Withheld, ...]:
    """The reasons that forbid a claim: all but precision, which belongs to the devices it names."""
    return tuple(reason for reason in _held(pairs) if reason.why is not Why.PRECISION)


def _bound_terms(evidence: Evidence, check: BoundCheck, point: Point) -> Terms:
    """What is compared with the bounds at one sweep point.

    A value is itself. A difference is one of paired values. A ratio is a difference of logarithms:
    of times the other device's over this one's, so that more is faster.
    """
    if check.value:
        return _terms(evidence, check.value, check.of, point, signed=check.value in SIGNED)
    over, held = check.other(evidence.plan.baseline)
    to = check.to or check.compared
    if check.difference:
        own = evidence.sample(check.compared, check.of, point)
        return Terms(((1.0, own), (-1.0, evidence.sample(to, over, point | held))))
    if check.ratio == "speedup" and check.to is None:
        return _terms_of(evidence.against(check.of, point, over, held))
    sign = -1.0 if check.ratio in TIME_QUANTITIES and not check.within_process else 1.0
    above = _terms(evidence, check.compared, check.of, point, signed=False)
    below = _terms(evidence, to, over, point | held, signed=False)
    terms = above.times(sign) + below.times(-sign)
    if check.ratio in OF_A_STEADY_STEP and check.to is None:
        known = evidence.against(check.of, point, over, held).rules.spread
        terms = replace(terms, spread=known)
    return terms


def _terms_of(compared: Speedup) -> Terms:
    """The logarithms of how many times as fast a device is; an empty term where there is none."""
    return compared.computed.terms if compared.computed else Terms(((1.0, {}),))


def _over_baseline(evidence: Evidence, device: str, point: Point, over: str) -> Speedup:
    """The comparison of a device at a point with another there, else with the baseline."""
    return evidence.against(device, point, *evidence.plan.baseline.place(over, {}))


def _terms(
    evidence: Evidence, name: str, device: str, point: Point, over: str = "", *, signed: bool
) -> Terms:
    """A quantity's processes: as they are where `signed`, else their logarithms."""
    if name == "speedup":
        return _terms_of(_over_baseline(evidence, device, point, over))
    return Terms.of(evidence.sample(name, device, point), signed=signed)


def _not_positive(
    evidence: Evidence, check: BoundCheck, groups: Sequence[tuple[Point, Sequence[Point]]]
) -> tuple[Missing, ...]:
    """The sides of a ratio that have values of which there is no ratio."""
    if not check.ratio:
        return ()
    over, held = check.other(evidence.plan.baseline)
    sides: list[tuple[str, str, Mapping[str, Scalar]]] = [
        (check.ratio, check.of, {}),
        (check.to or check.ratio, over, held),
    ]
    return tuple(
        Missing(Lack.POSITIVE, device, name)
        for name, device, keys in sides
        if name in SIGNED
        and any(
            value <= 0
            for _, points in groups
            for point in points
            for value in evidence.sample(name, device, point | dict(keys)).values()
        )
    )


# Trends -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rung:
    """What was measured at one value of the axis that a trend runs along."""

    value: Scalar
    place: Point
    terms: Terms
    processes: tuple[Result, ...]


def _trend(evidence: Evidence, check: TrendCheck) -> _Outcome:
    """Tests a trend at every setting of the other axes; all must show it."""
    name = check.rises or str(check.falls)
    pairs = [
        _over_baseline(evidence, check.of, point, check.over)
        for point in evidence.points(check.where)
        if name == "speedup"
    ]
    if held := _forbidden(pairs):
        return _Outcome(ClaimVerdict.WITHHELD, withheld=held)
    # Keys that advance with `along` have a value at each rung, and do not divide the lines.
    moving = evidence.advancing_with(check.along)
    lines: dict[str, list[_Rung]] = {}
    planned = Counter[str]()
    groups = evidence.groups(check.where, check.mean_over)
    for place, points in groups:
        held_at = {axis: value for axis, value in place.items() if axis not in moving}
        terms = mean_of(
            [
                _terms(evidence, name, check.of, point, check.over, signed=name in SIGNED)
                for point in points
            ]
        )
        rungs = lines.setdefault(repr(held_at), [])
        planned[repr(held_at)] += 1
        if terms.measured:
            moved = {axis: place[axis] for axis in moving if axis in place}
            processes = _processes(evidence, ((check.of, point) for point in points))
            rungs.append(_Rung(place[check.along], held_at | moved, terms, processes))
    outcomes = [
        _line(evidence, check, name, _ordered(rungs), planned[line])
        for line, rungs in lines.items()
    ]
    missing = dict.fromkeys(reason for outcome in outcomes for reason in outcome.missing)
    verdict, lacking = evidence.of_planned(
        [outcome.verdict for outcome in outcomes], sum(map(len, lines.values())), len(groups)
    )
    return _Outcome(
        verdict,
        tuple(number for outcome in outcomes for number in outcome.numbers),
        (*missing, *lacking) if outcomes else _absent(evidence, check),
        _held(pairs),
    )


def _ordered(rungs: list[_Rung]) -> list[_Rung]:
    """Numbers from small to large; anything else in the order of the spec."""
    if all(isinstance(rung.value, int | float) for rung in rungs):
        return sorted(rungs, key=lambda rung: float(rung.value))
    return rungs


def _line(
    evidence: Evidence, check: TrendCheck, name: str, measured: list[_Rung], planned: int
) -> _Outcome:
    if len(measured) < 2:
        lack = (Missing(Lack.POINTS, axis=check.along),) if measured else _absent(evidence, check)
        if planned < 2:
            lack = (Missing(Lack.UNPLANNED, check.of),)
        return _Outcome(ClaimVerdict.NOT_TESTED, missing=lack)
    level = level_over(evidence.rules.looks)
    margin = QUALITY_MARGIN if name in SIGNED else log(1 + MARGIN)
    steps = [rung.terms for rung in measured]
    verdict = _rises(steps, 1.0 if check.rises else -1.0, margin, level)
    if name == "speedup":  # an advantage that grows, or shrinks, is one where it is largest
        ahead = steps[-1 if check.rises else 0].contrast.linear(level)
        if ahead.known and ahead.high < 0:
            verdict = ClaimVerdict.REFUTED
        elif verdict is ClaimVerdict.CONFIRMED and not (ahead.known and ahead.low > 0):
            verdict = ClaimVerdict.UNDECIDED
    numbers = [
        Number(
            name,
            evidence.interval(name, rung.terms),
            rung.place,
            extrapolated=_extrapolated(check, rung.processes),
            processes=rung.processes,
        )
        for rung in measured
    ]
    return _Outcome(verdict, tuple(numbers))


def _absent(evidence: Evidence, check: TrendCheck) -> tuple[Missing, ...]:
    sides: list[tuple[str, Mapping[str, Scalar]]] = [(check.of, check.where)]
    if other := _other_side(evidence.plan, check):
        over, held = other
        sides.append((over, check.where | held))
    return evidence.absent(*sides)


def _rises(steps: list[Terms], sign: float, margin: float, level: float) -> ClaimVerdict:
    """Compares the ends, and each step at a level corrected for how many there are.

    A step back must be larger than `margin` beyond doubt to refute a rise, and a rise
    between the ends that cannot be as large as `margin` is refuted too.
    """
    strict = 1 - (1 - level) / (len(steps) - 1)
    changes = [_change(before, after, sign, strict) for before, after in pairwise(steps)]
    whole = _change(steps[0], steps[-1], sign, level)
    back = any(interval.known and interval.high < -margin for interval in changes)
    if back or (whole.known and whole.high < margin):
        return ClaimVerdict.REFUTED
    rises = whole.known and whole.low > 0
    return ClaimVerdict.CONFIRMED if rises else ClaimVerdict.UNDECIDED


def _change(before: Terms, after: Terms, sign: float, level: float) -> Interval:
    return (after.times(sign) + before.times(-sign)).contrast.linear(level)


# Qualities --------------------------------------------------------------------------------------

_OF_PARITY = {
    Parity.EQUIVALENT: ClaimVerdict.CONFIRMED,
    Parity.DIFFERENT: ClaimVerdict.REFUTED,
    Parity.UNDECIDED: ClaimVerdict.UNDECIDED,
}


def _equivalent(evidence: Evidence, check: EquivalentCheck) -> _Outcome:
    quality = Quality(check.equivalent, check.within)
    planned = [
        (name, point)
        for point in evidence.points(check.where)
        for name in evidence.plan.devices
        if not evidence.plan.baseline.is_at(name, point)
    ]
    pairs = [
        (own, base)
        for name, point in planned
        for own, base in [
            (evidence.group(name, point), evidence.group(*evidence.plan.baseline.place("", point)))
        ]
        if own.machine in {evidence.machine, ""}  # those elsewhere are tested there
    ]
    shared = [
        (own, base)
        for own, base in pairs
        if agreement(own.results, base.results, quality).verdict in _OF_PARITY
    ]
    verdicts, numbers = [], []
    for own, base in shared:
        agreed = agreement(own.results, base.results, quality, len(shared))
        verdicts.append(_OF_PARITY[agreed.verdict])
        interval = replace(agreed.difference, n=agreed.n)
        point = {axis: value for axis, value in own.point.items() if value is not None}
        limits = (-check.within, check.within)
        numbers.append(Number("difference", interval, point, own.device, limits=limits))
    if not verdicts:
        rows = tuple(row for row in evidence.results if row.at(check.where))
        lack = Missing(Lack.PAIRS, results=rows) if planned else Missing(Lack.UNPLANNED)
        return _Outcome(ClaimVerdict.NOT_TESTED, missing=(lack,))
    verdict, missing = evidence.of_planned(verdicts, len(shared), len(pairs))
    lacking = {own.device for own, _ in pairs} - {own.device for own, _ in shared}
    rows = tuple(row for name in sorted(lacking) for row in evidence.of_device.get(name, ()))
    return _Outcome(verdict, tuple(numbers), tuple(replace(one, results=rows) for one in missing))


def _quantised(evidence: Evidence, check: QuantisedCheck) -> _Outcome:
    """Every trained model is tested on its own examples, and all must agree."""
    verdicts, numbers, points = [], [], evidence.points(check.where)
    for point in points:
        for result in evidence.processes(check.of, point):
            quantised = evidence.quantised.get((result.key, result.machine))
            if quantised is None:
                continue
            value, low, high = difference(
                quantised.float32_only, quantised.int8_only, quantised.examples
            )
            direction = change(quantised)
            excluded = direction is Change.BETTER or low > -check.negligible
            undecided = ClaimVerdict.REFUTED if excluded else ClaimVerdict.UNDECIDED
            verdicts.append(ClaimVerdict.CONFIRMED if direction is Change.WORSE else undecided)
            interval = Interval(value, low, high, quantised.examples)
            stopped = shortest([result])
            trained = (int(stopped.steps), int(stopped.timings.planned_steps)) if stopped else None
            numbers.append(
                Number(
                    "difference", interval, point,
                    seed=result.seed, trained=trained, of_examples=True,
                )
            )  # fmt: skip
    if verdicts:
        agreed = verdicts[0] if len(set(verdicts)) == 1 else ClaimVerdict.UNDECIDED
        tested = len({point_key(number.point) for number in numbers})
        verdict, lacking = evidence.of_planned([agreed], tested, len(points))
        return _Outcome(verdict, tuple(numbers), lacking)
    here = any(process.measured for process in evidence.of_device.get(check.of, ()))
    lack = (
        (Missing(Lack.QUANTISED, check.of),) if here else evidence.absent((check.of, check.where))
    )
    return _Outcome(ClaimVerdict.NOT_TESTED, missing=lack)


# Memory -----------------------------------------------------------------------------------------


def _out_of_memory(evidence: Evidence, check: MemoryCheck) -> _Outcome:
    """One process that ends otherwise refutes it; two that do not are needed to confirm it."""
    verdicts, numbers, points = [], [], evidence.points(check.where)
    for point in points:
        tried = [
            result
            for result in evidence.of_device.get(check.of, ())
            if result.machine == evidence.machine != ""
            and result.at(point)
            and (result.measured or result.failure_kind in OUT_OF_MEMORY)
        ]
        if not tried:
            continue
        failed = [result for result in tried if not result.measured]
        # A process that took more memory than the machine that is meant has does not refute.
        fits = [
            result
            for result in tried
            if result.measured
            and (not check.memory or result.memory.host_peak_bytes <= check.memory)
        ]
        whole = len(failed) == len(tried) > 1
        undecided = ClaimVerdict.CONFIRMED if whole else ClaimVerdict.UNDECIDED
        verdicts.append(ClaimVerdict.REFUTED if fits else undecided)
        share = replace(NOTHING, value=float(len(failed)), n=len(tried))
        peak = max((r.memory.host_peak_bytes for r in tried if r.measured), default=0.0)
        numbers.append(
            Number("out_of_memory", share, point, peak_bytes=peak, processes=tuple(tried))
        )
    verdict, lacking = evidence.of_planned(verdicts, len(verdicts), len(points))
    missing = lacking if verdicts else evidence.absent((check.of, check.where))
    return _Outcome(verdict, tuple(numbers), missing)
