"""One function for each kind of check a claim may make."""

from __future__ import annotations

from collections.abc import Callable

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
from accelreport.analysis.refusals import ABOVE_PEAK
from accelreport.analysis.selection import TIME_QUANTITIES, Point, Row, rows_of
from accelreport.analysis.words import at
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import (
    Check,
    EquivalentCheck,
    PeakCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)


def devices_of(plan: PlanDocument, check: Check) -> list[str]:
    """Devices whose machine decides where a claim is tested."""
    if isinstance(check, TrendCheck | RatioCheck | ValueCheck):
        return [check.of]
    return list(plan.devices)


def evaluate(evidence: Evidence, cells: pd.DataFrame, check: Check) -> Outcome:
    """Applies the rule of a check to what was measured.

    A claim that needs a withheld speedup is UNDECIDED, for the reason it is withheld.
    """
    if isinstance(check, TrendCheck):
        return _unless_withheld(evidence, check, trend(evidence, check))
    if isinstance(check, RatioCheck):
        return _unless_withheld(evidence, check, _ratio(evidence, check))
    if isinstance(check, ValueCheck):
        return _value(evidence, check)
    if isinstance(check, EquivalentCheck):
        return _equivalent(evidence, cells, check)
    return _below_peak(evidence, check)


def _unless_withheld(
    evidence: Evidence, check: TrendCheck | RatioCheck, outcome: Outcome
) -> Outcome:
    named = check.ratio if isinstance(check, RatioCheck) else check.rises or check.falls
    devices = [check.of, check.over] if named == "speedup" else []
    why = evidence.why_withheld(devices, check.where) if outcome.tested else ""
    return Outcome(ClaimVerdict.UNDECIDED, outcome.rule, why) if why else outcome


Estimate = Callable[[Point, float], Interval]
"""(sweep point, confidence level) → the interval to be compared with bounds."""


def _bounded(
    evidence: Evidence,
    where: Point,
    estimate: Estimate,
    bounds: tuple[float | None, float | None],
    rule: str,
    quantity: str,
) -> Outcome:
    """Compares an interval with bounds at every sweep point that `where` leaves open."""
    matching = evidence.found.points(where)
    measured = [(point, found) for point in matching if (found := estimate(point, LEVEL)).n]
    strict = 1 - (1 - LEVEL) / max(len(measured), 1)
    said = [describe(at(point), quantity, interval) for point, interval in measured]
    return Outcome(
        verdict=together(
            [within_bounds(found, estimate(point, strict), *bounds) for point, found in measured]
        ),
        rule=rule,
        numbers="; ".join(text for text, _ in said),
        evidence=[each for _, each in said],
    )


def _bounds(at_least: float | None, at_most: float | None) -> str:
    parts = [f"at least {at_least:g}"] if at_least is not None else []
    parts += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(parts)


def _ratio(evidence: Evidence, check: RatioCheck) -> Outcome:
    bounds, asked = (check.at_least, check.at_most), _bounds(check.at_least, check.at_most)
    if check.about is not None:
        bounds = (check.about / check.tolerance, check.about * check.tolerance)
        asked = f"within a factor {check.tolerance:g} of {check.about:g}"
    over = check.over or evidence.plan.baseline
    rule = f"the {100 * LEVEL:g} % interval of {_quotient(check, over)} is {asked}"
    estimate = _quotient_at(evidence, check)
    outcome = _bounded(evidence, dict(check.where), estimate, bounds, rule, "ratio")
    if not outcome.tested:
        alone = check.to is not None and not check.over
        devices = [check.of] if alone else list(dict.fromkeys([check.of, over]))
        missing = [each for each in devices if not evidence.found.machines(each)]
        why = "; ".join(evidence.found.why_not(each) for each in missing or [check.of])
        return Outcome(outcome.verdict, rule, why)
    return outcome


def _quotient(check: RatioCheck, over: str) -> str:
    if check.to is not None and not check.over:
        return f"{check.ratio} over {check.to} on {check.of}, process by process,"
    if check.ratio == "speedup":
        return f"the speedup of {check.of} over {over}"
    if check.to is not None:
        return f"{check.ratio} of {check.of} over {check.to} of {over}"
    if check.ratio in TIME_QUANTITIES:
        return f"{check.ratio} of {over} over that of {check.of}"
    return f"{check.ratio} of {check.of} over that of {over}"


def _quotient_at(evidence: Evidence, check: RatioCheck) -> Estimate:
    over = check.over or evidence.plan.baseline
    if check.to is not None and not check.over:
        other = check.to
        return lambda point, level: evidence.paired(check.ratio, other, check.of, point, level)
    if check.ratio == "speedup":
        return lambda point, level: evidence.estimate("speedup", check.of, over, point, level)
    to = check.to or check.ratio
    return lambda point, level: evidence.quotient((check.ratio, check.of), (to, over), point, level)


def _value(evidence: Evidence, check: ValueCheck) -> Outcome:
    rule = (
        f"the {100 * LEVEL:g} % interval of {check.value} of {check.of} is "
        f"{_bounds(check.at_least, check.at_most)}"
    )

    def estimate(point: Point, level: float) -> Interval:
        return evidence.estimate(check.value, check.of, "", point, level)

    bounds = (check.at_least, check.at_most)
    outcome = _bounded(evidence, dict(check.where), estimate, bounds, rule, check.value)
    if not outcome.tested:
        return Outcome(outcome.verdict, rule, evidence.found.why_not(check.of))
    return outcome


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
