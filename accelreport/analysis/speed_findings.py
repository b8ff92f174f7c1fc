"""What may be said of speeds: comparisons, gains, published rates and totals, grids, compilers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import isfinite, nan
from statistics import median
from typing import Any, TypeVar

from accelreport.analysis.benchmark import Benchmark, Point
from accelreport.analysis.ceilings import (
    Limits,
    highest_rate,
    highest_rates,
    own_limits,
    usable_threads,
)
from accelreport.analysis.compute import (
    cited_bandwidth,
    cited_peak,
    compute_dtype,
    hardware_name,
)
from accelreport.analysis.cost import TimeLine, overtakes, start_of
from accelreport.analysis.difference import Configuration, Difference, compiled, differences
from accelreport.analysis.findings import (
    MOST_SEPARATE,
    Caveat,
    Finding,
    Kind,
    Provenance,
    Subject,
    Unit,
    Value,
    is_decided,
)
from accelreport.analysis.overview import PublishedRate, is_busy, published_rates
from accelreport.analysis.published import (
    rounding,
)
from accelreport.analysis.results import Result
from accelreport.analysis.speedup import Group, Speedup, rules_of, speedup
from accelreport.analysis.stats import DECIDED, Interval, Verdict, geometric_mean, grouped, welch
from accelreport.analysis.warnings import REFUSED
from accelreport.spec.base import Scalar
from accelreport.spec.device import ONE_DEVICE, Device


def caveats_of(results: Sequence[Result], *, quality: bool = False) -> frozenset[Caveat]:
    """What weakens a number of some processes; a sample of the data weakens only a quality."""
    measured = [row for row in results if row.measured]
    known = {
        Caveat.SINGLE_RUN: len(measured) == 1,
        Caveat.BUDGET: any(row.status == "partial" for row in measured),
        Caveat.STAND_IN: any(row.origin == "synthetic" for row in measured),
        Caveat.SAMPLE: quality and any(row.origin == "sample" for row in measured),
        Caveat.BUSY: is_busy(measured),
    }
    return frozenset(caveat for caveat, holds in known.items() if holds)


def rate_of(group: Group) -> Value | None:
    """Work in a second with the interval of its time; None where there is no steady time.

    Work is counted in examples, or in 10¹² operations where a kernel has none.
    """
    counted = [
        row.timings.samples_per_step
        if isfinite(row.timings.samples_per_step)
        else row.timings.flops_per_step / 1e12
        for row in group.timed
    ]
    known = [work for work in counted if isfinite(work)]
    if not known:
        return None
    work, seconds = median(known), group.seconds()
    return measured_value(group, divided(work, seconds), Unit.RATE)


def divided(number: float, by: Interval) -> Interval:
    """A number over another one with its interval; without an interval its ends are one NaN."""
    ends = (number / by.high, number / by.low) if by.known else (nan, nan)
    two = tuple(number / value for value in reversed(by.two))
    return Interval(number / by.value, *ends, by.n, two)


def measured_value(group: Group, interval: Interval, unit: Unit) -> Value:
    """A number of some processes as a value."""
    return Value(
        Subject(group.device, group.machine, tuple(group.point.values())),
        interval,
        unit,
        Provenance.MEASURED,
        caveats_of(group.results),
        tuple(row for row in group.results if row.measured),
    )


def published_value(bench: Benchmark, rate: PublishedRate) -> Value:
    """A published rate as a value: the published figure, divided and multiplied by units alone."""
    point = tuple(rate.where.get(axis) for axis in bench.axes) if rate.where else ()
    return Value(
        Subject(rate.row.device, "", point, rate.row),
        Interval(rate.rate, nan, nan, 0),
        Unit.RATE,
        Provenance.PUBLISHED,
        frozenset() if rate.comparable else frozenset({Caveat.UNLIKE}),
        digits=rate.digits,
    )


# Comparisons ------------------------------------------------------------------------------------


def comparison_findings(bench: Benchmark) -> Iterator[Finding]:
    """What each comparison with the baseline allows to be said, by baseline and verdict."""
    over: dict[tuple[str, str], list[Speedup]] = {}
    for row in bench.compared:
        if row.base and not row.is_baseline and row.computed:
            over.setdefault((row.base.device, row.base.machine), []).append(row)
    for rows in over.values():
        yield from _over_one_base(bench, rows)


def _over_one_base(bench: Benchmark, rows: Sequence[Speedup]) -> Iterator[Finding]:
    """Findings over one base, which all rows have in common."""
    sound = [row for row in rows if row.computed]
    count = len(sound) if len(sound) > MOST_SEPARATE else 1
    values: dict[Kind, list[Value]] = {}
    for row in rows:
        values.setdefault(said_kind(bench, row, count), []).append(ratio_of(row))
    base = rows[0].base
    rate = rate_of(base) if base else None
    for kind, own in values.items():
        decided = kind in {Kind.FASTER, Kind.SLOWER}
        own.sort(key=lambda value: -(value.at_least if decided else value.number))
        yield Finding(kind, tuple(own), rate, rows[0].rules.level, count, len(rows))


def said_kind(bench: Benchmark, row: Speedup, comparisons: int) -> Kind:
    """What one of several comparisons allows to be said; see `Kind.TABLED`."""
    kind = kind_of(row)
    if kind not in {Kind.FASTER, Kind.SLOWER, Kind.SAME} or row.base is None:
        return kind
    alone = len(difference_of(bench, ratio_of(row))) == 1
    return kind if alone and kind_of(row.simultaneous(comparisons)) is kind else Kind.TABLED


def kind_of(row: Speedup) -> Kind:
    """The kind of a comparison by its verdict; of precisions alone it is one like any other."""
    kinds = {
        Verdict.FASTER: Kind.FASTER,
        Verdict.SLOWER: Kind.SLOWER,
        Verdict.SAME: Kind.SAME,
        Verdict.WITHHELD: Kind.WITHHELD,
    }
    return kinds.get(row.verdict, Kind.UNDECIDED)


def ratio_of(row: Speedup) -> Value:
    """A comparison as a value, withheld ones with their reasons."""
    estimate, base = row.computed, row.base
    if estimate is None or base is None:
        raise ValueError("only what was compared is a ratio")
    value = measured_value(row.own, estimate.interval, Unit.RATIO)
    return replace(
        value,
        caveats=value.caveats | caveats_of(base.results),
        processes=(*value.processes, *(other for other in base.results if other.measured)),
        verdict=row.verdict,
        needed=estimate.needed,
        over=Subject(base.device, base.machine, tuple(base.point.values())),
        why=row.withheld,
    )


def difference_of(bench: Benchmark, value: Value) -> tuple[str, ...]:
    """In what the sides of a measured ratio differ (`differences`); empty of anything else."""
    if value.over is None or value.of.row or value.over.row:
        return ()
    sides = (
        Configuration(of.device, of.machine, dict(zip(bench.axes, of.point, strict=False)))
        for of in (value.of, value.over)
    )
    return differences(bench.plan, *sides)


def threads_of(bench: Benchmark, value: Value) -> tuple[int, int, Subject] | None:
    """Threads of both sides of a ratio and the side with all of its CPU's, where these differ."""
    if value.over is None or difference_of(bench, value) != (Difference.THREADS,):
        return None
    sides = (value.of, value.over)
    asked = [bench.plan.devices[of.device].threads for of in sides]
    records = filter(None, map(bench.record, value.processes))
    every = next((r.environment.threads for r in records if r.environment), None)
    one, other = (count or every for count in asked)
    if None not in asked or one is None or other is None or one == other:
        return None
    return one, other, sides[asked.index(None)]


