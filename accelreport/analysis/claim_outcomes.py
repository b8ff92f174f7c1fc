"""What a claim's rule found: the verdict, the numbers, and how several become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Any

from accelreport.analysis.intervals import Interval
from accelreport.analysis.words import figure, span


class ClaimVerdict(StrEnum):
    """What the measurements say of a sentence."""

    CONFIRMED = "CONFIRMED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    NOT_TESTED = "NOT TESTED HERE"


@dataclass(frozen=True)
class Outcome:
    """A verdict with the numbers and the rule that gave it.

    Attributes:
        verdict: the verdict.
        rule: what was asked of the numbers.
        numbers: what was measured, or why nothing was.
        evidence: the same as dicts of what, quantity, value, low, high, n.
    """

    verdict: ClaimVerdict
    rule: str
    numbers: str
    evidence: Sequence[dict[str, Any]] = field(default=())

    @property
    def tested(self) -> bool:
        """Whether anything was measured that bears on the claim."""
        return self.verdict is not ClaimVerdict.NOT_TESTED


def together(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """A claim about several points: one refutes it, all must confirm it."""
    tested = [verdict for verdict in verdicts if verdict is not ClaimVerdict.NOT_TESTED]
    if not tested:
        return ClaimVerdict.NOT_TESTED
    if ClaimVerdict.REFUTED in tested:
        return ClaimVerdict.REFUTED
    whole = set(verdicts) == {ClaimVerdict.CONFIRMED}
    return ClaimVerdict.CONFIRMED if whole else ClaimVerdict.UNDECIDED


def within_bounds(
    interval: Interval, strict: Interval, at_least: float | None, at_most: float | None
) -> ClaimVerdict:
    """Compares an interval with bounds.

    CONFIRMED when the whole of `interval` lies within them, REFUTED when the whole of
    `strict` (the same at a level corrected for the number of points) lies outside.
    """
    low = -inf if at_least is None else at_least
    high = inf if at_most is None else at_most
    if not interval.known:
        return ClaimVerdict.UNDECIDED
    if low <= interval.low and interval.high <= high:
        return ClaimVerdict.CONFIRMED
    if strict.high < low or strict.low > high:
        return ClaimVerdict.REFUTED
    return ClaimVerdict.UNDECIDED


def describe(what: str, quantity: str, interval: Interval) -> tuple[str, dict[str, Any]]:
    """An estimate of a quantity as text and as a dict."""
    said = figure(quantity, interval.value)
    if interval.known:
        said += f" ({span(quantity, interval.low, interval.high)}, n = {interval.n})"
    else:
        said += " (one process, no interval)"
    evidence = {
        "what": what,
        "quantity": quantity,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
    }
    return (f"{what}: {said}" if what else said), evidence
