"""What may be said of quality: learning, mistakes, texts, forecasts, 8-bit integers.

A number over several seeds is their mean with its t interval, which decides whether a network
beats a naive guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, nan
from statistics import median, median_low

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.findings import Caveat, Finding, Kind, Provenance, Subject, Unit, Value
from accelreport.analysis.learning import (
    QUANTISED_LEVEL,
    WITHIN,
    Change,
    QuantisedResult,
    common_epochs,
    errors_of,
    forecasts_of,
    misclassified,
    quantised_results,
)
from accelreport.analysis.results import Result
from accelreport.analysis.speed_findings import caveats_of
from accelreport.analysis.stats import LEVEL, Interval, Verdict, geometric_mean, mean, verdict
from accelreport.analysis.warnings import is_share
from accelreport.results.record import Epoch, Record

Run = tuple[Result, Record]
"""A measured process and its record."""

GUESSED = ("val_accuracy", "accuracy")
"""The share of next characters that a text model guesses: of new text, else of its own."""
MOST_SERIES = 3
"""Series whose forecasts a page shows."""
MOST_ERROR = 1e6
"""A forecast that errs by so many times the error of a naive guess diverged."""
SIZE, LATENCY, BATCHES, ACCURACY = "size", "latency", "throughput", "accuracy"
"""What is compared of a converted network: `Subject.part` of its values."""


# Which runs -------------------------------------------------------------------------------------


def first_run(bench: Benchmark, has: Callable[[Record], bool]) -> Run | None:
    """The first run of which something is true, at the workload's own sweep point if it is one.

    A run that the budget stopped is one only where no other was whole.
    """
    known = [run for run in bench.runs if has(run[1])]
    runs = [run for run in known if run[1].status == "ok"] or known
    usual = (run for run in runs if _is_usual(bench, run[0]))
    return next(usual, runs[0] if runs else None)


def _is_usual(bench: Benchmark, row: Result) -> bool:
    """Whether a run is of the workload's own sweep point."""
    own = partial(bench.plan.value, point={})
    return all(own(axis) == value for axis, value in row.point.items())


def alike(bench: Benchmark, run: Run) -> list[Run]:
    """Every run of the same device, machine and sweep point: its seeds."""

    def place(row: Result) -> tuple[object, ...]:
        return row.device, row.machine, row.where

    return [other for other in bench.runs if place(other[0]) == place(run[0])]


def configurations(bench: Benchmark) -> list[list[Run]]:
    """The runs of the first device at each of its sweep points."""
    first = next((row for row, _ in bench.runs), None)
    own: dict[object, list[Run]] = {}
    for row, record in bench.runs:
        if first and (row.device, row.machine) == (first.device, first.machine):
            own.setdefault(row.where, []).append((row, record))
    return list(own.values())


def _value(
    bench: Benchmark, rows: Sequence[Result], interval: Interval, unit: Unit, part: str = ""
) -> Value:
    """A number of some processes of one configuration, with what weakens a quality."""
    return Value(
        Subject(rows[0].device, rows[0].machine, bench.point_of(rows[0]), part=part),
        interval,
        unit,
        Provenance.MEASURED,
        caveats_of(rows, quality=True),
        tuple(rows),
    )


def _single(number: float) -> Interval:
    return Interval(number, nan, nan, 1)


# 8-bit integers, texts, forecasts: the question of their benchmarks -----------------------------


def deployment_findings(bench: Benchmark) -> Iterator[Finding]:
    """What became of a trained network: writing, forecasting, and, without a sweep, converted."""
    if not bench.axes:
        yield from _int8(bench)
    writer = first_run(bench, lambda record: bool(record.texts))
    if writer:
        yield from _writes(bench, writer)
    forecaster = first_run(bench, lambda record: bool(forecasts_of(record)))
    if forecaster:
        for forecast in forecasts_of(forecaster[1])[:MOST_SERIES]:
            yield _forecast(bench, forecaster, forecast.target)


def quantised_runs(bench: Benchmark) -> list[tuple[Run, QuantisedResult]]:
    """The runs of one configuration whose networks were converted, each with what that did."""
    first = first_run(bench, lambda record: record.quantised is not None)
    runs = [run for run in alike(bench, first) if run[1].quantised] if first else []
    return list(zip(runs, quantised_results(record for _, record in runs), strict=True))