def forward(value: Value) -> Value:
    """A ratio of the faster side over the slower one; any other value as it is."""
    turns = value.verdict is Verdict.SLOWER or (value.verdict is None and value.number < 1)
    turns = turns and value.over is not None and value.unit is Unit.RATIO
    return inverse(value) if turns else value


def inverse(value: Value) -> Value:
    """A ratio of its other side over this one."""
    if value.over is None:
        raise ValueError("only a ratio is over something")
    turned = {Verdict.SLOWER: Verdict.FASTER, Verdict.FASTER: Verdict.SLOWER}
    why = tuple(replace(held, own=held.base, base=held.own) for held in value.why)
    return replace(
        value, interval=divided(1.0, value.interval), of=value.over, over=value.of, why=why,
        verdict=next((own for old, own in turned.items() if value.verdict is old), value.verdict),
    )  # fmt: skip


# Sweeps -----------------------------------------------------------------------------------------


def swept_number(bench: Benchmark) -> str | None:
    """The first axis with at least two numeric values, all positive."""
    for axis, values in bench.plan.axes.items():
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(values) >= 2 and min(numbers) > 0:
            return axis
    return None


def gain_findings(bench: Benchmark) -> Iterator[Finding]:
    """A rate at the last value of the one swept number over that at the first, by both values.

    Measured gains are compared within repeats, as two devices are. Published gains are the
    quotient of two published figures, and have no interval.
    """
    axis = swept_number(bench)
    if axis is None or len(bench.axes) != 1:
        return
    rules = rules_of(bench.plan, bench.results)
    spans: dict[tuple[Point, Point], list[Value]] = {}
    for first, last in _ends_of_sweeps(bench):
        row = speedup(last, first, rules)
        if row.estimate is not None:
            ends = tuple(first.point.values()), tuple(last.point.values())
            spans.setdefault(ends, []).append(ratio_of(row))
    for one, other in _published_ends(bench, axis):
        value = _published_ratio(other, one)
        spans.setdefault((one.of.point, other.of.point), []).append(value)
    for values in spans.values():
        values.sort(key=lambda v: (v.verdict not in DECIDED, not is_decided(v)))
        yield Finding(Kind.GAIN, tuple(values), of=len(bench.points), axis=axis)


