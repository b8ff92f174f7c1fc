"""What a training reached: its target, its forecasts, and whether two devices learn the same.

Forecasts are compared with guesses that need no network.

Failing to find a difference is not finding that there is none. Two one-sided tests
(Schuirmann 1987) turn the question round: the devices are the same when the 90 % interval
of their difference lies within a margin that was stated beforehand.

A quantised model and the one it was made from classify the same examples, so only those count
on which they disagree: McNemar's test in its exact form (Q. McNemar 1947; M. W. Fagerland,
S. Lydersen, P. Laake 2013), and for the difference the adjusted Wald interval of D. G. Bonett
and R. M. Price (2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, isnan, nan, sqrt

import numpy as np
from scipy.special import bdtr, ndtri

from accelreport.analysis.results import Result
from accelreport.analysis.stability import complete_epochs
from accelreport.analysis.stats import LEVEL, NOTHING, Contrast, Interval, one_sample
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Epoch, Forecast, Quantised, Record
from accelreport.spec.claims import EquivalentCheck
from accelreport.spec.models import Target

_PREFERRED = ("val_accuracy", "accuracy", "val_loss", "loss")


def primary_metric(target: Target | None, known: AbstractSet[str]) -> str:
    """The quality a page speaks of: the target's, else the most telling of the known ones."""
    wanted = ([target.metric] if target else []) + [*_PREFERRED, *sorted(known)]
    return next((metric for metric in wanted if metric in known), "")


def common_epochs(
    records: Iterable[Record], metric: str, *, unfinished: bool = False
) -> list[list[Epoch]]:
    """The epochs that every run with this metric finished, each with one row a run.

    Later epochs of a run that went further are left out: their mean would be over other runs.

    Args:
        records: of one configuration.
        metric: what was learned.
        unfinished: whether the epoch in which the budget ended counts as well.
    """

    def curve(record: Record, *, whole: bool) -> dict[int, Epoch]:
        epochs = complete_epochs(record) if whole else record.epochs
        return {row.epoch: row for row in epochs if isfinite(row.metrics.get(metric, nan))}

    known = [record for record in records if curve(record, whole=False)]
    curves = [curve(record, whole=not unfinished) for record in known]
    common = set.intersection(*map(set, curves)) if curves else set()
    return [[curve[epoch] for curve in curves] for epoch in sorted(common)]


def misclassified(record: Record) -> tuple[int, int] | None:
    """Examples of the last evaluation that are misclassified, and of how many.

    Without a confusion matrix the kept predictions count: wrong ones are kept before right ones,
    so with a right one among them none is missing. Otherwise the accuracy says how many there
    are; None where nothing does.
    """
    if record.confusion:
        counts = record.confusion.counts
        total = sum(map(sum, counts))
        return total - sum(row[number] for number, row in enumerate(counts)), total
    kept = sum(sample.true != sample.predicted for sample in record.samples)
    examples = record.data.validation_examples if record.data else 0
    cut = any(warned.kind == "samples-cut" for warned in record.warnings)
    if cut or not examples:
        return None
    if kept < len(record.samples):
        return kept, examples
    accuracy = record.final.get("val_accuracy", nan)
    return (max(kept, round((1 - accuracy) * examples)), examples) if isfinite(accuracy) else None


@dataclass(frozen=True)
class TargetTime:
    """When one measured process reached the target of `[measure]`.

    Attributes:
        result: the process.
        target: what it was to reach.
        epoch: the first epoch at whose end it had; NaN where it never did.
        elapsed_s: timed training seconds up to the end of that epoch; NaN where it never did.
        best: the best value of its learning curve; NaN where no value is finite.
        last_epoch: the last epoch of its learning curve; NaN without one.
    """

    result: Result
    target: Target
    epoch: float
    elapsed_s: float
    best: float
    last_epoch: float

    @property
    def reached(self) -> bool:
        """Whether it reached the target."""
        return not isnan(self.epoch)