def _int8(bench: Benchmark) -> Iterator[Finding]:
    """Its share of the size, its speeds, and each run's change in accuracy."""
    quantised = quantised_runs(bench)
    if not quantised:
        return
    rows = [run[0] for run, _ in quantised]
    results = [result for _, result in quantised]
    size = Interval(median(result.size_share for result in results), nan, nan, len(results))
    values = [_value(bench, rows, size, Unit.SHARE, SIZE)]
    both = [(row.quantised.int8, row.quantised.float32) for row in results]
    speeds = {LATENCY: [result.latency_ratio for result in results]}
    if all(own.batch > 1 for own, _ in both):  # a batch of one is a call
        rates = [(own.throughput, base.throughput) for own, base in both]
        speeds[BATCHES] = [own / base if base > 0 else nan for own, base in rates]
    for part, ratios in speeds.items():
        if isfinite((faster := geometric_mean(ratios)).value):
            value = _value(bench, rows, faster, Unit.RATIO, part)
            values.append(replace(value, verdict=verdict(faster)))
    for row, result in zip(rows, results, strict=True):
        interval = Interval(result.difference, result.low, result.high, result.quantised.examples)
        value = _value(bench, [row], interval, Unit.SHARE, ACCURACY)
        # The interval is over examples, so that a single run has one.
        caveats = value.caveats - {Caveat.SINGLE_RUN}
        values.append(
            replace(value, caveats=caveats, verdict=_changed(result, len(results)), p=result.p)
        )
    yield Finding(Kind.INT8, tuple(values), of=len(results))


def _changed(row: QuantisedResult, runs: int) -> Verdict | Change:
    """What conversion did to the accuracy: what the test decides, the same, or undecided.

    Of several runs the one that changed is chosen, so that the test decides over all (Bonferroni).
    """
    if row.change is not Change.NOT_SHOWN and row.p * runs < 1 - QUANTISED_LEVEL:
        return row.change
    return Verdict.SAME if row.low >= -WITHIN and row.high <= WITHIN else Verdict.UNDECIDED


def _writes(bench: Benchmark, run: Run) -> Iterator[Finding]:
    """The share of next characters after the last epoch, its steps, and that after the first."""
    runs = alike(bench, run)
    rows, records = [row for row, _ in runs], [record for _, record in runs]
    for metric in GUESSED:
        curve = common_epochs(records, metric, unfinished=True)
        if curve:
            last = curve[-1][0].epoch
            steps = median_low(
                sum(epoch.steps for epoch in record.epochs if epoch.epoch <= last)
                for record in records
            )
            ends = [quality_value(bench, runs, epochs, metric) for epochs in (curve[-1], curve[0])]
            done = _value(bench, rows, Interval(steps, nan, nan, len(rows)), Unit.STEPS)
            values = (ends[0], done, *ends[1:][: len(curve) - 1])
            yield Finding(Kind.WRITES, values, of=len(rows))
            return


def _forecast(bench: Benchmark, run: Run, target: str) -> Finding:
    """The network's mean absolute error over its runs, against the best naive guess.

    Of synthetic series, and where a run diverged, nothing is compared. `of` counts the runs, `n`
    those that did not diverge.
    """
    runs = alike(bench, run)
    compared = [
        (errors_of(record, forecast), forecast.unit)
        for _, record in runs
        for forecast in forecasts_of(record)
        if forecast.target == target
    ]
    naive, unit = compared[0][0].naive[0], compared[0][1]
    errors = [row.model for row, _ in compared]
    known = [error for error in errors if error <= MOST_ERROR * max(naive.error, 1.0)]
    interval = mean(known) if known == errors else Interval(nan, nan, nan, len(known))
    value = _value(bench, [row for row, _ in runs], interval, Unit.NUMBER, target)
    decision: Change | Verdict | None = Verdict.UNDECIDED
    if Caveat.STAND_IN in value.caveats or known != errors:
        decision = None
    elif interval.high < naive.error:
        decision = Change.BETTER
    elif interval.low > naive.error:
        decision = Change.WORSE
    base = Value(
        replace(value.of, part=naive.name),
        Interval(naive.error, nan, nan, 0),
        Unit.NUMBER,
        Provenance.CALCULATED,
        frozenset(),
        noun=unit,
    )
    own = replace(value, verdict=decision, noun=unit)
    return Finding(Kind.FORECAST, (own,), base, of=len(errors))