def _published_ratio(own: Value, base: Value) -> Value:
    """The quotient of two published figures, which has no interval."""
    return Value(
        own.of,
        Interval(own.number / base.number, nan, nan, 0),
        Unit.RATIO,
        Provenance.CALCULATED,
        own.caveats | base.caveats,
        over=base.of,
        digits=min(own.digits, base.digits),
    )


def _ends_of_sweeps(bench: Benchmark) -> list[tuple[Group, Group]]:
    """The first and the last timed point of each device along the one axis, the fastest first.

    What is slow at the first point gains more: a title has the gain of what is fastest there.
    """
    timed = (row.own for row in bench.compared if row.own.timed and row.own.machine)
    lines = grouped(timed, lambda group: (group.device, group.machine)).values()
    for own in lines:
        own.sort(key=lambda group: float(str(next(iter(group.point.values())))))
    ends = [(own[0], own[-1]) for own in lines if len(own) > 1]
    return sorted(ends, key=lambda pair: pair[0].seconds().value)


def sound_rates(bench: Benchmark) -> list[PublishedRate]:
    """Published rates that can be and did the same work a step, without restated ones.

    A rate that was derived from a printed row is left out where that row is there too.
    """
    rates = published_rates(bench.plan)

    def place(rate: PublishedRate) -> tuple[str, str]:
        return rate.row.device, repr(sorted(rate.where.items()))

    printed = {place(rate) for rate in rates if rate.row.mark != "D"}
    return [rate for rate in rates if rate.row.mark != "D" or place(rate) not in printed]


def published_lines(bench: Benchmark, axis: str) -> Collection[list[PublishedRate]]:
    """What each thing that a source measured along an axis came to, without what is flagged."""
    sound = (rate for rate in sound_rates(bench) if rate.comparable and not rate.flags)
    along = (rate for rate in sound if axis in rate.where)
    return grouped(along, lambda rate: (rate.row.device, rate.row.label)).values()