def target_times(
    plan: PlanDocument, results: Sequence[Result], records: Iterable[Record]
) -> tuple[TargetTime, ...]:
    """When each measured process reached the target of `[measure]`; empty without a target."""
    target = plan.measure.target
    if target is None:
        return ()
    epochs = {(record.key, record.machine): record.epochs for record in records}
    return tuple(
        _target_time(result, target, epochs.get((result.key, result.machine), ()))
        for result in results
        if result.measured
    )


def _target_time(result: Result, target: Target, epochs: Iterable[Epoch]) -> TargetTime:
    curve = sorted(
        (epoch for epoch in epochs if target.metric in epoch.metrics), key=lambda epoch: epoch.epoch
    )
    values = np.array([epoch.metrics[target.metric] for epoch in curve], dtype=float)
    first = next(
        (epoch for epoch in curve if target.reached_by(epoch.metrics[target.metric])), None
    )
    best_of = np.nanmax if target.rises else np.nanmin
    best = best_of(values) if np.isfinite(values).any() else nan
    return TargetTime(
        result=result,
        target=target,
        epoch=float(first.epoch) if first else nan,
        elapsed_s=first.elapsed_s if first else nan,
        best=float(best),
        last_epoch=float(curve[-1].epoch) if curve else nan,
    )


DAY_S = 86_400.0


@dataclass(frozen=True)
class Naive:
    """A guess that needs no training.

    Attributes:
        name: what it says, such as "same hour yesterday".
        error: its mean absolute error, in the unit of the series.
        guesses: its guess of each value that counts.
    """

    name: str
    error: float
    guesses: Sequence[float]


@dataclass(frozen=True)
class ForecastErrors:
    """Mean absolute errors over the same values of one series.

    Attributes:
        model: of the trained model; NaN or infinite where it diverged.
        naive: of guesses, the best one first.
        values: how many values they are means of.
    """

    model: float
    naive: tuple[Naive, ...]
    values: int


def forecast_errors(forecast: Forecast, horizon: int) -> ForecastErrors:
    """The errors of a forecast and of two guesses, none of which knows more than the model did.

    One guess is the value a whole number of days before, as late as was known when the forecast
    was made (for a series without days: the last known value); the other one the mean of the
    training data, for records without it the mean of the values themselves, which errs less.
    Values that the loss leaves out, or that have no value so long before them, do not count.

    Args:
        forecast: a series with its forecast.
        horizon: steps by which it lies ahead, where the forecast itself does not say.
    """
    ahead = forecast.horizon_steps if forecast.horizon_steps is not None else horizon
    lag, name = _lag(max(ahead, 1), forecast.step_s)
    first = max(forecast.ignored_steps, lag)
    known = first < len(forecast.true)
    first = first if known else min(forecast.ignored_steps, len(forecast.true) - 1)
    true = forecast.true[first:]
    mean = forecast.train_mean
    mean = sum(true) / len(true) if mean is None else mean
    guesses = {"always the mean": [mean] * len(true)}
    guesses |= {name: forecast.true[first - lag : -lag]} if known else {}
    naive = (Naive(name, _error(true, own), own) for name, own in guesses.items())
    return ForecastErrors(
        model=_error(true, forecast.predicted[first:]),
        naive=tuple(sorted(naive, key=lambda guess: guess.error)),
        values=len(true),
    )


USUAL_HORIZON = 24
"""Rows by which a forecast lies ahead where neither record nor spec says."""


def forecasts_of(record: Record) -> list[Forecast]:
    """The series that a run forecast; made-up values, such as a wind below 0, are in no unit."""
    made_up = record.data is not None and record.data.origin == "synthetic"
    known = [forecast for forecast in record.forecasts if len(forecast.true) > 1]
    return [forecast.model_copy(update={"unit": ""}) for forecast in known] if made_up else known


