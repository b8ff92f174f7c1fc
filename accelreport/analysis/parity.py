"""Whether two devices train to the same quality: an equivalence test over paired seeds.

Failing to find a difference is not finding that there is none. Two one-sided tests
(Schuirmann 1987) turn the question round: the devices are the same when the 90 % interval
of their difference lies within a margin that was stated beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, isnan, nan

from scipy.special import stdtr

from accelreport.analysis.intervals import LEVEL, NOTHING, Contrast, Interval, one_sample
from accelreport.analysis.results import Result
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.claims import EquivalentCheck

WITHIN = 0.01
"""Accuracies that differ by less than one point in a hundred count as the same."""

TOST_LEVEL = 0.90
"""Two one-sided tests at 5 % are one interval at 90 %."""


class Parity(StrEnum):
    """What is said of a device's quality against the baseline's."""

    EQUIVALENT = "EQUIVALENT"
    DIFFERENT = "DIFFERENT"
    UNDECIDED = "UNDECIDED"
    BASELINE = "BASELINE"
    NOT_MEASURED = "NOT MEASURED"


@dataclass(frozen=True)
class Quality:
    """A final metric on which devices must agree, and by how much they may differ."""

    metric: str
    within: float


def quality_of(plan: PlanDocument, results: Iterable[Result]) -> Quality | None:
    """The metric on which devices must agree; None for a kernel, which trains nothing.

    A claim of equivalence names it and the margin; otherwise it is the validation accuracy, or
    the training accuracy where nothing is validated, within `WITHIN`.
    """
    for claim in plan.claims:
        if isinstance(claim.check, EquivalentCheck):
            return Quality(claim.check.equivalent, claim.check.within)
    seen = {name for each in results for name, value in each.final.items() if not isnan(value)}
    metric = next((name for name in ("val_accuracy", "accuracy") if name in seen), "")
    return Quality(metric, WITHIN) if metric else None


@dataclass(frozen=True)
class Agreement:
    """Whether a device's quality is the baseline's.

    Attributes:
        quality: what was compared, and by how much it may differ.
        n: pairs of complete runs of one seed; of the baseline itself, its complete runs.
        difference: device minus baseline in the metric's unit, with its 90 % interval.
        p: the larger p value of the two one-sided t tests; NaN without an interval.
        verdict: EQUIVALENT, DIFFERENT, UNDECIDED, BASELINE or NOT MEASURED.
    """

    quality: Quality
    n: int
    difference: Interval
    p: float
    verdict: Parity


def agreement(
    own: Sequence[Result], base: Sequence[Result], quality: Quality, comparisons: int = 1
) -> Agreement:
    """Whether two groups of processes train to the same quality.

    Complete runs of the same seed are paired, which takes out what the seed decides
    (Bouthillier et al. 2021). EQUIVALENT when the 90 % interval of their difference lies within
    the margin; DIFFERENT when the 95 % interval lies outside it altogether; UNDECIDED otherwise,
    and with fewer than two pairs.

    Args:
        own: processes of the device.
        base: those of the baseline; the same for the baseline itself.
        quality: the metric and the margin.
        comparisons: how many are made of which a single difference would be told, as over the
            sweep points of a claim: DIFFERENT then takes a level of 1 - 0.05/comparisons. That
            all of them are EQUIVALENT takes no more than each of them (Berger 1982).
    """
    values, others = (_values(group, quality.metric) for group in (own, base))
    if own is base and values:
        return Agreement(quality, len(values), NOTHING, nan, Parity.BASELINE)
    seeds = sorted(values.keys() & others.keys())
    if own is base or not seeds:
        return Agreement(quality, 0, NOTHING, nan, Parity.NOT_MEASURED)
    difference = one_sample([values[seed] - others[seed] for seed in seeds])
    return Agreement(
        quality,
        len(seeds),
        difference.linear(TOST_LEVEL),
        _p(difference, quality.within),
        judge(difference, quality.within, comparisons),
    )


def _values(results: Iterable[Result], metric: str) -> dict[int, float]:
    known = {each.seed: each.final.get(metric, nan) for each in results if each.complete}
    return {seed: float(value) for seed, value in known.items() if isfinite(value)}


def judge(difference: Contrast, within: float, comparisons: int = 1) -> Parity:
    """EQUIVALENT, DIFFERENT or UNDECIDED, for a mean difference and a margin.

    Args:
        difference: over pairs of seeds.
        within: the margin.
        comparisons: as in `agreement`.
    """
    strict = 1 - (1 - LEVEL) / max(comparisons, 1)
    narrow, wide = difference.linear(TOST_LEVEL), difference.linear(strict)
    if not narrow.known:
        return Parity.UNDECIDED
    if -within <= narrow.low and narrow.high <= within:
        return Parity.EQUIVALENT
    outside = wide.low > within or wide.high < -within
    return Parity.DIFFERENT if outside else Parity.UNDECIDED


def _p(difference: Contrast, within: float) -> float:
    """The larger p value of the two one-sided tests against ± `within`."""
    if difference.error != difference.error:  # NaN: a single pair
        return nan
    room = within - abs(difference.value)
    if difference.error == 0:
        return 0.0 if room > 0 else 1.0
    return float(stdtr(difference.df, -room / difference.error))