# Quality ----------------------------------------------------------------------------------------


def mistake_findings(bench: Benchmark) -> Iterator[Finding]:
    """What a network has not learned: what it misclassifies."""
    yield from _misclassified(bench, lambda record: bool(record.samples))


def _misclassified(bench: Benchmark, has: Callable[[Record], bool]) -> Iterator[Finding]:
    """Misclassified examples of the run whose predictions are shown, and `of` how many.

    A run that has others like it is no single run; the form says which one it is.
    """
    run = first_run(bench, has)
    known = misclassified(run[1]) if run else None
    if run and known:
        wrong, of = known
        value = _value(bench, [run[0]], _single(wrong), Unit.COUNT)
        if len(alike(bench, run)) > 1:
            value = replace(value, caveats=value.caveats - {Caveat.SINGLE_RUN})
        yield Finding(Kind.MISCLASSIFIED, (value,), of=of)


def quality_value(
    bench: Benchmark, runs: Sequence[Run], epochs: Sequence[Epoch], metric: str,
    level: float = LEVEL,
) -> Value:  # fmt: skip
    """A metric after one epoch of every run: its mean, with an interval over two seeds or more."""
    interval = mean([epoch.metrics[metric] for epoch in epochs], level)
    unit = Unit.SHARE if is_share(metric) else Unit.NUMBER
    if unit is Unit.SHARE:
        interval = interval.share
    return _value(bench, [row for row, _ in runs], interval, unit, metric)


def curve_findings(bench: Benchmark) -> Iterator[Finding]:
    """What was learned in several epochs, which a curve shows."""
    yield from _learns(bench, several=True)


def end_findings(bench: Benchmark) -> Iterator[Finding]:
    """Qualities that no figure of the first screen shows."""
    yield from _learns(bench, several=False)
    if not first_run(bench, lambda record: bool(record.samples)):
        yield from _misclassified(bench, lambda record: record.confusion is not None)
    if bench.axes:
        yield from _int8(bench)
    if bench.target_times:
        yield _target(bench)


def _target(bench: Benchmark) -> Finding:
    """The time of every run to the quality that was asked for, NaN of those that never had it."""
    values = []
    for row in sorted(bench.target_times, key=lambda row: (not row.reached, row.elapsed_s)):
        interval, part = _single(row.elapsed_s), row.target.metric
        value = _value(bench, [row.result], interval, Unit.SECONDS, part)
        # The finding is over all of them.
        values.append(replace(value, caveats=value.caveats - {Caveat.SINGLE_RUN}))
    return Finding(Kind.TARGET, tuple(values), of=len(values))


def _learns(bench: Benchmark, *, several: bool) -> Iterator[Finding]:
    """The quality at the end of the training and its time, of the workload's own sweep point.

    A claim that titles the page has it at its own point; the best of a sweep is chosen, and none.
    """
    metric = bench.quality

    def learned(record: Record) -> bool:
        return any(metric in row.metrics for row in record.epochs)

    run = first_run(bench, learned)
    runs = alike(bench, run) if run and _is_usual(bench, run[0]) else []
    whole = [
        own
        for own in configurations(bench)
        if all(learned(record) and row.complete for row, record in own)
    ]
    claimed = next(iter(bench.tested), None)
    numbers = claimed.numbers[:1] if claimed and claimed.verdict is ClaimVerdict.CONFIRMED else ()
    # A claim that titles the page is of a configuration.
    titled = [
        own
        for own in whole
        if numbers
        and numbers[0].quantity in {metric, metric.removeprefix("val_")}
        and dict(numbers[0].point) == dict(own[0][0].point)
    ]
    runs = titled[0] if titled else runs
    records = [record for _, record in runs]
    curve = common_epochs(records, metric)
    if len(curve) < 2:  # no line, so the quality is that at the end of each run
        curve = common_epochs(records, metric, unfinished=True)[-1:]
    if curve and (len(curve) > 1) is several:
        elapsed = mean([epoch.elapsed_s for epoch in curve[-1]])
        time = _value(bench, [row for row, _ in runs], elapsed, Unit.SECONDS)
        values = (quality_value(bench, runs, curve[-1], metric), time)
        yield Finding(Kind.LEARNS, values)
