"""What is said of the laws of a sweep: on its page, and in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite, isnan

from accelreport.analysis.batch_law import MOST_RESIDUAL, Fit, NoLaw
from accelreport.analysis.stats import Interval
from accelreport.analysis.timed_sweeps import LawPair, TimedSweep
from accelreport.report import quantity
from accelreport.report.metrics import settings_text


def amount_text(sweep: TimedSweep, amount: float) -> str:
    """An amount of work: "275" examples, or "1.3 GFLOP"."""
    if not isfinite(amount):
        return quantity.MISSING
    if not sweep.of_batches:
        return quantity.operations(amount) if amount else "0 FLOP"
    return quantity.count(amount) if amount >= 10 or not amount else quantity.number(amount)


def pair_sentence(pair: LawPair, name: Callable[[TimedSweep], str]) -> str:
    """Where two devices are equally fast, and the largest speedups that there can be.

    Args:
        pair: the laws.
        name: what a device is called.
    """
    against, own, base = pair.against, name(pair.own), name(pair.base)
    work = "batch" if pair.own.of_batches else "work"
    if isnan(against.crossing.value):
        faster, slower, least, most = own, base, against.smallest, against.largest
        if least.value < 1:
            faster, slower, least, most = base, own, _inverse(most), _inverse(least)
        if not all(end.known and end.low > 1 for end in (least, most)):
            return f"whether {own} is faster than {base} is undecided at every {work}"
        text = f"{faster} is faster than {slower} whatever the {work}"
        interval = _span(least, lambda end: _factor(least, end))
        return f"{text}: {_factor(least, least.value)} or more{interval}{_at_most(most)}"
    if against.crossing.known and not isfinite(against.crossing.high):
        return f"the {work} at which {own} and {base} are equal cannot be located"
    where = amount_text(pair.own, against.crossing.value)
    interval = _span(against.crossing, lambda value: amount_text(pair.own, value))
    beyond = "" if pair.crossing_timed else ", outside the range where both were timed"
    at = f"a batch of {where}" if pair.own.of_batches else f"{where} a step"
    return (
        f"{own} and {base} are equal at {at}{interval}{beyond}; "
        f"above it {own} is faster{_at_most(against.largest)}"
    )


def _inverse(interval: Interval) -> Interval:
    value, low, high = (
        1 / end if end else inf for end in (interval.value, interval.high, interval.low)
    )
    return Interval(value, low, high, interval.n)


def _at_most(largest: Interval) -> str:
    """The largest speedup with its interval; empty where the model has no bound for it."""
    if not isfinite(largest.value):
        return ""
    interval = _span(largest, lambda end: _factor(largest, end))
    return f", up to {_factor(largest, largest.value)} as fast{interval}"


def _factor(interval: Interval, value: float) -> str:
    """A speedup with the digits of an interval."""
    return (
        f"{quantity.fixed(value, _places(interval))}×" if isfinite(value) else "an unbounded factor"
    )


def _places(interval: Interval) -> int:
    if not interval.known:
        return quantity.decimals(interval.value)
    return quantity.decimals(interval.value, interval.low, min(interval.high, 3 * interval.value))


def _span(interval: Interval, text: Callable[[float], str]) -> str:
    """An interval behind its value; empty where there is none."""
    if not interval.known:
        return ""
    return f" (95 %: {_ends(interval, text)})"


def _ends(interval: Interval, text: Callable[[float], str]) -> str:
    """Both ends of an interval; the lower one alone where it has no upper one."""
    if not isfinite(interval.high):
        return f"at least {text(interval.low)}"
    return f"{text(interval.low)} to {text(interval.high)}"


def costs(fit: Fit, sweep: TimedSweep) -> tuple[tuple[str, str], ...]:
    """Fixed cost, cost of an example and n½ of a law that was drawn, each with its interval."""
    fixed, per_example, half = fit.fixed_s(), fit.each_s(), fit.half_rate_batch()
    per = per_example if sweep.of_batches else per_example.times(1e9)
    return (
        (quantity.duration(fixed.value), _times(fixed)),
        (quantity.duration(per.value), _times(per)),
        (
            amount_text(sweep, half.value),
            _ends(half, lambda end: amount_text(sweep, end)) if half.known else "",
        ),
    )


def split_sentence(name: str, sweep: TimedSweep) -> str:
    """Of what a device's fixed cost is made; empty where no parts were timed."""
    law = sweep.fit.law
    if not sweep.split or law is None:
        return ""
    whole = law.fixed_s
    known = [part for part in sweep.split if part_told(part.fixed_s, whole)]
    parts = [
        f"{cost_text(part.fixed_s, whole)} {part.cause.value}"
        for part in known
        if part.fixed_s.value >= 0 or _nothing(part.fixed_s.value, whole)
    ]
    rest = [
        f"that of {part.cause.value} comes out negative ({cost_text(part.fixed_s, whole)}), "
        "because it grows faster than the work"
        for part in known
        if part.fixed_s.value < 0 and not _nothing(part.fixed_s.value, whole)
    ]
    breakdown = f": {quantity.listed(parts)}" if parts else ""
    unsure = [part.cause.value for part in sweep.split if not part_told(part.fixed_s, whole)]
    rest += [f"{quantity.listed(unsure)} not significantly different from 0"] if unsure else []
    return "; ".join(
        [f"A step of {name} costs {quantity.duration(whole)} whatever its work{breakdown}", *rest]
    )