def has_lines(bench: Benchmark) -> bool:
    """Whether anything has rates at two values of the one swept number, measured or published."""
    axis = swept_number(bench)
    if axis is None or len(bench.axes) != 1:
        return False
    timed = Counter((r.own.device, r.own.machine) for r in bench.compared if r.own.timed)
    printed = (len({str(r.where[axis]) for r in own}) for own in published_lines(bench, axis))
    return max([*timed.values(), *printed], default=0) > 1


def _published_ends(bench: Benchmark, axis: str) -> Iterator[tuple[Value, Value]]:
    """The first and the last figure of each thing that a source measured along the axis."""
    for rates in published_lines(bench, axis):
        rates.sort(key=lambda rate: float(str(rate.where[axis])))
        if len(rates) > 1:
            yield published_value(bench, rates[0]), published_value(bench, rates[-1])


def crossing_findings(bench: Benchmark) -> Iterator[Finding]:
    """Where one device overtakes another between two neighbouring values of the one swept number.

    A finding has the ratio of the one over the other at the value where it is slower, and at the
    next one, where it is faster. Two measured ratios are both decided, on one machine, with
    intervals that hold for all pairs and values together. Two published ones are of one source,
    and rounding does not change their order.
    """
    axis = swept_number(bench)
    if axis is None or len(bench.axes) != 1:
        return
    steps = [*pairwise(sorted(bench.plan.axes[axis], key=lambda value: float(str(value))))]
    timed = [row.own for row in bench.compared if row.own.timed and row.own.machine]
    measured = grouped(timed, lambda group: (group.machine, group.device)).items()
    pairs = [
        ({group.point[axis]: group for group in one}, {group.point[axis]: group for group in other})
        for ((machine, _), one), ((beside, _), other) in combinations(measured, 2)
        if machine == beside
    ]
    count = sum(len(one.keys() & other.keys()) for one, other in pairs)
    rules = replace(rules_of(bench.plan, bench.results), comparisons=count)

    def measured_ratio(own: Group, base: Group) -> Value | None:
        row = speedup(own, base, rules)
        decided = row.estimate and row.verdict in {Verdict.FASTER, Verdict.SLOWER}
        return ratio_of(row) if decided else None

    yield from _crossings(
        axis, steps, pairs, lambda g: 1 / g.seconds().value, measured_ratio, count
    )

    def published_ratio(own: PublishedRate, base: PublishedRate) -> Value | None:
        slack = sum(rounding(rate.row.figures()[rate.figure]) for rate in (own, base))
        if max(own.rate, base.rate) <= min(own.rate, base.rate) * (1 + slack):
            return None
        return _published_ratio(published_value(bench, own), published_value(bench, base))

    printed = [
        (rates[0].row.source or bench.plan.source, {rate.where[axis]: rate for rate in rates})
        for rates in published_lines(bench, axis)
    ]
    apart = [(one, other) for (by, one), (of, other) in combinations(printed, 2) if by == of]
    yield from _crossings(axis, steps, apart, lambda rate: rate.rate, published_ratio)


Timed = TypeVar("Timed")


def _crossings(
    axis: str,
    steps: Sequence[tuple[Scalar, Scalar]],
    pairs: Iterable[tuple[Mapping[Any, Timed], Mapping[Any, Timed]]],
    rate: Callable[[Timed], float],
    ratio: Callable[[Timed, Timed], Value | None],
    count: int = 1,
) -> Iterator[Finding]:
    """A finding for each pair and each step of the sweep at which the order of the pair changes.

    Args:
        axis: the swept key.
        steps: neighbouring values of it.
        pairs: two devices, each by the value of the axis.
        rate: how fast a device is at a value.
        ratio: how many times as fast one is as another; None where that is not decided.
        count: of comparisons, whose intervals hold together.
    """
    for one, other in pairs:
        for low, high in steps:
            if not {low, high} <= one.keys() & other.keys():
                continue
            own, base = (one, other) if rate(one[high]) > rate(other[high]) else (other, one)
            if rate(own[low]) >= rate(base[low]):
                continue
            before, after = ratio(own[low], base[low]), ratio(own[high], base[high])
            if before and after and before.number < 1 < after.number:
                yield Finding(Kind.CROSSING, (before, after), comparisons=count, axis=axis)


