"""The forms of what a section of a benchmark found, and the notices before any number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from accelreport.analysis.findings import Unit, Value
from accelreport.analysis.results import UNTIMED
from accelreport.analysis.stats import Interval
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.model import Notice
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, Point, SeriesPoint
from accelreport.results.record import Network
from accelreport.spec.models import Advice, Source

MOST = 0.5
"""Share of the parameters above which a layer is said to hold most of them."""
MOST_TOLD = 4
"""Devices that a sentence names."""


def network_size(bench: BenchmarkView, network: Network) -> str:
    """How large a network is, or all that were swept; empty of one without parameters."""
    every = sum(layer.parameters for layer in network.layers)
    if not every:
        return ""
    counts = sorted({r.parameters for r in bench.records.values() if r.parameters})
    if len(counts) > 1:
        least, most = map(quantity.count, (counts[0], counts[-1]))
        return f"The network has {least} to {most} parameters"
    layers = quantity.plural(len(network.layers), "layer")
    return f"The network has {quantity.count(every)} parameters in {layers}"


def network_sentence(bench: BenchmarkView, network: Network) -> str:
    """How large a network is, and where most of its weights are."""
    whole, every = network_size(bench, network), sum(layer.parameters for layer in network.layers)
    if not whole:
        return ""
    if len({r.parameters for r in bench.records.values() if r.parameters}) > 1:
        return f"{whole}; the largest is drawn."
    largest = max(network.layers, key=lambda layer: layer.parameters)
    share = largest.parameters / every
    if not MOST <= share < 1:
        return f"{whole}."
    most = f"{quantity.percent(share, 0)} of them in one {label(largest.kind, 40)} layer"
    return f"{whole}, {most}."


def where(bench: BenchmarkView, place: SeriesPoint) -> str:
    """The device, where there are several, and the sweep point: " on Intel Xeon at batch …"."""
    on = f" on {place[0].title}" if len(bench.shown_series) > 1 else ""
    return f"{on}{bench.at(place[1])}"


def holds_one(ratio: Interval) -> bool:
    """Whether an interval leaves open which of two is longer; without one nobody asks."""
    return ratio.low <= 1 <= ratio.high


def start_up(bench: BenchmarkView, place: SeriesPoint, ratio: float, paired: Interval) -> str:
    """How long the first step is beside a steady one, if one of the two is known to be longer.

    Args:
        bench: the benchmark.
        place: the device and the sweep point.
        ratio: the median first step over the mean steady one, as a table has it.
        paired: the same within each process; it decides.
    """
    words = bench.words
    steady = "a later call" if words.kernel or words.calls else "a steady one"
    if holds_one(paired):
        interval = quantity.ratio_interval(paired.low, paired.high, paired.value)
        longer = f"the {words.first} takes longer than {steady}{where(bench, place)}"
        return f"whether {longer} is undecided ({interval})"
    times = quantity.write(ratio, Unit.RATIO, digits=quantity.TABLE)
    return f"the {words.first} takes {times} as long as {steady}{where(bench, place)}"


def step_tail(bench: BenchmarkView, place: SeriesPoint, tail: float) -> str:
    """How much longer the slowest hundredth of the steps takes than the median."""
    times = quantity.write(tail, Unit.RATIO, digits=quantity.TABLE)
    return f"1{quantity.SPACE}% of {bench.words.step}s take at least {times} the median" + where(
        bench, place
    )


def computed(bench: BenchmarkView, place: SeriesPoint, tflops: float) -> str:
    """The most operations in a second that a device did."""
    number = quantity.write(tflops * 1e3, Unit.NUMBER, noun="GFLOPS", digits=quantity.TABLE)
    return f"{place[0].title} reaches {number}{bench.at(place[1])}"


def memory(bench: BenchmarkView, place: SeriesPoint, size: float) -> str:
    """The largest peak of a median process."""
    return f"the median process takes up to {quantity.size(size)}{where(bench, place)}"


def reached(speaker: Speaker, rows: Sequence[tuple[str, str, Sequence[Value]]]) -> str:
    """What devices reach: "Intel Xeon reaches 3.3 % of the machine’s measured roof, …".

    Args:
        speaker: writes the numbers.
        rows: each device with what limits it and its shares.
    """
    # What limits neighbours alike is said once.
    before = ["", *(limit for _, limit, _ in rows)]
    parts = [
        speaker.numbers(shares) + (f" of {limit}" if limit != last else "")
        for (_, limit, shares), last in zip(rows, before, strict=False)
    ]
    names = [name for name, *_ in rows]
    verbs = ["reaches", *[""] * len(rows)]
    clauses = [" ".join(filter(None, words)) for words in zip(names, verbs, parts, strict=False)]
    return sentence(quantity.listed(clauses[:MOST_TOLD]))


def share_value(value: Value, share: float) -> Value:
    """A rate as a share of what limits it."""
    low, high = (end * share / value.number for end in value.interval.ends)
    return Value(
        value.of,
        Interval(share, low, high, value.interval.n),
        Unit.SHARE,
        value.provenance,
        value.caveats,
        value.processes,
    )


def worth(speaker: Speaker, rows: Sequence[tuple[Value, float]]) -> str:
    """Which row with a price costs least and which takes least; no winner that is not decided.

    Args:
        speaker: writes the names and the numbers.
        rows: times with what they cost; at least one.
    """
    cheapest = min(rows, key=lambda row: (row[1], row[0].number))
    fastest = min(rows, key=lambda row: (row[0].number, row[1]))

    def called(value: Value) -> str:
        return f"{speaker.name(value.of)}{speaker.at(value.of)}"

    if len(rows) == 1:
        return f"Only {called(cheapest[0])} has a price"
    priced = f"{len(rows)} rows with a price"
    level = [
        row
        for first, by in ((cheapest, 1), (fastest, 0))
        for row in rows
        if row is not first and _overlap(first[0], row[0], by, rows)
    ]
    if level:
        return f"No winner is decided among {priced}: intervals overlap."
    if cheapest is fastest:
        least = fastest[0].number, fastest[1]
        best = [called(value) for value, cost in rows if (value.number, cost) == least]
        names, verb = sentence(quantity.listed(best)), "is" if len(best) == 1 else "are"
        return f"{names} {verb} both the cheapest and the fastest of {priced}."
    longer, dearer = (
        quantity.write(ratio, Unit.RATIO, digits=quantity.HEADLINE)
        for ratio in (cheapest[0].number / fastest[0].number, fastest[1] / cheapest[1])
    )
    return (
        f"{sentence(called(cheapest[0]))} costs least of {priced}. "
        f"{sentence(called(fastest[0]))} takes least time and costs {dearer} as much; the "
        f"cheapest takes {longer} as long. No row is best at both."
    )


def _overlap(best: Value, other: Value, by_cost: int, rows: Sequence[tuple[Value, float]]) -> bool:
    """Whether the interval of another measured row reaches the best one's, in time or in cost."""
    if not (best.interval.known and other.interval.known):
        return False
    costs = {id(value): cost / value.number if by_cost else 1.0 for value, cost in rows}
    low, high = other.interval.low * costs[id(other)], best.interval.high * costs[id(best)]
    return low <= high


