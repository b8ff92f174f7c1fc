"""One function for each kind of check a claim may make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from accelreport.analysis.claim_outcomes import (
    ClaimVerdict,
    Outcome,
    describe,
    together,
    within_bounds,
)
from accelreport.analysis.claim_trend import trend
from accelreport.analysis.evidence import Evidence
from accelreport.analysis.intervals import LEVEL, NOTHING, Interval
from accelreport.analysis.parity import Parity, parity_frame
from accelreport.analysis.quantised import Change, change, difference
from accelreport.analysis.refusals import ABOVE_PEAK
from accelreport.analysis.selection import SIGNED_QUANTITIES, Point, Row, matches, rows_of
from accelreport.analysis.words import at, counted
from accelreport.results.observations import Quantised
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import MEASURED
from accelreport.spec.claims import TIME_QUANTITIES
from accelreport.spec.models import (
    Check,
    DifferenceCheck,
    EquivalentCheck,
    FasterCheck,
    MemoryCheck,
    PeakCheck,
    QuantisedCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)


def devices_of(plan: PlanDocument, check: Check) -> list[str]:
    """Devices whose machine decides where a claim is tested."""
    if isinstance(check, FasterCheck):
        return [check.faster]
    if isinstance(check, EquivalentCheck | PeakCheck):
        return list(plan.devices)
    return [check.of]


def evaluate(evidence: Evidence, cells: pd.DataFrame, check: Check) -> Outcome:
    """Applies the rule of a check to what was measured.

    A claim that needs a withheld speedup is UNDECIDED, for the reason it is withheld.
    """
    if isinstance(check, FasterCheck):
        outcome = _unless_withheld(evidence, check.as_ratio, _ratio(evidence, check.as_ratio))
        rule = f"{check.reading(evidence.plan.baseline, evidence.axes)}: the whole {SURE} interval"
        return replace(outcome, rule=rule)
    if isinstance(check, TrendCheck):
        return _unless_withheld(evidence, check, trend(evidence, check))
    if isinstance(check, RatioCheck):
        return _unless_withheld(evidence, check, _ratio(evidence, check))
    if isinstance(check, DifferenceCheck):
        return _difference(evidence, check)
    if isinstance(check, ValueCheck):
        return _value(evidence, check)
    if isinstance(check, EquivalentCheck):
        return _equivalent(evidence, cells, check)
    if isinstance(check, QuantisedCheck):
        return _quantised(evidence, check)
    if isinstance(check, MemoryCheck):
        return _out_of_memory(evidence, check)
    return _below_peak(evidence, check)


SURE = f"{100 * LEVEL:g} %"


def _unless_withheld(
    evidence: Evidence, check: TrendCheck | RatioCheck, outcome: Outcome
) -> Outcome:
    named = check.ratio if isinstance(check, RatioCheck) else check.rises or check.falls
    devices = [check.of, check.over] if named == "speedup" else []
    why = evidence.why_withheld(devices, check.where) if outcome.tested else ""
    return Outcome(ClaimVerdict.UNDECIDED, outcome.rule, why) if why else outcome


Estimate = Callable[[Sequence[Point], float], Interval]
"""(points that count together, confidence level) → the interval to be compared with bounds."""


def _bounded(
    groups: Sequence[tuple[Point, Sequence[Point]]],
    estimate: Estimate,
    bounds: tuple[float | None, float | None],
    rule: str,
    quantity: str,
) -> Outcome:
    """Compares an interval with bounds at every sweep point that a claim leaves open.

    Args:
        groups: what is said of a place, and the points there that count together.
        estimate: the interval of such points.
        bounds: the least and the most.
        rule: what was asked.
        quantity: what the numbers are.
    """
    measured = [
        (place, points, found) for place, points in groups if (found := estimate(points, LEVEL)).n
    ]
    strict = 1 - (1 - LEVEL) / max(len(measured), 1)
    verdicts = [
        within_bounds(found, estimate(points, strict), *bounds) for _, points, found in measured
    ]
    said = [describe(at(place), quantity, interval) for place, _, interval in measured]
    return Outcome(
        verdict=together(verdicts),
        rule=rule,
        numbers="; ".join(text for text, _ in said),
        evidence=[each for _, each in said],
    )


def _bounds(at_least: float | None, at_most: float | None) -> str:
    parts = [f"at least {at_least:g}"] if at_least is not None else []
    parts += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(parts)


def _ratio(evidence: Evidence, check: RatioCheck) -> Outcome:
    asked = _bounds(check.at_least, check.at_most)
    if check.about is not None:
        asked = f"within a factor {check.tolerance:g} of {check.about:g}"
    over = check.over or evidence.plan.baseline
    rule = f"the {SURE} interval of {_quotient(check, over)} is {asked}"
    if check.mean_over:
        rule += f", as a geometric mean over every {' and '.join(check.mean_over)}"
    groups = evidence.groups(check.where, check.mean_over)
    sides: list[tuple[str, str, Point]] = [
        (check.ratio, check.of, {}),
        (check.to or check.ratio, over, check.over_where),
    ]
    outcome = _bounded(
        groups,
        lambda points, level: evidence.ratio(check, points, level),
        check.bounds,
        rule,
        "ratio",
    )
    if outcome.tested and (why := _not_positive(evidence, groups, sides)):
        return Outcome(ClaimVerdict.UNDECIDED, rule, why)
    if not outcome.tested:
        devices = [check.of] if check.within_process else list(dict.fromkeys([check.of, over]))
        return Outcome(outcome.verdict, rule, _why_not(evidence, devices))
    return outcome


def _not_positive(
    evidence: Evidence,
    groups: Sequence[tuple[Point, Sequence[Point]]],
    sides: Sequence[tuple[str, str, Point]],
) -> str:
    """Why there is no ratio although something was measured; empty where there is one."""
    for name, device, elsewhere in sides:
        if name in SIGNED_QUANTITIES and any(
            value <= 0
            for _, points in groups
            for point in points
            for value in evidence.sample(name, device, point | elsewhere).values()
        ):
            return (
                f"{name} of {device} is not positive in every process, so no ratio says how it "
                f"compares; a check with `higher` or `lower` compares by the difference"
            )
    return ""


def _why_not(evidence: Evidence, devices: Sequence[str]) -> str:
    missing = [each for each in devices if not evidence.found.machines(each)]
    return "; ".join(evidence.found.why_not(each) for each in missing or devices[:1])


def _quotient(check: RatioCheck, over: str) -> str:
    if check.within_process:
        return f"{check.ratio} over {check.to} on {check.of}, process by process,"
    inverse = check.ratio in TIME_QUANTITIES
    if check.ratio == "speedup" and check.to is None:
        return f"the speedup of {check.of} over {over}"
    if check.to is not None:
        if inverse:
            return f"{check.to} of {over} over {check.ratio} of {check.of}"
        return f"{check.ratio} of {check.of} over {check.to} of {over}"
    if inverse:
        return f"{check.ratio} of {over} over that of {check.of}"
    return f"{check.ratio} of {check.of} over that of {over}"


def _difference(evidence: Evidence, check: DifferenceCheck) -> Outcome:
    reading = check.reading(evidence.plan.baseline, evidence.axes)
    least = check.by_at_least
    bounds = (least, None) if check.higher else (None, -least)
    outcome = _bounded(
        evidence.groups(check.where, check.mean_over),
        lambda points, level: evidence.difference(check, points, level),
        bounds,
        f"{reading}: the whole {SURE} interval of the difference",
        "difference",
    )
    if not outcome.tested:
        devices = list(dict.fromkeys([check.of, check.than or check.of]))
        return Outcome(outcome.verdict, outcome.rule, _why_not(evidence, devices))
    return outcome


def _value(evidence: Evidence, check: ValueCheck) -> Outcome:
    rule = (
        f"the {SURE} interval of {check.value} of {check.of} is "
        f"{_bounds(check.at_least, check.at_most)}"
    )
    outcome = _bounded(
        evidence.groups(check.where),
        lambda points, level: evidence.estimate(check.value, check.of, "", points[0], level),
        (check.at_least, check.at_most),
        rule,
        check.value,
    )
    if not outcome.tested:
        return Outcome(outcome.verdict, rule, evidence.found.why_not(check.of))
    return outcome


def _quantised(evidence: Evidence, check: QuantisedCheck) -> Outcome:
    """Every trained model is tested on its own examples, and all must agree."""
    rule = (
        f"McNemar's exact test of each model trained on {check.of} finds more examples that only "
        f"the model before quantisation has right; refuted where none does and the {SURE} "
        f"intervals exclude a loss of {check.negligible:g}"
    )
    verdicts, said = [], []
    for point in evidence.found.points(check.where):
        for row in evidence.found.near(check.of, point, evidence.machine):
            found = evidence.quantised.get((row["key"], row["machine"]))
            if found is None:
                continue
            seen, low, high = difference(found.float32_only, found.int8_only, found.examples)
            verdicts.append(_cost(found, low, check.negligible))
            what = ", ".join(each for each in (at(point), f"seed {row['seed']}") if each)
            said.append(describe(what, "difference", Interval(seen, low, high, found.examples)))
    if not verdicts:
        return Outcome(ClaimVerdict.NOT_TESTED, rule, _not_quantised(evidence, check.of))
    agreed = verdicts[0] if len(set(verdicts)) == 1 else ClaimVerdict.UNDECIDED
    return Outcome(agreed, rule, "; ".join(text for text, _ in said), [each for _, each in said])


def _cost(found: Quantised, low: float, negligible: float) -> ClaimVerdict:
    """Whether one model lost accuracy; `low` is the least that the difference may be."""
    said = change(found)
    if said is Change.WORSE:
        return ClaimVerdict.CONFIRMED
    excluded = said is Change.BETTER or low > -negligible
    return ClaimVerdict.REFUTED if excluded else ClaimVerdict.UNDECIDED


def _not_quantised(evidence: Evidence, device: str) -> str:
    if evidence.found.machines(device):
        return f"no model that was trained on {device} was quantised"
    return evidence.found.why_not(device)


OUT_OF_MEMORY = ("oom-host", "oom-device")
"""Kinds of failures for lack of memory."""


def _out_of_memory(evidence: Evidence, check: MemoryCheck) -> Outcome:
    """One process that ends otherwise refutes it; two that do not are needed to confirm it."""
    rule = check.reading(evidence.plan.baseline, evidence.axes)
    verdicts, texts = [], []
    for point in evidence.found.points(check.where):
        rows = [
            row
            for row in evidence.found.rows
            if row["device"] == check.of
            and row["machine"] == evidence.machine != ""
            and matches(row, point)
            and (row["status"] in MEASURED or row["failure_kind"] in OUT_OF_MEMORY)
        ]
        if not rows:
            continue
        failed = [row for row in rows if row["status"] not in MEASURED]
        whole = ClaimVerdict.CONFIRMED if len(failed) > 1 else ClaimVerdict.UNDECIDED
        verdicts.append(whole if len(failed) == len(rows) else ClaimVerdict.REFUTED)
        count = f"{len(failed)} of {counted(len(rows), 'process', 'processes')} ran out of memory"
        texts.append(": ".join(each for each in (at(point), count) if each))
    if not verdicts:
        return Outcome(ClaimVerdict.NOT_TESTED, rule, evidence.found.why_not(check.of))
    return Outcome(together(verdicts), rule, "; ".join(texts))


PARITY_VERDICT = {
    Parity.EQUIVALENT.value: ClaimVerdict.CONFIRMED,
    Parity.DIFFERENT.value: ClaimVerdict.REFUTED,
    Parity.UNDECIDED.value: ClaimVerdict.UNDECIDED,
}


def _equivalent(evidence: Evidence, cells: pd.DataFrame, check: EquivalentCheck) -> Outcome:
    rule = (
        f"two one-sided tests over paired seeds: the 90 % interval of the difference in "
        f"{check.equivalent} lies within ± {check.within:g} on every device"
    )
    frame = parity_frame(
        cells, evidence.plan.baseline, evidence.axes, check.equivalent, check.within
    )
    rows = [
        row
        for row in rows_of(frame)
        if row["verdict"] in PARITY_VERDICT
        and row["machine"] == evidence.machine
        and all(row[key] == value for key, value in check.where.items())
    ]
    if not rows:
        return Outcome(ClaimVerdict.NOT_TESTED, rule, "no two devices completed the same seed")
    said = [
        describe(
            ", ".join(x for x in (row["device"], at({a: row[a] for a in evidence.axes})) if x),
            "difference",
            Interval(row["difference"], row["low"], row["high"], row["n"]),
        )
        for row in rows
    ]
    verdicts = [PARITY_VERDICT[row["verdict"]] for row in rows]
    return Outcome(
        together(verdicts), rule, "; ".join(text for text, _ in said), [each for _, each in said]
    )


def _below_peak(evidence: Evidence, check: PeakCheck) -> Outcome:
    del check
    rule = f"the {100 * LEVEL:g} % interval of tflops lies below the device's cited peak"
    verdicts: list[ClaimVerdict] = []
    texts: list[str] = []
    found = []
    for device in evidence.plan.devices:
        for point in evidence.found.points():
            peak = evidence.peak(device, point)
            interval = evidence.estimate("tflops", device, "", point) if peak else NOTHING
            if not interval.n:
                continue
            where = ", ".join(part for part in (device, at(point)) if part)
            text, each = describe(f"{where} (peak {peak:g})", "tflops", interval)
            verdicts.append(_against_peak(interval, peak))
            texts.append(text)
            found.append(each | {"peak": peak})
    for row in _refused_as_too_fast(evidence):
        verdicts.append(ClaimVerdict.REFUTED)
        where = ", ".join(part for part in (row["device"], at(_point(evidence, row))) if part)
        texts.append(f"{where}: {row['failure_message']}")
    numbers = "; ".join(texts) or "no device with a cited peak ran anything whose FLOPs are known"
    return Outcome(together(verdicts), rule, numbers, found)


def _refused_as_too_fast(evidence: Evidence) -> list[Row]:
    """Rows whose number is not shown because it lies above the peak."""
    return [
        row
        for row in evidence.found.rows
        if row["failure_kind"] == ABOVE_PEAK and evidence.machine in {"", row["machine"]}
    ]


def _point(evidence: Evidence, row: Row) -> Point:
    return {axis: row[axis] for axis in evidence.axes}


def _against_peak(interval: Interval, peak: float) -> ClaimVerdict:
    # A single process has no interval, and still cannot be faster than the hardware.
    if not interval.known:
        return ClaimVerdict.REFUTED if interval.value > peak else ClaimVerdict.UNDECIDED
    return within_bounds(interval, interval, None, peak)
