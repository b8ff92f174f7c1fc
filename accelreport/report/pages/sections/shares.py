"""Shares of a peak or a measured roof that devices reach at sweep points whose work was counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import StepWork, ceiling, limits_named, work_of
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.findings import Subject, Unit, Value
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import limits_of, published_value, rate_of, sound_rates
from accelreport.analysis.speedup import Group
from accelreport.analysis.stats import Interval
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point, Series, cached_by_bench


@dataclass(frozen=True)
class Place:
    """A sweep point whose work was counted, and a device that was measured there.

    Attributes:
        point: the sweep point.
        work: of a step.
        series: the device.
        group: its processes.
        seconds: its steady step.
    """

    point: Point
    work: StepWork
    series: Series
    group: Group
    seconds: float


def every_place(bench: BenchmarkView) -> Iterator[Place]:
    """Every device and sweep point with a time and counted operations, in the plan's order."""
    for point in bench.points:
        for series in bench.shown_series:
            compared, work = bench.speedup(series, point), work_at(bench, series, point)
            if compared is not None and work is not None:
                yield Place(point, work, series, compared.own, compared.seconds.value)


def work_at(bench: BenchmarkView, series: Series, point: Point) -> StepWork | None:
    """The work of a step of a device; None where it was not counted."""
    values = bench.values(point)
    for record in bench.records_of(series, point):
        if record.flops is not None:
            dtype = compute_dtype(bench.plan, series.device, values)
            return work_of(record.flops, dtype, kernel=bench.words.kernel)
    return None


DIVIDED = "Shares count convolutions ÷ kernel size (width × height), GFLOPS in full."
"""Said where a share is below that of all counted operations (`ceilings`)."""


@cached_by_bench
def divided(bench: BenchmarkView) -> bool:
    """Whether fewer operations count for the shares than for the rates."""
    counts = [record.flops for record in bench.records.values() if record.flops]
    fewer = any(flops.least and flops.least < flops.per_step for flops in counts)
    return fewer and not bench.words.kernel


@cached_by_bench
def heaviest(bench: BenchmarkView) -> Place | None:
    """The baseline, or else the first device, at the sweep point with the most counted work."""
    places = sorted(every_place(bench), key=lambda place: not place.series.baseline)
    return max(places, key=lambda place: place.work.operations, default=None)


def shares_title(limits: Iterable[str]) -> str:
    """What shares of some limits are called."""
    kinds = {limit == "measured roof" for limit in limits}
    if kinds == {True}:
        return "Share of the measured roof"
    return "Share of peak or measured roof" if True in kinds else "Share of peak"


@dataclass(frozen=True)
class Reached:
    """A device, what it is held against, and the shares of it at the sweep points.

    Attributes:
        name: the device, as a sentence calls it.
        short: the same beside a mark that shows who measured it.
        limit: what limits it: "measured roof", "Tesla K80 peak".
        shares: in ascending order.
        by: who names the chip, where the source does not.
    """

    name: str
    short: str
    limit: str
    shares: tuple[Value, ...]
    by: str = ""

    @property
    def flagged(self) -> bool:
        """Whether a published share exceeds what limits it."""
        return self.shares[-1].of.row is not None and self.shares[-1].number > 1


def _share_value(value: Value, share: float) -> Value:
    """A rate with its interval as a share of what limits it, the share being that of the rate."""
    low, high = (end * share / value.number for end in value.interval.ends)
    return Value(
        value.of,
        Interval(share, low, high, value.interval.n),
        Unit.SHARE,
        value.provenance,
        value.caveats,
        value.processes,
    )


def reached_shares(bench: BenchmarkView) -> list[Reached]:
    """Measured devices in the plan's order, then published ones whose chip is known.

    A published rate of a kernel is held against the peak itself, others against the roof of the
    work that was counted here.
    """
    shares: dict[tuple[str, str, str, str], list[Value]] = {}
    for place in every_place(bench):
        known, rate = limits_of(bench, place.group), rate_of(place.group)
        if known is None or rate is None:
            continue
        limits, what = known
        share = ceiling(place.work, limits).share(place.seconds)
        if not isnan(share):
            who = place.series.title, place.series.title, what, ""
            shares.setdefault(who, []).append(_share_value(rate, share))
    for published in sound_rates(bench):
        row, hardware = published.row, hardware_of(published.row)
        point = next((p for p in bench.points if matches(bench.values(p), published.where)), None)
        if point is None or hardware is None:
            continue
        at = bench.values(point)
        chip = limits_named(hardware.known.name, compute_dtype(bench.plan, row.device, at))
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work, batch = next(filter(None, works), None), bench.plan.value("batch_size", at)
        if chip is None:
            continue
        if bench.words.kernel:
            share = published.rate / chip.peak.tflops
        elif work is not None and isinstance(batch, int | float):
            share = ceiling(work, chip).share(batch / published.rate)
        else:
            continue
        rate = published_value(bench, published)
        value = replace(rate, of=Subject(rate.of.device, "", point, rate.of.row))
        limit = f"{label(chip.name, 60)} peak"
        who = Speaker(bench).name(value.of), label(row.label, 60), limit, label(hardware.by, 40)
        shares.setdefault(who, []).append(_share_value(value, share))
    return [
        Reached(name, short, limit, tuple(sorted(values, key=lambda value: value.number)), by)
        for (name, short, limit, by), values in shares.items()
    ]
