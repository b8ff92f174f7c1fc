"""Sentences computed from the data: what a page found, said before any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accelreport.analysis.learning import Parity
from accelreport.analysis.speedup import Estimate, Speedup, work_of_a_step
from accelreport.analysis.stats import DECIDED, Interval
from accelreport.report import formatting
from accelreport.report.metrics import is_share, metric_title
from accelreport.report.text import sentence as capital
from accelreport.report.view import BenchmarkView, Point, Series, once


@dataclass(frozen=True)
class Compared:
    """A device with a speedup at a point."""

    series: Series
    point: Point
    found: Speedup
    estimate: Estimate
    """The speedup, also where it may stand only beside the reasons for which it is withheld."""

    @property
    def speedup(self) -> float:
        """The factor."""
        return self.estimate.interval.value

    @property
    def text(self) -> str:
        """The factor, formatted."""
        interval = self.estimate.interval
        return formatting.ratio(interval.value, interval.low, interval.high)

    @property
    def longer(self) -> str:
        """How many times as long it takes, for a device that is slower."""
        interval = self.estimate.interval
        return formatting.ratio(1 / interval.value, 1 / interval.high, 1 / interval.low)

    @property
    def between(self) -> str:
        """The ends of the interval; empty where there is none."""
        interval = self.estimate.interval
        if not interval.known:
            return ""
        return formatting.ratio_interval(interval.low, interval.high, interval.value)

    @property
    def processes(self) -> tuple[int, int]:
        """Processes of the device and of the baseline."""
        base = self.found.base
        return len(self.found.own.timed), len(base.timed) if base else 0

    def apart_from(self, other: Compared) -> bool:
        """Whether they stand beside baselines of different machines."""
        own, theirs = self.found.base, other.found.base
        return own is not None and theirs is not None and own.machine != theirs.machine

    def outruns(self, other: Compared) -> bool:
        """Whether it takes less time for the same work."""
        unit = work_of_a_step((self.found.own, other.found.own))
        return self.found.own.seconds_of(unit) < other.found.own.seconds_of(unit)

    @property
    def interval(self) -> str:
        """The interval in brackets, or that there is none."""
        return self._in_brackets(self.between)

    @property
    def longer_interval(self) -> str:
        """The interval of how many times as long it takes, in brackets."""
        ends = self.estimate.interval
        between = formatting.ratio_interval(1 / ends.high, 1 / ends.low, 1 / ends.value)
        return self._in_brackets(between if self.between else "")

    def _in_brackets(self, between: str) -> str:
        if not between:
            return "(one process each, so no interval)"
        rules = self.found.rules
        level = formatting.fixed(100 * rules.level, 0)
        of = f" over all {rules.comparisons} comparisons" if rules.comparisons > 1 else ""
        return f"({level}{formatting.SPACE}% interval{of} {between})"


@once
def compared(bench: BenchmarkView) -> list[Compared]:
    """Every device and point with a speedup, the baseline left out."""
    found = []
    for series in bench.series:
        for point in bench.points:
            row = None if series.baseline else bench.speedup(series, point)
            estimate = (row.estimate or row.qualified) if row else None
            if row and estimate:
                found.append(Compared(series, point, row, estimate))
    return found


def together(found: Sequence[Compared], count: int) -> list[Compared]:
    """Those that may make a headline, each as one of so many of which the largest is told.

    The largest of several estimates lies above its truth more often than not. Its interval
    therefore holds together with those of all that might have been the largest (Bonferroni).
    """
    told = []
    for each in found:
        row = each.found.simultaneous(count)
        if row.estimate:
            told.append(Compared(each.series, each.point, row, row.estimate))
    return told


def unrivalled(found: Sequence[Compared]) -> list[Compared]:
    """Those that no device beside another machine's baseline outruns at the same point.

    Factors over two baselines cannot be ranked: a slower device has the larger one beside a
    slower baseline. What can is the time for the same work.
    """
    return [
        each
        for each in found
        if not any(
            other.point == each.point and other.apart_from(each) and other.outruns(each)
            for other in found
        )
    ]


def baseline_of(bench: BenchmarkView, each: Compared) -> str:
    """The baseline of a comparison, with its machine where there are several."""
    machines = {series.machine for series in bench.series if series.baseline}
    machine = each.found.base.machine if each.found.base and len(machines) > 1 else ""
    return bench.title_on(bench.plan.baseline, machine)


def interval_text(bench: BenchmarkView) -> str:
    """What the intervals of the speedups are, in a sentence."""
    found = compared(bench)
    paired = [each for each in found if each.estimate.paired]
    if not found:
        return ""
    if len(paired) == len(found):
        how = "compares within repeats"
    elif paired:
        how = "compares within repeats where both devices ran them, between processes elsewhere"
    else:
        how = "compares between processes, whose spread may differ (Welch)"
    return f"The interval is Student’s t on logarithms and {how}."


@once
def headline(bench: BenchmarkView) -> str:
    """The one sentence of a benchmark."""
    if not bench.shown_series:
        return "Nothing has been measured yet."
    found = [each for each in compared(bench) if not each.found.withheld]
    found = together(found, len(found))
    said = _best(bench, found) if found else _absolute(bench)
    return with_origin(bench, said)


def with_origin(bench: BenchmarkView, said: str) -> str:
    """A sentence that first says so where its numbers are from stand-ins for the data."""
    synthetic = any(row.origin == "synthetic" for row in bench.results)
    # A name stays as it is: "cpu-jax" of a devices file is not "Cpu-jax".
    named = any(said.startswith(series.title) for series in bench.shown_series)
    return f"On synthetic data, {said}" if synthetic else said if named else capital(said)


def _best(bench: BenchmarkView, found: list[Compared]) -> str:
    """The largest factor that was decided; without one, that nothing was."""
    decided = [each for each in found if each.estimate.verdict in DECIDED]
    known = [each for each in found if each.between]
    if not decided and known:
        return _one_by_one(bench) or _undecided(bench, known)
    best = max(unrivalled(decided or found), key=lambda each: each.speedup)
    verb = bench.words.verb
    than = baseline_of(bench, best)
    slower = best.speedup < 1
    sentence = f"{best.series.title} {verb} {best.text} as fast as {than}"
    if slower:
        sentence = f"{best.series.title} takes {best.longer} as long as {than}"
    if bench.axes:
        sentence += f" at {bench.point_title(best.point)}"
    sentence += f" {best.longer_interval if slower else best.interval}"
    rest = _range(bench, best, decided or found, slower=slower)
    return f"{sentence}{rest}.{_same_quality(best)}"


def decided_alone(bench: BenchmarkView) -> dict[Series, list[Compared]]:
    """Comparisons that are decided, each at its own level, by device, the least factor first."""
    found: dict[Series, list[Compared]] = {}
    for each in sorted(compared(bench), key=lambda each: each.speedup):
        if each.estimate.verdict in DECIDED and not each.found.withheld:
            found.setdefault(each.series, []).append(each)
    return found


def factors(found: Sequence[Compared]) -> str:
    """The least and the greatest factor of a device: "190× to 368×"."""
    return " to ".join(dict.fromkeys(each.text for each in (found[0], found[-1])))


def _paces(bench: BenchmarkView, series: Series, found: Sequence[Compared]) -> str:
    """A device by its factors: "GPU trains 3× to 5× as fast"; by times where it is slower."""
    if found[-1].speedup < 1:
        times = dict.fromkeys(each.longer for each in (found[-1], found[0]))
        return f"{series.title} takes {' to '.join(times)} as long"
    return f"{series.title} {bench.words.verb} {factors(found)} as fast"


def _one_by_one(bench: BenchmarkView) -> str:
    """What each comparison decides by itself, where too few processes decide all of them at once.

    All factors of a device are told and none is chosen, so that none is the luckiest.
    """
    alone = decided_alone(bench)
    if not alone:
        return ""
    every = [each for each in compared(bench) if not each.found.withheld]
    than = baseline_of(bench, next(iter(alone.values()))[0])
    said = [_paces(bench, series, own) for series, own in alone.items()]
    count = sum(map(len, alone.values()))
    of = f"{count} of {formatting.plural(len(every), 'comparison')}"
    verb = "is" if count == 1 else "are"
    return (
        f"{formatting.listed(said)} as {than}: {of} {verb} decided, each at "
        f"95{formatting.SPACE}% by itself; more processes would decide them together."
    )


def _undecided(bench: BenchmarkView, known: list[Compared]) -> str:
    """The comparison with the narrowest interval, which still holds 1×."""
    nearest = min(known, key=lambda each: each.estimate.interval.high / each.estimate.interval.low)
    where = bench.at(nearest.point)
    return (
        f"{nearest.series.title} and {baseline_of(bench, nearest)} cannot be told apart{where} "
        f"{nearest.interval}: more processes would narrow the interval."
    )


def _same_quality(best: Compared) -> str:
    """Whether the faster device learnt as well; a speedup means little without it."""
    agreed = best.found.agreement
    if not agreed or agreed.verdict is not Parity.EQUIVALENT or not is_share(agreed.quality.metric):
        return ""
    margin = f"±{formatting.SPACE}{formatting.short(100 * agreed.quality.within)}"
    title = metric_title(agreed.quality.metric)
    return f" Both reach the same {title} ({margin}{formatting.SPACE}points)."


def _range(bench: BenchmarkView, best: Compared, found: list[Compared], *, slower: bool) -> str:
    """How the same device does at the point where it does worst; if slower there, by its time."""
    own = [each for each in found if each.series == best.series and each is not best]
    if not own:
        return ""
    worst = min(own, key=lambda each: each.speedup)
    told = worst.longer if slower else worst.text
    if worst.speedup < 1 and not slower:
        told = f"takes {worst.longer} as long"
    return f" and {told} at {bench.point_header(worst.point)}"


def _absolute(bench: BenchmarkView) -> str:
    """What the only measured device does, when there is nothing to compare."""
    series = bench.shown_series[0]
    point = next(p for p in bench.points if bench.measured(series, p))
    found = bench.speedup(series, point)
    if found is None:
        return f"{series.title} ended before its first steady {bench.words.step}."
    seconds = duration_of(found.seconds)
    return f"{series.title} takes {seconds} a {bench.words.step}{bench.at(point)}."


def duration_of(seconds: Interval) -> str:
    """A time with as many digits as its interval allows."""
    return formatting.duration(seconds.value, seconds.low, seconds.high)