def base_groups(bench: Benchmark) -> list[Group]:
    """The baseline's groups, of the machine that has most of them; else the fastest device's."""
    baseline = bench.plan.baseline
    timed = [row.own for row in bench.compared if row.own.timed and row.own.machine]
    own = [group for group in timed if baseline.is_at(group.device, group.point)]
    counts = Counter((group.device, group.machine) for group in own)
    if timed and not own:
        first = max(timed, key=lambda group: rate.number if (rate := rate_of(group)) else 0.0)
        counts[first.device, first.machine] = 1
    place = min(counts, key=lambda key: (-counts[key], key), default=None)
    return [group for group in own or timed if (group.device, group.machine) == place]


# Grids ------------------------------------------------------------------------------------------


def _is_grid(bench: Benchmark) -> bool:
    return len(bench.axes) - len(bench.plan.baseline.where) > 1


def range_findings(bench: Benchmark) -> Iterator[Finding]:
    """The slowest timed configuration against the fastest, by the time of an example.

    The values are seconds of an example, slowest first; `of` counts every configuration, so that
    those without a time can be named. Where both ends have several processes, the verdict is that
    of their comparison, as one of all pairs of configurations.
    """
    timed = [(group, rate) for group in base_groups(bench) if (rate := rate_of(group)) is not None]
    if not _is_grid(bench) or len(timed) < 2:
        return
    timed.sort(key=lambda pair: pair[1].number)
    pairs = len(timed) * (len(timed) - 1) // 2
    rules = replace(rules_of(bench.plan, bench.results), quality=None, comparisons=pairs)
    row = speedup(timed[-1][0], timed[0][0], rules)
    decided = row.verdict if row.estimate and row.estimate.interval.known else None
    values = [
        replace(rate, interval=divided(1.0, rate.interval), unit=Unit.SECONDS, verdict=decided)
        for _, rate in timed
    ]
    every = len({bench.base_point(point) for point in bench.points})
    yield Finding(Kind.RANGE, tuple(values), comparisons=pairs, of=every)


# Compilers --------------------------------------------------------------------------------------


def compiled_findings(bench: Benchmark) -> Iterator[Finding]:
    """Each framework's compiler over the same framework with less of it, pair by pair."""
    if bench.axes:
        return
    groups = [row.own for row in bench.compared if row.own.timed and row.own.machine]
    rules = rules_of(bench.plan, bench.results)
    pairs = [
        (more, less)
        for less in groups
        for more in groups
        if _is_next_stage(bench.plan.devices[less.device], bench.plan.devices[more.device])
        and more.machine == less.machine
    ]
    count = len(pairs) if len(pairs) > MOST_SEPARATE else 1
    rows = [row for pair in pairs if (row := speedup(*pair, rules)).estimate]
    # A page chooses among them, so that each is said only where it holds together with all.
    rows = [
        row
        for row in rows
        if row.verdict not in DECIDED or row.simultaneous(count).verdict is row.verdict
    ]
    for row in sorted(rows, key=lambda row: -ratio_of(row).at_least):
        if row.base:
            rate = rate_of(row.base)
            yield Finding(Kind.COMPILED, (ratio_of(row),), rate, rules.level, count, len(pairs))


def _is_next_stage(less: Device, more: Device) -> bool:
    """Whether two devices differ only in that one has the next stage of compilation."""
    plain = {"xla": False, "eager": False, "torch_compile": False, "label": ""}
    alike = less.model_copy(update=plain) == more.model_copy(update=plain)
    # TensorFlow goes from eager to graph mode and from there to XLA; others have two stages.
    step = 1 if less.framework == "tensorflow" else 2
    return alike and less.strategy in ONE_DEVICE and compiled(more) - compiled(less) == step