def published_speedups(speaker: Speaker, rows: Sequence[Mapping[Point, Value]]) -> list[str]:
    """Published rates over the measured baseline: at the first sweep point and at the last.

    Args:
        speaker: writes the names and the numbers.
        rows: each row's ratios by the sweep point of the baseline, in the plan's order.
    """
    parts = []
    for ratios in rows[:2]:
        first, *rest = (value for value in ratios.values() if value.over)
        over = first.over or first.of
        clause = f"{speaker.name(first.of)} {speaker.pace(first, speaker.name(over))}"
        clause += speaker.at(over)
        if rest and (last := rest[-1].over):
            clause += f" and {speaker.number(rest[-1])} at {speaker.bench.point_header(last.point)}"
        parts.append(clause)
    return parts


_BECAME = {
    REFUSED: ("was refused", "were refused"),
    "failed": ("failed", "failed"),
    "skipped": ("was skipped", "were skipped"),
    UNTIMED: ("ended before its first steady step", "ended before their first steady step"),
    "missing": ("has not run yet", "have not run yet"),
}
"""What became of one cell, or of several, that has no number."""


def unmeasured(counts: Mapping[str, int], cells: int) -> str:
    """How many cells have no number, and why: "2 of 27 cells failed, 18 have not run yet"."""
    known = {status: count for status, count in counts.items() if count}
    parts = [f"{count} {{}}{_BECAME[status][count > 1]}" for status, count in known.items()]
    of = f"of {quantity.plural(cells, 'cell')} "
    return ", ".join(part.format("" if number else of) for number, part in enumerate(parts))


def advised(advice: Sequence[Advice], own: Source | None, measured: Collection[str]) -> str:
    """Who advises on how many cases, and on how many of them numbers bear.

    Args:
        advice: at least one.
        own: the source of the spec.
        measured: kinds of devices that have a number.
    """
    sources = dict.fromkeys(_author(row.source or own) for row in advice)
    bearing = sum(len(row.words) for row in advice if row.use in measured)
    cases = sum(len(row.words) + len(row.others) for row in advice)
    count = f"{bearing} of {cases} cases" if bearing < cases else quantity.plural(cases, "case")
    by = f"the advice by {quantity.listed(list(sources))}"
    if not bearing:
        return f"No number of this benchmark bears on {by} yet."
    return (
        f"Numbers of this benchmark bear on {count} of {by}. They show how fast each is on this "
        "work, and prove no rule for other work."
    )


