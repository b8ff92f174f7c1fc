"""What may be said of published times and rates beside one another and beside measured ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, isnan, nan

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.findings import Caveat, Finding, Kind, Provenance, Subject, Unit, Value
from accelreport.analysis.published import published_results, validation_factor
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import (
    base_groups,
    divided,
    measured_value,
    published_value,
    rate_of,
    sound_rates,
)
from accelreport.analysis.stats import Interval, holds_one


def published_findings(bench: Benchmark) -> Iterator[Finding]:
    """Published rates over the measured baseline, at each sweep point where both are.

    What contradicts itself or its chip is left out; what did other work has its caveat.
    """
    rates = [rate for rate in sound_rates(bench) if not rate.flags]
    for base in base_groups(bench):
        own = rate_of(base)
        if own is None:
            continue
        values: dict[tuple[str, float], Value] = {}
        for rate in rates:
            if matches(base.point, bench.plan.baseline.beside(rate.where)):
                value = published_value(bench, rate)
                longer = validation_factor(bench.plan, rate.row, rate.figure, base.results)
                if clock_of(longer):  # our rate has no validation, and theirs does
                    continue
                # Sources print times in whole seconds or minutes.
                ratio, slack = divided(rate.rate, own.interval), rate.slack
                low, high = ratio.low / (1 + slack), ratio.high / (1 - slack)
                values.setdefault(
                    (rate.row.device, round(rate.rate, 6)),
                    replace(
                        value,
                        interval=replace(ratio, low=low, high=high),
                        unit=Unit.RATIO,
                        provenance=Provenance.CALCULATED,
                        caveats=value.caveats | own.caveats,
                        over=own.of,
                    ),
                )
        alike = [value for value in values.values() if Caveat.UNLIKE not in value.caveats]
        if alike:
            alike.sort(key=lambda value: (holds_one(value.interval), -value.number))
            yield Finding(Kind.PUBLISHED, tuple(alike), own, of=len(alike))


def clock_of(longer: float) -> frozenset[Caveat]:
    """What must be said of a ratio to a published time, by its `validation_factor`."""
    if isnan(longer):
        return frozenset({Caveat.UNVALIDATED})
    return frozenset({Caveat.VALIDATED} if longer > 1 else ())


def total_findings(bench: Benchmark) -> Iterator[Finding]:
    """Published times of the whole training beside the one measured here, and ratios of them.

    Only totals of the same number of epochs and steps stand beside one another. The published
    ratio of two devices is restated against this machine where its base is of this one's kind, by
    the first total of its device, then by each other one.
    """
    if bench.axes:
        return
    beside = published_results(bench.plan, bench.results, beside=bench.plan.baseline.device)
    alike = [
        row
        for row in beside
        if row.figure == "total_time" and isfinite(row.ratio) and row.row.comparable
    ]
    base = next((group for group in base_groups(bench) if alike), None)
    if base is None:
        return
    alike = [row for row in alike if clock_of(row.validation) == clock_of(alike[0].validation)]
    own = measured_value(base, alike[0].measured, Unit.SECONDS)
    own = replace(own, caveats=own.caveats | clock_of(alike[0].validation))
    if alike[0].extrapolated:
        own = replace(own, caveats=own.caveats | {Caveat.EXTRAPOLATED})
    totals = {
        row.row.device: Value(
            Subject(row.row.device, row=row.row),
            Interval(row.value, nan, nan, 0),
            Unit.SECONDS,
            Provenance.PUBLISHED,
            frozenset(),
        )
        for row in reversed(alike)
    }
    values = tuple(sorted(totals.values(), key=lambda value: -value.number))
    kind = bench.plan.devices[base.device].kind
    for row in bench.plan.published:
        over = bench.plan.devices.get(row.over or bench.plan.baseline.device)
        theirs = totals.get(row.device)
        if row.speedup and row.quantity == "total_time" and theirs and over and over.kind == kind:
            stated = replace(
                theirs,
                of=Subject(row.device, row=row),
                interval=Interval(row.speedup, nan, nan, 0),
                unit=Unit.RATIO,
            )
            again = [
                replace(
                    stated,
                    of=Subject(row.device, row=other.row),
                    interval=Interval(own.number / other.value, nan, nan, own.interval.n),
                    over=own.of,
                    provenance=Provenance.CALCULATED,
                    caveats=own.caveats,
                )
                for other in alike
                if other.row.device == row.device
            ]
            yield Finding(Kind.RESTATED, (stated, *again), own)
    yield Finding(Kind.TOTAL, values, own, of=len(values))