def rate_findings(bench: Benchmark) -> Iterator[Finding]:
    """What the baseline does in a second: of several points the highest, where that is decided.

    Else the first one; `of` counts those of which one is the highest.
    """
    rated = [(group, rate) for group in base_groups(bench) if (rate := rate_of(group))]
    if not rated:
        yield replace(failures([bench]), of=sum(row.timed for row in bench.results))
        return
    (own, highest), *others = sorted(rated, key=lambda pair: -pair[1].number)
    rules = replace(rules_of(bench.plan, bench.results), quality=None, comparisons=len(others))
    if (_is_grid(bench) or swept_number(bench)) and all(
        speedup(own, group, rules).verdict is Verdict.FASTER for group, _ in others
    ):
        yield Finding(Kind.RATE, (highest,), of=len(rated))
    else:
        yield Finding(Kind.RATE, (rated[0][1],))


def rate_at(bench: Benchmark, of: Subject) -> Value | None:
    """The measured rate of a subject."""
    rows = (row.own for row in bench.compared if row.own.timed)
    return next((v for group in rows if (v := rate_of(group)) and v.of == of), None)


def failures(benches: Iterable[Benchmark]) -> Finding:
    """The cells of some benchmarks that failed or were refused, by reason, but interrupted ones."""
    rows = [row for bench in benches for row in bench.results if row.status in {"failed", REFUSED}]
    kinds = Counter(row.failure_kind or row.status for row in rows)
    del kinds["interrupted"]
    return Finding(Kind.NOT_MEASURED, (), failed=tuple(kinds.items()))


# Compiled runs, start-up included ---------------------------------------------------------------


def pays_off_findings(bench: Benchmark) -> Iterator[Finding]:
    """From which step on each faster compiled run is ahead of the same without, start-up included.

    Where the compiler is not shown to be faster, or its start-up to be longer, nothing pays off.
    """
    for finding in compiled_findings(bench):
        (value,) = finding.values
        if value.verdict is not Verdict.FASTER or not value.over:
            continue
        own, other = _starts(bench, value.of), _starts(bench, value.over)
        if not (own and other and welch((1.0, own), (-1.0, other)).linear().low > 0):
            continue
        later, first = line_of(bench, value.of), line_of(bench, value.over)
        if later and first and (steps := overtakes(later, first)):
            yield Finding(
                Kind.PAYS_OFF,
                (
                    replace(
                        value,
                        interval=Interval(steps, nan, nan, value.interval.n),
                        unit=Unit.STEPS,
                        provenance=Provenance.CALCULATED,
                        verdict=None,
                    ),
                ),
            )


def _starts(bench: Benchmark, of: Subject) -> list[float]:
    """Seconds of the start-up of each process of a device."""
    rows = [row for row in bench.cells(of.device, of.machine, of.point) if row.measured]
    return [start.total for row in rows if (start := start_of([row], row.seconds))]


def line_of(bench: Benchmark, of: Subject) -> TimeLine | None:
    """Seconds until n steps of a device are done, start-up included; None where it is not known."""
    rows = [row for row in bench.cells(of.device, of.machine, of.point) if row.measured]
    seconds = geometric_mean([row.seconds for row in rows]).value
    start = start_of(rows, seconds)
    return TimeLine(start.total, seconds) if start and isfinite(seconds) else None


# Peaks ------------------------------------------------------------------------------------------