def errors_of(record: Record, forecast: Forecast) -> ForecastErrors:
    """The errors of one of a record's forecasts and of the guesses."""
    given = record.cell.value("series.horizon")
    return forecast_errors(forecast, given if isinstance(given, int) else USUAL_HORIZON)


def _error(true: list[float], predicted: list[float]) -> float:
    """Mean absolute error."""
    return sum(abs(one - other) for one, other in zip(true, predicted, strict=True)) / len(true)


def _lag(ahead: int, step_s: float) -> tuple[int, str]:
    """Steps back to a value of the same time of day that was known, and its name."""
    day = round(DAY_S / step_s) if step_s else 0
    if day < 2 or abs(day * step_s - DAY_S) > 1:
        return ahead, "no change"
    days = -(-ahead // day)
    moment = "hour" if step_s == 3600 else "time"
    when = "yesterday" if days == 1 else f"{days} days before"
    return days * day, f"same {moment} {when}"


WITHIN = 0.01
"""Accuracies that differ by less than one point in a hundred count as the same."""

TOST_LEVEL = 0.90
"""Two one-sided tests at 5 % are one interval at 90 %."""


class Parity(StrEnum):
    """The verdict on a device's quality against the baseline's."""

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
    metrics = {
        name for result in results for name, value in result.final.items() if not isnan(value)
    }
    metric = next((name for name in ("val_accuracy", "accuracy") if name in metrics), "")
    return Quality(metric, WITHIN) if metric else None


@dataclass(frozen=True)
class Agreement:
    """Whether a device's quality is the baseline's.

    Attributes:
        quality: what was compared, and by how much it may differ.
        n: pairs of complete runs of one seed; of the baseline itself, its complete runs.
        difference: device minus baseline in the metric's unit, with its 90 % interval.
        verdict: EQUIVALENT, DIFFERENT, UNDECIDED, BASELINE or NOT MEASURED.
    """

    quality: Quality
    n: int
    difference: Interval
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
        comparisons: how many are made of which a single difference decides, as over the sweep
            points of a claim: DIFFERENT then takes a level of 1 - 0.05/comparisons. That
            all of them are EQUIVALENT takes no more than each of them (Berger 1982).
    """
    values, others = (
        {
            result.seed: value
            for result in group
            if result.complete and isfinite(value := result.final.get(quality.metric, nan))
        }
        for group in (own, base)
    )
    if own is base and values:
        return Agreement(quality, len(values), NOTHING, Parity.BASELINE)
    seeds = sorted(values.keys() & others.keys())
    if own is base or not seeds:
        return Agreement(quality, 0, NOTHING, Parity.NOT_MEASURED)
    difference = one_sample([values[seed] - others[seed] for seed in seeds])
    return Agreement(
        quality,
        len(seeds),
        difference.linear(TOST_LEVEL),
        judge(difference, quality.within, comparisons),
    )


def judge(difference: Contrast, within: float, comparisons: int = 1) -> Parity:
    """EQUIVALENT, DIFFERENT or UNDECIDED, for a mean difference and a margin.

    Args:
        difference: over pairs of seeds.
        within: the margin.
        comparisons: as in `agreement`.
    """
    strict = 1 - (1 - LEVEL) / max(comparisons, 1)
    return parity(difference.linear(TOST_LEVEL), difference.linear(strict), within)


def parity(narrow: Interval, wide: Interval, within: float) -> Parity:
    """EQUIVALENT where `narrow` lies within ± `within`, DIFFERENT where `wide` lies outside."""
    if not narrow.known:
        return Parity.UNDECIDED
    if -within <= narrow.low and narrow.high <= within:
        return Parity.EQUIVALENT
    outside = wide.low > within or wide.high < -within
    return Parity.DIFFERENT if outside else Parity.UNDECIDED


QUANTISED_LEVEL = 0.95
"""Confidence level of the interval; the test decides at 1 − LEVEL."""


class Change(StrEnum):
    """What quantisation did to the accuracy of one trained model."""

    WORSE = "WORSE"
    BETTER = "BETTER"
    NOT_SHOWN = "NO DIFFERENCE SHOWN"


@dataclass(frozen=True)
class QuantisedResult:
    """A trained model before and after quantisation.

    Attributes:
        key: of the cell that trained it.
        machine: fingerprint of the machine.
        quantised: what was measured of both.
        float32_latency_s: median seconds for one example, before.
        int8_latency_s: the same of the quantised model.
        difference: its accuracy minus the one before.
        low: lower end of the difference's interval at `QUANTISED_LEVEL`.
        high: its upper end.
        p: of McNemar's exact test.
        change: what that test says.
    """

    key: str
    machine: str
    quantised: Quantised
    float32_latency_s: float
    int8_latency_s: float
    difference: float
    low: float
    high: float
    p: float
    change: Change

    @property
    def size_share(self) -> float:
        """Size of the model as a share of what it was before."""
        return self.quantised.int8.bytes / self.quantised.float32.bytes

    @property
    def latency_ratio(self) -> float:
        """How many times as long the model took before."""
        return self.float32_latency_s / self.int8_latency_s

    @property
    def float32_accuracy(self) -> float:
        """Share of the examples that the model had right before."""
        return (self.quantised.both_right + self.quantised.float32_only) / self.quantised.examples

    @property
    def int8_accuracy(self) -> float:
        """Share of the examples that the quantised model has right."""
        return (self.quantised.both_right + self.quantised.int8_only) / self.quantised.examples


def mcnemar(float32_only: int, int8_only: int) -> float:
    """The exact two-sided p-value of McNemar's test.

    Were both models equally good, each example on which they disagree would fall to either
    side like a fair coin, so this is the binomial test of one half.

    Args:
        float32_only: examples that only the first model classifies rightly.
        int8_only: examples that only the second model classifies rightly.
    """
    disagreements = float32_only + int8_only
    if not disagreements:
        return 1.0
    # A fair coin's two tails are equally likely, so the smaller one counts twice.
    return min(1.0, 2.0 * float(bdtr(min(float32_only, int8_only), disagreements, 0.5)))


def difference(float32_only: int, int8_only: int, examples: int) -> tuple[float, float, float]:
    """Accuracy of the second model minus the first's, and its interval at `QUANTISED_LEVEL`.

    Bonett and Price: with p = (float32_only + 1)/(n + 2) and q = (int8_only + 1)/(n + 2),
    q − p ± z · √((p + q − (q − p)²)/(n + 2)).

    Returns:
        The observed difference, and both ends of its interval.
    """
    p, q = (float32_only + 1) / (examples + 2), (int8_only + 1) / (examples + 2)
    half = float(ndtri((1 + QUANTISED_LEVEL) / 2)) * sqrt((p + q - (q - p) ** 2) / (examples + 2))
    return (int8_only - float32_only) / examples, max(-1.0, q - p - half), min(1.0, q - p + half)


def change(quantised: Quantised) -> Change:
    """What McNemar's test at 1 − `QUANTISED_LEVEL` says of one trained model."""
    if mcnemar(quantised.float32_only, quantised.int8_only) >= 1 - QUANTISED_LEVEL:
        return Change.NOT_SHOWN
    return Change.WORSE if quantised.float32_only > quantised.int8_only else Change.BETTER


def quantised_results(records: Iterable[Record]) -> list[QuantisedResult]:
    """What quantisation did to the model of each record that has one."""
    results = []
    for record in records:
        if quantised := record.quantised:
            value, low, high = difference(
                quantised.float32_only, quantised.int8_only, quantised.examples
            )
            before, after = (
                float(np.median(run.latency_s)) if run.latency_s else nan
                for run in (quantised.float32, quantised.int8)
            )
            p = mcnemar(quantised.float32_only, quantised.int8_only)
            results.append(
                QuantisedResult(
                    record.key, record.machine, quantised, before, after, value, low, high, p,
                    change(quantised),
                )
            )  # fmt: skip
    return results
