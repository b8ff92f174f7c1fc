"""Whether a quantity rises or falls along an axis of the sweep."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from math import log

from accelreport.analysis.claim_outcomes import ClaimVerdict, Outcome, describe, together
from accelreport.analysis.evidence import Evidence
from accelreport.analysis.intervals import LEVEL, Interval, Term, compare
from accelreport.analysis.selection import SIGNED_QUANTITIES, Point
from accelreport.analysis.sequential import level_of
from accelreport.analysis.verdicts import MARGIN
from accelreport.analysis.words import at
from accelreport.spec.models import Scalar, TrendCheck

QUALITY_MARGIN = 0.005
"""The same for accuracies and losses, as a difference: half a point already matters."""


def _margin(name: str) -> float:
    return QUALITY_MARGIN if name in SIGNED_QUANTITIES else MARGIN


def trend(evidence: Evidence, check: TrendCheck) -> Outcome:
    """Tests a trend at every setting of the other axes; all must show it."""
    name, up = (check.rises, True) if check.rises else (str(check.falls), False)
    lines = [_line(evidence, check, name, up=up, held=held) for held in _held(evidence, check)]
    margin = _margin(name)
    rule = (
        f"{name} of {check.of} {'rises' if up else 'falls'} along {check.along}: between its "
        f"ends by more than the {100 * LEVEL:g} % interval, and nowhere back by more than "
        f"{f'{margin:g}' if name in SIGNED_QUANTITIES else f'{100 * margin:g} %'}"
    )
    if check.starting_at is not None:
        rule += (
            f", from {check.along} = {check.starting_at:g} on; below, the interval of the change "
            f"lies within a factor {check.tolerance:g}"
        )
    if check.mean_over:
        rule += f", as a mean over every {' and '.join(check.mean_over)}"
    return Outcome(
        verdict=together([line.verdict for line in lines]),
        rule=rule,
        numbers="; ".join(dict.fromkeys(line.numbers for line in lines)),
        evidence=[each for line in lines for each in line.evidence],
    )


def _held(evidence: Evidence, check: TrendCheck) -> list[Point]:
    """Every setting of the axes that the trend does not run along."""
    others = {
        axis: [check.where[axis]] if axis in check.where else values
        for axis, values in evidence.plan.axes.items()
        if axis != check.along and axis not in check.mean_over
    }
    return [dict(zip(others, values, strict=True)) for values in product(*others.values())]


@dataclass(frozen=True)
class _Rung:
    """What was measured at one value of the axis."""

    value: Scalar
    terms: list[Term]


def _line(evidence: Evidence, check: TrendCheck, name: str, *, up: bool, held: Point) -> Outcome:
    measured = []
    for value in _ordered(evidence.plan.axes.get(check.along, [])):
        points = evidence.found.points(held | {check.along: value})
        terms = [
            (weight / len(points), sample)
            for point in points
            for weight, sample in evidence.terms(name, check.of, check.over, point)
        ]
        if terms and all(sample for _, sample in terms):
            measured.append(_Rung(value, terms))
    said = [
        describe(at(held | {check.along: rung.value}), name, evidence.shown(name, rung.terms))
        for rung in measured
    ]
    below = [rung.terms for rung in measured if _before(rung, check)]
    rising = [rung.terms for rung in measured if not _before(rung, check)]
    if len(rising) < 2:
        why = evidence.found.why_not(check.of) if not measured else "only one point was measured"
        return Outcome(ClaimVerdict.NOT_TESTED, "", why)
    level, sign = level_of(evidence.plan), 1.0 if up else -1.0
    margin = _margin(name) if name in SIGNED_QUANTITIES else log(1 + _margin(name))
    verdict = together(
        [
            _verdict(rising, sign, margin, level),
            *_stays(name, [*below, rising[0]], check.tolerance, level),
        ]
    )
    return Outcome(
        verdict=verdict,
        rule="",
        numbers=", ".join(text for text, _ in said),
        evidence=[each for _, each in said],
    )


def _before(rung: _Rung, check: TrendCheck) -> bool:
    start, value = check.starting_at, rung.value
    return start is not None and isinstance(value, int | float) and value < start


def _stays(
    name: str, steps: list[list[Term]], tolerance: float, level: float
) -> list[ClaimVerdict]:
    """Whether each value below the start is that at the start, within the tolerance."""
    signed = name in SIGNED_QUANTITIES
    margin = QUALITY_MARGIN if signed else log(tolerance)
    return [
        _flat(compare(*_difference(each, steps[-1], 1.0)).linear(level), margin)
        for each in steps[:-1]
    ]


def _flat(change: Interval, margin: float) -> ClaimVerdict:
    if not change.known:
        return ClaimVerdict.UNDECIDED
    if -margin <= change.low and change.high <= margin:
        return ClaimVerdict.CONFIRMED
    outside = change.low > margin or change.high < -margin
    return ClaimVerdict.REFUTED if outside else ClaimVerdict.UNDECIDED


def _ordered(values: list[Scalar]) -> list[Scalar]:
    """Numbers from small to large; anything else in the order of the spec."""
    if all(isinstance(value, int | float) for value in values):
        return sorted(values, key=float)
    return values


def _verdict(steps: list[list[Term]], sign: float, margin: float, level: float) -> ClaimVerdict:
    """Compares the ends, and each step at a level corrected for how many there are.

    A step back must be larger than `margin` beyond doubt to refute a rise, and a rise
    between the ends that cannot be as large as `margin` is refuted too.
    """
    strict = 1 - (1 - level) / (len(steps) - 1)
    back = False
    for before, after in pairwise(steps):
        step = compare(*_difference(before, after, sign)).linear(strict)
        back = back or (step.known and step.high < -margin)
    whole = compare(*_difference(steps[0], steps[-1], sign)).linear(level)
    if back or (whole.known and whole.high < margin):
        return ClaimVerdict.REFUTED
    rises = whole.known and whole.low > 0
    return ClaimVerdict.CONFIRMED if rises else ClaimVerdict.UNDECIDED


def _difference(before: list[Term], after: list[Term], sign: float) -> list[Term]:
    return [(sign * weight, logs) for weight, logs in after] + [
        (-sign * weight, logs) for weight, logs in before
    ]