def peak_findings(bench: Benchmark) -> Iterator[Finding]:
    """Published rates of a kernel above the peak of their chip, and what was reached here of it.

    Published rates are over the peak of their chip, measured ones over what `limits_of` gives.
    """
    groups = [row.own for row in bench.compared if row.own.timed and row.own.machine]
    # A kernel counts operations alone, and no examples.
    counted = (row.timings.samples_per_step for group in groups for row in group.timed)
    if not groups or any(map(isfinite, counted)):
        return
    above = []
    for rate in sound_rates(bench):
        excess = next((flag for flag in rate.flags if flag.kind == "above-peak"), None)
        if excess is not None:
            value = published_value(bench, rate)
            above.append(
                replace(
                    value,
                    interval=Interval(excess.printed / excess.other, nan, nan, 0),
                    unit=Unit.RATIO,
                    provenance=Provenance.CALCULATED,
                    caveats=value.caveats | ({Caveat.INFERRED} if excess.inferred else set()),
                    over=Subject(value.of.device, part="peak"),
                )
            )
    if above:
        above.sort(key=lambda value: -value.number)
        yield Finding(Kind.EXCEEDS_PEAK, tuple(above), of=len(sound_rates(bench)))
    reached = [share for group in groups if (share := share_of_peak(bench, group))]
    if reached:
        reached.sort(key=lambda value: -value.number)
        yield Finding(Kind.SHARE_OF_PEAK, tuple(reached), of=len(groups))


def limits_of(bench: Benchmark, group: Group) -> tuple[Limits, str] | None:
    """What limits some processes, and what that is called; None where nothing is known.

    A CPU's is the fastest product of its processor with as many threads, or the upper bound of one
    core's rate for each; else what is cited counts. Processes on several hosts have the highest.
    A run that set its roof itself has none: its share would be of itself.
    """
    records = [record for row in group.timed if (record := bench.record(row))]
    environments = [record.environment for record in records if record.environment]
    environment = next(iter(environments), None)
    device, point = bench.plan.devices[group.device], group.point
    kind = device.kind
    if kind == "CPU":
        dtype = compute_dtype(bench.plan, group.device, point)
        rates = bench.highest_tflops or highest_rates(bench.plan, records)
        own = []
        for host in environments:
            threads = usable_threads(device, host)
            own.append(own_limits(host, dtype, highest_rate(rates, host, threads), threads))
        if known := [limits for limits in own if limits is not None]:
            highest = max(known, key=lambda limits: limits.peak.tflops)
            if highest.peak.tflops in highest_rates(bench.plan, records).values():
                return None
            return highest, "upper bound" if highest.cores else "measured roof"
    name = hardware_name(environment, kind)
    peak = cited_peak(bench.plan, group.device, point, name, environment)
    if peak is None:
        return None
    return Limits(name, kind, peak, cited_bandwidth(bench.plan, group.device, name)), "peak"


def share_of_peak(bench: Benchmark, group: Group) -> Value | None:
    """What some processes reached of a peak that is cited or measured; None where none is known."""
    known, rate = limits_of(bench, group), rate_of(group)
    if known is None or rate is None or not isinstance(known[0].peak.source, str):
        return None
    limits, what = known
    interval = divided(1.0, divided(limits.peak.tflops, rate.interval))
    over = Subject(group.device, group.machine, part=what)
    return replace(rate, interval=interval, unit=Unit.SHARE, over=over)


# Latency ----------------------------------------------------------------------------------------


def latency_findings(bench: Benchmark) -> Iterator[Finding]:
    """The median call of each device over the one swept number, the fastest at the least first.

    A process is one value: its median call. The interval is that of the geometric mean over them.
    Without lines there are rates alone: they are of mean calls, and beside them a median is not.
    """
    if bench.plan.value("mode", {}) != "inference" or not has_lines(bench):
        return
    values = []
    for row in bench.compared:
        medians = [median(times) for cell in row.own.timed if (times := steady_times(bench, cell))]
        if medians and row.own.machine:
            values.append(measured_value(row.own, geometric_mean(medians), Unit.SECONDS))
    if values:
        values.sort(key=lambda value: (value.of.point, value.number))
        yield Finding(Kind.LATENCY, tuple(values), of=len(values), axis=swept_number(bench) or "")


def steady_times(bench: Benchmark, row: Result) -> list[float]:
    """Seconds of each steady step of a process that was timed by itself."""
    record = bench.record(row)
    return record.steady.single_s if record else []