def part_told(cost: Interval, whole: float) -> bool:
    """Whether a part of a cost is told apart from nothing, or surely is hardly anything."""
    low, high = cost.ends
    return max(abs(low), abs(high)) < whole / 100 or low > 0 or high < 0


def _nothing(seconds: float, whole: float) -> bool:
    return abs(seconds) < whole / 1000


def cost_text(cost: Interval, whole: float) -> str:
    """A part of a cost: below 0 where it grows faster than the work; 0 beside the whole."""
    return _seconds_text(cost.value, whole)


def cost_span(cost: Interval, whole: float) -> str:
    """Its interval, where it has one that is not told by its value: "−2.10 ms to 410 µs"."""
    if not cost.known or (_nothing(cost.low - cost.high, whole)):
        return ""
    return f"{_seconds_text(cost.low, whole)} to {_seconds_text(cost.high, whole)}"


def _seconds_text(seconds: float, whole: float) -> str:
    if _nothing(seconds, whole):
        return quantity.duration(0.0)
    return f"−{quantity.duration(-seconds)}" if seconds < 0 else quantity.duration(seconds)


def _times(interval: Interval) -> str:
    if not interval.known:
        return ""
    return f"{quantity.duration(interval.low)} to {quantity.duration(interval.high)}"


def worst(fit: Fit) -> float:
    """The largest share by which a time is off its line."""
    return max((abs(residual) for residual in fit.residuals.values()), default=float("nan"))


def refusal_text(fit: Fit) -> str:
    """Why no law is drawn."""
    far = quantity.percent(worst(fit), 0)
    most = quantity.percent(MOST_RESIDUAL, 0)
    return {
        NoLaw.FEW: "fewer than three sizes were timed",
        NoLaw.FLAT: "its time does not grow with the work",
        NoLaw.BAD: f"a time is {far} off the line, and at most {most} is allowed",
    }[fit.refused or NoLaw.FEW]


def columns(sweeps: Sequence[TimedSweep]) -> tuple[str, str, str, str]:
    """Headings over `costs`, and over how well the law holds."""
    by_batch = all(sweep.of_batches for sweep in sweeps)
    per_example, half = ("each example", "at batch") if by_batch else ("each 10⁹ operations", "at")
    return ("fixed cost of a step", per_example, f"half of the full rate {half}", "worst misfit")


def fixed_text(sweep: TimedSweep) -> str:
    """Where the other axes stand: "layers 1, batch size 64"; empty without any."""
    return settings_text(sweep.fixed)
