"""Whether a quantity rises or falls along an axis of the sweep."""

from __future__ import annotations

from itertools import pairwise, product
from math import log

from accelreport.analysis.claim_outcomes import ClaimVerdict, Outcome, describe, together
from accelreport.analysis.evidence import Evidence, combined
from accelreport.analysis.intervals import LEVEL, Term, compare
from accelreport.analysis.selection import FINAL_QUANTITIES, Point
from accelreport.analysis.sequential import level_of
from accelreport.analysis.verdicts import MARGIN
from accelreport.analysis.words import at
from accelreport.spec.models import Scalar, TrendCheck

QUALITY_MARGIN = 0.005
"""The same for accuracies and losses, of which half a percent already matters."""


def _margin(name: str) -> float:
    return QUALITY_MARGIN if name in FINAL_QUANTITIES else MARGIN


def trend(evidence: Evidence, check: TrendCheck) -> Outcome:
    """Tests a trend at every setting of the other axes; all must show it."""
    name, up = (check.rises, True) if check.rises else (str(check.falls), False)
    lines = [_line(evidence, check, name, up=up, held=held) for held in _held(evidence, check)]
    rule = (
        f"{name} of {check.of} {'rises' if up else 'falls'} along {check.along}: between its "
        f"ends by more than the {100 * LEVEL:g} % interval, and nowhere back by more than "
        f"{100 * _margin(name):g} %"
    )
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
        if axis != check.along
    }
    return [dict(zip(others, values, strict=True)) for values in product(*others.values())]


def _line(evidence: Evidence, check: TrendCheck, name: str, *, up: bool, held: Point) -> Outcome:
    measured = []
    for value in _ordered(evidence.plan.axes.get(check.along, [])):
        groups = evidence.logs(name, check.of, check.over, held | {check.along: value})
        if all(logs for _, logs in groups):
            measured.append((value, groups))
    said = [
        describe(at(held | {check.along: value}), name, combined(groups, level_of(evidence.plan)))
        for value, groups in measured
    ]
    if len(measured) < 2:
        why = evidence.found.why_not(check.of) if not measured else "only one point was measured"
        return Outcome(ClaimVerdict.NOT_TESTED, "", why)
    sign = 1.0 if up else -1.0
    return Outcome(
        verdict=_verdict(
            [groups for _, groups in measured],
            sign,
            log(1 + _margin(name)),
            level_of(evidence.plan),
        ),
        rule="",
        numbers=", ".join(text for text, _ in said),
        evidence=[each for _, each in said],
    )


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