def _author(source: Source | None) -> str:
    if source is None:
        return "the author of the spec"
    year = f" ({source.year})" if source.year else ""
    return f"{label(source.authors or source.title, 80)}{year}"


def notices_of(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """Notices of one benchmark's page, or of the front page for all of them."""
    notices = (_data_notice(benches), _partial(benches), _added(benches))
    return tuple(notice for notice in notices if notice)


def data_notices(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """Of those, what is said of the data: the first slide of a deck has it."""
    notice = _data_notice(benches)
    return (replace(notice, text=""),) if notice else ()


def _among(benches: Sequence[BenchmarkView], affected: Sequence[BenchmarkView]) -> str:
    """Which benchmarks, where a page speaks of several and not all."""
    if len(affected) == len(benches):
        return ""
    if len(affected) > 3:
        return f" in {len(affected)} of {quantity.plural(len(benches), 'benchmark')}"
    titles = [f"“{label(b.plan.title)}” ({label(b.plan.profile, 40)})" for b in affected]
    return f" in {quantity.listed(titles)}"


def _data_notice(benches: Sequence[BenchmarkView]) -> Notice | None:
    """What is said of samples of the data and of stand-ins for them; None where none was read."""
    sample, synthetic = _sample(benches), _synthetic(benches)
    if sample and synthetic:
        counts = [len(_reading(benches, origin)) for origin in ("sample", "synthetic")]
        return Notice(
            "Samples and stand-ins.",
            (
                f"{quantity.plural(counts[0], 'benchmark')} read samples of the real data sets, "
                "a few thousand examples that come with accelreport, and "
                f"{quantity.count(counts[1])} read generated stand-ins of the same shapes. "
                "Times are comparable. Accuracies and losses are not, and no published figure "
                "is judged by them."
            ),
        )
    return sample or synthetic


def _reading(benches: Sequence[BenchmarkView], origin: str) -> list[BenchmarkView]:
    return [bench for bench in benches if any(row.origin == origin for row in bench.results)]


def _synthetic(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = _reading(benches, "synthetic")
    if not affected:
        return None
    measured = [row for b in affected for row in b.results if row.measured]
    every = all(row.origin == "synthetic" for row in measured)
    which = "Every number" if every else "Numbers marked so"
    return Notice(
        "Synthetic data.",
        (
            f"{which}{_among(benches, affected)} came from a generated stand-in of the same "
            "shapes, not from the real data set. Times are comparable; accuracies say "
            "nothing about the real task."
        ),
    )


def _sample(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = _reading(benches, "sample")
    if not affected:
        return None
    return Notice(
        "Samples of the data.",
        (
            f"Numbers{_among(benches, affected)} were measured on samples of the real data "
            "sets, a few thousand examples that come with accelreport. Times are "
            "comparable. Accuracies and losses are those of a small training set, and no "
            "published figure is judged by them."
        ),
    )


def _partial(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = [b for b in benches if any(row.status == "partial" for row in b.results)]
    if not affected:
        return None
    cut = [row for b in affected for row in b.results if row.status == "partial"]
    among, timed = _among(benches, affected), sum(row.timed for row in cut)
    measured = sum(row.timed for bench in benches for row in bench.results)
    text = (
        f"The time budget stopped {quantity.count(timed)} of "
        f"{quantity.plural(measured, 'measured cell')}{among}. Totals of partial runs are "
        "extrapolated and marked so."
    )
    early = len(cut) - timed
    cells = quantity.plural(early, "more cell" if timed else "cell")
    whose, so = ("its", "it has") if early == 1 else ("their", "they have")
    untimed = (
        f"The time budget stopped {cells}{among} before {whose} first steady step, so {so} no time."
    )
    return Notice("Partial runs.", " ".join([text] * (timed > 0) + [untimed] * (early > 0)))


def _added(benches: Sequence[BenchmarkView]) -> Notice | None:
    affected = [b for b in benches if b.plan.until_decided]
    schedules = {
        (tuple(looks.at), looks.level) for b in affected if (looks := b.plan.until_decided)
    }
    if not schedules:
        return None
    times = [
        f"after {quantity.listed([str(n) for n in at])} repeats, each time at "
        f"{quantity.short(100 * level)}{quantity.SPACE}%"
        for at, level in sorted(schedules)
    ]
    return Notice(
        "Repeated until decided.",
        (
            f"Processes were added{_among(benches, affected)} where a comparison with the "
            f"baseline was undecided. Verdicts were looked at {'; or '.join(times)}. "
            "Intervals and verdicts are widened accordingly, and hold at "
            f"95{quantity.SPACE}% over all looks together."
        ),
    )
