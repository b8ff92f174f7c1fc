"""Shares of a peak or a measured roof that devices reach at sweep points whose work was counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import isnan

from accelreport.analysis.ceilings import (
    Ceiling,
    Limit,
    Limits,
    StepWork,
    ceiling,
    limits_named,
    work_of,
)
from accelreport.analysis.compute import compute_dtype
from accelreport.analysis.findings import Caveat, Subject, Unit, Value
from accelreport.analysis.published import hardware_of
from accelreport.analysis.results import matches
from accelreport.analysis.speed_findings import limits_of, published_value, rate_of, sound_rates
from accelreport.analysis.speedup import Group
from accelreport.analysis.stats import Interval
from accelreport.report import quantity
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


DIVIDED = "Pale bars begin at the share with fast convolutions: work divided by the kernel size."
"""Said where fast algorithms may do fewer operations than are counted (`ceilings`)."""


@cached_by_bench
def heaviest(bench: BenchmarkView) -> Place | None:
    """The baseline, or else the first device, at the sweep point with the most counted work."""
    places = sorted(every_place(bench), key=lambda place: not place.series.baseline)
    return max(places, key=lambda place: place.work.operations, default=None)


LIMITS = ("measured roof", "upper bound", "peak")
"""What limits a device: its fastest product, one core's for each thread, and a data sheet."""


def shares_title(limits: Iterable[str]) -> str:
    """What shares of some limits are called."""
    return f"Share of {quantity.listed(sorted(set(limits), key=LIMITS.index), 'or')}"


@dataclass(frozen=True)
class Reached:
    """A device, what it is held against, and the shares of it at the sweep points.

    Attributes:
        name: the device, as a sentence calls it.
        short: the same beside a mark that shows who measured it.
        limit: what limits it: "measured roof", "upper bound", "peak".
        amount: how much that is: "218 GFLOPS", "2 × 264 GFLOPS".
        shares: of all counted operations, in ascending order.
        least: of each the lower bound, where fast algorithms may do less.
        bounded: whether `shares` are the lower bounds, because all operations exceed the limit.
        chip: whose peak it is.
        by: who names the chip, where the source does not.
    """

    name: str
    short: str
    limit: str
    amount: str
    shares: tuple[Value, ...]
    least: tuple[Value, ...] = ()
    bounded: bool = False
    chip: str = ""
    by: str = ""

    @property
    def flagged(self) -> bool:
        """Whether a published share exceeds what limits it."""
        return self.shares[-1].of.row is not None and self.shares[-1].number > 1

    @property
    def of(self) -> str:
        """What the shares are of: "measured roof: 218 GFLOPS", "peak: 4.37 TFLOPS, Tesla K80"."""
        by = f" (inferred from {self.by})" if self.by else ""
        return f"{self.limit}: {', '.join(filter(None, (self.amount, self.chip)))}{by}"

    def text(self, speaker: Speaker) -> str:
        """All shares: "80 % counted in full, at least 3.8 %"."""
        least = "at least " * self.bounded
        also = f" counted in full, at least {speaker.numbers(self.least)}" if self.least else ""
        return f"{least}{speaker.numbers(self.shares)}{also}"


def _amount(bound: Ceiling, limits: Limits) -> str:
    """The rate that limits a step: of products, of the memory, or of kernels in a row."""
    if bound.limit is Limit.MEMORY and limits.bandwidth is not None:
        return f"{quantity.number(limits.bandwidth.gbps)}{quantity.SPACE}GB/s"
    if bound.limit is Limit.DEPTH:
        return f"{quantity.duration(limits.kernel_s)} a kernel"
    tflops, cores = limits.peak.tflops, limits.cores
    rate = quantity.operation_rate(tflops / max(cores, 1))
    return f"{cores} × {rate}" if cores else rate


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
        digits=value.digits,
    )


def reached_shares(bench: BenchmarkView) -> list[Reached]:
    """Measured devices in the plan's order, then published ones whose chip is known.

    A published rate of a kernel is held against the peak itself, others against the roof of the
    work that was counted here.
    """
    shares: dict[_Whose, list[tuple[Value, Value]]] = {}

    def add(whose: tuple[str, str], rate: Value, work: StepWork, limits: Limits,
            seconds: float, what: str, chip: tuple[str, str] = ("", "")) -> None:  # fmt: skip
        bounds = [ceiling(own, limits) for own in (work.in_full, work)]
        full, least = (bound.share(seconds) for bound in bounds)
        if not isnan(full):
            who = *whose, what, _amount(bounds[0], limits), *chip
            own = _share_value(rate, full), _share_value(rate, least)
            shares.setdefault(who, []).append(own)

    for place in every_place(bench):
        known, rate = limits_of(bench, place.group), rate_of(place.group)
        if known is None or rate is None:
            continue
        limits, what = known
        title = place.series.title
        add((title, title), rate, place.work, limits, place.seconds, what)
    for published in sound_rates(bench):
        row, hardware = published.row, hardware_of(published.row)
        point = next((p for p in bench.points if matches(bench.values(p), published.where)), None)
        if point is None or hardware is None:
            continue
        at = bench.values(point)
        chip = limits_named(hardware.known.name, compute_dtype(bench.plan, row.device, at))
        works = (work_at(bench, series, point) for series in bench.shown_series)
        work, batch = next(filter(None, works), None), bench.plan.value("batch_size", at)
        if chip is None or chip.kind == "CPU":  # a calculated bound, no cited peak
            continue
        if bench.words.kernel:  # whose operations are counted in the rate
            work, seconds = StepWork(published.rate * 1e12), 1.0
        elif work is not None and isinstance(batch, int | float):
            seconds = batch / published.rate
        else:
            continue
        rate = published_value(bench, published)
        value = replace(rate, of=Subject(rate.of.device, "", point, rate.of.row))
        whose = Speaker(bench).name(value.of), label(row.label, 60)
        own = label(chip.name, 60), label(hardware.by, 40)
        add(whose, value, work, chip, seconds, LIMITS[-1], own)
    return [_reached(whose, values) for whose, values in shares.items()]


_Whose = tuple[str, str, str, str, str, str]
"""Name, short name, limit, amount, chip, and who names it."""


def _reached(whose: _Whose, values: list[tuple[Value, Value]]) -> Reached:
    """Shares of all counted operations, unless one exceeds the limit; of whole runs, if any."""
    name, short, limit, amount, chip, by = whose
    values = [own for own in values if Caveat.BUDGET not in own[0].caveats] or values
    full, least = zip(*sorted(values, key=lambda own: own[0].number), strict=True)
    fewer = any(all_.number > some.number for all_, some in values)
    bounded = fewer and full[-1].number > 1
    return Reached(
        name,
        short,
        limit,
        amount,
        least if bounded else full,
        least if fewer and not bounded else (),
        bounded,
        chip,
        by,
    )
