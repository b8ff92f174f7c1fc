"""The figures of a contribution, and its rank among others.

A rank is a range: an entry may stand at every place that the intervals leave open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from accelreport.analysis.compute import hardware_name
from accelreport.analysis.cost import Price
from accelreport.analysis.findings import Unit
from accelreport.analysis.learning import target_times
from accelreport.analysis.results import ENERGY, Result, quantity, results_of
from accelreport.analysis.stats import Interval, geometric_mean
from accelreport.chips.contribution import Contribution
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.spec.base import Scalar

TO_TARGET = "time_to_target"
"""The quantity of a figure that counts seconds to the target of its spec."""

SHARE = "share_of_peak"
"""The quantity of a figure that sets what was computed against the cited peak."""


@dataclass(frozen=True)
class Figure:
    """Something that chips are ranked by.

    Attributes:
        name: short name, as an address uses it.
        title: what it is, in words.
        spec: the shared spec that measures it.
        point: the sweep point.
        quantity: the quantity of a process, by `analysis.results.quantity`, `TO_TARGET` or `SHARE`.
        unit: its unit.
        noun: what a rate counts.
        more_is_better: whether the larger value ranks first.
        short: what a column or a choice calls it.
        published: the spec that holds published figures of the same network.
    """

    name: str
    title: str
    spec: str
    point: tuple[tuple[str, Scalar], ...]
    quantity: str
    unit: Unit
    noun: str = ""
    more_is_better: bool = True
    short: str = ""
    published: str = ""


def _batch(size: int) -> tuple[tuple[str, Scalar], ...]:
    return (("batch_size", size),)


FIGURES = (
    Figure("images-64", "Training a two-layer CNN, batch 64", "chip_training", _batch(64),
           "throughput", Unit.RATE, "images", short="images/s, batch 64"),
    Figure("images", "Training a two-layer CNN, batch 256", "chip_training", _batch(256),
           "throughput", Unit.RATE, "images", short="images/s", published="mnist_batch_sweep"),
    Figure("images-1024", "Training a two-layer CNN, batch 1,024", "chip_training", _batch(1024),
           "throughput", Unit.RATE, "images", short="images/s, batch 1,024",
           published="mnist_batch_sweep"),
    Figure("windows-16", "Training a three-layer LSTM, batch 16", "chip_lstm", _batch(16),
           "throughput", Unit.RATE, "windows", short="windows/s, batch 16"),
    Figure("windows", "Training a three-layer LSTM, batch 128", "chip_lstm", _batch(128),
           "throughput", Unit.RATE, "windows", short="windows/s"),
    Figure("accuracy", "Time to 95 % validation accuracy on a sample", "chip_accuracy", (),
           TO_TARGET, Unit.SECONDS, more_is_better=False, short="time to 95 %"),
    Figure("mnist", "Time to 97 % validation accuracy on whole MNIST", "chip_mnist", (),
           TO_TARGET, Unit.SECONDS, more_is_better=False, short="time to 97 %"),
    Figure("latency", "Latency of one image", "chip_latency", _batch(1),
           "steady_step_time", Unit.SECONDS, more_is_better=False, short="latency"),
    Figure("energy", "Energy of a training image, batch 256", "chip_training", _batch(256),
           ENERGY, Unit.NUMBER, "J", more_is_better=False, short="energy"),
    Figure("peak", "Share of peak, training a two-layer CNN, batch 1,024", "chip_training",
           _batch(1024), SHARE, Unit.SHARE, short="share of peak"),
)  # fmt: skip
"""In the order in which a page offers them."""


@dataclass(frozen=True)
class Entry:
    """One device of one contribution by one figure.

    Attributes:
        contribution: name of the contribution.
        device: name of the device's row.
        hardware: what did the arithmetic, by its driver's name.
        kind: CPU, GPU or TPU.
        threads: logical processors of the machine.
        precision: the dtype policy.
        value: geometric mean over processes with its 95 % interval.
        reached: processes that have the figure, of how many that were measured.
        stopped: steps that each process did until its budget stopped it, of how many; the fewest
            first, and none where every process did all of them.
        origin: where the data came from, such as "synthetic".
        framework: what computed.
        price: what an hour of the device costs; None where nothing gives a price.
    """

    contribution: str
    device: str
    hardware: str
    kind: str
    threads: int
    precision: str
    value: Interval
    reached: tuple[int, int]
    stopped: tuple[tuple[int, int], ...] = ()
    origin: str = ""
    framework: str = "tensorflow"
    price: Price | None = None


AGREES = 1.1
"""Two machines of the same hardware agree where their values differ by at most this factor."""


@dataclass(frozen=True)
class Ranked:
    """An entry with the ranks that the intervals leave open, both from 1.

    Attributes:
        entry: the entry.
        best: its best rank.
        worst: its worst rank.
        confirmed: other machines of the same hardware that agree with it; the entry is
            self-reported where there is none, because no file proves a measurement.
    """

    entry: Entry
    best: int
    worst: int
    confirmed: int = 0


def entries(contribution: Contribution) -> dict[str, list[Entry]]:
    """Figure → the devices of a contribution that have it; single processes have no interval."""
    rows: dict[str, list[Entry]] = {figure.name: [] for figure in FIGURES}
    by_key = {record.key: record for record in contribution.records}
    for plan in contribution.plans:
        keys = {cell.key for cell in plan.cells}
        records = [record for key, record in by_key.items() if key in keys]
        results = [result for result in results_of(plan, records) if result.measured]
        for figure in (figure for figure in FIGURES if figure.spec == plan.spec):
            there = [result for result in results if result.at(dict(figure.point))]
            values = _values(plan, there, contribution, figure)
            for device in plan.devices:
                own = [result for result in there if result.device == device]
                known = {r.repeat: values[r.key] for r in own if 0 < values.get(r.key, inf) < inf}
                # A mean over the processes that reached the target alone would flatter the device.
                if not known or (figure.quantity == TO_TARGET and len(known) < len(own)):
                    continue
                environment, kind = by_key[own[0].key].environment, own[0].kind
                cut = (by_key[result.key] for result in own if result.extrapolated)
                entry = Entry(
                    contribution=contribution.name,
                    device=device,
                    hardware=hardware_name(environment, kind) or kind,
                    kind=kind,
                    threads=environment.threads if environment else 0,
                    precision=own[0].precision,
                    value=geometric_mean(list(known.values())),
                    reached=(len(known), len(own)),
                    stopped=tuple(sorted(map(_steps, cut))),
                    origin=own[0].origin,
                    framework=plan.devices[device].framework,
                )
                rows[figure.name].append(entry)
    return rows


def _steps(record: Record) -> tuple[int, int]:
    """Steps that were done, of how many."""
    return sum(block.steps for block in record.blocks), record.planned_steps


def _values(
    plan: PlanDocument, results: Sequence[Result], contribution: Contribution, figure: Figure
) -> dict[str, float]:
    if figure.quantity == SHARE:
        return {result.key: result.timings.mfu for result in results}
    if figure.quantity != TO_TARGET:
        return {result.key: quantity(result, figure.quantity) for result in results}
    return {
        time.result.key: time.elapsed_s
        for time in target_times(plan, results, contribution.records)
    }


def ranked(rows: Iterable[Entry], figure: Figure) -> list[Ranked]:
    """Entries with their ranks, the best first: confirmed ones, and then those self-reported.

    An entry is certainly better than another where their intervals do not overlap; one without an
    interval counts as its value alone, so that it is compared with the others' intervals.
    """
    alike: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
    for row in rows:
        alike[row.hardware, row.threads, row.precision, row.framework].append(row)
    by_state: dict[bool, dict[Entry, int]] = {True: {}, False: {}}
    for same in alike.values():
        for row in same:
            others = (o.value.value for o in same if o.contribution != row.contribution)
            agreeing = sum(1 / AGREES <= row.value.value / other <= AGREES for other in others)
            by_state[agreeing > 0][row] = agreeing
    confirmed = _placed(by_state[True], figure, 0)
    return confirmed + _placed(by_state[False], figure, len(confirmed))


def _placed(confirmed: Mapping[Entry, int], figure: Figure, before: int) -> list[Ranked]:
    """Entries, and how many machines confirm each, with the ranks behind so many others."""
    every = list(confirmed)
    sign = -1.0 if figure.more_is_better else 1.0

    def ends(entry: Entry) -> tuple[float, float]:
        low, high = sorted(sign * end for end in entry.value.ends)
        return low, high

    spans = [ends(entry) for entry in every]
    lows, highs = (sorted(side) for side in zip(*spans, strict=True)) if spans else ((), ())
    places = [
        Ranked(
            entry,
            before + 1 + bisect_left(highs, low),
            before + bisect_right(lows, high),
            confirmed[entry],
        )
        for entry, (low, high) in zip(every, spans, strict=True)
    ]
    places.sort(key=lambda row: (sign * row.entry.value.value, row.entry.contribution))
    return places
